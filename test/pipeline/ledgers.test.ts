// The only writer of ledgers: changes are made one after the other, each is durable before the next, and none is made
// without the lease or for a subscription that was removed.
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { EMPTY_LEDGER, type Ledger, record } from '../../src/domain/ledger.js';
import { createLedgers, type Ledgers } from '../../src/pipeline/ledgers.js';
import { finding } from '../helpers/postings.js';

let rows: Map<string, Ledger>;
let wrote: string[];
let there: Set<string>;
/** What was committed with each ledger. */
let committed: unknown[];
let held: boolean;
/** How many times another process writes first. */
let conflicts: number;
let ledgers: Ledgers;

beforeEach(() => {
  rows = new Map();
  wrote = [];
  committed = [];
  there = new Set(['s', 't']);
  held = true;
  conflicts = 0;
  ledgers = createLedgers({
    ledgers: {
      async open(id) {
        const ledger = rows.get(id) ?? EMPTY_LEDGER;
        return {
          ledger,
          isNew: !rows.has(id),
          async commit(next, also) {
            await turn();
            if (conflicts-- > 0) return false;
            wrote.push(`ledger ${id}`);
            committed.push(also);
            rows.set(id, next);
            return true;
          },
        };
      },
      read: async (id) => rows.get(id),
      owed: async (id) => rows.get(id),
      outcomesOf: async () => ({}),
      deliveredAt: async () => new Map(),
      backlogs: async () => new Map(),
      async *allBacklogs() {},
      waitingAt: async () => [],
      parked: async () => [],
      matches: async () => undefined,
      async *matchedTimes() {},
      trim: async (id, most) => void wrote.push(`trim ${id} ${most}`),
      async remove(id) {
        wrote.push(`no ledger ${id}`);
        rows.delete(id);
      },
    },
    lease: {
      acquire: async () => ({ fence: 1 }),
      held: async () => held,
      renew: async () => held,
      holder: async () => undefined,
      release: async () => undefined,
    },
    exists: async (id) => there.has(id),
  });
});

const plus = (ledger: Ledger): Ledger => ({ ...ledger, polledAt: (ledger.polledAt ?? 0) + 1 });
/** Adds a posting to the outbox of a ledger. */
function owing(ledger: Ledger): Ledger {
  const asked = ['|||100'];
  const options = { now: 1, asked, answered: asked, destinations: ['a'], newest: 9, reposts: false };
  return record(ledger, [finding('1')], options).ledger;
}
const bump = (id = 's') =>
  ledgers.update(id, (ledger) => ({ ledger: plus(ledger), result: ledger.polledAt ?? 0 }));

describe('changes', () => {
  test('of one ledger are made one after the other, also when one fails', async () => {
    const failing = ledgers.update('s', () => Promise.reject(new Error('no')));
    const results = [bump(), bump(), bump()];
    await expect(failing).rejects.toThrow('no');
    expect(await Promise.all(results)).toEqual([0, 1, 2]);
    expect(rows.get('s')?.polledAt).toBe(3);
  });

  test('of two ledgers do not wait for each other', async () => {
    let release = () => {};
    const stuck = ledgers.update('s', async (ledger) => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { ledger, result: undefined };
    });
    await bump('t');
    release();
    await stuck;
  });

  test('are made again when another process wrote first', async () => {
    conflicts = 2;
    let times = 0;
    await ledgers.update('s', (ledger) => {
      times++;
      return { ledger: plus(ledger), result: undefined };
    });
    expect([times, rows.get('s')?.polledAt]).toEqual([3, 1]);
  });

  test('write nothing when they change nothing', async () => {
    await ledgers.update('s', (ledger) => ({ ledger, result: undefined }));
    expect(wrote).toEqual([]);
  });
});

describe('a removed subscription', () => {
  test('leaves no rows, also when changes were in progress', async () => {
    const under = ledgers.update('s', async (ledger) => {
      await turn();
      return { ledger: owing(ledger), result: undefined };
    });
    there.delete('s');
    const forgotten = ledgers.forget('s');
    await Promise.all([under, forgotten, bump()]);
    expect(rows.size).toBe(0);
  });

  test('starts with an empty ledger when its id is used again', async () => {
    await bump();
    there.delete('s');
    await ledgers.forget('s');
    there.add('s');
    expect(await bump()).toBe(0);
  });

  test('is not written by work that started before, and what it wrote at the same moment is removed', async () => {
    there.delete('s');
    await bump();
    expect(wrote).toEqual([]);
    there.add('s');
    const updated = bump();
    // It has found it there, and writes now.
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
    there.delete('s');
    await updated;
    expect(wrote).toEqual(['ledger s', 'no ledger s']);
  });

  test('keeps rows that were there before the write: their removal is under way', async () => {
    await bump();
    wrote = [];
    const updated = bump();
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
    there.delete('s');
    await updated;
    expect(wrote).toEqual(['ledger s']);
  });

  test('is left to a commit that compares its version', async () => {
    there.delete('s');
    const also = { subscriptionVersion: 7, plans: [] };
    await ledgers.update('s', (ledger) => ({ ledger: plus(ledger), result: undefined, ...also }));
    expect(wrote).toEqual(['ledger s']);
    expect(committed).toEqual([also]);
  });

  test('loses its ledger first, and then what goes along', async () => {
    await ledgers.forget('s', async () => void wrote.push('along'));
    expect(wrote).toEqual(['no ledger s', 'along']);
  });
});

test('a ledger is trimmed after the changes before it', async () => {
  await Promise.all([bump(), ledgers.trim('s', 5)]);
  expect(wrote).toEqual(['ledger s', 'trim s 5']);
});

test('a ledger that is not stored is empty', async () => {
  expect(await ledgers.read('s')).toBe(EMPTY_LEDGER);
  expect(await ledgers.readAll('s')).toBe(EMPTY_LEDGER);
  await bump();
  for (const ledger of [await ledgers.read('s'), await ledgers.readAll('s')])
    expect(ledger).toEqual({ ...EMPTY_LEDGER, polledAt: 1 });
  expect((await ledgers.look('s', () => ({}))).polledAt).toBe(1);
});

test('writes nothing without the lease', async () => {
  held = false;
  for (const attempt of [bump(), ledgers.forget('s')])
    await expect(attempt).rejects.toMatchObject({
      name: 'StoreError',
      fault: 'lost',
      message: 'Another process holds the store, so this one stops.',
    });
  expect(wrote).toEqual([]);
});
