// The right to act on a store, held by one process at a time. A holder that wakes up after a suspension must notice a
// lost lease before it acts. It therefore trusts its memory only for a fraction of the lease's life, measured by two
// clocks.

import { performance } from 'node:perf_hooks';
import { defined } from '../domain/defined.js';
import type { Role } from '../domain/role.js';
import type { Lease, Processes } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Fence, LeaseRows } from './backend.js';
import { storeError } from './faults.js';
import {
  describeHolder,
  identifyProcess,
  isDead,
  type ProcessIdentity,
  readIdentity,
} from './process-identity.js';

/** A {@link Lease} that also returns the fence that writes must carry: the one of the last acquire, kept after a loss. */
export interface FencedLease extends Lease {
  fence(): Fence | undefined;
}

/** The lease of the one process that does the work that no lane protects: a single process, or the active control. */
export const SERVICE = 'service';

export interface LeaseOptions {
  readonly rows: LeaseRows;
  readonly name: string;
  readonly ttlMs: number;
  readonly clock: Clock;
  /** Set when several processes share the store. The holder of the lease then shares it with workers. */
  readonly role?: Role | undefined;
}

interface Held {
  readonly fence: number;
  readonly holder: string;
  renewed: { readonly wall: number; readonly steady: number };
}

export function createLease({ rows, name, ttlMs, clock, role }: LeaseOptions): FencedLease {
  let held: Held | undefined;
  let fence: Fence | undefined;
  let identity: ProcessIdentity | undefined;

  // Read before the store is asked, because the lease's life there starts no earlier.
  const moment = () => ({ wall: clock.now(), steady: performance.now() });

  /** The steady clock stops while a machine sleeps, and the wall clock can be set. Only both together are proof. */
  function within(ms: number): boolean {
    if (!held) return false;
    const { wall, steady } = moment();
    const [byWall, bySteady] = [wall - held.renewed.wall, steady - held.renewed.steady];
    return byWall >= 0 && byWall < ms && bySteady < ms;
  }

  async function renew(): Promise<boolean> {
    const mine = held;
    if (!mine) return false;
    const renewed = moment();
    const kept = await rows.renew(name, mine.fence, mine.holder, ttlMs);
    if (held !== mine) return false;
    if (kept) mine.renewed = renewed;
    else held = undefined;
    return kept;
  }

  async function take(dead?: number): Promise<number | undefined> {
    identity ??= { ...(await identifyProcess(clock.now())), ...defined({ role }) };
    const holder = JSON.stringify(identity);
    const renewed = moment();
    const taken = await rows.take(name, holder, ttlMs, dead);
    if (taken === undefined) return undefined;
    held = { fence: taken, holder, renewed };
    fence = { lease: name, fence: taken };
    return taken;
  }

  async function release(): Promise<void> {
    const mine = held;
    held = undefined;
    if (mine) await rows.release(name, mine.fence, mine.holder);
  }

  /** Takes the lease unless another process holds it. */
  async function acquire(): ReturnType<Lease['acquire']> {
    if (held && (await renew())) return { fence: held.fence };
    const free = await take();
    if (free !== undefined) return { fence: free };
    const row = await rows.read(name);
    // This process already has the lease, but the store's answer was lost.
    if (row && !row.expired && identity && row.holder === JSON.stringify(identity)) {
      held = { fence: row.fence, holder: row.holder, renewed: moment() };
      fence = { lease: name, fence: row.fence };
      if (await renew()) return { fence: row.fence };
    }
    const other = row && readIdentity(row.holder);
    if (row && other && identity && (await isDead(other, identity))) {
      const inherited = await take(row.fence);
      if (inherited !== undefined) return { fence: inherited };
    }
    const { holder = '', expired = true } = (await rows.read(name)) ?? {};
    // The holder let go between the attempt and this read.
    if (expired) return acquire();
    return {
      holder: describeHolder(holder),
      ...defined({ shares: readIdentity(holder)?.role ? true : undefined }),
    };
  }

  return {
    async acquire() {
      const taken = await acquire();
      if (role || 'holder' in taken) return taken;
      // Without a role, this process needs the store for itself.
      const [sharing] = (await livingProcesses(rows, clock)).filter((one) => one.role);
      if (!sharing) return taken;
      await release();
      return { holder: describeHolder(JSON.stringify(sharing)), shares: true };
    },
    async held() {
      if (within(ttlMs / 3)) return true;
      try {
        return await renew();
      } catch (error) {
        // The store is unavailable, so no process can have taken the lease before it expired.
        if (within((ttlMs * 2) / 3)) return true;
        throw error;
      }
    },
    renew,
    async holder() {
      const [other] = await livingProcesses(rows, clock);
      return other && describeHolder(JSON.stringify(other));
    },
    release,
    fence: () => fence,
  };
}

const WORK_MS = 60_000;

export interface HeldLease {
  fence(): Fence | undefined;
  /** Throws a StoreError `lost` when another process has the lease. */
  mustHold(): Promise<void>;
}

/**
 * Runs `work` while this process holds the store for itself, as a service does. Throws `refusal` when another process
 * holds it.
 */
export async function whileHeld<T>(
  rows: LeaseRows,
  clock: Clock,
  refusal: (holder: string) => Error,
  work: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  const lease = createLease({ rows, name: SERVICE, ttlMs: WORK_MS, clock });
  const taken = await lease.acquire();
  if ('holder' in taken) throw refusal(taken.holder);
  const beat = setInterval(() => void lease.renew().catch(() => undefined), WORK_MS / 4);
  try {
    return await work({
      fence: lease.fence,
      async mustHold() {
        if (!(await lease.held())) throw storeError('lost');
      },
    });
  } finally {
    clearInterval(beat);
    await lease.release().catch(() => undefined);
  }
}

/** Returns the processes that use the store, the holder of the lease first. Changes nothing. */
async function livingProcesses(rows: LeaseRows, clock: Clock): Promise<readonly ProcessIdentity[]> {
  const self = await identifyProcess(clock.now());
  const living: ProcessIdentity[] = [];
  const all = await rows.list();
  for (const { name, holder } of all.toSorted(
    (a, b) => Number(b.name === SERVICE) - Number(a.name === SERVICE),
  )) {
    const other = name === SERVICE || name.includes(':') ? readIdentity(holder) : undefined;
    if (other && !(await isDead(other, self))) living.push(other);
  }
  return living;
}

/**
 * Registers a process of a shared store, so that no other process takes the store for itself, and lists the others. Each
 * process has a row named by its role and a random number.
 */
export function createProcesses({ rows, ttlMs, clock, role }: Omit<LeaseOptions, 'name'>): Processes {
  let mine: { readonly name: string; readonly fence: number; identity: ProcessIdentity } | undefined;

  async function join(): Promise<string | undefined> {
    if (!role) return undefined;
    const identity = { ...(await identifyProcess(clock.now())), role, turns: 0 };
    const name = `${role}:${identity.nonce}`;
    const fence = await rows.take(name, JSON.stringify(identity), ttlMs);
    mine = { name, fence: fence ?? 0, identity };
    const alone = (await livingProcesses(rows, clock)).find((one) => !one.role);
    if (!alone) return undefined;
    await leave();
    return describeHolder(JSON.stringify(alone));
  }

  async function leave(): Promise<void> {
    if (mine) await rows.release(mine.name, mine.fence, JSON.stringify(mine.identity));
    mine = undefined;
  }

  return {
    join,
    leave,
    async beat(turns) {
      if (!mine) return;
      const { name, fence, identity } = mine;
      const next = { ...identity, turns };
      if (await rows.renew(name, fence, JSON.stringify(identity), ttlMs, JSON.stringify(next))) {
        mine = { name, fence, identity: next };
        return;
      }
      // The process was suspended for longer than its row lives, or the row was lost. Register again.
      const again = await rows.take(name, JSON.stringify(next), ttlMs);
      if (again !== undefined) mine = { name, fence: again, identity: next };
    },
    async list() {
      const rowsOfRoles = (await livingProcesses(rows, clock)).filter((one) => one.turns !== undefined);
      return rowsOfRoles.map(({ role: of, host, pid, since, turns = 0, nonce }) => ({
        id: nonce,
        role: of ?? 'all',
        host,
        pid,
        since,
        turns,
      }));
    },
  };
}
