// Equal requests at the same time become one. The shared work belongs to none of its callers: one who leaves
// takes nothing from the others, and only when all have left is the work given up.
import { unlessAborted } from './lane.js';

export interface Flights<T> {
  /** Joins the work under way for `key`, or starts it. Rejects with the reason of `signal`, or as the work does. */
  join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Gives up all work, and waits until it has ended. */
  close(): Promise<void>;
}

interface Flight<T> {
  readonly work: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>();
  /** Also those nobody waits for any more: they may be in the middle of a write. */
  const running = new Set<Flight<T>>();

  function launch(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight = { work: start(controller.signal), controller, waiting: 0 };
    flights.set(key, flight);
    running.add(flight);
    const land = () => {
      running.delete(flight);
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.work.then(land, land);
    return flight;
  }

  async function join(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const flight = flights.get(key) ?? launch(key, start);
    flight.waiting++;
    try {
      return await unlessAborted(flight.work, signal);
    } finally {
      flight.waiting--;
      if (flight.waiting === 0) {
        // A caller who comes now must not get on board of what is being given up.
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort();
      }
    }
  }

  async function close(): Promise<void> {
    const all = [...running];
    for (const flight of all) flight.controller.abort();
    await Promise.allSettled(all.map((flight) => flight.work));
  }

  return { join, close };
}
