// When the lease in memory may be used, and which holder counts as dead.
import { beforeEach, describe, expect, test } from 'vitest';
import { createLease } from '../../src/store/lease.js';
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

  test('is false for a process that never acquired it, and after a release', async () => {
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
