// The life of an edition: cut, attempted, settled part by part, delayed, refused, parked, expired.
import { describe, expect, test } from 'vitest';
import type { Edition } from '../../src/domain/edition.js';
import { parseFilter } from '../../src/domain/filter.js';
import { NO_WISHES, wishesOf } from '../../src/domain/fit.js';
import { EMPTY_LEDGER, type Ledger, type Owed, pending, record } from '../../src/domain/ledger.js';
import { withDestinations } from '../../src/domain/moving.js';
import {
  attempt,
  type CutOptions,
  closedWith,
  cut,
  giveBack,
  nextRefused,
  openEdition,
  putOff,
  refuse,
  settlePart,
  skip,
} from '../../src/domain/outbox.js';
import { expireOld, park, parkedNow, unpark } from '../../src/domain/parking.js';
import { finding } from '../helpers/postings.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 21, 12);

/** A ledger with postings 1 to `count` waiting for each destination. */
function owing(count: number, destinations: readonly string[] = ['a']): Ledger {
  const asked = ['|||100'];
  const base = record(EMPTY_LEDGER, [finding('0')], {
    now: NOW - HOUR,
    asked,
    answered: asked,
    destinations,
    newest: 0,
    reposts: false,
  }).ledger;
  const found = Array.from({ length: count }, (_, n) => finding(String(count - n)));
  return record(base, found, { now: NOW, asked, answered: asked, destinations, newest: 0, reposts: false })
    .ledger;
}

/** Cut into messages of two. */
function cutNow(ledger: Ledger, more: Partial<CutOptions> = {}): Ledger {
  return cut(ledger, {
    subscription: 's',
    destination: 'a',
    cadence: { every: 'immediate', timezone: 'UTC' },
    slot: NOW,
    now: NOW,
    cap: 100,
    over: 'page',
    wishes: NO_WISHES,
    pack: (owed) =>
      Array.from({ length: Math.ceil(owed.length / 2) }, (_, n) => owed.slice(2 * n, 2 * n + 2)),
    ...more,
  });
}

const opened = (ledger: Ledger, destination = 'a') => {
  const edition = openEdition(ledger, destination);
  if (!edition) throw new Error('no edition is open');
  return edition;
};
const how = (ledger: Ledger, id: string, destination = 'a') => ledger.done[`id:${id}`]?.[destination]?.how;
const ids = (keys: readonly string[]) => keys.map((key) => key.slice(3));

describe('a cut', () => {
  test('takes what waits, in order, up to the cap; of equal ones the newest; the rest is counted', () => {
    const edition = opened(cutNow(owing(7), { cap: 5 }));
    expect(edition.parts.map(ids)).toEqual([['3', '4'], ['5', '6'], ['7']]);
    expect(ids(edition.rest)).toEqual(['1', '2']);
    expect(edition).toMatchObject({ sent: 0, attempts: 0, outages: 0, waited: 0, cutAt: NOW, nextAt: NOW });
  });

  test('shows the best: with pay, recent, with more matches', () => {
    const owed = owing(6);
    const better =
      (id: string, fields: object, matched: readonly string[] = []) =>
      (one: Owed) =>
        one.posting.id === id ? { ...one, posting: { ...one.posting, ...fields }, matched } : one;
    const outbox = owed.outbox
      .map(better('1', { salary: '$100k' }))
      .map(better('2', {}, ['rust', 'remote']))
      .map(better('3', { postedAt: '2026-11-20' }));
    const edition = opened(cutNow({ ...owed, outbox }, { cap: 3 }));
    expect(edition.parts.flat().map((key) => key.slice(3))).toEqual(['1', '2', '3']);
  });

  test('is for a digest in the order of the fit, and keeps the fit with its reasons', () => {
    const owed = owing(3);
    const titled = owed.outbox.map((one) =>
      one.posting.id === '2' ? { ...one, posting: { ...one.posting, title: 'Senior Engineer' } } : one,
    );
    const wishes = wishesOf(parseFilter({ terms: ['rather level: senior'] }));
    const cadence = { every: 'daily', at: '12:00', timezone: 'UTC' } as const;
    const digest = cutNow({ ...owed, outbox: titled }, { wishes, cadence });
    expect(ids(opened(digest).parts.flat())).toEqual(['2', '1', '3']);
    expect(ids(opened(cutNow({ ...owed, outbox: titled }, { wishes })).parts.flat())).toEqual([
      '1',
      '2',
      '3',
    ]);
    const fits = digest.outbox.map(({ fit }) => fit?.a?.reasons);
    expect(fits).toEqual([[], [{ term: 'level', values: ['senior'] }], []]);
  });

  test('sends what is over the cap in further messages, after the best, if there is no page', () => {
    const edition = opened(cutNow(owing(7), { cap: 2, over: 'parts' }));
    expect(edition.parts.map(ids)).toEqual([['6', '7'], ['1', '2'], ['3', '4'], ['5']]);
    expect(edition.rest).toEqual([]);
  });

  test('makes as many editions as a program needs, oldest first', () => {
    const { editions } = cutNow(owing(7), { cap: 3, over: 'editions' });
    expect(editions.map(({ parts }) => ids(parts.flat()))).toEqual([['1', '2', '3'], ['4', '5', '6'], ['7']]);
    expect(new Set(editions.map(({ id }) => id)).size).toBe(3);
  });

  test('leaves nothing waiting, and nothing to cut twice', () => {
    const ledger = cutNow(owing(3), { cap: 2 });
    expect(pending(ledger, 'a')).toEqual([]);
    expect(cutNow(ledger)).toBe(ledger);
  });

  test('gives the same id for the same slot and members', () => {
    expect(opened(cutNow(owing(3))).id).toBe(opened(cutNow(owing(3))).id);
    expect(opened(cutNow(owing(3), { slot: NOW + 1 })).id).not.toBe(opened(cutNow(owing(3))).id);
  });

  test('leaves out what must wait for another subscription, and makes no edition if all must wait', () => {
    const ledger = cutNow(owing(3), { hold: new Set(['id:2']) });
    expect(ids(opened(ledger).parts.flat())).toEqual(['1', '3']);
    expect(pending(ledger, 'a').map((owed) => owed.posting.id)).toEqual(['2']);
    expect(openEdition(cutNow(owing(1), { hold: new Set(['id:1']) }), 'a')).toBeUndefined();
  });

  test('covers the time since the last edition, or since the oldest posting', () => {
    const first = cutNow(owing(1));
    expect(opened(first).from).toBe(NOW);
    expect(first.lastEdition).toEqual({ a: NOW });
  });

  test('affects only its own destination', () => {
    const ledger = cutNow(owing(2, ['a', 'b']));
    expect(pending(ledger, 'b')).toHaveLength(2);
    expect(openEdition(ledger, 'b')).toBeUndefined();
  });
});

describe('settling a message', () => {
  test('closes the edition with its last part and counts the rest', () => {
    const start = cutNow(owing(5, ['a', 'b']), { cap: 4 });
    const { id } = opened(start);
    const first = settlePart(attempt(start, id), id, NOW);
    expect(opened(first)).toMatchObject({ sent: 1, attempts: 0 });
    expect(['2', '3', '4', '1'].map((one) => how(first, one))).toEqual([
      'sent',
      'sent',
      undefined,
      undefined,
    ]);
    expect(closedWith(start, first, id)).toBeUndefined();
    const second = settlePart(first, id, NOW);
    expect(openEdition(second, 'a')).toBeUndefined();
    expect([how(second, '5'), how(second, '1'), how(second, '1', 'b')]).toEqual(['sent', 'more', undefined]);
    expect(closedWith(first, second, id)).toBe(5);
    expect(pending(second, 'b')).toHaveLength(5);
  });

  test('of an edition that does not exist changes nothing', () => {
    const ledger = owing(2);
    for (const step of [settlePart, attempt, giveBack])
      expect((step as typeof settlePart)(ledger, 'gone', NOW)).toBe(ledger);
    expect(putOff(ledger, 'gone', 'x', NOW, undefined).ledger).toBe(ledger);
    expect(refuse(ledger, 'gone', 'x', NOW).ledger).toBe(ledger);
  });
});

describe('an outage', () => {
  /** Fails `times` times, each at its planned time, with the clock jumping in between. */
  function failing(ledger: Ledger, times: number, jump = 0) {
    const { id } = opened(ledger);
    let now = NOW;
    let result = { ledger, lost: [] as readonly string[], nextAt: now };
    for (let n = 0; n < times && result.lost.length === 0; n++) {
      result = putOff(attempt(result.ledger, id), id, 'away', now, undefined);
      now = result.nextAt + jump;
    }
    return { ...result, now };
  }

  test('waits 5 s, 15 s, 30 s, 1 min, 2 min, then 3 min each time, and counts no attempt', () => {
    const start = cutNow(owing(1));
    const waits = [1, 2, 3, 4, 5, 6, 7].map((times) => opened(failing(start, times).ledger).waited / 1000);
    expect(waits.map((total, n) => total - (waits[n - 1] ?? 0))).toEqual([5, 15, 30, 60, 120, 180, 180]);
    expect(opened(failing(start, 7).ledger)).toMatchObject({ attempts: 0, outages: 7, lastFault: 'away' });
  });

  test('expires after three days of waiting, with what was not sent yet', () => {
    const start = settlePart(cutNow(owing(5), { cap: 4 }), opened(cutNow(owing(5), { cap: 4 })).id, NOW);
    const { ledger, lost, now } = failing(start, 2000);
    expect(now - NOW).toBeGreaterThanOrEqual(3 * DAY);
    expect(now - NOW).toBeLessThan(3 * DAY + 2 * HOUR);
    expect(ids(lost)).toEqual(['4', '5', '1']);
    expect(['2', '4', '1'].map((one) => how(ledger, one))).toEqual(['sent', 'expired', 'expired']);
    expect(openEdition(ledger, 'a')).toBeUndefined();
  });

  test('does not include time without attempts: a pause, a night off, a clock set forward', () => {
    const { ledger, lost } = failing(cutNow(owing(1)), 5, 30 * DAY);
    expect(lost).toEqual([]);
    expect(opened(ledger).outages).toBe(5);
  });

  test('waits as long as the sink says, and at least a second', () => {
    const start = cutNow(owing(1));
    const wait = (ms: number | undefined) => putOff(start, opened(start).id, 'x', NOW, ms).nextAt - NOW;
    expect([wait(90_000), wait(0), wait(-5), wait(Number.NaN), wait(undefined)]).toEqual([
      90_000, 1000, 1000, 5000, 5000,
    ]);
  });

  test('is not counted for a stop during an attempt', () => {
    const start = cutNow(owing(1));
    expect(giveBack(attempt(start, opened(start).id), opened(start).id)).toEqual(start);
  });
});

describe('a refusal', () => {
  test('halves a message until the refused posting is alone; that one parks after five attempts, and the others are sent immediately', () => {
    let ledger = cutNow(owing(8), { pack: (owed) => [owed] });
    const sent: string[] = [];
    let now = NOW;
    let tries = 0;
    for (
      let next = opened(ledger);
      next;
      next = openEdition(ledger, 'a') ?? (nextRefused(ledger, 'a') as Edition)
    ) {
      const part = next.parts[next.sent] ?? [];
      if (next.aside) now = Math.max(now, next.nextAt);
      ledger = attempt(ledger, next.id);
      if (part.includes('id:6')) {
        if (part.length === 1) tries++;
        ({ ledger } = refuse(ledger, next.id, 'bad', now));
      } else {
        expect(now).toBe(NOW);
        sent.push(...ids(part));
        ledger = settlePart(ledger, next.id, now);
      }
    }
    expect(sent).toEqual(['1', '2', '3', '4', '5', '7', '8']);
    expect(tries).toBe(5);
    expect(ledger.done['id:6']?.a).toEqual({ at: now, how: 'parked', why: 'bad' });
    expect(ledger.outbox).toEqual([]);
    expect((now - NOW) / 1000).toBe(5 + 30 + 120 + 600);
  });

  test('of the last message leaves the rest waiting, because no message mentioned it', () => {
    const start = cutNow(owing(3), { cap: 1, pack: (owed) => [owed] });
    const { id } = opened(start);
    const tired = [1, 2, 3, 4, 5].reduce((ledger) => attempt(ledger, id), start);
    const { ledger, lost } = refuse(tired, id, 'bad', NOW);
    expect(ids(lost)).toEqual(['3']);
    expect(pending(ledger, 'a').map((owed) => owed.posting.id)).toEqual(['1', '2']);
    expect(closedWith(tired, ledger, id)).toBe(0);
  });

  test('keeps its count over an outage', () => {
    const start = cutNow(owing(1));
    const { id } = opened(start);
    const once = refuse(attempt(start, id), id, 'bad', NOW).ledger;
    const aside = nextRefused(once, 'a') as Edition;
    expect(aside).toMatchObject({
      aside: { edition: id, part: 0, parts: 1 },
      attempts: 1,
      nextAt: NOW + 5000,
    });
    const away = putOff(attempt(once, aside.id), aside.id, 'away', NOW, undefined).ledger;
    expect(nextRefused(away, 'a')).toMatchObject({ attempts: 1, outages: 1 });
  });
});

describe('a parked place', () => {
  test('keeps what waits until the next resume, at any time of the clock', () => {
    const ledger = park(cutNow(owing(2)), 'a', { why: 'gone' }, NOW, 5);
    expect(parkedNow(ledger, 'a', 5)).toMatchObject({ at: NOW, why: 'gone' });
    expect(parkedNow(ledger, 'a', 6)).toBeUndefined();
    expect(parkedNow(ledger, 'a', undefined)).toBeUndefined();
    expect(parkedNow(park(owing(1), 'a', { why: 'gone' }, NOW, undefined), 'a', undefined)).toBeDefined();
    expect(ledger.outbox).toHaveLength(2);
  });

  test('is due immediately when it is freed, with all counters reset', () => {
    const start = cutNow(owing(2, ['a', 'b']));
    const away = putOff(attempt(start, opened(start).id), opened(start).id, 'x', NOW, DAY).ledger;
    const freed = unpark(park(away, 'a', { why: 'gone' }, NOW, undefined), 'a', NOW + 7);
    expect(freed.parked).toEqual({});
    expect(opened(freed)).toMatchObject({ nextAt: NOW + 7, outages: 0, waited: 0 });
  });
});

describe('a posting no longer waits', () => {
  test('if it was delivered elsewhere or dismissed', () => {
    const ledger = skip(
      skip(owing(3), 'a', ['id:1'], 'elsewhere', NOW),
      'a',
      ['id:2'],
      'dropped',
      NOW,
      'dismissed',
    );
    expect(ledger.done['id:1']?.a).toEqual({ at: NOW, how: 'elsewhere' });
    expect(ledger.done['id:2']?.a).toEqual({ at: NOW, how: 'dropped', why: 'dismissed' });
    expect(pending(ledger, 'a').map((owed) => owed.posting.id)).toEqual(['3']);
    expect(skip(ledger, 'a', [], 'dropped', NOW)).toBe(ledger);
  });

  test('if its destination was removed, with all its data', () => {
    const start = park(cutNow(owing(2, ['a', 'b'])), 'a', { why: 'x' }, NOW, undefined);
    const ledger = withDestinations(start, ['b'], NOW);
    expect([how(ledger, '1'), how(ledger, '1', 'b')]).toEqual(['dropped', undefined]);
    expect(ledger).toMatchObject({ editions: [], parked: {}, lastEdition: {} });
    expect(pending(ledger, 'b')).toHaveLength(2);
    expect(withDestinations(ledger, [], NOW).outbox).toEqual([]);
  });

  test('after 30 days at a place that gets nothing; other places keep theirs', () => {
    const start = cutNow(owing(2, ['a', 'b']));
    expect(expireOld(start, ['a'], NOW + 29 * DAY)).toBe(start);
    const ledger = expireOld(start, ['a'], NOW + 31 * DAY);
    expect(ledger.done['id:1']).toEqual({
      a: { at: NOW + 31 * DAY, how: 'expired', why: 'owed for over 30 days' },
    });
    expect(openEdition(ledger, 'a')).toBeUndefined();
    expect(pending(ledger, 'b')).toHaveLength(2);
  });
});
