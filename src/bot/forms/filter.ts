// Turns what people type into a filter. Discord's autocomplete is not binding, so free text arrives too. Clear input
// is translated; for other input, the reply names the nearest values that exist.

import * as v from 'valibot';
import { nearestCountries, resolveCountry } from '../../domain/countries.js';
import { defined } from '../../domain/defined.js';
import { FILTER, type Filter } from '../../domain/filter.js';
import { displayTag, isTag, nearestTags, resolveTag } from '../../domain/tags.js';
import { oneLine } from '../../domain/text.js';
import { wantedPay } from '../../domain/wanted-pay.js';
import { readWords, writeWords } from '../../domain/word-list.js';
import { countryName } from '../../render/describe.js';
import { filterFault } from '../../render/filter-fault.js';
import type { Texts } from '../../render/texts.js';
import type { OptionSpec, Request } from '../runtime/request.js';
import { FormError } from './faults.js';

/** As typed: lists for {@link readWords}, pay in any form. */
interface FilterForm {
  /** One sentence that stands for further fields. */
  readonly want?: string;
  readonly tags?: string;
  readonly country?: string;
  readonly remote?: boolean;
  readonly include?: string;
  readonly exclude?: string;
  readonly minSalary?: string;
}

/** The options of a command whose name is not that of their field. */
const OPTION_OF: Readonly<Record<string, string>> = { minSalary: 'min_salary' };

/** The filter options of a command. */
export function filterForm(options: Request['options']): FilterForm {
  const text = (name: string) => {
    const value = options[name];
    return value === undefined ? {} : { [name === 'min_salary' ? 'minSalary' : name]: String(value) };
  };
  return {
    ...text('want'),
    ...text('tags'),
    ...text('country'),
    ...text('include'),
    ...text('exclude'),
    ...text('min_salary'),
    ...defined({ remote: options.remote === true || undefined }),
  };
}

/**
 * Reads a filter. Throws a {@link FormError} in the reader's language with every fault: unknown tags and countries with the
 * nearest ones, pay that is not an amount, too many or too long words, a sentence of which nothing can be used.
 */
export function readFilter(form: FilterForm, texts: Texts): Filter {
  const pay = oneLine(form.minSalary ?? '');
  const result = v.safeParse(FILTER, {
    want: oneLine(form.want ?? ''),
    tags: readWords(form.tags ?? '').map((word) => resolveTag(word) ?? word),
    country: oneLine(form.country ?? ''),
    remote: form.remote,
    include: readWords(form.include ?? ''),
    exclude: readWords(form.exclude ?? ''),
    minSalary: pay === '0' ? '' : (wantedPay(pay) ?? pay),
  });
  if (result.success) return result.output;
  const faults = result.issues.map((issue) => filterFault(issue, texts, texts.bot.fault.seeList));
  const fields = result.issues.map(({ path }) => OPTION_OF[String(path?.[0].key)] ?? String(path?.[0].key));
  throw new FormError([...new Set(faults)].join('\n'), [...new Set(fields)]);
}

/** A filter as a person would type it, to fill in a form with the current settings. */
export function formOf(filter: Filter): FilterForm {
  return {
    tags: filter.tags.join(', '),
    country: filter.country ?? '',
    include: writeWords(filter.include),
    exclude: writeWords(filter.exclude),
    minSalary: filter.minSalary === undefined ? '' : String(filter.minSalary),
    ...defined({ remote: filter.remote || undefined }),
  };
}

/** A filter as the options of a command, with the tags and words that it was understood as. */
export function optionsOf(filter: Filter): Request['options'] {
  const { minSalary, remote, ...texts } = formOf(filter);
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
    ...defined({ min_salary: filter.minSalary, remote }),
  };
}

/** The fields of a filter that no option names. Together with {@link optionsOf} they are the whole filter. */
export function restOf(filter: Filter): Request['rest'] {
  const { tags, country, remote, include, exclude, minSalary, ...rest } = filter;
  return rest;
}

/** The most popular tags, suggested before the user types anything. At most 25, as many as a menu holds. */
export const POPULAR_TAGS: readonly string[] = (
  'solidity rust defi smart-contract front-end full-stack backend blockchain zero-knowledge product-manager marketing ' +
  'design data-science devops developer-relations ai golang javascript react research community-manager entry-level ' +
  'intern non-tech sales'
).split(' ');

/**
 * Completes the last item of a comma list and keeps the ones before it. Every choice is the whole new value, because
 * Discord puts exactly that into the option.
 */
export function tagChoices(typed: string): { name: string; value: string }[] {
  const pieces = typed.split(',').map((piece) => piece.trim());
  const last = pieces.pop() ?? '';
  const kept = pieces.filter((piece) => piece !== '').map((piece) => resolveTag(piece) ?? piece);
  const offered = last === '' ? POPULAR_TAGS : nearestTags(last, 25);
  return offered
    .filter((tag) => !kept.includes(tag))
    .map((tag) => ({
      name: [...kept.map(displayTag), displayTag(tag)].join(', '),
      value: [...kept, tag].join(', '),
    }))
    .filter(({ name, value }) => name.length <= 100 && value.length <= 100)
    .slice(0, 25);
}

const POPULAR_COUNTRIES = (
  'united-states united-kingdom germany canada singapore switzerland portugal spain france netherlands india brazil ' +
  'united-arab-emirates hong-kong poland argentina australia japan south-korea turkey nigeria vietnam ukraine italy ireland'
).split(' ');

/** Countries by their name in the reader's language. */
export function countryChoices(typed: string, texts: Texts): { name: string; value: string }[] {
  const wanted = typed.trim().toLowerCase();
  const slugs = wanted === '' ? POPULAR_COUNTRIES : nearestCountries(typed, 25);
  return slugs.slice(0, 25).map((slug) => ({ name: countryName(slug, texts).slice(0, 100), value: slug }));
}

/** The filter options, the same in every command that has them. */
export const FILTER_OPTIONS: readonly OptionSpec[] = [
  { name: 'want', type: 'text', max: 300 },
  { name: 'tags', type: 'text', complete: true, max: 300 },
  { name: 'country', type: 'text', complete: true, max: 100 },
  { name: 'remote', type: 'yesno' },
  { name: 'include', type: 'text', max: 400 },
  { name: 'exclude', type: 'text', max: 400 },
  { name: 'min_salary', type: 'whole', min: 0, max: 10_000_000 },
];

/** Notes on input that was read as something else than it says: "zk" as zero knowledge, "USA" as United States. */
export function translations(form: FilterForm, filter: Filter, texts: Texts): string[] {
  const { translated } = texts.bot.note;
  const typed = form.country?.trim() ?? '';
  const country = typed === '' ? undefined : resolveCountry(typed);
  const name = country && countryName(country.slug, texts);
  const same = name?.toLowerCase() === typed.toLowerCase();
  return [
    ...readWords(form.tags ?? '').flatMap((word) => {
      const tag = resolveTag(word);
      const understood = tag && displayTag(tag);
      const lower = word.toLowerCase();
      const isPlain = isTag(lower.replaceAll(' ', '-')) || understood?.toLowerCase() === lower;
      return understood && !isPlain ? [translated({ typed: word, understood })] : [];
    }),
    ...(name && filter.country && !country?.exact && !same ? [translated({ typed, understood: name })] : []),
  ];
}
