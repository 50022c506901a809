import { secret } from '../domain/secret.js';
import { key, lastOf, under } from './keys.js';
import { createTable } from './table.js';
/** The most accounts that `withNewToken` returns. */
const PAGE = 200;
const at = (record, field) => ({ table: 'accounts', record, field });
const noteOf = (id) => key('token', id);
export function createAccountStore({ kvTables, commit }, clock, sealer) {
    const { accounts, lookups } = kvTables;
    const table = createTable(accounts, clock, { pack, unpack });
    const listed = createTable(accounts, clock);
    function withEmail({ token: _token, email, ...rest }) {
        if (!email)
            return rest;
        const address = sealer.open(email.address, at(rest.id, 'email.address'));
        return address === undefined
            ? { ...rest, unreadable: ['email'] }
            : { ...rest, email: { ...email, address } };
    }
    function unpack(id, value) {
        const stored = value;
        const account = withEmail(stored);
        if (!stored.token)
            return account;
        const token = sealer.open(stored.token, at(id, 'token'));
        return token === undefined
            ? { ...account, unreadable: ['token', ...(account.unreadable ?? [])] }
            : { ...account, token: secret(token) };
    }
    /** Values that can't be read because their key is missing stay as they are stored. */
    function pack(id, { token, email, unreadable = [], ...rest }, stored) {
        const before = stored;
        return {
            ...rest,
            ...(unreadable.includes('token') && before?.token ? { token: before.token } : {}),
            ...(unreadable.includes('email') && before?.email ? { email: before.email } : {}),
            ...(token ? { token: sealer.seal(token.reveal(), at(id, 'token')) } : {}),
            ...(email ? { email: { ...email, address: sealer.seal(email.address, at(id, 'email.address')) } } : {}),
        };
    }
    return {
        get: (id) => table.get(id),
        async update(id, change) {
            for (;;) {
                const { entry, version } = await accounts.read(id);
                const before = entry && unpack(id, entry.value);
                const next = change(before);
                if (next === before)
                    return next;
                const writes = [
                    {
                        table: 'accounts',
                        key: id,
                        version,
                        entry: next ? { value: pack(id, next, entry?.value) } : null,
                    },
                ];
                // Also when the same token is set again: it may have been refused and should be tried again.
                if (next && next.token !== before?.token)
                    writes.push({ table: 'lookups', key: noteOf(id), entry: { value: id } });
                if (await commit({ writes }))
                    return next;
            }
        },
        async remove(id) {
            await commit({
                writes: [
                    { table: 'accounts', key: id, entry: null },
                    { table: 'lookups', key: noteOf(id), entry: null },
                ],
            });
        },
        async withNewToken() {
            const { from, to } = under('token');
            return (await lookups.page({ from, to }, PAGE)).map(([row]) => lastOf(row));
        },
        async newToken(id) {
            const { entry, version } = await lookups.read(noteOf(id));
            return entry && { id, version };
        },
        async settleToken({ id, version }) {
            await commit({ writes: [{ table: 'lookups', key: noteOf(id), version, entry: null }] });
        },
        async *list() {
            for await (const [, stored] of listed.entries())
                yield { ...withEmail(stored), hasToken: stored.token !== undefined };
        },
    };
}
//# sourceMappingURL=accounts.js.map