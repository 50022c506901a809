// A primary that dies while its synchronous standby is promoted: confirmed writes are kept, and refused ones were
// never made.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../helpers/until.js';
import { POSTGRES_MISSING } from './databases.js';
import { addressOf, startPair, writeThrough } from './failover.js';
import { openTestStores } from './fixtures.js';
import { missingPrograms } from './postgres-servers.js';

const missing = POSTGRES_MISSING ?? missingPrograms('pg_basebackup', 'pg_ctl');

const title = missing ? `a failover (skipped: ${missing})` : 'a failover';

// One story of a pair of servers: each test starts where the previous one ended.
describe.skipIf(missing !== undefined)(title, { shuffle: false }, () => {
  let pair: Awaited<ReturnType<typeof startPair>>;
  beforeAll(async () => {
    pair = await startPair();
  });
  afterAll(() => pair?.primary.stop());

  test('uses the host that accepts writes, in whichever order they are named', async () => {
    const { primary, standby } = pair;
    const stores = await openTestStores(addressOf(standby, primary));
    await stores.probe();
    await expect(openTestStores(addressOf(standby))).rejects.toMatchObject({
      fault: 'unavailable',
      message: expect.stringMatching(/\(read-only\)$/u),
    });
  });

  test('works again within 30 s, and loses no confirmed write', { timeout: 90_000 }, async () => {
    const { primary, standby, url } = pair;
    const { awayMs, confirmed } = await writeThrough(url, 1, async () => {
      await primary.kill();
      standby.promote();
    });
    expect(confirmed).toBeGreaterThan(100);
    expect(awayMs).toBeLessThan(30_000);
  });

  test('closes its connections to a primary that was made a standby', { timeout: 60_000 }, async () => {
    const { standby: primary } = pair;
    const next = await primary.standby();
    const stores = await openTestStores(addressOf(primary, next));
    await stores.marks.set('a', { n: 1 } as never);
    // The server and its connections continue; only writes are refused.
    await primary.sql('ALTER SYSTEM SET default_transaction_read_only = on');
    await primary.sql('SELECT pg_reload_conf()');
    next.promote();
    await until(() => stores.marks.set('b', { n: 2 } as never).then(() => true), {
      what: 'the store to work',
      timeoutMs: 20_000,
    });
    const [row] = await next.sql(`SELECT count(*)::int AS n FROM jobcrier_marks WHERE key IN ('a', 'b')`);
    expect(row).toEqual({ n: 2 });
  });
});
