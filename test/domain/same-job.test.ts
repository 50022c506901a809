// Which postings are one job in several places, and which cards they make.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defined } from '../../src/domain/defined.js';
import type { EditionPosting } from '../../src/domain/edition.js';
import { appliedTo, cardsOf, isElsewhere, isSamePlace, onCard } from '../../src/domain/same-job.js';

let count = 0;

type Fields = { readonly [K in keyof EditionPosting]?: EditionPosting[K] | undefined };

function posting(fields: Fields = {}): EditionPosting {
  const n = String(++count);
  const applyUrl = `https://board.example/r/${n}__p`;
  const whole = {
    key: `id:${n}`,
    title: 'Rust Engineer',
    company: 'Cobalt',
    matched: [],
    applyUrl,
    ...fields,
  };
  return defined(whole) as EditionPosting;
}

const berlin = { location: 'Berlin, Germany' };
const lisbon = { location: 'Lisbon, Portugal' };

const SAME: readonly (readonly [string, Fields, Fields])[] = [
  ['two cities', berlin, lisbon],
  [
    'a company in another case and punctuation',
    { ...berlin, company: 'Cobalt, Inc.' },
    { ...lisbon, company: 'COBALT Inc' },
  ],
  [
    'a title in another case and punctuation',
    { ...berlin, title: 'Rust Engineer (m/w/d)' },
    { ...lisbon, title: 'RUST Engineer – m/w/d' },
  ],
  [
    'the place in brackets',
    { ...berlin, title: 'Rust Engineer (Berlin)' },
    { ...lisbon, title: 'Rust Engineer [Lisbon]' },
  ],
  [
    'the place after a dash',
    { ...berlin, title: 'Rust Engineer - Berlin' },
    { ...lisbon, title: 'Rust Engineer – Lisbon, Portugal' },
  ],
  [
    'the place after a comma or a line',
    { ...berlin, title: 'Rust Engineer, Berlin' },
    { ...lisbon, title: 'Rust Engineer | Lisbon' },
  ],
  [
    'the place before other words in brackets',
    { ...berlin, title: 'Rust Engineer (Berlin) (m/f/d)' },
    { ...lisbon, title: 'Rust Engineer (m/f/d)' },
  ],
  ['a title with a place and one without', { ...berlin, title: 'Rust Engineer (Berlin)' }, lisbon],
  [
    'remote in the EU and remote in the US',
    { location: 'Remote, EU', remote: true },
    { location: 'Remote, US', remote: true },
  ],
  [
    'the same in the titles',
    { location: 'EU', remote: true, title: 'Rust Engineer (Remote, EU)' },
    { location: 'US', remote: true, title: 'Rust Engineer - Remote US' },
  ],
  ['a city, and remote anywhere', berlin, { remote: true }],
  ['a city, and remote in the title', berlin, { location: 'Remote', title: 'Rust Engineer (Remote)' }],
  ['countries only', { country: 'germany' }, { country: 'portugal', title: 'Rust Engineer - Portugal' }],
  ['pay that is the same', { ...berlin, salary: '€80k' }, { ...lisbon, salary: '€80k' }],
  [
    'estimates of the board that differ',
    { ...berlin, estimatedPay: { min: 1 } },
    { ...lisbon, estimatedPay: { min: 2 } },
  ],
];

const OTHER: readonly (readonly [string, Fields, Fields])[] = [
  ['no company', { ...berlin, company: undefined }, { ...lisbon, company: undefined }],
  ['a company for one only', berlin, { ...lisbon, company: undefined }],
  ['no title', { ...berlin, title: undefined }, { ...lisbon, title: undefined }],
  ['companies that differ', berlin, { ...lisbon, company: 'Cobalt Labs' }],
  ['companies of signs only', { ...berlin, company: '…' }, { ...lisbon, company: '—' }],
  [
    'Senior and Staff',
    { ...berlin, title: 'Senior Rust Engineer' },
    { ...lisbon, title: 'Staff Rust Engineer' },
  ],
  ['with and without a level', { ...berlin, title: 'Senior Rust Engineer' }, lisbon],
  ['Engineer I and Engineer II', { ...berlin, title: 'Engineer I' }, { ...lisbon, title: 'Engineer II' }],
  [
    'Engineer 1 and Engineer 2 in brackets',
    { ...berlin, title: 'Engineer (1)' },
    { ...lisbon, title: 'Engineer (2)' },
  ],
  ['C, C++ and C#', { ...berlin, title: 'C++ Engineer' }, { ...lisbon, title: 'C# Engineer' }],
  [
    'a team after the dash',
    { ...berlin, title: 'Rust Engineer - Payments' },
    { ...lisbon, title: 'Rust Engineer - Ledger' },
  ],
  [
    'a place in the title that is not its own',
    { ...berlin, title: 'Rust Engineer - Paris' },
    { ...lisbon, title: 'Rust Engineer - Rome' },
  ],
  [
    'a place that is part of the words',
    { ...berlin, title: 'Head of Berlin' },
    { ...lisbon, title: 'Head of Lisbon' },
  ],
  ['remote in one title, of an office', { ...berlin, title: 'Rust Engineer (Remote)' }, lisbon],
  [
    'pay that differs in the title',
    { ...berlin, title: 'Rust Engineer $90k' },
    { ...lisbon, title: 'Rust Engineer $70k' },
  ],
  ['pay that differs', { ...berlin, salary: '€90k' }, { ...lisbon, salary: '€70k' }],
  [
    'amounts that differ',
    { ...berlin, pay: { min: 90_000, currency: 'EUR' } },
    { ...lisbon, pay: { min: 90_000, currency: 'USD' } },
  ],
  ['pay for one only', { ...berlin, salary: '€90k' }, lisbon],
  ['the same place twice', berlin, berlin],
  ['the same place in two spellings', berlin, { location: 'Berlin' }],
  [
    'the same city in the field and in the title',
    { location: 'Berlin', title: 'Rust Engineer (Berlin)' },
    { location: 'BERLIN' },
  ],
  ['no place', {}, lisbon],
  ['no places', {}, {}],
  [
    'the same link',
    { ...berlin, applyUrl: 'https://a.example/1' },
    { ...lisbon, applyUrl: 'https://a.example/1' },
  ],
  ['a link that is withheld', berlin, { ...lisbon, applyUrl: undefined, badLink: true }],
];

describe('two postings', () => {
  test.each(SAME)('with %s are one job in two places', (_what, a, b) => {
    expect(isElsewhere(posting(a), posting(b))).toBe(true);
    expect(isElsewhere(posting(b), posting(a))).toBe(true);
  });

  test.each(OTHER)('with %s are not', (_what, a, b) => {
    expect(isElsewhere(posting(a), posting(b))).toBe(false);
    expect(isElsewhere(posting(b), posting(a))).toBe(false);
  });
});

describe('two places', () => {
  test.each([
    ['berlin', 'berlin', true],
    ['berlin', 'berlin germany', true],
    ['berlin germany', 'berlin', true],
    ['berlin', 'berlingen', false],
    ['berlin', 'lisbon', false],
    ['remote', 'remote', true],
    ['remote', 'remote eu', false],
  ])('"%s" and "%s" are the same: %s', (a, b, same) => {
    expect(isSamePlace(a, b)).toBe(same);
  });
});

describe('a person applied to the job of a posting', () => {
  const [there, later, here] = [posting(berlin), posting(berlin), posting(lisbon)];
  const applied = (one: EditionPosting, at: number) => ({ mark: 'applied' as const, at, posting: one });

  test.each<[string, Parameters<typeof appliedTo>[0], EditionPosting, number | undefined]>([
    ['elsewhere', [applied(there, 5)], here, 5],
    ['at the latest time', [applied(there, 5), applied(later, 9), applied(posting(lisbon), 7)], here, 9],
    [
      'and had an interview since',
      [{ ...applied(there, 8), mark: 'interview', before: [applied(there, 5)] }],
      here,
      5,
    ],
    ['but not under another key', [applied(here, 5)], here, undefined],
    ['but this is another job', [applied(there, 5)], posting({ ...lisbon, title: 'Editor' }), undefined],
    ['but only saved it', [{ ...applied(there, 5), mark: 'saved' }], here, undefined],
    ['but this one has no title', [applied(there, 5)], posting({ title: undefined }), undefined],
    [
      'but that one had no title',
      [applied(posting({ title: undefined }), 5)],
      posting({ title: undefined }),
      undefined,
    ],
    ['never', [], here, undefined],
  ])('%s', (_how, marked, one, at) => {
    expect(appliedTo(marked)(one)).toBe(at);
  });
});

const keys = (cards: readonly EditionPosting[]) => cards.map((card) => onCard(card).map(({ key }) => key));

describe('cards', () => {
  const at = (location: string, fields: Fields = {}) => posting({ location, ...fields });

  test('hold a job with its places, in the order of the first of each', () => {
    const list = [at('Berlin'), at('Oslo', { title: 'Editor' }), at('Lisbon'), at('Berlin'), at('Porto')];
    const [a, b, c, d, e] = list.map(({ key }) => key);
    expect(keys(cardsOf(list))).toEqual([[a, c, e], [b], [d]]);
    expect(cardsOf(list)[1]).not.toHaveProperty('also');
  });

  test('are led by the posting that fits best, the last of equals', () => {
    const list = [at('Berlin'), at('Lisbon'), at('Porto')];
    const [a, b, c] = list.map(({ key }) => key);
    expect(keys(cardsOf(list, ({ key }) => (key === b ? 2 : 1)))).toEqual([[b, a, c]]);
    expect(keys(cardsOf(list, () => 1))).toEqual([[c, a, b]]);
  });

  test('are led by a posting that was seen before or comes twice', () => {
    const list = [at('Berlin'), at('Lisbon', { twice: true }), at('Porto', { seenBefore: '2026-01-01' })];
    expect(keys(cardsOf(list))).toEqual(list.map(({ key }) => [key]));
    const known = [at('Berlin', { twice: true }), at('Lisbon')];
    expect(keys(cardsOf(known, ({ key }) => (key === known[1]?.key ? 2 : 1)))).toEqual([
      known.map(({ key }) => key),
    ]);
  });

  test('have at most ten places and 1,500 characters of links', () => {
    const many = Array.from({ length: 23 }, (_, n) => at(`City ${n}`));
    expect(keys(cardsOf(many)).map(({ length }) => length)).toEqual([10, 10, 3]);
    const long = Array.from({ length: 4 }, (_, n) =>
      at(`City ${n}`, { applyUrl: `https://a.example/${n}${'x'.repeat(700)}` }),
    );
    expect(keys(cardsOf(long)).map(({ length }) => length)).toEqual([2, 2]);
    const full = ['Berlin', 'Lisbon', 'Porto'].map((city) =>
      at(city, { applyUrl: `https://a.example/${city}`.padEnd(500, 'x') }),
    );
    expect(keys(cardsOf(full)).map(({ length }) => length)).toEqual([3]);
  });

  test('hold each posting once, and made again of their postings they are the same', () => {
    const one = fc.record({
      title: fc.constantFrom('Rust Engineer', 'Rust Engineer (Berlin)', 'Editor'),
      location: fc.constantFrom('Berlin', 'Lisbon', 'Porto', undefined),
      salary: fc.constantFrom(undefined, undefined, '€80k'),
      twice: fc.constantFrom(undefined, undefined, true as const),
      score: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), (fields) => {
        const scores = new Map<string, number>();
        const list = fields.map(({ score, ...rest }) => {
          const made = posting(rest);
          scores.set(made.key, score);
          return made;
        });
        const cards = cardsOf(list, ({ key }) => scores.get(key) ?? 0);
        expect(keys(cards).flat().toSorted()).toEqual(list.map(({ key }) => key).toSorted());
        expect(cards.flatMap(({ also = [] }) => also).every(({ twice }) => twice === undefined)).toBe(true);
        expect(keys(cardsOf(cards.flatMap(onCard)))).toEqual(keys(cards));
      }),
    );
  });
});
