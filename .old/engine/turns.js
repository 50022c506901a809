// Runs a turn from its claim to its end, the same in every engine. The lane is held while the work runs, and the end is
// written under the epoch of the claim.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { GroupRests, reasonOf } from '../domain/errors.js';
const BACKOFF_MS = [1_000, 5_000, 30_000, 60_000];
/** A third of the time that a lane is held. */
const RENEW_MS = 4_000;
/** How soon to ask again for a lane that is not free; LOOK_MS is the longest wait. */
const TAKE_AGAIN_MS = 10;
const LOOK_MS = 1_000;
export function createTurns({ lanes, clock, log }) {
    const abort = new AbortController();
    // Every running turn listens to this signal. Node warns of a leak from eleven listeners on.
    setMaxListeners(0, abort.signal);
    const running = new Map();
    /** New epochs of turns whose lane this process lost and took again while it worked on them. */
    const epochs = new WeakMap();
    /** Turns whose work is over and whose end is being written. */
    const ending = new WeakSet();
    const present = (turn) => ({ ...turn, epoch: epochs.get(turn) ?? turn.epoch });
    let draining = false;
    let heart;
    async function work(turn, worker) {
        const job = { queue: turn.queue, id: turn.unit, group: turn.lane };
        try {
            return endOf(turn, await lanes.within(turn, () => worker(job, { attempt: turn.attempt, signal: abort.signal, state: turn.state })));
        }
        catch (error) {
            log.error({ queue: turn.queue, job: turn.unit, attempt: turn.attempt, err: error }, 'job failed');
            return endOf(turn, { again: BACKOFF_MS[Math.min(turn.attempt, BACKOFF_MS.length) - 1] });
        }
    }
    /** Waits until a lane is free and takes it. Throws a GroupRests when the lane rests for longer than `patienceMs`. */
    async function taken(unit, { signal, patienceMs = Number.POSITIVE_INFINITY }) {
        for (;;) {
            signal?.throwIfAborted();
            if (draining)
                throw new Error('shutting down');
            const found = await lanes.take(unit);
            if ('epoch' in found)
                return found;
            const restMs = found.at - clock.now();
            if (restMs > patienceMs)
                throw new GroupRests(restMs);
            const wait = Math.min(Math.max(restMs, TAKE_AGAIN_MS), LOOK_MS);
            await sleep(wait, undefined, signal ? { signal } : {});
        }
    }
    function endOf({ attempt }, { again, rest, succeeded, deferred, state } = {}) {
        const now = clock.now();
        return {
            attempts: again === undefined || succeeded ? 0 : deferred ? attempt - 1 : attempt,
            ...(again === undefined ? {} : { next: now + again }),
            ...(rest ? { rest: now + rest } : {}),
            ...(state === undefined ? {} : { state }),
        };
    }
    const unbegun = (turn) => ({ next: turn.dueAt, attempts: turn.attempt - 1 });
    /** Holds the lane until `run` is settled. `run` never rejects. */
    function hold(turn, run) {
        const held = run.finally(() => running.delete(turn));
        running.set(turn, held);
        beat();
        return held;
    }
    /**
     * Writes the end of a turn. If that fails, the lane is free again when its hold ends, so a failing store costs only
     * that time.
     */
    async function finish(turn, end) {
        ending.add(turn);
        try {
            const ended = await lanes.end(present(turn), end);
            if (!ended.kept)
                log.warn({ queue: turn.queue, job: turn.unit }, 'another process took over a job');
            return ended;
        }
        catch (error) {
            log.debug({ queue: turn.queue, job: turn.unit, reason: reasonOf(error) }, 'the end of a job was not written');
            return { kept: false };
        }
    }
    /** Renews the holds of the running turns. */
    function beat() {
        heart ??= setInterval(() => {
            if (running.size === 0) {
                clearInterval(heart);
                heart = undefined;
            }
            else
                lanes.renew([...running.keys()].map(present)).catch((error) => {
                    log.debug({ reason: reasonOf(error) }, 'holding on to running jobs failed');
                });
        }, RENEW_MS);
    }
    return {
        run(turn, worker, worked) {
            // If this process was suspended for longer than it held the lane, it may still be working on the same unit.
            const mine = [...running.keys()].find(({ queue, lane }) => queue === turn.queue && lane === turn.lane);
            const before = mine && running.get(mine);
            if (mine && before && mine.unit === turn.unit && !ending.has(mine)) {
                epochs.set(mine, turn.epoch);
                worked?.();
                return before;
            }
            const over = before ?? Promise.resolve();
            return hold(turn, over
                .then(() => work(turn, worker))
                .then((end) => {
                worked?.();
                return finish(turn, end);
            }));
        },
        async runNow(onEnd, { queue, id, group }, task, wait = {}) {
            const turn = await taken({ queue, lane: group, unit: id }, wait);
            const done = lanes.within(turn, () => task(abort.signal, turn.state));
            const end = done.then(({ outcome }) => endOf(turn, outcome), () => unbegun(turn));
            onEnd(await hold(turn, end.then((one) => finish(turn, one))));
            return (await done).result;
        },
        giveBack: (turn) => finish(turn, unbegun(turn)),
        running: (queue) => [...running.keys()].filter((turn) => turn.queue === queue).length,
        async drain(ms) {
            draining = true;
            let timer;
            const late = new Promise((resolve) => {
                timer = setTimeout(() => resolve(false), ms);
            });
            const inTime = await Promise.race([Promise.all(running.values()).then(() => true), late]);
            clearTimeout(timer);
            clearInterval(heart);
            if (!inTime)
                abort.abort(new Error('shutting down'));
            return inTime;
        },
        draining: () => draining,
    };
}
//# sourceMappingURL=turns.js.map