// What Keyv gets to see of the store, and what becomes of its errors.
import { describe, expect, test } from 'vitest';
import { createKeyv } from '../../src/store/keyv.js';

/** A store for Keyv with these rows, which keeps what it was asked for. */
function adapter(rows: Readonly<Record<string, string>>) {
  const asked: (readonly string[])[] = [];
  const getMany = async (keys: readonly string[]) => {
    asked.push(keys);
    return keys.map((key) => rows[key]);
  };
  const none = async () => undefined;
  return { asked, opts: {}, getMany, get: none, set: none, delete: none, clear: none };
}

describe('Keyv', () => {
  test('reads rows of several keys together, under the keys as they are', async () => {
    const store = adapter({ a: '{"value":1}', 'b:c': '{"value":"x"}' });
    const { get } = createKeyv(store);
    expect(await Promise.all(['a', 'none', 'b:c'].map(get))).toEqual([
      { value: 1 },
      undefined,
      { value: 'x' },
    ]);
    expect(store.asked).toEqual([['a', 'none', 'b:c']]);
    expect(store).not.toHaveProperty('namespace', expect.stringMatching(/./u));
  });

  test('passes errors on as errors of the store, and reads again after them', async () => {
    const store = adapter({ a: '{"value":1}' });
    const { getMany } = store;
    const { get } = createKeyv(store);
    store.getMany = () => Promise.reject(Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' }));
    await expect(get('a')).rejects.toMatchObject({ name: 'StoreError', fault: 'locked' });
    store.getMany = getMany;
    expect(await get('a')).toEqual({ value: 1 });
  });
});
