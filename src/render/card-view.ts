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
  /** The pay is the board's guess. */
  readonly estimated: boolean;
  readonly tags: string | null;
  readonly when: string | null;
  /** Tags and age on one line. */
  readonly details: string | null;
  readonly snippet: string | null;
  /** Why it matched, that it was seen before, why it has no link. */
  readonly remark: string | null;
  /** There is a snippet or a remark. */
  readonly more: boolean;
  /** All fields as lines of plain text. The last line has only the link. */
  readonly plain: string;
}

/** `full`: includes the first words of the description and why it matched, for a short immediate mail. */
export function cardView(view: PostingView, full: boolean, texts: Texts): CardView {
  const more = view.moreTags > 0 ? [`+${view.moreTags}`] : [];
  const tags = joined([...view.tags, ...(view.tags.length > 0 ? more : [])]);
  const when = view.age ?? null;
  const estimated = view.payEstimated ?? false;
  const link = view.applyUrl ?? null;
  const pay = view.pay ?? null;
  const meta = joined([view.company, view.place]);
  const details = joined([tags, when]);
  const snippet = (full && view.snippet) || null;
  const why = full && view.why ? texts.card.matched({ reasons: view.why }) : null;
  const remark = joined([why, view.seenBefore, view.noLink]);
  const plain = [view.title, meta, pay, details, snippet, remark, link].filter(Boolean).join('\n');
  return {
    title: view.title,
    link,
    company: view.company ?? null,
    place: view.place ?? null,
    meta,
    pay,
    estimated,
    tags,
    when,
    details,
    snippet,
    remark,
    more: snippet !== null || remark !== null,
    plain,
  };
}

function joined(parts: readonly (string | null | undefined)[]): string | null {
  return parts.filter(Boolean).join(' · ') || null;
}
