// A posting in the form that mail and page templates get: each field separately, and the usual lines already
// joined. Every condition in a template costs time, and a digest repeats it up to fifty times.

import { capitalized } from '../domain/text.js';
import type { PostingView } from './posting-view.js';
import type { Texts } from './texts.js';

/** A link to the page that saves or hides a posting. */
interface CardAction {
  readonly label: string;
  readonly url: string;
}

/** A posting in a mail or on a page; plain text, unescaped. A field without a value is null. */
export interface CardView {
  readonly title: string;
  /** The apply link, byte for byte. */
  readonly link: string | null;
  readonly company: string | null;
  readonly place: string | null;
  /** Company and place on one line. */
  readonly meta: string | null;
  readonly pay: string | null;
  /** The employer's words, where `pay` is a figure made of them. */
  readonly payWords: string | null;
  /** The pay is the board's guess. */
  readonly estimated: boolean;
  /** Without those that the heading or the reason names. */
  readonly tags: string | null;
  readonly when: string | null;
  /** Tags and age on one line. */
  readonly details: string | null;
  /** The first words of the description, for a pick, or a row that has neither company, place nor pay. */
  readonly snippet: string | null;
  /** The last day to apply, in the posting's own words and quoted. */
  readonly applyBy: string | null;
  /** Why there is no apply link. */
  readonly noLink: string | null;
  /** Why it was chosen, the last day to apply, that it was seen before, why it has no link. */
  readonly remark: string | null;
  /** There is a snippet or a remark. */
  readonly more: boolean;
  /** Company, place, pay and age on one line, without what the heading names. */
  readonly line: string | null;
  /** What `line` has before and after the pay, with the separators. */
  readonly before: string | null;
  readonly after: string | null;
  /** Links of a mail: *Save* and *Not for me* for a pick, one link for a row. Null elsewhere. */
  readonly actions: readonly CardAction[] | null;
  /** All fields as lines of plain text. The apply link has a line for itself. */
  readonly plain: string;
  /** Title, `line`, snippet, link and actions as lines of plain text. */
  readonly plainRow: string;
}

/** What is said of a posting beside its card, so that the card does not repeat it. */
export interface Beside {
  /** The tag in the heading, as shown. */
  readonly tag?: string | undefined;
  readonly company?: boolean;
  readonly day?: boolean;
}

/** `full`: with the reason it was chosen. `feedback`: the page that saves or hides the posting. */
export function cardView(
  view: PostingView,
  texts: Texts,
  full: boolean,
  beside: Beside = {},
  feedback?: string,
): CardView {
  const { title, place, pay, payWords } = view;
  const why = full ? view.fits && capitalized(view.fits) : undefined;
  const shown = view.tags.filter((tag) => tag !== beside.tag && !(full && view.reasons.includes(tag)));
  const tags = joined([...shown, view.moreTags > 0 && shown.length > 0 && `+${view.moreTags}`]);
  const link = view.applyUrl ?? null;
  const meta = joined([view.company, place]);
  const details = joined([tags, view.age]);
  const snippet = view.snippet ?? null;
  const { applyBy, seenBefore, noLink } = view;
  const remark = joined([why, applyBy, seenBefore, noLink]);
  const start = joined([!beside.company && view.company, place]);
  const end = joined([!beside.day && view.age, applyBy, seenBefore, noLink]);
  const payInFull = payWords ? `${pay} (${payWords})` : pay;
  const say = feedback && `${texts.mail.saveOrHide}: ${feedback}`;
  return {
    title,
    link,
    company: view.company ?? null,
    place: place ?? null,
    meta,
    pay: pay ?? null,
    payWords: payWords ?? null,
    estimated: view.payEstimated ?? false,
    tags,
    when: view.age ?? null,
    details,
    snippet,
    applyBy: applyBy ?? null,
    noLink: noLink ?? null,
    remark,
    more: snippet !== null || remark !== null,
    line: joined([start, pay, end]),
    before: start && (pay || end) ? `${start} · ` : start,
    after: pay && end ? ` · ${end}` : end,
    actions: feedback === undefined ? null : actionsOf(feedback, texts, full),
    plain: joined([title, meta, payInFull, snippet, details, remark, link, say], '\n') ?? '',
    plainRow: joined([title, joined([start, payInFull, end]), snippet, link, say], '\n') ?? '',
  };
}

/** A row has one link, because three long addresses for each of fifty rows would make a mail too large. */
function actionsOf(url: string, { card, mail }: Texts, full: boolean): readonly CardAction[] {
  if (!full) return [{ label: mail.saveOrHide, url }];
  return [
    { label: card.save, url: `${url}?do=saved` },
    { label: card.dismiss, url: `${url}?do=dismissed` },
  ];
}

/** The parts that are there; null without any. */
function joined(parts: readonly (string | false | null | undefined)[], separator = ' · '): string | null {
  let text = '';
  for (const part of parts) if (part) text = text === '' ? part : text + separator + part;
  return text || null;
}
