// The filter options, the same in every command that has them.
import { resolveCountry } from '../../domain/countries.js';
import { displayTag, isTag, resolveTag } from '../../domain/tags.js';
import { countryName } from '../../render/describe.js';
import type { Texts } from '../../render/language/en.js';
import type { OptionSpec } from '../request.js';
import { type FilterForm, listOf } from './filter.js';

export const FILTER_OPTIONS: readonly OptionSpec[] = [
  { name: 'tags', type: 'text', complete: true, max: 300 },
  { name: 'country', type: 'text', complete: true, max: 100 },
  { name: 'remote', type: 'yesno' },
  { name: 'include', type: 'text', max: 400 },
  { name: 'exclude', type: 'text', max: 400 },
  { name: 'min_salary', type: 'whole', min: 0, max: 10_000_000 },
];

/** What was read as something else than it says: "zk" as zero knowledge, "USA" as United States. */
export function translations(form: FilterForm, filter: Record<string, unknown>, texts: Texts): string[] {
  const { translated } = texts.bot.note;
  const typed = form.country?.trim() ?? '';
  const country = typed === '' ? undefined : resolveCountry(typed);
  const name = country && countryName(country.slug, texts);
  const same = name?.toLowerCase() === typed.toLowerCase();
  return [
    ...listOf(form.tags).flatMap((word) => {
      const tag = resolveTag(word);
      const plain = isTag(word.toLowerCase().replaceAll(' ', '-'));
      return tag && !plain ? [translated(word, displayTag(tag))] : [];
    }),
    ...(name && filter.country && !country?.exact && !same ? [translated(typed, name)] : []),
  ];
}
