// "a, b or c" in a reader's language. Making a formatter costs more than using it fifty times.

const made = new Map<string, Intl.ListFormat>();

/** Words as a list. `intl`: the locale of a language, of which there are few. */
export function listOf(words: readonly string[], intl: string, type: 'disjunction' | 'unit'): string {
  const key = `${intl} ${type}`;
  const format = made.get(key) ?? new Intl.ListFormat(intl, { type });
  made.set(key, format);
  return format.format(words);
}
