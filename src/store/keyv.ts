// The only place that creates a Keyv, so that its pitfalls are handled once.
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { Entry } from './backend.js';
import { asStoreErrors } from './faults.js';
import { gatherReads, readStored } from './sql-table.js';

/** What goes through Keyv. Writes do not: Keyv has no versions and can't write several rows in one transaction. */
export interface KeyvVerbs {
  get(key: string): Promise<Entry | undefined>;
}

/**
 * Creates a Keyv over an adapter. Entries store their own expiry, and Keyv does not know of it. Keyv would use the wall
 * clock instead of the program's clock, and its `get` would delete an expired row together with anything written since it
 * was read.
 */
export function createKeyv(adapter: object): KeyvVerbs {
  // The types of Keyv's adapters don't match Keyv's own type under exactOptionalPropertyTypes.
  const keyv = new Keyv(adapter as KeyvStoreAdapter, {
    throwOnErrors: true,
    useKeyPrefix: false,
    namespace: '',
    // The text is parsed later: rows are fetched together, and a damaged row must fail alone.
    deserialize: <T>(text: string) => ({ value: text as T }),
  });
  // Keyv emits every error that it throws. The caller logs it; the listener only prevents a crash.
  keyv.on('error', () => undefined);
  const get = gatherReads(async (keys) => {
    const found = await asStoreErrors(() => keyv.getMany<string>([...keys]));
    const texts = new Map<string, string>();
    for (const [index, key] of keys.entries()) if (found[index] !== undefined) texts.set(key, found[index]);
    return texts;
  });
  return {
    async get(key) {
      const text = (await get([key])).get(key);
      return text === undefined ? undefined : readStored(text);
    },
  };
}
