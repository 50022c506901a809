// `jobcrier keys rotate`: encrypts stored secrets again with the first key of SECRET_KEY.
import { UserError } from '../domain/errors.js';
import { giveUpKey } from '../store/key-check.js';
import { rotateKeys } from '../store/rotate-keys.js';
import { openStore } from '../wiring/store.js';
/** Resolves with exit code 1 while there are secrets that no key of the list decrypts, else with 0. */
export async function keysRotateCommand({ lost, json }, context) {
    const { io, clock } = context;
    const config = context.config();
    const log = context.log('stderr');
    if (lost !== undefined)
        await giveUp(lost, context);
    const { stores } = await openStore(config, log, clock, 'change');
    try {
        const { rotated, current, unreadable } = await rotateKeys(stores);
        if (json)
            io.json({ rotated, current, unreadable });
        else {
            io.print(`${rotated} secrets moved to the first key, ${current} were there already.`);
            io.print(unreadable > 0
                ? `${unreadable} can not be read: add the key they were stored with to the end of SECRET_KEY and run this again.`
                : 'The other keys of SECRET_KEY are no longer needed, but by older backups.');
        }
        return unreadable > 0 ? 1 : 0;
    }
    finally {
        await stores.close();
    }
}
/** Records the key as lost. Throws a UserError when the store does not miss that key: it is probably mistyped. */
async function giveUp(id, context) {
    const config = context.config();
    const { stores } = await openStore(config, context.log('stderr', 'silent'), context.clock, 'repair');
    try {
        const missing = await stores.missingKeys();
        if (!missing.includes(id))
            throw new UserError(missing.length > 0
                ? `--lost: that is no key the store misses; it misses ${missing.join(', ')}.`
                : '--lost: the store misses no key.');
        await giveUpKey(stores.backend, id);
        context.io.say(`The key ${id} is noted as lost; what it sealed has to be set anew.`);
    }
    finally {
        await stores.close();
    }
}
//# sourceMappingURL=keys.js.map