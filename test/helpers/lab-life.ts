// The pipeline as the composition root wires it, from a start to the end of the process: the parts that a restart
// creates again.
import { randomBytes } from 'node:crypto';
import { attributionFaults } from '../../src/domain/attribution.js';
import { POLL_QUEUE } from '../../src/domain/request.js';
import { secret } from '../../src/domain/secret.js';
import { createLaneEngine } from '../../src/engine/lane-engine.js';
import type { Pipeline, PipelineSettings } from '../../src/pipeline/context.js';
import { dispatch } from '../../src/pipeline/dispatch.js';
import { createLedgers } from '../../src/pipeline/ledgers.js';
import { createNotices } from '../../src/pipeline/notices.js';
import { isKnown } from '../../src/pipeline/removed.js';
import { createScheduler, planAtStart, type Scheduler } from '../../src/pipeline/scheduler.js';
import { followChanges } from '../../src/pipeline/subscription-sync.js';
import { createTokens } from '../../src/pipeline/tokens.js';
import type { MailService } from '../../src/ports/mail-service.js';
import type { Notice } from '../../src/ports/notice.js';
import type { Services } from '../../src/ports/services.js';
import type { Sink } from '../../src/ports/sink.js';
import type { Stores } from '../../src/ports/stores.js';
import type { Clock, Log, Metrics } from '../../src/ports/system.js';
import type { Forget } from '../../src/services/accounts.js';
import { createServices, withMail } from '../../src/services/index.js';
import { createFeedClient } from '../../src/sources/jobs-api/client.js';
import { engineTurns } from '../../src/sources/jobs-api/turns.js';
import { withFaults } from './faulty-stores.js';

/** The token of each account on the board. */
export const TOKENS = { operator: 'operator-token-1', alice: 'alice-token-0001', bob: 'bob-token-000001' };

const SETTINGS: PipelineSettings = {
  spacingMs: 0,
  requestRetries: 3,
  minPollMs: 60_000,
  immediateCap: 100,
  digestCap: 50,
  source: 'Example Jobs',
  format: 'rss',
  silenceDays: 14,
  keepAfterLeavingDays: 30,
  deliveryTimeoutMs: 10_000,
};

const NO_METRICS: Metrics = { count() {}, observe() {} };
let ids = 0;

export interface LifeOptions {
  readonly stores: Stores;
  readonly sinks: ReadonlyMap<string, Sink>;
  readonly feedUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly notices: Notice[];
  /** Errors by `table.method`. */
  readonly broken: ReadonlyMap<string, Error>;
  readonly onLost: () => void;
  readonly metrics?: Metrics;
  readonly settings?: Partial<PipelineSettings>;
  /** How long the services wait for the API; ten seconds when left out. */
  readonly interactiveMs?: number;
  readonly mail?: MailService;
  readonly forget?: readonly Forget[];
  readonly cacheMs?: number;
  /** As with PUBLIC_URL: editions have pages. */
  readonly pages?: boolean;
}

/** `dead`: nothing it does reaches the store any more. */
export interface Life {
  readonly p: Pipeline;
  readonly scheduler: Scheduler;
  readonly services: Services;
  /** Jobs that are running. */
  active(): number;
  dead: boolean;
}

export async function startLife(options: LifeOptions): Promise<Life> {
  const { clock, log, sinks, notices, broken, onLost, mail, forget } = options;
  const { interactiveMs = 10_000, cacheMs = 0, metrics = NO_METRICS } = options;
  const stores = withFaults(options.stores, (name) =>
    life.dead ? new Error('this life is over') : broken.get(name),
  );
  const { accounts, rejections } = stores;
  const engine = createLaneEngine({ lanes: stores.lanes, clock, log, lookMs: 2 ** 31 - 1 });
  const inTurn = engineTurns(engine, 0);
  const feed = { spacingMs: 0, cacheMs, metrics, sleep: async () => {}, clock, log, inTurn };
  const p: Pipeline = {
    settings: { ...SETTINGS, ...options.settings },
    stores,
    history: stores.history,
    feed: createFeedClient({ baseUrl: options.feedUrl, cache: stores.cache, ...feed }),
    sinks,
    engine,
    ledgers: createLedgers({
      ledgers: stores.ledgers,
      lease: stores.lease,
      exists: (id) => isKnown(stores, id, clock.now()),
    }),
    notices: createNotices({
      table: stores.notices,
      messengers: [async (notice) => notices.push(notice) > 0],
      clock,
      log,
    }),
    tokens: createTokens({ accounts, rejections, clock, operatorToken: secret(TOKENS.operator) }),
    clock,
    startedAt: clock.now(),
    log,
    metrics,
    describe: (subscription) => `about ${subscription.id}`,
    guardFaults: attributionFaults,
    step() {},
    ...(options.pages
      ? {
          editionUrl: async ({ edition }: { edition: string }) => `https://crier.example/editions/${edition}`,
        }
      : {}),
  };
  const scheduler = createScheduler(p, onLost, async () => {});
  const limits = { subscriptionsPerAccount: 3, subscriptionsPerServer: 2 };
  const withoutMail = createServices(
    p,
    scheduler,
    {
      liveSchedule: '*/15 * * * *',
      newId: () => `new-${++ids}`,
      newSecret: () => randomBytes(32).toString('base64url'),
      interactiveMs,
      ...limits,
      ...(forget ? { forget } : {}),
    },
    (filter) => `filter ${filter.tags.join()}`,
  );
  const services = withMail(withoutMail, mail);
  let active = 0;
  async function counted<T>(work: Promise<T>): Promise<T> {
    active++;
    try {
      return await work;
    } finally {
      active--;
    }
  }
  const life: Life = { p, scheduler, services, dead: false, active: () => active };
  await planAtStart(p);
  await followChanges(p, scheduler);
  engine.work(POLL_QUEUE, 4, (one, context) => counted(scheduler.poll(one, context)));
  for (const name of sinks.keys())
    engine.work(`deliver:${name}`, 4, (one, { signal }) => counted(dispatch(p, one, signal)));
  return life;
}
