// The cost of a poll that finds one new posting, by the number of subscriptions of its account: as many accounts with
// one each, one account with all, and one account with all at one place. Three services poll the same listings in the
// same seconds, so that other work of the machine affects all of them. LOAD_NEIGHBOURS sets how many subscriptions.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { COUNTRY_SLUGS } from '../../src/domain/countries.js';
import { TAGS } from '../../src/domain/tags.js';
import { HOUSE_KEY } from '../helpers/house-store.js';
import { later } from '../helpers/later.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { until } from '../helpers/until.js';
import { IS_SHORT, judge, never, percentile, sized } from './figures.js';
import { type Listings, startListings } from './listings.js';
import { cpuOf } from './probe.js';
import { fillStore } from './shared-house.js';
import { readLedgers } from './store-check.js';

const COUNT = sized('LOAD_NEIGHBOURS', { long: 600, short: 60 });
/**
 * Polls of one account run one after the other, and work done one by one costs more than work done together. So all services do
 * one poll at a time; the remaining difference is the cost of neighbours.
 */
const SETTINGS = { limits: { pollConcurrency: 1 } };
/** All are polled once in each period, right after it begins. A posting appears shortly before. */
const PERIOD_MS = IS_SHORT ? 10_000 : 60_000;
const BEFORE_MS = 1_000;
/** Periods that count, and warm-up periods before them. */
const ROUNDS = IS_SHORT ? 2 : 3;
const WARM = 1;

/** The owner of subscription `n`, and where it delivers. */
const KINDS = {
  'an account each': { account: (n: number) => `a${n}`, place: (n: number) => `/${n}` },
  'one account': { account: () => 'one', place: (n: number) => `/${n}` },
  'one account, one place': { account: () => 'one', place: () => '/' },
} as const;
type Kind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as Kind[];

interface Service {
  readonly kind: Kind;
  readonly store: string;
  readonly listings: Listings;
  readonly program: Program;
}

/** Each has a separate API, so that its requests can be counted. */
async function open(kind: Kind): Promise<Service> {
  const listings = await startListings();
  later(listings.stop);
  const { dir, remove } = await workFolder();
  later(remove);
  const { account, place } = KINDS[kind];
  const store = join(dir, 'data', 'jobcrier.sqlite');
  const entries = Array.from({ length: COUNT }, (_, n) => ({
    id: `s${n}`,
    account: account(n),
    // A request for each.
    filter: { tags: [TAGS[n % TAGS.length]], country: COUNTRY_SLUGS[Math.floor(n / TAGS.length)], limit: 20 },
    schedule: IS_SHORT ? `*/${PERIOD_MS / 1000} * * * * *` : '0 * * * * *',
    destinations: [
      {
        sink: 'webhook',
        target: `https://hooks.example${place(n)}`,
        cadence: { weekly: 'monday', at: '09:00' },
      },
    ],
  }));
  await fillStore(`sqlite://${store}`, join(dir, 'data'), entries);
  await mkdir(join(dir, 'config'));
  await writeFile(join(dir, 'config', 'default.json'), JSON.stringify(SETTINGS));
  const program = startProgram(['run'], {
    cwd: dir,
    env: {
      JOBS_API_URL: listings.url,
      API_SPACING_MS: '0',
      MIN_POLL_SECONDS: '1',
      HTTP_PORT: '0',
      SECRET_KEY: HOUSE_KEY,
      LOG_LEVEL: 'warn',
    },
  });
  later(async () => {
    program.kill('SIGKILL');
    await program.ended;
  });
  return { kind, store, listings, program };
}

test(`${COUNT} subscriptions of one account and of as many`, async () => {
  const services: Service[] = [];
  for (const kind of kinds) services.push(await open(kind));
  const asked = async ({ listings }: Service) => (await listings.tell()).asked;
  for (const one of services)
    await until(async () => (await asked(one)) >= COUNT, {
      what: `the first polls of ${one.kind}`,
      timeoutMs: 100_000,
    });
  const cpu = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  let uneven = 0;
  const look = () =>
    Promise.all(
      services.map(async (one) => ({
        polls: await asked(one),
        ms: await cpuOf(Number(one.program.child.pid)),
      })),
    );
  for (let round = -WARM; round < ROUNDS; round++) {
    await sleep(PERIOD_MS - ((Date.now() + BEFORE_MS) % PERIOD_MS));
    const before = await look();
    for (const { listings } of services) await listings.tell({ new: 1, watch: 0 });
    await sleep(PERIOD_MS - 2 * BEFORE_MS);
    // On a slow machine the last of them are late.
    for (const one of services)
      await until(async () => (await one.listings.tell()).distinct === COUNT, {
        what: `the polls of ${one.kind}`,
        timeoutMs: 2 * PERIOD_MS,
      });
    await sleep(BEFORE_MS / 2);
    const after = await look();
    for (const [at, { kind }] of services.entries()) {
      const polls = (after[at]?.polls ?? 0) - (before[at]?.polls ?? 0);
      if (polls !== COUNT) uneven++;
      if (round >= 0) cpu.get(kind)?.push(((after[at]?.ms ?? 0) - (before[at]?.ms ?? 0)) / polls);
    }
  }
  let wrong = 0;
  for (const { program, store } of services) {
    program.kill();
    await program.ended;
    for (const { outbox } of await readLedgers(store)) {
      const titles = new Set(outbox.map(({ posting }) => posting.title));
      if (titles.size !== outbox.length || titles.size < ROUNDS + WARM) wrong++;
    }
  }
  const median = (kind: Kind) => percentile(cpu.get(kind) ?? [], 0.5);
  const alone = median('an account each');
  judge(`A poll that finds one new posting, ${COUNT} subscriptions`, [
    ...kinds.map((kind) => ({ what: `CPU of a poll, ${kind}`, is: median(kind), unit: 'ms' })),
    { what: 'one account, to an account each', is: median('one account') / alone, unit: '×', most: 1.25 },
    {
      what: 'one account and place, to an account each',
      is: median('one account, one place') / alone,
      unit: '×',
      most: 1.25,
    },
    { what: 'periods with more or fewer polls than subscriptions', is: uneven, most: 0 },
    never('ledgers that miss a posting or have one twice', wrong),
  ]);
});
