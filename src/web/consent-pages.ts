// The pages to confirm an address, unsubscribe with one click and undo that. Opening a page never changes anything,
// because scanners open every link of a mail. Only its button does.

import type { Hono } from 'hono';
import { defined } from '../domain/defined.js';
import type { LinkClaim } from '../domain/link-token.js';
import type { MailService, Stream } from '../ports/mail-service.js';
import { describeCadence } from '../render/describe.js';
import { button, messageView } from '../render/page-views.js';
import { preferredLocale, showPage, type WebContext, wrongLink } from './context.js';
import { doDataRequest, showDataRequest } from './data-pages.js';

interface Opened {
  readonly mail: MailService;
  readonly stream: Stream;
  readonly claim: LinkClaim;
  /** The subscription in words; absent once it is gone. */
  readonly about?: string;
  readonly locale?: string;
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
  if (!report) return { mail, stream, claim };
  const locale = report.subscription.locale ?? (await w.services.profile(account))?.locale;
  const cadence = report.subscription.destinations.find((one) => one.id === destination)?.cadence;
  const about = cadence ? `${report.about}; ${describeCadence(cadence, locale ?? 'en')}` : report.about;
  return { mail, stream, claim, about, ...defined({ locale: locale || undefined }) };
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
    const view = messageView(done.locale, w.source, ({ confirm }) => ({
      title: confirm.doneTitle,
      texts: [confirm.doneText],
    }));
    return showPage(c, w, 'message', done.locale, view);
  });

  app.get('/unsubscribe/:token', async (c) => {
    const token = c.req.param('token');
    const opened = await openStream(w, 'unsubscribe', token);
    if (!opened) return wrongLink(c, w);
    const locale = opened.locale ?? preferredLocale(c);
    const { about } = opened;
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
    if (!opened?.about) return wrongLink(c, w);
    const { edition } = opened.claim;
    // An undo link is only for the stop that it was shown for. It must not undo a stop from another time.
    if (edition !== 'any' && edition !== String(await opened.mail.stoppedAt(opened.stream)))
      return wrongLink(c, w);
    await opened.mail.restart(opened.stream);
    w.log.info({ subscription: opened.stream.subscription }, 'reader subscribed again');
    const locale = opened.locale ?? preferredLocale(c);
    const { about } = opened;
    const view = messageView(locale, w.source, ({ unsubscribe }) => ({
      title: unsubscribe.undoneTitle,
      texts: [unsubscribe.undoneText, unsubscribe.about({ about })],
    }));
    return showPage(c, w, 'message', locale, view);
  });

  /** `now`: this request stopped it. Only then an undo is offered, because an unsubscribe link may only stop mails. */
  async function stopped(
    c: Parameters<typeof showPage>[0],
    opened: Opened,
    locale: string,
    now: boolean,
  ): Promise<Response> {
    const { about, claim, mail, stream } = opened;
    const at = now && about ? await mail.stoppedAt(stream) : undefined;
    const epoch = await w.links.epoch(claim.account);
    const view = messageView(locale, w.source, ({ unsubscribe }) => ({
      title: unsubscribe.doneTitle,
      // A subscription that no longer exists can't be resumed.
      texts: [unsubscribe.doneText, about && at === undefined ? unsubscribe.again : undefined],
      actions:
        at === undefined
          ? []
          : [
              {
                ...button(
                  unsubscribe.undo,
                  w.links.local.resubscribe({ ...stream, epoch, now: w.clock.now(), edition: String(at) }),
                ),
                quiet: true,
              },
            ],
    }));
    return showPage(c, w, 'message', locale, view);
  }
}
