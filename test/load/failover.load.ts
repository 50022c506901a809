// Failovers one after the other: the primary is killed, or stops answering with its connections open, and its
// synchronous standby is promoted; each one becomes the primary of the next round. LOAD_FAILOVERS sets how many.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addressOf, startPair, writeThrough } from '../store/failover.js';
import { missingPrograms, type PostgresServer } from '../store/postgres-servers.js';
import { sized } from './figures.js';

const ROUNDS = sized('LOAD_FAILOVERS', { long: 6, short: 2 });
const missing = missingPrograms('postgres', 'initdb', 'pg_basebackup', 'pg_ctl');

test.skipIf(missing)(
  `${ROUNDS} failovers lose nothing that was confirmed${missing ? ` (skipped: ${missing})` : ''}`,
  async () => {
    const { primary: first, standby } = await startPair();
    const thaws: (() => void)[] = [];
    let [primary, next]: [PostgresServer, PostgresServer] = [first, standby];
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        const freezes = round % 2 === 0;
        const { awayMs, confirmed, refused, unsure } = await writeThrough(
          addressOf(primary, next),
          round,
          async () => {
            if (freezes) thaws.push(primary.freeze());
            else await primary.kill();
            // In between nothing accepts writes.
            await sleep((round % 3) * 1500);
            next.promote();
          },
        );
        console.log(
          `round ${round} (${freezes ? 'frozen' : 'killed'}): back after ${awayMs} ms; ${confirmed} confirmed, ${refused} refused, ${unsure} unsure`,
        );
        expect(awayMs).toBeLessThan(30_000);
        [primary, next] = [next, await next.standby()];
      }
    } finally {
      for (const thaw of thaws) thaw();
      await first.stop();
    }
  },
);
