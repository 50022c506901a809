// Encrypted secrets: a stolen store reveals none, a copied blob can't be decrypted elsewhere, and a missing key
// affects only its records.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { backupStore } from '../../src/store/backup.js';
import { createSealer, isEnvelope } from '../../src/store/sealing.js';
import { loadSecretKeys, parseSecretKeys } from '../../src/store/secret-keys.js';
import { put } from '../helpers/put.js';
import {
  collect,
  destination,
  edition,
  keysOf,
  keyText,
  NOW,
  openTestStores,
  subscription,
  tempDir,
  testLog,
} from './fixtures.js';

const TOKEN = 'canary-token-0123456789';
const ADDRESS = 'canary.reader@mail.example';
const HOOK = 'https://hooks.example/canary-secret-path';

async function bytesOf(dir: string): Promise<string> {
  const names = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const all = await Promise.all(names.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')));
  return all.join('\n');
}

describe('a stolen store or backup', () => {
  test('contains neither token nor address in any readable form', async () => {
    const dir = await tempDir();
    const url = `sqlite://${dir}/store.sqlite`;
    const stores = await openTestStores(url);
    await put(stores.accounts, {
      id: 'discord:1',
      token: secret(TOKEN),
      email: { address: ADDRESS },
      createdAt: NOW,
    });
    const destinations = [destination('email', ADDRESS), destination('webhook', HOOK)];
    await put(stores.subscriptions, subscription('one', { destinations }));
    await stores.history.keepEdition(edition('e', { destination: destination('email', ADDRESS) }));
    await stores.misc.set('confirm:1', { address: ADDRESS, token: TOKEN });
    await backupStore(url, join(dir, 'backup.sqlite'));
    const open = await bytesOf(dir);
    await stores.close();
    const bytes = open + (await bytesOf(dir));
    expect(bytes).toContain('discord:1');
    for (const canary of [TOKEN, ADDRESS, HOOK])
      for (const form of ['utf8', 'base64', 'base64url', 'hex'] as const)
        expect(bytes).not.toContain(Buffer.from(canary).toString(form).replace(/=+$/u, '').slice(0, -2));
    expect(bytes).not.toContain('canary');
  });
});

describe('an encrypted value', () => {
  test('fails in another record, and in another field', async () => {
    const stores = await openTestStores(`sqlite://${await tempDir()}/store.sqlite`);
    const { accounts, misc } = stores.backend.kvTables;
    await put(stores.accounts, { id: 'victim', token: secret(TOKEN), createdAt: NOW });
    await put(stores.accounts, { id: 'thief', token: secret('own-token-of-thief'), createdAt: NOW });
    const victim = (await accounts.get('victim'))?.value as Record<string, unknown>;
    await accounts.set('thief', { value: { ...victim, id: 'thief' } });
    await accounts.set('fields', {
      value: { id: 'fields', createdAt: NOW, email: { address: victim.token } },
    });
    await stores.misc.set('a', 1);
    await misc.set('b', { value: (await misc.get('a'))?.value });
    const thief = await stores.accounts.get('thief');
    expect(thief?.token).toBeUndefined();
    expect(thief?.unreadable).toEqual(['token']);
    expect((await stores.accounts.get('fields'))?.email).toBeUndefined();
    expect(await stores.misc.get('b')).toBeUndefined();
    expect(await stores.misc.get('a')).toBe(1);
    expect(stores.log.lines.filter(({ level }) => level === 'error')).toHaveLength(3);
    expect(inspect(stores.log.lines)).not.toContain(TOKEN);
  });

  test('fails in another field of the same record, and in the same field of another table', async () => {
    const sealer = createSealer(keysOf(keyText()), testLog());
    const place = { table: 'accounts', record: 'one', field: 'token' };
    const sealed = sealer.seal(TOKEN, place);
    expect(sealer.open(sealed, { ...place })).toBe(TOKEN);
    for (const other of [{ table: 'subscriptions' }, { record: 'two' }, { field: 'email.address' }])
      expect(sealer.open(sealed, { ...place, ...other })).toBeUndefined();
  });

  test('is text in any script, and different each time it is sealed', () => {
    const sealer = createSealer(keysOf(keyText()), testLog());
    const place = { table: 'accounts', record: 'one', field: 'token' };
    for (const text of ['', 'Zoë @ 東京 🦀', 'x'.repeat(10_000)]) {
      const [one, other] = [sealer.seal(text, place), sealer.seal(text, place)];
      expect([sealer.open(one, place), sealer.open(other, place)]).toEqual([text, text]);
      expect(one.iv).not.toBe(other.iv);
      expect([one.iv, one.tag].map((part) => Buffer.from(part, 'base64').length)).toEqual([12, 16]);
    }
  });

  test('of an earlier version can be read: its form and what it is bound to stay the same', async () => {
    const keys = keysOf(Buffer.alloc(32, 7).toString('base64'));
    const stores = await openTestStores(`sqlite://${await tempDir()}/store.sqlite`, { keys });
    const sealed = {
      v: 1,
      kid: 'ef5f1acd',
      iv: 'Jgr1hdFO4jlg+qDl',
      tag: 'iCbdZxFqhVkMT3c6zT+Vew==',
      ct: 'varpB6KR',
    };
    await stores.backend.kvTables.misc.set('a', { value: sealed });
    expect(await stores.misc.get('a')).toBe('kept');
  });

  test('is of the first key only if it was sealed with it', () => {
    const [old, next] = [keyText(), keyText()];
    const place = { table: 'accounts', record: 'one', field: 'token' };
    const sealed = createSealer(keysOf(old), testLog()).seal(TOKEN, place);
    const both = createSealer(keysOf(next, old), testLog());
    expect([both.open(sealed, place), both.isCurrent(sealed)]).toEqual([TOKEN, false]);
    expect(both.isCurrent(both.seal(TOKEN, place))).toBe(true);
  });

  test('that was moved is reported each time, one whose key is missing once for each key, with its place', () => {
    const [one, two] = [keysOf(keyText()), keysOf(keyText())];
    const place = { table: 'accounts', record: 'one', field: 'token' };
    const log = testLog();
    const sealer = createSealer(keysOf(keyText()), log);
    for (const keys of [one, two, one]) sealer.open(createSealer(keys, log).seal(TOKEN, place), place);
    const missing = (key: string) => ({
      level: 'warn',
      fields: { key, table: 'accounts', record: 'one' },
      message: expect.stringContaining('needs a key that SECRET_KEY does not have'),
    });
    expect(log.lines).toEqual([missing(one.primary.id), missing(two.primary.id)]);
    log.lines.length = 0;
    const moved = { ...place, record: 'two' };
    const sealed = sealer.seal(TOKEN, place);
    for (const _again of [1, 2]) expect(sealer.open(sealed, moved)).toBeUndefined();
    const { kid: key } = sealed;
    const fault = {
      level: 'error',
      fields: { key, ...moved },
      message: expect.stringContaining('changed or moved'),
    };
    expect(log.lines).toEqual([fault, fault]);
  });

  test.each<[string, unknown, boolean]>([
    ['an envelope', { v: 1, kid: 'k', iv: 'i', tag: 't', ct: 'c' }, true],
    ['another version', { v: 2, kid: 'k', iv: 'i', tag: 't', ct: 'c' }, false],
    ['a missing part', { v: 1, kid: 'k', iv: 'i', tag: 't' }, false],
    ['a part that is no text', { v: 1, kid: 'k', iv: 'i', tag: 5, ct: 'c' }, false],
    ['text', 'v', false],
    ['null', null, false],
    ['nothing', undefined, false],
  ])('is only what has all its parts: %s', (_what, value, sealed) => {
    expect(isEnvelope(value)).toBe(sealed);
  });

  test('fails after one bit was changed', async () => {
    const stores = await openTestStores(`sqlite://${await tempDir()}/store.sqlite`);
    const { accounts } = stores.backend.kvTables;
    await put(stores.accounts, { id: 'one', token: secret(TOKEN), createdAt: NOW });
    const stored = (await accounts.get('one'))?.value as { token: Record<string, string> };
    expect((await stores.accounts.get('one'))?.token?.reveal()).toBe(TOKEN);
    for (const part of ['iv', 'tag', 'ct']) {
      const bytes = Buffer.from(stored.token[part] ?? '', 'base64');
      bytes[0]! ^= 1;
      await accounts.set('one', {
        value: { ...stored, token: { ...stored.token, [part]: bytes.toString('base64') } },
      });
      expect((await stores.accounts.get('one'))?.unreadable).toEqual(['token']);
    }
    // A shorter tag would be easier to guess.
    const short = Buffer.from(stored.token.tag ?? '', 'base64')
      .subarray(0, 4)
      .toString('base64');
    await accounts.set('one', { value: { ...stored, token: { ...stored.token, tag: short } } });
    expect((await stores.accounts.get('one'))?.unreadable).toEqual(['token']);
  });
});

describe('a missing key', () => {
  test('affects only its records, is named once, and loses nothing when they are written again', async () => {
    const url = `sqlite://${await tempDir()}/store.sqlite`;
    const [old, next] = [keyText(), keyText()];
    const before = await openTestStores(url, { keys: keysOf(old) });
    const one = { id: 'one', token: secret(TOKEN), email: { address: ADDRESS }, createdAt: NOW };
    await put(before.accounts, one);
    await put(before.accounts, { ...one, id: 'two' });
    await put(before.subscriptions, subscription('one', { destinations: [destination('email', ADDRESS)] }));
    await before.misc.set('suppressed', true);
    await before.close();

    const without = await openTestStores(url, { keys: keysOf(next) });
    await put(without.accounts, { id: 'three', token: secret('token-three'), createdAt: NOW });
    expect((await without.accounts.get('three'))?.token?.reveal()).toBe('token-three');
    const unreadable = { id: 'one', createdAt: NOW, unreadable: ['token', 'email'] };
    expect(await without.accounts.get('one')).toEqual(unreadable);
    expect(await without.accounts.get('two')).toEqual({ ...unreadable, id: 'two' });
    expect((await collect(without.accounts.list())).map(({ id, hasToken }) => [id, hasToken])).toEqual([
      ['one', true],
      ['three', true],
      ['two', true],
    ]);
    expect(await without.misc.get('suppressed')).toBeUndefined();
    const blind = await without.subscriptions.get('one');
    expect(blind?.destinations[0]?.target).toBe('');
    expect(without.log.lines).toEqual([
      {
        level: 'warn',
        fields: expect.objectContaining({ key: keysOf(old).primary.id }),
        message: expect.stringContaining('SECRET_KEY'),
      },
    ]);
    await put(without.accounts, { ...(await without.accounts.get('one'))!, timezone: 'Europe/Berlin' });
    const { unreadable: _dropped, ...two } = (await without.accounts.get('two'))!;
    await put(without.accounts, two);
    await put(without.subscriptions, { ...blind!, newest: 5 });
    await without.close();

    const both = await openTestStores(url, { keys: keysOf(next, old) });
    const account = await both.accounts.get('one');
    expect([account?.token?.reveal(), account?.email?.address, account?.timezone]).toEqual([
      TOKEN,
      ADDRESS,
      'Europe/Berlin',
    ]);
    expect(await both.accounts.get('two')).toEqual({ id: 'two', createdAt: NOW });
    expect(await both.subscriptions.get('one')).toMatchObject({
      newest: 5,
      destinations: [{ target: ADDRESS }],
    });
  });
});

describe('SECRET_KEY', () => {
  test('every fault is named by position, and no value is repeated', () => {
    const good = keyText();
    const bad = [good, 'c2hvcnQ=', 'not base64!', '', randomBytes(34).toString('base64')];
    let message = '';
    try {
      parseSecretKeys(bad.join(','), 'SECRET_KEY');
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.split('\n').map((line) => line.slice(0, line.indexOf(';')))).toEqual([
      'SECRET_KEY: key 2 of 5 has 5 bytes',
      'SECRET_KEY: key 3 of 5 is not base64',
      'SECRET_KEY: key 4 of 5 is empty',
      'SECRET_KEY: key 5 of 5 has 34 bytes',
    ]);
    for (const key of bad.filter((one) => one !== '')) expect(message).not.toContain(key);
  });

  test('missing: a key file is created once, readable only by its owner, and used again', async () => {
    const dataDir = join(await tempDir(), 'data');
    const log = testLog();
    const many = await Promise.all(
      Array.from({ length: 4 }, () => loadSecretKeys({ value: undefined, dataDir, log })),
    );
    expect(new Set(many.map(({ primary }) => primary.id)).size).toBe(1);
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect(await readdir(dataDir)).toEqual(['secret.key']);
    const warning = {
      level: 'warn',
      fields: { file: join(dataDir, 'secret.key') },
      message: expect.stringContaining('copy it to a safe place, without it stored tokens are lost'),
    };
    expect(log.lines).toContainEqual(warning);
    const warned = log.lines.length;
    await loadSecretKeys({ value: undefined, dataDir, log });
    expect(log.lines).toHaveLength(warned);
    expect(inspect(log.lines)).not.toContain((await readFile(join(dataDir, 'secret.key'), 'utf8')).trim());
    const given = keyText();
    const keys = await loadSecretKeys({ value: secret(given), dataDir, log });
    expect(keys.primary.id).toBe(keysOf(given).primary.id);
  });

  test('missing: a command that only reads makes a key for itself and keeps nothing', async () => {
    const dataDir = await tempDir();
    const log = testLog();
    const inStore = async () => ['0123abcd'];
    const [one, other] = await Promise.all(
      [1, 2].map(() => loadSecretKeys({ value: undefined, dataDir, log, inStore, look: true })),
    );
    expect(one?.primary.id).not.toBe(other?.primary.id);
    expect([await readdir(dataDir), log.lines]).toEqual([[], []]);
  });

  test('missing: no key is made when the store needs others', async () => {
    const dataDir = await tempDir();
    const load = (...ids: readonly string[]) =>
      loadSecretKeys({ value: undefined, dataDir, log: testLog(), inStore: async () => ids });
    await expect(load('0123abcd')).rejects.toMatchObject({
      name: 'UserError',
      exitCode: 2,
      message: expect.stringMatching(
        /^SECRET_KEY: the store holds secrets encrypted with the key 0123abcd, and that key is not given\. Add it to SECRET_KEY/u,
      ),
    });
    await expect(load('0123abcd', '4567cdef')).rejects.toThrow(
      'with the keys 0123abcd, 4567cdef, and those keys are not given. Add them to SECRET_KEY',
    );
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('with other text around the base64 is refused', () => {
    for (const text of [`!${keyText()}`, `${keyText()}!`])
      expect(() => parseSecretKeys(text, 'SECRET_KEY')).toThrow('SECRET_KEY is not base64; wanted 32 bytes');
  });

  test('gives every key, the first one first, for values that are derived from them', async () => {
    const [one, other] = [keyText(), keyText()];
    const keys = await loadSecretKeys({ value: secret(`${one}, ${other}`), dataDir: '', log: testLog() });
    expect(keys.secrets.map((key) => key.reveal())).toEqual([one, other]);
    expect(() => parseSecretKeys('', 'SECRET_KEY')).toThrow('SECRET_KEY is empty');
    await expect(loadSecretKeys({ value: secret('x'), dataDir: '', log: testLog() })).rejects.toThrow(
      /^SECRET_KEY has 0 bytes/u,
    );
  });

  test("reports a key file that can't be read or made", async () => {
    const dataDir = await tempDir();
    await mkdir(join(dataDir, 'secret.key'));
    const load = (dir: string) => loadSecretKeys({ value: undefined, dataDir: dir, log: testLog() });
    await expect(load(dataDir)).rejects.toMatchObject({
      name: 'UserError',
      exitCode: 2,
      message: "The key file secret.key in DATA_DIR can't be read (EISDIR); check its permissions.",
    });
    await writeFile(join(dataDir, 'a-file'), '');
    await expect(load(join(dataDir, 'a-file'))).rejects.toThrow('(ENOTDIR)');
  });

  test('reports a damaged key file, and never replaces it with a new key', async () => {
    const dataDir = await tempDir();
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(dataDir, 'secret.key'), '');
    const load = () => loadSecretKeys({ value: undefined, dataDir, log: testLog() });
    await expect(load()).rejects.toThrow(/secret\.key is empty/u);
  });
});
