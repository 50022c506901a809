import { deliveryQueue } from './domain/delivery.js';
import { reasonOf } from './domain/errors.js';
import { POLL_QUEUE } from './domain/request.js';
import { startTicker } from './engine/ticker.js';
import { dispatch } from './pipeline/dispatch.js';
import { planAtStart } from './pipeline/scheduler.js';
import { followChanges } from './pipeline/subscription-sync.js';
import { BUILT_IN } from './sinks/index.js';
/** All queues: polls, and one for each sink. A built-in sink that is off has one too: its worker notifies the owner. */
function queuesOf({ sinks }) {
    return [POLL_QUEUE, ...[...new Set([...sinks.keys(), ...Object.keys(BUILT_IN)])].map(deliveryQueue)];
}
/**
 * Starts what the role of the process requires, and returns the undo steps. `lost` is called with a reason when another
 * process took over the store.
 */
export async function startService(config, p, scheduler, more, lost) {
    const { role } = config;
    for (const sink of p.sinks.values())
        await sink.start?.(role);
    await planAtStart(p);
    let turns = 0;
    if (role !== 'control')
        takeTurns(config.limits, p, scheduler, () => turns++);
    // A process that takes no turns must look too: it puts what is due into the queue.
    for (const queue of queuesOf(p))
        p.engine.look(queue);
    const stopping = new AbortController();
    const duties = [
        { name: 'processes', everySeconds: 3, run: () => p.stores.processes.beat(turns) },
        ...(role === 'worker' ? [] : dutiesOfOne(p, scheduler, lost, stopping.signal)),
        ...more,
    ];
    const { round, idle } = createRound(p, duties);
    const ticker = startTicker(round, p.log);
    return [() => p.engine.drain(config.limits.drainSeconds * 1000), idle, ticker, () => stopping.abort()];
}
function takeTurns({ pollConcurrency, deliveryConcurrency }, p, scheduler, count) {
    const counted = (kind, worker) => (job, context) => {
        count();
        p.metrics.count('turns_total', { kind });
        return worker(job, context);
    };
    for (const queue of queuesOf(p))
        if (queue === POLL_QUEUE)
            p.engine.work(queue, pollConcurrency, counted('poll', scheduler.poll), scheduler.storeFailed);
        else
            p.engine.work(queue, deliveryConcurrency, counted('deliver', (job, { signal }) => dispatch(p, job, signal)));
}
/** The duties that only one process does, for all processes. */
function dutiesOfOne(p, scheduler, lost, stopping) {
    return [
        {
            name: 'lease',
            everySeconds: 5,
            async run() {
                if (!(await p.stores.lease.renew()))
                    lost('another process took over the store');
            },
        },
        {
            name: 'changes',
            everySeconds: 2,
            slow: true,
            async run() {
                await followChanges(p, scheduler, stopping);
            },
        },
        { name: 'purge', everySeconds: 3600, run: () => p.stores.purge() },
        { name: 'schedule', everySeconds: 1, run: () => scheduler.tick() },
    ];
}
/** `round`, called once a second, runs the duties whose turn it is. `idle` waits for the slow ones that are running. */
export function createRound({ log }, duties) {
    const failing = new Set();
    const running = new Map();
    let second = 0;
    async function attempt({ name, run }) {
        try {
            await run();
            failing.delete(name);
        }
        catch (error) {
            if (!failing.has(name))
                log.error({ duty: name, reason: reasonOf(error) }, 'duty failed, tried again');
            failing.add(name);
        }
        finally {
            running.delete(name);
        }
    }
    return {
        async round() {
            second++;
            for (const duty of duties) {
                const { name, everySeconds, slow } = duty;
                const isTurn = second % everySeconds === 0 || (slow && second === 1);
                if (!isTurn || running.has(name))
                    continue;
                const done = attempt(duty);
                if (slow)
                    running.set(name, done);
                else
                    await done;
            }
        },
        idle: () => Promise.all(running.values()),
    };
}
//# sourceMappingURL=service.js.map