import { storeError } from './faults.js';
import { readEntry } from './sql-table.js';
/** Creates a table whose rows pass through `pack` when written and `unpack` when read. */
export function createTable(table, clock, form = PLAIN) {
    function alive(entry) {
        return entry !== undefined && (entry.expires === undefined || entry.expires > clock.now());
    }
    async function* range(bounds, page = 500) {
        let next = bounds;
        for (;;) {
            const rows = await table.page(next, page);
            for (const [key, text] of rows) {
                const entry = parse(text);
                const value = alive(entry) ? form.unpack(key, entry.value) : undefined;
                if (value !== undefined)
                    yield [key, value];
            }
            const last = rows.at(-1);
            if (!last || rows.length < page)
                return;
            next = { after: last[0], ...(bounds.to === undefined ? {} : { to: bounds.to }) };
        }
    }
    async function update(key, change, ttlMs) {
        for (;;) {
            const { entry, version } = await table.read(key);
            const before = alive(entry) ? form.unpack(key, entry.value) : undefined;
            const next = change(before);
            if (next === before)
                return next;
            if (await table.replace(key, version, next === undefined ? null : entryOf(key, next, ttlMs, entry)))
                return next;
        }
    }
    function entryOf(key, value, ttlMs, before) {
        const stored = form.pack(key, value, before?.value);
        return ttlMs === undefined
            ? { value: stored }
            : { expires: Math.trunc(clock.now() + ttlMs), value: stored };
    }
    return {
        async get(key) {
            const entry = await table.get(key);
            return alive(entry) ? form.unpack(key, entry.value) : undefined;
        },
        set: (key, value, ttlMs) => table.set(key, entryOf(key, value, ttlMs)),
        update,
        delete: (key) => table.delete(key),
        // The highest character sorts after anything that can follow the prefix.
        entries: (prefix = '') => range(prefix === '' ? {} : { from: prefix, to: `${prefix}\u{10ffff}` }),
        range,
    };
}
/** For tables that store values as they are. */
const PLAIN = { pack: (_key, value) => value, unpack: (_key, stored) => stored };
function parse(text) {
    try {
        return readEntry(text);
    }
    catch {
        throw storeError('corrupt', 'a record is no JSON');
    }
}
//# sourceMappingURL=table.js.map