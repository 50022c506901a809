// A call that a person waits for has to end soon and with a message: not after the jobs API was asked four times, and
// not after the process has stopped.
import { refusal, UserError } from '../domain/errors.js';
/** `ms`: time limit of one call as a whole. `stopping`: aborts when the process is about to end. */
export function createInteractive(ms, stopping) {
    return async (work) => {
        const controller = new AbortController();
        const { signal } = controller;
        const stop = () => controller.abort(restarting());
        const late = () => controller.abort(boardAway());
        const over = new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
        });
        const timer = setTimeout(late, ms);
        stopping?.addEventListener('abort', stop);
        if (stopping?.aborted)
            stop();
        try {
            return await Promise.race([over, work(signal)]);
        }
        finally {
            clearTimeout(timer);
            stopping?.removeEventListener('abort', stop);
        }
    };
}
/** Whether an error means that the process stops. Then nothing was decided about the call. */
export function isRestarting(error) {
    return error instanceof UserError && error.fault?.name === 'restarting';
}
function boardAway() {
    return refusal('boardAway', 'The jobs board does not answer right now. Nothing was stored; try again in a few minutes.');
}
function restarting() {
    return refusal('restarting', 'jobcrier is restarting. Nothing was stored; try again in a minute.');
}
//# sourceMappingURL=interactive.js.map