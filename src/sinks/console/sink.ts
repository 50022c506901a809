// The sink that needs no setup: cards on a terminal, or one JSON line per edition for a program behind a pipe. While
// it serves programs, no other part of the program may write to the same stream.
import type { Writable } from 'node:stream';
import { DeliveryError, UserError } from '../../domain/errors.js';
import type { Delivery, DeliveryContext, Sink } from '../../ports/sink.js';
import type { Clock } from '../../ports/system.js';
import { machineEdition } from '../../render/machine.js';
import { renderTerminalEdition } from '../../render/terminal-edition.js';
import { textsFor } from '../../render/texts.js';

/** Standard output, or anything that takes text; `isTTY` decides between cards and JSON. */
export type ConsoleStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface ConsoleSinkOptions {
  readonly stdout: ConsoleStream;
  readonly clock: Clock;
  /** Colours on a terminal. When left out: yes, unless NO_COLOR is set or the terminal is dumb. */
  readonly color?: boolean;
}

/** The sink `console`. Its destinations have no target. */
export function createConsoleSink(options: ConsoleSinkOptions): Sink {
  const { stdout, clock } = options;
  const color = options.color ?? (!process.env.NO_COLOR && process.env.TERM !== 'dumb');
  // A closed pipe is also reported as an event, which would end the process. The write itself reports it too.
  const ignore = () => undefined;
  stdout.on('error', ignore);

  async function deliver(delivery: Delivery, _target: string, context: DeliveryContext): Promise<void> {
    const { note } = textsFor(delivery.locale).card;
    if (stdout.isTTY) {
      // Some terminals report a width of 0 columns.
      const columns = stdout.columns || 80;
      const { timezone } = delivery.destination.cadence;
      const body = renderTerminalEdition({ ...delivery, timezone, now: clock.now(), columns, color });
      context.guard({ format: 'text', body, note });
      return write(stdout, body, context.signal);
    }
    const body = `${JSON.stringify({ event: 'edition', ...machineEdition(delivery) })}\n`;
    context.guard({ format: 'json', body, note });
    return write(stdout, body, context.signal);
  }

  return {
    name: 'console',
    audience: 'machines',
    parseTarget(target) {
      if (target === undefined || target === null || target === '') return '';
      throw new UserError('console target: the console takes no target; leave it out.', 2);
    },
    deliver,
    async close() {
      stdout.off('error', ignore);
    },
  };
}

/** Resolves once the stream has accepted the text. Rejects with an outage if the reader is gone or stopped reading. */
function write(stream: Writable, text: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const away = (reason: string) =>
      reject(
        new DeliveryError('outage', `standard output: ${reason}`, {
          forOwner: 'The standard output of the service is closed or not read.',
        }),
      );
    const stop = () => away('not read in time');
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    stream.write(text, (error) => {
      signal.removeEventListener('abort', stop);
      if (error) away((error as NodeJS.ErrnoException).code ?? 'not writable');
      else resolve();
    });
  });
}
