// The page with the postings that a person marked, in the session that `/jobs manage` opens. Its buttons move a posting to
// another stage of the application, and it gives the last days to apply as a calendar file.
import type { Hono } from 'hono';
import { attributionFaults } from '../domain/attribution.js';
import { postingRef } from '../domain/edition.js';
import { STAGES } from '../domain/stages.js';
import { calendarValues } from '../render/calendar.js';
import { boardOf, jobsCalendar, jobsView } from '../render/jobs-view.js';
import { textsFor } from '../render/texts.js';
import { readForm, showPage, signedOut, trouble, type WebContext } from './context.js';
import { manageFrame } from './manage-frame.js';
import type { SessionGate } from './session-gate.js';

export function jobsPages(app: Hono, w: WebContext, gate: SessionGate): void {
  const { services } = w;
  const self = `${w.base}/manage/jobs`;

  app.get('/manage/jobs', async (c) => {
    const session = await gate.session(c);
    if (!session) return signedOut(c, w);
    const frame = await manageFrame(c, w, session);
    const marked = await services.marks(session.account);
    const isReminded = await services.reminders(session.account);
    const postings = boardOf(marked).flatMap(({ shown }) => shown.map(({ posting }) => posting));
    return showPage(c, w, 'manage-jobs', frame.locale, jobsView(marked, isReminded, frame), postings);
  });

  app.post('/manage/jobs', async (c) => {
    const session = await gate.session(c);
    const { csrf, job, to, reminders } = await readForm(c);
    if (!session || !gate.ownForm(c, session, csrf)) return signedOut(c, w);
    if (reminders === 'on' || reminders === 'off') {
      await services.setReminders(session.account, reminders === 'on');
      return c.redirect(`${self}?done=reminders-${reminders}`, 303);
    }
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
    const frame = await manageFrame(c, w, session);
    const found = jobsCalendar(account, await services.marks(account), frame, c.req.query('job'));
    if (!found) return c.redirect(self, 303);
    const { file, postings } = found;
    const body = JSON.stringify(calendarValues(file));
    const { note } = textsFor(frame.locale).card;
    const faults = attributionFaults({ format: 'json', body, note }, postings);
    if (faults.length > 0) {
      w.log.error({ faults }, 'calendar file held back, it breaks the link rules');
      return trouble(c, w, frame.locale);
    }
    return new Response(file, {
      headers: {
        'Content-Type': 'text/calendar; charset=utf-8',
        'Content-Disposition': 'attachment; filename="jobs.ics"',
      },
    });
  });
}
