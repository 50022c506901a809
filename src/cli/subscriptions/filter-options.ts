// The options of commands that describe a filter, and what a wish in one sentence was understood as.
import { defined } from '../../domain/defined.js';
import type { Filter } from '../../domain/filter.js';
import { printWant } from '../../domain/want/print.js';
import type { Stores } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';
import { backtestText, wantLines } from '../../render/want-view.js';
import { estimate } from '../../services/preview.js';

export interface FilterOptions {
  readonly want?: string;
  readonly tags?: string;
  readonly country?: string;
  readonly remote?: boolean;
  readonly include?: string;
  readonly exclude?: string;
  readonly minSalary?: string;
  readonly payUnknown?: string;
  readonly term?: readonly string[];
  readonly limit?: string;
}

/** The filter in the form of the subscriptions file. */
export function filterEntry(options: FilterOptions): object {
  const {
    want,
    tags,
    country,
    remote,
    include,
    exclude,
    minSalary,
    payUnknown,
    term: terms,
    limit,
  } = options;
  return defined({ want, tags, country, remote, include, exclude, minSalary, payUnknown, terms, limit });
}

/**
 * Lines that say how each word of `want` was taken, the rule as a sentence, and what it would have found among the
 * postings kept for the account.
 */
export async function reportLines(
  { want }: FilterOptions,
  filter: Filter,
  account: string,
  stores: Pick<Stores, 'history'>,
  clock: Clock,
): Promise<readonly string[]> {
  const found = await estimate({ clock, history: stores.history }, account, filter);
  return [
    ...(want === undefined ? [] : wantLines(want, 'en')),
    `Rule: ${printWant(filter, 'en') || 'everything'}.`,
    found
      ? backtestText(found, 'en')
      : `Nothing is kept for account ${account} yet that this rule could be compared with.`,
  ];
}
