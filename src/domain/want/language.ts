// The shape of a language of wishes: its words, by what they do in a sentence. One file per language has the data. Every
// list is text with a bar between spellings. Where something is printed, the first spelling is the one printed.
import type { Tag } from '../tags.js';

export interface Language {
  /** Two letters. */
  readonly code: string;
  readonly grammar: Readonly<Record<Grammar, string>>;
  readonly level: string;
  readonly contract: string;
  readonly role: string;
  readonly region: string;
  /** Times within which a posting was published, by their days: "7: this week". */
  readonly posted: string;
  /** How a role is written: `{}` is its name. */
  readonly roleForms: string;
  /** Tags that have a name in the language: "gaming: Spiele|Games". */
  readonly tags: Readonly<Partial<Record<Tag, string>>>;
  readonly days: string;
  readonly weeks: string;
  readonly months: string;
  /** Periods of pay, each a list as in {@link level}. */
  readonly periods: string;
  /** Small numbers as words, from one on. */
  readonly numbers: string;
  /** What printed parts are put together with. `{}` is the value. */
  readonly printed: {
    readonly in: string;
    readonly posted: string;
    /** What is before and after an amount of dollars. */
    readonly dollars: readonly [before: string, after: string];
    readonly thousands: string;
    readonly without: string;
  };
}

/**
 * What a word does in a sentence.
 * - `not`, `rather`: what follows is excluded, or wanted. `softly` makes everything between two commas wanted.
 * - `also`: what is between two commas is one more of what is asked for already: "Go is fine too"
 * - `or`, `and`, `but`: between two parts
 * - `least`, `most`: before an amount or a level
 * - `company`, `words`, `tagged`: what follows is a name, words or a tag
 * - `posted`: what follows is a number of days, weeks or months
 * - `stated`: the pay must be stated
 * - `remote`, `office`, `labelled`: the remote label; `labelled` is the term of that name instead of the field
 * - `upwards`: after a level
 * - `filler`: says nothing that a rule could use
 * - `other`: has a meaning that a rule can't use. It is shown as not used, and never taken for a typing error.
 */
export const GRAMMAR = [
  'not',
  'rather',
  'softly',
  'also',
  'or',
  'and',
  'but',
  'least',
  'most',
  'company',
  'words',
  'tagged',
  'posted',
  'stated',
  'remote',
  'office',
  'labelled',
  'upwards',
  'other',
  'filler',
] as const;
export type Grammar = (typeof GRAMMAR)[number];

/** Reads "senior: senior|sr; staff: staff" as values with their spellings. */
export function valuesOf(list: string): readonly (readonly [value: string, spellings: readonly string[]])[] {
  return list
    .split(';')
    .map((entry) => entry.split(':'))
    .map(([value = '', spellings = '']) => [value.trim(), spellings.split('|').map((one) => one.trim())]);
}

/** The first spelling of a value; the value itself if the list does not have it. */
export function nameIn(list: string, value: string): string {
  return valuesOf(list).find(([one]) => one === value)?.[1][0] ?? value;
}

export const firstOf = (list: string): string => list.split('|')[0] ?? '';
