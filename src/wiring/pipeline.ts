// Builds the adapters that the settings ask for and passes them to the pipeline. Building it starts nothing.

import type { Config } from '../config.js';
import { attributionFaults } from '../domain/attribution.js';
import { defined } from '../domain/defined.js';
import { UserError } from '../domain/errors.js';
import { REQUEST_RETRIES } from '../domain/retry.js';
import { createLaneEngine } from '../engine/lane-engine.js';
import type { Pipeline, Step } from '../pipeline/context.js';
import { createLedgers } from '../pipeline/ledgers.js';
import { createNotices } from '../pipeline/notices.js';
import { isKnown } from '../pipeline/removed.js';
import { createTokens } from '../pipeline/tokens.js';
import type { Engine } from '../ports/engine.js';
import type { Messenger } from '../ports/notice.js';
import type { Sink } from '../ports/sink.js';
import type { Stores } from '../ports/stores.js';
import type { Clock, Log, Metrics } from '../ports/system.js';
import { describeFilter } from '../render/describe.js';
import { createFeedClient } from '../sources/jobs-api/client.js';
import { engineTurns } from '../sources/jobs-api/turns.js';

/** The jobs API address. Throws a UserError (exit 2) without one. */
function apiUrl(config: Config): string {
  if (config.jobsApi.url) return config.jobsApi.url;
  throw new UserError(
    'JOBS_API_URL: not set; wanted the base address of the jobs listing API, for example JOBS_API_URL=https://jobs.example.',
    2,
  );
}

/** The parts that the caller makes before the pipeline. */
export interface Parts {
  readonly stores: Stores;
  readonly sinks: ReadonlyMap<string, Sink>;
  readonly messengers: readonly Messenger[];
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly editionUrl?: Pipeline['editionUrl'];
  readonly step?: (step: Step) => void;
  /** Runs the turns; when left out, the engine of a single process. */
  readonly engine?: Engine;
}

/** Builds the pipeline. The caller must close its feed client. Throws a UserError (exit 2) without JOBS_API_URL. */
export function createPipeline(config: Config, parts: Parts): Pipeline {
  const { stores, log, clock, metrics, editionUrl } = parts;
  const { accounts, rejections } = stores;
  const { token: operatorToken, format, spacingMs, attemptTimeoutMs, maxBytes } = config.jobsApi;
  const minPollMs = config.minPollSeconds * 1000;
  const { engine = createLaneEngine({ lanes: stores.lanes, clock, log }) } = parts;
  const { immediateCap, digestCap, silenceDays, keepAfterLeavingDays, deliveryTimeoutSeconds } =
    config.limits;
  return {
    settings: {
      spacingMs,
      requestRetries: REQUEST_RETRIES,
      minPollMs,
      immediateCap,
      digestCap,
      silenceDays,
      keepAfterLeavingDays,
      format,
      source: config.sourceName,
      deliveryTimeoutMs: deliveryTimeoutSeconds * 1000,
    },
    stores,
    history: stores.history,
    feed: createFeedClient({
      baseUrl: apiUrl(config),
      cache: stores.cache,
      spacingMs,
      cacheMs: minPollMs,
      attemptTimeoutMs,
      maxBytes,
      format,
      clock,
      log,
      metrics,
      inTurn: engineTurns(engine, spacingMs),
    }),
    sinks: parts.sinks,
    engine,
    ledgers: createLedgers({
      ledgers: stores.ledgers,
      lease: stores.lease,
      exists: (id) => isKnown(stores, id, clock.now()),
    }),
    notices: createNotices({ table: stores.notices, messengers: parts.messengers, clock, log }),
    tokens: createTokens({ accounts, rejections, clock, ...defined({ operatorToken }) }),
    clock,
    startedAt: clock.now(),
    log,
    metrics,
    describe: (subscription) => describeFilter(subscription.filter, subscription.locale ?? 'en'),
    guardFaults: attributionFaults,
    step: parts.step ?? (() => undefined),
    ...defined({ editionUrl }),
  };
}

/**
 * For the crash tests: returns a function that kills the process at the step of `JOBCRIER_CRASH_AT=<step>[:<n>]`, when it
 * is reached for the n-th time (the first when left out). Undefined when the variable is not set.
 */
export function crashStep(wanted: string | undefined): ((step: Step) => void) | undefined {
  if (!wanted) return undefined;
  const [name, nth = '1'] = wanted.split(':');
  let left = Number(nth);
  return (step) => {
    if (step === name && --left <= 0) process.kill(process.pid, 'SIGKILL');
  };
}
