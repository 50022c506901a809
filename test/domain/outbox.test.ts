// The life of an edition: cut, attempted, settled part by part, delayed, refused, parked, expired.
import { describe, expect, test } from 'vitest';
import type { Edition } from '../../src/domain/edition.js';
import { parseFilter } from '../../src/domain/filter.js';
import { NO_WISHES, wishesOf } from '../../src/domain/fit.js';
import { EMPTY_LEDGER, type Ledger, type Owed, pending, record } from '../../src/domain/ledger.js';
import { withDestinations } from '../../src/domain/moving.js';
import {
  attempt,
  awaiting,
  type CutOptions,
  closedWith,
  cut,
  deliveryDue,
  enrich,
  giveBack,
  nextRefused,
  openEdition,
  pendingDue,
  postpone,
  putOff,
  refuse,
  settlePart,
  skip,
  strongKeys,
  wantedToClose,
  withdraw,
} from '../../src/domain/outbox.js';
import {
  expireOld,
  freedByResume,
  isWaiting,
  mayExpire,
  park,
  parkedNow,
  unpark,
} from '../../src/domain/parking.js';
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
    const aged = withOwed(owing(2), (one) => (one.posting.id === '2' ? { ...one, at: NOW - 7 } : one));
    expect(opened(cutNow(aged)).from).toBe(NOW - 7);
    expect(opened(cutNow({ ...aged, lastEdition: { a: NOW - 9 } })).from).toBe(NOW - 9);
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

  test('that parks a posting lets the messages after it continue, and only that posting is lost', () => {
    const start = cutNow(owing(2), { pack: (owed) => owed.map((one) => [one]) });
    const { id } = opened(start);
    const tired = { ...start, editions: [{ ...opened(start), attempts: 5 }] };
    const { ledger, lost, nextAt } = refuse(tired, id, 'bad', NOW);
    expect([ids(lost), nextAt]).toEqual([['1'], NOW]);
    expect(opened(ledger)).toMatchObject({ id, sent: 1, attempts: 0 });
    expect(how(ledger, '2')).toBeUndefined();
  });

  test('loses nothing before the last attempt', () => {
    const start = cutNow(owing(2));
    const halved = refuse(attempt(start, opened(start).id), opened(start).id, 'bad', NOW);
    expect([halved.lost, opened(halved.ledger).parts.map(ids)]).toEqual([[], [['1'], ['2']]]);
    const aside = refuse(attempt(halved.ledger, opened(start).id), opened(start).id, 'bad', NOW);
    expect(aside.lost).toEqual([]);
    const { id } = nextRefused(aside.ledger, 'a') as Edition;
    expect(refuse(attempt(aside.ledger, id), id, 'bad', NOW).lost).toEqual([]);
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

/** What waits for `a`, each with other fields. */
const withOwed = (ledger: Ledger, change: (owed: Owed) => Owed): Ledger => ({
  ...ledger,
  outbox: ledger.outbox.map(change),
});
const immediate = { id: 'a', cadence: { every: 'immediate', timezone: 'UTC' } } as const;
const daily = { every: 'daily', at: '12:00', timezone: 'UTC' } as const;

describe('what waits is due', () => {
  test('at once for an immediate destination, at its slot for a digest, and never if nothing waits', () => {
    const ledger = owing(2);
    expect(pendingDue(EMPTY_LEDGER, immediate, NOW)).toBeUndefined();
    expect(pendingDue(ledger, { ...immediate, id: 'b' }, NOW)).toBeUndefined();
    expect(pendingDue(ledger, immediate, NOW + 5)).toBeLessThanOrEqual(NOW + 5);
    expect(pendingDue(ledger, { id: 'a', cadence: daily }, NOW + HOUR)).toBe(NOW + DAY);
    const sent = { ...ledger, lastEdition: { a: NOW - 2 * DAY } };
    expect(pendingDue(sent, { id: 'a', cadence: daily }, NOW + HOUR)).toBeGreaterThan(NOW - 2 * DAY);
  });

  test('once the fields that are requested have had their time, or sooner if the clock was set back', () => {
    const awaits = (...until: readonly number[]) => {
      const ledger = owing(2);
      return withOwed(ledger, (owed) => {
        const at = until[ledger.outbox.indexOf(owed)];
        return at === undefined ? owed : { ...owed, awaits: { subject: 's', until: at } };
      });
    };
    const due = (...until: readonly number[]) => pendingDue(awaits(...until), immediate, NOW);
    expect(due(NOW + 30_000)).toBe(NOW + 30_000);
    expect(due(NOW + 40_000, NOW + 30_000)).toBe(NOW + 30_000);
    expect(due(NOW + 60_000)).toBe(NOW + 60_000);
    const atOnce = pendingDue(owing(2), immediate, NOW);
    expect(due(NOW + 60_001)).toBe(atOnce);
    expect(due(NOW)).toBe(atOnce);
    expect(due(NOW - 1)).toBe(atOnce);
    expect(pendingDue(awaits(NOW + 30_000), { id: 'a', cadence: daily }, NOW + 1)).toBe(NOW + DAY);
  });

  test('on the next day once the limit per day is reached, if the destination is immediate', () => {
    const full = { ...owing(2), today: { a: { day: '2026-11-21', count: 2 } } };
    const midnight = Date.UTC(2026, 10, 22);
    const atOnce = pendingDue(owing(2), immediate, NOW);
    expect(pendingDue(full, { ...immediate, perDay: 2 }, NOW)).toBe(midnight);
    expect(pendingDue(full, { ...immediate, perDay: 1 }, NOW)).toBe(midnight);
    expect(pendingDue(full, { ...immediate, perDay: 3 }, NOW)).toBe(atOnce);
    expect(pendingDue(full, immediate, NOW)).toBe(atOnce);
    expect(pendingDue(full, { ...immediate, perDay: 2 }, midnight)).not.toBe(midnight + DAY);
    expect(pendingDue(full, { id: 'a', cadence: daily, perDay: 2 }, NOW + HOUR)).toBe(NOW + DAY);
  });
});

describe('after a poll, a delivery is planned', () => {
  const base = owing(0);
  /** `before` with one more posting that waits. */
  const withOneMore = (before: Ledger, id = 'new') => {
    const [owed] = owing(1).outbox as [Owed];
    return { ...before, outbox: [...before.outbox, { ...owed, posting: { ...owed.posting, key: id } }] };
  };
  const digest = { id: 'a', cadence: daily };
  const slot = NOW + DAY;
  const now = NOW + HOUR;

  test('at once for an immediate destination, and at the slot of a digest for the first posting only', () => {
    const first = withOneMore(base);
    expect(deliveryDue(base, base, digest, now)).toBeUndefined();
    expect(deliveryDue(base, first, digest, now)).toBe(slot);
    expect(deliveryDue(base, first, { ...digest, id: 'b' }, now)).toBeUndefined();
    const second = withOneMore(first, 'newer');
    expect(deliveryDue(first, second, digest, now)).toBeUndefined();
    expect(deliveryDue(first, first, digest, now)).toBeUndefined();
    expect(deliveryDue(first, second, immediate, now)).toBeLessThanOrEqual(now);
  });

  test('again if the oldest posting of the digest is another one, or an edition was open', () => {
    const first = withOneMore(base);
    const second = withOneMore(first, 'newer');
    expect(deliveryDue(first, { ...second, outbox: second.outbox.slice(1) }, digest, now)).toBe(slot);
    const [edition] = cutNow(owing(1), { cadence: daily }).editions as [Edition];
    expect(deliveryDue({ ...first, editions: [edition] }, second, digest, now)).toBe(slot);
    expect(deliveryDue(first, { ...second, editions: [edition] }, digest, now)).toBe(now);
    expect(deliveryDue(first, { ...second, editions: [{ ...edition, destination: 'b' }] }, digest, now)).toBe(
      undefined,
    );
  });

  test('for a digest that waits with postings that were not read, it is planned already', () => {
    const unread = { postings: 1, oldest: NOW, places: [{ destination: 'a', postings: 1, oldest: NOW }] };
    const counted = { ...base, unread };
    expect(deliveryDue(counted, withOneMore(counted), digest, now)).toBeUndefined();
    const others = { ...unread, places: [{ destination: 'b', postings: 1, oldest: NOW }] };
    const elsewhere = { ...base, unread: others };
    expect(deliveryDue(elsewhere, withOneMore(elsewhere), digest, now)).toBe(slot);
    const [edition] = cutNow(owing(1), { cadence: daily }).editions as [Edition];
    const sending = { ...counted, editions: [{ ...edition, destination: 'b' }] };
    expect(deliveryDue(sending, withOneMore(sending), digest, now)).toBeUndefined();
    expect(deliveryDue(counted, withOneMore(counted), immediate, now)).toBeLessThanOrEqual(now);
  });

  test('for each new posting if strong matches do not wait for the digest, and after its fields had their time', () => {
    const strong = { ...digest, immediateFit: 65 };
    const first = withOneMore(base);
    const second = withOneMore(first, 'newer');
    expect(deliveryDue(base, first, strong, now)).toBeLessThanOrEqual(now);
    expect(deliveryDue(first, second, strong, now)).toBeLessThanOrEqual(now);
    expect(deliveryDue(first, first, strong, now)).toBeUndefined();
    // One posting expired in the same poll.
    expect(
      deliveryDue(second, { ...second, outbox: withOneMore(first, 'newest').outbox }, strong, now),
    ).toBeLessThanOrEqual(now);
    const until = now + 30_000;
    const waiting = withOwed(first, (owed) => ({ ...owed, awaits: { subject: 's', until } }));
    expect(deliveryDue(base, waiting, strong, now)).toBe(until);
  });
});

describe('a limit per day', () => {
  const limited = (ledger: Ledger, more: Partial<CutOptions> = {}) => cutNow(ledger, { perDay: 3, ...more });
  const cutIds = (ledger: Ledger) => ids(ledger.editions.flatMap(({ parts }) => parts.flat()));

  test('shows the newest, and the rest on the page if there is one', () => {
    const ledger = limited(owing(5));
    expect(cutIds(ledger)).toEqual(['3', '4', '5']);
    expect(ids(opened(ledger).rest)).toEqual(['1', '2']);
    expect(ledger.today).toEqual({ a: { day: '2026-11-21', count: 3 } });
    expect(ledger.done).toEqual({});
  });

  test('drops the rest if there is no page, and says why', () => {
    for (const over of ['parts', 'editions'] as const) {
      const ledger = limited(owing(5), { over, cap: 2 });
      expect(cutIds(ledger).toSorted()).toEqual(['3', '4', '5']);
      expect(ledger.done['id:1']?.a).toEqual({ at: NOW, how: 'limit' });
      expect([how(ledger, '2'), how(ledger, '3')]).toEqual(['limit', undefined]);
    }
  });

  test('counts what was cut earlier on the same day, and nothing of the day before', () => {
    const today = (day: string, count: number) => ({
      ...owing(5),
      today: { a: { day, count }, b: { day, count: 9 } },
    });
    const second = limited(today('2026-11-21', 2));
    expect(cutIds(second)).toEqual(['5']);
    expect(second.today).toEqual({ a: { day: '2026-11-21', count: 3 }, b: { day: '2026-11-21', count: 9 } });
    const next = limited(today('2026-11-20', 2));
    expect(cutIds(next)).toEqual(['3', '4', '5']);
    expect(next.today?.a).toEqual({ day: '2026-11-21', count: 3 });
    const full = today('2026-11-21', 3);
    expect(limited(full)).toBe(full);
  });

  test('does not limit a digest, and counts nothing without a limit', () => {
    const digest = limited(owing(5), { cadence: daily });
    expect(opened(digest).parts.flat()).toHaveLength(5);
    expect(digest).not.toHaveProperty('today');
    expect(cutNow(owing(5))).not.toHaveProperty('today');
  });

  test('leaves what is over it for the digest, if only the best were cut', () => {
    const early = new Set(['id:1', 'id:2', 'id:3', 'id:4']);
    const ledger = limited(owing(5), { early });
    expect(cutIds(ledger)).toEqual(['2', '3', '4']);
    expect(pending(ledger, 'a').map((owed) => owed.posting.id)).toEqual(['1', '5']);
    expect(ledger.done).toEqual({});
    expect(ledger.lastEdition).toEqual({});
  });
});

describe('the same job in several places', () => {
  const places = ['Berlin', 'Paris', 'Oslo', 'Rome'];
  const owed = withOwed(owing(4), (one) => {
    const at = Number(one.posting.id) - 1;
    const applyUrl = `https://jobs.example/${at}`;
    const job = at < 3 ? { title: 'Dev', company: 'One' } : {};
    return { ...one, posting: { ...one.posting, ...job, applyUrl, location: places[at] as string } };
  });

  test('counts as one under the cap and the limit per day, and stays together', () => {
    const apart = opened(cutNow(owed, { cap: 2 }));
    expect(ids(apart.parts.flat())).toEqual(['3', '4']);
    const joined = cutNow(owed, { cap: 2, joins: true, perDay: 2 });
    expect(ids(opened(joined).parts.flat()).toSorted()).toEqual(['1', '2', '3', '4']);
    expect(joined.today?.a?.count).toBe(2);
    // The best-fitting posting of a card leads it, and stands for it under the cap.
    const fitting = withOwed(owed, (one) =>
      one.posting.id === '1' ? { ...one, matched: ['rust', 'remote'] } : one,
    );
    expect(ids(opened(cutNow(fitting, { cap: 1, joins: true })).parts.flat())).toEqual(['1', '2', '3']);
  });
});

describe('strong postings', () => {
  test('are those whose fit is at least the given one', () => {
    const ledger = withOwed(owing(3), (one) =>
      one.posting.id === '2' ? { ...one, posting: { ...one.posting, title: 'Senior Engineer' } } : one,
    );
    const wishes = wishesOf(parseFilter({ terms: ['rather level: senior'] }));
    const options = { destination: 'a', wishes, slot: NOW };
    const cutWith = cutNow(ledger, { wishes, cadence: daily });
    const [weak = 0, strong = 0] = ['1', '2'].map(
      (id) => cutWith.outbox.find(({ posting }) => posting.id === id)?.fit?.a?.score,
    );
    expect(strong).toBeGreaterThan(weak);
    expect([...strongKeys(ledger, { ...options, least: strong })]).toEqual(['id:2']);
    expect([...strongKeys(ledger, { ...options, least: strong + 0.001 })]).toEqual([]);
    expect([...strongKeys(ledger, { ...options, least: weak })]).toHaveLength(3);
    expect([...strongKeys(ledger, { ...options, destination: 'b', least: weak })]).toEqual([]);
  });
});

describe('fields that are requested', () => {
  const waiting = withOwed(owing(3), (one) =>
    one.posting.id === '3'
      ? one
      : { ...one, awaits: { subject: one.posting.id === '1' ? 's' : 't', until: NOW + 1000 } },
  );
  const found = [finding('1', { location: 'Berlin' }), finding('2', { location: 'Paris' })];

  test('are added to the postings that wait for this request, which then wait no longer', () => {
    expect(awaiting(waiting, 's').map((one) => one.posting.id)).toEqual(['1']);
    const next = enrich(waiting, 's', found);
    expect(next.outbox.map(({ posting, awaits }) => [posting.location, awaits?.subject])).toEqual([
      ['Berlin', undefined],
      [undefined, 't'],
      [undefined, undefined],
    ]);
    expect(next.outbox[0]).not.toHaveProperty('awaits');
    expect(next.seen).toBe(waiting.seen);
    expect(enrich(next, 's', found)).toBe(next);
  });

  test('do not change what is in an edition, shown or on its page', () => {
    const cutAll = cutNow(waiting, { cap: 2 });
    expect(ids(opened(cutAll).rest)).toEqual(['1']);
    expect([...awaiting(cutAll, 's'), ...awaiting(cutAll, 't')]).toEqual([]);
    expect(enrich(cutAll, 's', found)).toBe(cutAll);
  });
});

describe('a posting that another subscription delivered', () => {
  const start = cutNow(owing(5), { cap: 4 });
  const { id } = opened(start);
  const gone = (...names: readonly string[]) => new Set(names.map((name) => `id:${name}`));

  test('is taken out of the messages that were not sent, and out of the rest', () => {
    const next = withdraw(start, id, gone('1', '2', '4'), NOW + 1);
    expect(opened(next).parts.map(ids)).toEqual([['3'], ['5']]);
    expect(opened(next).rest).toEqual([]);
    expect(next.done['id:2']?.a).toEqual({ at: NOW + 1, how: 'elsewhere' });
    expect([how(next, '1'), how(next, '3')]).toEqual(['elsewhere', undefined]);
    // A message without postings is not sent.
    expect(opened(withdraw(start, id, gone('2', '3'), NOW)).parts.map(ids)).toEqual([['4', '5']]);
  });

  test('stays in the messages that were sent', () => {
    const half = settlePart(start, id, NOW);
    const next = withdraw(half, id, gone('2', '4'), NOW);
    expect(opened(next).parts.map(ids)).toEqual([['2', '3'], ['5']]);
    expect([how(next, '2'), how(next, '4')]).toEqual(['sent', 'elsewhere']);
    expect(withdraw(half, id, gone('2'), NOW)).toBe(half);
  });

  test('closes an edition of which no message is left', () => {
    const next = withdraw(start, id, gone('2', '3', '4', '5'), NOW);
    expect(openEdition(next, 'a')).toBeUndefined();
    // The rest was never announced, so it waits for the next edition.
    expect(pending(next, 'a').map((owed) => owed.posting.id)).toEqual(['1']);
  });

  test('changes nothing once sending was tried, if it is not there, or without the edition', () => {
    const tried = attempt(start, id);
    expect(withdraw(tried, id, gone('2'), NOW)).toBe(tried);
    const away = putOff(tried, id, 'x', NOW, undefined).ledger;
    expect(withdraw(away, id, gone('2'), NOW)).toBe(away);
    expect(withdraw(start, id, gone('9'), NOW)).toBe(start);
    expect(withdraw(start, 'gone', gone('2'), NOW)).toBe(start);
  });
});

describe('several editions at a time', () => {
  const two = cutNow(owing(4, ['a', 'b']), { cap: 2, over: 'editions' });
  const [first, second] = two.editions as [Edition, Edition];
  const both = cutNow(two, { destination: 'b' });
  const theirs = opened(both, 'b');

  test('are changed one by one', () => {
    const step = (change: (ledger: Ledger) => Ledger) =>
      change(both).editions.filter((edition) => !both.editions.includes(edition));
    expect(step((ledger) => attempt(ledger, second.id))).toEqual([{ ...second, attempts: 1 }]);
    expect(settlePart(both, second.id, NOW).editions).toEqual([first, theirs]);
    expect(how(settlePart(both, theirs.id, NOW), '1', 'b')).toBe('sent');
    expect(step((ledger) => putOff(ledger, theirs.id, 'x', NOW, undefined).ledger)).toMatchObject([
      { id: theirs.id, outages: 1 },
    ]);
    expect(step((ledger) => postpone(ledger, second.id, 'x', NOW).ledger)).toMatchObject([
      { id: second.id, outages: 1 },
    ]);
    expect(step((ledger) => refuse(ledger, second.id, 'x', NOW).ledger)).toMatchObject([
      { id: second.id, parts: [['id:3'], ['id:4']] },
    ]);
    expect(withdraw(both, second.id, new Set(['id:3']), NOW).editions).toMatchObject([
      first,
      { id: second.id, parts: [['id:4']] },
      theirs,
    ]);
  });

  test('are not changed by a step of an edition that is closed', () => {
    for (const step of [settlePart, attempt, giveBack])
      expect((step as typeof settlePart)(both, 'gone', NOW)).toBe(both);
    for (const { ledger, lost, nextAt } of [
      putOff(both, 'gone', 'x', NOW, undefined),
      postpone(both, 'gone', 'x', NOW),
      refuse(both, 'gone', 'x', NOW),
    ])
      expect([ledger, lost, nextAt]).toEqual([both, [], NOW]);
  });

  test('are told apart when one closes', () => {
    const closed = settlePart(both, second.id, NOW);
    expect(closedWith(both, closed, second.id)).toBe(2);
    expect(closedWith(both, closed, first.id)).toBeUndefined();
    expect(closedWith(both, closed, 'gone')).toBeUndefined();
  });

  test('with refused postings: the one that is due first is next, of this destination only', () => {
    const alone = cutNow(owing(3, ['a', 'b']), { pack: (owed) => owed.map((one) => [one]) });
    const { id } = opened(alone);
    const refusedOnce = refuse(attempt(alone, id), id, 'bad', NOW + HOUR).ledger;
    const refused = refuse(attempt(refusedOnce, id), id, 'bad', NOW).ledger;
    expect(nextRefused(refused, 'a')).toMatchObject({ id: `${id}.1`, nextAt: NOW + 5000, parts: [['id:2']] });
    expect(nextRefused(refused, 'b')).toBeUndefined();
    expect(nextRefused(alone, 'a')).toBeUndefined();
    expect(refused.editions.map((edition) => edition.id)).toEqual([id, `${id}.0`, `${id}.1`]);
    // A refused posting that is tried again stays one edition.
    const again = refuse(attempt(refused, `${id}.1`), `${id}.1`, 'bad', NOW + 9);
    expect(again.ledger.editions).toHaveLength(3);
    expect(again.nextAt).toBe(NOW + 9 + 30_000);
    expect(nextRefused(again.ledger, 'a')).toMatchObject({
      id: `${id}.1`,
      nextAt: again.nextAt,
      attempts: 2,
    });
  });

  test('what the last message needs to know: the outcomes of those before it', () => {
    const start = cutNow(owing(5), { cap: 4 });
    const { id } = opened(start);
    const half = settlePart(start, id, NOW);
    expect(wantedToClose(start, id)).toEqual({});
    expect(wantedToClose(half, id)).toEqual({
      outcomes: { keys: ['id:2', 'id:3', 'id:4', 'id:5'], destinations: ['a'] },
    });
    expect(wantedToClose(half, 'gone')).toEqual({});
    const long = cutNow(owing(6));
    const one = settlePart(long, opened(long).id, NOW);
    expect(wantedToClose(one, opened(long).id)).toEqual({});
    const single = cutNow(owing(1));
    expect(wantedToClose(single, opened(single).id)).toEqual({});
  });
});

describe('a fault of the program', () => {
  test('waits like an outage, but never expires', () => {
    const start = cutNow(owing(1));
    const { id } = opened(start);
    const { ledger, lost, nextAt } = postpone(attempt(start, id), id, 'broken', NOW, 7);
    expect([lost, nextAt]).toEqual([[], NOW + 5000]);
    expect(opened(ledger)).toMatchObject({
      attempts: 0,
      outages: 1,
      waited: 0,
      nextAt,
      lastFault: 'broken',
      resumedAt: 7,
    });
    expect(postpone(ledger, id, 'broken', NOW).nextAt).toBe(NOW + 15_000);
    const old = { ...start, editions: [{ ...opened(start), waited: 9 * DAY }] };
    expect(postpone(old, id, 'broken', NOW).ledger.editions).toHaveLength(1);
    expect(postpone(start, 'gone', 'x', NOW)).toEqual({ ledger: start, lost: [], nextAt: NOW });
  });
});

describe('the end of an outage', () => {
  test('comes with the three days, not before', () => {
    const start = cutNow(owing(1));
    const { id } = opened(start);
    const waited = (ms: number) => ({ ...start, editions: [{ ...opened(start), waited: ms }] });
    expect(putOff(waited(3 * DAY - 1), id, 'x', NOW, undefined).lost).toEqual([]);
    const over = putOff(waited(3 * DAY), id, 'x', NOW, undefined);
    expect([over.lost, over.nextAt]).toEqual([['id:1'], NOW]);
    expect(over.ledger.done['id:1']?.a).toEqual({ at: NOW, how: 'expired', why: 'x' });
  });

  test('keeps when the subscription was last resumed, and gives a time ahead', () => {
    const start = cutNow(owing(1));
    const { id } = opened(start);
    const { ledger, nextAt, lost } = putOff(attempt(start, id), id, 'x', NOW, 60_000, 7);
    expect([nextAt, lost]).toEqual([NOW + 60_000, []]);
    expect(opened(ledger)).toMatchObject({ nextAt, waited: 60_000, resumedAt: 7 });
    expect(opened(putOff(start, id, 'x', NOW, 999 * DAY).ledger).waited).toBe(DAY);
    const aside = refuse(attempt(start, id), id, 'x', NOW, 7).ledger;
    expect(nextRefused(aside, 'a')).toMatchObject({ resumedAt: 7, rest: [], sent: 0 });
  });
});

describe('a parked destination', () => {
  test('keeps why, and what would fix it if that is known', () => {
    expect(park(owing(1), 'a', { why: 'x', fix: 'invite it' }, NOW, 1).parked.a).toEqual({
      at: NOW,
      why: 'x',
      fix: 'invite it',
      resumedAt: 1,
    });
    expect(park(owing(1), 'a', { why: 'x', fix: '' }, NOW, undefined).parked.a).toEqual({
      at: NOW,
      why: 'x',
    });
  });

  test('is freed without changing the editions of others', () => {
    const start = cutNow(cutNow(owing(2, ['a', 'b'])), { destination: 'b' });
    const theirs = opened(start, 'b');
    const away = putOff(start, theirs.id, 'x', NOW, DAY).ledger;
    expect(opened(unpark(away, 'a', NOW + 7), 'b')).toEqual(opened(away, 'b'));
  });
});

describe('an edition waits', () => {
  test('from its cut until its next attempt', () => {
    const edition = { ...opened(cutNow(owing(1))), cutAt: NOW, nextAt: NOW + 10 };
    const waits = (at: number) => isWaiting(edition, at);
    expect([waits(NOW - 1), waits(NOW), waits(NOW + 9), waits(NOW + 10)]).toEqual([false, true, true, false]);
  });
});

describe('a resume', () => {
  const start = cutNow(cutNow(owing(2, ['a', 'b'])), { destination: 'b' });

  test('frees a destination that was parked before it, and only that one', () => {
    const parked = park(park(start, 'a', { why: 'x' }, NOW, 1), 'b', { why: 'y' }, NOW, 1);
    expect(freedByResume(parked, 'a', 1, NOW)).toBe(parked);
    const freed = freedByResume(parked, 'a', 2, NOW + 5);
    expect(Object.keys(freed.parked)).toEqual(['b']);
    expect(opened(freed).nextAt).toBe(NOW + 5);
    expect(freedByResume(start, 'a', 2, NOW)).toBe(start);
  });

  test('makes due what began to wait before it', () => {
    const away = putOff(start, opened(start).id, 'x', NOW, DAY, 1).ledger;
    expect(freedByResume(away, 'a', 1, NOW + 5)).toBe(away);
    expect(opened(freedByResume(away, 'a', 2, NOW + 5)).nextAt).toBe(NOW + 5);
    // What is due already, or belongs to another destination, stays as it is.
    expect(freedByResume(away, 'a', 2, NOW + DAY)).toBe(away);
    expect(freedByResume(away, 'b', 2, NOW + 5)).toBe(away);
    // One of several is enough.
    const two = cutNow(owing(2), { cap: 1, over: 'editions' });
    const one = putOff(two, opened(two).id, 'x', NOW, DAY, 1).ledger;
    expect(opened(freedByResume(one, 'a', 2, NOW + 5)).nextAt).toBe(NOW + 5);
  });
});

describe('30 days', () => {
  const owed = { ...owing(2, ['a', 'b']), lastEdition: {} };

  test('are exact, and count for each posting and edition by itself', () => {
    expect(expireOld(owed, ['a'], NOW + 30 * DAY)).toBe(owed);
    const later = withOwed(owed, (one) => (one.posting.id === '2' ? { ...one, at: NOW + DAY } : one));
    const expired = expireOld(later, ['a'], NOW + 30 * DAY + 1);
    expect([how(expired, '1'), how(expired, '2'), how(expired, '1', 'b')]).toEqual([
      'expired',
      undefined,
      undefined,
    ]);
    // An edition that was cut later stays, with its postings.
    const cutLater = cutNow(owed, { now: NOW + DAY });
    expect(expireOld(cutLater, ['a'], NOW + 31 * DAY).editions).toEqual(cutLater.editions);
    expect(expireOld(cutLater, ['a'], NOW + 31 * DAY + 1).editions).toEqual([]);
  });

  test('are looked for in the numbers of what was not read', () => {
    const unread = { postings: 1, oldest: NOW, places: [] };
    expect(mayExpire({ ...EMPTY_LEDGER, unread }, NOW + 30 * DAY)).toBe(false);
    expect(mayExpire({ ...EMPTY_LEDGER, unread }, NOW + 30 * DAY + 1)).toBe(true);
    expect(mayExpire(owed, NOW + 31 * DAY)).toBe(false);
  });

  test('do not close the editions of destinations that get something', () => {
    const both = cutNow(cutNow(owed), { destination: 'b' });
    const next = expireOld(both, ['a'], NOW + 31 * DAY);
    expect([openEdition(next, 'a'), openEdition(next, 'b')]).toEqual([undefined, opened(both, 'b')]);
  });
});
