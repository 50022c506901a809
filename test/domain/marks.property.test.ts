// New postings are found by the marks of records if possible, and otherwise by comparing all of them. For any feed,
// both give the same ledger.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitOf } from '../../src/domain/filter.js';
import {
  areNew,
  EMPTY_LEDGER,
  type Ledger,
  mayGoByMarks,
  type RecordOptions,
  record,
  type Shown,
} from '../../src/domain/ledger.js';
import { likeness, parsePosting, type ReadPosting } from '../../src/domain/posting.js';
import type { ListedPosting } from '../../src/domain/recognise.js';
import { namesFor, namesOf, type Seen } from '../../src/domain/seen.js';

const LIMIT = 6;
const QUESTION = `rust|||${LIMIT}`;

/** A record of a feed: its title may be that of another one, and may change. Some feeds have no ids. */
const advert = fc.record({
  number: fc.nat(14),
  title: fc.nat(9).map((n) => `Title ${n}`),
  company: fc.nat(2).map((n) => `Firm ${n}`),
});
type Advert = typeof advert extends fc.Arbitrary<infer T> ? T : never;

const step = fc.record({
  news: fc.array(advert, { maxLength: 3 }),
  drop: fc.nat(3),
  rotate: fc.nat(LIMIT),
  token: fc.constantFrom('one', 'one', 'one', 'two'),
  hours: fc.integer({ min: 1, max: 30 }),
  pause: fc.integer({ min: 0, max: 9 }),
});

/** What a store would have read of a ledger for these postings. */
function readFor(ledger: Ledger, findings: readonly ListedPosting[]): Record<string, Seen> {
  const keys = findings.flatMap((one) => one.keys);
  const likes = findings.flatMap(({ posting }) => likeness(posting) ?? []);
  const names = new Set(namesFor(keys, likes));
  return Object.fromEntries(
    Object.entries(ledger.seen).filter(
      ([key, entry]) => keys.includes(key) || namesOf(key, entry).some((name) => names.has(name)),
    ),
  );
}

test('the ledger is the same by marks and by comparing everything', { tags: 'long' }, () => {
  let byMarks = 0;
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { minLength: 1, maxLength: 14 }), (hasIds, steps) => {
      let [whole, quick]: [Ledger, Ledger] = [EMPTY_LEDGER, EMPTY_LEDGER];
      let now = Date.UTC(2026, 10, 1);
      let table: Advert[] = [];
      let pause: number | undefined;
      for (const { news, drop, rotate, token, hours, pause: wish } of steps) {
        now += hours * 3_600_000;
        const numbers = new Set(news.map(({ number }) => number));
        const left = table.filter(({ number }) => !numbers.has(number));
        table = [
          ...news.filter((one, at) => news.findIndex(({ number }) => number === one.number) === at),
          ...left.slice(0, Math.max(0, left.length - drop)),
        ];
        if (wish === 0) pause = now - 1;
        const turned = [
          ...table.slice(rotate % (table.length || 1)),
          ...table.slice(0, rotate % (table.length || 1)),
        ];
        const window = turned.slice(0, LIMIT);
        const findings = window.map((one, place): ListedPosting => {
          const { number, title, company } = one;
          const apply_url = `https://jobs.example/r/${number}`;
          const id = hasIds ? String(number) : undefined;
          const read = parsePosting({ id, title, company, apply_url }) as ReadPosting;
          return {
            ...read,
            verdict: one.title.endsWith('3') ? { ok: false, rule: 'exclude' } : { ok: true, matched: [] },
            by: [`rust|||${place + 1}`],
            marks: [JSON.stringify(one)],
          };
        });
        const options: RecordOptions = {
          now,
          asked: [QUESTION],
          answered: [QUESTION],
          full: window.length >= LIMIT ? [QUESTION] : [],
          token,
          destinations: ['place'],
          ...(pause === undefined ? {} : { pause }),
          newest: 1,
          reposts: false,
        };
        whole = record(whole, findings, options).ledger;

        const subject = 'rust||';
        const former = quick.marks?.[subject] ?? [];
        const keyOf = new Map(former.map((mark, at) => [mark, quick.recent[subject]?.[at]]));
        const unknown = findings.filter((one) => !keyOf.has(one.marks?.[0] as string));
        const shown = findings.flatMap((one): Shown[] => {
          const key = keyOf.get(one.marks?.[0] as string);
          if (key === undefined) return [];
          return [{ key, subject, place: limitOf(one.by[0] as string), mark: one.marks?.[0] as string }];
        });
        const seen = readFor(quick, unknown);
        const isSure =
          mayGoByMarks(quick, options) && 2 * unknown.length <= findings.length && areNew(unknown, { seen });
        if (isSure) {
          byMarks++;
          const next = record({ ...quick, seen }, unknown, options, shown).ledger;
          quick = { ...next, seen: { ...quick.seen, ...next.seen } };
        } else quick = record(quick, findings, options).ledger;
        expect(quick).toEqual(whole);
      }
    }),
    { numRuns: 400 },
  );
  expect(byMarks).toBeGreaterThan(50);
});
