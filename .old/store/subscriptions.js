// Subscriptions, stored as they are except for their sealed targets, and an index by account, server and destination. One
// commit writes a subscription, its index rows and the note that the change must still be applied, so they always exist
// together. The same commit makes the requests it needs due, to be read in full: see RequestState.
// Keys of lookups: account:<account>:<id>, server:<server>:<id>, place:<destination>:<id>, request:<lane>:<subject>:<id>,
// file:<id>, left:<server>:<id>; changed:<id> for the note; room:account:<account> and room:server:<server>, see
// roomWrites.
import { deliveryPlan } from '../domain/delivery.js';
import { partsOf } from '../domain/edition.js';
import { createKeyedMutex } from '../domain/keyed-mutex.js';
import { requestsOf, requestUnit } from '../domain/request.js';
import { packDestination, unpackDestination } from './destinations.js';
import { key, lastOf, under } from './keys.js';
import { createTable } from './table.js';
const PAGE = 1000;
/** Subscriptions changed by one commit. */
const AT_ONCE = 250;
/** Keys of the index rows of a subscription. */
export function indexOf(subscription) {
    const { id, account, guild, destinations, origin, leftGuildAt } = subscription;
    return [
        key('account', account, id),
        ...(guild ? [key('server', guild, id)] : []),
        ...new Set(destinations.map((one) => key('place', one.id, id))),
        ...requestsOf(subscription).map(({ lane, subject }) => key('request', lane, subject, id)),
        ...(origin === 'file' ? [key('file', id)] : []),
        ...(guild && leftGuildAt !== undefined ? [key('left', guild, id)] : []),
    ];
}
const noteOf = (id) => key('changed', id);
/** Returns the requests affected by a change of a subscription: `all` must be rebuilt, `due` must be sent. */
function changedRequests(before, next) {
    const needs = (one) => (one ? requestsOf(one) : []);
    const what = (one) => one && JSON.stringify([one.account, one.filter, one.schedule, one.pausedAt, one.resumedAt]);
    if (what(before) === what(next))
        return { all: [], due: [] };
    const all = new Map([...needs(before), ...needs(next)].map((one) => [`${one.lane}${one.subject}`, one]));
    return { all: [...all.values()], due: needs(next) };
}
/** Returns the deliveries to check because of a change: postings in the outbox may have moved or may be ready to send. */
function changedDeliveries(before, next, at) {
    const what = (one) => JSON.stringify([one.destinations.map(({ id }) => id), one.pausedAt, one.resumedAt]);
    if (!before || !next || what(before) === what(next))
        return [];
    return next.destinations.map((one) => deliveryPlan(next, one, at));
}
export function createSubscriptionStore({ kvTables, commit }, clock, sealer) {
    const { subscriptions, lookups } = kvTables;
    const table = createTable(subscriptions, clock, { pack, unpack });
    const serially = createKeyedMutex();
    const at = (record, destination) => ({
        table: 'subscriptions',
        record,
        field: `destinations.${destination}.target`,
    });
    function unpack(id, value) {
        const stored = value;
        return {
            ...stored,
            destinations: stored.destinations.map((one) => unpackDestination(one, at(id, one.id), sealer)),
        };
    }
    function pack(id, subscription, stored) {
        const before = stored;
        const formerly = (wanted) => before?.destinations.find((old) => old.id === wanted);
        return {
            ...subscription,
            destinations: subscription.destinations.map((one) => packDestination(one, at(id, one.id), sealer, formerly(one.id))),
        };
    }
    /**
     * Returns what a change writes; `made` is missing when it changes nothing. `note`: the note of an earlier change, if
     * any.
     */
    function changeIn(id, row, note, change, firstAskMs = 0) {
        const stored = row.entry?.value;
        const before = stored && unpack(id, stored);
        const next = change(before);
        if (next === before)
            return { stored, next };
        const rows = next ? indexOf(next) : [];
        const known = stored ? indexOf(stored) : [];
        const value = note.entry?.value ?? {
            former: stored ? withoutSecrets(stored) : null,
        };
        const requests = changedRequests(stored, next);
        const writes = [
            {
                table: 'subscriptions',
                key: id,
                version: row.version,
                entry: next ? { value: pack(id, next, stored) } : null,
            },
            ...rows
                .filter((one) => !known.includes(one))
                .map((one) => ({ table: 'lookups', key: one, entry: { value: id } })),
            ...known
                .filter((one) => !rows.includes(one))
                .map((one) => ({ table: 'lookups', key: one, entry: null })),
            { table: 'lookups', key: noteOf(id), version: note.version, entry: { value } },
        ];
        const now = clock.now();
        const due = requests.due.map((one) => ({ ...requestUnit(one), at: now + firstAskMs }));
        // Clear the state of all these requests, including those that no subscription needs any more.
        const states = requests.all.map((one) => ({ ...requestUnit(one), state: null }));
        return {
            stored,
            next,
            made: { writes, states, plans: [...due, ...changedDeliveries(stored, next, now)] },
        };
    }
    async function update(id, change, { room, firstAskMs } = {}) {
        for (;;) {
            const [row, note] = await Promise.all([subscriptions.read(id), lookups.read(noteOf(id))]);
            const { stored, next, made } = changeIn(id, row, note, change, firstAskMs);
            if (!made)
                return next;
            const more = await roomWrites(stored, next, room);
            if (!more)
                return stored && unpack(id, stored);
            if (await commit({ ...made, writes: [...made.writes, ...more] }))
                return next;
        }
    }
    /**
     * Returns the writes of the `room` rows. Each account and server has such a row, and its version changes whenever a
     * subscription is added there. To add one under a limit, a process reads the row, counts, and commits on the condition
     * that the row is unchanged, so the count is correct. The row is deleted with the last subscription. Returns undefined
     * when `room` refuses the subscription.
     */
    async function roomWrites(before, next, room) {
        const writes = [];
        for (const [side, was, is] of [
            ['account', before?.account, next?.account],
            ['server', before?.guild, next?.guild],
        ]) {
            if (was === is)
                continue;
            if (is !== undefined) {
                const row = key('room', side, is);
                if (room) {
                    const { version } = await lookups.read(row);
                    if (side === 'account' && room.beside) {
                        const others = (await by('account', is)).filter((one) => one.id !== next?.id);
                        if (!room.beside(others))
                            return undefined;
                    }
                    const there = await lookups.page(under(side, is), Math.max(1, room[side]));
                    if (there.length >= room[side])
                        throw room.full(side);
                    writes.push({ table: 'lookups', key: row, version, entry: { value: side } });
                }
                else
                    writes.push({ table: 'lookups', key: row, entry: { value: side } });
            }
            if (was !== undefined) {
                const row = key('room', side, was);
                const { version } = await lookups.read(row);
                const isLast = (await lookups.page(under(side, was), 2)).length < 2;
                if (version !== 0 && isLast)
                    writes.push({ table: 'lookups', key: row, version, entry: null });
            }
        }
        return writes;
    }
    /** Yields the keys of a range, in order. */
    async function* keysIn({ from, to }) {
        for (let range = { from, to };;) {
            const rows = await lookups.page(range, PAGE);
            for (const [row] of rows)
                yield row;
            const last = rows.at(-1)?.[0];
            if (last === undefined || rows.length < PAGE)
                return;
            range = { after: last, to };
        }
    }
    /** Returns the ids at the end of the keys of a range. */
    async function idsIn(range) {
        const ids = [];
        for await (const row of keysIn(range))
            ids.push(lastOf(row));
        return ids;
    }
    async function many(ids) {
        const rows = await subscriptions.readMany(ids);
        return ids.flatMap((id) => {
            const entry = rows.get(id)?.entry;
            return entry ? [unpack(id, entry.value)] : [];
        });
    }
    const by = async (side, ...what) => many(await idsIn(under(side, ...what)));
    return {
        get: (id) => table.get(id),
        many,
        // Updates that count the same rows run one at a time, because they would only conflict.
        update: (id, change, options) => options?.room ? serially('room', () => update(id, change, options)) : update(id, change, options),
        async updateAll(ids, change) {
            for (const part of partsOf(ids, AT_ONCE)) {
                const [rows, notes] = await Promise.all([
                    subscriptions.readMany(part),
                    lookups.readMany(part.map(noteOf)),
                ]);
                const writes = new Map();
                const plans = [];
                const states = [];
                for (const id of part) {
                    const [row, note] = [rows.get(id) ?? NO_ROW, notes.get(noteOf(id)) ?? NO_ROW];
                    const { stored, next, made } = changeIn(id, row, note, (before) => change(before, id));
                    if (!made)
                        continue;
                    plans.push(...made.plans);
                    states.push(...made.states);
                    for (const one of [...made.writes, ...((await roomWrites(stored, next)) ?? [])])
                        writes.set(`${one.table}\n${one.key}`, one);
                }
                if (writes.size === 0 || (await commit({ writes: [...writes.values()], plans, states })))
                    continue;
                // Another process wrote to one of them, so each is updated alone.
                for (const id of part)
                    await update(id, (before) => change(before, id));
            }
        },
        remove: async (id) => void (await update(id, () => undefined)),
        byAccount: (account) => by('account', account),
        async *accounts() {
            let account;
            let count = 0;
            for await (const row of keysIn(under('account'))) {
                const next = decodeURIComponent(row.split(':')[1] ?? '');
                if (account !== undefined && next !== account)
                    yield [account, count];
                count = next === account ? count + 1 : 1;
                account = next;
            }
            if (account !== undefined)
                yield [account, count];
        },
        byServer: (server) => by('server', server),
        byDestination: (destination) => by('place', destination),
        needing: ({ lane, subject }) => by('request', lane, subject),
        idsFromFile: () => idsIn(under('file')),
        idsLeft: () => idsIn(under('left')),
        async servers() {
            const staying = new Map();
            const count = async (side, by) => {
                for await (const row of keysIn(under(side))) {
                    const guild = decodeURIComponent(row.split(':')[1] ?? '');
                    staying.set(guild, (staying.get(guild) ?? 0) + by);
                }
            };
            await count('server', 1);
            await count('left', -1);
            return [...staying].map(([guild, left]) => ({ guild, left: left <= 0 }));
        },
        async *list() {
            for await (const [, subscription] of table.range({}, PAGE))
                yield subscription;
        },
        async changed(most, after) {
            const { from, to } = under('changed');
            const rows = await lookups.page(after === undefined ? { from, to } : { after: noteOf(after), to }, most);
            return rows.map(([row]) => lastOf(row));
        },
        async changeOf(id) {
            const { entry, version } = await lookups.read(noteOf(id));
            if (!entry)
                return undefined;
            const { former } = entry.value;
            return { id, former: former ? unpack(id, former) : undefined, version };
        },
        settle: ({ id, version }) => commit({ writes: [{ table: 'lookups', key: noteOf(id), version, entry: null }] }),
    };
}
const NO_ROW = { version: 0 };
/** A change of keys does not look for secrets in notes, so notes contain none. */
function withoutSecrets(stored) {
    return {
        ...stored,
        destinations: stored.destinations.map((one) => typeof one.target === 'string' ? one : { ...one, target: '' }),
    };
}
//# sourceMappingURL=subscriptions.js.map