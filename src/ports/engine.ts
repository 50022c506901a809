// What runs polls and deliveries: work by reference, so that it may run in this process or in another.

/** A piece of work by reference: ids only, the truth is in the store. */
export interface Job {
  readonly queue: string;
  /** A job put again while it waits is one job, at the earlier of both times. */
  readonly id: string;
  /** Jobs of one group run one at a time, in order. */
  readonly group: string;
  /** Milliseconds since the epoch; at once when left out. */
  readonly at?: number;
}

/** Nothing: done. `again`: milliseconds until the next run; `deferred`: without using up an attempt. */
export type Outcome = undefined | { readonly again: number; readonly deferred?: boolean };

/** A handler may run twice for one job after a crash; throwing counts as an attempt and runs again after a back-off. */
export type Worker = (
  job: Job,
  context: { readonly attempt: number; readonly signal: AbortSignal },
) => Promise<Outcome>;

/** What runs polls and deliveries. */
export interface Engine {
  put(job: Job): Promise<void>;
  /** Waiting and running jobs of a queue. */
  size(queue: string): number;
  /** When the job that is due for longest became due, whether it waits or runs; milliseconds since the epoch. */
  dueSince(queue: string): number | undefined;
  /** Starts taking jobs; gives back what stops it. Several workers of a queue share its jobs. */
  work(queue: string, concurrency: number, worker: Worker): () => void;
  /** Takes no new jobs and waits for the running ones; false when `ms` passed first (they are then aborted). */
  drain(ms: number): Promise<boolean>;
}
