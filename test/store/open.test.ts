// Opening the stores: what a command that only reads finds and leaves, which keys are needed, and the check that a store
// works.
import { access, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { assembleStores, keysInStore, openBackend, openStores } from '../../src/store/index.js';
import { createOverlay } from '../../src/store/overlay.js';
import { knownVersion } from '../../src/store/schema.js';
import { later } from '../helpers/later.js';
import { KEYS, keysOf, keyText, openTestStores, tempDir, testClock, testLog } from './fixtures.js';

const account = (id: string) => ({ id, createdAt: 0, token: secret(`token-of-${id}`) });

async function newUrl() {
  const file = join(await tempDir(), 'folder', 'store.sqlite');
  return { file, url: `sqlite://${file}` };
}

describe('a command that only reads', () => {
  test('says where a store would be, and creates none', async () => {
    const { file, url } = await newUrl();
    const stores = await openTestStores(url, { look: true });
    expect(stores.absent).toBe(`at ${file}`);
    await stores.accounts.update('a', () => account('a'));
    expect((await stores.accounts.get('a'))?.id).toBe('a');
    expect(await keysInStore({ url, dataDir: '/nonexistent', clock: testClock() })).toEqual([]);
    await expect(access(dirname(file))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('finds what is stored, and its changes are gone at the end', async () => {
    const { url } = await newUrl();
    const writer = await openTestStores(url);
    await writer.accounts.update('a', () => account('a'));
    await writer.close();
    const reader = await openTestStores(url, { look: true });
    expect('absent' in reader).toBe(false);
    expect((await reader.accounts.get('a'))?.token?.reveal()).toBe('token-of-a');
    await reader.accounts.update('b', () => account('b'));
    await reader.close();
    const again = await openTestStores(url);
    expect(await again.accounts.get('b')).toBeUndefined();
  });

  test('refuses a store of an earlier version, which any other command migrates', async () => {
    const { url } = await newUrl();
    const stores = await openTestStores(url);
    await stores.backend.kvTables.meta.set('schema', { value: { version: knownVersion() - 1 } });
    await stores.close();
    await expect(openTestStores(url, { look: true })).rejects.toMatchObject({ fault: 'unavailable' });
    const migrated = await openTestStores(url);
    expect(await migrated.meta.get('schema')).toEqual({ version: knownVersion() });
    expect(migrated.log.lines.length).toBeGreaterThan(0);
  });

  test('checks that the store can be written to, and writes nothing', async () => {
    const { file, url } = await newUrl();
    await (await openTestStores(url)).close();
    const before = await readFile(file);
    const stores = await openTestStores(url, { look: true });
    await stores.probe();
    await stores.close();
    expect((await readFile(file)).equals(before)).toBe(true);
  });
});

describe('the keys of the secrets', () => {
  test('that are not given are named, and needed only by a start', async () => {
    const { url } = await newUrl();
    const stores = await openTestStores(url);
    await stores.accounts.update('a', () => account('a'));
    expect(await stores.missingKeys()).toEqual([]);
    await stores.close();
    const [used] = await keysInStore({ url, dataDir: '/nonexistent', clock: testClock() });
    expect(used).toMatch(/^[0-9a-f]{8}$/u);
    const keys = keysOf(keyText());
    const others = await openTestStores(url, { keys });
    expect(await others.missingKeys()).toEqual([used]);
    await others.close();
    await expect(openTestStores(url, { keys, needKeys: true })).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringContaining(`the key ${used}`),
    });
    await (await openTestStores(url, { needKeys: true })).close();
  });
});

describe('an open store', () => {
  test('is closed when it is refused, so its file is free', async () => {
    const { file, url } = await newUrl();
    const stores = await openTestStores(url);
    await stores.backend.kvTables.meta.set('schema', { value: { version: 99 } });
    await stores.close();
    await expect(openTestStores(url)).rejects.toMatchObject({ fault: 'newer' });
    // The last connection to close removes the log.
    await expect(access(`${file}-wal`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('that does not return what was written fails its check, which leaves nothing behind', async () => {
    const overlay = createOverlay();
    const options = { keys: KEYS, log: testLog(), clock: testClock() };
    const stores = await assembleStores(overlay, options);
    await stores.probe();
    const rows = async () => (await overlay.kvTables.meta.page({}, 10)).map(([key]) => key);
    expect(await rows()).toEqual(['schema']);
    const { meta } = overlay.kvTables;
    for (const answer of [undefined, { value: 'other' }]) {
      const get = async (key: string) => (key.startsWith('probe:') ? answer : meta.get(key));
      const kvTables = { ...overlay.kvTables, meta: { ...meta, get } };
      const broken = await assembleStores({ ...overlay, kvTables }, options);
      await expect(broken.probe()).rejects.toMatchObject({ fault: 'unavailable' });
    }
    expect(await rows()).toEqual(['schema']);
  });

  test('empties its log, if it has one', async () => {
    const { file, url } = await newUrl();
    const stores = await openTestStores(url);
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
    await stores.wipe();
    expect((await stat(`${file}-wal`)).size).toBe(0);
    const options = { keys: KEYS, log: testLog(), clock: testClock() };
    await (await assembleStores(createOverlay(), options)).wipe();
  });

  test('of a worker needs no lease, because its lanes protect its writes', async () => {
    const { url } = await newUrl();
    const service = await openTestStores(url);
    await service.lease.acquire();
    const worker = await openTestStores(url, { role: 'worker' });
    expect(await worker.lease.acquire()).toEqual({ fence: 0 });
    expect([await worker.lease.held(), await worker.lease.renew()]).toEqual([true, true]);
    await worker.lease.release();
    expect(await service.lease.held()).toBe(true);
  });
});

test('a database that is opened to look at it takes no writes', async () => {
  const { file, url } = await newUrl();
  const where = { url, dataDir: '/nonexistent', clock: testClock() };
  const empty = await openBackend({ ...where, look: true });
  await empty.kvTables.meta.set('a', { value: 1 });
  await expect(access(file)).rejects.toMatchObject({ code: 'ENOENT' });
  const backend = await openBackend(where);
  later(() => backend.close());
  const look = await openBackend({ ...where, look: true });
  later(() => look.close());
  await look.kvTables.meta.set('a', { value: 1 });
  expect(await backend.kvTables.meta.get('a')).toBeUndefined();
  await backend.kvTables.meta.set('b', { value: 2 });
  expect((await look.kvTables.meta.get('b'))?.value).toBe(2);
});

test('an address of no known kind is refused before anything is opened', async () => {
  const options = { dataDir: '/nonexistent', keys: KEYS, log: testLog(), clock: testClock() };
  await expect(openStores({ url: 'mysql://x/y', ...options })).rejects.toMatchObject({ name: 'UserError' });
});
