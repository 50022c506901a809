// One process at a time may work on a store; a dead one is replaced immediately, a stopped one has released it, and
// none holds it for longer than 15 s without renewing it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConnection } from '../../src/store/sqlite/connection.js';
import { baseline, type FaultHouse, faultHouse, faultJob, said } from '../helpers/fault-house.js';
import type { Program } from '../helpers/process.js';
import { until } from '../helpers/until.js';

const TIMEOUT = { timeout: 180_000 };

/** The lease in the store: its end in milliseconds since the epoch, and how many times it changed hands. */
async function leaseOf(
  { dir }: FaultHouse,
  change?: string,
): Promise<{ expires: number; fence: number; holder: string }> {
  const db = await openConnection(join(dir, 'data', 'jobcrier.sqlite'));
  try {
    if (change) await db.query(change);
    const [row] = (await db.query("SELECT expires, fence, holder FROM lease WHERE name = 'service'")) as {
      expires: number;
      fence: number;
      holder: string;
    }[];
    if (!row) throw new Error('no lease');
    return row;
  } finally {
    await db.close();
  }
}

const running = (program: Program) => program.until('the start', said(program, '"running"'));

test(
  'a second process is refused with the name of the first and disturbs nothing; the lease never lasts over 15 s',
  TIMEOUT,
  async () => {
    const house = await faultHouse();
    const first = house.run();
    await baseline(first);
    const { expires, fence } = await leaseOf(house);
    expect(expires - Date.now()).toBeGreaterThan(0);
    expect(expires - Date.now()).toBeLessThanOrEqual(15_000);
    const second = house.run();
    expect(await second.ended).toBe(1);
    expect(second.stderr.join('\n')).toMatch(new RegExp(`in use by process ${first.child.pid} on `, 'u'));
    expect(second.stdout.join('\n')).not.toContain('poll recorded');
    // Renewed while it works, by the same holder.
    const renewed = await until(
      async () => {
        const lease = await leaseOf(house);
        return lease.expires > expires ? lease : undefined;
      },
      { what: 'a renewal', timeoutMs: 20_000 },
    );
    expect(renewed.fence).toBe(fence);
    await house.board.addJob(faultJob(2));
    await first.until('the posting', () => house.titles().includes('Position 2'));
    first.kill();
    expect(await first.ended).toBe(0);
    expect(house.receiver.received).toHaveLength(1);
  },
);

test('replaces a killed holder immediately, and a stopped one leaves the lease free', TIMEOUT, async () => {
  const house = await faultHouse();
  const first = house.run();
  await baseline(first);
  first.kill('SIGKILL');
  await first.ended;
  // Waiting until it expires would take an hour: a new start detects that its holder is dead.
  await leaseOf(house, `UPDATE lease SET expires = ${Date.now() + 3_600_000}`);
  const second = house.run();
  await running(second);
  expect((await leaseOf(house)).fence).toBe(2);
  second.kill();
  expect(await second.ended).toBe(0);
  expect(await leaseOf(house)).toMatchObject({ holder: '', expires: 0 });
  const third = house.run();
  await running(third);
  expect((await leaseOf(house)).fence).toBe(3);
});

test(
  'refuses commands that write ledgers beside a service, and they free the store at their end',
  TIMEOUT,
  async () => {
    const house = await faultHouse();
    const service = house.run();
    await baseline(service);
    const refused = await house.command(['poll']);
    expect(refused).toMatchObject({ code: 1, text: expect.stringMatching(/in use/u) });
    service.kill();
    expect(await service.ended).toBe(0);
    expect((await house.command(['poll'])).code).toBe(0);
    expect(await leaseOf(house)).toMatchObject({ holder: '', expires: 0 });
  },
);
