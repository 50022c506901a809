// Everything that a card, mail or page shows of a posting, as finished text in the reader's language. A field that
// the posting lacks is absent here too, so that no template has to guess. The text is not escaped: the code for
// each output format does that.
import {
  countryOfFlag,
  countryOfLocation,
  isCountrySlug,
  namesCountry,
  resolveCountry,
} from '../domain/countries.js';
import type { EditionPosting } from '../domain/edition.js';
import { fitOf, NO_WISHES, type Reason, termIn } from '../domain/fit.js';
import { saysMore, shortPay } from '../domain/pay.js';
import type { Posting } from '../domain/posting.js';
import { remember } from '../domain/remember.js';
import type { Term } from '../domain/rules/index.js';
import { displayTag, isTag } from '../domain/tags.js';
import { ellipsis, oneLine, sentences, snippet, withoutAddresses, withoutLinks } from '../domain/text.js';
import { dateFormat, dayIn } from './dates.js';
import { countryName, listOf, phraseOf, valueWords } from './describe.js';
import { type Texts, textsFor } from './texts.js';

/**
 * Plain text, one line each, unescaped. Lengths in UTF-16 units are limited, so that no sink gets an oversized field.
 */
export interface PostingView {
  readonly key: string;
  readonly title: string;
  readonly company?: string;
  /** Location and whether it is remote. */
  readonly place?: string;
  /** The employer's figure, short, or the employer's words; otherwise the board's estimate, labelled as an estimate. */
  readonly pay?: string;
  readonly payEstimated?: true;
  /** The employer's words, where `pay` says it in another way. */
  readonly payWords?: string;
  /** Display names. */
  readonly tags: readonly string[];
  /** Number of tags left out of `tags`. */
  readonly moreTags: number;
  /** "today", "5 days ago"; "16 Nov 2026" from 30 days on. */
  readonly age?: string;
  /** The last day to apply, in the posting's own words and quoted; absent once it has passed. */
  readonly applyBy?: string;
  /** The first words of the description. */
  readonly snippet?: string;
  /** The two strongest reasons why it fits: "matches: senior and Rust", "matches: Rust; names its pay". */
  readonly fits?: string;
  /** The parts of the filter that `fits` names, as shown. */
  readonly reasons: readonly string[];
  /** That the reader applied to the same job before, or that it was seen before. */
  readonly seenBefore?: string;
  /** Why the posting comes twice to one place. */
  readonly twice?: string;
  /** The same job in other places, each with its own link, byte for byte. */
  readonly also?: readonly { readonly place: string; readonly link: string }[];
  /** Byte for byte as received. */
  readonly applyUrl?: string;
  /** Shown instead of the link when there is none. */
  readonly noLink?: string;
}

/**
 * How to show a posting. `now` in milliseconds since the epoch; `timezone` decides what "today" is, UTC when left
 * out.
 */
export interface ViewOptions {
  readonly locale: string;
  /** The board's name. */
  readonly source: string;
  readonly now: number;
  readonly timezone?: string;
  /** For output that is read later than it is made: always "16 Nov 2026", never "today". */
  readonly absolute?: boolean;
  /** Most tags to show, 6 when left out. */
  readonly maxTags?: number;
  /**
   * The snippet's longest length in UTF-16 units, {@link SNIPPET} when left out. With 0 the description is not read.
   */
  readonly snippet?: number;
  /** False where the reasons why it fits are not shown. */
  readonly reasons?: boolean;
}

/** Default length of a snippet, in UTF-16 units. */
const SNIPPET = 280;
const DAY = 24 * 3_600_000;

/** Prepares a posting for display. Never throws. `applyUrl` is the posting's own or absent. */
export function viewPosting(posting: EditionPosting, options: ViewOptions): PostingView {
  const texts = textsFor(options.locale);
  const { card } = texts;
  const tags = (posting.tags ?? [])
    .map((tag) => (isTag(tag) ? displayTag(tag) : tidy(displayTag(tag), 40)))
    .filter((tag) => tag !== undefined);
  const shown = tags.slice(0, options.maxTags ?? 6);
  const { pay: said, words } = saidOf(posting, texts);
  const estimated = said === undefined ? estimateOf(posting, texts, options.source) : undefined;
  const fit = options.reasons === false ? undefined : fitWords(posting, options, texts);
  const { snippet: longest = SNIPPET } = options;
  const view: Optional<PostingView> = {
    key: posting.key,
    title: tidy(posting.title, 200) ?? card.noTitle,
    company: tidy(posting.company, 100),
    place: placeOf(posting, texts),
    pay: said ?? estimated,
    payEstimated: estimated === undefined ? undefined : true,
    payWords: words,
    tags: shown,
    moreTags: tags.length - shown.length,
    age:
      posting.postedAt &&
      (options.absolute ? dateOf(posting.postedAt, texts) : ageOf(posting.postedAt, options, texts)),
    applyBy: applyByOf(posting, options, texts),
    snippet:
      longest > 0 ? tidy(sentences(snippet(posting.description, 600) ?? '', longest), longest) : undefined,
    fits: fit?.words,
    reasons: fit?.matched ?? [],
    seenBefore: beforeOf(posting, texts),
    twice: posting.twice && card.twice,
    also: posting.also && alsoOf(posting, posting.also, texts),
    applyUrl: posting.applyUrl,
    noLink: posting.applyUrl === undefined ? (posting.badLink ? card.linkWithheld : card.noLink) : undefined,
  };
  return withoutAbsent(view);
}

/** A posting whose row would have only a title and an age; it shows the first words of the description too. */
export function isBare({ company, location, remote, pay, salary, estimatedPay }: Posting): boolean {
  return (company ?? location ?? remote ?? pay ?? salary ?? estimatedPay) === undefined;
}

function withoutAbsent<T extends object>(view: Optional<T>): T {
  const present: Partial<T> = {};
  for (const key in view) if (view[key] !== undefined) present[key] = view[key];
  return present as T;
}

type Optional<T> = { readonly [K in keyof T]: T[K] | undefined };

/** All parts of the filter that a posting matched: "Solidity, Rust and senior". Undefined without any. */
export function matchedWords({ matched }: EditionPosting, texts: Texts): string | undefined {
  return listed(
    matched.flatMap((reason) => reasonWords(termIn(reason), texts) ?? []),
    texts,
  );
}

/** The strongest reasons why a posting fits, and the parts of the filter among them. */
function fitWords(posting: EditionPosting, { now }: ViewOptions, texts: Texts) {
  const { reasons } = posting.fit ?? fitOf(posting, NO_WISHES, now);
  const said = reasons.map((reason) => ownWords(reason, texts));
  const matched = reasons.flatMap((reason, index) =>
    'term' in reason && said[index] === undefined ? (reasonWords(reason, texts) ?? []) : [],
  );
  const list = listed(matched, texts);
  const words = [list && texts.card.fits({ reasons: list }), ...said].filter(Boolean).join('; ');
  return { matched, words: words || undefined };
}

/** A reason that does not go into the list of what a posting matches. */
function ownWords(reason: Reason, texts: Texts): string | undefined {
  const { likeSaved, pays, paysAtLeast } = texts.card;
  if ('saved' in reason) return likeSaved({ count: reason.saved });
  if ('named' in reason) return pays;
  const [value] = reason.values;
  return reason.term === 'pay' && value ? paysAtLeast({ pay: valueWords('pay', value, texts) }) : undefined;
}

/** A tag or a word as it is, any other term in words: "senior", "in the EU". */
function reasonWords(reason: Pick<Term, 'term' | 'values'>, texts: Texts): string | undefined {
  const { term, values } = reason;
  const [value = ''] = values;
  return tidy(term === 'tag' ? displayTag(value) : term === 'words' ? value : phraseOf(reason, texts), 100);
}

function listed(words: readonly string[], texts: Texts): string | undefined {
  return words.length > 0 ? ellipsis(listOf(words, texts.intl, 'conjunction'), 200) : undefined;
}

/**
 * The pay that the employer named, as a short figure such as "$140k–180k + tokens". Undefined without an amount, or
 * when words come with an amount whose currency is unknown.
 */
export function figureOf({ pay, salary }: EditionPosting, texts: Texts): string | undefined {
  if (!pay || (salary !== undefined && pay.currency === undefined)) return undefined;
  return tidied(shortPay(pay, texts.card, salary), 100);
}

/** Pay as a figure, otherwise in the employer's words. `words` only where they say more than the figure. */
function saidOf(
  posting: EditionPosting,
  texts: Texts,
): { pay?: string | undefined; words?: string | undefined } {
  const figure = figureOf(posting, texts);
  // An employer may write anything, so links and phone numbers in it are made inert. Our own figures need no such
  // check.
  const words = tidy(posting.salary, 100);
  if (figure === undefined) return { pay: words };
  return { pay: figure, words: words && saysMore(words, posting.pay ?? {}) ? words : undefined };
}

function estimateOf(posting: EditionPosting, texts: Texts, source: string): string | undefined {
  const pay = tidied(posting.estimatedPay && shortPay(posting.estimatedPay, texts.card), 100);
  return pay ? texts.card.estimated({ pay, source }) : undefined;
}

const places = new Map<string, string>();

/**
 * Where a posting is, and that it is remote: "Berlin, Germany · Remote", "Europe · Remote", "On site". Most postings
 * are in a place that another one was in, and to read a place takes longer than the rest of a row.
 */
function placeOf({ location, remote, country }: EditionPosting, texts: Texts): string | undefined {
  const read = location?.slice(0, 300) ?? '';
  // The length shows where the country ends and the location begins.
  const key = `${texts.intl} ${remote} ${country?.length} ${country}${read}`;
  return (
    (places.get(key) ?? remember(places, key, readPlace(read, remote, country, texts) ?? '')) || undefined
  );
}

function readPlace(
  read: string,
  stated: boolean | undefined,
  country: string | undefined,
  texts: Texts,
): string | undefined {
  const { remote, onSite } = texts.card;
  const written = partsOf(withoutFlags(read, texts));
  const rest = stated === false ? written : written.replace(REMOTE, ' ');
  const where = rest === written ? written : partsOf(rest);
  const isRemote = stated ?? rest !== written;
  const isAnywhere = isRemote && where !== '' && ANYWHERE.test(where);
  const location = isAnywhere ? undefined : tidy(withCountry(where, country, texts), 120);
  if (!isRemote) return location ?? (stated === false ? onSite : undefined);
  return location === undefined
    ? remote
    : /\bremote\b/iu.test(location)
      ? location
      : `${location} · ${remote}`;
}

/** The places of the others, without "Remote" where the place of the posting says so too. */
function alsoOf(
  posting: EditionPosting,
  others: readonly EditionPosting[],
  texts: Texts,
): PostingView['also'] {
  const remote = ` · ${texts.card.remote}`;
  const isRemote = placeOf(posting, texts)?.endsWith(remote);
  return others.flatMap((one) => {
    const place = placeOf(one, texts) ?? tidy(one.title, 120) ?? texts.card.noTitle;
    const name = isRemote && place.endsWith(remote) ? place.slice(0, -remote.length) : place;
    return one.applyUrl === undefined ? [] : [{ place: name, link: one.applyUrl }];
  });
}

/** Flags become words or go: "🇩🇪 Berlin" is "Berlin", and a flag alone is its country's name. */
function withoutFlags(location: string, texts: Texts): string {
  const flag = location.search(FLAGS);
  if (flag < 0) return location;
  const words = location.replaceAll(FLAG, ' ').trim();
  const country = words === '' ? countryOfFlag(location.slice(flag)) : undefined;
  return country ? countryName(country, texts) : words;
}

const FLAGS = /\p{RI}{2}|\u{1f3f4}/u;
/** A country's flag, or one of a region: a black flag with its letters. */
const FLAG = /\p{RI}{2}|\u{1f3f4}[\u{e0061}-\u{e007f}]*/gu;

/** A location with the posting's country, unless it names a country itself. */
function withCountry(location: string, given: string | undefined, texts: Texts): string {
  // A location made of the country's field has it as the API writes it.
  const named = location.replace(/[\p{L}-]+$/u, (word) =>
    isCountrySlug(word) ? countryName(word, texts) : word,
  );
  const country = given && resolveCountry(given)?.slug;
  if (!country || namesCountry(named, country)) return named;
  if (named === '') return countryName(country, texts);
  const isElsewhere = (countryOfLocation(named) ?? country) !== country;
  return isElsewhere ? named : `${named}, ${countryName(country, texts)}`;
}

/** "Remote" as a part: "Remote", "Remote, EU", "Remote in Europe", "Berlin (Remote)"; not "no remote", "Remote-first". */
const REMOTE =
  /^(?:fully )?remote(?:$|\s*(?=[,:;·|/(])|\s+[-–]\s+|\s+(?:in|within|from)\s+)|(?:[,;·|/(]|\s[-–])\s*(?:fully )?remote\)?$/iu;
const ANYWHERE = /^(?:anywhere|worldwide|global|globally)?$/iu;

/** The parts of a location, each once. The API sends values such as " , Berlin", "Berlin, " and "(US)". */
function partsOf(location: string): string {
  const whole = location.replace(/^[\s,:;·|/-]+|[\s,:;·|/-]+$/gu, '').replace(/^\(([^()]*)\)$/u, '$1');
  const parts = whole.split(/[,;|]/u).map((part) => part.trim());
  return [...new Set(parts)].filter(Boolean).join(', ');
}

/** That the reader applied to the same job before, or that it was seen before. */
export function beforeOf(
  { appliedOn, seenBefore }: Pick<EditionPosting, 'appliedOn' | 'seenBefore'>,
  texts: Texts,
): string | undefined {
  if (appliedOn) return texts.card.appliedBefore({ date: dateOf(appliedOn, texts) });
  return seenBefore && texts.card.seenBefore({ date: dateOf(seenBefore, texts) });
}

const days = new Map<string, string>();

/** A calendar day is the same everywhere, so it is formatted without the reader's zone. */
function dateOf(day: string, { intl }: Texts): string {
  const key = `${intl} ${day}`;
  const known = days.get(key);
  if (known !== undefined) return known;
  const time = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(time)) return day;
  const format = dateFormat(intl, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return remember(days, key, format.format(time));
}

/** The words are those of the program's own patterns and a date, so nothing in them can become a link. */
function applyByOf({ applyBy }: Posting, { timezone, now }: ViewOptions, texts: Texts): string | undefined {
  if (!applyBy || applyBy.day < dayIn(timezone ?? 'UTC', now)) return undefined;
  return texts.describe.quoted({ phrase: applyBy.words });
}

const starts = new Map<string, number>();

/** The start of a day in UTC, in milliseconds since the epoch. Postings share a few days. */
function startOf(day: string): number {
  return starts.get(day) ?? remember(starts, day, Date.parse(day));
}

function ageOf(day: string, options: ViewOptions, texts: Texts): string {
  const today = dayIn(options.timezone ?? 'UTC', options.now);
  const days = Math.round((startOf(today) - startOf(day)) / DAY);
  // Publishers are in other zones, so tomorrow's date counts as today. A date further ahead is shown as it is.
  if (days === 0 || days === -1) return texts.card.today;
  if (days === 1) return texts.card.yesterday;
  return days > 1 && days < 30 ? texts.card.daysAgo({ days }) : dateOf(day, texts);
}

/** A {@link tidied} line in which no text becomes a link where it is shown. */
function tidy(text: string | undefined, max: number): string | undefined {
  const line = tidied(text, max);
  return line && ellipsis(withoutLinks(line), max);
}

/**
 * One clean line of at most `max` UTF-16 units, without addresses, which would also become links; undefined when
 * nothing is left.
 */
function tidied(text: string | undefined, max: number): string | undefined {
  if (text === undefined) return undefined;
  const line = oneLine(text);
  const bare = withoutAddresses(line);
  const left = bare === line ? line : oneLine(bare);
  return left === '' ? undefined : ellipsis(left, max);
}
