// One cycle run by hand: polls each subscription once, then delivers what is due, without schedule or engine.
import { reasonOf, UserError } from '../domain/errors.js';
import { dispatch } from './dispatch.js';
import { deliveryJob } from './enqueue-deliveries.js';
import { rehearse } from './poll.js';
/** Runs the cycle. A subscription that fails does not stop the others. */
export async function runCycle(p, scheduler, options) {
    const lines = [];
    for await (const subscription of chosen(p, options.subscription)) {
        if (options.signal.aborted)
            break;
        const line = options.dryRun
            ? await rehearsal(p, subscription, options.signal)
            : await turn(p, scheduler, subscription, options.signal);
        options.onLine?.(line);
        lines.push(line);
    }
    return lines;
}
async function* chosen(p, id) {
    if (id === undefined) {
        yield* p.stores.subscriptions.list();
        return;
    }
    const one = await p.stores.subscriptions.get(id);
    if (!one)
        throw new UserError(`There is no subscription ${id}; "jobcrier subscriptions list" shows them all.`);
    yield one;
}
async function turn(p, scheduler, subscription, signal) {
    const before = await p.ledgers.read(subscription.id);
    const { outcome, matched, why } = await scheduler.pollNow(subscription.id);
    const after = await p.ledgers.read(subscription.id);
    for (const destination of subscription.destinations)
        await dispatch(p, deliveryJob(subscription, destination), signal);
    return {
        subscription: subscription.id,
        outcome,
        new: Math.max(0, after.outbox.length - before.outbox.length),
        ...(matched === undefined ? {} : { matched }),
        ...(why ? { why } : {}),
    };
}
async function rehearsal(p, subscription, signal) {
    try {
        const { fresh, counts, baseline, why } = await rehearse(p, subscription, signal);
        const news = fresh.filter((one) => one.fate === 'matched').length;
        return {
            subscription: subscription.id,
            outcome: why ? 'partial' : baseline ? 'baseline' : 'checked',
            new: news,
            matched: counts.matched,
            ...(why ? { why } : {}),
        };
    }
    catch (error) {
        return { subscription: subscription.id, outcome: 'failed', why: reasonOf(error) };
    }
}
//# sourceMappingURL=cycle.js.map