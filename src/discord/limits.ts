// Keeps the requests of this process below Discord's limits that are not per route: fewer a second than it allows in
// total, and a stop long before refused requests get the address banned. The library keeps those of the routes.
import { setTimeout as sleep } from 'node:timers/promises';
import { busy } from './fault.js';

/** Discord allows 50 a second in total. The rest is a reserve, because its second and ours differ. */
const PER_SECOND = 40;
/** The longest wait. For anything longer the request fails, and the scheduler tries again later. */
export const PATIENCE_MS = 5_000;
/** Discord bans an address after 10,000 requests answered 401, 403 or 429 within ten minutes. */
const INVALID_MOST = 5_000;
const INVALID_WINDOW_MS = 600_000;
/** Added to each wait, because both clocks round. */
export const MARGIN_MS = 50;

export interface Limits {
  /** Waits until a request may be sent. Rejects with a {@link DiscordFault} of kind `busy` if that takes too long. */
  admit(signal?: AbortSignal): Promise<void>;
  /** Counts an answer that Discord refused. `scope`: its X-RateLimit-Scope. */
  learn(status: number, scope: string | undefined): void;
}

/** One per token and process. `share`: the part of Discord's limits that this process may use, from 0 to 1. */
export function createLimits(share: () => number = () => 1): Limits {
  const sent: number[] = [];
  let invalid = { since: Number.NEGATIVE_INFINITY, count: 0 };
  const now = () => performance.now();

  /** Milliseconds until a request may be sent. */
  function wait(): number {
    const at = now();
    while (sent.length > 0 && (sent[0] as number) <= at - 1000) sent.shift();
    const most = Math.max(1, Math.floor(PER_SECOND * share()));
    const full = sent.length >= most ? (sent[sent.length - most] as number) + 1000 - at : 0;
    const banned = invalid.count >= INVALID_MOST * share() ? invalid.since + INVALID_WINDOW_MS - at : 0;
    return Math.max(full, banned, 0);
  }

  return {
    async admit(signal) {
      for (let ms = wait(); ms > 0; ms = wait()) {
        if (ms > PATIENCE_MS + MARGIN_MS) throw busy(ms);
        await sleep(Math.ceil(ms), undefined, signal ? { signal } : {});
      }
      signal?.throwIfAborted();
      sent.push(now());
    },
    learn(status, scope) {
      if ((status !== 401 && status !== 403 && status !== 429) || scope === 'shared') return;
      if (now() - invalid.since > INVALID_WINDOW_MS) invalid = { since: now(), count: 0 };
      invalid.count += 1;
    },
  };
}
