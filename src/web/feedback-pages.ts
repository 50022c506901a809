// Saves or hides a posting by a link in a mail, and changes the rule that brought it. The link opens a page, and only its
// buttons change something, because scanners open every link of a mail. Marks and changes are those of Discord's buttons.
import type { Context, Hono } from 'hono';
import { type EditionPosting, postingRef } from '../domain/edition.js';
import { UserError } from '../domain/errors.js';
import { MARKS, type Mark } from '../domain/stages.js';
import { readerOf } from '../domain/subscription.js';
import type { EditionRecord } from '../ports/stores.js';
import { FEEDBACK, type FeedbackAction, feedbackView, RULE_ACTIONS } from '../render/feedback-view.js';
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
    const { reader, posting, record } = opened;
    const mark = await markOf(opened);
    const asked = c.req.query('do');
    const wanted = asked === 'like' ? asked : actionOf(asked);
    // It reads the postings of the last weeks, so it is asked for only if it is shown.
    const isAdvised = mark === 'dismissed' || wanted === 'like';
    const view = feedbackView({
      posting,
      mark,
      wanted,
      advice: isAdvised ? await services.ruleAdvice(reader, record.id, posting.key) : undefined,
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
    const { reader, record, index, posting } = opened;
    const form = await readForm(c);
    const change = RULE_ACTIONS.find((one) => one === form.do);
    if (change) {
      const choice = String(form.choice);
      const asked = choice.startsWith('rather-') ? '?do=like' : '';
      const back = () => c.redirect(`${w.base}/feedback/${token}${asked}`, 303);
      try {
        await (change === 'change' ? services.changeRule : services.undoRule)(
          reader,
          record.id,
          posting.key,
          choice,
        );
      } catch (error) {
        // The rule has changed since the page was shown. The page now shows what fits.
        if (error instanceof UserError) return back();
        throw error;
      }
      w.log.info({ subscription: record.subscription, change }, 'reader changed a rule');
      return back();
    }
    const action = actionOf(form.do);
    if (action) {
      if (action === 'undo')
        await services.unmark(
          reader,
          posting.key,
          MARKS.find((one) => one === form.mark),
        );
      else await services.mark(reader, record.id, index, action);
      w.log.info({ subscription: record.subscription, action }, 'reader marked a posting');
    }
    return c.redirect(`${w.base}/feedback/${token}`, 303);
  });
}
