// Writers that continue while the primary is lost, and checks of their writes afterwards.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { StoreError } from '../../src/domain/errors.js';
import { until } from '../helpers/until.js';
import { openTestStores } from './fixtures.js';
import { type PostgresServer, startPostgresServer } from './postgres-servers.js';

export interface Failover {
  /** From the loss to the first write that was confirmed afterwards. */
  readonly awayMs: number;
  readonly confirmed: number;
  readonly refused: number;
  readonly unsure: number;
}

const WRITERS = 8;

/** A primary with a synchronous standby, and their address. The primary is the first host. */
export async function startPair(): Promise<{
  primary: PostgresServer;
  standby: PostgresServer;
  url: string;
}> {
  const primary = await startPostgresServer();
  const standby = await primary.standby();
  return { primary, standby, url: addressOf(primary, standby) };
}

export function addressOf(...servers: readonly PostgresServer[]): string {
  const hosts = servers.map(({ host }) => host).join(',');
  return `postgres://tester@${hosts}/postgres?target_session_attrs=read-write&connect_timeout=2`;
}

/**
 * Writes to the store at `url` while `lose` replaces the primary with the standby. Afterwards every confirmed write must be
 * there, every refused one must not be, and every counter must have the confirmed count.
 */
export async function writeThrough(url: string, round: number, lose: () => Promise<void>): Promise<Failover> {
  const stores = await openTestStores(url);
  const { commit } = stores.backend;
  const rows = new Map<string, 'confirmed' | 'refused' | 'unsure'>();
  const counted = Array.from({ length: WRITERS }, () => ({ least: 0, most: 0 }));
  let lostAt = Number.POSITIVE_INFINITY;
  let backAt: number | undefined;
  let over = false;

  const outcomeOf = (error: unknown) => {
    if (!(error instanceof StoreError)) throw error;
    return error.fault === 'unsure' ? 'unsure' : 'refused';
  };

  async function write(writer: number): Promise<void> {
    for (let index = 0; !over; index++) {
      const key = `r${round}-w${writer}-${index}`;
      const begun = performance.now();
      const outcome = await commit({
        writes: [
          { table: 'seen', key, version: 0, entry: { value: 1 } },
          { table: 'outcomes', key, version: 0, entry: { value: 1 } },
        ],
      }).then((done) => (done ? 'confirmed' : 'refused'), outcomeOf);
      rows.set(key, outcome);
      if (outcome === 'confirmed' && begun > lostAt) backAt ??= performance.now();
      const count = counted[writer] as { least: number; most: number };
      const added = await stores.misc
        .update(`r${round}-c${writer}`, (before) => ({
          n: ((before as { n: number } | undefined)?.n ?? 0) + 1,
        }))
        .then(() => 'confirmed', outcomeOf);
      if (added !== 'refused') count.most++;
      if (added === 'confirmed') count.least++;
      if (outcome !== 'confirmed') await sleep(50);
    }
  }

  const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  try {
    await until(() => rows.size > 100, { what: 'some writes before the loss', timeoutMs: 30_000 });
    lostAt = performance.now();
    await lose();
    await until(() => backAt, { what: 'a confirmed write after the loss', timeoutMs: 45_000 });
    const since = rows.size;
    await until(() => rows.size > since + 100, { what: 'some writes after the loss', timeoutMs: 30_000 });
  } finally {
    over = true;
    await writers;
  }

  for (const [key, outcome] of rows) {
    const [seen, done] = [
      await stores.backend.kvTables.seen.get(key),
      await stores.backend.kvTables.outcomes.get(key),
    ];
    // Both or neither, whatever the outcome.
    expect({ key, both: (seen === undefined) === (done === undefined) }).toEqual({ key, both: true });
    if (outcome !== 'unsure')
      expect({ key, there: seen !== undefined }).toEqual({ key, there: outcome === 'confirmed' });
  }
  for (const [writer, { least, most }] of counted.entries()) {
    const { n } = ((await stores.misc.get(`r${round}-c${writer}`)) ?? { n: 0 }) as { n: number };
    expect(n).toBeGreaterThanOrEqual(least);
    expect(n).toBeLessThanOrEqual(most);
  }
  await stores.close();
  const total = (wanted: string) => [...rows.values()].filter((one) => one === wanted).length;
  return {
    awayMs: Math.round((backAt ?? 0) - lostAt),
    confirmed: total('confirmed'),
    refused: total('refused'),
    unsure: total('unsure'),
  };
}
