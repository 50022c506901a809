// Whether the given keys open what is stored, and what a rotation does with the rest.
import { describe, expect, test } from 'vitest';
import type { TableName } from '../../src/store/backend.js';
import { giveUpKey, mustHaveKeys, sealedWith } from '../../src/store/key-check.js';
import { createOverlay } from '../../src/store/overlay.js';
import { rotateKeys } from '../../src/store/rotate-keys.js';
import { createSealer, type Envelope } from '../../src/store/sealing.js';
import { keysOf, keyText, testLog } from './fixtures.js';

/** A store with one secret in each table, each sealed with another key. */
async function storeWith<T extends TableName>(...tables: readonly T[]) {
  const backend = createOverlay();
  const keys = {} as Record<T, string>;
  const ids = {} as Record<T, string>;
  for (const table of tables) {
    keys[table] = keyText();
    const sealer = createSealer(keysOf(keys[table]), testLog());
    const sealed = sealer.seal('secret', { table, record: 'a', field: 'token' });
    ids[table] = sealed.kid;
    await backend.kvTables[table].set('a', { value: { token: sealed, other: 'kid' } });
    await backend.kvTables[table].set('plain', { value: { kid: 'no key' } });
  }
  return { backend, keys, ids };
}

describe('the keys that stored secrets need', () => {
  test('are found in accounts, subscriptions and records of adapters, and not in the history', async () => {
    const { backend, ids } = await storeWith('accounts', 'subscriptions', 'misc', 'history');
    const { history: _left, ...needed } = ids;
    expect(await sealedWith(backend)).toEqual(Object.values(needed).sort());
  });

  test('are found once each, several in one record', async () => {
    const { backend, ids } = await storeWith('accounts');
    const { entry } = await backend.kvTables.accounts.read('a');
    const other = createSealer(keysOf(keyText()), testLog()).seal('b', {
      table: 'a',
      record: 'b',
      field: 'c',
    });
    await backend.kvTables.accounts.set('b', { value: [entry?.value, other] });
    expect(await sealedWith(backend)).toEqual([ids.accounts, other.kid].sort());
  });

  test('do not include those that were given up', async () => {
    const { backend, ids } = await storeWith('accounts', 'misc');
    await giveUpKey(backend, ids.misc);
    await giveUpKey(backend, ids.misc);
    expect(await sealedWith(backend)).toEqual([ids.accounts]);
    expect((await backend.kvTables.meta.read('lost-keys')).entry?.value).toEqual([ids.misc]);
    await giveUpKey(backend, ids.accounts);
    expect(await sealedWith(backend)).toEqual([]);
  });

  test("are all of them when the note of those given up can't be read", async () => {
    const { backend, ids } = await storeWith('accounts');
    await backend.kvTables.meta.set('lost-keys', { value: ids.accounts });
    expect(await sealedWith(backend)).toEqual([ids.accounts]);
  });
});

describe('a start', () => {
  test('with all keys is allowed', async () => {
    const { backend, keys } = await storeWith('accounts', 'misc');
    await mustHaveKeys(backend, keysOf(keyText(), keys.accounts, keys.misc));
    await mustHaveKeys(createOverlay(), keysOf(keyText()));
  });

  test('without one key names it', async () => {
    const { backend, keys, ids } = await storeWith('accounts', 'misc');
    await expect(mustHaveKeys(backend, keysOf(keys.accounts))).rejects.toMatchObject({
      name: 'UserError',
      exitCode: 2,
      message: `SECRET_KEY: the store holds secrets encrypted with the key ${ids.misc}, and that key is not given. Add it to SECRET_KEY after the first one, separated by a comma, or put the former secret.key back into DATA_DIR. If the key is lost for good, "jobcrier keys rotate --lost ${ids.misc}" lets the service start without it; tokens and addresses encrypted with it must then be set again.`,
    });
  });

  test('without several keys names all of them', async () => {
    const { backend, ids } = await storeWith('accounts', 'misc');
    const [first, other] = Object.values(ids).sort();
    await expect(mustHaveKeys(backend, keysOf(keyText()))).rejects.toThrow(
      `the keys ${first}, ${other}, and those keys are not given. Add them to SECRET_KEY`,
    );
  });
});

describe('a rotation', () => {
  test('counts what it could not read, which stays as it is', async () => {
    const { backend, keys, ids } = await storeWith('accounts', 'misc');
    const sealer = createSealer(keysOf(keyText(), keys.accounts), testLog());
    await backend.kvTables.accounts.set('none', { value: { token: null, list: [null, 'a'] } });
    const tokenIn = async (table: 'accounts' | 'misc') => {
      const { entry } = await backend.kvTables[table].read('a');
      return (entry as { value: { token: Envelope } }).value.token;
    };
    const unreadable = await tokenIn('misc');
    expect(await rotateKeys({ backend, sealer })).toEqual({ rotated: 1, current: 0, unreadable: 1 });
    expect(await tokenIn('misc')).toEqual(unreadable);
    expect((await tokenIn('accounts')).kid).not.toBe(ids.accounts);
    expect(sealer.open(await tokenIn('accounts'), { table: 'accounts', record: 'a', field: 'token' })).toBe(
      'secret',
    );
    expect(await rotateKeys({ backend, sealer })).toEqual({ rotated: 0, current: 1, unreadable: 1 });
  });

  test('reads no row without a secret, and skips one that was deleted meanwhile', async () => {
    const { backend, keys } = await storeWith('accounts');
    const sealer = createSealer(keysOf(keyText(), keys.accounts), testLog());
    const { accounts } = backend.kvTables;
    await accounts.set('none', { value: { name: 'a' } });
    const read: string[] = [];
    const watched = {
      ...accounts,
      async read(key: string) {
        read.push(key);
        await accounts.delete(key);
        return accounts.read(key);
      },
    };
    const kvTables = { ...backend.kvTables, accounts: watched };
    const found = await rotateKeys({ backend: { ...backend, kvTables }, sealer });
    expect(found).toEqual({ rotated: 0, current: 0, unreadable: 0 });
    expect(read).toEqual(['a', 'plain']);
    expect(await accounts.get('a')).toBeUndefined();
  });
});
