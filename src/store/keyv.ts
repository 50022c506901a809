// The one place that builds a Keyv, so that its traps are avoided once.
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { Entry } from './backend.js';
import { asStoreErrors } from './faults.js';
import { gatherReads, readEntry } from './sql-table.js';

/** What goes through Keyv. Writes do not: Keyv knows neither versions nor several rows in one transaction. */
export interface KeyvVerbs {
  get(key: string): Promise<Entry | undefined>;
}

/**
 * Entries carry their own end of life and Keyv is not told: it would take the time from the wall instead of the
 * program's clock, and its `get` deletes an expired row it read before, with whatever was written in between.
 */
export function createKeyv(adapter: object): KeyvVerbs {
  // Keyv's adapters do not fit its own type under exactOptionalPropertyTypes.
  const keyv = new Keyv(adapter as KeyvStoreAdapter, {
    throwOnErrors: true,
    useKeyPrefix: false,
    namespace: '',
    // Read where it is wanted: rows are fetched together, and one that is damaged is a failure of its own.
    deserialize: <T>(text: string) => ({ value: text as T }),
  });
  // Every failure is emitted as well as thrown; whoever called logs it, so here it only must not crash.
  keyv.on('error', () => undefined);
  const get = gatherReads(async (keys) => {
    const found = await asStoreErrors(() => keyv.getMany<string>([...keys]));
    return new Map(keys.flatMap((key, index) => (found[index] === undefined ? [] : [[key, found[index]]])));
  });
  return {
    async get(key) {
      const text = (await get([key])).get(key);
      return text === undefined ? undefined : asStoreErrors(async () => readEntry(text));
    },
  };
}
