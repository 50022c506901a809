// A posting in the form that mail and page templates get: each field separately, and the usual lines already
// joined. Every condition in a template costs time, and a digest repeats it up to fifty times.

import type { PostingView } from './posting-view.js';
import type { Texts } from './texts.js';

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
  readonly snippet: string | null;
  /** Why it was chosen, that it was seen before, why it has no link. */
  readonly remark: string | null;
  /** There is a snippet or a remark. */
  readonly more: boolean;
  /** Company, place, pay and age on one line, without what the heading names. */
  readonly line: string | null;
  /** What `line` has before and after the pay, with the separators. */
  readonly before: string | null;
  readonly after: string | null;
  /** All fields as lines of plain text. The last line has only the link. */
  readonly plain: string;
  /** Title, `line` and link as lines of plain text. */
  readonly plainRow: string;
}

/** `full`: with the reason it was chosen. `heading`: the tag, company or day that it is listed under, as shown. */
export function cardView(view: PostingView, texts: Texts, of: { full: boolean; heading?: string }): CardView {
  const { title, company, place, pay, payWords } = view;
  const why = of.full ? fitOf(view, texts) : undefined;
  const named = new Set([of.heading, ...(of.full ? view.reasons : [])]);
  const shown = view.tags.filter((tag) => !named.has(tag));
  const tags = joined([...shown, view.moreTags > 0 && shown.length > 0 && `+${view.moreTags}`]);
  const link = view.applyUrl ?? null;
  const meta = joined([company, place]);
  const details = joined([tags, view.age]);
  const snippet = view.snippet ?? null;
  const remark = joined([why, view.seenBefore, view.noLink]);
  const start = joined([company !== of.heading && company, place]);
  const end = joined([view.age !== of.heading && view.age, view.seenBefore, view.noLink]);
  const payInFull = payWords ? `${pay} (${payWords})` : pay;
  const lines = (parts: readonly (string | null | undefined)[]) => parts.filter(Boolean).join('\n');
  return {
    title,
    link,
    company: company ?? null,
    place: place ?? null,
    meta,
    pay: pay ?? null,
    payWords: payWords ?? null,
    estimated: view.payEstimated ?? false,
    tags,
    when: view.age ?? null,
    details,
    snippet,
    remark,
    more: snippet !== null || remark !== null,
    line: joined([start, pay, end]),
    before: start && (pay || end) ? `${start} · ` : start,
    after: pay && end ? ` · ${end}` : end,
    plain: lines([title, meta, payInFull, snippet, details, remark, link]),
    plainRow: lines([title, joined([start, payInFull, end]), link]),
  };
}

/** "Matches Rust and Remote; names its pay". */
function fitOf({ why, pay, payEstimated }: PostingView, { card }: Texts): string | undefined {
  const isNamed = pay !== undefined && !payEstimated;
  if (why) return isNamed ? card.fitsAndPays({ reasons: why }) : card.fits({ reasons: why });
  return isNamed ? card.pays : undefined;
}

function joined(parts: readonly (string | false | null | undefined)[]): string | null {
  return parts.filter(Boolean).join(' · ') || null;
}
