// What every page is made with, and the two answers they share: a page in the reader's language, and the same
// "this link does not work" whatever is wrong with a link.
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { attributionFaults, type Linked } from '../domain/attribution.js';
import type { LinkBook } from '../ports/mail-service.js';
import type { Services } from '../ports/services.js';
import type { Clock, Log } from '../ports/system.js';
import { LANGUAGES } from '../render/language/index.js';
import { type MessageView, messageView } from '../render/page-views.js';
import type { Templates } from '../render/templates.js';

export interface WebContext {
  readonly services: Services;
  readonly links: LinkBook;
  /** Opened when the first page is shown. */
  readonly templates: () => Promise<Templates>;
  readonly source: string;
  readonly publicUrl?: string | undefined;
  /** The address mails come from, where readers reach the operator. */
  readonly contact?: string | undefined;
  /** Path of PUBLIC_URL, without a slash at its end: a proxy may serve the pages below one. */
  readonly base: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The first language of the browser that there is; English otherwise. */
export function preferredLocale(c: Context): string {
  const wanted = (c.req.header('Accept-Language') ?? '').slice(0, 200).split(',');
  const codes = wanted.map((entry) => entry.trim().slice(0, 2).toLowerCase());
  return codes.find((code) => Object.hasOwn(LANGUAGES, code)) ?? 'en';
}

/** Renders a page. `postings`: those on it; a page that breaks a link rule is not shown. */
export async function showPage(
  c: Context,
  w: WebContext,
  name: string,
  locale: string,
  view: object,
  postings: readonly Linked[] = [],
): Promise<Response> {
  const body = (await w.templates()).page(name, locale, { ...view, base: w.base });
  const faults = attributionFaults({ format: 'html', body }, postings);
  if (faults.length > 0) {
    w.log.error({ page: name, faults }, 'page held back, it breaks the link rules');
    return trouble(c, w, locale);
  }
  return c.html(body);
}

/** A page of words alone, with a status that says something went another way. */
export async function message(
  c: Context,
  w: WebContext,
  locale: string,
  view: MessageView,
  status: 404 | 410 | 500,
): Promise<Response> {
  return c.html((await w.templates()).page('message', locale, { ...view, base: w.base }), status);
}

/** One answer for a token that is forged, mangled, used, revoked or too old. */
export function wrongLink(c: Context, w: WebContext): Promise<Response> {
  const locale = preferredLocale(c);
  const view = messageView(locale, w.source, ({ wrongLink: { title, text } }) => ({ title, texts: [text] }));
  return message(c, w, locale, view, 404);
}

export function trouble(c: Context, w: WebContext, locale = preferredLocale(c)): Promise<Response> {
  const view = messageView(locale, w.source, ({ trouble: { title, text } }) => ({ title, texts: [text] }));
  return message(c, w, locale, view, 500);
}

/** True while a part of the request is missing: for good, once its sender hung up. */
export function isIncomplete(c: Context): boolean {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  return incoming?.complete === false;
}

/**
 * A posted form; several values of a name as a list. Anything that is no form is an empty one; a form that was broken
 * off throws, because what is missing was not left out by its sender.
 */
export async function readForm(c: Context): Promise<Record<string, string | readonly string[]>> {
  const type = c.req.header('Content-Type') ?? '';
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)/iu.test(type)) return {};
  try {
    const body = await c.req.parseBody({ all: true });
    return Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.filter((one) => typeof one === 'string')
          : typeof value === 'string'
            ? value
            : '',
      ]),
    );
  } catch (error) {
    if (isIncomplete(c)) throw error;
    return {};
  }
}
