/** `spacingMs`: minimum time between the end of a request and the start of the next with the same key. */
export function createLanes(options) {
    const { spacingMs, clock, sleep } = options;
    const lanes = new Map();
    function laneOf(state) {
        return {
            quietMs() {
                const { since, until } = state.quiet;
                const now = clock.now();
                return now < since ? 0 : Math.max(0, until - now);
            },
            keepQuiet: (ms) => {
                const since = clock.now();
                state.quiet = { since, until: since + ms };
            },
            paced: async (signal, request) => {
                // A clock that was set back must not stretch the gap.
                const wait = Math.min(spacingMs, state.freeAt - clock.now());
                if (wait > 0)
                    await sleep(wait, signal);
                try {
                    return await request();
                }
                finally {
                    state.freeAt = clock.now() + spacingMs;
                }
            },
        };
    }
    function dropIdle() {
        const now = clock.now();
        for (const [key, state] of lanes)
            if (state.users === 0 && state.freeAt <= now && state.quiet.until <= now)
                lanes.delete(key);
    }
    async function run(key, signal, task) {
        dropIdle();
        const state = lanes.get(key) ?? {
            tail: Promise.resolve(),
            users: 0,
            freeAt: 0,
            quiet: { since: 0, until: 0 },
        };
        lanes.set(key, state);
        const before = state.tail;
        let done = () => { };
        const mine = new Promise((resolve) => {
            done = resolve;
        });
        // The next task waits for both: a task that gave up while it waited must not open the lane for others.
        state.tail = before.then(() => mine);
        state.users++;
        try {
            await unlessAborted(before, signal);
            return await task(laneOf(state));
        }
        finally {
            state.users--;
            done();
        }
    }
    return { run, size: () => lanes.size };
}
/**
 * Settles as `promise` does, or rejects with the reason of `signal` if that comes first. The listener is removed when
 * `promise` settles.
 */
export function unlessAborted(promise, signal) {
    if (!signal)
        return promise;
    return new Promise((resolve, reject) => {
        const stop = () => reject(signal.reason);
        if (signal.aborted)
            stop();
        else
            signal.addEventListener('abort', stop);
        promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
}
//# sourceMappingURL=token-queue.js.map