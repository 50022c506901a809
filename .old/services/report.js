// A subscription as its owner sees it: its state, what is waiting to be sent, what comes next.
import { nextEditionAt } from '../domain/cadence.js';
import { isPaused } from '../domain/subscription.js';
import { pollStatus } from '../pipeline/poll-result.js';
import { deletedAt } from '../pipeline/servers.js';
import { stuckPlaces, stuckState } from '../pipeline/stuck.js';
/** Combines what the ledger, the poll state and the scheduler know. */
export async function reportOn(p, scheduler, subscription) {
    const { id, account, destinations } = subscription;
    const poll = await pollStatus(p.stores, subscription);
    const token = await p.tokens.of(account);
    const ledger = await p.ledgers.read(id);
    const stuck = await stuckPlaces(p.sinks, subscription, ledger, p.clock.now());
    const slots = destinations
        .filter((one) => one.cadence.every !== 'immediate')
        .map((one) => nextEditionAt(one.cadence, p.clock.now()));
    const nextPollAt = await scheduler.nextPollAt(subscription);
    const end = deletedAt(p, subscription);
    const why = token.state === 'rejected' ? token.why : stuck[0]?.why;
    return {
        subscription,
        about: p.describe(subscription),
        state: isPaused(subscription)
            ? 'paused'
            : token.state === 'missing'
                ? 'no-token'
                : token.state === 'rejected'
                    ? 'token-rejected'
                    : stuckState(stuck),
        ...(why ? { why } : {}),
        ...(nextPollAt === undefined ? {} : { nextPollAt }),
        ...(slots.length > 0 ? { nextEditionAt: Math.min(...slots) } : {}),
        ...(end === undefined ? {} : { deletedAt: end }),
        ...(poll.polledAt === undefined ? {} : { polledAt: poll.polledAt }),
        ...(poll.outcome ? { outcome: poll.outcome } : {}),
        owed: ledger.outbox.length,
        stuck,
    };
}
//# sourceMappingURL=report.js.map