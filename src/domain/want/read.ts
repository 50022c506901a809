// Reads one sentence as a rule: "senior rust or solidity, remote in Europe, at least 90k EUR, no gambling". It also
// returns how each word was taken, so that nothing is ignored silently. Commas divide the sentence; what excludes or
// prefers something counts up to the next comma. docs/subscriptions.md describes it for readers.
import { countryOfLocation } from '../countries.js';
import { isComparable } from '../pay.js';
import { LONGEST_VALUE, printTerm, readTerm, type Term, type TermName } from '../rules/index.js';
import { LEVELS } from '../rules/level.js';
import { isTag, resolveTag, type Tag } from '../tags.js';
import { oneLine } from '../text.js';
import { writeWords } from '../word-list.js';
import type { Grammar } from './language.js';
import { folded, LANGUAGES, nearest } from './lexicon.js';
import { type Part, partsOf } from './scan.js';

/** Longest sentence, in characters. The rest of a longer one is not read. */
export const LONGEST_WANT = 1000;

/** A stretch of the sentence, and how it was taken. `nearest`: it is close to what it means, but not the same. */
export interface WantedWord {
  readonly text: string;
  readonly as: 'understood' | 'nearest' | 'unused';
  /** Left out for what is not used. `payStated`: postings without comparable pay are left out. */
  readonly meaning?: Term | 'payStated';
}

/** The fields of a filter that a sentence names; those that it does not name are left out. */
export interface WantedFields {
  readonly tags?: readonly Tag[];
  readonly country?: string;
  readonly remote?: true;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly minSalary?: number;
  readonly payUnknown?: 'drop';
  readonly terms?: readonly Term[];
}

export interface Reading {
  readonly fields: WantedFields;
  /** In the order of the sentence. Together they are all of it, except for what divides them. */
  readonly words: readonly WantedWord[];
}

type Mode = Term['mode'];
type As = WantedWord['as'];

/** What a stretch of the sentence asks for. */
interface Ask {
  readonly term: TermName;
  readonly mode: Mode;
  values: readonly string[];
  /** Asked for as a term by its name, so that it is no field. */
  readonly isTerm: boolean;
  /** Asks of one section that are equal but for their values are one. "; and" begins another section. */
  readonly section: number;
}

interface Stretch {
  start: number;
  end: number;
  as: As;
  ask?: Ask;
  isStated?: true;
  /** It names work on site, and does not only refuse remote work. */
  isOnSite?: true;
}

const does = (part: Part | undefined, ...what: readonly Grammar[]): boolean =>
  part !== undefined && 'does' in part && what.includes(part.does);
/** A word that is no value of a term. */
const isWord = (part: Part | undefined): boolean =>
  part !== undefined && ('unknown' in part || 'quote' in part || does(part, 'other'));

/** What a part is about. A list in one mode has parts of one family. */
function familyOf(part: Part): string {
  if (!('term' in part)) return isWord(part) ? 'words' : 'pay' in part ? 'pay' : 'grammar';
  return part.term === 'role' ? 'tag' : part.term === 'country' ? 'region' : part.term;
}

/** Sentences between commas. A semicolon with "and" begins a section. */
interface Clause {
  readonly parts: readonly Part[];
  readonly section: number;
}

function clausesOf(parts: readonly Part[]): readonly Clause[] {
  const clauses: Clause[] = [];
  let own: Part[] = [];
  let section = 0;
  for (const part of parts) {
    const isNext = part.after === ',' || part.after === ';' || does(part, 'but');
    if (isNext && own.length > 0) {
      clauses.push({ parts: own, section });
      own = [];
    }
    if (part.after === ';' && does(part, 'and')) section++;
    own.push(part);
  }
  return own.length > 0 ? [...clauses, { parts: own, section }] : clauses;
}

/**
 * The clause that ends a list which began before `from`, as in "no sales, marketing or support"; -1 if there is none. All
 * its parts are of the same family, and there is an "or" or "and" before the last one.
 */
function endOfList(clauses: readonly Clause[], from: number, family: string): number {
  for (let at = from; at < clauses.length; at++) {
    const { parts, section } = clauses[at] as Clause;
    // "Nor" excludes what follows and ends a list too.
    const isJoin = (part: Part, place: number) => does(part, 'or', 'and') || (place > 0 && does(part, 'not'));
    const own = parts.filter((part, place) => !does(part, 'filler') && !isJoin(part, place));
    const isOfList = own.length > 0 && own.every((part) => familyOf(part) === family);
    if (!isOfList || section !== clauses[from - 1]?.section) return -1;
    if (parts.some(isJoin)) return at;
  }
  return -1;
}

/** The periods that "in the last" counts, by their folded names, in days. */
const SPANS = new Map(
  LANGUAGES.flatMap(({ days, weeks, months }) =>
    (
      [
        [days, 1],
        [weeks, 7],
        [months, 30],
      ] as const
    ).flatMap(([names, length]) => names.split('|').map((name): [string, number] => [folded(name), length])),
  ),
);
const NUMBERS = new Map(
  LANGUAGES.flatMap(({ numbers }) =>
    numbers.split('|').map((name, at): [string, number] => [folded(name), at + 1]),
  ),
);

const ORDER: readonly string[] = LEVELS;

/** Tags that nearly every posting has, so that they hardly ever stand alone for what is excluded. */
const isWide = (part: Part | undefined) =>
  part?.after !== ',' &&
  part !== undefined &&
  'term' in part &&
  part.term === 'tag' &&
  /^(?:crypto|blockchain)$/u.test(part.value);

/** Before a place. */
const PREPOSITIONS: ReadonlySet<string> = new Set(
  'in near around from based aus um en desde cerca'.split(' '),
);
/** Codes of countries that mean a job or a field in a sentence about jobs. */
const JOBS: ReadonlySet<string> = new Set(
  'QA IT PR BD HR PM ML CS PA SE VC IR TA GM MD BA SA CM CO AE AM SC PE MM ID TL SM LA ST CC PS NA MA'.split(
    ' ',
  ),
);

const isCapital = (part: Part | undefined) => part !== undefined && /^\p{Lu}/u.test(part.raw);

/** Words as the fields of a filter have them. */
const tidy = (text: string) => text.trim().replace(/\s+/gu, ' ');

const isCity = (part: Part | undefined) =>
  part !== undefined && isWord(part) && isCapital(part) && countryOfLocation(part.raw) !== undefined;

/**
 * The clauses in which a country is an alternative of a region: "the EU or Switzerland", "EU, UK or Norway". Required one
 * by one, nothing could be in both.
 */
function mixedPlaces(clauses: readonly Clause[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let index = 0; index < clauses.length; index++) {
    const own = clauses[index]?.parts ?? [];
    const last = own.findLast((part) => familyOf(part) !== 'grammar');
    const end = last && familyOf(last) === 'region' ? endOfList(clauses, index + 1, 'region') : -1;
    const next = clauses.slice(index + 1, end + 1);
    // "In Germany, in Asia or Africa" begins again.
    const isAgain = next.some(({ parts: [first] }) => first && PREPOSITIONS.has(folded(first.raw)));
    const list = isAgain ? clauses.slice(index, index + 1) : clauses.slice(index, Math.max(index, end) + 1);
    const parts = list.flatMap((clause) => clause.parts);
    const has = (term: TermName) => parts.some((part) => 'term' in part && part.term === term);
    const isListed = parts.some(
      (part, at) =>
        does(part, 'or', 'and') &&
        parts.slice(at + 1, at + 4).some((one) => familyOf(one) === 'region' || isCity(one)),
    );
    if (has('region') && (has('country') || parts.some(isCity)) && isListed)
      for (const at of list.keys()) found.add(index + at);
  }
  return found;
}

/** True for "remote or in Berlin", "the EU or remote" and "remote or on-site". */
function isEither(parts: readonly Part[]): boolean {
  const told = parts.filter((part) => !does(part, 'filler'));
  const kindOf = (part: Part | undefined) => {
    if (does(part, 'remote', 'office')) return 'remote';
    if (part && familyOf(part) === 'region') return 'place';
    return isCity(part) ? 'place' : undefined;
  };
  return told.some((part, at) => {
    const [before, after] = [told[at - 1], told[at + 1]];
    if (!does(part, 'or') || !kindOf(before) || !kindOf(after)) return false;
    return kindOf(before) !== kindOf(after) || does(before, 'remote') !== does(after, 'remote');
  });
}

/** A value in the form in which the term has it; undefined if the term does not know it. */
function valueFor(term: TermName, text: string): string | undefined {
  const written = term === 'pay' || term === 'posted' ? text : writeWords([oneLine(text)]);
  const values = readTerm(`${term}: ${written}`)?.values ?? [];
  return values.length === 1 ? values[0] : undefined;
}

/** See {@link Reading}. Takes time in proportion to the length, and never throws. */
export function readSentence(sentence: string): Reading {
  const text = sentence.slice(0, LONGEST_WANT);
  const clauses = clausesOf(partsOf(text));
  const stretches: Stretch[] = [];
  /** Where the words begin that belong to the next stretch. */
  let open: number | undefined;

  const put = (
    from: number,
    end: number,
    as: As,
    what: (Omit<Ask, 'values'> & { readonly value: string }) | 'stated' | undefined,
  ) => {
    const start = open ?? from;
    open = undefined;
    const last = stretches.at(-1);
    if (what === 'stated') return void stretches.push({ start, end, as, isStated: true });
    if (what === undefined) {
      const isOne = last?.as === 'unused' && /^[\s/&-]*$/u.test(text.slice(last.end, start));
      if (isOne) last.end = end;
      else stretches.push({ start, end, as: 'unused' });
      return;
    }
    const { value, ...rest } = what;
    const values = rest.term === 'remote' ? [] : [value];
    const isSame = ({ term, mode, isTerm, section }: Ask) =>
      term === rest.term && mode === rest.mode && isTerm === rest.isTerm && section === rest.section;
    if (last?.ask && last.as === as && isSame(last.ask)) {
      last.end = end;
      last.ask.values = [...new Set([...last.ask.values, ...values])];
    } else stretches.push({ start, end, as, ask: { ...rest, values } });
  };

  let mode: Mode = 'require';
  let listEnd = -1;
  const mixed = mixedPlaces(clauses);
  for (const [index, { parts, section }] of clauses.entries()) {
    if (index > listEnd) mode = 'require';
    if (parts.some((part) => does(part, 'softly'))) mode = 'want';
    if (parts.some((part) => does(part, 'also'))) mode = modeOfFormer(parts);
    // "Solidity no".
    const isRefused =
      does(parts.at(-1), 'not') && !parts.slice(0, -1).some((part) => does(part, 'not', 'or', 'and'));
    if (parts.length > 1 && isRefused) mode = 'exclude';
    readClause(parts, section, mixed.has(index));
    if (mode !== 'require' && index >= listEnd) {
      const atom = parts.findLast((part) => familyOf(part) !== 'grammar');
      if (atom) listEnd = endOfList(clauses, index + 1, familyOf(atom));
    }
  }

  /** The mode of what was asked for before and is about the same: "ideally Rust, Go is fine too". */
  function modeOfFormer(parts: readonly Part[]): Mode {
    const families = new Set(parts.map(familyOf));
    const former = stretches.findLast(
      ({ ask }) => ask && families.has(ask.term === 'role' ? 'tag' : ask.term),
    );
    return former?.ask && former.ask.mode !== 'exclude' ? former.ask.mode : 'want';
  }

  /** `isMixed`: its countries are alternatives of a region. */
  function readClause(parts: readonly Part[], section: number, isMixed: boolean) {
    /** True for words such as "not" that have nothing yet to refer to. */
    let isHard = false;
    /** True after a sign before a word, which is about that word only: "-nft rust". */
    let isOnce = false;
    let isSoft = false;
    let isLeast = false;
    let isMost = false;
    let former: Part | undefined;
    /** True after a city in small letters. */
    let isAfterCity = false;
    const take = (
      from: number,
      to: number,
      as: As,
      term: TermName,
      values: readonly string[],
      isTerm = false,
    ) => {
      if (values.some((value) => value.length > LONGEST_VALUE)) return skip(from, to);
      const [first, last] = [parts[from] as Part, parts[to] as Part];
      const own = isMixed && term === 'country' && mode !== 'exclude' ? 'region' : term;
      for (const value of values)
        put(first.start, last.end, isSoft ? 'nearest' : as, { term: own, mode, isTerm, section, value });
      former = first;
      settle();
    };
    const skip = (from: number, to: number) => {
      put((parts[from] as Part).start, (parts[to] as Part).end, 'unused', undefined);
      settle();
    };
    const settle = () => {
      if (isOnce) mode = 'require';
      isHard = isLeast = isMost = isOnce = false;
    };

    const before = stretches.length;
    // A rule can't say "remote or in Berlin". Required together, hardly anything would match.
    if (mode === 'require' && isEither(parts)) {
      mode = 'want';
      isSoft = true;
    }
    let at = 0;
    while (at < parts.length) at = readPart(at);
    const last = parts.at(-1);
    // What ends a clause and says nothing belongs to what is before it.
    const own = stretches.length > before ? stretches.at(-1) : undefined;
    if (open !== undefined && last && own && (!isHard || does(last, 'not'))) {
      own.end = last.end;
      open = undefined;
    }
    if (isHard && last && !(own && does(last, 'not'))) put(open ?? last.start, last.end, 'unused', undefined);

    /** Reads the part and those that belong to it. Returns the place after them. */
    function readPart(at: number): number {
      const part = parts[at] as Part;
      if ('does' in part) return readGrammar(part, at);
      if ('head' in part) return marked(at, part.head, true);
      if ('quote' in part) {
        const value = tidy(part.quote);
        if (value === '') skip(at, at);
        else take(at, at, 'understood', 'words', [value]);
        return at + 1;
      }
      if ('pay' in part) return pay(at, part.pay, part.isExact);
      if ('number' in part) return number(at, part.number);
      if ('unknown' in part) return unknown(at, part.unknown);
      return value(at, part.term, part.value, part.isNear ? 'nearest' : 'understood');
    }

    function readGrammar(part: Part & { readonly does: Grammar }, at: number): number {
      switch (part.does) {
        case 'not':
        case 'rather':
          // "Not not": it may mean either.
          isSoft = part.does === 'not' && (mode === 'want' || does(parts[at - 1], 'not'));
          mode = part.does === 'not' ? 'exclude' : 'want';
          isOnce = !/^[\p{L}\d]/u.test(part.raw);
          isHard = true;
          break;
        case 'least':
        case 'most':
          isLeast = part.does === 'least';
          isMost = !isLeast;
          isHard = true;
          break;
        case 'company':
        case 'words':
        case 'tagged':
          return marked(at, part.does === 'tagged' ? 'tag' : part.does, part.does === 'tagged');
        case 'posted':
          return posted(at);
        case 'stated':
          if (mode !== 'require') skip(at, at);
          else put(part.start, part.end, 'understood', 'stated');
          isHard = false;
          return at + 1;
        case 'remote':
        case 'labelled':
          factual(at);
          take(at, at, 'understood', 'remote', [''], part.does === 'labelled');
          return at + 1;
        case 'office':
          return office(at);
        case 'other': {
          const next = parts[at + 1];
          // "No web3 gaming" says nothing against web3, which nearly every posting is about.
          if (
            mode !== 'exclude' ||
            folded(part.raw) !== 'web3' ||
            part.after === ',' ||
            !next ||
            !('term' in next)
          )
            return unknown(at, undefined);
          break;
        }
        case 'upwards':
          skip(at, at);
          return at + 1;
        default:
          break;
      }
      open ??= part.start;
      return at + 1;
    }

    /** "No gambling and remote": facts about the job after "and" are no longer excluded. */
    function factual(at: number) {
      const isAnd = does(parts[at - 1], 'and') || does(parts[at - 2], 'and');
      if (
        mode === 'exclude' &&
        !isHard &&
        isAnd &&
        former &&
        familyOf(former) !== familyOf(parts[at] as Part)
      )
        mode = 'require';
    }

    function value(at: number, term: TermName, found: string, as: As): number {
      if (term === 'region' || term === 'country') factual(at);
      const whole = mode === 'exclude' && !isOnce ? endOfCompound(at) : at;
      if (whole > at) {
        const own = parts.slice(at + 1, whole + 1).every((part) => 'term' in part && part.term === 'role');
        const phrase = text.slice((parts[at] as Part).start, (parts[whole] as Part).end);
        if (own) take(at, whole, 'nearest', term, [found]);
        else take(at, whole, 'nearest', 'words', [tidy(phrase)]);
        return whole + 1;
      }
      const isBeside = (one: Part | undefined) =>
        one !== undefined && familyOf(one) === familyOf(parts[at] as Part);
      const isList = mode === 'exclude' && (isBeside(parts[at - 1]) || isBeside(parts[at + 1]));
      if (term !== 'level') {
        take(at, at, isList ? 'nearest' : as, term, [found]);
        return at + 1;
      }
      // "Senior or above", "senior+", "at least senior".
      const isUp = does(parts[at + 1], 'upwards');
      const isMore = isUp || isLeast || (parts[at] as Part).raw.endsWith('+');
      const from = ORDER.indexOf(found);
      const end = isUp ? at + 1 : at;
      const levels = isMost ? LEVELS.slice(0, from + 1) : isMore ? LEVELS.slice(from) : [found];
      if (isMost && mode === 'exclude') skip(at, end);
      else take(at, end, as, 'level', levels);
      return end + 1;
    }

    /**
     * Where a name for one thing ends that is excluded: "no crypto exchanges" says nothing against crypto, and "no senior
     * accountants" nothing against all seniors. Words of one kind are a list: "no nft gaming".
     */
    function endOfCompound(at: number): number {
      const first = parts[at] as Part;
      const joins = (part: Part | undefined) => {
        if (part?.after !== '') return false;
        if ('term' in part)
          return (
            (isWide(first) || familyOf(part) !== familyOf(first) || part.term === 'role') &&
            ['tag', 'role', 'level', 'contract'].includes(part.term)
          );
        return 'unknown' in part;
      };
      if (!('term' in first) || !['tag', 'level', 'contract'].includes(first.term)) return at;
      let end = at;
      while (joins(parts[end + 1])) end++;
      return end;
    }

    /** Work on site is what is not remote. */
    function office(at: number): number {
      if (mode === 'want' || parts.some((part) => does(part, 'also'))) skip(at, at);
      else {
        const was: Mode = mode;
        mode = was === 'exclude' ? 'require' : 'exclude';
        take(at, at, was === 'exclude' ? 'nearest' : 'understood', 'remote', ['']);
        const made = stretches.at(-1);
        if (made && was !== 'exclude') made.isOnSite = true;
        mode = was;
      }
      return at + 1;
    }

    function pay(at: number, amount: string, isExact: boolean): number {
      const isTwice = stretches.some(
        ({ ask }) => ask?.term === 'pay' && ask.mode === mode && ask.section === section && !ask.isTerm,
      );
      factual(at);
      const isAfter =
        does(parts[at + 1], 'upwards') || (does(parts[at + 1], 'least') && at + 2 >= parts.length);
      const end = isAfter ? at + 1 : at;
      // "No jobs under 60k" is a floor.
      const isFloor = mode === 'exclude' && isMost;
      if (isTwice || isMost !== (mode === 'exclude')) skip(at, end);
      else if (isFloor) {
        mode = 'require';
        take(at, end, isExact ? 'understood' : 'nearest', 'pay', [amount]);
        mode = 'exclude';
      } else take(at, end, isExact ? 'understood' : 'nearest', 'pay', [amount]);
      return end + 1;
    }

    /** A bare number is pay after "at least" only: "at least 80". */
    function number(at: number, given: number): number {
      const amount =
        isLeast && given >= 20 && !does(parts[at + 1], 'other') ? valueFor('pay', String(given)) : undefined;
      if (amount !== undefined) return pay(at, amount, given >= 1000);
      skip(at, at);
      return at + 1;
    }

    /** "In the last 7 days", "last week". */
    function posted(at: number): number {
      const [one, two] = [parts[at + 1], parts[at + 2]];
      const count = one && ('number' in one ? one.number : NUMBERS.get(folded(one.raw)));
      const [unit, end] = count === undefined ? [one, at + 1] : [two, at + 2];
      const span = SPANS.get(folded(unit?.raw ?? ''));
      const days = span === undefined ? undefined : valueFor('posted', String((count ?? 1) * span));
      if (days === undefined) {
        // "Within Europe".
        if (one && familyOf(one) === 'region') open ??= (parts[at] as Part).start;
        else skip(at, at);
        return at + 1;
      }
      take(at, end, 'understood', 'posted', [days]);
      return end + 1;
    }

    /** Names, words or tags after what announces them: "at Acme or Initech", "mentioning zk", "level: senior or staff". */
    function marked(at: number, kind: TermName | 'tags', isNamed: boolean): number {
      const isCompany = kind === 'company' && !isNamed;
      let from = at;
      let next = at + 1;
      for (;;) {
        const end = endOfName(next, isCompany);
        const part = parts[next];
        if (end < next || part === undefined) break;
        const name = 'quote' in part ? part.quote : text.slice(part.start, (parts[end] as Part).end);
        const term = kind === 'tags' ? 'tag' : kind;
        const found =
          kind === 'tags'
            ? resolveTag(name)
            : kind === 'words' && !isNamed
              ? tidy(name)
              : valueFor(term, name);
        if (found === undefined || found === '') skip(from, end);
        else take(from, end, 'understood', term, [found], isNamed && kind !== 'tags');
        from = next = end + 1;
        const isList = does(parts[next], 'or') || (does(parts[next], 'and') && isWord(parts[next + 1]));
        if (!isList || endOfName(next + 1, isCompany) <= next) break;
        next++;
      }
      if (from === at) {
        // Announces nothing: "at", "company".
        const part = parts[at] as Part;
        if (isCompany) open ??= part.start;
        else skip(at, at);
        return at + 1;
      }
      return from;
    }

    /** Where a name that begins here ends: a text in quotes, or the words up to the next "or", comma or "not". */
    function endOfName(at: number, isCompany: boolean): number {
      const first = parts[at];
      if (first === undefined) return at - 1;
      if ('quote' in first) return at;
      if (isCompany && (!/^[\p{Lu}\p{N}]/u.test(first.raw) || isPlace(at))) return at - 1;
      let end = at;
      while (end < parts.length && isOfName(parts[end] as Part)) end++;
      // "At Acme please": small words at the end say nothing.
      while (isCompany && end > at + 1 && does(parts[end - 1], 'filler') && !isCapital(parts[end - 1])) end--;
      return end - 1;
    }

    /** "Jobs from Germany" and "work in Madrid" name no company. */
    function isPlace(at: number): boolean {
      const part = parts[at] as Part;
      if ('term' in part) return familyOf(part) === 'region';
      return isWord(part) && countryOfLocation(part.raw) !== undefined;
    }

    function isOfName(part: Part): boolean {
      const ends: readonly Grammar[] = [
        'not',
        'rather',
        'or',
        'and',
        'but',
        'least',
        'most',
        'softly',
        'posted',
      ];
      return !does(part, ...ends, 'company', 'words', 'tagged') && !('quote' in part) && !('head' in part);
    }

    /** A word that the languages do not have, or one that no rule can use. */
    function unknown(at: number, word: string | undefined): number {
      const part = parts[at] as Part;
      const near = word === undefined ? undefined : nearest(word.replace(/\+$/u, ''));
      if (near && 'term' in near) return value(at, near.term, near.value, 'nearest');
      if (near && near.does === 'remote') {
        take(at, at, 'nearest', 'remote', ['']);
        return at + 1;
      }
      if (near) {
        mode = 'want';
        isHard = true;
        open ??= part.start;
        return at + 1;
      }
      let end = at;
      while (
        end + 1 < parts.length &&
        end - at < 3 &&
        isCapital(parts[end + 1]) &&
        isPhrase(parts[end + 1] as Part)
      )
        end++;
      const place = text.slice(part.start, (parts[end] as Part).end);
      const country = word === undefined ? undefined : countryOfCity(at, place);
      if (country !== undefined) {
        factual(at);
        // The country is not excluded with a city in it.
        if (mode === 'exclude') skip(at, end);
        else take(at, end, 'nearest', 'country', [country]);
        return end + 1;
      }
      while (!isOnce && end + 1 < parts.length && end - at < 3 && isPhrase(parts[end + 1] as Part)) end++;
      const phrase = text.slice(part.start, (parts[end] as Part).end);
      // "Exchanges cripto" says nothing against crypto.
      const whole = mode === 'exclude' && !isOnce && isWide(parts[end + 1]) ? end + 1 : end;
      if (whole > end)
        take(at, whole, 'nearest', 'words', [tidy(text.slice(part.start, (parts[whole] as Part).end))]);
      else if (mode === 'exclude') take(at, end, 'understood', 'words', [tidy(phrase)]);
      else skip(at, end);
      return whole + 1;
    }

    /** The country of a city. In small letters only after "in" or another city, because many cities are words too. */
    function countryOfCity(at: number, place: string): string | undefined {
      if (isCapital(parts[at])) return JOBS.has(place) ? undefined : countryOfLocation(place);
      const isListed = does(parts[at - 1], 'or', 'and') && isAfterCity;
      if (place.length < 4 || !(isListed || PREPOSITIONS.has(folded(parts[at - 1]?.raw ?? ''))))
        return undefined;
      const country = countryOfLocation(
        place.replace(/\p{L}+/gu, (one) => one.charAt(0).toUpperCase() + one.slice(1)),
      );
      isAfterCity = country !== undefined;
      return country;
    }

    function isPhrase(part: Part): boolean {
      const isUnknown = 'unknown' in part && nearest(part.unknown) === undefined;
      return part.after === '' && (isUnknown || does(part, 'other'));
    }
  }

  const end = text.trimEnd().replace(/[\s.,;!?)]+$/u, '').length;
  const last = stretches.at(-1);
  if (open !== undefined) {
    if (last) last.end = Math.max(last.end, end);
    else if (end > open) stretches.push({ start: open, end, as: 'unused' });
  }
  return reading(text, withEitherPlace(stretches));
}

/** No job is both remote and on-site. A sentence that asks for both means either, and remote only counts in favor. */
function withEitherPlace(stretches: readonly Stretch[]): readonly Stretch[] {
  const isRemote = ({ ask }: Stretch) => ask?.term === 'remote' && ask.mode === 'require';
  if (!stretches.some(isRemote) || !stretches.some(({ isOnSite }) => isOnSite)) return stretches;
  return stretches.map((one) => {
    const { start, end, ask, isOnSite } = one;
    if (isOnSite) return { start, end, as: 'unused' };
    return ask && isRemote(one) ? { start, end, as: 'nearest', ask: { ...ask, mode: 'want' } } : one;
  });
}

/** The fields of what is asked for, and how each stretch of the sentence was taken. */
function reading(text: string, stretches: readonly Stretch[]): Reading {
  const asks = new Map<string, Ask>();
  for (const { ask } of stretches) {
    if (!ask) continue;
    const key = JSON.stringify([ask.section, ask.isTerm, ask.mode, ask.term]);
    const values = new Set([...(asks.get(key)?.values ?? []), ...ask.values]);
    asks.set(key, { ...ask, values: [...values] });
  }
  const isStated = stretches.some((stretch) => stretch.isStated);
  const tags: Tag[] = [];
  const include: string[] = [];
  const exclude: string[] = [];
  const terms = new Map<string, Term>();
  let country: string | undefined;
  let remote: true | undefined;
  let minSalary: number | undefined;
  for (const { term, mode, values, isTerm } of asks.values()) {
    const [first = ''] = values;
    const isField = mode === 'require' && !isTerm;
    if (isField && term === 'tag' && values.every(isTag)) tags.push(...values.filter(isTag));
    else if (isField && term === 'words') include.push(...values);
    else if (!isTerm && mode === 'exclude' && term === 'words') exclude.push(...values);
    else if (isField && term === 'remote') remote = true;
    else if (isField && term === 'country' && values.length === 1 && country === undefined) country = first;
    else if (isField && term === 'pay' && minSalary === undefined && floorIn(first, isStated) !== undefined)
      minSalary = floorIn(first, isStated);
    else terms.set(printTerm({ term, values, mode }), { term, values, mode });
  }
  const isDropped = isStated && minSalary !== undefined;
  const words = stretches.map(({ start, end, as, ask, isStated: isIt }): WantedWord => {
    const own = { text: oneLine(text.slice(start, end)) };
    if (isIt) return isDropped ? { ...own, as, meaning: 'payStated' } : { ...own, as: 'unused' };
    if (!ask) return { ...own, as: 'unused' };
    const { term, mode, values } = ask;
    return { ...own, as, meaning: { term, mode, values } };
  });
  return {
    fields: {
      ...(tags.length > 0 ? { tags: [...new Set(tags)] } : {}),
      ...(country === undefined ? {} : { country }),
      ...(remote ? { remote } : {}),
      ...(include.length > 0 ? { include: [...new Set(include)] } : {}),
      ...(exclude.length > 0 ? { exclude: [...new Set(exclude)] } : {}),
      ...(minSalary === undefined ? {} : { minSalary }),
      ...(isDropped ? { payUnknown: 'drop' as const } : {}),
      ...(terms.size > 0 ? { terms: [...terms.values()] } : {}),
    },
    words,
  };
}

/**
 * The pay as `minSalary`, if it is dollars for a year. If postings without comparable pay are to be left out, also other
 * currencies that are compared number by number.
 */
function floorIn(amount: string, isStated: boolean): number | undefined {
  const [, number = '', currency = ''] = /^(\d+) (\w+)\/year$/u.exec(amount) ?? [];
  const least = Number(number);
  if (least < 1 || least > 10_000_000) return undefined;
  return currency === 'USD' || (isStated && currency !== '' && isComparable(currency)) ? least : undefined;
}
