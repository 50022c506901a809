// Lanes as rows of two tables, in SQL that SQLite and PostgreSQL both read. A lane's `due_at` is when its next turn may
// begin: while it is held that is the end of the hold, so that a process that died is relieved by the clock alone.
import type { Ended, LaneStore, Plan, Turn, TurnEnd, Unit } from '../ports/lanes.js';
import { createBatches, createLine } from './serial.js';
import type { RunSql } from './sql-shelf.js';

/** What differs between the databases. */
export interface LaneWords {
  readonly lanes: string;
  readonly units: string;
  /** The present time in milliseconds, as SQL. */
  readonly now: () => string;
  /** Ends a SELECT of rows that are about to be changed, leaving out what another transaction is changing. */
  readonly lock: string;
  /** The same, but waiting for the other transaction. */
  readonly waitLock: string;
}

/** Runs statements as one transaction; `run` is only valid inside. */
export type Transact = <T>(work: (run: RunSql) => Promise<T>) => Promise<T>;

/** How long a claim holds a lane unless it is renewed. */
export const HOLD_MS = 12_000;
/** How long a lane counts as offered; after that it is offered again. */
const OFFER_MS = 5_000;
/** A lane that the queue waits for is offered when it is so late. */
const LATE_MS = 1_000;
/** Later than any time: a unit that is being worked on and was not planned anew. */
const NEVER = 8_640_000_000_000_000;
const MOST_ITEMS = 256;
/** A lane that is held is looked at again after this. */
const BUSY_MS = 20;
/** For so long a lane that was wanted in vain is left to the one who wants it. */
const WANTED_MS = 1_000;

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
      due_at BIGINT NOT NULL, since BIGINT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (queue, lane, id))`,
    `CREATE INDEX IF NOT EXISTS ${units}_due ON ${units} (queue, lane, due_at)`,
  ];
}

/** What is done to lanes in one transaction. */
export type LaneChange =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | { readonly kind: 'drop'; readonly unit: Unit }
  | { readonly kind: 'end'; readonly turn: Turn; readonly end: TurnEnd };

/**
 * Applies changes inside a transaction, those to one lane in order. One result for each. Units are only changed by who has
 * locked their lane, and lanes are locked in the order of their names, so that two transactions never wait for each other.
 */
export async function changeLanes(
  run: RunSql,
  words: LaneWords,
  changes: readonly LaneChange[],
): Promise<readonly Ended[]> {
  const results: Ended[] = changes.map(() => ({ kept: true }));
  const byLane = new Map<string, { readonly place: Unit; readonly ended: number[] }>();
  const sorted = changes
    .map((change, index) => ({ change, index, place: placeOf(change) }))
    .map((one) => ({ ...one, key: `${one.place.queue}\n${one.place.lane}` }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const { change, index, place, key } of sorted) {
    const kept = await applyChange(run, words, change);
    results[index] = { kept };
    const lane = byLane.get(key) ?? { place, ended: [] };
    if (change.kind === 'end' && kept) lane.ended.push(index);
    byLane.set(key, lane);
  }
  for (const { place, ended } of byLane.values()) {
    const waitMs = await settle(run, words, place, ended.length > 0);
    if (waitMs !== undefined && waitMs <= OFFER_MS)
      for (const index of ended) results[index] = { kept: true, soonMs: Math.max(0, waitMs) };
  }
  return results;
}

function placeOf(change: LaneChange): Unit {
  return change.kind === 'plan' ? change.plan : change.kind === 'drop' ? change.unit : change.turn;
}

async function applyChange(
  run: RunSql,
  { lanes, units, now, waitLock }: LaneWords,
  change: LaneChange,
): Promise<boolean> {
  if (change.kind === 'plan') {
    const { queue, lane, unit, at } = change.plan;
    const due = Math.trunc(at);
    await run(
      // Rows of idle lanes are deleted, so epochs begin with the time: none is ever used twice. The update locks the row.
      `INSERT INTO ${lanes} (queue, id, epoch, due_at) VALUES ($1, $2, ${now()}, ${due})
       ON CONFLICT (queue, id) DO UPDATE SET due_at = ${lanes}.due_at`,
      [queue, lane],
    );
    await run(
      `INSERT INTO ${units} (queue, lane, id, due_at, since) VALUES ($1, $2, $3, ${due}, ${due})
       ON CONFLICT (queue, lane, id) DO UPDATE SET
         since = CASE WHEN excluded.due_at < ${units}.due_at THEN excluded.since ELSE ${units}.since END,
         due_at = CASE WHEN excluded.due_at < ${units}.due_at THEN excluded.due_at ELSE ${units}.due_at END`,
      [queue, lane, unit],
    );
    return true;
  }
  if (change.kind === 'drop') {
    const { queue, lane, unit } = change.unit;
    if (waitLock)
      await run(`SELECT id FROM ${lanes} WHERE queue = $1 AND id = $2 ${waitLock}`, [queue, lane]);
    await run(`DELETE FROM ${units} WHERE queue = $1 AND lane = $2 AND id = $3`, [queue, lane, unit]);
    // A turn of it that runs finds out at its end.
    await run(`UPDATE ${lanes} SET unit = '' WHERE queue = $1 AND id = $2 AND unit = $3`, [
      queue,
      lane,
      unit,
    ]);
    return true;
  }
  const { turn, end } = change;
  const { queue, lane, unit, epoch } = turn;
  const rest = Math.trunc(end.rest ?? 0);
  const [mine] = await run(
    `SELECT unit FROM ${lanes} WHERE queue = $1 AND id = $2 AND epoch = ${Math.trunc(epoch)} AND unit IS NOT NULL ${waitLock}`,
    [queue, lane],
  );
  if (!mine) return false;
  await run(
    `UPDATE ${lanes} SET unit = NULL, held_until = 0,
       not_before = CASE WHEN not_before > ${rest} THEN not_before ELSE ${rest} END
     WHERE queue = $1 AND id = $2`,
    [queue, lane],
  );
  // One that was taken without a plan; one that was dropped meanwhile has another name now.
  if (end.next !== undefined && mine.unit === unit)
    await run(
      `INSERT INTO ${units} (queue, lane, id, due_at, since) VALUES ($1, $2, $3, ${NEVER}, ${NEVER})
       ON CONFLICT (queue, lane, id) DO NOTHING`,
      [queue, lane, unit],
    );
  const next = end.next === undefined ? NEVER : Math.trunc(end.next);
  // What was planned while the turn ran stays, when it is earlier.
  await run(
    `UPDATE ${units} SET
       since = CASE WHEN due_at < ${next} THEN since ELSE ${next} END,
       due_at = CASE WHEN due_at < ${next} THEN due_at ELSE ${next} END,
       attempts = ${Math.trunc(end.attempts)}
     WHERE queue = $1 AND lane = $2 AND id = $3`,
    [queue, lane, unit],
  );
  if (next === NEVER)
    await run(`DELETE FROM ${units} WHERE queue = $1 AND lane = $2 AND id = $3 AND due_at = ${NEVER}`, [
      queue,
      lane,
      unit,
    ]);
  return true;
}

/** The latest of some times, as SQL that both databases read. */
function latest(times: readonly string[]): string {
  const [first = '0', ...rest] = times;
  return rest.reduce((one, other) => `(CASE WHEN ${one} >= ${other} THEN ${one} ELSE ${other} END)`, first);
}

/**
 * Sets when the next turn of a lane may begin, from its units; a lane that is held keeps the end of the hold. One that had
 * its turn goes behind those that wait, so that one with many units leaves room for the others. Gives the milliseconds
 * until the next turn of a lane that is not held and holds something.
 */
async function settle(
  run: RunSql,
  { lanes, units, now }: LaneWords,
  { queue, lane }: Unit,
  ended: boolean,
): Promise<number | undefined> {
  const floor = ended ? now() : '0';
  // The process that ends a turn tells the queue of the next one, when that is near.
  const offered = ended
    ? `CASE WHEN next.at <= ${now()} + ${OFFER_MS} THEN next.at + ${LATE_MS} ELSE 0 END`
    : `${lanes}.offered_until`;
  const [row] = await run(
    `UPDATE ${lanes} SET due_at = next.at, offered_until = ${offered}
     FROM (SELECT CASE WHEN u.at IS NULL THEN ${NEVER}
                       ELSE ${latest(['u.at', 'l.not_before', 'l.wanted_until', floor])} END AS at
           FROM (SELECT min(due_at) AS at FROM ${units} WHERE queue = $1 AND lane = $2) AS u, ${lanes} AS l
           WHERE l.queue = $1 AND l.id = $2) AS next
     WHERE queue = $1 AND id = $2 AND unit IS NULL RETURNING due_at, due_at - ${now()} AS wait`,
    [queue, lane],
  );
  if (!row) return undefined;
  if (Number(row.due_at) < NEVER) return Number(row.wait);
  await run(
    `DELETE FROM ${lanes} WHERE queue = $1 AND id = $2 AND unit IS NULL AND due_at = ${NEVER} AND not_before <= ${now()}`,
    [queue, lane],
  );
  return undefined;
}

export function createLaneStore(read: RunSql, inTransaction: Transact, words: LaneWords): LaneStore {
  const { lanes, units, now, lock, waitLock } = words;
  let failedAt = Number.NEGATIVE_INFINITY;

  async function transact<T>(work: (run: RunSql) => Promise<T>): Promise<T> {
    try {
      return await inTransaction(work);
    } catch (error) {
      failedAt = performance.now();
      throw error;
    }
  }

  /**
   * While the store was away, no hold could be renewed. For as long as a hold lasts after it is back, the lanes that were
   * held are left to those who work on them, and who renew their holds now.
   */
  const wasAway = () => performance.now() - failedAt < HOLD_MS;
  const claimable = () => (wasAway() ? 'AND unit IS NULL' : '');

  /** Changes of this process; those that wait are written together. */
  const change = createBatches<LaneChange, Ended>(createLine(), MOST_ITEMS, (changes) =>
    transact((run) => changeLanes(run, words, changes)),
  );

  /** Takes the next turn of a lane whose row is locked; `interrupted`: the unit of a turn that never ended. */
  async function begin(
    run: RunSql,
    queue: string,
    lane: string,
    interrupted: unknown,
  ): Promise<Turn | undefined> {
    // What a process that died was working on comes first.
    const [next] = await run(
      `SELECT id, since, attempts FROM ${units} WHERE queue = $1 AND lane = $2
       ORDER BY CASE WHEN id = $3 THEN 0 ELSE 1 END, due_at LIMIT 1`,
      [queue, lane, interrupted ?? ''],
    );
    if (!next) {
      await run(`UPDATE ${lanes} SET unit = NULL, due_at = ${NEVER} WHERE queue = $1 AND id = $2`, [
        queue,
        lane,
      ]);
      return undefined;
    }
    const [held] = await run(
      `UPDATE ${lanes} SET epoch = epoch + 1, unit = $1,
         held_until = ${now()} + ${HOLD_MS}, due_at = ${now()} + ${HOLD_MS}
       WHERE queue = $2 AND id = $3 RETURNING epoch`,
      [next.id, queue, lane],
    );
    await run(`UPDATE ${units} SET due_at = ${NEVER} WHERE queue = $1 AND lane = $2 AND id = $3`, [
      queue,
      lane,
      next.id,
    ]);
    return {
      queue,
      lane,
      unit: String(next.id),
      epoch: Number(held?.epoch),
      attempt: Number(next.attempts) + 1,
      dueAt: Number(next.since),
    };
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
          `UPDATE ${lanes} SET wanted_until = ${until},
             due_at = CASE WHEN unit IS NULL AND due_at < ${until} THEN ${until} ELSE due_at END
           WHERE queue = $1 AND id = $2`,
          [queue, lane],
        );
        return { at: Math.max(restsUntil, isHeld ? present + BUSY_MS : 0) };
      }
      // What a process that died was working on is due again.
      await run(
        `UPDATE ${units} SET due_at = since WHERE queue = $1 AND lane = $2 AND id = $3 AND due_at = ${NEVER}`,
        [queue, lane, found?.unit ?? ''],
      );
      const [held] = await run(
        `UPDATE ${lanes} SET epoch = epoch + 1, unit = $1, wanted_until = 0,
           held_until = ${now()} + ${HOLD_MS}, due_at = ${now()} + ${HOLD_MS}
         WHERE queue = $2 AND id = $3 RETURNING epoch`,
        [unit, queue, lane],
      );
      const [own] = await run(
        // Taken before its time it is due now, should this process die.
        `UPDATE ${units} SET due_at = ${NEVER}, since = CASE WHEN since > ${Math.trunc(present)} THEN ${Math.trunc(present)} ELSE since END
         WHERE queue = $1 AND lane = $2 AND id = $3 RETURNING since, attempts`,
        [queue, lane, unit],
      );
      return {
        queue,
        lane,
        unit,
        epoch: Number(held?.epoch),
        attempt: Number(own?.attempts ?? 0) + 1,
        dueAt: own ? Number(own.since) : present,
      };
    });
  }

  return {
    take,
    async plan(plans) {
      await Promise.all(plans.map((plan) => change({ kind: 'plan', plan })));
    },
    async drop(all) {
      await Promise.all(all.map((unit) => change({ kind: 'drop', unit })));
    },
    claim(queue, most) {
      if (most <= 0) return Promise.resolve([]);
      return transact(async (run) => {
        const due = await run(
          `SELECT id, unit FROM ${lanes} WHERE queue = $1 AND due_at <= ${now()} ${claimable()} ORDER BY due_at LIMIT ${Math.trunc(most)} ${lock}`,
          [queue],
        );
        const turns: Turn[] = [];
        for (const { id, unit } of due) {
          const turn = await begin(run, queue, String(id), unit);
          if (turn) turns.push(turn);
        }
        return turns;
      });
    },
    within: (_turn, work) => work(),
    claimLane: (queue, lane) =>
      transact(async (run) => {
        const [row] = await run(
          `SELECT unit, due_at, due_at - ${now()} AS wait FROM ${lanes} WHERE queue = $1 AND id = $2 ${waitLock}`,
          [queue, lane],
        );
        const waitMs = Number(row?.wait ?? NEVER);
        if (!row || waitMs > OFFER_MS || (row.unit !== null && wasAway())) return undefined;
        return waitMs > 0 ? { soonMs: waitMs } : begin(run, queue, lane, row.unit);
      }),
    offer: (queue, most) =>
      transact(async (run) => {
        const due = await run(
          `UPDATE ${lanes} SET offered_until = ${now()} + ${OFFER_MS}
           WHERE queue = $1 AND id IN (
             SELECT id FROM ${lanes} WHERE queue = $1 AND due_at <= ${now()} AND offered_until <= ${now()}
             ORDER BY due_at LIMIT ${Math.trunc(most)} ${lock})
           RETURNING id, due_at`,
          [queue],
        );
        const [next] = await run(
          `SELECT min(due_at) AS at, min(due_at) - ${now()} AS wait FROM ${lanes} WHERE queue = $1 AND due_at > ${now()}`,
          [queue],
        );
        const ids = due.toSorted((a, b) => Number(a.due_at) - Number(b.due_at)).map(({ id }) => String(id));
        if (next?.at === null || next?.at === undefined || Number(next.at) >= NEVER) return { lanes: ids };
        return { lanes: ids, nextMs: Math.max(0, Number(next.wait)) };
      }),
    end: (turn, end) => change({ kind: 'end', turn, end }),
    renew: (turns) =>
      transact(async (run) => {
        const lost: Turn[] = [];
        const key = ({ queue, lane }: Turn) => `${queue}\n${lane}`;
        for (const turn of turns.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))) {
          const kept = await run(
            `UPDATE ${lanes} SET held_until = ${now()} + ${HOLD_MS}, due_at = ${now()} + ${HOLD_MS}
             WHERE queue = $1 AND id = $2 AND epoch = ${Math.trunc(turn.epoch)} AND unit IS NOT NULL RETURNING id`,
            [turn.queue, turn.lane],
          );
          if (kept.length === 0) lost.push(turn);
        }
        return lost;
      }),
    async freeAll() {
      await transact(async (run) => {
        await run(
          `UPDATE ${units} SET due_at = since WHERE due_at = ${NEVER} AND (queue, lane, id) IN (
             SELECT queue, id, unit FROM ${lanes} WHERE unit IS NOT NULL)`,
        );
        await run(`UPDATE ${lanes} SET unit = NULL, held_until = 0, due_at = 0 WHERE unit IS NOT NULL`);
      });
    },
    async purge() {
      await transact((run) =>
        run(`DELETE FROM ${lanes} WHERE unit IS NULL AND due_at = ${NEVER} AND not_before <= ${now()}`),
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
      return at >= NEVER ? undefined : at;
    },
    async dueAt({ queue, lane, unit }) {
      const [row] = await read(
        `SELECT due_at, since FROM ${units} WHERE queue = $1 AND lane = $2 AND id = $3`,
        [queue, lane, unit],
      );
      if (!row) return undefined;
      return Number(row.due_at) >= NEVER ? Number(row.since) : Number(row.due_at);
    },
    async load(queue) {
      // What waits for the end of a rest is not late.
      const [row] = await read(
        `SELECT count(*) AS n, min(CASE WHEN l.not_before > u.since THEN l.not_before ELSE u.since END) AS at
         FROM ${units} AS u JOIN ${lanes} AS l ON l.queue = u.queue AND l.id = u.lane
         WHERE u.queue = $1 AND u.since <= ${now()} AND l.not_before <= ${now()}`,
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
        `SELECT queue, lane, id, CASE WHEN due_at >= ${NEVER} THEN since ELSE due_at END AS at FROM ${units}
         WHERE (queue, lane, id) > ($1, $2, $3) ORDER BY queue, lane, id LIMIT ${Math.trunc(most)}`,
        after ? [after.queue, after.lane, after.unit] : ['', '', ''],
      );
      return rows.map(({ queue, lane, id, at }) => ({
        queue: String(queue),
        lane: String(lane),
        unit: String(id),
        at: Number(at),
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
