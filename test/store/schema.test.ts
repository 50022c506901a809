// Versions of the stored data: a newer store is refused, an older one is copied and then migrated step by step.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../src/domain/errors.js';
import type { Backend, Commit } from '../../src/store/backend.js';
import { createOverlay } from '../../src/store/overlay.js';
import { identifyProcess } from '../../src/store/process-identity.js';
import {
  COPYING,
  knownVersion,
  type Migration,
  settleSchema,
  versionOf,
  versionWrite,
} from '../../src/store/schema.js';
import { openSqlite } from '../../src/store/sqlite/backend.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { later } from '../helpers/later.js';
import { NOW, openTestStores, tempDir, testClock, testLog } from './fixtures.js';

const KNOWN = knownVersion();

/** A store file of the present version, which is old for the migrations that a test adds. */
async function oldStore(): Promise<{ readonly dir: string; readonly backend: Backend }> {
  const dir = await tempDir();
  const file = join(dir, 'store.sqlite');
  await (await openTestStores(`sqlite://${file}`)).close();
  const backend = await openSqlite({ file, clock: testClock(), backups: `${file}.backups` });
  later(() => backend.close());
  return { dir, backend };
}

/** A migration to so many versions above the present one, which notes that it ran. */
function step(above: number, ran: number[], more: Partial<Migration> = {}): Migration {
  return { to: KNOWN + above, run: async () => void ran.push(above), ...more };
}

const optionsWith = (...migrations: readonly Migration[]) => ({
  log: testLog(),
  clock: testClock(),
  migrate: true,
  migrations,
});

const metaOf = async ({ kvTables }: Backend, key: string) => (await kvTables.meta.get(key))?.value;
const copiesIn = async (dir: string) => (await readdir(dir)).filter((name) => name.endsWith('.bak')).sort();

describe('a store', () => {
  test('that is new gets the version of this program, and all columns', async () => {
    const overlay = createOverlay();
    let columns = 0;
    const backend = { ...overlay, addColumns: async () => void columns++ };
    const { log, ...options } = optionsWith(step(1, []));
    await settleSchema(backend, { log, ...options, migrate: false });
    expect(await metaOf(backend, 'schema')).toEqual({ version: KNOWN + 1 });
    expect([columns, log.lines]).toEqual([1, []]);
    await settleSchema(backend, { log, ...options });
    expect(columns).toBe(1);
  });

  test('of this version is not written to', async () => {
    const backend = createOverlay();
    await backend.commit({ writes: [versionWrite(KNOWN)] });
    const written: Commit[] = [];
    const watched = { ...backend, commit: async (one: Commit) => written.push(one) > 0 };
    await settleSchema(watched, { log: testLog(), clock: testClock(), migrate: true });
    expect(written).toEqual([]);
  });

  test('of a later version is refused, and not changed', async () => {
    const url = `sqlite://${await tempDir()}/store.sqlite`;
    const stores = await openTestStores(url);
    await stores.backend.kvTables.meta.set('schema', { value: { version: 99 } });
    await stores.close();
    for (const _again of [1, 2])
      await expect(openTestStores(url)).rejects.toMatchObject({
        fault: 'newer',
        message: expect.stringContaining(`version 99, this program knows ${KNOWN}`),
      });
  });

  test('of an earlier version is not migrated by a command that only reads', async () => {
    const backend = createOverlay();
    await backend.commit({ writes: [versionWrite(KNOWN)] });
    const ran: number[] = [];
    await expect(
      settleSchema(backend, { ...optionsWith(step(1, ran)), migrate: false }),
    ).rejects.toMatchObject({
      fault: 'unavailable',
      message: expect.stringContaining(
        `The store is of version ${KNOWN}, and this program needs version ${KNOWN + 1}. Start \`jobcrier run\` once`,
      ),
    });
    expect([ran, await metaOf(backend, 'schema')]).toEqual([[], { version: KNOWN }]);
  });

  test('into which another store is being copied is refused', async () => {
    const backend = createOverlay();
    await backend.kvTables.meta.set(COPYING, { value: {} });
    await expect(settleSchema(backend, optionsWith(step(1, [])))).rejects.toMatchObject({
      name: 'UserError',
      exitCode: 2,
      message: expect.stringContaining('Run `jobcrier store copy` again as before'),
    });
  });

  test.each<[unknown, number]>([
    [{ version: 3 }, 3],
    [{ version: '3' }, 0],
    [{}, 0],
    [undefined, 0],
  ])('whose note of its version is %j has version %i', (value, version) => {
    expect(versionOf(value)).toBe(version);
  });

  test('has version 1 when there are no migrations', () => {
    expect(knownVersion([])).toBe(1);
  });
});

describe('an older store', () => {
  test('is copied once, then migrated step by step; after a crash in between it continues where it was', async () => {
    const { dir, backend } = await oldStore();
    const ran: number[] = [];
    let isBroken = true;
    const options = optionsWith(
      step(1, ran),
      step(2, ran, {
        async run() {
          ran.push(2);
          if (isBroken) throw new Error('pulled the plug');
        },
      }),
    );
    await expect(settleSchema(backend, options)).rejects.toThrow('pulled the plug');
    const copy = `v${KNOWN}.bak`;
    expect(await metaOf(backend, 'schema')).toEqual({ version: KNOWN + 1 });
    expect(await metaOf(backend, 'migration')).toEqual({ from: KNOWN, copy });
    isBroken = false;
    await settleSchema(backend, options);
    await settleSchema(backend, options);
    expect(ran).toEqual([1, 2, 2]);
    expect(await metaOf(backend, 'schema')).toEqual({ version: KNOWN + 2 });
    expect(await metaOf(backend, 'migration')).toBeUndefined();
    expect(await copiesIn(dir)).toEqual([`store.sqlite.${copy}`]);
    const place = join(dir, `store.sqlite.${copy}`);
    expect((await stat(place)).mode & 0o777).toBe(0o600);
    await withFile(place, async (run) => {
      expect(await run(`SELECT value FROM meta WHERE key IN ('schema', 'migration')`)).toEqual([
        { value: `{"value":{"version":${KNOWN}}}` },
      ]);
    });
    const info = (fields: object, message: string) => ({ level: 'info', fields, message });
    expect(options.log.lines).toEqual([
      info({ schema: KNOWN, copy: place }, 'store copied before it is brought up to date'),
      info({ schema: KNOWN + 1 }, 'store brought up to date'),
      info({ schema: KNOWN + 2 }, 'store brought up to date'),
    ]);
  });

  test('is copied again when its copy is gone, under the same name', async () => {
    const { dir, backend } = await oldStore();
    let isBroken = true;
    const options = optionsWith(
      step(1, [], {
        async run() {
          if (isBroken) throw new Error('pulled the plug');
        },
      }),
    );
    await expect(settleSchema(backend, options)).rejects.toThrow('pulled the plug');
    await rm(join(dir, `store.sqlite.v${KNOWN}.bak`));
    isBroken = false;
    await settleSchema(backend, options);
    expect(await copiesIn(dir)).toEqual([`store.sqlite.v${KNOWN}.bak`]);
  });

  test('keeps the copies of earlier migrations', async () => {
    const { dir, backend } = await oldStore();
    for (const _restored of [1, 2, 3]) {
      await backend.commit({ writes: [versionWrite(KNOWN)] });
      await settleSchema(backend, optionsWith(step(1, [])));
    }
    expect(await copiesIn(dir)).toEqual(
      ['-2.bak', '-3.bak', '.bak'].map((end) => `store.sqlite.v${KNOWN}${end}`),
    );
  });

  test.each<[string, Error, string]>([
    ['a fault of the store', new StoreError('full', 'The disk is full.'), 'full'],
    ['another error', new Error('boom'), 'unavailable'],
  ])("stays as it is when it can't be copied: %s", async (_what, error, fault) => {
    const { backend } = await oldStore();
    const ran: number[] = [];
    const copies = {
      has: async () => false,
      make: async () => {
        throw error;
      },
    };
    const options = optionsWith(step(1, ran));
    await expect(settleSchema({ ...backend, copies }, options)).rejects.toMatchObject({
      name: 'StoreError',
      fault,
      message: expect.stringContaining(`can't make the copy that it needs first: ${error.message}`),
    });
    expect([ran, options.log.lines]).toEqual([[], []]);
    expect(await metaOf(backend, 'schema')).toEqual({ version: KNOWN });
    expect(await metaOf(backend, 'migration')).toBeUndefined();
  });

  test('in a database that makes no copies is migrated without one', async () => {
    const backend = createOverlay();
    await backend.commit({ writes: [versionWrite(KNOWN)] });
    const ran: number[] = [];
    const seen: unknown[] = [];
    const noting = (above: number) =>
      step(above, ran, {
        async run(open) {
          ran.push(above);
          seen.push(await metaOf(open, 'migration'));
        },
      });
    await settleSchema(backend, optionsWith(step(0, ran), noting(1), noting(2)));
    expect([ran, seen]).toEqual([
      [1, 2],
      [undefined, undefined],
    ]);
    expect(await metaOf(backend, 'schema')).toEqual({ version: KNOWN + 2 });
  });

  test('that another process uses waits for it to end', async () => {
    const { dir, backend } = await oldStore();
    const ran: number[] = [];
    const holder = JSON.stringify({ ...(await identifyProcess(NOW)), nonce: 'fixed' });
    await backend.leases.take('service', holder, 60_000);
    await expect(settleSchema(backend, optionsWith(step(1, ran)))).rejects.toMatchObject({
      fault: 'locked',
      message: expect.stringMatching(
        /^This version has to upgrade the store first, and process \d+ .* uses it\. .* start again when it has finished\.$/u,
      ),
    });
    expect([ran, await copiesIn(dir)]).toEqual([[], []]);
    await backend.leases.release('service', 1, holder);
    await settleSchema(backend, optionsWith(step(1, ran)));
    expect(ran).toEqual([1]);
  });

  test('that another process migrated in the meantime is not migrated again', async () => {
    const { dir, backend } = await oldStore();
    const ran: number[] = [];
    const late: Backend = {
      ...backend,
      leases: {
        ...backend.leases,
        async take(...what) {
          await backend.commit({ writes: [versionWrite(KNOWN + 1)] });
          return backend.leases.take(...what);
        },
      },
    };
    await settleSchema(late, optionsWith(step(1, ran)));
    expect([ran, await copiesIn(dir)]).toEqual([[], []]);
  });

  test('is only written to while the lease is held', async () => {
    const { backend } = await oldStore();
    const takeOver = step(1, [], {
      async run(open, clock, alive) {
        expect(clock.now()).toBe(NOW);
        await alive();
        const [{ holder, fence } = { holder: '', fence: 0 }] = await backend.leases.list();
        await backend.leases.release('service', fence, holder);
        await backend.leases.take('service', 'another', 60_000);
        const write = { table: 'misc', key: 'a', entry: { value: 1 } } as const;
        await expect(open.commit({ writes: [write] })).rejects.toMatchObject({ fault: 'lost' });
      },
    });
    await expect(settleSchema(backend, optionsWith(takeOver))).rejects.toMatchObject({ fault: 'lost' });
    expect(await metaOf(backend, 'schema')).toEqual({ version: KNOWN });
    expect((await backend.kvTables.misc.read('a')).entry).toBeUndefined();
  });
});
