// The pages to confirm an address, unsubscribe with one click and undo that. Opening a page never changes anything,
// because scanners open every link of a mail. Only its button does.

import type { Context, Hono } from 'hono';
import { cadenceEntry, nextEditionAt } from '../domain/cadence.js';
import { defined } from '../domain/defined.js';
import { LINK_LIFE, type LinkClaim } from '../domain/link-token.js';
import { type Destination, destinationEntry, isPaused } from '../domain/subscription.js';
import type { MailService, Stream } from '../ports/mail-service.js';
import type { SubscriptionReport } from '../ports/services.js';
import { dayInWords } from '../render/dates.js';
import { describeCadence, describeNext } from '../render/describe.js';
import { button, messageView, quietButton, quietLink } from '../render/page-views.js';
import { rightsOf } from '../render/preferences-view.js';
import { textsFor } from '../render/texts.js';
import { preferredLocale, showPage, type WebContext, wrongLink } from './context.js';
import { doDataRequest, showDataRequest } from './data-pages.js';
import { MONTH_MS, weeklyFrom } from './preferences-pages.js';

interface Opened {
  readonly mail: MailService;
  readonly stream: Stream;
  readonly claim: LinkClaim;
  /** What sends the mails; absent once it is gone. */
  readonly source?: Source;
  readonly locale?: string;
}

/** The subscription and the destination of a stream of mails. */
interface Source {
  readonly report: SubscriptionReport;
  readonly destination: Destination;
}

/** "Rust, remote; weekly on Monday 09:00 Europe/Berlin". */
function aboutOf({ report, destination }: Source, locale: string): string {
  return `${report.about}; ${describeCadence(destination.cadence, locale)}`;
}

/** What a reader can get instead of the mails of a stream: fewer of them. */
function insteadOf({ report, destination }: Source): { readonly weekly: boolean; readonly month: boolean } {
  const { edit, pause } = rightsOf(report.subscription);
  const { every, cron } = destination.cadence;
  return { weekly: edit && every !== 'weekly' && !cron, month: pause && !isPaused(report.subscription) };
}

async function openStream(
  w: WebContext,
  purpose: 'unsubscribe' | 'resubscribe',
  token: string,
): Promise<Opened | undefined> {
  const { mail } = w.services;
  const claim = await w.links.open(purpose, token);
  if (!mail || !claim?.subscription || !claim.destination) return undefined;
  const { account, subscription, destination } = claim;
  const stream = { account, subscription, destination };
  const report = await w.services.subscription({ account }, subscription).catch(() => undefined);
  const place = report?.subscription.destinations.find((one) => one.id === destination);
  if (!report) return { mail, stream, claim };
  const locale = report.subscription.locale ?? (await w.services.profile(account))?.locale;
  const source = place && { report, destination: place };
  return { mail, stream, claim, ...defined({ source, locale: locale || undefined }) };
}

export function consentPages(app: Hono, w: WebContext): void {
  app.get('/confirm/:token', async (c) => {
    const token = c.req.param('token');
    const invitation = await w.services.mail?.peek(token);
    if (!invitation) return (await showDataRequest(c, w, token)) ?? wrongLink(c, w);
    const { locale, about } = invitation;
    const view = messageView(locale, w.source, ({ confirm }) => ({
      title: confirm.title,
      texts: [about && confirm.about({ about }), confirm.text, confirm.ignore],
      actions: [button(confirm.button, w.links.local.confirm(token))],
    }));
    return showPage(c, w, 'confirm', locale, view);
  });

  app.post('/confirm/:token', async (c) => {
    const token = c.req.param('token');
    const done = await w.services.mail?.confirm(token);
    if (!done) return (await doDataRequest(c, w, token)) ?? wrongLink(c, w);
    const { account, destination, locale } = done;
    const sources = (await w.services.subscriptions({ account })).flatMap((report): Source[] => {
      const place = report.subscription.destinations.find((one) => one.id === destination);
      return place ? [{ report, destination: place }] : [];
    });
    return showPage(c, w, 'message', locale, await confirmedView(account, sources, locale));
  });

  /** Says what comes next. With one subscription, the reader can choose a weekly digest here. */
  async function confirmedView(account: string, sources: readonly Source[], locale: string) {
    const epoch = await w.links.epoch(account);
    const now = w.clock.now();
    const preferences = ({ report, destination }: Source) =>
      w.links.local.preferences({
        account,
        subscription: report.subscription.id,
        destination: destination.id,
        epoch,
        now,
      });
    // What is paused sends nothing. Of the others, the first one to send counts.
    const [soonest] = sources
      .filter(({ report }) => !isPaused(report.subscription))
      .map(({ destination }) => destination.cadence)
      .sort((one, other) => nextEditionAt(one, now) - nextEditionAt(other, now));
    const next = soonest && describeNext(soonest, now, locale);
    const [only, ...others] = sources;
    return messageView(locale, w.source, ({ confirm, instead }) => {
      const title = confirm.doneTitle;
      if (!only) return { title, texts: [confirm.doneText, confirm.none] };
      if (others.length > 0)
        return {
          title,
          texts: [next, confirm.links, confirm.several],
          actions: sources.map((one) => quietLink(aboutOf(one, locale), preferences(one))),
        };
      const weekly = quietButton(instead.weekly, `${preferences(only)}?do=weekly`);
      return {
        title,
        texts: [confirm.about({ about: aboutOf(only, locale) }), next, confirm.links],
        actions: [...(insteadOf(only).weekly ? [weekly] : []), quietLink(confirm.change, preferences(only))],
      };
    });
  }

  app.get('/unsubscribe/:token', async (c) => {
    const token = c.req.param('token');
    const opened = await openStream(w, 'unsubscribe', token);
    if (!opened) return wrongLink(c, w);
    const locale = opened.locale ?? preferredLocale(c);
    const about = opened.source && aboutOf(opened.source, locale);
    if ((await opened.mail.stoppedAt(opened.stream)) !== undefined) return stopped(c, opened, locale, false);
    // No link to preferences: this link never expires and is forwarded with every mail, so it must not lead there.
    const view = messageView(locale, w.source, ({ unsubscribe }) => ({
      title: unsubscribe.title,
      texts: [about && unsubscribe.about({ about }), unsubscribe.text, about && unsubscribe.rather],
      actions: [button(unsubscribe.button, `${w.base}/unsubscribe/${token}`)],
    }));
    return showPage(c, w, 'unsubscribe', locale, view);
  });

  // RFC 8058: the mail program posts `List-Unsubscribe=One-Click`, as the page's own button does. There is no login,
  // cookie or redirect, and the answer is sent once the mails are stopped.
  app.post('/unsubscribe/:token', async (c) => {
    const opened = await openStream(w, 'unsubscribe', c.req.param('token'));
    if (!opened) return wrongLink(c, w);
    const before = await opened.mail.stoppedAt(opened.stream);
    await opened.mail.stop(opened.stream);
    w.log.info({ subscription: opened.stream.subscription }, 'reader unsubscribed');
    return stopped(c, opened, opened.locale ?? preferredLocale(c), before === undefined);
  });

  app.post('/resubscribe/:token', async (c) => {
    const opened = await openStream(w, 'resubscribe', c.req.param('token'));
    if (!opened?.source) return wrongLink(c, w);
    const { claim, mail, stream, source } = opened;
    const { edition } = claim;
    // An undo link is only for the stop that it was shown for. It must not undo a stop from another time.
    if (edition !== 'any' && edition !== String(await mail.stoppedAt(stream))) return wrongLink(c, w);
    const locale = opened.locale ?? preferredLocale(c);
    const may = insteadOf(source);
    const wanted = c.req.query('instead');
    if (wanted === 'weekly' && may.weekly) return weekly(c, opened, source, locale);
    if (wanted === 'month' && may.month) return paused(c, opened, source, locale);
    if (wanted === 'all') return stoppedAll(c, opened, locale);
    await mail.restart(stream);
    w.log.info({ subscription: stream.subscription }, 'reader subscribed again');
    const view = messageView(locale, w.source, ({ unsubscribe }) => ({
      title: unsubscribe.undoneTitle,
      texts: [
        unsubscribe.undoneText,
        unsubscribe.about({ about: aboutOf(source, locale) }),
        isPaused(source.report.subscription)
          ? undefined
          : describeNext(source.destination.cadence, w.clock.now(), locale),
      ],
    }));
    return showPage(c, w, 'message', locale, view);
  });

  // What a reader who just unsubscribed can have instead. Each sends fewer mails than before, so a person with a
  // forwarded link can do no more with it than stop mails.

  async function weekly(c: Context, { mail, stream }: Opened, source: Source, locale: string) {
    const { account, subscription, destination } = stream;
    const cadence = weeklyFrom(source.destination.cadence);
    // First the change: what waits and is in no mail yet comes with the first weekly one.
    await w.services.edit({ account, locale }, subscription, {
      destinationId: destination,
      destination: { ...destinationEntry(source.destination), cadence: cadenceEntry(cadence) },
    });
    await mail.restart(stream);
    w.log.info({ subscription }, 'reader chose weekly mails');
    const view = messageView(locale, w.source, ({ instead }) => ({
      title: instead.weeklyDone,
      texts: [describeNext(cadence, w.clock.now(), locale), instead.changeLater],
    }));
    return showPage(c, w, 'message', locale, view);
  }

  async function paused(c: Context, { mail, stream }: Opened, source: Source, locale: string) {
    const { account, subscription } = stream;
    const until = w.clock.now() + MONTH_MS;
    // First the pause, which keeps back what waited.
    await w.services.pause({ account }, subscription, until);
    await mail.restart(stream);
    w.log.info({ subscription }, 'reader paused for a month');
    const date = dayInWords(until, source.destination.cadence.timezone, textsFor(locale).intl);
    const view = messageView(locale, w.source, ({ instead, preferences }) => ({
      title: instead.monthDone,
      texts: [preferences.pausedUntil({ date }), preferences.pauseText, instead.changeLater],
    }));
    return showPage(c, w, 'message', locale, view);
  }

  async function stoppedAll(c: Context, { mail, stream }: Opened, locale: string) {
    for (const one of await streamsBeside(stream)) await mail.stop(one);
    w.log.info({ subscription: stream.subscription }, 'reader unsubscribed from everything');
    const view = messageView(locale, w.source, ({ unsubscribe }) => ({
      title: unsubscribe.allTitle,
      texts: [unsubscribe.allText, unsubscribe.again],
    }));
    return showPage(c, w, 'message', locale, view);
  }

  /** The other streams of the account to the same address that are not stopped. */
  async function streamsBeside({ account, subscription, destination }: Stream): Promise<readonly Stream[]> {
    const found: Stream[] = [];
    for (const { subscription: one } of await w.services.subscriptions({ account })) {
      const stream = { account, subscription: one.id, destination };
      const isOther = one.id !== subscription && one.destinations.some(({ id }) => id === destination);
      if (isOther && (await w.services.mail?.stoppedAt(stream)) === undefined) found.push(stream);
    }
    return found;
  }

  /** `now`: this request stopped it. Only then an undo is offered, because an unsubscribe link may only stop mails. */
  async function stopped(c: Context, opened: Opened, locale: string, now: boolean): Promise<Response> {
    const { claim, mail, source, stream } = opened;
    const at = now && source ? await mail.stoppedAt(stream) : undefined;
    if (!source || at === undefined) {
      const view = messageView(locale, w.source, ({ unsubscribe }) => ({
        title: unsubscribe.doneTitle,
        // A subscription that no longer exists can't be resumed.
        texts: [unsubscribe.doneText, source && unsubscribe.again],
      }));
      return showPage(c, w, 'message', locale, view);
    }
    const made = { ...stream, epoch: await w.links.epoch(claim.account), now: w.clock.now() };
    const link = w.links.local.resubscribe({ ...made, edition: String(at) });
    const may = insteadOf(source);
    const others = await streamsBeside(stream);
    const end = made.now + LINK_LIFE.resubscribe;
    const date = dayInWords(end, source.destination.cadence.timezone, textsFor(locale).intl);
    const view = messageView(locale, w.source, ({ unsubscribe, instead }) => ({
      title: unsubscribe.doneTitle,
      texts: [
        unsubscribe.doneText,
        unsubscribe.undoUntil({ date }),
        others.length > 0 ? unsubscribe.others({ count: others.length }) : undefined,
      ],
      actions: [
        quietButton(unsubscribe.undo, link),
        ...(may.weekly ? [quietButton(instead.weekly, `${link}?instead=weekly`)] : []),
        ...(may.month ? [quietButton(instead.month, `${link}?instead=month`)] : []),
        ...(others.length > 0 ? [quietButton(unsubscribe.all, `${link}?instead=all`)] : []),
      ],
    }));
    return showPage(c, w, 'message', locale, view);
  }
}
