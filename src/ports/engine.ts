// The engine runs polls and deliveries. Jobs only refer to their data, so they can run in this process or in another.

/** A job by reference: it contains only ids, and the data is in the store. */
export interface Job {
  readonly queue: string;
  /**
   * Unique within its group. If a job is put in again while it waits, it stays one job, due at the earlier of both
   * times.
   */
  readonly id: string;
  /** Jobs of one group run one at a time and in order. */
  readonly group: string;
  /** When it is due, in milliseconds since the epoch. Defaults to now. */
  readonly at?: number;
}

/** Identifies a job, without a time. */
export type JobRef = Omit<Job, 'at'>;

/**
 * The result of a run. Undefined means that the job is done. `again`: milliseconds until the next run; left out if
 * nothing is left to do, infinite if the job waits until it is put in again. The run counts as an attempt, unless it
 * was `deferred` (the number of attempts stays) or `succeeded` (it is reset to zero). `rest`: milliseconds in which
 * no job of the group runs. `state`: what the job gets at its next run; if left out, the same state as this time.
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

/** `attempt`: 1 for the first. `state`: what the last run left, as JSON; null for nothing. */
export interface JobContext {
  readonly attempt: number;
  /** Aborts when the process must end. */
  readonly signal: AbortSignal;
  /**
   * Aborts then, too, and when this process could not renew its hold on the group, shortly before another process may
   * run a job of the group.
   */
  readonly holding: AbortSignal;
  readonly state: unknown;
}

/**
 * Runs a job. After a crash it may run twice for the same job. If it throws, the run counts as an attempt, and the
 * job runs again after a back-off.
 */
export type Worker = (job: Job, context: JobContext) => Promise<Outcome>;

/** Runs polls and deliveries. */
export interface Engine {
  /** Puts a job in. The job is durable once the promise resolves. */
  put(job: Job): Promise<void>;
  /** Removes a job from its queue. A job that is running finishes. */
  drop(job: JobRef): Promise<void>;
  /** When a job is due, in milliseconds since the epoch; undefined if it was not put in. */
  dueAt(job: JobRef): Promise<number | undefined>;
  /** The number of jobs of a queue that are due, waiting or running, and when the first of them became due. */
  load(queue: string): Promise<{ readonly due: number; readonly since?: number }>;
  /** Looks for due jobs now instead of a moment later, because a commit of the store has put some in. */
  look(queue: string): void;
  /**
   * Runs `work` in this process as a job of its group, as soon as the group is free, and resolves to its result. Its
   * signal is {@link JobContext.holding}. The job does not have to be put in before. Rejects with a {@link GroupRests} if the group rests for longer than
   * `patienceMs`, if `signal` aborts before the work starts, or with what `work` throws; then the job counts as
   * deferred.
   */
  run<T>(
    job: JobRef,
    work: (signal: AbortSignal, state: unknown) => Promise<{ readonly result: T; readonly outcome: Outcome }>,
    wait?: { readonly signal?: AbortSignal | undefined; readonly patienceMs?: number },
  ): Promise<T>;
  /** Starts to take jobs. Returns a function that stops it. Several workers of a queue share its jobs. */
  work(
    queue: string,
    concurrency: number,
    worker: Worker,
    /** Called when due jobs can't be taken because the store fails. They are taken when it works again. */
    storeFailed?: (error: unknown) => void,
  ): () => void;
  /**
   * Takes no new jobs and waits for the running ones. Returns false if `ms` passed first; the jobs are then aborted.
   */
  drain(ms: number): Promise<boolean>;
  /** Whether jobs reach this process. `why`: the reason in words if they do not. */
  health(): Promise<{ readonly ok: boolean; readonly why?: string }>;
}
