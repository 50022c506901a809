// What runs polls and deliveries: work by reference, so that it may run in this process or in another.

/** A piece of work by reference: ids only, the truth is in the store. */
export interface Job {
  readonly queue: string;
  /** A job put again while it waits is one job, at the earlier of both times. Unique within its group. */
  readonly id: string;
  /** Jobs of one group run one at a time, in order. */
  readonly group: string;
  /** Milliseconds since the epoch; at once when left out. */
  readonly at?: number;
}

/** Which job, without a time. */
export type JobRef = Omit<Job, 'at'>;

/**
 * Nothing: done. `again`: milliseconds until the next run; left out when there is nothing left to do, infinite when it waits
 * to be put in again. The run counts as an
 * attempt, unless it was `deferred` (as many attempts as before) or `succeeded` (none). `rest`: milliseconds for which no job
 * of the group runs. `state`: what the job is given at its next run; left out: what it was given now.
 */
export type Outcome =
  | undefined
  | {
      readonly again?: number;
      readonly deferred?: boolean;
      readonly succeeded?: boolean;
      readonly rest?: number;
      readonly state?: unknown;
    };

/** `attempt`: 1 for the first. `state`: what the last run left, JSON; null for nothing. */
export interface JobContext {
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly state: unknown;
}

/** A handler may run twice for one job after a crash; throwing counts as an attempt and runs again after a back-off. */
export type Worker = (job: Job, context: JobContext) => Promise<Outcome>;

/** What runs polls and deliveries. */
export interface Engine {
  /** Durable once it resolves. */
  put(job: Job): Promise<void>;
  /** Takes a job off its queue; one that runs runs to its end. */
  drop(job: JobRef): Promise<void>;
  /** When a job is due, milliseconds since the epoch; undefined when it is not put in. */
  dueAt(job: JobRef): Promise<number | undefined>;
  /** Jobs of a queue that are due, whether they wait or run, and when the one due for longest became due. */
  load(queue: string): Promise<{ readonly due: number; readonly since?: number }>;
  /** Jobs were put in by a commit of the store: looks for them now instead of a moment later. */
  look(queue: string): void;
  /**
   * Runs `work` as a job of its group as soon as the group is free, in this process, and resolves to its result; whether
   * the job was put in does not matter. Rejects with a {@link GroupRests} when the group rests for longer than `patienceMs`,
   * when `signal` aborts before it began, and with what `work` throws: then the job counts as deferred.
   */
  run<T>(
    job: JobRef,
    work: (signal: AbortSignal, state: unknown) => Promise<{ readonly result: T; readonly outcome: Outcome }>,
    wait?: { readonly signal?: AbortSignal | undefined; readonly patienceMs?: number },
  ): Promise<T>;
  /** Starts taking jobs; gives back what stops it. Several workers of a queue share its jobs. */
  work(
    queue: string,
    concurrency: number,
    worker: Worker,
    /** Told when due jobs can't be taken because the store fails; they are taken when it works again. */
    storeFailed?: (error: unknown) => void,
  ): () => void;
  /** Takes no new jobs and waits for the running ones; false when `ms` passed first (they are then aborted). */
  drain(ms: number): Promise<boolean>;
  /** Whether work reaches this process; `why`: in words, when it does not. */
  health(): Promise<{ readonly ok: boolean; readonly why?: string }>;
}
