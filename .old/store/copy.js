// Copies a store that is not in use to another database: every row with its expiry. It reads both sides in key order and
// writes only what differs. An interrupted copy therefore resumes, and a copy whose source was used in between catches
// up. Then it reads both sides again and compares them. An older store is copied as it is and migrated at the target.
import { createHash } from 'node:crypto';
import { UserError } from '../domain/errors.js';
import { KV_TABLES, } from './backend.js';
import { storeError } from './faults.js';
import { whileHeld } from './lease.js';
import { bringForward, COPYING, knownVersion, OWN_META, refuseNewer, SCHEMA_KEY, versionOf, versionWrite, } from './schema.js';
import { readEntry } from './sql-table.js';
/** Stores of this version keep their planned units in a form that this program does not read. */
const PLANNED_OTHERWISE = 3;
/** Rows read or written together. A row can have a hundred bytes or a megabyte. */
const FEWEST = 10;
const MOST = 1000;
/** Approximate number of characters read or written together. */
const LARGE = 2_000_000;
/** How far ahead of this clock the clock of a Redis server may be. The server deletes expired rows itself. */
const SLACK_MS = 60_000;
export function sourceOf({ kvTables, leases, lanes, close }) {
    return {
        leases,
        page: (table, range, limit) => kvTables[table].page(range, limit),
        rests: () => lanes.rests(),
        units: lanes.page,
        close,
    };
}
/**
 * Copies `from` to `to` and compares them. The target must be empty or hold an unfinished copy of the same source. Throws
 * a UserError when a side is in use or holds something else. Throws a StoreError when a database fails or the sides
 * differ; you can then run it again.
 */
export async function copyStore(from, to, options) {
    const { log, clock, onProgress } = options;
    const inUse = (what) => (holder) => new UserError(`${what} is in use by ${holder}. Stop that process first; nothing was copied.`);
    return whileHeld(from.leases, clock, inUse('The store to be copied'), (source) => whileHeld(to.leases, clock, inUse('The store to copy to'), async (target) => {
        const version = await versionIn(from);
        if (version === 0)
            throw new UserError('There is nothing to copy: the store in STORE_URL is empty.', 2);
        refuseNewer(version);
        if (version === PLANNED_OTHERWISE)
            throw new UserError(`The store is of version ${version}, which can only be brought up to date where it is. Start \`jobcrier run\` on it once, then copy it.`);
        await begin(to, target, options.source);
        const copied = new Map();
        for (const table of KV_TABLES)
            copied.set(table, await copyTable(table, from, to, source, target, onProgress));
        const tables = [];
        for (const table of KV_TABLES) {
            onProgress?.('compare', table);
            const counts = await compare(table, from, sourceOf(to), clock);
            tables.push({ table, ...counts, written: copied.get(table) ?? 0 });
        }
        const planned = await copyUnits(from, to, source, target);
        const commit = (one) => to.commit({ fence: target.fence(), ...one });
        if (version < knownVersion())
            onProgress?.('upgrade');
        await bringForward({ ...to, commit }, version, { log, clock }, target.mustHold);
        // After this commit the target is a complete store.
        const done = { table: 'meta', key: COPYING, entry: null };
        if (!(await commit({ writes: [versionWrite(knownVersion()), done] })))
            throw storeError('lost');
        return { tables, planned, from: version, to: knownVersion() };
    }));
}
async function versionIn(from) {
    for await (const [key, text] of rowsOf('meta', from))
        if (key === SCHEMA_KEY)
            return versionOf(readEntry(text).value);
    return 0;
}
/** Marks an empty target as an unfinished copy. No service starts on such a store. */
async function begin(to, target, source) {
    const from = createHash('sha256').update(source).digest('hex');
    const noted = (await to.kvTables.meta.get(COPYING))?.value;
    if (noted?.from === from)
        return;
    if (noted)
        throw new UserError('The store to copy to holds the beginning of a copy of another store. Name an empty database or a file that does not exist; nothing was copied.');
    for (const table of KV_TABLES)
        for await (const _row of rowsOf(table, sourceOf(to)))
            if (table !== 'meta' || !isOwn(_row[0]))
                throw new UserError('The store to copy to is not empty. Name an empty database or a file that does not exist; nothing was copied.');
    await to.addColumns();
    await to.commit({
        writes: [
            { table: 'meta', key: SCHEMA_KEY, entry: null },
            { table: 'meta', key: COPYING, entry: { value: { from } } },
        ],
        fence: target.fence(),
    });
}
function isOwn(key) {
    return OWN_META.has(key) || key.startsWith('probe:');
}
/** Writes the rows that differ. Returns how many it wrote. */
async function copyTable(table, from, to, source, target, onProgress) {
    let writes = [];
    let [rows, written, size] = [0, 0, 0];
    async function flush() {
        await source.mustHold();
        if (writes.length > 0)
            await to.commit({ writes, fence: target.fence() });
        written += writes.length;
        writes = [];
        size = 0;
        onProgress?.('copy', table, rows);
    }
    for await (const { key, here, there } of bothSides(stored(table, from), stored(table, sourceOf(to)))) {
        if (here !== undefined)
            rows++;
        if (here !== there) {
            writes.push({ table, key, entry: here === undefined ? null : entryIn(here, table) });
            size += here?.length ?? 0;
        }
        if (writes.length >= MOST || size >= LARGE || rows % MOST === MOST - 1)
            await flush();
    }
    await flush();
    return written;
}
/** Copies planned units and resting lanes. They change all the time, so every run copies all of them. */
async function copyUnits(from, to, source, target) {
    await to.lanes.clear();
    const planned = createSum();
    for await (const units of unitsOf(from)) {
        await source.mustHold();
        await target.mustHold();
        await to.lanes.plan(units);
        await to.lanes.keep(units.filter(({ state }) => state !== null));
        planned.add(units);
    }
    const found = createSum();
    for await (const units of unitsOf(sourceOf(to)))
        found.add(units);
    if (found.sum() !== planned.sum())
        throw storeError('corrupt', 'the copy differs from the store in what is planned');
    await to.lanes.rest(await from.rests());
    return planned.count();
}
/** Counts units and adds up their hashes. The order does not matter, because the databases sort texts differently. */
function createSum() {
    let [count, sum] = [0, 0n];
    return {
        add(units) {
            for (const { queue, lane, unit, at, state } of units) {
                const text = JSON.stringify([queue, lane, unit, at, state]);
                sum = (sum + createHash('sha256').update(text).digest().readBigUInt64BE(0)) % 2n ** 64n;
                count++;
            }
        },
        count: () => count,
        sum: () => `${count} ${sum}`,
    };
}
async function* unitsOf(side) {
    for (let after;;) {
        const units = await side.units(after, MOST);
        if (units.length > 0)
            yield units;
        if (units.length < MOST)
            return;
        after = units.at(-1);
    }
}
/** Compares both sides and returns their row counts. Throws a StoreError at the first difference. */
async function compare(table, from, to, clock) {
    let [source, target] = [0, 0];
    for await (const { here, there } of bothSides(stored(table, from), stored(table, to))) {
        if (here !== undefined)
            source++;
        if (there !== undefined)
            target++;
        const isOver = here === undefined &&
            (entryIn(there, table).expires ?? Number.POSITIVE_INFINITY) <= clock.now() + SLACK_MS;
        if (here !== there && !isOver)
            throw storeError('corrupt', `the copy differs from the store in table ${table}, at row ${source}`);
    }
    return { source, target };
}
function entryIn(text, table) {
    try {
        return readEntry(text);
    }
    catch {
        throw storeError('corrupt', `a record of table ${table} is no JSON`);
    }
}
/** Yields the rows of a table that are part of a copy. */
async function* stored(table, side) {
    for await (const row of rowsOf(table, side))
        if (table !== 'meta' || !isOwn(row[0]))
            yield row;
}
async function* rowsOf(table, side) {
    let size = FEWEST;
    for (let after;;) {
        const rows = await side.page(table, after === undefined ? {} : { after }, size);
        yield* rows;
        if (rows.length < size)
            return;
        after = rows.at(-1)?.[0];
        const length = rows.reduce((sum, [, text]) => sum + text.length, 0);
        const fitting = Math.trunc((LARGE / Math.max(length, 1)) * size);
        size = Math.min(Math.max(fitting, FEWEST), size * 4, MOST);
    }
}
/** Yields every key of two sides, which must be in byte order, with the text it has on each side. */
async function* bothSides(here, there) {
    const [one, other] = [here[Symbol.asyncIterator](), there[Symbol.asyncIterator]()];
    let [a, b] = await Promise.all([one.next(), other.next()]);
    while (!a.done || !b.done) {
        const order = a.done ? 1 : b.done ? -1 : Buffer.compare(Buffer.from(a.value[0]), Buffer.from(b.value[0]));
        const [left, right] = [order <= 0 ? a : undefined, order >= 0 ? b : undefined];
        yield {
            key: (left ?? right)?.value[0],
            ...(left ? { here: left.value[1] } : {}),
            ...(right ? { there: right.value[1] } : {}),
        };
        if (left)
            a = await one.next();
        if (right)
            b = await other.next();
    }
}
//# sourceMappingURL=copy.js.map