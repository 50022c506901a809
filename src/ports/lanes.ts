// Lanes: work that must happen one at a time and in order. Lanes are stored as rows, so a restart loses nothing and
// any process can take the next turn. A queue holds the lanes of one kind of work: polls, or deliveries by one sink.

/** One piece of work in a lane. Ids are opaque: they contain no address, link or token. */
export interface Unit {
  readonly queue: string;
  readonly lane: string;
  readonly unit: string;
}

/**
 * When a unit is due, in milliseconds since the epoch. If the unit is already planned for an earlier time, the
 * earlier time stays.
 */
export interface Plan extends Unit {
  readonly at: number;
}

/**
 * What a unit keeps from one turn to the next: JSON, null for nothing. `version` increases with every change made
 * between turns.
 */
export interface UnitState {
  readonly state: unknown;
  readonly version: number;
}

/**
 * A change to a unit's state, made outside its turns. A running turn can't overwrite it. Null also wakes a unit that
 * waits until it is planned ({@link TurnEnd}). Nothing happens if the unit is not planned or has another `version`.
 */
export interface StateChange extends Unit {
  readonly state: unknown;
  readonly version?: number;
}

/**
 * The right to work on one unit of a lane. `epoch` increases with every turn of the lane. Writes with an older epoch
 * are refused, so a process that was suspended writes nothing after another one took over. `attempt`: 1 for the
 * first.
 */
export interface Turn extends Unit, UnitState {
  readonly epoch: number;
  readonly attempt: number;
  /** When the unit became due. */
  readonly dueAt: number;
}

/**
 * How a turn leaves its unit. `next`: when the unit is due again, even if it was not planned; undefined when nothing
 * is left to do, unless it was planned again during the turn; infinite when it waits until it is planned. `rest`:
 * until when the whole lane rests. Both in milliseconds since the epoch. `attempts`: how many count so far. `state`:
 * what the unit keeps from now on; if left out, its state stays.
 */
export interface TurnEnd {
  readonly next?: number | undefined;
  readonly rest?: number | undefined;
  readonly attempts: number;
  readonly state?: unknown;
}

/** The result of ending a turn. */
export interface Ended {
  /** False when another process has taken the lane since and nothing was written. */
  readonly kept: boolean;
  /** Milliseconds until the lane's next turn, if it is due soon: see {@link LaneStore.offer}. */
  readonly soonMs?: number;
}

/** Lanes that are due, for a queue that wakes a process for each of them. */
interface Offer {
  readonly lanes: readonly string[];
  /** Milliseconds until the next lane is due; absent when there is none. */
  readonly nextMs?: number;
}

/** A lane that takes no turn before `until`, in milliseconds since the epoch. */
export interface Rest {
  readonly queue: string;
  readonly lane: string;
  readonly until: number;
}

export interface LaneStore {
  plan(plans: readonly Plan[]): Promise<void>;
  /** Changes the state of planned units. */
  keep(changes: readonly StateChange[]): Promise<void>;
  /** The states of units, in the order given; null for a unit that is not planned. */
  states(units: readonly Unit[]): Promise<readonly UnitState[]>;
  /** Removes units from their lanes. A unit whose turn is running is removed when the turn ends. */
  drop(units: readonly Unit[]): Promise<void>;
  /** Takes the turns of up to `most` lanes that are due, the longest due first. Committed when it resolves. */
  claim(queue: string, most: number): Promise<readonly Turn[]>;
  /** Takes the turn of one lane if it is due. Returns `soonMs` if it is not due yet but will be soon. */
  claimLane(queue: string, lane: string): Promise<Turn | { readonly soonMs: number } | undefined>;
  /**
   * Marks up to `most` due lanes as offered for 5 s, the longest due first, and returns their ids. Two processes that
   * ask at the same time get different lanes. A lane that is due again within 5 s of a turn's end is not offered: the
   * process that ended the turn gets `soonMs` and makes the queue wait for it. If the lane is not taken that way, it
   * is offered one second after it is due.
   */
  offer(queue: string, most: number): Promise<Offer>;
  /**
   * Takes the turn of one unit now, whether it is planned or not. While the lane is held or rests, returns when to
   * try again (`at`); for a moment after that time, no other unit of the lane is claimed.
   */
  take(unit: Unit): Promise<Turn | { readonly at: number }>;
  /** Does the work of a turn. When several processes share the store, writes count only while the lane is held. */
  within<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
  /** Keeps other processes from taking the lanes of these turns. Returns the turns that are already lost. */
  renew(turns: readonly Turn[]): Promise<readonly Turn[]>;
  end(turn: Turn, end: TurnEnd): Promise<Ended>;
  /** Frees lanes that other processes hold. Call it only when no other process is running. */
  freeAll(): Promise<void>;
  /** Deletes empty lanes. */
  purge(): Promise<void>;
  /**
   * Ends the rest of one lane (its token has changed), or all rests (the clock was set back, so they would last too
   * long).
   */
  forgetRests(of?: Pick<Unit, 'queue' | 'lane'>): Promise<void>;
  /** Every lane that is resting now. */
  rests(): Promise<readonly Rest[]>;
  /** Makes lanes rest, as another store recorded it. A lane that already rests longer is not changed. */
  rest(all: readonly Rest[]): Promise<void>;
  /** When the next lane of a queue is due; undefined when there is none. */
  nextAt(queue: string): Promise<number | undefined>;
  /** When a unit is due next; undefined when it is not planned. While its turn runs: when the unit became due. */
  dueAt(unit: Unit): Promise<number | undefined>;
  /** The number of units of a queue that are due, waiting or running, and when the first of them became due. */
  load(queue: string): Promise<{ readonly due: number; readonly since?: number }>;
  /** The number of lanes of a queue that are due and wait for a process, and when the first of them became due. */
  waiting(queue: string): Promise<{ readonly lanes: number; readonly since?: number }>;
  /** Every unit of a queue that is planned or running. */
  units(queue: string): Promise<readonly Unit[]>;
  /** Up to `most` units of all queues, after `after`. A unit whose turn is running has the time that turn was due. */
  page(after: Unit | undefined, most: number): Promise<readonly (Plan & Pick<UnitState, 'state'>)[]>;
  /** Deletes every lane and unit. */
  clear(): Promise<void>;
}
