// One worker and then four over one PostgreSQL and one Redis, polling an API that takes 200 ms to answer: how much
// more four do, what a poll costs all processes together, and that no two requests of a token overlap or come too
// close. LOAD_POLLS sets how many polls are watched.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { IS_SHORT, judge, never, sized } from './figures.js';
import { startListings } from './listings.js';
import { type Cpu, fillStore, openSharedHouse, SHARED_MISSING, WEEKLY } from './shared-house.js';

const POLLS = sized('LOAD_POLLS', { long: 10_000, short: 1_500 });
const ACCOUNTS = IS_SHORT ? 200 : 600;
/** So few that the wait for answers is the limit, and not the processors. */
const SLOTS = 5;
const LATENCY_MS = 200;
const SPACING_MS = 20;
/** Until a process that has just started reaches its normal cost. */
const WARM_MS = IS_SHORT ? 4_000 : 15_000;
const WINDOW_MS = IS_SHORT ? 6_000 : 30_000;

test.skipIf(SHARED_MISSING)(
  `one worker and four${SHARED_MISSING ? ` (skipped: ${SHARED_MISSING})` : ''}`,
  async () => {
    const listings = await startListings();
    const house = await openSharedHouse({
      env: { JOBS_API_URL: listings.url, API_SPACING_MS: String(SPACING_MS) },
      settings: { limits: { pollConcurrency: SLOTS } },
      postgres: ['fsync = on'],
    });
    try {
      const entries = Array.from({ length: ACCOUNTS }, (_, n) => ({
        id: `s${n}`,
        account: `a${n}`,
        filter: { limit: 20 },
        schedule: '* * * * * *',
        destinations: [WEEKLY],
      }));
      await fillStore(house.storeUrl, house.dir, entries);
      await listings.tell({ watch: SPACING_MS });
      await house.start('control');
      await house.start('worker');
      const done = async (count: number) => {
        while ((await listings.tell()).asked < count) await sleep(100);
      };
      // First polls cost more than those that follow.
      await done(ACCOUNTS);
      await listings.tell({ delayMs: LATENCY_MS });
      const figures = async () => {
        await sleep(WARM_MS);
        const [before, { asked }, began] = [await house.cpu(), await listings.tell(), performance.now()];
        await sleep(WINDOW_MS);
        const [after, report, seconds] = [
          await house.cpu(),
          await listings.tell(),
          (performance.now() - began) / 1000,
        ];
        const polls = report.asked - asked;
        const each = (part: keyof Cpu) => (after[part] - before[part]) / polls;
        const [worker, postgres, redis] = [each('workers'), each('postgres'), each('redis')];
        return { perSecond: polls / seconds, worker, postgres, redis, cpu: worker + postgres + redis };
      };
      const one = await figures();
      for (let n = 0; n < 3; n++) await house.start('worker');
      const four = await figures();
      await done(POLLS);
      const report = await listings.tell();
      const ms = (what: string, is: number) => ({ what, is, unit: 'ms' });
      judge('Four workers to one', [
        { what: 'polls a second, one worker', is: one.perSecond },
        { what: 'polls a second, four workers', is: four.perSecond },
        { what: 'four to one', is: four.perSecond / one.perSecond, unit: '×', least: 3.5 },
        ms('CPU of a poll, one: worker', one.worker),
        ms('CPU of a poll, one: PostgreSQL', one.postgres),
        ms('CPU of a poll, one: Redis', one.redis),
        ms('CPU of a poll, four: workers', four.worker),
        ms('CPU of a poll, four: PostgreSQL', four.postgres),
        ms('CPU of a poll, four: Redis', four.redis),
        { what: 'CPU of a poll, four to one', is: four.cpu / one.cpu, unit: '×', most: 1.25 },
        { what: 'polls watched', is: report.asked },
        never('two requests of a token at once', report.overlaps),
        never('two requests of a token closer than spacing', report.close),
      ]);
    } finally {
      await house.close();
      listings.stop();
    }
  },
);
