// Lanes: what must happen one at a time and in order, kept as rows, so that a restart forgets nothing and any process can
// take the next turn. A queue holds lanes of one kind of work: polls, or deliveries by one sink.

/** One thing that is due in a lane. Ids are opaque: no address, link or token stands in them. */
export interface Unit {
  readonly queue: string;
  readonly lane: string;
  readonly unit: string;
}

/** When a unit is due, milliseconds since the epoch. A time that is planned already stays if it is earlier. */
export interface Plan extends Unit {
  readonly at: number;
}

/** What a unit keeps from one turn to the next: JSON, null for nothing. `version` grows with every change between turns. */
export interface UnitState {
  readonly state: unknown;
  readonly version: number;
}

/**
 * A change of what a unit keeps, made outside its turns; a turn under way then can't write over it. Null also wakes a unit
 * that waits for that ({@link TurnEnd}). Nothing happens to a unit that is not planned, or whose `version` is another one.
 */
export interface StateChange extends Unit {
  readonly state: unknown;
  readonly version?: number;
}

/**
 * The right to work on one unit of a lane. `epoch` grows with every turn of the lane: what carries an older one is refused,
 * so a process that was suspended writes nothing after another one took over. `attempt`: 1 for the first.
 */
export interface Turn extends Unit, UnitState {
  readonly epoch: number;
  readonly attempt: number;
  /** When the unit became due. */
  readonly dueAt: number;
}

/**
 * How a turn leaves its unit. `next`: when it is due again, also if it was not planned; undefined when there is nothing left
 * to do, unless it was planned anew meanwhile; infinite when it waits until it is planned. `rest`: until when the whole lane
 * rests. `attempts`: those that count so far. `state`: what the unit keeps from now on; left out: what it kept.
 */
export interface TurnEnd {
  readonly next?: number | undefined;
  readonly rest?: number | undefined;
  readonly attempts: number;
  readonly state?: unknown;
}

/** What came of the end of a turn. */
export interface Ended {
  /** False: another process has taken the lane since, and nothing was written. */
  readonly kept: boolean;
  /** Milliseconds until the lane's next turn, where that is near: see {@link LaneStore.offer}. */
  readonly soonMs?: number;
}

/** Lanes that are due, for a queue that wakes a process for each of them. */
interface Offer {
  readonly lanes: readonly string[];
  /** Milliseconds until one more lane is due; absent when none will be. */
  readonly nextMs?: number;
}

/** A lane that takes no turn before a time, milliseconds since the epoch. */
export interface Rest {
  readonly queue: string;
  readonly lane: string;
  readonly until: number;
}

export interface LaneStore {
  plan(plans: readonly Plan[]): Promise<void>;
  /** Changes what planned units keep. */
  keep(changes: readonly StateChange[]): Promise<void>;
  /** What units keep, in their order; null for one that is not planned. */
  states(units: readonly Unit[]): Promise<readonly UnitState[]>;
  /** Takes units off their lanes; one whose turn is running is taken off when it ends. */
  drop(units: readonly Unit[]): Promise<void>;
  /** Takes the turns of up to `most` lanes that are due, the longest due first; committed when it resolves. */
  claim(queue: string, most: number): Promise<readonly Turn[]>;
  /** Takes the turn of one lane, when it is due; `soonMs`: it is not, but will be so soon. */
  claimLane(queue: string, lane: string): Promise<Turn | { readonly soonMs: number } | undefined>;
  /**
   * Marks up to `most` lanes that are due as offered for 5 s, the longest due first, and gives their ids. Two processes that
   * ask at once get different lanes. A lane that is due again within 5 s of a turn's end is not offered: whoever ended the
   * turn is told by `soonMs` and makes the queue wait for it. If nothing came of that, it is offered a second after it is due.
   */
  offer(queue: string, most: number): Promise<Offer>;
  /**
   * Takes the turn of one unit now, whether it is planned or not. While the lane is held or rests: when to try again; for a
   * moment after that no other unit of the lane is claimed.
   */
  take(unit: Unit): Promise<Turn | { readonly at: number }>;
  /** Does the work of a turn: where several processes share the store, what it writes only counts while the lane is held. */
  within<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
  /** Keeps lanes from being taken by another process; the turns that are lost already. */
  renew(turns: readonly Turn[]): Promise<readonly Turn[]>;
  end(turn: Turn, end: TurnEnd): Promise<Ended>;
  /** Frees lanes that other processes hold; only for one that knows that no other is alive. */
  freeAll(): Promise<void>;
  /** Deletes lanes that hold nothing any more. */
  purge(): Promise<void>;
  /**
   * Ends the rest of a lane (its token is another one now), or all rests (the clock was set back, and the times they last to
   * lie too far ahead).
   */
  forgetRests(of?: Pick<Unit, 'queue' | 'lane'>): Promise<void>;
  /** Every lane that rests now. */
  rests(): Promise<readonly Rest[]>;
  /** Makes lanes rest, those that rest longer already excepted: what another store knew of them. */
  rest(all: readonly Rest[]): Promise<void>;
  /** When the next lane of a queue is due; undefined when none will be. */
  nextAt(queue: string): Promise<number | undefined>;
  /** When a unit is due next; undefined when it is not planned. While its turn runs: when that began to be due. */
  dueAt(unit: Unit): Promise<number | undefined>;
  /** Units of a queue that are due, whether they wait or run, and when the one due for longest became due. */
  load(queue: string): Promise<{ readonly due: number; readonly since?: number }>;
  /** Lanes of a queue that are due and wait for a process, and when the one due for longest became due. */
  waiting(queue: string): Promise<{ readonly lanes: number; readonly since?: number }>;
  /** Every unit of a queue that is planned or running. */
  units(queue: string): Promise<readonly Unit[]>;
  /** Up to `most` units of all queues after `after`; one whose turn runs is due when that turn was. */
  page(after: Unit | undefined, most: number): Promise<readonly (Plan & Pick<UnitState, 'state'>)[]>;
  /** Forgets every lane and unit. */
  clear(): Promise<void>;
}
