// A lane per token: one request at a time, a gap between two, and a rest when the API asks for it. Tokens do not wait
// for each other.
import { createKeyedMutex } from '../../domain/serial.js';
import type { Clock } from '../../ports/system.js';

/** Waits; rejects when `signal` aborts. Injected so that tests need no real time. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The right to make requests with one token, held until the task that got it ends. */
export interface Lane {
  /** Milliseconds left of the rest that the API asked for; 0 when requests may be made. */
  quietMs(): number;
  /** Begins a rest of `ms` milliseconds for this token. */
  keepQuiet(ms: number): void;
  /** Makes one request when the gap to the last one has passed. */
  paced<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T>;
}

export interface Lanes {
  /** Runs `task` when all earlier tasks of `key` are done. Rejects with the reason of `signal` while waiting. */
  run<T>(key: string, signal: AbortSignal, task: (lane: Lane) => Promise<T>): Promise<T>;
  /** Number of lanes in memory. */
  size(): number;
}

/** Idle lanes are looked for this often, and not for each request. */
const DROP_EVERY_MS = 1_000;

interface State {
  users: number;
  freeAt: number;
  /** Asked for at `since`. If the clock shows an earlier time, it was set back and the rest no longer counts. */
  quiet: { readonly since: number; readonly until: number };
}

/** `spacingMs`: minimum time between the end of a request and the start of the next with the same key. */
export function createLanes(options: { spacingMs: number; clock: Clock; sleep: Sleep }): Lanes {
  const { spacingMs, clock, sleep } = options;
  const inTurn = createKeyedMutex();
  const lanes = new Map<string, State>();
  let droppedAt = Number.NEGATIVE_INFINITY;

  function laneOf(state: State): Lane {
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
        if (wait > 0) await sleep(wait, signal);
        try {
          return await request();
        } finally {
          state.freeAt = clock.now() + spacingMs;
        }
      },
    };
  }

  function dropIdle(): void {
    const now = clock.now();
    if (Math.abs(now - droppedAt) < DROP_EVERY_MS) return;
    droppedAt = now;
    for (const [key, state] of lanes)
      if (state.users === 0 && state.freeAt <= now && state.quiet.until <= now) lanes.delete(key);
  }

  async function run<T>(key: string, signal: AbortSignal, task: (lane: Lane) => Promise<T>): Promise<T> {
    dropIdle();
    const state = lanes.get(key) ?? { users: 0, freeAt: 0, quiet: { since: 0, until: 0 } };
    lanes.set(key, state);
    state.users++;
    try {
      return await inTurn(key, () => task(laneOf(state)), signal);
    } finally {
      state.users--;
    }
  }

  return { run, size: () => lanes.size };
}
