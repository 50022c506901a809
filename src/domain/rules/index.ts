// The terms of a filter: what each one is called, how it is read and written, and what a posting says about it. The fields
// of a filter (tags, include and so on) are terms too; see src/domain/filter.ts.
import * as v from 'valibot';
import { shown } from '../input.js';
import type { Posting } from '../posting.js';
import { typos } from '../typos.js';
import { readWords, writeWords } from '../word-list.js';
import { company } from './company.js';
import { contract } from './contract.js';
import { country } from './country.js';
import { level } from './level.js';
import { pay } from './pay.js';
import { posted } from './posted.js';
import { region } from './region.js';
import { remote } from './remote.js';
import { role } from './role.js';
import type { Finding, Rule } from './rule.js';
import { tag } from './tag.js';
import { words } from './words.js';

const TABLE = { tag, country, region, remote, company, level, role, words, pay, contract, posted };
export type TermName = keyof typeof TABLE;
const RULES: Readonly<Record<TermName, Rule>> = TABLE;
export const TERM_NAMES = Object.keys(RULES) as readonly TermName[];

/**
 * What a term decides: with `require` a posting that does not meet it is left out, with `exclude` one that does. `want`
 * leaves nothing out: postings that meet it come first.
 */
type Mode = 'require' | 'exclude' | 'want';

/** A term with its values. One of the values is enough. */
export interface Term {
  readonly term: TermName;
  readonly values: readonly string[];
  readonly mode: Mode;
}

/** How a mode is written before the name of a term: "not level: intern", "rather region: eu". */
const WRITTEN: Readonly<Record<Mode, string>> = { require: '', exclude: 'not ', want: 'rather ' };

/** What a posting says about a term. */
export function matchTerm({ term, values }: Term, posting: Posting, now: number): Finding {
  return RULES[term].match(values, posting, now);
}

/** Returns a term as it is written: "not level: intern, junior". {@link readTerm} reads it. */
export function printTerm(term: Term): string {
  return [headOf(term), writeWords(term.values)].filter(Boolean).join(': ');
}

const headOf = ({ term, mode }: Term) => `${WRITTEN[mode]}${term}`;

/** Returns a term as an item of the subscriptions file: `{ "not level": "intern, junior" }`, or "rather remote". */
export function termEntry(term: Term): unknown {
  return term.values.length > 0 ? { [headOf(term)]: writeWords(term.values) } : headOf(term);
}

/** Returns the terms with one more, whose values join those of the term of the same kind and mode. */
export function withTerm(terms: readonly Term[], added: Term): readonly Term[] {
  const isAlone = RULES[added.term].takes === 'one';
  const former = isAlone ? undefined : terms.find((one) => isSameKind(one, added));
  if (!former) return [...terms, added];
  const values = [...new Set([...former.values, ...added.values])];
  return terms.map((one) => (one === former ? { ...one, values } : one));
}

/** Returns the terms without some values of a kind and mode. A term that has no values left goes too. */
export function withoutTerm(terms: readonly Term[], removed: Term): readonly Term[] {
  return terms.flatMap((one) => {
    if (!isSameKind(one, removed)) return one;
    const values = one.values.filter((value) => !removed.values.includes(value));
    return values.length > 0 ? { ...one, values } : [];
  });
}

/** True when the terms have all values of this one, in its kind and mode. */
export function hasTerm(terms: readonly Term[], wanted: Term): boolean {
  const same = terms.filter((one) => isSameKind(one, wanted));
  return same.length > 0 && wanted.values.every((value) => same.some((one) => one.values.includes(value)));
}

function isSameKind(one: Term, other: Term): boolean {
  return one.term === other.term && one.mode === other.mode;
}

/** Returns the wanted term that a reason of a match stands for; undefined for any other reason. */
export function wishIn(reason: string): Term | undefined {
  return reason.startsWith(WRITTEN.want) ? readTerm(reason) : undefined;
}

type Read = { readonly term: Term } | { readonly fault: string };

const isName = (text: string): text is TermName => Object.hasOwn(RULES, text);

/** Reads a term as it is written; undefined if it is not understood. */
export function readTerm(text: string): Term | undefined {
  const read = readLine(text);
  return 'term' in read ? read.term : undefined;
}

function readLine(text: string): Read {
  const colon = text.indexOf(':');
  return colon < 0 ? readParts(text, undefined) : readParts(text.slice(0, colon), text.slice(colon + 1));
}

/** Reads the name of a term with what is before it, and its values: text with commas, a list, or nothing. */
function readParts(head: string, given: unknown): Read {
  const [, sign = '', called = ''] = /^\s*(?:(not|rather)\s+)?(\S.*?)\s*$/iu.exec(head) ?? [];
  const name = called.toLowerCase();
  if (!isName(name)) {
    const near = TERM_NAMES.find((one) => typos(name, one) <= 2);
    return {
      fault: `terms: ${shown(called)} is not a term; ${near ? `did you mean ${near}?` : `wanted one of ${TERM_NAMES.join(', ')}, after "not" or "rather" if you like.`}`,
    };
  }
  const mode = sign === '' ? 'require' : sign.toLowerCase() === 'not' ? 'exclude' : 'want';
  const rule = RULES[name];
  const items = itemsOf(given, rule);
  if (rule.takes === 'none')
    return items.length === 0
      ? { term: { term: name, values: [], mode } }
      : { fault: `${name}: it takes no value; wanted "${name}", "not ${name}" or "rather ${name}".` };
  if (items.length === 0) return { fault: `${name}: wanted ${wantedBy(rule)}.` };
  const values: string[] = [];
  for (const item of items) {
    const value = rule.parse(item);
    if (value === undefined) return { fault: `${name}: ${shown(item)} is not known; ${hint(item, rule)}` };
    values.push(value);
  }
  return { term: { term: name, values: [...new Set(values)], mode } };
}

function itemsOf(given: unknown, { takes }: Rule): readonly string[] {
  if (given === undefined || given === null || given === true) return [];
  const items = Array.isArray(given)
    ? given.map(String)
    : takes === 'one'
      ? [String(given)]
      : readWords(String(given));
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

const wantedBy = ({ wanted, values }: Rule) => (values ? `${wanted}: ${values.join(', ')}` : wanted);

function hint(item: string, rule: Rule): string {
  const near = rule.values?.filter(
    (value) => typos(item.toLowerCase(), value) <= Math.max(1, value.length / 4),
  );
  return near && near.length > 0 ? `did you mean ${near.join(', ')}?` : `wanted ${wantedBy(rule)}.`;
}

/** Reads an item of the list: a term as it is written, the same as a field with its values, or as it is stored. */
function readItem(item: unknown): Read {
  if (typeof item === 'string') return readLine(item);
  const [first, ...more] = Array.isArray(item) ? [] : Object.entries(item ?? {});
  if (first && more.length === 0) return readParts(...first);
  const stored = v.safeParse(STORED, item);
  if (stored.success) {
    const { term, values, mode } = stored.output;
    return readParts(`${WRITTEN[mode]}${term}`, values);
  }
  return {
    fault: 'terms: wanted items such as "level: senior, staff", "not company: Acme" or "rather region: EU".',
  };
}

const STORED = v.object({
  term: v.string(),
  values: v.array(v.string()),
  mode: v.picklist(['require', 'exclude', 'want']),
});

const MOST_TERMS = 20;
/** Most values of a term. */
const MOST_VALUES = 50;
/** Longest value of a term, in characters. */
export const LONGEST_VALUE = 100;

/** The terms of a filter, each once. */
export const TERMS = v.pipe(
  v.array(v.unknown(), 'a list of terms'),
  v.maxLength(MOST_TERMS, `wanted at most ${MOST_TERMS} terms.`),
  v.rawTransform<unknown[], readonly Term[]>(({ dataset, addIssue }) => {
    const terms = new Map<string, Term>();
    const wrong = (message: string, key: number, value: unknown) =>
      addIssue({ message, path: [{ type: 'array', origin: 'value', input: dataset.value, key, value }] });
    for (const [at, item] of dataset.value.entries()) {
      const read = readItem(item);
      if ('fault' in read) wrong(read.fault, at, item);
      else if (
        read.term.values.length > MOST_VALUES ||
        read.term.values.some((value) => value.length > LONGEST_VALUE)
      )
        wrong(
          `terms: wanted at most ${MOST_VALUES} values of at most ${LONGEST_VALUE} characters each.`,
          at,
          item,
        );
      else terms.set(printTerm(read.term), read.term);
    }
    return [...terms.values()];
  }),
);
