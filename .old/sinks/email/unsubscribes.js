// Who unsubscribed from what. Stored apart from the subscriptions, because one in a file is restored with the file.
// Checked before every mail, so that mails that are already due are not sent either.
import { accountHash } from '../../domain/account.js';
const slot = (account) => `mail:stopped:${accountHash(account)}`;
/** Deletes the unsubscribes of an account that is erased. */
export function forgetUnsubscribes(table, account) {
    return table.delete(slot(account));
}
export function createUnsubscribes(table, clock) {
    const nameOf = ({ subscription, destination }) => `${subscription}:${destination}`;
    const read = async (account) => (await table.get(slot(account))) ?? {};
    async function change(account, edit) {
        await table.update(slot(account), (before) => {
            const row = edit(before ?? {});
            return Object.keys(row).length > 0 ? row : undefined;
        });
    }
    return {
        // A second click keeps the time of the first.
        stop: (stream) => change(stream.account, (row) => ({ [nameOf(stream)]: clock.now(), ...row })),
        restart: (stream) => change(stream.account, ({ [nameOf(stream)]: _former, ...others }) => others),
        stoppedAt: async (stream) => (await read(stream.account))[nameOf(stream)],
        any: async (account) => Object.keys(await read(account)).length > 0,
    };
}
//# sourceMappingURL=unsubscribes.js.map