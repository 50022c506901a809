// The service on a primary that dies: earlier announcements are not repeated, and what comes meanwhile and afterwards
// is delivered once.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HOLD_MS } from '../../src/store/lanes.js';
import { baseline, faultHouse, faultJob, pagesOf } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';
import { POSTGRES_MISSING } from '../store/databases.js';
import { startPair } from '../store/failover.js';
import { missingPrograms } from '../store/postgres-servers.js';

const missing = POSTGRES_MISSING ?? missingPrograms('pg_basebackup', 'pg_ctl');

test.skipIf(missing)(
  `a running service recovers within seconds after it lost its primary, and no posting is lost or sent twice${missing ? ` (skipped: ${missing})` : ''}`,
  { timeout: 150_000 },
  async () => {
    const { primary, standby, url } = await startPair();
    later(() => primary.stop());
    const house = await faultHouse({
      env: { SECRET_KEY: Buffer.alloc(32, 5).toString('base64'), STORE_URL: url },
    });
    const program = house.run();
    const pages = await pagesOf(program);
    await baseline(program);
    const ready = async () => (await fetch(`${pages}/readyz`)).status;
    const posted: string[] = [];
    const post = async (id: number) => {
      await house.board.addJob(faultJob(id));
      posted.push(`Position ${id}`);
    };
    const came = (what: string) =>
      program.until(what, () => posted.every((title) => house.titles().includes(title)), 60_000);
    await post(10);
    await post(11);
    await came('those before');
    // One posting that is being sent while the primary dies, and one that is found while there is none.
    const answer = house.receiver.hold();
    await post(20);
    await until(() => house.titles().includes('Position 20'), { what: 'the request', timeoutMs: 20_000 });
    await primary.kill();
    answer();
    await post(21);
    await until(async () => (await ready()) === 503, { what: 'not ready', timeoutMs: 20_000 });
    // By now no lane is held any more, and the accepted message is not settled yet.
    await sleep(HOLD_MS);
    standby.promote();
    const backAt = performance.now();
    await until(async () => (await ready()) === 200, { what: 'ready again', timeoutMs: 30_000 });
    expect(performance.now() - backAt).toBeLessThan(30_000);
    await came('those meanwhile');
    await post(30);
    await came('the one afterwards');
    const bodies = house.receiver.received.flatMap((one) =>
      one.body.data.postings.map(({ title = '' }) => title),
    );
    expect(bodies.toSorted()).toEqual(posted.toSorted());
    program.kill();
    expect(await program.ended).toBe(0);
    expect([...program.stdout, ...program.stderr].join('\n')).not.toMatch(
      /unexpected failure|127\.0\.0\.1:\d+,127/u,
    );
  },
);
