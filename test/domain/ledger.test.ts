// What a poll makes of its postings: new, old, a repost, a gap. Pure, so every case is a line.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Edition } from '../../src/domain/edition.js';
import {
  areNew,
  EMPTY_LEDGER,
  finish,
  isPauseRecorded,
  type Ledger,
  markApplied,
  markReasons,
  markTwice,
  mayGoByMarks,
  type Owed,
  owesAnything,
  pending,
  postingAt,
  type RecordOptions,
  reasonsAt,
  record,
  trimmed,
} from '../../src/domain/ledger.js';
import { type Posting, postingKeys } from '../../src/domain/posting.js';
import type { ListedPosting } from '../../src/domain/recognise.js';
import { bounded, linkMark, seenBound } from '../../src/domain/seen.js';
import { finding, thinned } from '../helpers/postings.js';
import { runs } from '../helpers/runs.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const ASKED = ['|||100'];

/** All requests answered, unless given otherwise. */
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
  test('sends nothing', () => {
    const { ledger, baseline, gaps, counts } = record(EMPTY_LEDGER, [finding('2'), finding('1')], options());
    expect({ baseline, gaps, counts }).toEqual({
      baseline: true,
      gaps: [],
      counts: { matched: 2, filtered: 0, reposts: 0 },
    });
    expect(fates(ledger)).toEqual({ 'id:1': 'baseline', 'id:2': 'baseline' });
    expect(owesAnything(ledger)).toBe(false);
  });

  test('sends the newest when asked to, by date, the oldest of them first', () => {
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

  test('is made for a subscription that was paused from the start', () => {
    const { ledger } = record(EMPTY_LEDGER, [finding('1')], options({ newest: 1, pause: NOW - DAY }));
    expect(owedTo(ledger)).toEqual(['1']);
    expect(owedTo(record(ledger, [finding('2')], options({ pause: NOW - DAY })).ledger)).toEqual(['1', '2']);
  });
});

describe('a new posting', () => {
  test('is counted when it is announced, from the first poll on', () => {
    const start = NOW - (NOW % 3_600_000);
    const first = record(EMPTY_LEDGER, [finding('1')], options({ now: start, newest: 1 }));
    expect([first.announced, first.ledger.matches]).toEqual([1, { since: start, whole: true, hours: [] }]);
    const no = finding('4', {}, { verdict: { ok: false, rule: 'exclude: x' } });
    const next = record(first.ledger, [finding('3'), finding('2'), no], options({ now: start + 1 }));
    expect([next.announced, next.ledger.matches?.hours]).toEqual([2, [[start, 2]]]);
    const again = record(next.ledger, [finding('3'), finding('2')], options({ now: start + 3_600_000 }));
    expect([again.announced, again.ledger.matches]).toEqual([0, next.ledger.matches]);
  });

  test('is sent to every destination, oldest first, once', () => {
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

  test('is not one that comes back after months, nor one that was edited', () => {
    const ledger = polled(['1'], ['2'], ['3'], ['4']);
    const found = [finding('1', { title: 'Another title', postedAt: '2026-11-21' }), finding('4')];
    expect(record(ledger, found, options({ now: NOW + 90 * DAY })).fresh).toEqual([]);
  });

  test('of several tags is in order of dates, whichever tag found it', () => {
    const found = [
      finding('c', { postedAt: '2026-11-20' }),
      finding('a', { postedAt: '2026-11-18' }),
      finding('b', { postedAt: '2026-11-19' }),
    ];
    expect(owedTo(record(polled(['1']), found, options()).ledger)).toEqual(['a', 'b', 'c']);
  });

  test('keeps its reasons, and only what a reader is shown', () => {
    const long = finding(
      '2',
      { description: `<p>${'word '.repeat(500)}</p>`, extra: { x: 1 } },
      { verdict: { ok: true, matched: ['rust', 'zk'] } },
    );
    const { ledger } = record(polled(['1']), [long, finding('1')], options());
    const [owed] = ledger.outbox;
    expect(owed?.matched).toEqual(['rust', 'zk']);
    const told = markReasons(ledger, 'a', new Set(['id:2']), () => ['defi', 'zk']).outbox[0] as Owed;
    expect([reasonsAt(told, 'a'), reasonsAt(told, 'b')]).toEqual([
      ['rust', 'zk', 'defi'],
      ['rust', 'zk'],
    ]);
    expect(owed?.posting.description?.length).toBeLessThanOrEqual(400);
    expect(owed?.posting).not.toHaveProperty('extra');
    expect(trimmed({ key: 'id:1' })).toEqual({ key: 'id:1' });
  });

  test('keeps the last day to apply from the part of the description that is not kept', () => {
    const description = `<p>${'word '.repeat(500)}</p><p>Apply by 30 November 2026</p>`;
    const kept = trimmed({ key: 'id:1', description, postedAt: '2026-11-20' });
    expect(kept.applyBy).toEqual({ day: '2026-11-30', words: 'Apply by 30 November 2026' });
    expect(trimmed(kept)).toEqual(kept);
    expect(trimmed({ key: 'id:1', description, postedAt: '2026-12-20' })).not.toHaveProperty('applyBy');
  });

  test('that is filtered out is recorded with its rule and is not sent later', () => {
    const no = finding('2', {}, { verdict: { ok: false, rule: 'include: zk' } });
    const { ledger, counts } = record(polled(['1']), [no], options());
    expect(ledger.seen['id:2']).toMatchObject({ fate: 'filtered', by: 'include: zk' });
    expect(counts).toEqual({ matched: 0, filtered: 1, reposts: 0 });
    expect(record(ledger, [finding('2')], options()).fresh).toEqual([]);
  });
});

describe('a posting is recognized', () => {
  const LINK = 'https://board.example/r/abc';

  test('by its link, if it comes back without its id', () => {
    const ledger = record(polled(['1']), [finding('2', { applyUrl: LINK })], options()).ledger;
    const bare = thinned(LINK);
    expect(record(ledger, [bare], options()).fresh).toEqual([]);
  });

  test('if it was first seen without an id', () => {
    const bare = thinned(LINK);
    const ledger = record(polled(['1']), [bare], options()).ledger;
    expect(record(ledger, [finding('2', { applyUrl: LINK })], options()).fresh).toEqual([]);
  });

  test('but two ids with one careers page are two postings', () => {
    const found = [finding('3', { applyUrl: LINK }), finding('2', { applyUrl: LINK })];
    expect(owedTo(record(polled(['1']), found, options()).ledger)).toEqual(['2', '3']);
  });

  test('if both forms are in one poll', () => {
    const bare = thinned(LINK);
    expect(record(polled(['1']), [finding('2', { applyUrl: LINK }), bare], options()).fresh).toHaveLength(1);
  });

  test('and names of the language, such as __proto__, are ordinary keys', () => {
    const odd = {
      ...finding('1'),
      keys: ['id:__proto__'],
      posting: { key: 'id:__proto__', id: '__proto__' },
    };
    expect(record(polled(['1']), [odd], options()).fresh).toHaveLength(1);
  });
});

describe('what is recorded', () => {
  const marked = (id: string, by: readonly string[], marks?: readonly (string | undefined)[]) =>
    finding(id, {}, { by, ...(marks && { marks }) });

  test('is each posting with its fate, title and likeness, and their number', () => {
    const { ledger } = record(polled(['1']), [finding('2')], options());
    expect(ledger.seen['id:2']).toEqual({
      at: NOW,
      fate: 'matched',
      name: expect.any(String),
      like: expect.any(String),
    });
    expect(ledger.seenCount).toBe(2);
    // Of a stored ledger, only a part of what was seen is read.
    const { seenCount } = record({ ...ledger, seen: {} }, [finding('3'), finding('4')], options()).ledger;
    expect(seenCount).toBe(4);
  });

  test('is since when a posting may have been there, if no process ran', () => {
    const ofOutbox = (more: Partial<RecordOptions>) =>
      record(polled(['1']), [finding('2')], options(more)).ledger.outbox;
    expect(ofOutbox({ since: NOW - DAY })).toMatchObject([{ since: NOW - DAY }]);
    expect(ofOutbox({})[0]).not.toHaveProperty('since');
    expect(ofOutbox({ destinations: [] })).toEqual([]);
  });

  test('is the mark of each posting in the answer to each request, in its order', () => {
    const asked = ['rust|||50', 'defi|||50'];
    const found = [
      marked('1', ['rust|||2', 'defi|||1'], ['r1', 'd1']),
      marked('2', ['rust|||1'], [undefined]),
      marked('3', ['defi|||2']),
    ];
    const { ledger } = record(EMPTY_LEDGER, found, options({ asked, token: 't' }));
    expect(ledger.marks).toEqual({ 'rust||': ['', 'r1'], 'defi||': ['d1', ''] });
    expect(ledger.tokens).toEqual({ 'rust||': 't', 'defi||': 't' });
    const less = record(ledger, [], options({ asked: ['defi|||50'], answered: [] })).ledger;
    expect(less.marks).toEqual({ 'defi||': ['d1', ''] });
    expect(less.tokens).toEqual({ 'defi||': 't' });
  });

  test('is also the place of postings that did not change', () => {
    const base = record(EMPTY_LEDGER, [marked('1', ['|||1'], ['m1'])], options()).ledger;
    const shown = [{ key: 'id:1', subject: '||', place: 2, mark: 'm1' }];
    const next = record(base, [marked('2', ['|||1'], ['m2'])], options({ full: ASKED }), shown);
    expect(next.ledger.recent).toEqual({ '||': ['id:2', 'id:1'] });
    expect(next.ledger.marks).toEqual({ '||': ['m2', 'm1'] });
    expect([next.gaps, next.fresh.map(({ posting }) => posting.id)]).toEqual([[], ['2']]);
  });

  test('is in the order of the feed for postings of one day', () => {
    const day = { postedAt: '2026-11-20' };
    const found = ['4', '3', '2'].map((id) => finding(id, day));
    expect(owedTo(record(polled(['1']), found, options()).ledger)).toEqual(['2', '3', '4']);
  });
});

describe('reposts', () => {
  const same = { title: 'Rust Dev', company: 'Acme', location: 'Berlin' };
  const first = record(polled(['1']), [finding('2', same)], options({ now: NOW - 5 * DAY })).ledger;

  test('are not announced again, and name the original', () => {
    const { ledger, counts } = record(first, [finding('3', { ...same, title: 'RUST dev' })], options());
    expect(ledger.seen['id:3']).toMatchObject({ fate: 'repost', by: 'id:2' });
    expect(counts).toEqual({ matched: 1, filtered: 0, reposts: 1 });
    expect(owedTo(ledger)).toEqual(['2']);
  });

  test('are announced when wanted, with the day when they were first seen', () => {
    const { ledger } = record(first, [finding('3', same)], options({ reposts: true }));
    expect(ledger.outbox.at(-1)).toMatchObject({ posting: { id: '3' }, seenBefore: '2026-11-16' });
  });

  test('are also the second of two ids in one answer', () => {
    const { ledger } = record(polled(['1']), [finding('3', same), finding('2', same)], options());
    expect(Object.values(fates(ledger)).sort()).toEqual(['baseline', 'matched', 'repost']);
  });

  test('are not two postings that share a guid in one answer, but one that returns under it later', () => {
    const under = (page: number, fields: Partial<Posting> = {}): ListedPosting => {
      const applyUrl = `https://a.example/${page}`;
      const keys = postingKeys({ guid: 'x', link: applyUrl });
      return {
        ...thinned(applyUrl),
        keys,
        posting: { ...same, key: keys[0] as string, applyUrl, ...fields },
      };
    };
    for (const reposts of [false, true]) {
      const { counts, ledger } = record(polled(['1']), [under(1), under(2)], options({ reposts }));
      expect(counts).toEqual({ matched: 2, filtered: 0, reposts: 0 });
      expect(ledger.outbox.filter((owed) => owed.seenBefore)).toEqual([]);
    }
    const two = [under(1), under(2, { title: 'Editor' })];
    const { ledger } = record(polled(['1']), two, options());
    const later = [under(2, { title: 'Editor' }), under(3, { title: 'Rust Dev!' })];
    expect(record(ledger, later, options()).counts).toEqual({ matched: 1, filtered: 0, reposts: 1 });
  });

  test('do not include another place or company', () => {
    const found = [finding('3', { ...same, location: 'Paris' }), finding('4', { ...same, company: 'Other' })];
    expect(record(first, found, options()).counts.reposts).toBe(0);
  });

  test('of a posting that was filtered out are new, because that one was not announced', () => {
    const no = finding('2', same, { verdict: { ok: false, rule: 'minSalary: pay unknown' } });
    const ledger = record(polled(['1']), [no], options()).ledger;
    const second = record(ledger, [finding('3', same)], options());
    expect(owedTo(second.ledger)).toEqual(['3']);
    expect(record(second.ledger, [finding('4', same)], options()).counts.reposts).toBe(1);
  });
});

describe('requests', () => {
  const rust = (place: number) => ({ by: [`rust|||${place}`] });
  const asked = ['rust|||50'];
  const base = record(EMPTY_LEDGER, [finding('1', {}, rust(1))], options({ asked })).ledger;

  test('with a new tag record older postings without an announcement, and announce what the old tags find too', () => {
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

  test('with a tag that was removed and added again treat it as new', () => {
    const without = record(
      base,
      [finding('x', {}, { by: ['defi|||1'] })],
      options({ asked: ['defi|||50'] }),
    ).ledger;
    const back = record(without, [finding('y', {}, rust(1))], options({ asked: ['defi|||50', 'rust|||50'] }));
    expect(back.ledger.seen['id:y']?.fate).toBe('baseline');
  });

  test('with a lower limit find nothing new; with a higher one they add what is below the former limit', () => {
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

  test('is recorded by the first poll after it: not sent, and no gap', () => {
    expect(ended.ledger.seen['id:2']?.fate).toBe('paused');
    expect(owesAnything(ended.ledger)).toBe(false);
    expect(record(polled(['1']), [finding('2')], options({ pause: PAUSE, full: ASKED })).gaps).toEqual([]);
  });

  test('ends with that poll, and another pause counts separately', () => {
    const next = record(ended.ledger, [finding('3')], options({ pause: PAUSE }));
    expect(owedTo(next.ledger)).toEqual(['3']);
    const again = record(next.ledger, [finding('4')], options({ pause: NOW }));
    expect(again.ledger.seen['id:4']?.fate).toBe('paused');
    expect(owedTo(again.ledger)).toEqual(['3']);
  });

  test('does not end once more when the subscription no longer names it', () => {
    expect(owedTo(record(ended.ledger, [finding('3')], options()).ledger)).toEqual(['3']);
  });

  test('is recorded when each of its requests was answered since', () => {
    expect(isPauseRecorded(polled(['1']), PAUSE)).toBe(false);
    expect(isPauseRecorded(ended.ledger, PAUSE)).toBe(true);
    expect(isPauseRecorded(ended.ledger, PAUSE - DAY)).toBe(false);
    expect(isPauseRecorded({ ...ended.ledger, unheard: ['rust||'] }, PAUSE)).toBe(false);
    const { unheard: _unheard, ...old } = ended.ledger;
    expect(isPauseRecorded(old, PAUSE)).toBe(true);
  });

  test('ends also if nothing appeared in it', () => {
    const quiet = record(polled(['1']), [], options({ pause: PAUSE, answered: [] })).ledger;
    expect(owedTo(record(quiet, [finding('2'), finding('1')], options({ pause: PAUSE })).ledger)).toEqual([
      '2',
    ]);
  });
});

describe('a gap', () => {
  const LIMIT = 4;

  /** The gaps of the last of several answers to one request. Answers as long as the limit, or the longest, are full. */
  function gapsOf(answers: readonly string[], more: Partial<RecordOptions> = {}): readonly string[] {
    const lists = answers.map((answer) => answer.split(' ').filter(Boolean));
    const limit = Math.max(LIMIT, ...lists.map(({ length }) => length));
    const question = `|||${limit}`;
    let ledger = EMPTY_LEDGER;
    let gaps: readonly string[] = [];
    for (const [hour, ids] of lists.entries()) {
      const found = ids.map((id, place) => finding(id, {}, { by: [`|||${place + 1}`] }));
      const full = ids.length >= limit ? [question] : [];
      const last = hour === answers.length - 1 ? more : {};
      const now = NOW + hour * 3_600_000;
      ({ ledger, gaps } = record(ledger, found, options({ asked: [question], full, now, ...last })));
    }
    return gaps;
  }

  test.each([
    ['all is new', ['4 3 2 1', '8 7 6 5']],
    ['a known one stays on top', ['4 3 2 1', '4 8 7 6']],
    ['an old one comes back on top', ['4 3 2 1', '6 5 4 3', '1 9 8 7']],
    ['a known one stays at the bottom', ['4 3 2 1', '8 7 6 1']],
    ['two known ones stay at the bottom', ['6 5 4 3 2 1', '10 9 8 7 2 1']],
    ['a small feed grew past the limit', ['1', '1 9 8 7']],
    ['an empty answer came in between', ['4 3 2 1', '', '8 7 6 5']],
  ])('is suspected when %s', (_how, answers) => {
    expect(gapsOf(answers)).toEqual(['||']);
  });

  test.each([
    ['the window reaches down to what was known', ['4 3 2 1', '7 6 5 4']],
    ['the answer is not full', ['4 3 2 1', '7 6 5']],
    ['the feed is small, and all of it changed', ['2 1', '4 3']],
    ['the feed is empty', ['4 3 2 1', '']],
    ['the order changed', ['4 3 2 1', '1 3 2 4']],
    ['an old one slid in', ['4 3 2 1', '4 0 3 2']],
    ['one went, and an older one moved up into the window', ['4 3 2 1', '4 3 1 0']],
    ['a new one took the place of one in the middle', ['4 3 2 1', '4 5 2 1']],
    ['half of them went, and older ones moved up into the window', ['4 3 2 1', '4 3 0 00']],
    ['a known one stands above the one at the bottom', ['6 5 4 3 2 1', '10 9 8 7 6 1']],
    ['nothing changed', ['4 3 2 1', '4 3 2 1']],
    ['it is the first answer', ['4 3 2 1']],
  ])('is not suspected when %s', (_how, answers) => {
    expect(gapsOf(answers)).toEqual([]);
  });

  test('is not suspected for a changed request, nor for an unchanged answer', () => {
    expect(gapsOf(['4 3 2 1', '8 7 6 5'], { asked: ['rust|||4'], full: ['rust|||4'] })).toEqual([]);
    expect(gapsOf(['4 3 2 1', '8 7 6 5'], { answered: [] })).toEqual([]);
  });

  test('is suspected for one request while the others continue as before', () => {
    const asked = ['solidity|||20', 'java|||20'];
    const window = (tag: string, from: number) =>
      Array.from({ length: 20 }, (_, n) => finding(`${tag}-${from - n}`, {}, { by: [`${tag}|||${n + 1}`] }));
    const all = { asked, full: asked };
    const base = record(
      EMPTY_LEDGER,
      [...window('solidity', 20), ...window('java', 20)],
      options({ ...all, now: NOW - DAY }),
    ).ledger;
    const next = record(base, [...window('solidity', 50), ...window('java', 21)], options(all));
    expect(next.gaps).toEqual(['solidity||']);
    // Postings beyond the limit were missed in one request, and were there before in the other.
    const wide = ['solidity', 'java'].flatMap((tag) => {
      const from = tag === 'java' ? 21 : 50;
      return Array.from({ length: 60 }, (_, n) =>
        finding(`${tag}-${from - n}`, {}, { by: [`${tag}|||${n + 1}`] }),
      );
    });
    const { ledger, fresh, gaps } = record(next.ledger, wide, options({ asked, now: NOW + 3_600_000 }));
    expect(gaps).toEqual([]);
    expect(fresh.filter((one) => one.fate === 'matched').map((one) => one.posting.id)).toEqual(
      Array.from({ length: 10 }, (_, n) => `solidity-${30 - n}`),
    );
    expect(ledger.seen['id:java-1']?.fate).toBe('baseline');
    expect(ledger.seen['id:java-0']?.fate).toBe('baseline');
  });

  /** What became of the new postings of a wider answer after a gap, by place; `known`: when the others were seen. */
  function afterGap(places: readonly string[], known: Readonly<Record<string, number>>) {
    const asked = ['rust|||2', 'defi|||2'];
    const seen = Object.fromEntries(
      Object.entries(known).map(([id, at]) => [`id:${id}`, { at, fate: 'matched' as const }]),
    );
    const ledger = { ...EMPTY_LEDGER, baselineAt: NOW - DAY, asked, seen, gaps: { 'rust||': NOW - 1000 } };
    const found = places.map((id, n) => finding(id, {}, { by: [`rust|||${n + 1}`, `defi|||${n + 11}`] }));
    const { fresh } = record(ledger, found, options({ asked: ['rust|||20', 'defi|||20'] }));
    return Object.fromEntries(fresh.map(({ posting, fate }) => [posting.id, fate]));
  }

  test('is filled by what stands above the last posting known from before it', () => {
    const [before, since] = [NOW - 2000, NOW - 1000];
    const known = { old: before, older: before, late: since };
    expect(afterGap(['new', 'old', 'missed', 'older', 'beyond', 'late', 'last'], known)).toEqual({
      new: 'matched',
      missed: 'matched',
      beyond: 'baseline',
      last: 'baseline',
    });
  });

  test('is filled by the whole answer if nothing in it is known from before it', () => {
    expect(afterGap(['new', 'late', 'missed', 'last'], { late: NOW - 1000 })).toEqual({
      new: 'matched',
      missed: 'matched',
      last: 'matched',
    });
  });

  test('is judged by whether the former answer to the same request was full', () => {
    const asked = ['rust|||4', 'defi|||2'];
    const window = (tag: string, ids: string) =>
      ids.split(' ').map((id, n) => finding(`${tag}${id}`, {}, { by: [`${tag}|||${n + 1}`] }));
    const gapsAfter = (rust: string, defi: string, next: string) => {
      const found = [...window('rust', rust), ...window('defi', defi)];
      const { ledger } = record(EMPTY_LEDGER, found, options({ asked }));
      const all = [...window('rust', next), ...window('defi', defi)];
      return record(ledger, all, options({ asked, full: ['rust|||4'] })).gaps;
    };
    expect(gapsAfter('4 3 2 1', '1', '4 3 2 0')).toEqual([]);
    expect(gapsAfter('3 2 1', '2 1', '3 2 1 0')).toEqual(['rust||']);
  });

  test('is watched for a day', () => {
    const asked = ['|||2'];
    const base = record(EMPTY_LEDGER, [finding('1')], options({ asked })).ledger;
    const gap = record(base, [finding('3'), finding('2')], options({ asked, full: asked })).ledger;
    expect(gap.gaps).toEqual({ '||': NOW });
    const soon = record(gap, [], options({ asked, now: NOW + DAY - 1 })).ledger;
    expect(soon.gaps).toEqual({ '||': NOW });
    expect(record(soon, [], options({ asked, now: NOW + DAY })).ledger.gaps).toEqual({});
  });
});

describe('a request without an answer', () => {
  const asked = ['rust|||100', 'defi|||100'];
  const rust = (id: string, place = 1) => finding(id, {}, { by: [`rust|||${place}`] });
  const defi = (id: string, place = 1) => finding(id, {}, { by: [`defi|||${place}`] });
  const onlyRust = { asked, answered: ['rust|||100'], unanswered: ['defi|||100'] };

  test('has its own baseline at its first answer, if it failed at the first poll', () => {
    const first = record(EMPTY_LEDGER, [rust('1')], options(onlyRust)).ledger;
    expect(first.asked).toEqual(['rust|||100']);
    expect(first.recent).toEqual({ 'rust||': ['id:1'] });
    const second = record(
      first,
      [rust('2'), rust('1', 2), defi('3'), defi('4', 2)],
      options({ asked }),
    ).ledger;
    expect(owedTo(second)).toEqual(['2']);
    expect(fates(second)).toMatchObject({ 'id:3': 'baseline', 'id:4': 'baseline' });
    expect(owedTo(record(second, [defi('5')], options({ asked })).ledger)).toEqual(['2', '5']);
  });

  test('stays known, and its new postings are announced when it is answered', () => {
    const base = record(EMPTY_LEDGER, [rust('1'), defi('2')], options({ asked })).ledger;
    const failed = record(base, [rust('3'), rust('1', 2)], options(onlyRust)).ledger;
    expect(failed.asked).toEqual(asked);
    expect(failed.recent['defi||']).toEqual(['id:2']);
    const next = record(failed, [defi('4'), defi('2', 2)], options({ asked })).ledger;
    expect(owedTo(next)).toEqual(['3', '4']);
  });

  test('still records the postings of a pause, while the others do not', () => {
    const base = record(EMPTY_LEDGER, [rust('1'), defi('2')], options({ asked })).ledger;
    const pause = { pause: NOW - DAY, resumedAt: NOW };
    const first = record(base, [rust('3')], options({ ...onlyRust, ...pause })).ledger;
    expect(first.unheard).toEqual(['defi||']);
    const next = record(
      first,
      [rust('4'), defi('5'), { ...defi('6'), by: ['rust|||2', 'defi|||2'] }],
      options({ asked, ...pause }),
    );
    expect(fates(next.ledger)).toMatchObject({ 'id:3': 'paused', 'id:5': 'paused' });
    expect(owedTo(next.ledger)).toEqual(['6', '4']);
    expect(next.ledger.unheard).toEqual([]);
  });
});

describe('postings under one key', () => {
  const LINK = 'https://careers.example/jobs';
  const linked = (title: string, link = LINK): ListedPosting => {
    const { posting } = thinned(link);
    return { ...thinned(link), posting: { ...posting, title } };
  };
  const guid = (title: string, link: string, id = 'x'): ListedPosting => {
    const keys = postingKeys({ guid: id, link });
    return { ...thinned(link), keys, posting: { key: keys[0] as string, title, applyUrl: link } };
  };
  const keysOf = (ledger: Ledger) => pending(ledger, 'a').map((owed) => owed.posting.key);
  const titles = (ledger: Ledger) => pending(ledger, 'a').map((owed) => owed.posting.title);

  test('two titles on one link in one answer are two, once each, in any order', () => {
    const first = record(polled(['1']), [linked('Go Dev'), linked('Rust Dev')], options());
    expect(titles(first.ledger)).toEqual(['Rust Dev', 'Go Dev']);
    expect(new Set(keysOf(first.ledger)).size).toBe(2);
    let { ledger } = first;
    for (const found of [
      [linked('Rust Dev'), linked('Go Dev')],
      [linked('Rust Dev')],
      [linked('Go Dev')],
      [linked('Go Dev'), linked('Rust Dev')],
    ]) {
      const next = record(ledger, found, options());
      expect(next.fresh).toEqual([]);
      ledger = next.ledger;
    }
    expect(titles(record(ledger, [linked('Java Dev'), linked('Go Dev')], options()).ledger)).toEqual([
      'Rust Dev',
      'Go Dev',
      'Java Dev',
    ]);
  });

  test('two links with one guid in one answer are two, also with the same title', () => {
    const one = guid('Dev', `${LINK}/1`);
    const two = guid('Dev', `${LINK}/2`);
    const first = record(polled(['1']), [two, one], options());
    expect(pending(first.ledger, 'a').map((owed) => owed.posting.applyUrl)).toEqual([
      `${LINK}/1`,
      `${LINK}/2`,
    ]);
    for (const found of [[one, two], [one], [two], [guid('Dev 2', `${LINK}/2`), one]])
      expect(record(first.ledger, found, options()).fresh).toEqual([]);
  });

  test('a second one that comes later is new, the first is not', () => {
    const first = record(polled(['1']), [linked('Rust Dev')], options()).ledger;
    const second = record(first, [linked('Go Dev'), linked('Rust Dev')], options());
    expect(second.fresh.map(({ posting }) => posting.title)).toEqual(['Go Dev']);
    expect(record(second.ledger, [linked('Rust Dev'), linked('Go Dev')], options()).fresh).toEqual([]);
  });

  test('one with a new title is the same while it is alone', () => {
    const first = record(polled(['1']), [linked('Rust Dev')], options()).ledger;
    expect(record(first, [linked('Senior Rust Dev')], options()).fresh).toEqual([]);
    const both = record(polled(['1']), [guid('A', `${LINK}/1`)], options()).ledger;
    const next = record(both, [guid('B', `${LINK}/2`), guid('A 2', `${LINK}/1`)], options());
    expect(next.fresh.map(({ posting }) => posting.title)).toEqual(['B']);
  });

  test('in two answers of one poll: two titles on a plain link are two, two versions under one guid are one', () => {
    const asked = ['rust|||100', 'defi|||100'];
    const base = record(EMPTY_LEDGER, [], options({ asked })).ledger;
    const freshOf = (make: (title: string) => ListedPosting) => {
      const by = (tag: string, title: string) => ({ ...make(title), by: [`${tag}|||1`] });
      return record(base, [by('rust', 'Old'), by('defi', 'New')], options({ asked })).fresh;
    };
    expect(freshOf(linked)).toHaveLength(2);
    expect(freshOf((title) => guid(title, LINK))).toHaveLength(1);
  });

  test('one of a ledger without titles is not announced again', () => {
    const { ledger } = record(polled(['1']), [linked('Rust Dev')], options());
    const seen = Object.fromEntries(
      Object.entries(ledger.seen).map(([key, { name: _, ...entry }]) => [key, entry]),
    );
    const next = record({ ...ledger, seen }, [linked('Go Dev'), linked('Rust Dev')], options());
    expect(next.fresh.map(({ posting }) => posting.title)).toEqual(['Go Dev']);
  });

  const shown = fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D'), { minLength: 0, maxLength: 4 });
  const forms = [
    (name: string) => linked(`Job ${name}`),
    (name: string) => guid('Job', `${LINK}/${name}`),
    (name: string) => guid(`Job ${name}`, `${LINK}/${name}`),
    (name: string) => guid(`Job ${name}`, LINK),
  ];

  test('each is announced once, in any order and combination', () => {
    fc.assert(
      fc.property(fc.constantFrom(...forms), fc.array(shown, { maxLength: 12 }), (form, answers) => {
        let ledger = polled(['1']);
        const known = new Set<string>();
        for (const names of answers) {
          const next = record(ledger, names.map(form), options());
          const news = names.filter((name) => !known.has(name));
          // A single one may be an edit of the one seen before; of several, each is a posting.
          if (names.length > 1 || known.size === 0) {
            expect(next.fresh).toHaveLength(news.length);
            for (const name of names) known.add(name);
          } else if (next.fresh.length > 0) {
            expect(news).toHaveLength(1);
            known.add(names[0] as string);
          } else if (news.length > 0) return;
          ledger = next.ledger;
        }
        expect(new Set(keysOf(ledger)).size).toBe(known.size);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('keys that change', () => {
  const code = (id: number) => [...Buffer.from(String(id)).toString('base64')].reverse().join('');
  const item = (
    guid: string | undefined,
    link: string,
    fields: Partial<Posting> = {},
    place = 1,
  ): ListedPosting => {
    const keys = postingKeys({ guid, link });
    const posting: Posting = { key: keys[0] as string, title: 'Rust Dev', applyUrl: link, ...fields };
    return { posting, keys, verdict: { ok: true, matched: [] }, by: [`|||${place}`] };
  };
  const decoded = (guid: string, id: number, fields: Partial<Posting> = {}) =>
    item(guid, `https://board.example/r/${code(id)}__me`, fields);
  const opaque = (run: string, names: readonly string[], fields: Partial<Posting> = {}) =>
    names.map((title, at) =>
      item(
        undefined,
        `https://board.example/r/${run}${title}${names.slice(at).filter((name) => name === title).length}`,
        { title, ...fields },
        at + 1,
      ),
    );
  const announced = (ledger: Ledger) => pending(ledger, 'a').map((owed) => owed.posting.title);
  const JOBS = ['E', 'D', 'C', 'B', 'A'];

  test('a new guid for the same id in the link and the same title is the same posting, any number of times', () => {
    let { ledger } = record(
      EMPTY_LEDGER,
      [1, 2, 3].map((id) => decoded(`g0-${id}`, id)),
      options(),
    );
    for (let change = 1; change <= 20; change++) {
      const next = record(
        ledger,
        [1, 2, 3].map((id) => decoded(`g${change}-${id}`, id)),
        options({ reposts: true }),
      );
      expect([next.fresh, next.rekeyed]).toEqual([[], []]);
      ledger = next.ledger;
    }
    expect(Object.keys(ledger.seen)).toHaveLength(3);
    expect(JSON.stringify(ledger).length).toBeLessThan(3000);
    expect(record(ledger, [decoded('g20-1', 1)], options()).fresh).toEqual([]);
  });

  test('but not with another title, nor beside the former one', () => {
    const { ledger } = record(EMPTY_LEDGER, [decoded('a', 1)], options());
    expect(record(ledger, [decoded('b', 1, { title: 'Go Dev' })], options()).fresh).toHaveLength(1);
    expect(record(ledger, [decoded('b', 1), decoded('a', 1)], options()).fresh).toHaveLength(1);
  });

  test('a new guid on an opaque link is the same posting, unless reposts are wanted or the place differs', () => {
    const link = 'https://careers.example/jobs';
    const { ledger } = record(EMPTY_LEDGER, [item('a', link)], options());
    expect(record(ledger, [item('b', link)], options()).fresh).toEqual([]);
    expect(record(ledger, [item('b', link)], options({ reposts: true })).fresh).toHaveLength(1);
    expect(record(ledger, [item('b', link, { location: 'Paris' })], options()).fresh).toHaveLength(1);
    expect(record(ledger, [item('b', link), item('a', link)], options()).fresh).toHaveLength(1);
  });

  test.each([false, true])(
    'another token with other links: compared by title and company (reposts: %s)',
    (reposts) => {
      const { ledger } = record(EMPTY_LEDGER, opaque('one', JOBS), options({ token: 'one' }));
      const next = record(ledger, opaque('two', ['F', ...JOBS, 'A']), options({ token: 'two', reposts }));
      expect(announced(next.ledger)).toEqual(['A', 'F']);
      expect(next.rekeyed).toEqual([]);
      const again = record(
        next.ledger,
        opaque('two', ['F', ...JOBS, 'A']),
        options({ token: 'two', reposts }),
      );
      expect(again.fresh).toEqual([]);
    },
  );

  test('another token: also for a single posting, and for a request that fails at first', () => {
    const asked = ['rust|||100', 'defi|||100'];
    const of = (tag: string, run: string): ListedPosting => ({
      ...(opaque(run, [tag])[0] as ListedPosting),
      by: [`${tag}|||1`],
    });
    const base = record(
      EMPTY_LEDGER,
      [of('rust', 'a'), of('defi', 'a')],
      options({ asked, token: 'one' }),
    ).ledger;
    const first = record(
      base,
      [of('rust', 'b')],
      options({ asked, answered: ['rust|||100'], unanswered: ['defi|||100'], token: 'two', reposts: true }),
    );
    expect(first.fresh).toEqual([]);
    const second = record(first.ledger, [of('defi', 'b')], options({ asked, token: 'two', reposts: true }));
    expect(second.fresh).toEqual([]);
    expect(
      record(second.ledger, [of('defi', 'c')], options({ asked, token: 'two', reposts: true })).fresh,
    ).toHaveLength(1);
  });

  test('a window with new keys and old titles is recorded and reported, and only what is new in it is sent', () => {
    const { ledger } = record(EMPTY_LEDGER, opaque('one', JOBS), options({ token: 't' }));
    const next = record(
      ledger,
      opaque('two', ['F', ...JOBS]),
      options({ token: 't', reposts: true, full: ASKED }),
    );
    expect([next.rekeyed, next.gaps]).toEqual([['||'], []]);
    expect(announced(next.ledger)).toEqual(['F']);
    const later = record(next.ledger, opaque('two', ['G', 'F', ...JOBS]), options({ token: 't' }));
    expect([announced(later.ledger), later.rekeyed]).toEqual([['F', 'G'], []]);
  });

  test('several jobs with one title stay as many as they were', () => {
    const same = (run: string, count: number) =>
      opaque(run, ['Other', ...Array.from({ length: count }, () => 'Dev'), 'More'], { company: 'Acme' });
    const { ledger } = record(EMPTY_LEDGER, same('one', 2), options());
    const next = record(ledger, same('two', 3), options({ reposts: true }));
    expect([next.rekeyed, announced(next.ledger)]).toEqual([['||'], ['Dev']]);
  });

  test('one title alone is no change of keys, because it may be posted again', () => {
    const { ledger } = record(
      EMPTY_LEDGER,
      opaque('one', ['Dev', 'Dev', 'Dev'], { company: 'Acme' }),
      options(),
    );
    const next = record(
      ledger,
      opaque('two', ['Dev', 'Dev', 'Dev'], { company: 'Acme' }),
      options({ reposts: true }),
    );
    expect([next.rekeyed, next.fresh.length]).toEqual([[], 3]);
  });

  test('a few old titles among many new ones are no change of keys either', () => {
    const names = Array.from({ length: 20 }, (_, n) => `T${n}`);
    const { ledger } = record(EMPTY_LEDGER, opaque('one', names), options());
    const next = record(
      ledger,
      opaque('two', [...names.slice(0, 3), ...names.slice(3).map((name) => `New ${name}`)]),
      options(),
    );
    expect([next.rekeyed, next.fresh.length]).toEqual([[], 20]);
  });

  test('C, C++ and C# at one company are three jobs', () => {
    const found = ['C Dev', 'C++ Dev', 'C# Dev'].map((title, at) =>
      finding(`c${at}`, { title, company: 'Acme' }),
    );
    expect(record(polled(['1']), found, options()).counts.reposts).toBe(0);
  });

  test('announces a posting once for any change of its keys, and always a new one', () => {
    const change = fc.record({
      news: fc.nat(3),
      guids: fc.boolean(),
      token: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        let [run, token, count] = [0, 0, 5];
        const answer = () =>
          Array.from({ length: 12 }, (_, at) => count - at)
            .filter((id) => id > 0)
            .map((id, at) =>
              item(`${run}-${id}`, `https://board.example/r/${token}-${id}`, { title: `T${id}` }, at + 1),
            );
        let { ledger } = record(EMPTY_LEDGER, answer(), options({ token: '0' }));
        for (const { news, guids, token: other } of changes) {
          count += news;
          if (guids) run++;
          if (other) token++;
          const next = record(ledger, answer(), options({ token: String(token), reposts: true }));
          // Without guids and links, only titles are left, and those are used only for a whole window.
          expect(next.fresh.map(({ posting }) => posting.title)).toEqual(
            Array.from({ length: news }, (_, at) => `T${count - at}`),
          );
          ledger = next.ledger;
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('the end of a pause', () => {
  const PAUSE = NOW - 3 * DAY;
  const asked = (late: number) => options({ pause: PAUSE, resumedAt: NOW, now: NOW + late });
  const found = [
    finding('before', { postedAt: '2026-11-19' }),
    finding('that-day', { postedAt: '2026-11-21' }),
    finding('undated'),
    finding('1'),
  ];

  test('treats all postings of the poll at that moment as part of the pause', () => {
    for (const late of [0, 1000, 60_000, -5 * DAY])
      expect(owesAnything(record(polled(['1']), found, asked(late)).ledger)).toBe(false);
  });

  test('treats only those with an earlier date as part of the pause, if the poll had to wait', () => {
    const { ledger } = record(polled(['1']), found, asked(2 * 3_600_000));
    expect(fates(ledger)).toMatchObject({ 'id:before': 'paused' });
    expect(owedTo(ledger).sort()).toEqual(['that-day', 'undated']);
  });
});

test('limits the seen set: the oldest are removed first, but none that must be kept', () => {
  const seen = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [`id:${n}`, { at: NOW + n, fate: 'matched' as const }]),
  );
  const kept = bounded(seen, new Set(['id:0', 'id:3']), 20);
  expect(Object.keys(kept)).toEqual([
    'id:0',
    'id:3',
    ...Array.from({ length: 18 }, (_, n) => `id:${n + 42}`),
  ]);
  expect(bounded(seen, new Set(), 60)).toBe(seen);
  expect([seenBound(1, 51), seenBound(2, 8), seenBound(0, 500)]).toEqual([1000, 2000, 5000]);
});

describe('marks are enough to tell what is new', () => {
  const asked = ['rust|||50', 'defi|||50'];
  const ledger: Ledger = {
    ...EMPTY_LEDGER,
    baselineAt: NOW - DAY,
    asked,
    pause: NOW - 3 * DAY,
    tokens: { 'rust||': 't', 'defi||': 't' },
    marks: { 'rust||': ['m'], 'defi||': [] },
  };
  const { baselineAt: _first, ...unpolled } = ledger;
  const { pause: _pause, ...unpaused } = ledger;
  const { pause, ...now } = options({ asked, token: 't', pause: NOW - 3 * DAY }) as Required<RecordOptions>;

  test.each<[string, Ledger, Partial<RecordOptions>, boolean]>([
    ['if everything is known', ledger, { pause }, true],
    ['but not before the first poll', unpolled, { pause }, false],
    ['but not if a pause ended since', ledger, { pause: NOW }, false],
    ['but not after the first pause', unpaused, { pause }, false],
    ['if there was no pause', unpaused, {}, true],
    [
      'but not while postings of a pause are to be recorded',
      { ...ledger, unheard: ['x||'] },
      { pause },
      false,
    ],
    ['but not while a gap is watched', { ...ledger, gaps: { 'x||': NOW - DAY + 1 } }, { pause }, false],
    ['if a gap is no longer watched', { ...ledger, gaps: { 'x||': NOW - DAY } }, { pause }, true],
    ['but not for a new question', { ...ledger, asked: ['rust|||50'] }, { pause }, false],
    [
      'if a new question was not answered',
      { ...ledger, asked: ['rust|||50'] },
      { answered: ['rust|||50'] },
      true,
    ],
    ['but not for a higher limit', { ...ledger, asked: ['rust|||20', 'defi|||50'] }, { pause }, false],
    ['if the limit is lower', { ...ledger, asked: ['rust|||80', 'defi|||50'] }, { pause }, true],
    ['but not with another token', ledger, { token: 'u' }, false],
    [
      'but not if one question was asked with another token',
      { ...ledger, tokens: { 'rust||': 't', 'defi||': 'u' } },
      { pause },
      false,
    ],
    ['but not if one question has no marks', { ...ledger, marks: { 'rust||': ['m'] } }, { pause }, false],
    ['but not for a ledger without any', { ...EMPTY_LEDGER, baselineAt: NOW - DAY }, {}, false],
    ['if there is no answer', { ...EMPTY_LEDGER, baselineAt: NOW - DAY }, { answered: [] }, true],
  ])('%s', (_when, before, more, enough) => {
    expect(mayGoByMarks(before, { ...now, ...more })).toBe(enough);
  });
});

describe('postings are certainly new', () => {
  const acme = { company: 'Acme' };

  test.each<[string, readonly ListedPosting[], boolean]>([
    ['if nothing is alike', [finding('1'), finding('2')], true],
    ['if there are none', [], true],
    ['if they have only links', [thinned('https://a.example/1'), thinned('https://a.example/2')], true],
    [
      'but not with one link',
      [finding('1', { applyUrl: 'https://a.example/1' }), thinned('https://a.example/1')],
      false,
    ],
    [
      'but not with one title and company',
      [
        finding('1', { ...acme, title: 'Dev', location: 'A' }),
        finding('2', { ...acme, title: 'Dev', location: 'B' }),
      ],
      false,
    ],
    [
      'but not with titles that differ in punctuation',
      [finding('1', { ...acme, title: 'Dev' }), finding('2', { ...acme, title: 'Dev!' })],
      false,
    ],
  ])('%s', (_when, findings, certain) => {
    expect(areNew(findings, EMPTY_LEDGER)).toBe(certain);
  });

  test('but not if something like them was seen', () => {
    expect(areNew([finding('1')], polled(['2']))).toBe(false);
  });
});

describe('what a destination gets', () => {
  const ledger = record(
    polled(['1']),
    [
      finding('3', { applyUrl: 'https://a.example/3' }, { verdict: { ok: true, matched: ['zk'] } }),
      finding('2', { applyUrl: 'https://a.example/2' }),
    ],
    options({ destinations: ['a', 'b'] }),
  ).ledger;
  const three = new Set(['id:3']);
  const shown = (of: Ledger, id: string, destination: string) =>
    postingAt(of.outbox.find(({ posting }) => posting.id === id) as Owed, destination);
  const edition = { destination: 'a', parts: [['id:2']], rest: ['id:3'] } as unknown as Edition;

  test('is a posting with its own reasons, if nothing else is known of it', () => {
    const { matched, ...posting } = shown(ledger, '3', 'a');
    expect(matched).toEqual(['zk']);
    expect(posting).toEqual(ledger.outbox.find(({ posting: one }) => one.id === '3')?.posting);
  });

  test('has the reasons of other subscriptions that share it, each once, and only there', () => {
    const told = markReasons(ledger, 'a', three, ({ id }) => ['zk', `of ${id}`, 'defi', 'defi']);
    const more = markReasons(told, 'b', three, () => ['rust']);
    expect(shown(more, '3', 'a').matched).toEqual(['zk', 'of 3', 'defi']);
    expect(shown(more, '3', 'b').matched).toEqual(['zk', 'rust']);
    expect(shown(more, '2', 'a').matched).toEqual([]);
    expect(markReasons(ledger, 'c', three, () => ['x']).outbox).toEqual(ledger.outbox);
  });

  test('shows once that another member brings the posting too, and then only its own reasons', () => {
    const told = markReasons(ledger, 'a', three, () => ['defi']);
    const told2 = markReasons(told, 'b', three, () => ['rust']);
    const twice = markTwice(markTwice(told2, 'a', three), 'a', three);
    expect(shown(twice, '3', 'a')).toMatchObject({ twice: true, matched: ['zk'] });
    expect(shown(twice, '3', 'b').matched).toEqual(['zk', 'rust']);
    expect(shown(twice, '3', 'b')).not.toHaveProperty('twice');
    expect(shown(twice, '2', 'a')).not.toHaveProperty('twice');
    expect(twice.outbox.flatMap((owed) => owed.twice ?? [])).toEqual(['a']);
    expect(shown(markTwice(twice, 'b', three), '3', 'a').twice).toBe(true);
    expect(markTwice(ledger, 'a', new Set())).toBe(ledger);
    expect(markTwice(ledger, 'c', three).outbox).toEqual(ledger.outbox);
  });

  test('shows the day on which its reader applied', () => {
    const applied = markApplied(ledger, 'a', new Map([['id:3', NOW]]));
    expect(shown(applied, '3', 'a').appliedOn).toBe('2026-11-21');
    expect(shown(applied, '3', 'b')).not.toHaveProperty('appliedOn');
    expect(shown(applied, '2', 'a')).not.toHaveProperty('appliedOn');
    const both = markApplied(applied, 'b', new Map([['id:3', NOW - DAY]]));
    expect([shown(both, '3', 'a').appliedOn, shown(both, '3', 'b').appliedOn]).toEqual([
      '2026-11-21',
      '2026-11-20',
    ]);
    expect(markApplied(ledger, 'a', new Map())).toBe(ledger);
  });

  test('shows how well the posting fits its reader, and since when it is known', () => {
    const [owed] = ledger.outbox as [Owed];
    const fit = { score: 3, reasons: [] };
    const known = { ...owed, seenBefore: '2026-10-01', fit: { a: fit } };
    expect(postingAt(known, 'a')).toMatchObject({ fit, seenBefore: '2026-10-01' });
    expect(postingAt(known, 'b')).not.toHaveProperty('fit');
  });

  test('waits unless it is in an open edition of that destination', () => {
    const cut = { ...ledger, editions: [edition] };
    expect([owedTo(cut, 'a'), owedTo(cut, 'b')]).toEqual([[], ['2', '3']]);
    expect(owedTo({ ...ledger, editions: [{ ...edition, rest: [] }] }, 'a')).toEqual(['3']);
    expect(owedTo(ledger, 'c')).toEqual([]);
  });

  test('is owed while a posting waits or an edition is open', () => {
    expect(owesAnything(ledger)).toBe(true);
    expect(owesAnything({ ...EMPTY_LEDGER, editions: [edition] })).toBe(true);
    expect(owesAnything(EMPTY_LEDGER)).toBe(false);
  });

  test('is done for it alone, and leaves the outbox when all have it', () => {
    const sent = finish(ledger, 'a', ['id:3'], { how: 'sent', at: NOW });
    expect([owedTo(sent, 'a'), owedTo(sent, 'b')]).toEqual([['2'], ['2', '3']]);
    expect(sent.done['id:3']).toEqual({
      a: { how: 'sent', at: NOW, link: linkMark('https://a.example/3') },
    });
    expect(Object.keys(sent.done)).toEqual(['id:3']);
    const gone = finish(sent, 'b', ['id:3'], { how: 'expired', at: NOW });
    expect(gone.outbox.map(({ posting }) => posting.id)).toEqual(['2']);
    expect(gone.done['id:3']).toMatchObject({ a: { how: 'sent' }, b: { how: 'expired' } });
    expect(gone.done['id:3']?.b).not.toHaveProperty('link');
    expect(finish(ledger, 'a', [], { how: 'sent', at: NOW })).toBe(ledger);
  });
});
