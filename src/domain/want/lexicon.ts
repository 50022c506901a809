// All words that a wish may use, in all languages together: a sentence may mix them. Made from the data of the languages,
// the tags and the names of countries.
import { COUNTRY_ROWS } from '../country-data.js';
import type { TermName } from '../rules/index.js';
import { resolveTag, TAGS } from '../tags.js';
import { typos } from '../typos.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { GRAMMAR, type Grammar, type Language, valuesOf } from './language.js';

export const LANGUAGES: readonly Language[] = [en, de, es];

/** What a word or phrase means: a value of a term, or its part in the sentence. */
export type Meaning =
  | { readonly does: Grammar }
  /** `isNear`: the value is the closest that there is, not the same. */
  | { readonly term: TermName; readonly value: string; readonly isNear?: true };

/** Most words of a phrase that is looked up. */
export const LONGEST_PHRASE = 7;

/** A word without case, accents and apostrophes, so that "Años", "anos" and "don’t", "dont" are equal. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss');
}

/** A phrase as the words of a sentence are compared with it. */
const phraseOf = (spelling: string) => (folded(spelling).match(/[\p{L}\p{N}]+[+#%]*/gu) ?? []).join(' ');

interface Lexicon {
  readonly phrases: ReadonlyMap<string, Meaning>;
  /** Single words that a typing error may stand for, by their first letter. */
  readonly words: ReadonlyMap<string, readonly string[]>;
}

let made: Lexicon | undefined;

/** Made when it is first needed, because the names of countries take some milliseconds. */
function lexicon(): Lexicon {
  made ??= make();
  return made;
}

function make(): Lexicon {
  const phrases = new Map<string, Meaning>();
  const words = new Map<string, string[]>();
  const add = (spelling: string, meaning: Meaning) => {
    const phrase = phraseOf(spelling);
    if (phrase === '' || phrases.has(phrase)) return;
    phrases.set(phrase, meaning);
    const isTypable = !('does' in meaning) || meaning.does === 'rather' || meaning.does === 'remote';
    if (!phrase.includes(' ') && phrase.length >= 4 && isTypable)
      words.set(phrase.charAt(0), [...(words.get(phrase.charAt(0)) ?? []), phrase]);
  };
  for (const does of GRAMMAR)
    for (const { grammar } of LANGUAGES)
      for (const spelling of grammar[does].split('|')) add(spelling, { does });
  for (const language of LANGUAGES) {
    for (const term of ['level', 'contract', 'region', 'posted'] as const)
      for (const [value, spellings] of valuesOf(language[term]))
        for (const spelling of spellings) add(spelling, { term, value });
    for (const [value, spellings] of Object.entries(language.tags))
      for (const spelling of spellings.split('|')) add(spelling, { term: 'tag', value });
    for (const [value, spellings] of valuesOf(language.role))
      for (const spelling of spellings) {
        for (const form of language.roleForms.split('|'))
          add(form.replace('{}', spelling), { term: 'role', value });
      }
  }
  for (const tag of TAGS) add(tag, { term: 'tag', value: tag });
  // A word that is a tag too, such as "marketing", is the tag: the API can select it.
  for (const language of LANGUAGES)
    for (const [value, spellings] of valuesOf(language.role))
      for (const spelling of spellings) if (!resolveTag(spelling)) add(spelling, { term: 'role', value });
  for (const { code } of LANGUAGES) {
    const names = new Intl.DisplayNames(code, { type: 'region' });
    for (const [slug, alpha2] of COUNTRY_ROWS)
      add(names.of(alpha2) ?? slug, { term: 'country', value: slug });
  }
  for (const [slug, , , ...names] of COUNTRY_ROWS)
    for (const name of [slug, ...names])
      if (phraseOf(name).length >= 4) add(name, { term: 'country', value: slug });
  return { phrases, words };
}

/** What a folded phrase means. A plural is understood as the word itself. */
export function meaningOf(phrase: string): Meaning | undefined {
  const { phrases } = lexicon();
  const found =
    phrases.get(phrase) ?? (/\p{L}{3}s$/u.test(phrase) ? phrases.get(phrase.slice(0, -1)) : undefined);
  // Without umlauts: "fuer", "Gruender".
  return found ?? (/[aou]e/u.test(phrase) ? phrases.get(phrase.replace(/([aou])e/gu, '$1')) : undefined);
}

/**
 * What a folded word with a typing error means; undefined if it is not close to any word. The first letter is right, as
 * it is in most errors. In four letters, or five of a country, only two neighbours may be exchanged: "rest" is not "rust", and
 * "chill" is not Chile.
 */
export function nearest(word: string): Meaning | undefined {
  if (word.length < 4) return undefined;
  const { phrases, words } = lexicon();
  const letters = (text: string) => [...text].sort().join('');
  const most = word.length < 9 ? 1 : 2;
  let best: { readonly phrase: string; readonly errors: number } | undefined;
  for (const phrase of words.get(word.charAt(0)) ?? []) {
    if (Math.abs(phrase.length - word.length) > most) continue;
    const meaning = phrases.get(phrase);
    const isCountry = meaning !== undefined && 'term' in meaning && meaning.term === 'country';
    if (word.length < (isCountry ? 6 : 5) && letters(word) !== letters(phrase)) continue;
    const errors = typos(word, phrase);
    if (errors <= most && (!best || errors < best.errors)) best = { phrase, errors };
  }
  return best && phrases.get(best.phrase);
}
