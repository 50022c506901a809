// The shape of a rule term: how its values are read, and what a posting says about them. Each term is one file in this
// folder, and all of them are in the table of index.ts.
import type { Posting } from '../posting.js';

/**
 * What a posting says about the values of a term.
 * - `yes`: all that it offers is among the values
 * - `partly`: it offers several things, such as two levels, and some are among the values
 * - `no`: nothing it offers is
 * - `unknown`: it does not say
 */
export interface Finding {
  readonly is: 'yes' | 'partly' | 'no' | 'unknown';
  /** What the posting says, in the words of the term. */
  readonly saw: readonly string[];
  /** The values of the term that it meets. */
  readonly met: readonly string[];
}

/** A kind of term. */
export interface Rule {
  /** Reads one value as people write it. Returns the form in which it is stored, undefined if it is not understood. */
  readonly parse: (text: string) => string | undefined;
  /** All values, when there is a fixed list. */
  readonly values?: readonly string[];
  /** What a value is, in words, for a fault. */
  readonly wanted: string;
  /** How many values it takes: none, exactly one, or any number when left out. */
  readonly takes?: 'none' | 'one';
  /** `now` in milliseconds since the epoch. */
  readonly match: (values: readonly string[], posting: Posting, now: number) => Finding;
}

export const UNKNOWN: Finding = { is: 'unknown', saw: [], met: [] };

/** Compares what a posting offers with the values. Without anything offered, it is not known. */
export function compare(offered: readonly string[], values: readonly string[]): Finding {
  if (offered.length === 0) return UNKNOWN;
  const met = values.filter((value) => offered.includes(value));
  const isAll = offered.every((one) => values.includes(one));
  return { is: isAll ? 'yes' : met.length > 0 ? 'partly' : 'no', saw: offered, met };
}

/** A posting that has one of the values meets the term, whatever more it has. */
export function anyOf(saw: readonly string[], met: readonly string[]): Finding {
  return { is: met.length > 0 ? 'yes' : 'no', saw, met };
}

/** Returns a reader of values from a fixed list, and of other spellings of them. Case, blanks and hyphens are ignored. */
export function fromList<T extends string>(
  values: readonly T[],
  spellings: Readonly<Record<string, T>> = {},
): (text: string) => T | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_.-]+/gu, '');
  const known = new Map<string, T>([
    ...Object.entries(spellings).map(([spelling, value]): [string, T] => [plain(spelling), value]),
    ...values.map((value): [string, T] => [plain(value), value]),
  ]);
  return (text) => known.get(plain(text));
}
