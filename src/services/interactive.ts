// What somebody waits for in front of a screen has to end in words, soon: not when the jobs API has been asked four
// times, and not after the process has stopped.
import { refusal, UserError } from '../domain/errors.js';

/**
 * Runs work that asks the jobs API while a person waits. Rejects with a {@link UserError}, `boardAway` when the time is
 * up and `restarting` when the process stops, and aborts the signal the work was given; the work may then go on, but
 * nothing of it is waited for.
 */
export type Interactive = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** `ms`: for one call as a whole. `stopping`: aborts when the process is about to end. */
export function createInteractive(ms: number, stopping: AbortSignal | undefined): Interactive {
  return async (work) => {
    const controller = new AbortController();
    const { signal } = controller;
    const stop = () => controller.abort(restarting());
    const late = () => controller.abort(boardAway());
    const over = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    const timer = setTimeout(late, ms);
    stopping?.addEventListener('abort', stop);
    if (stopping?.aborted) stop();
    try {
      return await Promise.race([over, work(signal)]);
    } finally {
      clearTimeout(timer);
      stopping?.removeEventListener('abort', stop);
    }
  };
}

/** Whether an error says that the process stops: then nothing was decided about what was asked. */
export function isRestarting(error: unknown): boolean {
  return error instanceof UserError && error.fault?.name === 'restarting';
}

function boardAway(): UserError {
  return refusal(
    'boardAway',
    'The jobs board does not answer right now. Nothing was stored; try again in a few minutes.',
  );
}

function restarting(): UserError {
  return refusal('restarting', 'jobcrier is restarting. Nothing was stored; try again in a minute.');
}
