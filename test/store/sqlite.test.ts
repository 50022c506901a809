// Faults of the file: no space, locks of other programs, damage; and its layout.
import { execFileSync } from 'node:child_process';
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyvSqlite } from '@keyv/sqlite';
import Keyv from 'keyv';
import { describe, expect, test } from 'vitest';
import type { Backend } from '../../src/store/backend.js';
import { backupStore } from '../../src/store/backup.js';
import { backupFile } from '../../src/store/backups-dir.js';
import { assembleStores } from '../../src/store/index.js';
import { openSqlite } from '../../src/store/sqlite/backend.js';
import { later } from '../helpers/later.js';
import { put, putLedger } from '../helpers/put.js';
import {
  collect,
  KEYS,
  keysIn,
  ledger,
  NOW,
  openTestStores,
  subscription,
  tempDir,
  testClock,
  testLog,
} from './fixtures.js';

/** A connection of another program. */
async function foreign(file: string): Promise<KeyvSqlite> {
  const store = new KeyvSqlite({ uri: `sqlite://${file}`, table: 'meta' });
  await store.query('SELECT 1');
  later(() => store.close().catch(() => undefined));
  return store;
}

async function openBackend(file: string, pragmas: readonly string[] = []): Promise<Backend> {
  return openSqlite({ file, clock: testClock(), backups: `${file}.backups`, pragmas });
}

const LARGE = ledger(Array.from({ length: 2000 }, (_, index) => `https://jobs.example/${index}`));

describe('the file', () => {
  test('and its folder are readable only by their owner, with all companion files', async () => {
    const dir = join(await tempDir(), 'data');
    const stores = await openTestStores(`sqlite://${dir}/store.sqlite`);
    await stores.probe();
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    const names = await readdir(dir);
    expect(names).toContain('store.sqlite-wal');
    for (const name of names) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    await stores.close();
    expect(await readdir(dir)).toEqual(['store.sqlite']);
  });

  test('lists 20,000 subscriptions in order, page by page', { tags: 'long' }, async () => {
    const stores = await openTestStores(`sqlite://${await tempDir()}/store.sqlite`);
    const ids = Array.from({ length: 20_000 }, (_, index) => `s${String(index).padStart(6, '0')}`);
    await Promise.all(ids.map((id) => put(stores.subscriptions, subscription(id))));
    const listed: string[] = [];
    for await (const one of stores.subscriptions.list()) listed.push(one.id);
    expect(listed).toEqual(ids);
  });
});

test('a commit after several that shared a transaction waits for others in the service, but not in a command', async () => {
  /** Milliseconds from the start of several commits to the end of one that follows them. */
  async function takes(gathers: boolean): Promise<number> {
    const { cache, close } = await openTestStores(`sqlite://${await tempDir()}/store.sqlite`, { gathers });
    const began = performance.now();
    await Promise.all([1, 2, 3].map((n) => cache.set(`k${n}`, n)));
    await cache.set('after', 1);
    const ms = performance.now() - began;
    await close();
    return ms;
  }
  expect(await takes(true)).toBeGreaterThanOrEqual(45);
  // On a busy machine one round may be slow, but the rounds do not all wait.
  const rounds: number[] = [];
  while (rounds.length < 20 && !rounds.some((ms) => ms < 45)) rounds.push(await takes(false));
  expect(Math.min(...rounds)).toBeLessThan(45);
});

describe('pitfalls of Keyv, as they are today', () => {
  test('two Keyvs on one store object share the namespace set last, so clearing one empties the other', async () => {
    const store = new KeyvSqlite({ uri: `sqlite://${await tempDir()}/trap.sqlite` });
    const [one, two] = [new Keyv(store, { namespace: 'one' }), new Keyv(store, { namespace: 'two' })];
    await one.set('a', 1);
    await two.set('b', 2);
    await one.clear();
    expect([await one.get('a'), await two.get('b')]).toEqual([1, undefined]);
    await store.close();
  });

  test('a failing set returns false and a Set is lost, unless configured otherwise', async () => {
    const store = new KeyvSqlite({ uri: `sqlite://${await tempDir()}/trap.sqlite` });
    const keyv = new Keyv(store);
    keyv.on('error', () => undefined);
    await keyv.set('set', { set: new Set([1]) });
    expect(await keyv.get('set')).toEqual({ set: {} });
    await store.close();
    expect(await keyv.set('a', 1)).toBe(false);
  });

  test('expired rows stay in the file', async () => {
    const store = new KeyvSqlite({ uri: `sqlite://${await tempDir()}/trap.sqlite` });
    const keyv = new Keyv(store);
    await keyv.set('a', 1, 1);
    await expect.poll(async () => await keyv.has('a')).toBe(true);
    expect(await store.query('SELECT count(*) AS n FROM keyv')).toEqual([{ n: 1 }]);
    await store.close();
  });
});

describe('no space', () => {
  test('is reported as such, breaks nothing, and ends when there is space again', async () => {
    const file = join(await tempDir(), 'store.sqlite');
    const backend = await openBackend(file, ['max_page_count = 120']);
    const stores = await assembleStores(backend, { keys: KEYS, log: testLog(), clock: testClock() });
    later(() => stores.close());
    await stores.cache.set('ballast', 'x'.repeat(200_000), 60_000);
    const written: string[] = [];
    async function fill(): Promise<void> {
      for (let index = 0; index < 100; index++) {
        await putLedger(stores.ledgers, `l${index}`, LARGE);
        written.push(`l${index}`);
      }
    }
    await expect(fill()).rejects.toMatchObject({ name: 'StoreError', fault: 'full', message: /no room/u });
    expect(written.length).toBeGreaterThan(0);
    for (const id of written) expect(await stores.ledgers.read(id)).toEqual(LARGE);
    expect(await stores.ledgers.read(`l${written.length}`)).toBeUndefined();
    await stores.cache.delete('ballast');
    await putLedger(stores.ledgers, 'after', LARGE);
    expect(await stores.ledgers.read('after')).toEqual(LARGE);
    await stores.probe();
  });

  const disk = canMount();
  test.skipIf(disk !== undefined)(`on a real full disk${disk ? ` (skipped: ${disk})` : ''}`, async () => {
    const dir = await tempDir();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', dir]);
    later(async () => execFileSync('umount', ['-l', dir]));
    const stores = await openTestStores(`sqlite://${dir}/store.sqlite`);
    await putLedger(stores.ledgers, 'before', LARGE);
    await writeFile(join(dir, 'ballast'), Buffer.alloc(4_000_000)).catch(() => undefined);
    const attempt = () =>
      putLedger(stores.ledgers, 'during', ledger(Array.from({ length: 9000 }, (_, i) => `key-${i}`)));
    await expect(attempt()).rejects.toMatchObject({ fault: 'full' });
    await expect(stores.probe().then(attempt)).rejects.toMatchObject({ fault: 'full' });
    expect(await stores.ledgers.read('before')).toEqual(LARGE);
    expect(await stores.ledgers.read('during')).toBeUndefined();
    await rm(join(dir, 'ballast'));
    await attempt();
    await stores.probe();
    expect(keysIn(await stores.ledgers.read('during'))).toHaveLength(9000);
  });
});

function canMount(): string | undefined {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'mounting is not allowed here';
  }
}

describe('a lock of another program', () => {
  test('is waited for', async () => {
    const file = join(await tempDir(), 'store.sqlite');
    const stores = await openTestStores(`sqlite://${file}`);
    const other = await foreign(file);
    await other.query('BEGIN IMMEDIATE');
    const write = putLedger(stores.ledgers, 'one', ledger(['a']));
    // Reading the other tables continues meanwhile.
    expect(await stores.accounts.get('one')).toBeUndefined();
    await other.query('COMMIT');
    await write;
    expect(keysIn(await stores.ledgers.read('one'))).toEqual(['a']);
  });

  test('that stays is reported as such, and work continues after it', async () => {
    const file = join(await tempDir(), 'store.sqlite');
    const backend = await openBackend(file, ['busy_timeout = 50']);
    const stores = await assembleStores(backend, { keys: KEYS, log: testLog(), clock: testClock() });
    later(() => stores.close());
    const other = await foreign(file);
    await other.query('BEGIN IMMEDIATE');
    const locked = { fault: 'locked', message: /another process/u };
    await expect(putLedger(stores.ledgers, 'one', ledger(['a']))).rejects.toMatchObject(locked);
    await expect(stores.probe()).rejects.toMatchObject(locked);
    await other.query('ROLLBACK');
    await putLedger(stores.ledgers, 'one', ledger(['b']));
    expect(keysIn(await stores.ledgers.read('one'))).toEqual(['b']);
  });
});

test('a commit of several statements is written as a whole or not at all, even if it compares nothing', async () => {
  const file = join(await tempDir(), 'store.sqlite');
  const { kvTables, commit, addColumns, close } = await openBackend(file, []);
  later(close);
  await addColumns();
  await (await foreign(file)).query('DROP TABLE marks');
  const row = { key: 'a', entry: { value: 1 } };
  await expect(
    commit({
      writes: [
        { table: 'accounts', ...row },
        { table: 'marks', ...row },
      ],
    }),
  ).rejects.toThrow();
  expect(await kvTables.accounts.get('a')).toBeUndefined();
});

describe('the lane of a process that died', () => {
  const HOLD_MS = 12_000;

  /** A lane that is held, and the clock after its hold has run out. */
  async function held(pragma: string) {
    const file = join(await tempDir(), 'store.sqlite');
    const clock = testClock();
    const backend = await openSqlite({ file, clock, backups: `${file}.backups`, pragmas: [pragma] });
    later(() => backend.close());
    const { lanes } = backend;
    await backend.addColumns();
    await lanes.plan([{ queue: 'work', lane: 'a', unit: 'a', at: 1 }]);
    expect(await lanes.claim('work', 1)).toHaveLength(1);
    const runOut = () => {
      clock.at += HOLD_MS + 1;
    };
    return { file, lanes, runOut };
  }
  const unit = (lane: string) => ({ queue: 'other', lane, unit: lane, at: 1 });

  test('is taken over, even if a transaction failed because of a lock', async () => {
    const { file, lanes, runOut } = await held('busy_timeout = 50');
    const other = await foreign(file);
    await other.query('BEGIN IMMEDIATE');
    await expect(lanes.plan([unit('b')])).rejects.toMatchObject({ fault: 'locked' });
    await other.query('ROLLBACK');
    runOut();
    expect(await lanes.claim('work', 1)).toMatchObject([{ unit: 'a' }]);
  });

  test('is left alone after an outage, because its process may live and could not renew its hold', async () => {
    const { lanes, runOut } = await held('max_page_count = 120');
    const many = Array.from({ length: 5_000 }, (_, n) => unit(`lane-${n}-${'x'.repeat(200)}`));
    await expect(lanes.plan(many)).rejects.toMatchObject({ fault: 'full' });
    runOut();
    expect(await lanes.claim('work', 1)).toEqual([]);
  });
});

describe('a damaged file', () => {
  async function damaged(
    change: (file: string) => Promise<void>,
  ): Promise<{ dir: string; url: string; file: string }> {
    const dir = await tempDir();
    const file = join(dir, 'store.sqlite');
    const url = `sqlite://${file}`;
    const stores = await openTestStores(url, { dataDir: dir });
    for (let index = 0; index < 20; index++) await putLedger(stores.ledgers, `l${index}`, LARGE);
    const backups = join(dir, 'backups');
    await backupStore(url, backupFile(backups, NOW - 86_400_000));
    await backupStore(url, backupFile(backups, NOW));
    // The newest backup is damaged too.
    await scribble(backupFile(backups, NOW));
    await stores.close();
    await change(file);
    return { dir, url, file };
  }

  /** Overwrites the middle, where the tables are. */
  async function scribble(file: string): Promise<void> {
    const handle = await open(file, 'r+');
    const { size } = await handle.stat();
    await handle.write(Buffer.alloc(Math.floor(size / 2), 0x5a), 0, undefined, Math.floor(size / 4));
    await handle.close();
  }

  test.each([
    ['inside', scribble],
    [
      'from the first byte',
      (file: string) => writeFile(file, 'this is no database at all, not even nearly\n'.repeat(500)),
    ],
    ['cut short', async (file: string) => writeFile(file, (await readFile(file)).subarray(0, 40_000))],
  ])('%s is refused and copied aside once, and the newest good backup is named', async (_how, change) => {
    const { dir, url, file } = await damaged(change);
    const found = await readFile(file);
    const good = backupFile(join(dir, 'backups'), NOW - 86_400_000);
    for (let start = 0; start < 3; start++)
      await expect(openTestStores(url, { dataDir: dir }).then(() => 'opened')).rejects.toMatchObject({
        fault: 'corrupt',
        message: expect.stringContaining(`jobcrier restore ${good}`),
      });
    const kept = (await readdir(dir)).filter((name) => name.includes('.corrupt-') && !name.endsWith('-wal'));
    expect(kept).toHaveLength(1);
    expect(found.equals(await readFile(join(dir, kept[0]!)))).toBe(true);
    expect((await stat(join(dir, kept[0]!))).mode & 0o777).toBe(0o600);
    expect(found.equals(await readFile(file))).toBe(true);
  });

  test('is reported without a backup', async () => {
    const dir = await tempDir();
    await writeFile(join(dir, 'store.sqlite'), 'nonsense '.repeat(1000));
    await expect(openTestStores(`sqlite://${dir}/store.sqlite`, { dataDir: dir })).rejects.toMatchObject({
      fault: 'corrupt',
      message: expect.stringContaining('no good backup'),
    });
  });

  test('reports a single record that is not JSON as damage', async () => {
    const file = join(await tempDir(), 'store.sqlite');
    const stores = await openTestStores(`sqlite://${file}`);
    await put(stores.subscriptions, subscription('one'));
    await (await foreign(file)).query(`UPDATE subscriptions SET value = '{"value":'`);
    await expect(stores.subscriptions.get('one')).rejects.toMatchObject({ fault: 'corrupt' });
    await expect(collect(stores.subscriptions.list())).rejects.toMatchObject({ fault: 'corrupt' });
  });
});

describe('STORE_URL', () => {
  test('of another kind, or without a file, is an error that does not repeat it', async () => {
    await mkdir(await tempDir(), { recursive: true });
    for (const url of ['mysql://user:canary@host/db', 'sqlite://', 'sqlite://:memory:', 'canary'])
      await expect(openTestStores(url)).rejects.toMatchObject({
        name: 'UserError',
        exitCode: 2,
        message: expect.not.stringContaining('canary'),
      });
  });

  test('with a server that does not answer fails immediately, without the password in the error', async () => {
    await expect(openTestStores('postgres://user:canary@127.0.0.1:1/0')).rejects.toMatchObject({
      fault: 'unavailable',
      message: expect.not.stringContaining('canary'),
    });
  });

  test("with a file that can't be created fails with that reason", async () => {
    const dir = await tempDir();
    await writeFile(join(dir, 'file'), '');
    await expect(openTestStores(`sqlite://${dir}/file/store.sqlite`)).rejects.toMatchObject({
      fault: 'unavailable',
    });
  });
});
