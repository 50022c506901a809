// The company of a posting, by its name. Legal forms and the words that organisations add to their name do not count:
// "Acme" also finds "Acme Inc." and "Acme Labs", but not "Acme Bank" or "Acmeville".
import { oneLine } from '../text.js';
import { anyOf, type Rule, UNKNOWN } from './rule.js';

const ADDED =
  /\s(?:the|inc|incorporated|llc|llp|ltd|limited|corp|corporation|co|company|gmbh|ag|se|sa|sas|sarl|srl|spa|bv|nv|ab|as|aps|oy|pte|plc|pty|kg|ug|ou|oü|kk|foundation|labs?|protocol|network|dao|technologies|technology|software|systems|group|holdings?|hq)(?=\s|$)/gu;

/** Characters that are read. */
const LONGEST_NAME = 200;

/** The name in lower case without its additions. At least its first word stays. */
function plainName(name: string): string {
  const words = name
    .slice(0, LONGEST_NAME)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’'.]/gu, '')
    .replace(/[^\p{L}\p{N}+&]+/gu, ' ')
    .trim();
  return words.replace(ADDED, '');
}

/** True for two names of the same company, with or without its additions. */
export function isSameCompany(one: string, other: string): boolean {
  return plainName(one) === plainName(other);
}

export const company: Rule = {
  parse: (text) => oneLine(text) || undefined,
  wanted: 'the name of a company',
  match(values, { company: name }) {
    if (name === undefined) return UNKNOWN;
    const own = plainName(name);
    return anyOf(
      [name],
      values.filter((value) => plainName(value) === own),
    );
  },
};
