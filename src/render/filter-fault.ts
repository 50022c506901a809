// What is wrong with a filter that someone typed, in their language. The rules themselves are in src/domain/filter.ts.
import { nearestCountries } from '../domain/countries.js';
import { type FilterIssue, LONGEST_WORD, MOST_TAGS, MOST_WORDS } from '../domain/filter.js';
import { nearestTags } from '../domain/tags.js';
import { countryName } from './describe.js';
import type { Texts } from './texts.js';

/** A sentence with the nearest known values. `otherwise`: what it says when there are none. */
export function filterFault(
  { path, type, input, received }: FilterIssue,
  texts: Texts,
  otherwise = '',
): string {
  const { didYouMean, pay, tooManyTags, unknownCountry, unknownTag, words, ...fault } = texts.bot.fault;
  const typed = String(input);
  const word = typed.slice(0, LONGEST_WORD);
  const hint = (near: readonly string[]) =>
    near.length > 0 ? didYouMean({ words: near.join(', ') }) : otherwise;
  switch (path?.[0].key) {
    case 'tags':
      return type === 'check_items'
        ? `${unknownTag({ word })} ${hint(nearestTags(typed, 3))}`
        : tooManyTags({ most: MOST_TAGS });
    case 'country':
      return `${unknownCountry({ word })} ${hint(nearestCountries(typed, 3).map((slug) => countryName(slug, texts)))}`;
    case 'want':
      return received === '' ? fault.want : fault.wantTwice({ names: received });
    case 'minSalary':
      return pay({ text: typed.slice(0, 40) });
    default:
      return words({ most: MOST_WORDS, length: LONGEST_WORD });
  }
}
