// Requests that a person waits for take a turn in the lane of their account, as polls do. So no two requests of a
// token are open at the same time, in any process.
import { accountHash } from '../../domain/account.js';
import { FeedError, GroupRests } from '../../domain/errors.js';
import { POLL_QUEUE } from '../../domain/request.js';
import type { Engine, Outcome } from '../../ports/engine.js';
import type { FeedRequest } from '../../ports/feed.js';
import type { Lane } from './token-queue.js';

/** Runs `task` while no other request of the account is open. */
export type InTurn = <T>(
  request: FeedRequest,
  signal: AbortSignal,
  task: (lane: Lane) => Promise<T>,
) => Promise<T>;

/** Longest rest that is waited out while a person waits for the answer, milliseconds. */
const PATIENCE_MS = 2_000;

/** The engine keeps the lane, with its spacing and the rest that the API asks for. */
const KEPT_BY_ENGINE: Lane = {
  quietMs: () => 0,
  keepQuiet: () => undefined,
  paced: (_, request) => request(),
};

export const throttled = (retryAfterMs: number) =>
  new FeedError('throttled', 'The jobs API asked this token to wait.', { status: 429, retryAfterMs });

type Settled<T> = { readonly value: T } | { readonly error: unknown };

/**
 * `spacingMs`: minimum time between two requests of an account. A rest that is too long to wait for throws a
 * `throttled` {@link FeedError}.
 */
export function engineTurns(engine: Engine, spacingMs: number): InTurn {
  return async <T>(request: FeedRequest, signal: AbortSignal, task: (lane: Lane) => Promise<T>) => {
    const job = { queue: POLL_QUEUE, id: 'asked', group: accountHash(request.account) };
    const work = async (): Promise<{ result: Settled<T>; outcome: Outcome }> => {
      try {
        return { result: { value: await task(KEPT_BY_ENGINE) }, outcome: { rest: spacingMs } };
      } catch (error) {
        const asked = error instanceof FeedError ? (error.retryAfterMs ?? 0) : 0;
        return { result: { error }, outcome: { rest: Math.max(spacingMs, asked) } };
      }
    };
    const ended = await engine.run(job, work, { signal, patienceMs: PATIENCE_MS }).catch((error: unknown) => {
      throw error instanceof GroupRests ? throttled(error.ms) : error;
    });
    if ('error' in ended) throw ended.error;
    return ended.value;
  };
}
