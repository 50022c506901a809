// A store that several processes share: which roles may use it together, and what a process may write after it lost
// its turn.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/domain/role.js';
import { openBackend } from '../../src/store/index.js';
import { knownVersion, settleSchema } from '../../src/store/schema.js';
import { later } from '../helpers/later.js';
import { DATABASES, type RunningDatabase } from './databases.js';
import { ledger, openTestStores, testLog } from './fixtures.js';

const clock = { now: () => Date.now() };

for (const database of DATABASES) {
  const name = database.missing ? `${database.name} (skipped: ${database.missing})` : database.name;
  describe.skipIf(database.missing !== undefined)(name, () => {
    let running: RunningDatabase;
    beforeAll(async () => {
      running = await database.start();
    });
    afterAll(() => running?.stop());

    const open = (url: string, role?: Role) => openTestStores(url, { clock, role });

    test('is used by any number of workers and one control process together; a second control process learns that it may wait', async () => {
      const url = await running.freshUrl();
      const [control, second] = [await open(url, 'control'), await open(url, 'control')];
      const workers = [await open(url, 'worker'), await open(url, 'worker')];
      for (const one of [control, second, ...workers]) expect(await one.processes.join()).toBeUndefined();
      expect(await control.lease.acquire()).toEqual({ fence: 1 });
      expect(await second.lease.acquire()).toEqual({ holder: expect.any(String), shares: true });
      for (const one of workers) expect(await one.lease.held()).toBe(true);
      await workers[0]?.processes.beat(7);
      const list = await second.processes.list();
      expect(list.map(({ role, turns }) => `${role} ${turns}`).toSorted()).toEqual([
        'control 0',
        'control 0',
        'worker 0',
        'worker 7',
      ]);
      await control.lease.release();
      await control.processes.leave();
      expect(await second.lease.acquire()).toEqual({ fence: 2 });
      expect(await second.processes.list()).toHaveLength(3);
    });

    test('is not shared with a process that wants it alone: that one waits until no other uses it', async () => {
      const url = await running.freshUrl();
      const [alone, worker] = [await open(url), await open(url, 'worker')];
      await worker.processes.join();
      expect(await alone.lease.acquire()).toEqual({
        holder: expect.stringContaining(`process ${process.pid} on `),
        shares: true,
      });
      expect(await alone.lease.holder()).toContain(`process ${process.pid} on `);
      await worker.processes.leave();
      expect(await alone.lease.holder()).toBeUndefined();
      expect(await alone.lease.acquire()).toHaveProperty('fence');
      expect(await worker.processes.join()).toContain(`process ${process.pid} on `);
      expect(await alone.processes.list()).toEqual([]);
      await alone.lease.release();
      expect(await worker.processes.join()).toBeUndefined();
    });

    test('accepts a process again that was away for longer than its row lives', async () => {
      const url = await running.freshUrl();
      const options = { clock, role: 'worker' as const, lease: { ttlMs: 1 } };
      const worker = await openTestStores(url, options);
      await worker.processes.join();
      await worker.purge();
      expect(await worker.processes.list()).toEqual([]);
      await (await openTestStores(url, { clock })).purge();
      await worker.processes.beat(3);
      await worker.processes.leave();
    });

    test('a version that has to upgrade the store waits for the others to end; then theirs is refused', async () => {
      const url = await running.freshUrl();
      const worker = await open(url, 'worker');
      await worker.processes.join();
      const backend = await openBackend({ url, dataDir: '/nonexistent', clock });
      later(() => backend.close());
      const version = knownVersion() + 1;
      const upgrade = () =>
        settleSchema(backend, {
          log: testLog(),
          clock,
          migrate: true,
          migrations: [{ to: version, run: async () => undefined }],
        });
      const stored = async () => (await backend.kvTables.meta.get('schema'))?.value;
      await expect(upgrade()).rejects.toMatchObject({
        fault: 'locked',
        message: expect.stringMatching(
          /has to upgrade the store first, and process \d+ on .* uses it\. .*stop it/u,
        ),
      });
      expect(await stored()).toEqual({ version: knownVersion() });
      await worker.processes.leave();
      await upgrade();
      expect(await stored()).toEqual({ version });
      await expect(open(url, 'worker')).rejects.toMatchObject({
        fault: 'newer',
        message: expect.stringContaining('written by a later version of this program. Install that version'),
      });
    });

    if (database.name === 'postgres')
      test('refuses writes within a turn that another process took over', async () => {
        const url = await running.freshUrl();
        const [first, other] = [await open(url, 'worker'), await open(url)];
        await first.lanes.plan([{ queue: 'work', lane: 'a', unit: 'a', at: 1 }]);
        const [turn] = await first.lanes.claim('work', 1);
        if (!turn) throw new Error('not due');
        let trailing: Promise<unknown> | undefined;
        await first.lanes.within(turn, async () => {
          const opened = await first.ledgers.open('one');
          expect(await opened.commit(ledger(['a']))).toBe(true);
          await first.misc.set('mine', 1);
          // As happens when the hold expires.
          await other.lanes.freeAll();
          const [next] = await other.lanes.claim('work', 1);
          expect(next?.epoch).toBe(turn.epoch + 1);
          const stale = await first.ledgers.open('one');
          await expect(stale.commit(ledger(['b']))).rejects.toMatchObject({ fault: 'taken' });
          await expect(first.misc.set('mine', 2)).rejects.toMatchObject({ fault: 'taken' });
          trailing = new Promise((resolve) => setTimeout(resolve, 50)).then(() => first.misc.set('late', 1));
        });
        await trailing;
        expect(await other.misc.get('mine')).toBe(1);
        expect(await other.misc.get('late')).toBe(1);
        expect((await other.ledgers.read('one'))?.recent).toEqual({ q: ['a'] });
      });
  });
}
