// How far an input is from a word. Two neighbouring letters in the wrong order are one typing error. Counting changed
// letters would make them two, which is too many for a word as short as most tags.
import { distance } from 'fastest-levenshtein';

function isSwapped(typed: string, word: string): boolean {
  if (typed.length !== word.length) return false;
  const at = [...typed].findIndex((letter, index) => letter !== word[index]);
  if (at < 0) return false;
  return `${typed.slice(0, at)}${typed.charAt(at + 1)}${typed.charAt(at)}${typed.slice(at + 2)}` === word;
}

/**
 * Returns the number of typing errors between the two; 0 if they are the same. A text more than twice as long as the
 * word is not compared: its extra length alone is more than the whole word, and comparing a long text with every word
 * of a list takes seconds.
 */
export function typos(typed: string, word: string): number {
  const surplus = typed.length - word.length;
  if (surplus > word.length) return surplus;
  return isSwapped(typed, word) ? 1 : distance(typed, word);
}
