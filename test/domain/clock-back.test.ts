// Times in the future after the clock was set back: how they are corrected, and which are kept.
import { expect, test } from 'vitest';
import type { Edition } from '../../src/domain/edition.js';
import { EMPTY_LEDGER, type Ledger, type Owed } from '../../src/domain/ledger.js';
import type { Destination } from '../../src/domain/subscription.js';
import { clampToNow } from '../../src/pipeline/prepare.js';

const NOW = Date.UTC(2026, 10, 25, 10);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONDAY = Date.UTC(2026, 10, 30, 9);

const weekly: Destination = {
  id: 'd1',
  sink: 'capture',
  target: 'one',
  cadence: { every: 'weekly', day: 'monday', at: '09:00', timezone: 'UTC' },
};
const immediate: Destination = { ...weekly, cadence: { every: 'immediate', timezone: 'UTC' } };

const owed = (at: number, ...to: string[]): Owed => ({
  posting: { key: `id:${at}:${to}` },
  matched: [],
  at,
  to,
});

const edition = (nextAt: number, destination = 'd1'): Edition => ({
  id: `e${nextAt}`,
  destination,
  every: 'weekly',
  from: NOW,
  slot: NOW,
  parts: [['a']],
  sent: 0,
  rest: [],
  cutAt: NOW - HOUR,
  attempts: 0,
  outages: 3,
  waited: 0,
  nextAt,
});

const ledgerOf = (parts: Partial<Ledger>): Ledger => ({ ...EMPTY_LEDGER, ...parts });

test('returns the same ledger when nothing is in the future', () => {
  const ledger = ledgerOf({
    outbox: [owed(NOW, 'd1'), owed(NOW + DAY, 'other')],
    editions: [edition(NOW + 24 * HOUR), edition(NOW + 90 * DAY, 'other')],
    lastEdition: { d1: MONDAY, other: NOW + 90 * DAY },
  });
  expect(clampToNow(ledger, weekly, NOW)).toBe(ledger);
});

test('postings for this destination count as waiting since now, and others are unchanged', () => {
  const { outbox } = clampToNow(
    ledgerOf({ outbox: [owed(NOW + DAY, 'd1'), owed(NOW + DAY, 'other'), owed(NOW - 5, 'd1')] }),
    weekly,
    NOW,
  );
  expect(outbox.map(({ at }) => at)).toEqual([NOW, NOW + DAY, NOW - 5]);
});

test('an edition that would wait longer than the maximum is due now', () => {
  const { editions } = clampToNow(
    ledgerOf({ editions: [edition(NOW + 25 * HOUR), edition(NOW + HOUR)] }),
    weekly,
    NOW,
  );
  expect(editions.map(({ nextAt }) => nextAt)).toEqual([NOW, NOW + HOUR]);
});

test('a last edition more than a slot ahead counts as now; one at the next slot was that of the slot', () => {
  const of = (at: number, destination: Destination) =>
    clampToNow(ledgerOf({ lastEdition: { d1: at } }), destination, NOW).lastEdition.d1;
  expect(of(MONDAY + 1, weekly)).toBe(NOW);
  expect(of(MONDAY, weekly)).toBe(MONDAY);
  expect(of(NOW + 1, immediate)).toBe(NOW);
});
