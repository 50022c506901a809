// What every page needs, and the answers they share: a page in the reader's language, and one "this link does not
// work" for any fault of a link.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { attributionFaults, type Linked } from '../domain/attribution.js';
import type { LinkBook } from '../ports/mail-service.js';
import type { Services } from '../ports/services.js';
import type { Clock, Log } from '../ports/system.js';
import { plainCommands } from '../render/commands.js';
import { type MessageView, messageView } from '../render/page-views.js';
import type { Templates } from '../render/templates.js';
import { LANGUAGES, textsFor } from '../render/texts.js';

export interface WebContext {
  readonly services: Services;
  readonly links: LinkBook;
  /** Loaded when the first page is shown. */
  readonly templates: () => Promise<Templates>;
  readonly source: string;
  readonly publicUrl?: string | undefined;
  /** The address mails come from, where readers reach the operator. */
  readonly contact?: string | undefined;
  /** Days until a daily backup of the service is deleted; absent without backups. */
  readonly backupDays?: number | undefined;
  /** Path of PUBLIC_URL, without a slash at its end: a proxy may serve the pages below a path. */
  readonly base: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Set to true in the context of a page with the script `/assets/page.js`. */
export const SCRIPTED = 'scripted';

/** The browser's first language that is supported; English if there is none. */
export function preferredLocale(c: Context): string {
  const wanted = (c.req.header('Accept-Language') ?? '').slice(0, 200).split(',');
  const codes = wanted.map((entry) => entry.trim().slice(0, 2).toLowerCase());
  return codes.find((code) => Object.hasOwn(LANGUAGES, code)) ?? 'en';
}

/** Renders a page. `postings`: those on it. If the page breaks a link rule, the error page is shown instead. */
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

/** The answer with a tag of its content, or 304 if the client has that content already. A failure stays as it is. */
export async function tagged(c: Context, answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer;
  const body = await answer.text();
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = new Headers(answer.headers);
  headers.set('ETag', etag);
  if (c.req.header('If-None-Match') === etag) return new Response(null, { status: 304, headers });
  return new Response(body, { headers });
}

/** A page with text only and the status of a failure. */
async function message(
  c: Context,
  w: WebContext,
  locale: string,
  view: MessageView,
  status: 403 | 404 | 410 | 500,
): Promise<Response> {
  return c.html((await w.templates()).page('message', locale, { ...view, base: w.base }), status);
}

/** The same answer for every token that is forged, damaged, used, revoked or expired. */
export function wrongLink(c: Context, w: WebContext): Promise<Response> {
  const locale = preferredLocale(c);
  const view = messageView(locale, w.source, ({ wrongLink: { title, text } }) => ({ title, texts: [text] }));
  return message(c, w, locale, view, 404);
}

/** The answer for a browser without a session, and for a form that is not from a page of its session. */
export function signedOut(c: Context, w: WebContext): Promise<Response> {
  const locale = preferredLocale(c);
  const texts = textsFor(locale);
  const view = messageView(locale, w.source, ({ manage: { signedOutTitle, signedOutText } }) => ({
    title: signedOutTitle,
    texts: [plainCommands(signedOutText, texts)],
  }));
  return message(c, w, locale, view, 403);
}

/** The answer for a link to an edition that is not stored any more. */
export function goneEdition(c: Context, w: WebContext): Promise<Response> {
  const locale = preferredLocale(c);
  const view = messageView(locale, w.source, ({ edition: { goneTitle, goneText } }) => ({
    title: goneTitle,
    texts: [goneText],
  }));
  return message(c, w, locale, view, 410);
}

export function trouble(c: Context, w: WebContext, locale = preferredLocale(c)): Promise<Response> {
  const view = messageView(locale, w.source, ({ trouble: { title, text } }) => ({ title, texts: [text] }));
  return message(c, w, locale, view, 500);
}

/** True while a part of the request is missing. It stays true if the sender closes the connection. */
export function isIncomplete(c: Context): boolean {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage };
  return incoming?.complete === false;
}

/**
 * Reads a posted form; several values of a name become a list. A body that is not a form counts as an empty form.
 * Throws for an incomplete request, because its sender did not leave out the missing fields on purpose.
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
