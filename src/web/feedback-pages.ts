// Saves or hides a posting by a link in a mail. The link opens a page, and only its buttons change something, because
// scanners open every link of a mail. The marks are those of Discord's buttons.
import type { Context, Hono } from 'hono';
import type { Mark } from '../domain/account.js';
import { type EditionPosting, postingRef } from '../domain/edition.js';
import { readerOf } from '../domain/subscription.js';
import type { EditionRecord } from '../ports/stores.js';
import { FEEDBACK, type FeedbackAction, feedbackView } from '../render/feedback-view.js';
import { goneEdition, readForm, showPage, type WebContext, wrongLink } from './context.js';

interface Opened {
  /** Whose marks these are, see {@link readerOf}. */
  readonly reader: string;
  readonly record: EditionRecord;
  /** Index of the posting in the edition. */
  readonly index: number;
  readonly posting: EditionPosting;
}

function actionOf(value: unknown): FeedbackAction | undefined {
  return FEEDBACK.find((one) => one === value);
}

export function feedbackPages(app: Hono, w: WebContext): void {
  const { services } = w;

  /** The posting that a link is about; otherwise the page that says why there is none. */
  async function open(c: Context, token: string): Promise<Opened | Response> {
    const claim = await w.links.open('feedback', token);
    if (!claim?.edition || !claim.posting) return wrongLink(c, w);
    const record = await services.edition(claim.edition);
    if (!record || record.account !== claim.account) return goneEdition(c, w);
    const all = [...record.postings, ...record.rest];
    const index = all.findIndex((one) => postingRef(one.key) === claim.posting);
    const posting = all[index];
    if (!posting) return goneEdition(c, w);
    return { reader: readerOf(record.account, record.destination.id), record, index, posting };
  }

  async function markOf({ reader, posting }: Opened): Promise<Mark | undefined> {
    return (await services.marks(reader)).find((one) => one.key === posting.key)?.mark;
  }

  app.get('/feedback/:token', async (c) => {
    const token = c.req.param('token');
    const opened = await open(c, token);
    if (opened instanceof Response) return opened;
    const { posting, record } = opened;
    const view = feedbackView({
      posting,
      mark: await markOf(opened),
      wanted: actionOf(c.req.query('do')),
      url: `${w.base}/feedback/${token}`,
      locale: record.locale,
      source: w.source,
      now: w.clock.now(),
    });
    return showPage(c, w, 'feedback', record.locale, view, [posting]);
  });

  app.post('/feedback/:token', async (c) => {
    const token = c.req.param('token');
    const opened = await open(c, token);
    if (opened instanceof Response) return opened;
    const { reader, record, index } = opened;
    const action = actionOf((await readForm(c)).do);
    if (action) {
      await services.mark(reader, record.id, index, action === 'undo' ? undefined : action);
      w.log.info({ subscription: record.subscription, action }, 'reader marked a posting');
    }
    return c.redirect(`${w.base}/feedback/${token}`, 303);
  });
}
