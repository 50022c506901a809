// Keeps requests below Discord's limits: what its headers allow per route, fewer requests a second than it allows in
// total, and a stop long before refused requests get the address banned.
import { setTimeout as sleep } from 'node:timers/promises';
import { type DiscordFault, discordFault } from './fault.js';

/** Discord allows 50 a second in total. The rest is for the bot's own client, whose requests are not counted here. */
const PER_SECOND = 40;
/** The longest wait. For anything longer the request fails, and the scheduler tries again later. */
const PATIENCE_MS = 5_000;
/** Discord bans an address after 10,000 requests answered 401, 403 or 429 within ten minutes. */
const INVALID_MOST = 5_000;
const INVALID_WINDOW_MS = 600_000;
/** Added to each wait, because both clocks round. */
const MARGIN_MS = 50;

interface Route {
  remaining: number;
  /** Monotonic milliseconds. */
  resetAt: number;
}

export interface Limits {
  /** Waits until a request may be sent. Rejects with a {@link DiscordFault} of kind `busy` if that takes too long. */
  admit(route: string, signal: AbortSignal | undefined): Promise<void>;
  /** Updates the limits from an answer's headers and status. */
  learn(route: string, header: (name: string) => string | undefined, status: number): void;
  /** Milliseconds until Discord accepts another request on a route, according to its headers. */
  resetMs(route: string): number;
  /** After a 429: no request on that route, or on any if `everywhere`, is sent for `ms`. */
  block(route: string, ms: number, everywhere: boolean): void;
}

/** One per token and process. `share`: the part of Discord's limits that this process may use, from 0 to 1. */
export function createLimits(share: () => number = () => 1): Limits {
  const routes = new Map<string, Route>();
  const sent: number[] = [];
  let closedUntil = 0;
  let invalid = { since: Number.NEGATIVE_INFINITY, count: 0 };

  const now = () => performance.now();

  /** Milliseconds until a request on this route may be sent. */
  function wait(route: string): number {
    const at = now();
    while (sent.length > 0 && (sent[0] as number) <= at - 1000) sent.shift();
    const most = Math.max(1, Math.floor(PER_SECOND * share()));
    const full = sent.length >= most ? (sent[sent.length - most] as number) + 1000 - at : 0;
    const known = routes.get(route);
    const spent = known && known.remaining <= 0 ? known.resetAt - at : 0;
    const banned =
      invalid.count >= INVALID_MOST * share() ? Math.max(0, invalid.since + INVALID_WINDOW_MS - at) : 0;
    return Math.max(full, spent, closedUntil - at, banned, 0);
  }

  function forgetPast(): void {
    if (routes.size < 2_000) return;
    for (const [name, route] of routes) if (route.resetAt < now()) routes.delete(name);
  }

  return {
    async admit(route, signal) {
      for (let ms = wait(route); ms > 0; ms = wait(route)) {
        if (ms > PATIENCE_MS + MARGIN_MS) throw busy(ms);
        await sleep(Math.ceil(ms), undefined, signal ? { signal } : {});
      }
      signal?.throwIfAborted();
      sent.push(now());
    },
    learn(route, header, status) {
      if ((status === 401 || status === 403 || status === 429) && header('x-ratelimit-scope') !== 'shared') {
        if (now() - invalid.since > INVALID_WINDOW_MS) invalid = { since: now(), count: 0 };
        invalid.count += 1;
      }
      const remaining = Number(header('x-ratelimit-remaining') ?? Number.NaN);
      const seconds = Number(header('x-ratelimit-reset-after') ?? Number.NaN);
      if (!Number.isFinite(remaining) || !Number.isFinite(seconds)) return;
      forgetPast();
      routes.set(route, { remaining, resetAt: now() + seconds * 1000 + MARGIN_MS });
    },
    resetMs(route) {
      const known = routes.get(route);
      return known && known.remaining <= 0 ? Math.max(0, known.resetAt - now()) : 0;
    },
    block(route, ms, everywhere) {
      const until = now() + ms + MARGIN_MS;
      if (everywhere) closedUntil = Math.max(closedUntil, until);
      else routes.set(route, { remaining: 0, resetAt: Math.max(until, routes.get(route)?.resetAt ?? 0) });
    },
  };
}

/** The fault for a pause of `ms` that is too long to wait for. */
export function busy(ms: number): DiscordFault {
  return discordFault('busy', 'Discord asks for a pause', { status: 429, retryAfterMs: Math.ceil(ms) });
}

// Runs work one at a time and in order per name: messages of a channel, requests of a route.

/** Runs `work` after all earlier work of the same name. An abort while waiting rejects immediately. */
export interface Lanes {
  run<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

/** Creates lanes. A lane is removed as soon as nothing waits in it. */
export function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(name, signal, work) {
      const mine = (tails.get(name) ?? Promise.resolve()).then(() => {
        signal?.throwIfAborted();
        return work();
      });
      const tail = mine.then(
        () => undefined,
        () => undefined,
      );
      tails.set(name, tail);
      void tail.then(() => {
        if (tails.get(name) === tail) tails.delete(name);
      });
      return signal ? orAborted(mine, signal) : mine;
    },
  };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
