import { domainOf } from './address.js';
import { createConsent } from './consent.js';
import { createStoredPauses } from './health.js';
import { createSuppression } from './suppression.js';
import { createUnsubscribes } from './unsubscribes.js';
export function createObstacle(deps) {
    const { unsubscribes, consent, suppression, accounts, pausedFor } = deps;
    async function agreed(account, { target, consented }) {
        if (consented)
            return true;
        const email = (await accounts.get(account))?.email;
        if (email?.confirmedAt !== undefined && email.address === target)
            return true;
        return (await consent.given(account, target)) !== undefined;
    }
    return async ({ account, subscription, destination }) => {
        const { id, target } = destination;
        if (await unsubscribes.stoppedAt({ account, subscription, destination: id }))
            return { why: 'unsubscribed', fix: 'mailUnsubscribed' };
        const pause = await pausedFor(domainOf(target));
        if (pause)
            return { why: 'mail is paused', fix: 'mailPaused', until: pause.until };
        if (!(await agreed(account, destination)))
            return { why: 'waiting for confirmation', fix: 'mailUnconfirmed' };
        // Checked last: only an account that confirmed an address may learn whether it is suppressed.
        if (await suppression.find(target))
            return { why: 'address is suppressed', fix: 'addressBounces' };
        return undefined;
    };
}
/** The same for a process that sends no mail: uses only what is in the store. */
export function storedObstacle(deps) {
    const { table, clock, accounts } = deps;
    const nothing = async () => undefined;
    return createObstacle({
        unsubscribes: createUnsubscribes(table, clock),
        consent: createConsent({ ...deps, blocked: async () => false, send: nothing, probe: nothing }),
        suppression: createSuppression(deps),
        accounts,
        pausedFor: createStoredPauses(deps).find,
    });
}
//# sourceMappingURL=obstacle.js.map