// What the preferences page does only by a mailed link: export or delete all that is stored about a reader, and open the
// page with all subscriptions. The link opens a page with a button, and the button does it.
import type { Context } from 'hono';
import { readerOf } from '../domain/subscription.js';
import type { DataRequest } from '../ports/mail-service.js';
import { plainCommands } from '../render/commands.js';
import { dayInWords } from '../render/dates.js';
import { button, messageView, quietLink } from '../render/page-views.js';
import { rightsOf } from '../render/preferences-view.js';
import { textsFor } from '../render/texts.js';
import { showPage, type WebContext, wrongLink } from './context.js';

const DAY_MS = 86_400_000;

/** Mails the link and returns a page that says so. */
export async function askForData(c: Context, w: WebContext, request: DataRequest): Promise<Response> {
  const asked = (await w.services.mail?.askForData(request)) ?? 'nowhere';
  const { locale } = request;
  const view = messageView(locale, w.source, ({ preferences: { asked: words } }) => ({
    title: { sent: words.title, later: words.later, nowhere: words.nowhere }[asked],
    texts: [{ sent: words.text, later: words.laterText, nowhere: words.nowhereText }[asked]],
  }));
  return showPage(c, w, 'message', locale, view);
}

/** Mails the link to the page with all subscriptions of the account, and returns a page that says so. */
export async function askForPages(
  c: Context,
  w: WebContext,
  account: string,
  locale: string,
): Promise<Response> {
  const asked = (await w.services.mail?.askForPages(account, locale)) ?? 'nowhere';
  const texts = textsFor(locale);
  const view = messageView(locale, w.source, ({ preferences, manage: { asked: words } }) => ({
    title: {
      sent: preferences.asked.title,
      later: preferences.asked.later,
      nowhere: preferences.asked.nowhere,
    }[asked],
    texts: [
      plainCommands({ sent: words.text, later: words.laterText, nowhere: words.nowhereText }[asked], texts),
    ],
  }));
  return showPage(c, w, 'message', locale, view);
}

/** The page behind a mailed link, with a button. Undefined if the link is not for a data request. */
export async function showDataRequest(
  c: Context,
  w: WebContext,
  token: string,
): Promise<Response | undefined> {
  const request = await w.services.mail?.peekDataRequest(token);
  if (!request) return undefined;
  const { account, subscription, destination, locale, what } = request;
  const url = w.links.local.confirm(token);
  const stream = { account, subscription, destination, epoch: await w.links.epoch(account) };
  const view = messageView(locale, w.source, ({ preferences: words }) => {
    if (what === 'export')
      return { title: words.exportTitle, texts: [words.exportText], actions: [button(words.export, url)] };
    // Some people only want the mails to end.
    const stop = w.links.local.unsubscribe({ ...stream, now: w.clock.now() });
    return {
      title: words.eraseTitle,
      texts: [words.eraseText],
      actions: [button(words.eraseButton, url), quietLink(words.eraseRather, stop)],
    };
  });
  return showPage(c, w, what === 'erase' ? 'erase' : 'message', locale, view);
}

/** Does what a mailed link is for and uses it up. Undefined if the link is not for a data request. */
export async function doDataRequest(c: Context, w: WebContext, token: string): Promise<Response | undefined> {
  const request = await w.services.mail?.takeDataRequest(token);
  if (!request) return undefined;
  return request.what === 'erase' ? erased(c, w, request) : exported(c, w, request);
}

async function erased(c: Context, w: WebContext, { account, locale }: DataRequest): Promise<Response> {
  await w.services.eraseAccount(account);
  w.log.info({}, 'reader had everything deleted');
  const { intl } = textsFor(locale);
  const { backupDays: days } = w;
  const backups = days === undefined ? undefined : dayInWords(w.clock.now() + days * DAY_MS, 'UTC', intl);
  const view = messageView(locale, w.source, ({ preferences: words }) => ({
    title: words.erasedTitle,
    texts: [words.erasedText, backups && words.erasedBackups({ date: backups }), words.erasedAgain],
  }));
  return showPage(c, w, 'message', locale, view);
}

/** Exports all data of the account; for a shared account, only what belongs to the stream. */
async function exported(
  c: Context,
  { services, ...w }: WebContext,
  { account, subscription: id, destination: place }: DataRequest,
): Promise<Response> {
  const report = await services.subscription({ account }, id).catch(() => undefined);
  if (!report) return wrongLink(c, { services, ...w });
  const { subscription } = report;
  const data = rightsOf(subscription).erase
    ? await services.exportAccount(account)
    : {
        subscription: {
          ...subscription,
          destinations: subscription.destinations.filter((one) => one.id === place),
        },
        editions: (await services.editions(account, 1000)).filter(
          (one) => one.subscription === id && one.destination.id === place,
        ),
        marks: await services.marks(readerOf(account, place)),
      };
  return new Response(JSON.stringify(data, null, 2), {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': 'attachment; filename="jobcrier-data.json"',
    },
  });
}
