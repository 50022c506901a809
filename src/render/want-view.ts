// How a wish in one sentence was understood, and what its rule would have found, in words. The command line, the bot and
// the pages show the same lines.
import type { Term } from '../domain/rules/index.js';
import { readSentence, type WantedWord } from '../domain/want/read.js';
import type { Estimate } from '../ports/services.js';
import { describeRule, describeTags, describeTerm } from './describe.js';
import { estimateText } from './preferences-view.js';
import { type Texts, textsFor } from './texts.js';

/** Most rules whose count is shown. */
const MOST_RULES = 5;

/**
 * A line for each stretch of a wish: what it means, what is nearest to it, or that it is not used. `clean` escapes what
 * the person wrote.
 */
export function wantLines(
  want: string,
  locale: string,
  clean: (text: string, most: number) => string = (text) => text,
): readonly string[] {
  const texts = textsFor(locale);
  return readSentence(want).words.map((word) => wordLine(word, texts, clean));
}

function wordLine(
  { text: said, as, meaning }: WantedWord,
  texts: Texts,
  clean: (text: string, most: number) => string,
): string {
  const { want, payKnown } = texts.describe;
  const text = clean(said, 200);
  if (meaning === undefined || as === 'unused') return want.unused({ text });
  const words = meaning === 'payStated' ? payKnown : clean(meaningWords(meaning, texts), 300);
  return want[as]({ text, meaning: words });
}

/** What became a field of the filter is said shorter than a term: "Rust or Solidity", "without gambling". */
function meaningWords(meaning: Term, texts: Texts): string {
  const { term, mode, values } = meaning;
  if (term === 'tag' && mode === 'require') return describeTags(values, texts.intl);
  if (term === 'words' && mode === 'exclude')
    return texts.bot.preview.rules.exclude({ words: values.join(', ') });
  return describeTerm(meaning, texts);
}

/**
 * "Matches about 6 postings a week. Left out of 40 postings of the last four weeks: “minimum pay” 14, of which 9 without
 * comparable pay." Empty when nothing is known.
 */
export function backtestText(
  found: Estimate | undefined,
  locale: string,
  clean?: (text: string, most: number) => string,
): string {
  if (!found) return '';
  const texts = textsFor(locale);
  const { want } = texts.describe;
  const rules = found.removes.slice(0, MOST_RULES).map(({ rule, count, payUnknown }) => {
    const words = describeRule(rule, texts, clean);
    return payUnknown === undefined
      ? want.rule({ rule: words, count })
      : want.rulePay({ rule: words, count, unknown: payUnknown });
  });
  const removed = rules.length > 0 ? want.removes({ looked: found.looked, rules: rules.join('; ') }) : '';
  return [estimateText(found, locale, clean), removed].filter(Boolean).join(' ');
}
