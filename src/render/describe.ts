// Describes a subscription in words: what it asks for, how often it sends, and which days an edition covers. The
// bot, mails, pages and the command line share these sentences, so that readers see the same words everywhere.
import { type Cadence, nextEditionAt } from '../domain/cadence.js';
import { displayCountry } from '../domain/countries.js';
import { COUNTRY_ROWS } from '../domain/country-data.js';
import { defined } from '../domain/defined.js';
import type { Filter } from '../domain/filter.js';
import { parseUnit, shortPay } from '../domain/pay.js';
import { remember } from '../domain/remember.js';
import type { RuleEffect } from '../domain/rule-change.js';
import { readTerm, type Term } from '../domain/rules/index.js';
import { displayTag } from '../domain/tags.js';
import { dateFormat, dayIn } from './dates.js';
import { type Texts, textsFor } from './texts.js';

const DAY = 24 * 3_600_000;

/** "Solidity or Rust, remote, in Germany, from $80k, without intern". */
export function describeFilter(filter: Filter, locale: string): string {
  const texts = textsFor(locale);
  const words = texts.describe;
  const quoted = (list: readonly string[]) =>
    oneOf(
      list.map((word) => quotedPhrase(word, texts)),
      texts,
    );
  const parts = [
    filter.tags.length > 0 ? describeTags(filter.tags, locale) : words.everything,
    filter.remote && words.remote,
    filter.country && words.country(countryWords(countryName(filter.country, texts))),
    filter.include.length > 0 && words.include({ words: quoted(filter.include) }),
    filter.minSalary !== undefined &&
      words.minSalary({
        pay: shortPay({ min: filter.minSalary, max: filter.minSalary, currency: 'USD' }, texts.card),
      }),
    filter.minSalary !== undefined && filter.payUnknown === 'drop' && words.payKnown,
    filter.exclude.length > 0 && words.exclude({ words: quoted(filter.exclude) }),
    ...(filter.terms ?? []).map((term) => describeTerm(term, texts)),
  ];
  return parts.filter(Boolean).join(', ');
}

function quotedPhrase(word: string, { describe }: Texts): string {
  return word.includes(' ') ? describe.quoted({ phrase: word }) : word;
}

/** A term of a filter: "senior or staff", "not at Acme", "preferably in the EU". */
export function describeTerm(term: Term, texts: Texts): string {
  const { terms } = texts.describe;
  const phrase = phraseOf(term, texts);
  if (term.mode === 'exclude') return terms.exclude({ phrase });
  return term.mode === 'want' ? terms.want({ phrase }) : phrase;
}

/** What a change of a rule would have done with the postings of the last 30 days, as a sentence. */
export function describeEffect(
  { effect, says }: { readonly effect: RuleEffect; readonly says: Term },
  { rule }: Texts,
): string {
  if (effect.of === 0) return rule.unknown;
  if (says.mode === 'want') return rule.first(effect);
  return effect.count === effect.of ? rule.removesAll(effect) : rule.removes(effect);
}

/** A term without what it decides: "senior or staff", "at Acme", "in the EU". */
export function phraseOf({ term, values }: Pick<Term, 'term' | 'values'>, texts: Texts): string {
  const { terms } = texts.describe;
  if (term === 'remote') return terms.remote;
  if (term === 'posted') return terms.posted({ days: Number(values[0]) });
  return terms[term]({
    values: oneOf(
      values.map((value) => valueWords(term, value, texts)),
      texts,
    ),
  });
}

/** A value of a term, or what a posting says about it. */
export function valueWords(term: Term['term'], value: string, texts: Texts): string {
  const { levels, contracts, roles, regions, zone, zones } = texts.describe;
  switch (term) {
    case 'level':
      return named(levels, value);
    case 'contract':
      return named(contracts, value);
    case 'role':
      return named(roles, value);
    case 'region': {
      const [from = '', to] = /^UTC[\d.+-]+(?: to UTC[\d.+-]+)?$/u.test(value) ? value.split(' to ') : [];
      if (from === '')
        return Object.hasOwn(regions, value) ? named(regions, value) : countryName(value, texts);
      return to === undefined ? zone({ zone: from }) : zones({ from, to });
    }
    case 'country':
      return countryName(value, texts);
    case 'tag':
      return displayTag(value);
    case 'pay': {
      const [amount, currency, unit = ''] = value.split(/[ /]/u);
      const least = Number(amount);
      return shortPay(defined({ min: least, max: least, currency, unit: parseUnit(unit) }), texts.card);
    }
    default:
      return quotedPhrase(value, texts);
  }
}

/** The name of a value in a language. What a posting says may have none. */
function named(names: Readonly<Record<string, string>>, value: string): string {
  return Object.hasOwn(names, value) ? (names[value] ?? value) : value;
}

/**
 * A rule as the pipeline names it ("exclude: intern"), in words. `clean` cuts and escapes what comes from people; it gets
 * the text and the most characters.
 */
export function describeRule(
  rule: string,
  texts: Texts,
  clean: (text: string, most: number) => string = (text) => text,
): string {
  const { rules } = texts.bot.preview;
  const [, name = rule, rest = ''] = /^(\w+)(?:: (.*))?$/su.exec(rule) ?? [];
  const value = clean(rest, 80);
  const term = name === 'country' || name === 'remote' ? undefined : readTerm(rule);
  if (term) return clean(describeTerm(term, texts), 120);
  switch (name) {
    case 'exclude':
      return rules.exclude({ words: value });
    case 'include':
      return rules.include({ words: value });
    case 'tags':
      return rules.tags({ words: value });
    case 'country':
      return rules.country({ words: clean(countriesIn(rest, texts), 80) });
    case 'remote':
      return rules.remote;
    case 'minSalary':
      return rest === 'pay unknown' ? rules.payUnknown : rules.minSalary;
    default:
      return clean(rule, 80);
  }
}

/** A field has one country, a term may have several. */
function countriesIn(slugs: string, texts: Texts): string {
  return slugs
    .split(', ')
    .map((slug) => countryName(slug, texts))
    .join(', ');
}

/** "Solidity or Rust". */
export function describeTags(tags: readonly string[], locale: string): string {
  return oneOf(tags.map(displayTag), textsFor(locale));
}

/** "weekly on Monday 09:00 Europe/Berlin". */
export function describeCadence(cadence: Cadence, locale: string): string {
  const { every, timezone, cron, at = '09:00', day = 'monday' } = cadence;
  const words = textsFor(locale).describe;
  if (cron) return words.cron({ cron, zone: timezone });
  if (every === 'immediate') return words.immediate;
  if (every === 'hourly') return words.hourly;
  return every === 'daily'
    ? words.daily({ at, zone: timezone })
    : words.weekly({ day: words.days[day], at, zone: timezone });
}

/**
 * When the next email of a destination comes: "Next email: Monday, 30 November 2026 at 09:00 (Europe/Berlin), if
 * something matches by then." `now` in milliseconds since the epoch.
 */
export function describeNext(cadence: Cadence, now: number, locale: string): string {
  const { intl, page } = textsFor(locale);
  if (cadence.every === 'immediate') return page.next.immediate;
  const { timezone: timeZone } = cadence;
  const when = dateFormat(intl, { dateStyle: 'full', timeStyle: 'short', timeZone });
  return page.next.digest({ when: `${when.format(nextEditionAt(cadence, now))} (${timeZone})` });
}

/**
 * The days from `from` to `to` in the reader's zone: "16–22 Nov". The day of the slot belongs to the next period, so
 * that the periods of a digest do not overlap. A period shorter than a day names the days it touches. Milliseconds
 * since the epoch.
 */
export function periodOf(from: number, to: number, timezone: string, locale: string): string {
  // A day has 23 hours when the clocks go forward. Anything shorter is not a whole day.
  const last = Math.max(from, to - from >= DAY - 3_600_000 ? to - DAY : to - 1);
  return rangeOf(from, last, timezone, textsFor(locale).intl);
}

const ranges = new Map<string, string>();

/** Cached, because the digests of a week cover the same days, and a range takes a hundred times as long as a date. */
function rangeOf(from: number, last: number, timezone: string, intl: string): string {
  const key = `${intl} ${dayIn(timezone, from)} ${dayIn(timezone, last)}`;
  const known = ranges.get(key);
  if (known !== undefined) return known;
  const format = dateFormat(intl, { day: 'numeric', month: 'short', timeZone: timezone });
  // ICU versions put different spaces around the dash. Between two bare numbers it has none.
  const range = format
    .formatRange(from, last)
    .replace(/[\u2009\u202f]/gu, ' ')
    .replace(/^(\d+\.?) – (?=\d+\.? )(?!.* – )/u, '$1–');
  return remember(ranges, key, range);
}

/** The country's name in the reader's language. Intl looks it up by its two-letter code. */
export function countryName(slug: string, texts: Texts): string {
  const code = COUNTRY_ROWS.find((row) => row[0] === slug)?.[1];
  if (!code || texts.intl.startsWith('en')) return displayCountry(slug);
  const names = namesIn.get(texts.intl) ?? new Intl.DisplayNames(texts.intl, { type: 'region' });
  namesIn.set(texts.intl, names);
  return names.of(code) ?? displayCountry(slug);
}

const namesIn = new Map<string, Intl.DisplayNames>();

function oneOf(words: readonly string[], texts: Texts): string {
  return listOf(words, texts.intl, 'disjunction');
}

// "a, b or c" in a reader's language. Formatters are kept: creating one costs more than using it fifty times.

const made = new Map<string, Intl.ListFormat>();

/** Words as a list. `intl`: the locale of a language, of which there are few. */
export function listOf(words: readonly string[], intl: string, type: 'conjunction' | 'disjunction'): string {
  if (words.length < 2) return words[0] ?? '';
  const key = `${intl} ${type}`;
  const format = made.get(key) ?? new Intl.ListFormat(intl, { type });
  made.set(key, format);
  return format.format(words);
}

/** English puts an article before some names of countries. */
function countryWords(country: string): { country: string; article: 'yes' | 'no' } {
  const takesArticle = /^(?:united|netherlands|philippines|bahamas|maldives|gambia)/iu.test(country);
  return { country, article: takesArticle ? 'yes' : 'no' };
}

/** The name of a sink for readers. A sink from outside the program has only its own name. */
export function sinkName(sink: string, { sinks }: Texts): string {
  return Object.hasOwn(sinks, sink) ? sinks[sink as keyof typeof sinks] : sink;
}
