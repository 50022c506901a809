// Calls the service's tick once a second, through node-cron.
import { schedule } from 'node-cron';
/** How long before each full second to check the clock. */
const LEAD_MS = 5;
/** If more time passes between two checks, the clock was set or the process was suspended. */
const LONGEST_MS = 3_000;
/** Calls `onTick` every second until you call the returned function, which also waits for a running call. */
export function startTicker(onTick, log) {
    let current = Promise.resolve();
    let busy = false;
    async function tick() {
        if (busy)
            return;
        busy = true;
        // Caught here, because node-cron would print the error with its own logger.
        current = onTick().catch((error) => log.error({ err: error }, 'tick failed'));
        await current;
        busy = false;
    }
    let task = begin(tick);
    /**
     * node-cron waits for the next second by the wall clock. If the clock is set back, it would stop until the clock has
     * caught up. If the clock is set forward, it would count every skipped second, for hours. So the task is restarted
     * after a jump. The check runs right before node-cron's own timer, which is therefore never the first to find the jump.
     */
    let lookedAt = Date.now();
    function look() {
        const passed = Date.now() - lookedAt;
        lookedAt += passed;
        if (passed < 0 || passed > LONGEST_MS) {
            void task.destroy();
            task = begin(tick);
        }
        watch = setTimeout(look, untilNextLook());
    }
    let watch = setTimeout(look, untilNextLook());
    return async () => {
        clearTimeout(watch);
        await task.stop();
        // stop() does not wait for a running call.
        await current;
        await task.destroy();
    };
}
function begin(tick) {
    // Seconds that a busy machine misses are not worth a warning, least of all on output that machines read.
    return schedule('* * * * * *', tick, { name: 'jobcrier', suppressMissedWarning: true });
}
function untilNextLook() {
    const left = 1000 - LEAD_MS - (Date.now() % 1000);
    return left > 0 ? left : left + 1000;
}
//# sourceMappingURL=ticker.js.map