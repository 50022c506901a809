// Lists that people type into one field: words and phrases between commas. One that contains a comma is in quotes.
import { oneLine } from './text.js';

/** An item in quotes, straight or as phones type them, where a straight quote is written twice; or one without. */
const ITEM =
  /\s*(?:"((?:[^"]|"")*)"\s*(?=[,;\n]|$)|[“„]([^“”„]*)[“”]\s*(?=[,;\n]|$)|([^,;\n]*))(?:[,;\n]|$)/gu;

/** Words between commas, semicolons or line breaks, with blanks folded, without empty words and repetitions. */
export function readWords(text: string): string[] {
  const words = [...text.matchAll(ITEM)].map(([, straight, curly, bare]) =>
    oneLine(straight?.replaceAll('""', '"') ?? curly ?? bare ?? ''),
  );
  return [...new Set(words.filter((word) => word !== ''))];
}

/** The words as a person would type them. {@link readWords} returns the same words. */
export function writeWords(words: readonly string[]): string {
  return words.map((word) => (/[,;"“”„]/u.test(word) ? `"${word.replaceAll('"', '""')}"` : word)).join(', ');
}
