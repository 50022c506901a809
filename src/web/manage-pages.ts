// The pages with all subscriptions of a person. A link that works once opens a session. Opening the link changes nothing,
// because chats and mail scanners open every link; only its button uses it up.

import type { Context, Hono } from 'hono';
import { UserError } from '../domain/errors.js';
import type { Limit } from '../domain/limit.js';
import type { PreviewReport, Session, SubscriptionReport } from '../ports/services.js';
import { shownMatches } from '../render/admin-subscription.js';
import { managedView, manageView, type NamedReport } from '../render/manage-view.js';
import { button, messageView } from '../render/page-views.js';
import { rightsOf } from '../render/preferences-view.js';
import { textsFor } from '../render/texts.js';
import { archiveUrl } from './archive-pages.js';
import { preferredLocale, readForm, showPage, signedOut, type WebContext, wrongLink } from './context.js';
import { createAllowance } from './limiter.js';
import { manageFrame } from './manage-frame.js';
import { MONTH_MS } from './preferences-pages.js';
import type { SessionGate } from './session-gate.js';

/** How often an account may ask what matches now. Each time is a request to the jobs API for each tag. */
const PREVIEWS: Limit = { most: 10, withinMs: 60_000 };

export function managePages(app: Hono, w: WebContext, gate: SessionGate): void {
  const { services, links, clock } = w;
  const previewsWait = createAllowance(PREVIEWS, clock);
  const home = `${w.base}/manage`;

  async function named(report: SubscriptionReport): Promise<NamedReport> {
    return { report, names: await Promise.all(report.subscription.destinations.map(services.placeName)) };
  }

  app.get('/manage', async (c) => {
    const session = await gate.session(c);
    if (!session) return signedOut(c, w);
    const { account } = session;
    const frame = await manageFrame(c, w, session);
    const reports = await Promise.all((await services.subscriptions({ account })).map(named));
    const feed = links.local.feed({ account, epoch: await links.epoch(account), now: frame.now });
    return showPage(c, w, 'manage', frame.locale, manageView(reports, frame, feed));
  });

  app.get('/manage/show/:id', async (c) => {
    const session = await gate.session(c);
    if (!session) return signedOut(c, w);
    const { account } = session;
    const id = c.req.param('id');
    const report = await services.subscription({ account }, id).catch(() => undefined);
    if (!report) return c.redirect(home, 303);
    const frame = await manageFrame(c, w, session);
    const preview = c.req.query('preview') === undefined ? undefined : await previewOf(report, frame.locale);
    const epoch = await links.epoch(account);
    const view = managedView(await named(report), frame, {
      events: await services.history({ account }, id),
      preview,
      editionUrl: (edition) =>
        links.local.edition({ account, subscription: id, edition, epoch, now: frame.now }),
      archive: w.publicUrl && services.isArchived(report.subscription) ? archiveUrl(w.publicUrl, id) : null,
    });
    const postings = preview === undefined || typeof preview === 'string' ? [] : shownMatches(preview);
    return showPage(c, w, 'manage-one', frame.locale, view, postings);
  });

  /** What the filter finds, or why that can't be said now. */
  async function previewOf(
    { subscription: { account, filter } }: SubscriptionReport,
    locale: string,
  ): Promise<PreviewReport | string> {
    const { manage, admin } = textsFor(locale).page;
    if (previewsWait(account) > 0) return manage.tooMany;
    try {
      return await services.preview({ account, locale }, filter);
    } catch (error) {
      if (error instanceof UserError) return admin.subscription.previewFailed;
      throw error;
    }
  }

  app.post('/manage', async (c) => {
    const session = await gate.session(c);
    const { csrf, do: wanted, id = '', from } = await readForm(c);
    if (!session || !gate.ownForm(c, session, csrf)) return signedOut(c, w);
    if (wanted === 'sign-out') return signOut(c, session);
    const caller = { account: session.account };
    const report = await services.subscription(caller, String(id)).catch(() => undefined);
    if (!report || !rightsOf(report.subscription).pause) return c.redirect(home, 303);
    const { id: known } = report.subscription;
    const page = from === 'one' ? `${home}/show/${known}` : home;
    if (wanted === 'resume') await services.resume(caller, known);
    else if (wanted === 'pause') await services.pause(caller, known);
    else if (wanted === 'month') await services.pause(caller, known, clock.now() + MONTH_MS);
    else return c.redirect(page, 303);
    return c.redirect(`${page}?done=${wanted === 'resume' ? 'resumed' : 'paused'}`, 303);
  });

  async function signOut(c: Context, session: Session): Promise<Response> {
    const { locale } = await manageFrame(c, w, session);
    await gate.end(c);
    const view = messageView(locale, w.source, ({ manage }) => ({
      title: manage.signedOut,
      texts: [manage.signedOutDone],
    }));
    return showPage(c, w, 'message', locale, view);
  }

  app.get('/manage/:token', async (c) => {
    const token = c.req.param('token');
    if (!(await services.isManageLink(token))) return wrongLink(c, w);
    const locale = preferredLocale(c);
    const view = messageView(locale, w.source, ({ manage }) => ({
      title: manage.openTitle,
      texts: [manage.openText, manage.openWarning],
      actions: [button(manage.open, `${home}/${token}`)],
    }));
    return showPage(c, w, 'message', locale, view);
  });

  app.post('/manage/:token', async (c) =>
    (await gate.open(c, c.req.param('token'))) ? c.redirect(home, 303) : wrongLink(c, w),
  );
}
