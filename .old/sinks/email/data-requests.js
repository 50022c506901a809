// Exporting or deleting a reader's data, on request from a page behind a mailed link. Mails are forwarded, so that
// link is not enough: another mail, with a link that works once, goes to the address that gets the mails.
import { createHash, randomBytes } from 'node:crypto';
import { accountHash } from '../../domain/account.js';
import { recentOf, waitOf } from '../../domain/limit.js';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Hours for which the mailed link works. */
export const DATA_REQUEST_HOURS = 1;
/** The most mails of this kind that the links of an account may cause in a day. */
const LIMIT = { most: 3, withinMs: DAY };
const hashOf = (token) => createHash('sha256').update(token).digest('hex');
const slot = (account) => `mail:data:${accountHash(account)}`;
/** Deletes the requests of an account that is erased. */
export async function forgetDataRequests(table, account) {
    const asked = (await table.get(slot(account)));
    if (asked?.open)
        await table.delete(`mail:datalink:${asked.open}`);
    await table.delete(slot(account));
}
export function createDataRequests(deps) {
    const { table, clock, send } = deps;
    async function ask(request, address) {
        const now = clock.now();
        const key = slot(request.account);
        const token = randomBytes(32).toString('base64url');
        const open = hashOf(token);
        let asked;
        let isWithin = false;
        await table.update(key, (before) => {
            asked = before;
            isWithin = waitOf(asked?.times, now, LIMIT) === 0;
            if (!isWithin)
                return before;
            return { open, times: [...recentOf(asked?.times, now, LIMIT), now] };
        }, DAY);
        if (!isWithin)
            return false;
        if (asked?.open)
            await table.delete(`mail:datalink:${asked.open}`);
        const stored = { ...request, address, askedAt: now };
        await table.set(`mail:datalink:${open}`, stored, DATA_REQUEST_HOURS * HOUR);
        try {
            await send(request, address, token);
        }
        catch (error) {
            await table.delete(`mail:datalink:${open}`);
            await table.update(key, (before) => withoutRequest(before, open, now), DAY);
            throw error;
        }
        return true;
    }
    async function peek(token) {
        // A token has 43 characters. Nothing else is looked up in the store.
        if (!/^[\w-]{43}$/u.test(token))
            return undefined;
        const stored = (await table.get(`mail:datalink:${hashOf(token)}`));
        return stored && clock.now() - stored.askedAt < DATA_REQUEST_HOURS * HOUR ? stored : undefined;
    }
    return {
        peek,
        ask,
        async take(token) {
            if (!(await peek(token)))
                return undefined;
            // If two requests use the link at the same time, one of them finds it deleted.
            let taken;
            await table.update(`mail:datalink:${hashOf(token)}`, (before) => {
                taken = before;
                return undefined;
            });
            return taken;
        },
    };
}
/** The mail was not sent, so it does not count. */
function withoutRequest(asked, open, at) {
    if (!asked)
        return undefined;
    const times = asked.times.filter((one) => one !== at);
    return asked.open === open ? { times } : { ...asked, times };
}
//# sourceMappingURL=data-requests.js.map