// Two processes on one store: the holder dies, is suspended, wakes up, or is only assumed to be alive.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../helpers/until.js';
import { DATABASES, type RunningDatabase } from './databases.js';
import { keysIn, keyText, openTestStores } from './fixtures.js';
import { startHolder } from './holders.js';

const KEY = keyText();
/** Longer than any test: a process that takes over earlier did not wait for it. */
const LONG = 600_000;
const WALL = { clock: { now: () => Date.now() } };

for (const database of DATABASES) {
  const name = database.missing ? `${database.name} (skipped: ${database.missing})` : database.name;
  describe.skipIf(database.missing !== undefined)(`the lease of a store on ${name}`, () => {
    let running: RunningDatabase;
    beforeAll(async () => {
      running = await database.start();
    });
    afterAll(() => running?.stop());

    test('a killed holder is replaced immediately', async () => {
      const url = await running.freshUrl();
      const holder = await startHolder(url, KEY, LONG);
      expect(await holder.ask('acquire')).toEqual({ fence: 1 });
      const { lease } = await openTestStores(url, WALL);
      expect(await lease.acquire()).toEqual({ holder: expect.stringContaining(`process ${holder.pid} on `) });
      await holder.end('SIGKILL');
      expect(await lease.acquire()).toEqual({ fence: 2 });
    });

    test('a clean stop frees it immediately', async () => {
      const url = await running.freshUrl();
      const holder = await startHolder(url, KEY, LONG);
      await holder.ask('acquire');
      await holder.ask('release');
      const { lease } = await openTestStores(url, WALL);
      expect(await lease.acquire()).toEqual({ fence: 2 });
    });

    test('a suspended holder is replaced when its lease ends, and notices when it wakes up', async () => {
      const url = await running.freshUrl();
      const holder = await startHolder(url, KEY, 1500);
      await holder.ask('acquire');
      const stores = await openTestStores(url, WALL);
      expect(await holder.ask('renew')).toBe(true);
      holder.child.kill('SIGSTOP');
      expect(await stores.lease.acquire()).toHaveProperty('holder');
      const taken = await until(async () => 'fence' in (await stores.lease.acquire()) && stores.lease.held());
      expect(taken).toBe(true);
      holder.child.kill('SIGCONT');
      expect(await holder.ask('write')).toEqual({ fault: 'lost' });
      expect(await holder.ask('held')).toBe(false);
      expect(await holder.ask('renew')).toBe(false);
      expect(await stores.lease.held()).toBe(true);
      expect(await stores.ledgers.read('one')).toBeUndefined();
    });
  });
}

describe('a crash', () => {
  test('loses no ledger whose write was confirmed', async () => {
    const database = await DATABASES[0]!.start();
    try {
      const url = await database.freshUrl();
      const holder = await startHolder(url, KEY, LONG);
      await holder.ask('acquire');
      holder.send('flood');
      await until(() => holder.lines.length > 30, { what: 'some writes' });
      await holder.end('SIGKILL');
      const promised = holder.lines.flatMap((line) => ('flood' in line ? [line.flood as number] : []));
      const stores = await openTestStores(url, WALL);
      for (const index of promised)
        expect(keysIn(await stores.ledgers.read(`flood-${index}`))).toEqual([String(index)]);
    } finally {
      await database.stop();
    }
  });
});
