// The page with the postings that a person marked, by the stage of the application, and their days as a calendar file.
import { hash } from 'node:crypto';
import { postingRef } from '../domain/edition.js';
import type { Posting } from '../domain/posting.js';
import { changesOf, STAGES } from '../domain/stages.js';
import type { MarkedPosting } from '../ports/services.js';
import { type CalendarDay, calendarFile } from './calendar.js';
import { cardView } from './card-view.js';
import { dateFormat, dayIn } from './dates.js';
import { frameView, type ManageFrame } from './manage-view.js';
import { viewPosting } from './posting-view.js';
import { type Texts, textsFor } from './texts.js';

/** Postings shown of a stage, the newest. */
const MOST = 100;

/** The postings of each stage, and those of them that are shown. */
export function boardOf(marked: readonly MarkedPosting[]) {
  return STAGES.map((stage) => {
    const all = marked.filter(({ mark }) => mark === stage);
    return { stage, all, shown: all.slice(0, MOST) };
  });
}

/** `isReminded`: the person gets reminders. */
export function jobsView(marked: readonly MarkedPosting[], isReminded: boolean, frame: ManageFrame) {
  const texts = textsFor(frame.locale);
  const { jobs } = texts.page;
  const self = `${frame.base}/manage/jobs`;
  const stages = boardOf(marked).map(({ stage, all, shown }) => ({
    value: stage,
    name: jobs.stages[stage],
    count: all.length.toLocaleString(texts.intl),
    jobs: shown.map((one) => jobView(one, frame, self, texts)),
    more: all.length > MOST ? texts.card.more({ count: all.length - MOST }) : null,
  }));
  const isEmpty = stages.every((stage) => stage.jobs.length === 0);
  return {
    ...frameView(frame, texts),
    title: jobs.title,
    all: `${frame.base}/manage`,
    self,
    none: isEmpty ? jobs.none : null,
    /** What the button does with reminders. */
    reminders: isReminded ? 'off' : isEmpty ? null : 'on',
    stages: isEmpty ? [] : stages,
    note: marked.some(({ posting }) => posting.applyUrl) ? texts.card.note : null,
    calendar: datesOf(marked, frame).length > 0 ? `${self}/deadlines.ics` : null,
  };
}

function jobView(marked: MarkedPosting, frame: ManageFrame, self: string, texts: Texts) {
  const { key, mark, posting, card: message } = marked;
  const { jobs } = texts.page;
  const { locale, source, now, timezone } = frame;
  const options = { locale, source, now, timezone, snippet: 0, reasons: false };
  const card = cardView(viewPosting({ ...posting, matched: [] }, options), texts, false);
  const day = dateFormat(texts.intl, { dateStyle: 'medium', timeZone: timezone });
  return {
    ref: postingRef(key),
    key,
    title: card.title,
    link: card.link,
    meta: card.meta,
    pay: card.pay,
    applyBy: card.applyBy,
    // A posting that was marked on another account's card has no link here.
    noLink: message && card.noLink && !posting.badLink ? texts.bot.saved.noLink : card.noLink,
    changes: changesOf(marked)
      .flatMap(({ mark: one, at }) => (one === 'dismissed' ? [] : `${jobs.stages[one]}: ${day.format(at)}`))
      .join(' · '),
    message: message ?? null,
    moves: STAGES.filter((stage) => stage !== mark).map((stage) => ({
      value: stage,
      label: jobs.stages[stage],
    })),
    calendar: datesOf([marked], frame).length > 0 ? `${self}/deadlines.ics?job=${postingRef(key)}` : null,
  };
}

/** The saved postings whose last day to apply has not passed. */
function datesOf(marked: readonly MarkedPosting[], { timezone, now }: Pick<ManageFrame, 'timezone' | 'now'>) {
  const today = dayIn(timezone, now);
  return marked.flatMap(({ key, mark, posting }) => {
    const { applyBy } = posting;
    return mark === 'saved' && applyBy && applyBy.day >= today ? { key, posting, applyBy } : [];
  });
}

/**
 * The last days to apply as a calendar file, with the postings in it; undefined without any. `ref`: only this posting, see {@link postingRef}. An entry
 * has the same id each time, which tells no one whose it is.
 */
export function jobsCalendar(
  account: string,
  marked: readonly MarkedPosting[],
  frame: Pick<ManageFrame, 'locale' | 'source' | 'timezone' | 'now'>,
  ref: string | undefined,
): { readonly file: string; readonly postings: readonly Posting[] } | undefined {
  const texts = textsFor(frame.locale);
  const wanted = datesOf(marked, frame).filter(({ key }) => ref === undefined || postingRef(key) === ref);
  const days = wanted.map(({ key, posting, applyBy }): CalendarDay => {
    const { title, meta } = cardView(
      viewPosting({ ...posting, matched: [] }, { ...frame, snippet: 0, reasons: false }),
      texts,
      false,
    );
    return {
      uid: `${hash('sha256', `${account}\n${key}`, 'hex').slice(0, 32)}@jobcrier`,
      day: applyBy.day,
      title: `${applyBy.words}: ${title}`,
      about: [meta, posting.applyUrl ? texts.card.note : texts.card.noLink].filter(Boolean).join('\n'),
      url: posting.applyUrl,
    };
  });
  if (days.length === 0) return undefined;
  return { file: calendarFile(days, frame.now), postings: wanted.map(({ posting }) => posting) };
}
