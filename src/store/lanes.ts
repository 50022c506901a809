// Stores lanes as rows of two tables, in SQL that SQLite and PostgreSQL both accept. A lane's `due_at` is when its next
// turn may begin. While the lane is held, `due_at` is the end of the hold, so the lane of a process that died becomes due
// by the clock alone.
import { partsOf } from '../domain/edition.js';
import { StoreError, type StoreFault } from '../domain/errors.js';
import { createMutex } from '../domain/serial.js';
import type { Ended, LaneStore, Plan, StateChange, Turn, TurnEnd, Unit, UnitState } from '../ports/lanes.js';
import { createBatches } from './batches.js';
import type { RunSql } from './sql-table.js';

/** What differs between the databases. */
export interface LaneWords {
  readonly lanes: string;
  readonly units: string;
  /** The present time in milliseconds, as SQL. */
  readonly now: () => string;
  /** Ends a SELECT of rows that are about to be changed. Rows that another transaction is changing are skipped. */
  readonly lock: string;
  /** The same, but waits for the other transaction. */
  readonly waitLock: string;
  /** The SQL function that returns the largest of several numbers. */
  readonly largest: 'max' | 'greatest';
  /** Ends of turns within this many milliseconds are written together. */
  readonly gatherMs: number;
  /** A table expression with a column `value` for each element of the JSON array in $1. */
  readonly each: string;
}

/** Runs statements as one transaction; `run` is only valid inside. */
export type Transact = <T>(work: (run: RunSql) => Promise<T>) => Promise<T>;

/** How long a claim holds a lane unless it is renewed, in milliseconds. */
export const HOLD_MS = 12_000;
/** How long a lane counts as offered. After that it is offered again. */
const OFFER_MS = 5_000;
/** A lane that the queue already waits for is offered again when it is this late. */
const LATE_MS = 1_000;
/** Later than any time. */
const NEVER = 8_640_000_000_000_000;
/** The due time of a unit that waits until another change makes it due. */
const PARKED = NEVER - 1;
const MOST_ITEMS = 256;
/** No process can renew a hold while the store fails like this. After another failure, such as a lock that was waited for too long, others may. */
const AWAY: ReadonlySet<StoreFault> = new Set(['unavailable', 'unsure', 'full']);
/** The most changes applied by one round of statements. */
const MOST_ROWS = 1_000;
/** A caller that finds a lane held tries again after this. */
const BUSY_MS = 20;
/** After a `take` finds a lane busy, no other unit of the lane is claimed for this long. */
const WANTED_MS = 1_000;

/** Columns added after the table was first released. `again_at`: the time planned while a turn of the unit was running. */
const UNIT_COLUMNS = ['again_at BIGINT', 'state TEXT', 'version BIGINT NOT NULL DEFAULT 0'] as const;

/** Adds the columns that a `units` table of version 3 lacks. `columns`: the columns it has. */
export async function addUnitColumns(
  run: RunSql,
  units: string,
  columns: ReadonlySet<string>,
): Promise<void> {
  for (const column of UNIT_COLUMNS)
    if (!columns.has(column.slice(0, column.indexOf(' '))))
      await run(`ALTER TABLE ${units} ADD COLUMN ${column}`);
}

/**
 * Removes the column `since`, which only version 3 uses. That version set `due_at` of a running unit to NEVER and kept
 * the real time in `since`.
 */
export async function dropUnitColumns(
  run: RunSql,
  units: string,
  columns: ReadonlySet<string>,
): Promise<void> {
  if (!columns.has('since')) return;
  await run(`UPDATE ${units} SET due_at = since WHERE due_at = ${NEVER}`);
  await run(`ALTER TABLE ${units} DROP COLUMN since`);
}

export function laneTables({ lanes, units }: Pick<LaneWords, 'lanes' | 'units'>): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${lanes} (
      queue TEXT NOT NULL, id TEXT NOT NULL, epoch BIGINT NOT NULL DEFAULT 0,
      unit TEXT, held_until BIGINT NOT NULL DEFAULT 0, not_before BIGINT NOT NULL DEFAULT 0,
      offered_until BIGINT NOT NULL DEFAULT 0, wanted_until BIGINT NOT NULL DEFAULT 0,
      due_at BIGINT NOT NULL, PRIMARY KEY (queue, id))`,
    `CREATE INDEX IF NOT EXISTS ${lanes}_due ON ${lanes} (queue, due_at)`,
    `CREATE INDEX IF NOT EXISTS ${lanes}_taken ON ${lanes} (queue, id, unit) WHERE unit IS NOT NULL`,
    `CREATE TABLE IF NOT EXISTS ${units} (
      queue TEXT NOT NULL, lane TEXT NOT NULL, id TEXT NOT NULL,
      due_at BIGINT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
      ${UNIT_COLUMNS.join(', ')},
      PRIMARY KEY (queue, lane, id))`,
    `CREATE INDEX IF NOT EXISTS ${units}_due ON ${units} (queue, lane, due_at)`,
  ];
}

/** A change to a lane or unit. Several are applied in one transaction. */
export type LaneChange =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'drop'; readonly unit: Unit }
  | { readonly kind: 'state'; readonly change: StateChange }
  | { readonly kind: 'end'; readonly turn: Turn; readonly end: TurnEnd };

/** A lane that a transaction has locked. */
interface Locked {
  readonly queue: string;
  readonly lane: string;
  epoch: number;
  /** The unit whose turn is running; empty when the unit was dropped during the turn. */
  unit: string | null;
  /** Set when a turn ended in this transaction: until when the lane rests. */
  ended?: number;
  /** Indexes of the ended turns in the list of results. */
  readonly ends: number[];
}

/**
 * Applies changes inside a transaction. Returns one result for each change. It runs a few statements of many rows each,
 * because a poll's share of a transaction costs far less than separate statements would. A unit is only changed after its
 * lane is locked, and lanes are locked in the order of their names, so two transactions never deadlock.
 */
export async function changeLanes(
  run: RunSql,
  words: LaneWords,
  changes: readonly LaneChange[],
): Promise<readonly Ended[]> {
  const results = changes.map(keptEnd);
  const sorted = changes.map(indexed).sort(byLane);
  for (const part of partsOf(sorted, MOST_ROWS))
    for (const round of roundsOf(part)) await applyRound(run, words, round, results);
  return results;
}

interface Indexed {
  readonly change: LaneChange;
  readonly index: number;
  readonly lane: string;
}

// Callbacks that run for each poll are functions of the module. V8 drops the compiled code of a function together with the
// function, and compiling short-lived callbacks again and again took a tenth of the time of a poll.
const keptEnd = (): Ended => ({ kept: true });
const indexed = (change: LaneChange, index: number): Indexed => ({
  change,
  index,
  lane: laneKey(placeOf(change)),
});
const byLane = (a: Indexed, b: Indexed) => (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0);
const isEnd = ({ change }: Indexed) => change.kind === 'end';
const dropOf = ({ change }: Indexed) => (change.kind === 'drop' ? [change.unit] : []);

/**
 * Splits changes into rounds so that a plan and a drop of the same unit keep their order. Any other order has the same
 * result.
 */
function roundsOf(changes: readonly Indexed[]): readonly (readonly Indexed[])[] {
  const rounds: Indexed[][] = [[]];
  let seen = new Map<string, 'plan' | 'drop'>();
  for (const one of changes) {
    const { kind } = one.change;
    if (kind === 'plan' || kind === 'drop') {
      const unit = unitKey(placeOf(one.change));
      if ((seen.get(unit) ?? kind) !== kind) {
        rounds.push([]);
        seen = new Map();
      }
      seen.set(unit, kind);
    }
    rounds.at(-1)?.push(one);
  }
  return rounds;
}

async function applyRound(
  run: RunSql,
  words: LaneWords,
  changes: readonly Indexed[],
  results: Ended[],
): Promise<void> {
  const { lanes } = words;
  const locked = await lockLanes(run, words, changes);
  await dropUnits(run, words, changes.flatMap(dropOf));
  for (const { change, lane } of changes) {
    const row = locked.get(lane);
    // If a turn of the unit is running, it learns of the drop when it ends.
    if (change.kind === 'drop' && row?.unit === change.unit.unit) row.unit = '';
  }
  const plans = new Map<string, Plan>();
  for (const { change } of changes) {
    if (change.kind !== 'plan') continue;
    const former = plans.get(unitKey(change.plan));
    if (!former || change.plan.at < former.at) plans.set(unitKey(change.plan), change.plan);
  }
  await planUnits(run, words, [...plans.values()], locked);
  const states = new Map<string, StateChange>();
  for (const { change } of changes) {
    if (change.kind !== 'state') continue;
    const key = unitKey(change.change);
    // A change to null wins over every other change of the same unit.
    if (states.get(key)?.state !== null) states.set(key, change.change);
  }
  await changeStates(run, words, [...states.values()]);
  const ends: EndedTurn[] = [];
  for (const one of changes) {
    if (one.change.kind !== 'end') continue;
    const { turn, end } = one.change;
    const row = locked.get(one.lane);
    const isMine = row !== undefined && row.unit !== null && row.epoch === turn.epoch;
    results[one.index] = { kept: isMine };
    if (!isMine) continue;
    ends.push({ turn, end, isDropped: row.unit !== turn.unit });
    row.unit = null;
    row.ended = Math.trunc(end.rest ?? 0);
    row.ends.push(one.index);
  }
  await endUnits(run, words, ends);
  const gone = [...locked.values()].filter(isUnitGone);
  if (gone.length > 0) {
    const rows = given(
      words,
      ['queue', 'lane'],
      gone.map(({ queue, lane }) => [queue, lane]),
    );
    await run(
      `${rows.sql} UPDATE ${lanes} SET unit = '' FROM given WHERE ${lanes}.queue = given.queue AND ${lanes}.id = given.lane`,
      rows.values,
    );
  }
  await settle(run, words, [...locked.values()], results);
}

const isUnitGone = ({ unit }: Locked) => unit === '';
const isFree = ({ unit }: Locked) => unit === null;

interface EndedTurn {
  readonly turn: Turn;
  readonly end: TurnEnd;
  readonly isDropped: boolean;
}

/**
 * Locks the lanes of the changes, in the order of the changes. Creates missing lanes unless all changes are ends of
 * turns.
 */
async function lockLanes(
  run: RunSql,
  words: LaneWords,
  changes: readonly Indexed[],
): Promise<ReadonlyMap<string, Locked>> {
  const { lanes, now, waitLock } = words;
  const names = new Map<string, readonly [number, string, string]>();
  for (const { lane: name, change } of changes) {
    const { queue, lane } = placeOf(change);
    if (!names.has(name)) names.set(name, [names.size, queue, lane]);
  }
  const rows = given(words, ['place', 'queue', 'lane'], [...names.values()]);
  const isKnown = changes.every(isEnd);
  const found = await run(
    isKnown
      ? `${rows.sql} SELECT l.queue, l.id, l.epoch, l.unit FROM given
         JOIN ${lanes} AS l ON l.queue = given.queue AND l.id = given.lane ORDER BY given.place ${waitLock && `${waitLock} OF l`}`
      : // Rows of idle lanes are deleted, so epochs start from the time and are never reused. The update locks the row.
        `${rows.sql} INSERT INTO ${lanes} (queue, id, epoch, due_at)
         SELECT queue, lane, ${now()}, ${NEVER} FROM given WHERE true ORDER BY place
         ON CONFLICT (queue, id) DO UPDATE SET held_until = ${lanes}.held_until
         RETURNING queue, id, epoch, unit`,
    rows.values,
  );
  const locked = new Map<string, Locked>();
  for (const row of found) {
    const lane: Locked = {
      queue: String(row.queue),
      lane: String(row.id),
      epoch: Number(row.epoch),
      unit: row.unit === null || row.unit === undefined ? null : String(row.unit),
      ends: [],
    };
    locked.set(laneKey(lane), lane);
  }
  return locked;
}

/** Plans units. A unit whose turn is running does not change until the turn ends. */
async function planUnits(
  run: RunSql,
  words: LaneWords,
  plans: readonly Plan[],
  locked: ReadonlyMap<string, Locked>,
): Promise<void> {
  if (plans.length === 0) return;
  const { units } = words;
  const wanted: (string | number | null)[][] = [];
  for (const plan of plans) {
    const { queue, lane, unit } = plan;
    const at = Math.min(Math.trunc(plan.at), PARKED);
    const isRunning = locked.get(laneKey(plan))?.unit === unit;
    wanted.push([queue, lane, unit, at, isRunning ? at : null]);
  }
  const rows = given(words, ['queue', 'lane', 'unit', 'at', 'again'], wanted);
  const earlier = (column: string) =>
    `CASE WHEN excluded.${column} < ${units}.${column} THEN excluded.${column} ELSE ${units}.${column} END`;
  await run(
    `${rows.sql} INSERT INTO ${units} (queue, lane, id, due_at, again_at)
     SELECT queue, lane, unit, at, again FROM given WHERE true
     ON CONFLICT (queue, lane, id) DO UPDATE SET
       due_at = CASE WHEN excluded.again_at IS NULL THEN ${earlier('due_at')} ELSE ${units}.due_at END,
       again_at = CASE WHEN ${units}.again_at IS NULL THEN excluded.again_at ELSE ${earlier('again_at')} END`,
    rows.values,
  );
}

async function changeStates(run: RunSql, words: LaneWords, changes: readonly StateChange[]): Promise<void> {
  if (changes.length === 0) return;
  const { units, now } = words;
  const rows = given(
    words,
    ['queue', 'lane', 'unit', 'state', 'version'],
    changes.map(({ queue, lane, unit, state, version = -1 }) => [queue, lane, unit, textOf(state), version]),
  );
  const wakes = `given.state IS NULL AND ${units}.due_at = ${PARKED}`;
  await run(
    `${rows.sql} UPDATE ${units} SET state = given.state, version = ${units}.version + 1,
       due_at = CASE WHEN ${wakes} THEN ${now()} ELSE ${units}.due_at END
     FROM given WHERE ${units}.queue = given.queue AND ${units}.lane = given.lane AND ${units}.id = given.unit
       AND (given.version = -1 OR given.version = ${units}.version)`,
    rows.values,
  );
}

/** The state of a unit, as stored. */
const textOf = (state: unknown) => (state === null || state === undefined ? null : JSON.stringify(state));
const stateOf = (row: Record<string, unknown> | undefined): UnitState => ({
  state: row?.state === null || row?.state === undefined ? null : JSON.parse(String(row.state)),
  version: Number(row?.version ?? 0),
});

async function dropUnits(run: RunSql, words: LaneWords, drops: readonly Unit[]): Promise<void> {
  if (drops.length === 0) return;
  const { units } = words;
  const rows = given(
    words,
    ['queue', 'lane', 'unit'],
    drops.map(({ queue, lane, unit }) => [queue, lane, unit]),
  );
  await run(
    `${rows.sql} DELETE FROM ${units} WHERE (queue, lane, id) IN (SELECT queue, lane, unit FROM given)`,
    rows.values,
  );
}

/**
 * Writes the ends of turns. A time planned while the turn ran is kept when it is earlier than the one the turn asks for.
 */
async function endUnits(run: RunSql, words: LaneWords, ends: readonly EndedTurn[]): Promise<void> {
  const { units, now } = words;
  // A dropped unit has no row to update. A row planned since the drop stays as it is.
  const due: (string | number | null)[][] = [];
  const over: (string | number)[][] = [];
  for (const { turn, end, isDropped } of ends) {
    const { queue, lane, unit } = turn;
    if (isDropped) continue;
    if (end.next === undefined) over.push([queue, lane, unit, end.attempts]);
    else {
      const next = Math.min(Math.trunc(end.next), PARKED);
      const state = textOf(end.state === undefined ? turn.state : end.state);
      due.push([queue, lane, unit, next, end.attempts, state, turn.version]);
    }
  }
  if (due.length > 0) {
    const rows = given(words, ['queue', 'lane', 'unit', 'next', 'attempts', 'state', 'version'], due);
    await run(
      // An insert, because a unit can be taken without a plan.
      `${rows.sql} INSERT INTO ${units} (queue, lane, id, due_at, attempts, state, version)
       SELECT queue, lane, unit, next, attempts, state, version FROM given WHERE true
       ON CONFLICT (queue, lane, id) DO UPDATE SET
         due_at = CASE WHEN ${units}.again_at < excluded.due_at THEN ${units}.again_at
                       -- What it would wait for has happened already.
                       WHEN excluded.due_at = ${PARKED} AND ${units}.version <> excluded.version THEN ${now()}
                       ELSE excluded.due_at END,
         again_at = NULL,
         attempts = excluded.attempts,
         state = CASE WHEN ${units}.version = excluded.version THEN excluded.state ELSE ${units}.state END,
         version = ${units}.version + 1`,
      rows.values,
    );
  }
  if (over.length === 0) return;
  const rows = given(words, ['queue', 'lane', 'unit', 'attempts'], over);
  await run(
    `${rows.sql} DELETE FROM ${units} WHERE again_at IS NULL
       AND (queue, lane, id) IN (SELECT queue, lane, unit FROM given)`,
    rows.values,
  );
  await run(
    `${rows.sql} UPDATE ${units} SET due_at = again_at, again_at = NULL, attempts = given.attempts
     FROM given WHERE ${units}.queue = given.queue AND ${units}.lane = given.lane AND ${units}.id = given.unit`,
    rows.values,
  );
}

const laneKey = ({ queue, lane }: Pick<Unit, 'queue' | 'lane'>) => `${queue}\n${lane}`;
const unitKey = ({ queue, lane, unit }: Unit) => `${queue}\n${lane}\n${unit}`;

const NUMBERS: ReadonlySet<string> = new Set([
  'place',
  'at',
  'again',
  'next',
  'attempts',
  'epoch',
  'version',
  'ended',
  'rest',
]);

/**
 * Returns SQL that puts rows into a table `given` before a statement. All rows are one parameter: the text of the
 * statement stays the same, and databases are slower at reading hundreds of parameters than at reading the rows.
 */
function given(
  { each }: Pick<LaneWords, 'each'>,
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): { readonly sql: string; readonly values: readonly [string] } {
  const cells = columns.map(cellAt).join(', ');
  return {
    sql: `WITH given AS (SELECT ${cells} FROM ${each})`,
    values: [JSON.stringify(rows.map(wholeRow))],
  };
}

const cellAt = (name: string, index: number) =>
  `CAST(value->>${index} AS ${NUMBERS.has(name) ? 'BIGINT' : 'TEXT'}) AS ${name}`;
const wholeRow = (row: readonly (string | number | null)[]) => row.map(wholeCell);
const wholeCell = (cell: string | number | null) => (typeof cell === 'number' ? Math.trunc(cell) : cell);

function placeOf(change: LaneChange): Unit {
  if (change.kind === 'plan') return change.plan;
  if (change.kind === 'drop') return change.unit;
  return change.kind === 'state' ? change.change : change.turn;
}

const freeRow = ({ queue, lane, ended }: Locked) => [queue, lane, ended === undefined ? 0 : 1, ended ?? 0];

/**
 * Sets when the next turn of each free lane may begin, from its units. A lane that is held keeps the end of its hold. A
 * lane that just had its turn goes behind those that wait, so a lane with many units leaves room for others. If a lane is
 * due again soon, the results of its ended turns say when.
 */
async function settle(
  run: RunSql,
  words: LaneWords,
  locked: readonly Locked[],
  results: Ended[],
): Promise<void> {
  const { lanes, units, now, largest } = words;
  const free = locked.filter(isFree);
  if (free.length === 0) return;
  const rows = given(words, ['queue', 'lane', 'ended', 'rest'], free.map(freeRow));
  const soonest = `(SELECT min(u.due_at) FROM ${units} AS u WHERE u.queue = l.queue AND u.lane = l.id)`;
  const rest = `${largest}(l.not_before, given.rest)`;
  const next = await run(
    // MATERIALIZED, because a merged update would look for the soonest unit every time it is named.
    `${rows.sql}, next AS MATERIALIZED (
       SELECT given.queue, given.lane, given.ended, ${rest} AS rest, ${largest}(
         coalesce(${soonest}, ${NEVER}), ${rest}, l.wanted_until, given.ended * ${now()}) AS at
       FROM given JOIN ${lanes} AS l ON l.queue = given.queue AND l.id = given.lane)
     UPDATE ${lanes} SET unit = NULL, held_until = 0, not_before = next.rest, due_at = next.at,
       -- The process that ends a turn tells the queue of the next one, when that is near.
       offered_until = CASE WHEN next.ended = 0 THEN ${lanes}.offered_until
                            WHEN next.at <= ${now()} + ${OFFER_MS} THEN next.at + ${LATE_MS} ELSE 0 END
     FROM next WHERE ${lanes}.queue = next.queue AND ${lanes}.id = next.lane
     RETURNING ${lanes}.queue, ${lanes}.id, ${lanes}.due_at, ${lanes}.due_at - ${now()} AS wait`,
    rows.values,
  );
  const ends = new Map<string, readonly number[]>();
  for (const one of free) ends.set(laneKey(one), one.ends);
  const idle: (readonly string[])[] = [];
  for (const row of next) {
    const [queue, lane] = [String(row.queue), String(row.id)];
    if (Number(row.due_at) >= PARKED) idle.push([queue, lane]);
    else if (Number(row.wait) <= OFFER_MS)
      for (const index of ends.get(laneKey({ queue, lane })) ?? [])
        results[index] = { kept: true, soonMs: Math.max(0, Number(row.wait)) };
  }
  if (idle.length === 0) return;
  const over = given(words, ['queue', 'lane'], idle);
  await run(
    `${over.sql} DELETE FROM ${lanes} WHERE unit IS NULL AND due_at >= ${PARKED} AND not_before <= ${now()}
       AND (queue, id) IN (SELECT queue, lane FROM given)`,
    over.values,
  );
}

const interruptedIn = ({ id, unit }: Record<string, unknown>) => [String(id), String(unit ?? '')];
const unitRow = ({ queue, lane, unit }: Unit) => [queue, lane, unit];
const turnOf = ({ queue, lane, unit }: Unit, epoch: number, row: Record<string, unknown>): Turn => ({
  queue,
  lane,
  unit,
  epoch,
  attempt: Number(row.attempts) + 1,
  dueAt: Number(row.due_at),
  ...stateOf(row),
});

export function createLaneStore(read: RunSql, inTransaction: Transact, words: LaneWords): LaneStore {
  const { lanes, units, now, lock, waitLock, largest } = words;
  let failedAt = Number.NEGATIVE_INFINITY;

  async function transact<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
    try {
      return await inTransaction(work);
    } catch (error) {
      if (error instanceof StoreError && AWAY.has(error.fault)) failedAt = performance.now();
      throw error;
    }
  }

  /**
   * No hold can be renewed while the store is away. For the length of a hold after the last failure, lanes that
   * were held are left to the processes that work on them, so they can renew their holds.
   */
  const wasAway = () => performance.now() - failedAt < HOLD_MS;
  const claimable = () => (wasAway() ? 'AND unit IS NULL' : '');

  /** Changes made by this process. Changes that wait are written together. */
  const write = (changes: readonly LaneChange[]) => transact((run) => changeLanes(run, words, changes));
  const { add: change } = createBatches(createMutex(), MOST_ITEMS, write);
  const { add: end } = createBatches(createMutex(), MOST_ITEMS, write, words.gatherMs);

  /** Takes the next turns of lanes of a queue whose rows are locked. `unit`: the unit of a turn that never ended. */
  async function begin(
    run: RunSql,
    queue: string,
    due: readonly Record<string, unknown>[],
  ): Promise<readonly Turn[]> {
    if (due.length === 0) return [];
    const rows = given(words, ['lane', 'interrupted'], due.map(interruptedIn));
    const inQueue = `u.queue = $2 AND u.lane`;
    const found = await run(
      // A unit whose process died comes first.
      `${rows.sql}, next AS (
         SELECT lane, coalesce(
           (SELECT u.id FROM ${units} AS u WHERE ${inQueue} = given.lane AND u.id = given.interrupted),
           (SELECT u.id FROM ${units} AS u WHERE ${inQueue} = given.lane AND u.due_at <= ${now()}
            ORDER BY u.due_at LIMIT 1)) AS unit
         FROM given
       )
       SELECT u.lane, u.id, u.due_at, u.attempts, u.state, u.version FROM next
       -- To SQLite this says: first the lanes, then the unit of each.
       CROSS JOIN ${units} AS u WHERE ${inQueue} = next.lane AND u.id = next.unit`,
      [...rows.values, queue],
    );
    const nextOf = new Map<string, Record<string, unknown>>();
    for (const row of found) nextOf.set(String(row.lane), row);
    const turns: Turn[] = [];
    const idle: string[] = [];
    // In the order in which the lanes were due.
    for (const { id, epoch } of due) {
      const lane = String(id);
      const row = nextOf.get(lane);
      if (row) turns.push(turnOf({ queue, lane, unit: String(row.id) }, Number(epoch) + 1, row));
      else idle.push(lane);
    }
    if (idle.length > 0) await freeIdle(run, queue, idle);
    if (turns.length === 0) return [];
    const taken = given(words, ['queue', 'lane', 'unit'], turns.map(unitRow));
    await run(
      `${taken.sql} UPDATE ${lanes} SET epoch = epoch + 1, unit = given.unit,
         held_until = ${now()} + ${HOLD_MS}, due_at = ${now()} + ${HOLD_MS}
       FROM given WHERE ${lanes}.queue = given.queue AND ${lanes}.id = given.lane`,
      taken.values,
    );
    return turns;
  }

  /** Frees lanes that were due but have no unit that is due. */
  async function freeIdle(run: RunSql, queue: string, idle: readonly string[]): Promise<void> {
    const rows = given(
      words,
      ['lane'],
      idle.map((lane) => [lane]),
    );
    await run(
      `${rows.sql} UPDATE ${lanes} SET unit = NULL, held_until = 0, due_at = coalesce(
         (SELECT min(u.due_at) FROM ${units} AS u WHERE u.queue = ${lanes}.queue AND u.lane = ${lanes}.id), ${NEVER})
       WHERE queue = $2 AND id IN (SELECT lane FROM given)`,
      [...rows.values, queue],
    );
  }

  function take({ queue, lane, unit }: Unit): ReturnType<LaneStore['take']> {
    return transact(async (run) => {
      const [found] = await run(
        `INSERT INTO ${lanes} (queue, id, epoch, due_at) VALUES ($1, $2, ${now()}, ${NEVER})
         ON CONFLICT (queue, id) DO UPDATE SET due_at = ${lanes}.due_at
         RETURNING unit, held_until, not_before, ${now()} AS present`,
        [queue, lane],
      );
      const present = Number(found?.present);
      const isHeld = found?.unit !== null && (wasAway() || Number(found?.held_until) > present);
      const restsUntil = Number(found?.not_before);
      if (isHeld || restsUntil > present) {
        const until = Math.trunc(Math.max(present, restsUntil) + WANTED_MS);
        await run(
          `UPDATE ${lanes} SET wanted_until = $1,
             due_at = CASE WHEN unit IS NULL AND due_at < $1 THEN $1 ELSE due_at END
           WHERE queue = $2 AND id = $3`,
          [until, queue, lane],
        );
        return { at: Math.max(restsUntil, isHeld ? present + BUSY_MS : 0) };
      }
      const [held] = await run(
        `UPDATE ${lanes} SET epoch = epoch + 1, unit = $1, wanted_until = 0,
           held_until = ${now()} + ${HOLD_MS}, due_at = ${now()} + ${HOLD_MS}
         WHERE queue = $2 AND id = $3 RETURNING epoch`,
        [unit, queue, lane],
      );
      // If a process died while it worked on another unit, that unit is due again.
      const left = found?.unit ?? '';
      if (left !== '' && left !== unit)
        await run(
          `UPDATE ${units} SET due_at = ${now()} WHERE queue = $1 AND lane = $2 AND id = $3 AND due_at > ${now()}`,
          [queue, lane, left],
        );
      const [own] = await run(
        `SELECT due_at, attempts, state, version FROM ${units} WHERE queue = $1 AND lane = $2 AND id = $3`,
        [queue, lane, unit],
      );
      return {
        queue,
        lane,
        unit,
        epoch: Number(held?.epoch),
        attempt: Number(own?.attempts ?? 0) + 1,
        dueAt: own ? Math.min(Number(own.due_at), present) : present,
        ...stateOf(own),
      };
    });
  }

  return {
    take,
    async plan(plans) {
      await Promise.all(plans.map((plan) => change({ kind: 'plan', plan })));
    },
    async keep(changes) {
      await Promise.all(changes.map((one) => change({ kind: 'state', change: one })));
    },
    async states(all) {
      const found = new Map<string, UnitState>();
      for (const part of partsOf(all, MOST_ROWS)) {
        const rows = given(
          words,
          ['queue', 'lane', 'unit'],
          part.map(({ queue, lane, unit }) => [queue, lane, unit]),
        );
        const stored = await read(
          `${rows.sql} SELECT u.queue, u.lane, u.id, u.state, u.version FROM given
           JOIN ${units} AS u ON u.queue = given.queue AND u.lane = given.lane AND u.id = given.unit`,
          rows.values,
        );
        for (const row of stored)
          found.set(
            unitKey({ queue: String(row.queue), lane: String(row.lane), unit: String(row.id) }),
            stateOf(row),
          );
      }
      return all.map((unit) => found.get(unitKey(unit)) ?? stateOf(undefined));
    },
    async drop(all) {
      await Promise.all(all.map((unit) => change({ kind: 'drop', unit })));
    },
    claim(queue, most) {
      if (most <= 0) return Promise.resolve([]);
      return transact(async (run) => {
        const due = await run(
          `SELECT id, epoch, unit FROM ${lanes} WHERE queue = $1 AND due_at <= ${now()} ${claimable()} ORDER BY due_at LIMIT $2 ${lock}`,
          [queue, Math.trunc(most)],
        );
        return begin(run, queue, due);
      });
    },
    within: (_turn, work) => work(),
    claimLane: (queue, lane) =>
      transact(async (run) => {
        const [row] = await run(
          `SELECT id, epoch, unit, due_at - ${now()} AS wait FROM ${lanes} WHERE queue = $1 AND id = $2 ${waitLock}`,
          [queue, lane],
        );
        const waitMs = Number(row?.wait ?? NEVER);
        if (!row || waitMs > OFFER_MS || (row.unit !== null && wasAway())) return undefined;
        return waitMs > 0 ? { soonMs: waitMs } : (await begin(run, queue, [row]))[0];
      }),
    offer: (queue, most) =>
      transact(async (run) => {
        const due = await run(
          `UPDATE ${lanes} SET offered_until = ${now()} + ${OFFER_MS}
           WHERE queue = $1 AND id IN (
             SELECT id FROM ${lanes} WHERE queue = $1 AND due_at <= ${now()} AND offered_until <= ${now()}
             ORDER BY due_at LIMIT $2 ${lock})
           RETURNING id, due_at`,
          [queue, Math.trunc(most)],
        );
        const [next] = await run(
          `SELECT min(due_at) AS at, min(due_at) - ${now()} AS wait FROM ${lanes} WHERE queue = $1 AND due_at > ${now()}`,
          [queue],
        );
        const ids = due.toSorted((a, b) => Number(a.due_at) - Number(b.due_at)).map(({ id }) => String(id));
        if (next?.at === null || next?.at === undefined || Number(next.at) >= PARKED) return { lanes: ids };
        return { lanes: ids, nextMs: Math.max(0, Number(next.wait)) };
      }),
    end: (turn, how) => end({ kind: 'end', turn, end: how }),
    async renew(turns) {
      if (turns.length === 0) return [];
      const sorted = turns.toSorted((a, b) => (laneKey(a) < laneKey(b) ? -1 : 1));
      const rows = given(
        words,
        ['place', 'queue', 'lane', 'epoch'],
        sorted.map(({ queue, lane, epoch }, place) => [place, queue, lane, epoch]),
      );
      const mine = `${lanes}.queue = given.queue AND ${lanes}.id = given.lane
        AND ${lanes}.epoch = given.epoch AND ${lanes}.unit IS NOT NULL`;
      const kept = await transact(async (run) => {
        if (waitLock)
          await run(
            `${rows.sql} SELECT ${lanes}.id FROM given JOIN ${lanes} ON ${mine} ORDER BY given.place ${waitLock} OF ${lanes}`,
            rows.values,
          );
        return run(
          `${rows.sql} UPDATE ${lanes} SET held_until = ${now()} + ${HOLD_MS}, due_at = ${now()} + ${HOLD_MS}
           FROM given WHERE ${mine} RETURNING ${lanes}.queue, ${lanes}.id`,
          rows.values,
        );
      });
      const held = new Set(kept.map(({ queue, id }) => laneKey({ queue: String(queue), lane: String(id) })));
      return turns.filter((turn) => !held.has(laneKey(turn)));
    },
    async freeAll() {
      await transact(async (run) => {
        await run(
          // A unit taken before its time is due now.
          `UPDATE ${units} SET due_at = ${now()} WHERE due_at > ${now()} AND (queue, lane, id) IN (
             SELECT queue, id, unit FROM ${lanes} WHERE unit IS NOT NULL)`,
        );
        await run(`UPDATE ${lanes} SET unit = NULL, held_until = 0, due_at = 0 WHERE unit IS NOT NULL`);
      });
    },
    async purge() {
      await transact((run) =>
        run(`DELETE FROM ${lanes} WHERE unit IS NULL AND due_at >= ${PARKED} AND not_before <= ${now()}`),
      );
    },
    async rests() {
      const rows = await read(`SELECT queue, id, not_before FROM ${lanes} WHERE not_before > ${now()}`);
      return rows.map(({ queue, id, not_before: until }) => ({
        queue: String(queue),
        lane: String(id),
        until: Number(until),
      }));
    },
    async rest(all) {
      await transact(async (run) => {
        for (const { queue, lane, until } of all) {
          const at = Math.trunc(until);
          await run(
            `INSERT INTO ${lanes} (queue, id, epoch, not_before, due_at) VALUES ($1, $2, ${now()}, ${at}, ${NEVER})
             ON CONFLICT (queue, id) DO UPDATE SET
               not_before = CASE WHEN ${lanes}.not_before < ${at} THEN ${at} ELSE ${lanes}.not_before END,
               due_at = CASE WHEN ${lanes}.due_at < ${at} THEN ${at} ELSE ${lanes}.due_at END`,
            [queue, lane],
          );
        }
      });
    },
    async forgetRests(of) {
      await transact(async (run) => {
        await run(
          `UPDATE ${lanes} SET not_before = 0, wanted_until = 0, due_at = CASE WHEN unit IS NULL THEN 0 ELSE due_at END
           WHERE (not_before > 0 OR wanted_until > 0) ${of ? 'AND queue = $1 AND id = $2' : ''}`,
          of ? [of.queue, of.lane] : [],
        );
      });
    },
    async nextAt(queue) {
      const [row] = await read(`SELECT min(due_at) AS at FROM ${lanes} WHERE queue = $1 ${claimable()}`, [
        queue,
      ]);
      const at = row?.at === null || row?.at === undefined ? NEVER : Number(row.at);
      return at >= PARKED ? undefined : at;
    },
    async dueAt({ queue, lane, unit }) {
      const [row] = await read(
        `SELECT due_at FROM ${units} WHERE queue = $1 AND lane = $2 AND id = $3 AND due_at < ${PARKED}`,
        [queue, lane, unit],
      );
      return row && Number(row.due_at);
    },
    async load(queue) {
      // A unit that waits for the end of a rest is not late.
      const [row] = await read(
        `SELECT count(*) AS n, min(${largest}(l.not_before, u.due_at)) AS at
         FROM ${units} AS u JOIN ${lanes} AS l ON l.queue = u.queue AND l.id = u.lane
         WHERE u.queue = $1 AND u.due_at <= ${now()} AND l.not_before <= ${now()}`,
        [queue],
      );
      const due = Number(row?.n ?? 0);
      return due > 0 ? { due, since: Number(row?.at) } : { due };
    },
    async waiting(queue) {
      const [row] = await read(
        `SELECT count(*) AS n, min(due_at) AS at FROM ${lanes} WHERE queue = $1 AND due_at <= ${now()}`,
        [queue],
      );
      const count = Number(row?.n ?? 0);
      return count > 0 ? { lanes: count, since: Number(row?.at) } : { lanes: count };
    },
    async units(queue) {
      const rows = await read(`SELECT lane, id FROM ${units} WHERE queue = $1`, [queue]);
      return rows.map(({ lane, id }) => ({ queue, lane: String(lane), unit: String(id) }));
    },
    async page(after, most) {
      const rows = await read(
        `SELECT queue, lane, id, state, due_at AS at FROM ${units}
         WHERE (queue, lane, id) > ($1, $2, $3) ORDER BY queue, lane, id LIMIT ${Math.trunc(most)}`,
        after ? [after.queue, after.lane, after.unit] : ['', '', ''],
      );
      return rows.map((row) => ({
        queue: String(row.queue),
        lane: String(row.lane),
        unit: String(row.id),
        at: Number(row.at),
        state: stateOf(row).state,
      }));
    },
    async clear() {
      await transact(async (run) => {
        await run(`DELETE FROM ${units}`);
        await run(`DELETE FROM ${lanes}`);
      });
    },
  };
}
