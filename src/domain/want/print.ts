// Writes a rule as a sentence that readSentence reads as the same rule. Each part is written as people say it, if it is
// read back as what it was, and otherwise with the name of its term: `country: "germany"`.
import { countryCode } from '../countries.js';
import type { Filter } from '../filter.js';
import type { Term } from '../rules/index.js';
import { displayTag } from '../tags.js';
import { firstOf, type Language, nameIn } from './language.js';
import { LANGUAGES } from './lexicon.js';
import { readSentence, type WantedFields } from './read.js';

/** What a part of the sentence says: some fields. */
interface Part {
  readonly fields: WantedFields;
  /** How it can be written, the best first. The last one is always read as what it is. */
  readonly written: readonly string[];
  /** Two parts with the same text here would be read as one, so they are in different sections. */
  readonly merges: string;
}

/** True for a text with a quotation mark that would pair with one of the next part. */
const isOpen = (text: string) => /["“”„«»]/u.test(text.replace(/"(?:[^"]|"")*"/gu, ''));
const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;

/**
 * Returns a filter as a sentence, without its `limit`; empty for a filter without conditions. `locale`: any, such as
 * "de-AT"; English if there are no words for it.
 */
export function printWant(filter: Filter, locale: string): string {
  const language =
    LANGUAGES.find(({ code }) => code === locale.slice(0, 2).toLowerCase()) ?? (LANGUAGES[0] as Language);
  const sections: { readonly taken: Set<string>; readonly parts: string[] }[] = [];
  for (const { fields, written, merges } of partsOf(filter, language)) {
    const wanted = JSON.stringify(fields);
    const text =
      written.find((one) => !isOpen(one) && JSON.stringify(readSentence(one).fields) === wanted) ??
      written.at(-1) ??
      '';
    let section = sections.find(({ taken }) => !taken.has(merges));
    if (!section) {
      section = { taken: new Set(), parts: [] };
      sections.push(section);
    }
    section.taken.add(merges);
    section.parts.push(text);
  }
  return sections.map(({ parts }) => parts.join(', ')).join(`; ${firstOf(language.grammar.and)} `);
}

function partsOf(filter: Filter, language: Language): readonly Part[] {
  const { tags, country, remote, include, exclude, minSalary, payUnknown, terms = [] } = filter;
  const { grammar, printed } = language;
  const or = (list: readonly string[]) => list.join(` ${firstOf(grammar.or)} `);
  const parts: Part[] = [];
  if (tags.length > 0)
    parts.push({
      fields: { tags },
      written: [or(tags.map((tag) => displayTag(tag))), or(tags), `tags: ${or(tags.map(quoted))}`],
      merges: 'require tag',
    });
  if (remote)
    parts.push({ fields: { remote }, written: [firstOf(grammar.remote)], merges: 'require remote' });
  if (country)
    parts.push({
      fields: { country },
      written: namesOf(country, language).map((name) => printed.in.replace('{}', name)),
      merges: 'require country',
    });
  if (include.length > 0)
    parts.push({
      fields: { include },
      written: [include, include.map(quoted)].map((words) => `${firstOf(grammar.words)} ${or(words)}`),
      merges: 'require words',
    });
  if (minSalary !== undefined) {
    const isDropped = payUnknown === 'drop';
    const [before, after] = printed.dollars;
    const amounts = [
      `${before}${grouped(minSalary, language)}${after}`,
      `${minSalary} USD/${periodIn('year', language)}`,
    ];
    parts.push({
      fields: { minSalary, ...(isDropped ? { payUnknown } : {}) },
      written: amounts.map(
        (amount) => `${firstOf(grammar.least)} ${amount}${isDropped ? `, ${firstOf(grammar.stated)}` : ''}`,
      ),
      merges: 'require pay',
    });
  }
  const required = terms.filter(({ mode }) => mode === 'require');
  const others = terms.filter(({ mode }) => mode !== 'require');
  parts.push(...required.map((term) => termPart(term, language, or)));
  // "No interns, senior or staff" would exclude all three, so what is excluded comes after what is required.
  if (exclude.length > 0)
    parts.push({
      fields: { exclude },
      written: [exclude, exclude.map(quoted)].map((words) => printed.without.replace('{}', () => or(words))),
      merges: 'exclude words',
    });
  return [...parts, ...others.map((term) => termPart(term, language, or))];
}

function termPart(term: Term, language: Language, or: (list: readonly string[]) => string): Part {
  const { mode, values } = term;
  const { grammar } = language;
  const before = mode === 'require' ? '' : `${firstOf(mode === 'exclude' ? grammar.not : grammar.rather)} `;
  const named =
    term.term === 'remote'
      ? mode === 'require'
        ? firstOf(grammar.labelled)
        : `${before}${firstOf(grammar.remote)}`
      : `${before}${term.term}: ${or(values.map(quoted))}`;
  return {
    fields: { terms: [{ term: term.term, values, mode }] },
    written: [...phrasesOf(term, language, or).map((phrase) => `${before}${phrase}`), named],
    merges: `${mode} ${term.term}`,
  };
}

/** How a term can be said, without its mode. */
function phrasesOf(
  { term, values }: Term,
  language: Language,
  or: (list: readonly string[]) => string,
): readonly string[] {
  const { grammar, printed } = language;
  const [first = ''] = values;
  switch (term) {
    case 'level':
    case 'contract':
      return [or(values.map((value) => nameIn(language[term], value)))];
    case 'role':
      return [
        or(values.map((value) => firstOf(language.roleForms).replace('{}', nameIn(language.role, value)))),
      ];
    case 'region':
      return [printed.in.replace('{}', or(values.map((value) => nameIn(language.region, value))))];
    case 'country':
      return [0, 1].map((at) =>
        printed.in.replace('{}', or(values.map((value) => namesOf(value, language)[at] ?? value))),
      );
    case 'company':
      return [values, values.map(quoted)].map((names) => `${firstOf(grammar.company)} ${or(names)}`);
    case 'words':
      return [`${firstOf(grammar.words)} ${or(values.map(quoted))}`];
    case 'tag':
      return [or(values.map(displayTag)), or(values), `${firstOf(grammar.tagged)} ${or(values.map(quoted))}`];
    case 'posted':
      return [first === '1' ? nameIn(language.posted, first) : printed.posted.replace('{}', first)];
    case 'pay': {
      const [amount = '', currency = '', period = ''] = first.split(/[ /]/u);
      const of = `${currency}/${periodIn(period, language)}`;
      return [
        `${firstOf(grammar.least)} ${grouped(Number(amount), language)} ${of}`,
        `${firstOf(grammar.least)} ${amount} ${of}`,
      ];
    }
    case 'remote':
      return [];
  }
}

const periodIn = (period: string, { periods }: Language) => nameIn(periods, period);

/** "80,000". */
function grouped(amount: number, { printed }: Language): string {
  return String(amount).replace(/\B(?=(?:\d{3})+$)/gu, printed.thousands);
}

/** The names of a country: in the language, in English, and its slug. */
function namesOf(slug: string, { code }: Language): readonly string[] {
  const alpha2 = countryCode(slug);
  const name = (language: string) =>
    (alpha2 && new Intl.DisplayNames(language, { type: 'region' }).of(alpha2)) ?? slug;
  return [name(code), name('en'), slug];
}
