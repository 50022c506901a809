// The page with the postings that a person marked, in the session that `/jobs manage` opens. Its buttons move a posting to
// another stage of the application, and it gives the last days to apply as a calendar file.
import type { Context, Hono } from 'hono';
import { postingRef } from '../domain/edition.js';
import { STAGES } from '../domain/stages.js';
import type { Session } from '../ports/services.js';
import { jobsCalendar, jobsView } from '../render/jobs-view.js';
import { preferredLocale, readForm, showPage, signedOut, type WebContext } from './context.js';
import type { SessionGate } from './session-gate.js';

export function jobsPages(app: Hono, w: WebContext, gate: SessionGate): void {
  const { services, clock } = w;
  const self = `${w.base}/manage/jobs`;

  async function frameOf(c: Context, { account, csrf }: Session) {
    const { locale = preferredLocale(c), timezone = 'UTC' } = (await services.profile(account)) ?? {};
    return { locale, timezone, source: w.source, base: w.base, csrf, now: clock.now() };
  }

  app.get('/manage/jobs', async (c) => {
    const session = await gate.session(c);
    if (!session) return signedOut(c, w);
    const frame = await frameOf(c, session);
    const asked = c.req.query('done');
    const done = asked === 'moved' ? 'movedDone' : asked === 'removed' ? 'removedDone' : undefined;
    const marked = await services.marks(session.account);
    const postings = marked.map(({ posting }) => posting);
    return showPage(c, w, 'manage-jobs', frame.locale, jobsView(marked, { ...frame, done }), postings);
  });

  app.post('/manage/jobs', async (c) => {
    const session = await gate.session(c);
    const { csrf, job, to } = await readForm(c);
    if (!session || !gate.ownForm(c, session, csrf)) return signedOut(c, w);
    const stage = STAGES.find((one) => one === to);
    if (typeof job !== 'string' || (!stage && to !== 'none')) return c.redirect(self, 303);
    const moved = await services.moveMarked(session.account, job, stage);
    if (!moved) return c.redirect(self, 303);
    w.log.info({ to }, 'reader moved a posting');
    return c.redirect(stage ? `${self}?done=moved#job-${postingRef(job)}` : `${self}?done=removed`, 303);
  });

  app.get('/manage/jobs/deadlines.ics', async (c) => {
    const session = await gate.session(c);
    if (!session) return signedOut(c, w);
    const { account } = session;
    const file = jobsCalendar(
      account,
      await services.marks(account),
      await frameOf(c, session),
      c.req.query('job'),
    );
    if (file === undefined) return c.redirect(self, 303);
    return new Response(file, {
      headers: {
        'Content-Type': 'text/calendar; charset=utf-8',
        'Content-Disposition': 'attachment; filename="jobs.ics"',
      },
    });
  });
}
