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

/** The same job in another place. */
interface OtherPlace {
  readonly place: string;
  /** Its own apply link, byte for byte. */
  readonly link: string;
  /** What separates it from the next place: ", ", "; " if a place has a comma, empty after the last. */
  readonly comma: string;
  /** For templates that do not show the places of a card: see {@link separated}. */
  readonly card: CardView;
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
  /** Links of a mail: *Save*, *Not for me* and *More like this* for a pick, one link for a row. Null elsewhere. */
  readonly actions: readonly CardAction[] | null;
  /** The same job in other places: "also:", the places with their links, and all of it as lines of plain text. */
  readonly also: {
    readonly label: string;
    readonly places: readonly OtherPlace[];
    readonly plain: string;
  } | null;
  /** All fields as lines of plain text, without `also`. The apply link has a line for itself. */
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

/**
 * `full`: with the reason it was chosen. `feedback`: the page that saves or hides the posting. `others`: the cards of the
 * same job in other places.
 */
export function cardView(
  view: PostingView,
  texts: Texts,
  full: boolean,
  beside: Beside = {},
  feedback?: string,
  others: readonly CardView[] = [],
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
    also: alsoOf(view, others, texts),
    actions: feedback === undefined ? null : actionsOf(feedback, texts, full),
    plain: joined([title, meta, payInFull, snippet, details, remark, link, say], '\n') ?? '',
    plainRow: joined([title, joined([start, payInFull, end]), snippet, link, say], '\n') ?? '',
  };
}

function alsoOf(
  { also: others = [] }: PostingView,
  cards: readonly CardView[],
  { card: { also } }: Texts,
): CardView['also'] {
  if (others.length === 0) return null;
  const comma = commaOf(others.map(({ place }) => place));
  const places = others.flatMap(({ place, link }, index) => {
    const card = cards[index];
    return card ? [{ place, link, comma: index < others.length - 1 ? comma : '', card }] : [];
  });
  const plain = [also, ...places.map(({ place, link }) => `- ${place}: ${link}`)].join('\n');
  return places.length > 0 ? { label: also, places, plain } : null;
}

/** What separates names in a list: ", ", or "; " if one of them has a comma. */
export function commaOf(names: readonly string[]): string {
  return names.some((name) => name.includes(',')) ? '; ' : ', ';
}

/** A view in which each place of a job has a separate card, in every list of cards. */
export function separated<T>(view: T): T {
  if (Array.isArray(view)) return view.flatMap((one) => cardsIn(one) ?? [separated(one)]) as T;
  if (typeof view !== 'object' || view === null) return view;
  return Object.fromEntries(Object.entries(view).map(([name, value]) => [name, separated(value)])) as T;
}

function cardsIn(value: unknown): readonly CardView[] | undefined {
  const { also } = Object(value) as Partial<CardView>;
  if (!also) return undefined;
  return [{ ...(value as CardView), also: null }, ...also.places.map(({ card }) => card)];
}

/** A row has one link, because three long addresses for each of fifty rows would make a mail too large. */
function actionsOf(url: string, { card, mail }: Texts, full: boolean): readonly CardAction[] {
  if (!full) return [{ label: mail.saveOrHide, url }];
  return [
    { label: card.save, url: `${url}?do=saved` },
    { label: card.dismiss, url: `${url}?do=dismissed` },
    { label: card.like, url: `${url}?do=like` },
  ];
}

/** The parts that are there; null without any. */
function joined(parts: readonly (string | false | null | undefined)[], separator = ' · '): string | null {
  let text = '';
  for (const part of parts) if (part) text = text === '' ? part : text + separator + part;
  return text || null;
}
