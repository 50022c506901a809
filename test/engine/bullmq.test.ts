// The engine of several processes: the contract of all engines, with a real Redis and a real PostgreSQL.
import { afterAll, beforeAll, describe } from 'vitest';
import { createBullEngine } from '../../src/engine/bullmq.js';
import type { Engine } from '../../src/ports/engine.js';
import { REDIS_MISSING, type RedisServer, startRedis } from '../helpers/redis-server.js';
import { until } from '../helpers/until.js';
import { DATABASES, type RunningDatabase } from '../store/databases.js';
import { openTestStores } from '../store/fixtures.js';
import { engineContract } from './contract.js';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => Date.now() };
const postgres = DATABASES.find(({ name }) => name === 'postgres');
const missing = REDIS_MISSING ?? postgres?.missing;

describe.skipIf(missing !== undefined)(missing ? `BullMQ (skipped: ${missing})` : 'BullMQ', () => {
  let database: RunningDatabase;
  let redis: RedisServer;
  beforeAll(async () => {
    [database, redis] = await Promise.all([postgres?.start() as Promise<RunningDatabase>, startRedis()]);
  });
  afterAll(async () => {
    await redis?.stop();
    await database?.stop();
  });

  engineContract('BullMQ', async () => {
    const engines: Engine[] = [];
    const { lanes } = await openTestStores(await database.freshUrl(), { clock });
    await redis.command('FLUSHALL');
    return {
      async create() {
        // The hold of a dead process would expire in time; the test does not wait for that.
        await lanes.freeAll();
        const engine = createBullEngine({ lanes, clock, log, url: redis.url });
        engines.push(engine);
        return engine;
      },
      kill: async (engine) => void (await engine.drain(0)),
      async offered(groups) {
        const waiting = () => redis.command('LLEN', '{jobcrier-work}:work:wait');
        await until(async () => (await waiting()) === groups, { what: 'the groups to be offered' });
      },
      close: async () => void (await Promise.all(engines.map((engine) => engine.drain(0)))),
    };
  });
});
