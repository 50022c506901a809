// Which fields a posting gets from the JSON form of its listing, and how long its delivery waits for them.
import { describe, expect, test } from 'vitest';
import { awaitedFrom, ENRICH_MS, enriched } from '../../src/domain/enrich.js';
import { EMPTY_LEDGER, type Ledger, type Owed } from '../../src/domain/ledger.js';
import { enrich, pendingDue } from '../../src/domain/outbox.js';
import { type Posting, parsePosting, type ReadPosting } from '../../src/domain/posting.js';

const LINK = 'https://board.example/r/MTIz__me';
const read = (raw: Record<string, unknown>) => parsePosting(raw) as ReadPosting;
const feed = (raw: Record<string, unknown> = {}): Posting =>
  read({ title: 'Rust Dev', link: LINK, ...raw }).posting;
const whole = (raw: Record<string, unknown> = {}) =>
  read({
    id: 7,
    title: 'Rust Dev',
    apply_url: LINK,
    company: 'Acme',
    location: 'Berlin',
    salary: '$100k',
    tags: ['rust'],
    ...raw,
  });

describe('a posting of a feed', () => {
  test('gets the fields it lacks, and keeps its key, its link and what it has', () => {
    const posting = feed({ location: 'Remote', description: 'Ours' });
    const next = enriched(posting, [whole({ description: 'Theirs', url: 'https://board.example/jobs/7' })]);
    expect(next).toEqual({
      ...posting,
      company: 'Acme',
      salary: '$100k',
      pay: { min: 100_000, max: 100_000, currency: 'USD' },
      tags: ['rust'],
    });
    expect(next.applyUrl).toBe(LINK);
  });

  test('never gets a link', () => {
    const posting = feed({ link: undefined, guid: 'a', url: 'https://board.example/jobs/7' });
    const next = enriched(posting, [whole({ url: 'https://board.example/jobs/7' })]);
    expect(next).toMatchObject({ company: 'Acme' });
    expect(next).not.toHaveProperty('applyUrl');
  });

  test('keeps its pay whole', () => {
    const posting = feed({ salary: 'competitive' });
    const next = enriched(posting, [whole({ salary_min_value: 1, salary_currency: 'USD' })]);
    expect(next.salary).toBe('competitive');
    expect(next).not.toHaveProperty('pay');
    const named = enriched({ ...feed(), pay: { min: 5 } }, [whole()]);
    expect(named).toMatchObject({ pay: { min: 5 }, company: 'Acme' });
    expect(named).not.toHaveProperty('salary');
  });

  test('without a title is found by its key alone', () => {
    const { title: _none, ...untitled } = feed();
    expect(enriched(untitled, [whole()])).toMatchObject({ company: 'Acme' });
    expect(enriched(untitled, [whole()])).not.toHaveProperty('title');
  });

  test.each([
    ['another link', [whole({ apply_url: 'https://board.example/r/NTY3__me' })]],
    ['another title', [whole({ title: 'Go Dev' })]],
    ['two records with its link and title', [whole(), whole({ id: 8, company: 'Other' })]],
    ['nothing to add', [read({ title: 'Rust Dev', link: LINK })]],
    ['no records', []],
  ])('stays the same object with %s', (_what, found) => {
    const posting = feed();
    expect(enriched(posting, found)).toBe(posting);
  });

  test('is found by the key under which it is recorded', () => {
    expect(enriched({ ...feed(), key: 'id:7~abc', title: 'Rust Dev' }, [whole()]).company).toBe('Acme');
  });

  test('is requested only without a company', () => {
    expect(awaitedFrom(feed(), ['rust||remote|100'], 5)).toEqual({ subject: 'rust||remote', until: 5 });
    expect(awaitedFrom(feed({ company: 'Acme' }), ['|||100'], 5)).toBeUndefined();
    expect(awaitedFrom(feed(), ['|||100'], undefined)).toBeUndefined();
    expect(awaitedFrom(feed(), [], 5)).toBeUndefined();
  });
});

describe('a delivery', () => {
  const NOW = 1_000_000_000;
  const owed = (until?: number, title = 'Rust Dev'): Owed => ({
    posting: { ...feed({ title }), key: `id:${title}` },
    matched: [],
    at: NOW,
    to: ['a'],
    ...(until === undefined ? {} : { awaits: { subject: 's', until } }),
  });
  const ledger = (...outbox: readonly Owed[]): Ledger => ({ ...EMPTY_LEDGER, outbox });
  const due = (of: Ledger, every: 'immediate' | 'hourly' = 'immediate') =>
    pendingDue(of, { id: 'a', cadence: { every, timezone: 'UTC' } }, NOW);

  test('waits until the first of its postings has waited long enough', () => {
    expect(due(ledger(owed(), owed(NOW + 9000), owed(NOW + 5000)))).toBe(NOW + 5000);
    expect(due(ledger(owed(NOW - 1), owed(NOW + 5000)))).toBe(NOW);
    expect(due(ledger(owed()))).toBe(NOW);
    expect(due(ledger())).toBeUndefined();
  });

  test('does not wait for a time that was written before the clock was set back', () => {
    expect(due(ledger(owed(NOW + ENRICH_MS + 1)))).toBe(NOW);
  });

  test('of a digest keeps its slot', () => {
    expect(due(ledger(owed(NOW + 5000)), 'hourly')).toBe(due(ledger(owed()), 'hourly'));
  });

  test('no longer waits when its fields have come, and an edition stays as it is', () => {
    const [one, two] = [owed(NOW + 5000, 'One'), owed(NOW + 5000, 'Two')];
    const cut = {
      ...ledger(one, two),
      editions: [
        { parts: [['id:One']], rest: [], destination: 'b' } as unknown as Ledger['editions'][number],
      ],
    };
    const next = enrich(cut, 's', [whole({ title: 'One' }), whole({ title: 'Two' })]);
    expect(next.outbox[0]).toBe(one);
    expect(next.outbox[1]).toEqual({ ...owed(undefined, 'Two'), posting: next.outbox[1]?.posting });
    expect(next.outbox[1]?.posting.company).toBe('Acme');
    expect(enrich(cut, 'other', [])).toBe(cut);
  });
});
