// The process: its arguments, streams and signals, and its exit code.
import { createCommandLine } from './cli/command-line.js';
import { createIo } from './cli/io.js';
/**
 * Returns a signal that aborts at the first SIGTERM or SIGINT; the second one exits immediately. A repeat within 100 ms
 * is ignored, because terminals and npm sometimes deliver one signal twice.
 */
function listenForSignals() {
    const controller = new AbortController();
    let first = 0;
    const stop = () => {
        if (!controller.signal.aborted) {
            first = performance.now();
            controller.abort();
        }
        else if (performance.now() - first > 100)
            process.exit(1);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    return controller.signal;
}
const { run, failed } = createCommandLine({
    io: createIo(process),
    env: process.env,
    cwd: process.cwd(),
    stopSignal: listenForSignals,
});
// A reader such as `head` closes the pipe when it has read enough: that is no error.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.on('unhandledRejection', (error) => process.exit(failed(error)));
process.on('uncaughtException', (error) => process.exit(failed(error)));
process.exit(await run(process.argv.slice(2)));
//# sourceMappingURL=program.js.map