// Words and phrases in title, company, tags and description.
import type { Posting } from '../posting.js';
import { oneLine, plainText } from '../text.js';
import { anyOf, type Rule } from './rule.js';

/** An accented letter may be one character or two. Words are compared in one form, so that both are equal. */
export function folded(text: string): string {
  return text.normalize('NFC');
}

function hasWord(haystack: string, word: string): boolean {
  const escaped = folded(word)
    .replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')
    .replace(/ /gu, '\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu').test(haystack);
}

/** The texts of postings, because a filter has many words and making the text costs more than searching it. */
const read = new WeakMap<Posting, string>();

/** The text in which words are searched. The bars keep a phrase from starting in one field and ending in the next. */
function textOf(posting: Posting): string {
  const { title, company, tags, description } = posting;
  const text =
    read.get(posting) ??
    folded([title, company, tags?.join(' | '), plainText(description ?? '')].join(' | '));
  read.set(posting, text);
  return text;
}

export const words: Rule = {
  parse: (text) => oneLine(text) || undefined,
  wanted: 'words or phrases',
  match(values, posting) {
    const text = textOf(posting);
    const found = values.filter((value) => hasWord(text, value));
    return anyOf(found, found);
  },
};
