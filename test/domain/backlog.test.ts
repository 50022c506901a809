// The number of postings that a ledger has waiting.
import { expect, test } from 'vitest';
import { backlogOf, placesOf, waitingIn } from '../../src/domain/backlog.js';
import { defined } from '../../src/domain/defined.js';
import type { Edition } from '../../src/domain/edition.js';
import { NO_WISHES } from '../../src/domain/fit.js';
import { EMPTY_LEDGER, type Ledger, type Owed } from '../../src/domain/ledger.js';
import { cut, settlePart } from '../../src/domain/outbox.js';
import { park } from '../../src/domain/parking.js';

const owed = (key: string, at: number, ...to: string[]): Owed => ({
  posting: { key, tags: [] } as unknown as Owed['posting'],
  matched: [],
  at,
  to,
});

const LEDGER: Ledger = {
  ...EMPTY_LEDGER,
  outbox: [owed('a', 20, 'mail', 'chat'), owed('b', 10, 'mail'), owed('c', 30, 'chat')],
};

const CUT = {
  subscription: 's',
  destination: 'chat',
  cadence: { every: 'immediate', timezone: 'UTC' } as const,
  slot: 40,
  now: 40,
  cap: 10,
  over: 'page' as const,
  wishes: NO_WISHES,
  pack: (all: readonly Owed[]) => all.map((one) => [one]),
};

test('is undefined when nothing waits', () => {
  expect(backlogOf(EMPTY_LEDGER)).toBeUndefined();
});

test('counts each posting once, and at each destination where it waits', () => {
  expect(backlogOf(LEDGER)).toEqual({
    postings: 3,
    oldest: 10,
    places: [
      { destination: 'mail', postings: 2, oldest: 10 },
      { destination: 'chat', postings: 2, oldest: 20 },
    ],
  });
});

test.each<readonly [string, Ledger, readonly string[]]>([
  ['nothing waits', EMPTY_LEDGER, []],
  ['postings wait', LEDGER, ['chat', 'mail']],
  [
    'what waits was not read',
    { ...EMPTY_LEDGER, ...defined({ unread: waitingIn(LEDGER) }) },
    ['chat', 'mail'],
  ],
  ['an edition is being sent', { ...EMPTY_LEDGER, editions: cut(LEDGER, CUT).editions }, ['chat']],
  ['a destination is parked', park(EMPTY_LEDGER, 'board', { why: 'gone' }, 40, undefined), ['board']],
])('the destinations of a backlog when %s', (_, ledger, destinations) => {
  expect([...placesOf(ledger)].sort()).toEqual(destinations);
  expect((backlogOf(ledger)?.places ?? []).map((one) => one.destination).sort()).toEqual(destinations);
});

test('what was not read counts too', () => {
  const [first, ...others] = LEDGER.outbox as [Owed, ...Owed[]];
  const unread = waitingIn({ outbox: others });
  expect(waitingIn({ outbox: [], ...defined({ unread }) })).toBe(unread);
  const counted = structuredClone(unread);
  expect(backlogOf({ ...LEDGER, outbox: [first], ...defined({ unread }) })).toEqual({
    ...backlogOf(LEDGER),
    places: expect.arrayContaining([...(backlogOf(LEDGER)?.places ?? [])]),
  });
  expect(unread).toEqual(counted);
  expect(backlogOf({ ...LEDGER, outbox: [owed('z', 5, 'mail')], ...defined({ unread }) })).toMatchObject({
    postings: 3,
    oldest: 5,
    places: [{ postings: 2, oldest: 5 }, { postings: 1 }],
  });
});

test('an edition is due from its cut until its last part is settled', () => {
  const due = cut(LEDGER, CUT);
  expect(backlogOf(due)?.places[1]).toEqual({ destination: 'chat', postings: 2, oldest: 20, cutAt: 40 });
  const id = due.editions[0]?.id ?? '';
  const half = settlePart(due, id, 50);
  expect(backlogOf(half)?.places.find((one) => one.destination === 'chat')).toMatchObject({
    postings: 1,
    cutAt: 40,
  });
  const done = settlePart(half, id, 60);
  expect(backlogOf(done)?.places.map((one) => one.destination)).toEqual(['mail']);
});

test('a failed attempt is due again at its time, if it is the first edition of the destination', () => {
  const [edition] = cut(LEDGER, CUT).editions as [Edition];
  const failed = { ...edition, lastFault: 'away', nextAt: 90 };
  const chat = (...editions: Edition[]) =>
    backlogOf({ ...LEDGER, editions })?.places.find((one) => one.destination === 'chat');
  expect(chat(failed)).toMatchObject({ cutAt: 40, retryAt: 90 });
  expect(chat({ ...edition, nextAt: 90 })).not.toHaveProperty('retryAt');
  expect(chat({ ...edition, cutAt: 30 }, failed)).toMatchObject({ cutAt: 30 });
  expect(chat({ ...edition, cutAt: 30 }, failed)).not.toHaveProperty('retryAt');
});

test('a parked destination has the resume under which it was parked', () => {
  expect(backlogOf(park(EMPTY_LEDGER, 'chat', { why: 'gone' }, 5, undefined))).toStrictEqual({
    postings: 0,
    places: [{ destination: 'chat', postings: 0, parked: {} }],
  });
  expect(backlogOf(park(LEDGER, 'chat', { why: 'gone' }, 5, 3))?.places[1]).toMatchObject({
    parked: { resumedAt: 3 },
  });
});
