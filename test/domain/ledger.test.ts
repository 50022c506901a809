// What a poll makes of what it found: news, old news, a repost, a gap. Pure, so every case is a line.
import { describe, expect, test } from 'vitest';
import {
  EMPTY_LEDGER,
  finish,
  type Ledger,
  owesAnything,
  pending,
  type RecordOptions,
  record,
  trimmed,
} from '../../src/domain/ledger.js';
import { seenBound } from '../../src/domain/seen.js';
import { finding, thinned } from '../helpers/postings.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const ASKED = ['|||100'];

/** All questions answered, unless said otherwise. */
function options(more: Partial<RecordOptions> = {}): RecordOptions {
  const asked = more.asked ?? ASKED;
  return { now: NOW, asked, answered: asked, destinations: ['a'], newest: 0, reposts: false, ...more };
}

/** The ledger after polls that found these ids, an hour apart. */
function polled(...polls: readonly string[][]): Ledger {
  return polls.reduce(
    (ledger, ids, hour) =>
      record(
        ledger,
        ids.map((id) => finding(id)),
        options({ now: NOW - (polls.length - hour) * 3_600_000 }),
      ).ledger,
    EMPTY_LEDGER,
  );
}

const owedTo = (ledger: Ledger, destination = 'a') =>
  pending(ledger, destination).map((owed) => owed.posting.id);
const fates = (ledger: Ledger) =>
  Object.fromEntries(Object.entries(ledger.seen).map(([key, seen]) => [key, seen.fate]));

describe('the baseline', () => {
  test('owes nothing', () => {
    const { ledger, baseline, gap, counts } = record(EMPTY_LEDGER, [finding('2'), finding('1')], options());
    expect({ baseline, gap, counts }).toEqual({
      baseline: true,
      gap: false,
      counts: { matched: 2, filtered: 0, reposts: 0 },
    });
    expect(fates(ledger)).toEqual({ 'id:1': 'baseline', 'id:2': 'baseline' });
    expect(owesAnything(ledger)).toBe(false);
  });

  test('owes the newest when asked, by their day, the oldest of them first', () => {
    const found = [
      finding('old', { postedAt: '2026-10-01' }),
      finding('undated'),
      finding('newest', { postedAt: '2026-11-20' }),
      finding('filtered', { postedAt: '2026-11-21' }, { verdict: { ok: false, rule: 'exclude: x' } }),
      finding('newer', { postedAt: '2026-11-19' }),
    ];
    const { ledger } = record(EMPTY_LEDGER, found, options({ newest: 2 }));
    expect(owedTo(ledger)).toEqual(['newer', 'newest']);
    expect(fates(ledger)).toMatchObject({ 'id:old': 'baseline', 'id:filtered': 'filtered' });
  });

  test('of a subscription that was paused at first is a baseline all the same', () => {
    const { ledger } = record(EMPTY_LEDGER, [finding('1')], options({ newest: 1, pause: NOW - DAY }));
    expect(owedTo(ledger)).toEqual(['1']);
    expect(owedTo(record(ledger, [finding('2')], options({ pause: NOW - DAY })).ledger)).toEqual(['1', '2']);
  });
});

describe('news', () => {
  test('is owed to every destination, oldest first, once', () => {
    const first = record(
      polled(['1']),
      [finding('3'), finding('2'), finding('1')],
      options({ destinations: ['a', 'b'] }),
    );
    expect(owedTo(first.ledger, 'a')).toEqual(['2', '3']);
    expect(owedTo(first.ledger, 'b')).toEqual(['2', '3']);
    const again = record(first.ledger, [finding('2'), finding('1'), finding('3')], options());
    expect(again.fresh).toEqual([]);
    expect(again.ledger.outbox).toEqual(first.ledger.outbox);
  });

  test('is not what slides back in after months, nor what was edited', () => {
    const ledger = polled(['1'], ['2'], ['3'], ['4']);
    const found = [finding('1', { title: 'Another title', postedAt: '2026-11-21' }), finding('4')];
    expect(record(ledger, found, options({ now: NOW + 90 * DAY })).fresh).toEqual([]);
  });

  test('several tags: in order of their days, whatever tag found them', () => {
    const found = [
      finding('c', { postedAt: '2026-11-20' }),
      finding('a', { postedAt: '2026-11-18' }),
      finding('b', { postedAt: '2026-11-19' }),
    ];
    expect(owedTo(record(polled(['1']), found, options()).ledger)).toEqual(['a', 'b', 'c']);
  });

  test('keeps reasons, and only what a reader is shown', () => {
    const long = finding(
      '2',
      { description: `<p>${'word '.repeat(500)}</p>`, extra: { x: 1 } },
      {
        verdict: { ok: true, matched: ['rust', 'zk'] },
        also: { a: ['defi'] },
      },
    );
    const [owed] = record(polled(['1']), [long, finding('1')], options()).ledger.outbox;
    expect(owed).toMatchObject({ matched: ['rust', 'zk'], also: { a: ['defi'] } });
    expect(owed?.posting.description?.length).toBeLessThanOrEqual(400);
    expect(owed?.posting).not.toHaveProperty('extra');
    expect(trimmed({ key: 'id:1' })).toEqual({ key: 'id:1' });
  });

  test('filtered out is recorded with its rule and stays out', () => {
    const no = finding('2', {}, { verdict: { ok: false, rule: 'include: zk' } });
    const { ledger, counts } = record(polled(['1']), [no], options());
    expect(ledger.seen['id:2']).toMatchObject({ fate: 'filtered', by: 'include: zk' });
    expect(counts).toEqual({ matched: 0, filtered: 1, reposts: 0 });
    expect(record(ledger, [finding('2')], options()).fresh).toEqual([]);
  });
});

describe('recognising a posting', () => {
  const LINK = 'https://board.example/r/abc';

  test('that comes back without its id, by its link', () => {
    const ledger = record(polled(['1']), [finding('2', { applyUrl: LINK })], options()).ledger;
    const bare = thinned(LINK);
    expect(record(ledger, [bare], options()).fresh).toEqual([]);
  });

  test('that was first seen without one', () => {
    const bare = thinned(LINK);
    const ledger = record(polled(['1']), [bare], options()).ledger;
    expect(record(ledger, [finding('2', { applyUrl: LINK })], options()).fresh).toEqual([]);
  });

  test('but two ids with one careers page are two postings', () => {
    const found = [finding('3', { applyUrl: LINK }), finding('2', { applyUrl: LINK })];
    expect(owedTo(record(polled(['1']), found, options()).ledger)).toEqual(['2', '3']);
  });

  test('both forms in one poll are one', () => {
    const bare = thinned(LINK);
    expect(record(polled(['1']), [finding('2', { applyUrl: LINK }), bare], options()).fresh).toHaveLength(1);
  });

  test('names of the language are no postings', () => {
    const odd = {
      ...finding('1'),
      keys: ['id:__proto__'],
      posting: { key: 'id:__proto__', id: '__proto__' },
    };
    expect(record(polled(['1']), [odd], options()).fresh).toHaveLength(1);
  });
});

describe('reposts', () => {
  const same = { title: 'Rust Dev', company: 'Acme', location: 'Berlin' };
  const first = record(polled(['1']), [finding('2', same)], options({ now: NOW - 5 * DAY })).ledger;

  test('are not announced again, and told from what', () => {
    const { ledger, counts } = record(first, [finding('3', { ...same, title: 'RUST dev' })], options());
    expect(ledger.seen['id:3']).toMatchObject({ fate: 'repost', by: 'id:2' });
    expect(counts).toEqual({ matched: 1, filtered: 0, reposts: 1 });
    expect(owedTo(ledger)).toEqual(['2']);
  });

  test('are announced when wanted, with the day they were first seen', () => {
    const { ledger } = record(first, [finding('3', same)], options({ reposts: true }));
    expect(ledger.outbox.at(-1)).toMatchObject({ posting: { id: '3' }, seenBefore: '2026-11-16' });
  });

  test('another place or company is another posting', () => {
    const found = [finding('3', { ...same, location: 'Paris' }), finding('4', { ...same, company: 'Other' })];
    expect(record(first, found, options()).counts.reposts).toBe(0);
  });

  test('of one that was filtered out are news: nobody was told of that one', () => {
    const no = finding('2', same, { verdict: { ok: false, rule: 'minSalary: pay unknown' } });
    const ledger = record(polled(['1']), [no], options()).ledger;
    const second = record(ledger, [finding('3', same)], options());
    expect(owedTo(second.ledger)).toEqual(['3']);
    expect(record(second.ledger, [finding('4', same)], options()).counts.reposts).toBe(1);
  });
});

describe('questions', () => {
  const rust = (place: number) => ({ by: [`rust|||${place}`] });
  const asked = ['rust|||50'];
  const base = record(EMPTY_LEDGER, [finding('1', {}, rust(1))], options({ asked })).ledger;

  test('a new tag brings the past weeks: recorded, not announced; what the old tags find too is news', () => {
    const found = [
      finding('old', {}, { by: ['defi|||1'] }),
      finding('both', {}, { by: ['defi|||2', 'rust|||1'] }),
      finding('1', {}, rust(2)),
    ];
    const { ledger } = record(base, found, options({ asked: ['rust|||50', 'defi|||50'] }));
    expect(owedTo(ledger)).toEqual(['both']);
    expect(ledger.seen['id:old']?.fate).toBe('baseline');
    const next = record(
      ledger,
      [finding('new', {}, { by: ['defi|||1'] })],
      options({ asked: ['defi|||50'] }),
    );
    expect(owedTo(next.ledger)).toEqual(['both', 'new']);
  });

  test('a tag taken away and put back is new again', () => {
    const without = record(
      base,
      [finding('x', {}, { by: ['defi|||1'] })],
      options({ asked: ['defi|||50'] }),
    ).ledger;
    const back = record(without, [finding('y', {}, rust(1))], options({ asked: ['defi|||50', 'rust|||50'] }));
    expect(back.ledger.seen['id:y']?.fate).toBe('baseline');
  });

  test('a lower limit asks nothing new; a higher one does, below what the lower one showed', () => {
    const lower = record(base, [finding('2', {}, rust(1))], options({ asked: ['rust|||20'] }));
    expect(owedTo(lower.ledger)).toEqual(['2']);
    const higher = record(
      base,
      [finding('2', {}, rust(50)), finding('3', {}, rust(51))],
      options({ asked: ['rust|||100'] }),
    );
    expect(owedTo(higher.ledger)).toEqual(['2']);
    expect(higher.ledger.seen['id:3']?.fate).toBe('baseline');
  });
});

describe('a pause', () => {
  const PAUSE = NOW - 3 * DAY;
  const ended = record(polled(['1']), [finding('2'), finding('1')], options({ pause: PAUSE }));

  test('is recorded by the first poll after it, not sent, and no gap', () => {
    expect(ended.ledger.seen['id:2']?.fate).toBe('paused');
    expect(owesAnything(ended.ledger)).toBe(false);
    expect(record(polled(['1']), [finding('2')], options({ pause: PAUSE })).gap).toBe(false);
  });

  test('ends with that poll, and another one counts anew', () => {
    const next = record(ended.ledger, [finding('3')], options({ pause: PAUSE }));
    expect(owedTo(next.ledger)).toEqual(['3']);
    const again = record(next.ledger, [finding('4')], options({ pause: NOW }));
    expect(again.ledger.seen['id:4']?.fate).toBe('paused');
    expect(owedTo(again.ledger)).toEqual(['3']);
  });

  test('in which nothing appeared ends too', () => {
    const quiet = record(polled(['1']), [], options({ pause: PAUSE, answered: [] })).ledger;
    expect(owedTo(record(quiet, [finding('2'), finding('1')], options({ pause: PAUSE })).ledger)).toEqual([
      '2',
    ]);
  });
});

describe('a gap', () => {
  const before = polled(['1', '2']);
  const gapIn = (ids: string[], more: Partial<RecordOptions> = {}, ledger = before) =>
    record(
      ledger,
      ids.map((id) => finding(id)),
      options(more),
    ).gap;

  test('is a poll that shares no posting with the last', () => {
    expect(gapIn(['3', '4'])).toBe(true);
    expect(gapIn(['3', '2'])).toBe(false);
  });

  test('is not suspected of an empty feed, a changed question or a part of the answers', () => {
    expect(gapIn([])).toBe(false);
    expect(gapIn(['3'], {}, EMPTY_LEDGER)).toBe(false);
    expect(gapIn(['3'], { asked: ['rust|||100'] })).toBe(false);
    expect(gapIn(['3'], { answered: [] })).toBe(false);
  });

  test('an empty feed in between hides none', () => {
    const emptied = record(before, [], options()).ledger;
    expect(gapIn(['3'], {}, emptied)).toBe(true);
    expect(gapIn(['2', '3'], {}, emptied)).toBe(false);
  });
});

describe('the seen set', () => {
  test('is bounded, forgets the oldest, and never what the feed still shows or what is owed', () => {
    let ledger = polled(['kept']);
    for (let hour = 1; hour <= 60; hour++) {
      const found = Array.from({ length: 50 }, (_, n) => finding(`${hour}-${n}`));
      ledger = record(ledger, [finding('kept'), ...found], options({ now: NOW + hour * 3_600_000 })).ledger;
      const keys = ledger.outbox.filter((owed) => owed.posting.id !== '3-0').map((owed) => owed.posting.key);
      ledger = finish(ledger, 'a', keys, { at: NOW, how: 'sent' });
    }
    expect(Object.keys(ledger.seen)).toHaveLength(seenBound(1, 51));
    expect(ledger.seen).toHaveProperty(['id:kept']);
    expect(ledger.seen).toHaveProperty(['id:3-0']);
    expect(ledger.seen).not.toHaveProperty(['id:4-0']);
  });

  test('keeps what an unchanged tag still shows, though a poll of the others does not speak of it', () => {
    const asked = ['rust|||100', 'defi|||100'];
    const quiet = Array.from({ length: 100 }, (_, n) =>
      finding(`quiet-${n}`, {}, { by: [`defi|||${n + 1}`] }),
    );
    let ledger = record(EMPTY_LEDGER, quiet, options({ asked, now: 0 })).ledger;
    for (let poll = 1; poll <= 25; poll++) {
      const found = Array.from({ length: 100 }, (_, n) =>
        finding(`${poll}-${n}`, {}, { by: [`rust|||${n + 1}`] }),
      );
      ledger = record(
        ledger,
        found,
        options({ asked, answered: ['rust|||100'], destinations: [], now: poll * DAY }),
      ).ledger;
      expect(Object.keys(ledger.seen).length).toBeLessThanOrEqual(seenBound(2, 100));
    }
    expect(record(ledger, quiet, options({ asked, answered: ['defi|||100'], now: 30 * DAY })).fresh).toEqual(
      [],
    );
  });
});
