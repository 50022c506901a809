// When the lease in memory may be used, which holder counts as dead, and which processes share a store.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Role } from '../../src/domain/role.js';
import { createLease, createProcesses, whileHeld } from '../../src/store/lease.js';
import { identifyProcess, isDead, type ProcessIdentity } from '../../src/store/process-identity.js';
import { later } from '../helpers/later.js';
import { openTestStores, type TestStores, tempDir } from './fixtures.js';

const TTL = 15_000;
let stores: TestStores;

beforeEach(async () => {
  stores = await openTestStores(`sqlite://${await tempDir()}/store.sqlite`);
});

describe('held', () => {
  test('answers from memory while the last renewal is fresh, and asks the store after a third of the lifetime', async () => {
    let asked = 0;
    const rows: typeof stores.backend.leases = {
      ...stores.backend.leases,
      renew(...row) {
        asked++;
        return stores.backend.leases.renew(...row);
      },
    };
    const lease = createLease({ rows, name: 'service', ttlMs: TTL, clock: stores.clock });
    await lease.acquire();
    expect([await lease.held(), asked]).toEqual([true, 0]);
    stores.clock.at += TTL / 3 - 1;
    expect([await lease.held(), asked]).toEqual([true, 0]);
    stores.clock.at += 1;
    expect([await lease.held(), asked]).toEqual([true, 1]);
    expect([await lease.held(), asked]).toEqual([true, 1]);
  });

  /** A lease with a count of the renewals; `meanwhile` happens while the store answers. */
  function counted(meanwhile: () => unknown = () => undefined) {
    const count = { renewals: 0 };
    const { leases } = stores.backend;
    const rows: typeof leases = {
      ...leases,
      async take(...row) {
        const taken = await leases.take(...row);
        await meanwhile();
        return taken;
      },
      async renew(...row) {
        count.renewals++;
        const kept = await leases.renew(...row);
        await meanwhile();
        return kept;
      },
    };
    return { count, lease: createLease({ rows, name: 'service', ttlMs: TTL, clock: stores.clock }) };
  }

  test('counts the lifetime from before the store was asked, when it is taken and when it is renewed', async () => {
    let slow = 0;
    const { count, lease } = counted(() => {
      stores.clock.at += slow;
    });
    slow = TTL / 3;
    await lease.acquire();
    slow = 0;
    await lease.held();
    expect(count.renewals).toBe(1);
    slow = TTL / 3;
    await lease.renew();
    await lease.held();
    expect(count.renewals).toBe(3);
  });

  test('asks the store when the clock was set back, even by a moment', async () => {
    const { count, lease } = counted();
    await lease.acquire();
    stores.clock.at -= 1;
    expect([await lease.held(), count.renewals]).toEqual([true, 1]);
  });

  test('asks the store when the time since the start of the machine shows that the wall clock was stopped', async () => {
    const { count, lease } = counted();
    await lease.acquire();
    const real = performance.now.bind(performance);
    later(() => {
      performance.now = real;
    });
    performance.now = () => real() + TTL / 3;
    expect([await lease.held(), count.renewals]).toEqual([true, 1]);
    expect([await lease.held(), count.renewals]).toEqual([true, 1]);
  });

  test('is false when the lease was released while the store renewed it', async () => {
    let release = async () => {};
    const { lease } = counted(() => release());
    await lease.acquire();
    release = () => lease.release();
    expect(await lease.renew()).toBe(false);
    expect(await lease.held()).toBe(false);
  });

  test('continues after the clock jumps a year, forward or back, if no other process took it', async () => {
    await stores.lease.acquire();
    stores.clock.at += 365 * 86_400_000;
    expect(await stores.lease.held()).toBe(true);
    stores.clock.at -= 730 * 86_400_000;
    expect(await stores.lease.held()).toBe(true);
  });

  test('uses memory for a while when the store is down, but not until the end of the lease', async () => {
    await stores.lease.acquire();
    await stores.close();
    stores.clock.at += TTL / 2;
    expect(await stores.lease.held()).toBe(true);
    stores.clock.at += TTL / 4;
    await expect(stores.lease.held()).rejects.toMatchObject({ fault: 'unavailable' });
  });

  /** The lease of another process, which has had it for its whole time. */
  async function expired() {
    const { backend, clock } = stores;
    const lease = createLease({ rows: backend.leases, name: 'service', ttlMs: TTL, clock });
    await lease.acquire();
    clock.at += TTL;
    return lease;
  }

  test('stays false after another process took the lease, whatever is asked', async () => {
    const lease = await expired();
    expect(await stores.lease.acquire()).toEqual({ fence: 2 });
    expect([await lease.renew(), await lease.held(), await lease.held()]).toEqual([false, false, false]);
    expect(await lease.acquire()).toHaveProperty('holder');
    await lease.release();
    expect(await stores.lease.renew()).toBe(true);
  });

  test('is false for the loser also if the lease is asked for again before it is noticed', async () => {
    const lease = await expired();
    await stores.lease.acquire();
    expect(await lease.acquire()).toHaveProperty('holder');
    expect(await lease.held()).toBe(false);
  });

  test('is false for a process that never acquired it, and after a release', async () => {
    await stores.lease.release();
    expect(await stores.lease.held()).toBe(false);
    expect(await stores.lease.renew()).toBe(false);
    await stores.lease.acquire();
    await stores.lease.release();
    expect(await stores.lease.held()).toBe(false);
  });
});

describe('a holder', () => {
  async function heldBy(change: Partial<ProcessIdentity>): Promise<unknown> {
    const self = await identifyProcess(stores.clock.now());
    await stores.backend.leases.take('service', JSON.stringify({ ...self, ...change }), TTL);
    return stores.lease.acquire();
  }

  test('whose process id now belongs to another process is replaced immediately', async () => {
    expect(await heldBy({ started: '1' })).toEqual({ fence: 2 });
  });

  test('in another container, or of another host or boot, is waited for, even with a process id that is free here', async () => {
    const other = { pid: 4_194_303, started: '1' };
    expect(await heldBy({ ...other, pidSpace: 'pid:[1]' })).toHaveProperty('holder');
    const self = await identifyProcess(0);
    for (const elsewhere of [{ host: 'elsewhere' }, { boot: 'another' }, { pidSpace: 'pid:[1]' }])
      expect(await isDead({ ...self, ...other, ...elsewhere }, self)).toBe(false);
    expect(await isDead({ ...self, ...other }, self)).toBe(true);
    stores.clock.at += TTL;
    expect(await stores.lease.acquire()).toEqual({ fence: 2 });
  });

  test("that can't be read holds it until it expires", async () => {
    await stores.backend.leases.take('service', 'no identity', TTL);
    expect(await stores.lease.acquire()).toEqual({ holder: 'another process' });
    stores.clock.at += TTL;
    expect(await stores.lease.acquire()).toEqual({ fence: 2 });
  });

  test('that lets go between the attempt and the read is replaced, not reported', async () => {
    const self = JSON.stringify({ ...(await identifyProcess(0)), pidSpace: 'pid:[1]' });
    const { leases } = stores.backend;
    const fence = await leases.take('service', self, TTL);
    let reads = 0;
    const rows: typeof leases = {
      ...leases,
      async read(name) {
        reads++;
        if (reads === 2) await leases.release('service', Number(fence), self);
        return leases.read(name);
      },
    };
    const lease = createLease({ rows, name: 'service', ttlMs: TTL, clock: stores.clock });
    expect(await lease.acquire()).toEqual({ fence: 2 });
  });
});

describe('an answer of the store that was lost', () => {
  /** A lease whose first taking succeeds in the store, but fails here. */
  function losing(meanwhile: () => unknown = () => undefined) {
    const { leases } = stores.backend;
    let takes = 0;
    const rows: typeof leases = {
      ...leases,
      async take(...row) {
        const taken = await leases.take(...row);
        if (++takes > 1) return taken;
        await meanwhile();
        throw new Error('connection lost');
      },
    };
    return createLease({ rows, name: 'service', ttlMs: TTL, clock: stores.clock });
  }

  test('leaves the lease with the process that took it', async () => {
    const lease = losing();
    await expect(lease.acquire()).rejects.toThrow('connection lost');
    expect(lease.fence()).toBeUndefined();
    expect(await lease.acquire()).toEqual({ fence: 1 });
    expect(lease.fence()).toEqual({ lease: 'service', fence: 1 });
    expect(await lease.held()).toBe(true);
  });

  test('does not matter once another process has the lease', async () => {
    const lease = losing();
    await expect(lease.acquire()).rejects.toThrow('connection lost');
    stores.clock.at += TTL;
    expect(await stores.lease.acquire()).toEqual({ fence: 2 });
    expect(await lease.acquire()).toHaveProperty('holder');
    expect(await lease.held()).toBe(false);
  });
});

test('the fence is that of the last time the lease was taken, also after a loss', async () => {
  const rows = stores.backend.leases;
  const lease = createLease({ rows, name: 'service', ttlMs: TTL, clock: stores.clock });
  expect(lease.fence()).toBeUndefined();
  for (const _again of [1, 2]) expect(await lease.acquire()).toEqual({ fence: 1 });
  await lease.release();
  expect(lease.fence()).toEqual({ lease: 'service', fence: 1 });
  await lease.acquire();
  expect(lease.fence()).toEqual({ lease: 'service', fence: 2 });
});

describe('processes that share a store', () => {
  const joined = (role?: Role) =>
    createProcesses({ rows: stores.backend.leases, ttlMs: TTL, clock: stores.clock, role });
  const leaseOf = (role?: Role) =>
    createLease({ rows: stores.backend.leases, name: 'service', ttlMs: TTL, clock: stores.clock, role });
  const here = expect.stringContaining(`process ${process.pid} on `);
  const names = async () => (await stores.backend.leases.list()).map(({ name }) => name.split(':')[0]).sort();

  test('are listed with their role and their turns until they leave', async () => {
    const [control, worker] = [joined('control'), joined('worker')];
    expect([await control.join(), await worker.join()]).toEqual([undefined, undefined]);
    await leaseOf('control').acquire();
    await worker.beat(7);
    const self = await identifyProcess(stores.clock.now());
    const common = { host: self.host, pid: self.pid, since: self.since, id: expect.any(String) };
    const list = await control.list();
    expect(list.toSorted((a, b) => a.turns - b.turns)).toEqual([
      { ...common, role: 'control', turns: 0 },
      { ...common, role: 'worker', turns: 7 },
    ]);
    expect(new Set(list.map(({ id }) => id)).size).toBe(2);
    await worker.leave();
    await worker.leave();
    expect((await control.list()).map(({ role }) => role)).toEqual(['control']);
    expect(await names()).toEqual(['control', 'service']);
  });

  test('are not registered without a role, nor by a beat alone', async () => {
    const [none, worker] = [joined(), joined('worker')];
    expect(await none.join()).toBeUndefined();
    await none.beat(1);
    await worker.beat(1);
    await worker.leave();
    expect(await names()).toEqual([]);
  });

  test('register again with the next beat if they were suspended for too long', async () => {
    const worker = joined('worker');
    await worker.join();
    stores.clock.at += TTL - 1;
    await worker.beat(1);
    stores.clock.at += TTL - 1;
    expect(await worker.list()).toMatchObject([{ turns: 1 }]);
    stores.clock.at += 1;
    expect(await worker.list()).toEqual([]);
    await stores.backend.leases.purge();
    await worker.beat(2);
    expect(await worker.list()).toMatchObject([{ turns: 2 }]);
    await worker.beat(3);
    expect(await worker.list()).toMatchObject([{ turns: 3 }]);
    await worker.leave();
    expect(await names()).toEqual([]);
  });

  test('do not begin beside a process that has the store for itself, and leave no trace', async () => {
    const alone = leaseOf();
    await alone.acquire();
    const worker = joined('worker');
    expect(await worker.join()).toEqual(here);
    expect(await names()).toEqual(['service']);
    await alone.release();
    expect(await worker.join()).toBeUndefined();
  });

  test('keep out one that wants the store for itself, which then holds nothing', async () => {
    const worker = joined('worker');
    await worker.join();
    const alone = leaseOf();
    expect(await alone.acquire()).toEqual({ holder: here, shares: true });
    expect([await alone.held(), await names()]).toEqual([false, ['worker']]);
    expect(await alone.holder()).toEqual(here);
    await worker.leave();
    expect(await alone.holder()).toBeUndefined();
    expect(await alone.acquire()).toHaveProperty('fence');
  });

  test('learn that the other holder of the lease shares, too, or that it does not', async () => {
    await joined('worker').join();
    const [control, second] = [leaseOf('control'), leaseOf('control')];
    expect(await control.acquire()).toEqual({ fence: 1 });
    expect(await second.acquire()).toEqual({ holder: here, shares: true });
    await control.release();
    const self = await identifyProcess(0);
    await stores.backend.leases.take('service', JSON.stringify(self), TTL);
    expect(await second.acquire()).toEqual({ holder: here });
  });

  test('do not count if they ended without leaving, nor if the lease is of other work', async () => {
    const dead = { ...(await identifyProcess(0)), started: '1', role: 'worker', turns: 0 };
    await stores.backend.leases.take('worker:dead', JSON.stringify(dead), TTL);
    await stores.backend.leases.take('worker:odd', 'no identity', TTL);
    await stores.backend.leases.take('other', JSON.stringify(await identifyProcess(0)), TTL);
    expect(await joined('worker').list()).toEqual([]);
    expect(await leaseOf().holder()).toBeUndefined();
    expect(await leaseOf().acquire()).toEqual({ fence: 1 });
  });

  test('are named after the holder of the lease', async () => {
    const self = await identifyProcess(0);
    const { leases } = stores.backend;
    await leases.take('control:1', JSON.stringify({ ...self, since: 1, role: 'control', turns: 0 }), TTL);
    await leases.take('service', JSON.stringify({ ...self, since: 2, role: 'control' }), TTL);
    await leases.take('worker:1', JSON.stringify({ ...self, since: 3, role: 'worker', turns: 0 }), TTL);
    expect(await leaseOf().holder()).toContain('since 1970-01-01T00:00:00.002Z');
  });
});

describe('work that needs the store for itself', () => {
  const work = <T>(what: Parameters<typeof whileHeld<T>>[3]) =>
    whileHeld(stores.backend.leases, stores.clock, (holder) => new Error(`used by ${holder}`), what);

  test('holds the lease meanwhile, and frees it also when it fails', async () => {
    const done = await work(async (lease) => {
      await lease.mustHold();
      expect(lease.fence()).toEqual({ lease: 'service', fence: 1 });
      await expect(work(async () => 1)).rejects.toThrow(`used by process ${process.pid} on `);
      return 'done';
    });
    expect(done).toBe('done');
    const failing = work(() => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await work(async (lease) => lease.fence())).toEqual({ lease: 'service', fence: 3 });
  });

  test('keeps the lease for as long as it takes, also if the store fails once, and renews it no longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    later(() => vi.useRealTimers());
    const { leases } = stores.backend;
    const renewals: Promise<unknown>[] = [];
    const rows: typeof leases = {
      ...leases,
      renew(...row) {
        const kept = renewals.length === 1 ? Promise.reject(new Error('away')) : leases.renew(...row);
        renewals.push(kept.catch(() => undefined));
        return kept;
      },
    };
    await whileHeld(rows, stores.clock, Error, async () => {
      for (let quarter = 0; quarter < 8; quarter++) {
        stores.clock.at += 15_000;
        vi.advanceTimersByTime(15_000);
        await renewals.at(-1);
      }
      expect(await stores.lease.acquire()).toHaveProperty('holder');
    });
    expect([renewals.length, vi.getTimerCount()]).toEqual([8, 0]);
  });

  test('must not continue after another process took the lease', async () => {
    const working = work(async (lease) => {
      stores.clock.at += 60_000;
      expect(await stores.lease.acquire()).toEqual({ fence: 2 });
      await lease.mustHold();
    });
    await expect(working).rejects.toMatchObject({ fault: 'lost' });
    expect(await stores.lease.held()).toBe(true);
  });
});
