// The only place that creates a Keyv, so that its pitfalls are handled once.
import { Keyv } from 'keyv';
import { asStoreErrors } from './faults.js';
import { gatherReads, readEntry } from './sql-table.js';
/**
 * Creates a Keyv over an adapter. Entries store their own expiry, and Keyv does not know of it. Keyv would use the wall
 * clock instead of the program's clock, and its `get` would delete an expired row together with anything written since it
 * was read.
 */
export function createKeyv(adapter) {
    // The types of Keyv's adapters don't match Keyv's own type under exactOptionalPropertyTypes.
    const keyv = new Keyv(adapter, {
        throwOnErrors: true,
        useKeyPrefix: false,
        namespace: '',
        // The text is parsed later: rows are fetched together, and a damaged row must fail alone.
        deserialize: (text) => ({ value: text }),
    });
    // Keyv emits every error that it throws. The caller logs it; the listener only prevents a crash.
    keyv.on('error', () => undefined);
    const get = gatherReads(async (keys) => {
        const found = await asStoreErrors(() => keyv.getMany([...keys]));
        return new Map(keys.flatMap((key, index) => (found[index] === undefined ? [] : [[key, found[index]]])));
    });
    return {
        async get(key) {
            const text = (await get([key])).get(key);
            return text === undefined ? undefined : asStoreErrors(async () => readEntry(text));
        },
    };
}
//# sourceMappingURL=keyv.js.map