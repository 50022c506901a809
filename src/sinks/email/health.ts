// When mail servers stop believing us, every further mail makes it worse. This keeps count and stops the stream:
// for all recipients, or for those of one domain. It counts per process: a restart is an operator's look at it.
import type { LinkKey } from '../../domain/link-token.js';
import type { SinkPause } from '../../ports/sink.js';
import type { Table } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';
import { addressKeys } from './address.js';

const HOUR = 3_600_000;
/** More than this share of lasting failures stops a run (mail rules, bounces) … */
const HARD_SHARE = 0.05;
/** … once it is long enough to mean something. */
const LEAST_SENT = 20;
/** Results further apart than this belong to another run. */
const RUN_GAP = HOUR;
const PAUSE = HOUR;
/** One reader's server may refuse us for reasons of its own; so many different readers of a domain speak for all of it … */
const REFUSED_READERS = 3;
/** … when they were refused within this time, in which a refused mail is tried once more. */
const REFUSED_WITHIN = 2 * HOUR;
/** Domains kept in mind; the one refused least recently goes first. */
const MOST_DOMAINS = 1000;

export interface StreamHealth {
  /** Why nothing goes to this domain now; undefined when mails may. */
  pausedFor(domain: string): SinkPause | undefined;
  /** All that is held back now. */
  pauses(): readonly SinkPause[];
  /** Stops sending to everyone for an hour, the milliseconds of which it gives back. */
  pause(why: string): number;
  /**
   * A receiver refused a mail to one reader and the fault is ours. Stops mails to its domain for an hour once several
   * readers were refused; true when it does. `reader`: something that stands for the address.
   */
  refused(domain: string, reader: string, why: string): boolean;
  /** A mail was accepted or its address refused for good; true when that share became too large and the stream stopped. */
  result(hard: boolean): boolean;
}

function goingOn(pause: SinkPause | undefined, clock: Clock): SinkPause | undefined {
  const left = pause ? pause.until - clock.now() : 0;
  // Longer than any pause: the clock was set back since.
  return left > 0 && left <= PAUSE ? pause : undefined;
}

/** The pauses of the running service as rows of the store, for commands in other processes to tell of. */
export interface StoredPauses {
  keep(pause: SinkPause): Promise<void>;
  /** Why nothing goes to this domain now; undefined when mails may. */
  find(domain: string): Promise<SinkPause | undefined>;
  /** Deletes all: they belong to a process that has ended. */
  clear(): Promise<void>;
}

const ROWS = 'mail:paused:';

/** `keys` hash the domain, which is not told by its row. */
export function createStoredPauses(deps: {
  readonly table: Table<unknown>;
  readonly keys: readonly LinkKey[];
  readonly clock: Clock;
}): StoredPauses {
  const { table, keys, clock } = deps;
  const rowsOf = (place: string) => addressKeys(keys, place).map((hash) => `${ROWS}${hash}`);

  async function stored(place: string): Promise<SinkPause | undefined> {
    for (const row of rowsOf(place)) {
      const found = (await table.get(row)) as Omit<SinkPause, 'place'> | undefined;
      if (found) return goingOn({ ...found, place }, clock);
    }
    return undefined;
  }

  return {
    keep: ({ place, until, why }) => table.set(rowsOf(place)[0] as string, { until, why }, PAUSE),
    find: async (domain) => (await stored('')) ?? stored(domain),
    async clear() {
      for await (const [row] of table.entries(ROWS)) await table.delete(row);
    },
  };
}

/** `onPause` is told of each pause as it begins. */
export function createStreamHealth(clock: Clock, onPause?: (pause: SinkPause) => void): StreamHealth {
  const paused = new Map<string, SinkPause>();
  const refusals = new Map<string, ReadonlyMap<string, number>>();
  let run = { sent: 0, hard: 0, lastAt: 0 };

  function hold(place: string, why: string): void {
    if (paused.size >= MOST_DOMAINS) paused.clear();
    const pause = { place, until: clock.now() + PAUSE, why };
    paused.set(place, pause);
    onPause?.(pause);
  }

  const current = (place: string) => goingOn(paused.get(place), clock);

  return {
    pausedFor: (domain) => current('') ?? current(domain),
    pauses: () => [...paused.keys()].flatMap((place) => current(place) ?? []),
    pause(why) {
      hold('', why);
      return PAUSE;
    },
    refused(domain, reader, why) {
      const now = clock.now();
      const recent = [...(refusals.get(domain) ?? [])].filter(
        ([one, at]) => one !== reader && at <= now && now - at < REFUSED_WITHIN,
      );
      const readers = new Map([...recent.slice(1 - REFUSED_READERS), [reader, now]]);
      refusals.delete(domain);
      refusals.set(domain, readers);
      for (const oldest of refusals.keys()) if (refusals.size > MOST_DOMAINS) refusals.delete(oldest);
      if (readers.size < REFUSED_READERS) return false;
      hold(domain, why);
      return true;
    },
    result(hard) {
      const now = clock.now();
      if (now - run.lastAt > RUN_GAP) run = { sent: 0, hard: 0, lastAt: now };
      run = { sent: run.sent + 1, hard: run.hard + (hard ? 1 : 0), lastAt: now };
      if (run.sent < LEAST_SENT || run.hard / run.sent <= HARD_SHARE) return false;
      run = { sent: 0, hard: 0, lastAt: now };
      hold('', `over ${HARD_SHARE * 100} % of the mails were refused for good`);
      return true;
    },
  };
}
