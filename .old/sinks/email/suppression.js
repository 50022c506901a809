// Addresses that get no more mail. They are stored as keyed hashes, so that the list recognises an address without
// revealing it. One permanent failure is enough, or three temporary ones without a success in between.
import { addressKeys } from './address.js';
const FOURTEEN_DAYS = 14 * 86_400_000;
const SOFT_LIMIT = 3;
const NONE_FAILED = { failed: [] };
export function createSuppression(deps) {
    const { table, clock } = deps;
    const tokensOf = (address) => addressKeys(deps.keys, address);
    const token = (address) => tokensOf(address)[0];
    async function addToken(one, why) {
        await table.set(`mail:suppressed:${one}`, { at: clock.now(), why });
    }
    return {
        token,
        addToken,
        add: (address, why) => addToken(token(address), why),
        async find(address) {
            for (const one of tokensOf(address)) {
                const found = await table.get(`mail:suppressed:${one}`);
                if (found)
                    return found;
            }
            return undefined;
        },
        async soft(who, message, why, reported) {
            const one = 'token' in who ? who.token : token(who.address);
            const now = clock.now();
            const after = await table.update(`mail:soft:${one}`, (before) => {
                const { failed } = before ?? NONE_FAILED;
                const recent = failed.filter((entry) => now - entry.at < FOURTEEN_DAYS && entry.message !== message);
                return { failed: [...recent, { message, at: now, ...(reported ? { reported } : {}) }] };
            }, FOURTEEN_DAYS);
            if (after.failed.length < SOFT_LIMIT)
                return false;
            await addToken(one, why);
            return true;
        },
        async arrived(address) {
            await table.update(`mail:soft:${token(address)}`, (before) => {
                if (before === undefined)
                    return undefined;
                const { failed } = before;
                const left = failed.filter(({ reported }) => reported);
                if (left.length === failed.length)
                    return before;
                return left.length > 0 ? { failed: left } : undefined;
            }, FOURTEEN_DAYS);
        },
        async remove(address) {
            for (const one of tokensOf(address)) {
                await table.delete(`mail:suppressed:${one}`);
                await table.delete(`mail:soft:${one}`);
            }
        },
    };
}
//# sourceMappingURL=suppression.js.map