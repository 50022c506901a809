// The only writer of ledgers: changes are made one after the other, each is durable before the next, and none is made
// without the lease or for a subscription that was removed.
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/domain/errors.js';
import { EMPTY_LEDGER, type Ledger, record } from '../../src/domain/ledger.js';
import { createLedgers, type Ledgers } from '../../src/pipeline/ledgers.js';
import type { PollState } from '../../src/ports/stores.js';
import { finding } from '../helpers/postings.js';

let rows: Map<string, Ledger>;
let states: Map<string, PollState>;
let wrote: string[];
let there: Set<string>;
let held: boolean;
/** How many times another process writes first. */
let conflicts: number;
let ledgers: Ledgers;

beforeEach(() => {
  rows = new Map();
  states = new Map();
  wrote = [];
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
          async commit(next) {
            await turn();
            if (conflicts-- > 0) return false;
            wrote.push(`ledger ${id}`);
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
      trim: async () => undefined,
      remove: async (id) => void rows.delete(id),
    },
    states: {
      read: async (id) => states.get(id),
      withVersion: async (id) => ({ state: states.get(id) ?? {}, version: 0 }),
      async write(id, state) {
        await turn();
        wrote.push(`state ${id}`);
        states.set(id, state);
      },
      remove: async (id) => void states.delete(id),
      async *all() {
        yield* states;
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
    const saved = ledgers.saveState('s', { matchedAt: 3 });
    there.delete('s');
    const forgotten = ledgers.forget('s');
    await Promise.all([under, saved, forgotten, ledgers.saveState('s', { matchedAt: 4 }), bump()]);
    expect([rows.size, states.size]).toEqual([0, 0]);
  });

  test('starts with an empty ledger when its id is used again', async () => {
    await bump();
    await ledgers.saveState('s', { matchedAt: 3 });
    there.delete('s');
    await ledgers.forget('s');
    there.add('s');
    expect(await bump()).toBe(0);
    expect(states.size).toBe(0);
  });
});

test('writes nothing without the lease', async () => {
  held = false;
  for (const attempt of [bump(), ledgers.saveState('s', { matchedAt: 1 }), ledgers.forget('s')])
    await expect(attempt).rejects.toBeInstanceOf(StoreError);
  expect(wrote).toEqual([]);
});
