// The process: its arguments, streams and signals, and its exit code.
import { createCommandLine } from './cli/command-line.js';
import { createIo } from './cli/io.js';

/** The first signal asks for an end, the second one ends. Terminals and npm at times deliver one twice within milliseconds. */
function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      first = performance.now();
      controller.abort();
    } else if (performance.now() - first > 100) process.exit(1);
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
// A reader such as `head` that closes its end has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.on('unhandledRejection', (error) => process.exit(failed(error)));
process.on('uncaughtException', (error) => process.exit(failed(error)));

process.exit(await run(process.argv.slice(2)));
