// Stops mails when mail servers no longer trust us, because every further mail makes it worse: to all recipients or
// to one domain. The counts are per process: a restart means that the operator has looked at the problem.
import type { LinkKey } from '../../domain/link-token.js';
import type { SinkPause } from '../../ports/sink.js';
import type { Table } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';
import { addressKeys } from './address.js';

const HOUR = 3_600_000;
/** A run stops when more than this share of its mails fails permanently (mail rules, bounces). */
const HARD_SHARE = 0.05;
/** Mails in a run before the share counts. */
const LEAST_SENT = 20;
/** A longer gap between two results starts a new run. */
const RUN_GAP = HOUR;
const PAUSE = HOUR;
/** Refusals to this many different readers pause their domain. Fewer may only concern those readers. */
const REFUSED_READERS = 3;
/** The time within which refusals are added up. A refused mail is tried once more in that time. */
const REFUSED_WITHIN = 2 * HOUR;
/** Domains remembered; the one refused least recently is dropped first. */
const MOST_DOMAINS = 1000;

export interface StreamHealth {
  /** The pause that holds back mails to this domain; undefined when there is none. */
  pausedFor(domain: string): SinkPause | undefined;
  /** All current pauses. */
  pauses(): readonly SinkPause[];
  /** Stops all mails for an hour. Returns that time in milliseconds. */
  pause(why: string): number;
  /**
   * Counts a refused mail to one reader for which the fault is ours. Once several readers were refused, pauses mails
   * to the domain for an hour and returns true. `reader`: a value that stands for the address.
   */
  refused(domain: string, reader: string, why: string): boolean;
  /** Counts a mail as accepted or, if `hard`, refused for good. Returns true if that stops the stream. */
  result(hard: boolean): boolean;
}

function goingOn(pause: SinkPause | undefined, clock: Clock): SinkPause | undefined {
  const left = pause ? pause.until - clock.now() : 0;
  // Longer than any pause: the clock was set back in the meantime.
  return left > 0 && left <= PAUSE ? pause : undefined;
}

/** The pauses of the running service as rows in the store, for commands in other processes to show. */
export interface StoredPauses {
  keep(pause: SinkPause): Promise<void>;
  /** The pause that holds back mails to this domain; undefined when there is none. */
  find(domain: string): Promise<SinkPause | undefined>;
  /** Deletes all rows, because they belong to a process that has ended. */
  clear(): Promise<void>;
}

const ROWS = 'mail:paused:';

/** `keys` hash the domain, so that a row does not reveal it. */
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

/** Calls `onPause` when a pause begins. */
export function createStreamHealth(clock: Clock, onPause?: (pause: SinkPause) => void): StreamHealth {
  const paused = new Map<string, SinkPause>();
  const refusals = new Map<string, ReadonlyMap<string, number>>();
  let run = { sent: 0, hard: 0, lastAt: 0 };

  function hold(place: string, why: string): void {
    const pause = { place, until: clock.now() + PAUSE, why };
    paused.delete(place);
    paused.set(place, pause);
    // The one that began first ends first. The one for all mails stays.
    const oldest = [...paused.keys()].find((one) => one !== '');
    if (paused.size > MOST_DOMAINS && oldest !== undefined) paused.delete(oldest);
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
