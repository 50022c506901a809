// The right to act on a store, held by one process at a time. A holder that was suspended and wakes up must notice
// before it acts, so memory is trusted only for a fraction of the lease's life, by two clocks.
import { performance } from 'node:perf_hooks';
import type { Lease } from '../ports/stores.js';
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

/** A {@link Lease} that also tells the fence that writes must carry: that of the last acquire, kept after a loss. */
export interface FencedLease extends Lease {
  fence(): Fence | undefined;
}

export interface LeaseOptions {
  readonly rows: LeaseRows;
  readonly name: string;
  readonly ttlMs: number;
  readonly clock: Clock;
}

interface Held {
  readonly fence: number;
  readonly holder: string;
  renewed: { readonly wall: number; readonly steady: number };
}

export function createLease({ rows, name, ttlMs, clock }: LeaseOptions): FencedLease {
  let held: Held | undefined;
  let fence: Fence | undefined;
  let identity: ProcessIdentity | undefined;

  // Taken before the store is asked: the lease's life there starts no earlier.
  const moment = () => ({ wall: clock.now(), steady: performance.now() });

  /** The steady clock stands still while a machine sleeps, the wall clock can be set: only both together are proof. */
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
    identity ??= await identifyProcess(clock.now());
    const holder = JSON.stringify(identity);
    const renewed = moment();
    const taken = await rows.take(name, holder, ttlMs, dead);
    if (taken === undefined) return undefined;
    held = { fence: taken, holder, renewed };
    fence = { lease: name, fence: taken };
    return taken;
  }

  return {
    async acquire() {
      if (held && (await renew())) return { fence: held.fence };
      const free = await take();
      if (free !== undefined) return { fence: free };
      const row = await rows.read(name);
      // It was taken for this one, and the answer was lost on the way.
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
      return { holder: describeHolder((await rows.read(name))?.holder ?? '') };
    },
    async held() {
      if (within(ttlMs / 3)) return true;
      try {
        return await renew();
      } catch (error) {
        // The store is away: nobody can have taken the lease before it ran out.
        if (within((ttlMs * 2) / 3)) return true;
        throw error;
      }
    },
    renew,
    async holder() {
      const row = await rows.read(name);
      const other = row && !row.expired ? readIdentity(row.holder) : undefined;
      identity ??= await identifyProcess(clock.now());
      return row && other && !(await isDead(other, identity)) ? describeHolder(row.holder) : undefined;
    },
    async release() {
      const mine = held;
      held = undefined;
      if (mine) await rows.release(name, mine.fence, mine.holder);
    },
    fence: () => fence,
  };
}

/** The name of the lease that a running service holds. */
export const SERVICE = 'service';
const WORK_MS = 60_000;

export interface HeldLease {
  fence(): Fence | undefined;
  /** Throws a StoreError `lost` when another process has it. */
  mustHold(): Promise<void>;
}

/** Has the store for itself, as a service does, while `work` runs. Throws `refusal` when another process holds it. */
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
