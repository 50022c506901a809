// The ports and the few settings that every step of the pipeline gets. The composition root makes this one object
// once, so that a step's signature shows only what the step works on.
import type { attributionFaults } from '../domain/attribution.js';
import type { Subscription } from '../domain/subscription.js';
import type { Engine } from '../ports/engine.js';
import type { Feed } from '../ports/feed.js';
import type { Sink } from '../ports/sink.js';
import type { History, Stores } from '../ports/stores.js';
import type { Clock, Log, Metrics } from '../ports/system.js';
import type { Ledgers } from './ledgers.js';
import type { Notices } from './notices.js';
import type { Tokens } from './tokens.js';

/** The points where a crash test can stop the process; see {@link Pipeline.step}. */
export type Step =
  | 'poll.fetched'
  | 'poll.recorded'
  | 'poll.answered'
  | 'enrich.fetched'
  | 'enrich.recorded'
  | 'dispatch.cut'
  | 'dispatch.sending'
  | 'dispatch.sent'
  | 'dispatch.settled';

export interface PipelineSettings {
  /** Minimum time between two requests of an account, milliseconds. */
  readonly spacingMs: number;
  /** How often a request that fails is tried again before it is given up until the next poll. */
  readonly requestRetries: number;
  /** Minimum of every poll interval, milliseconds. */
  readonly minPollMs: number;
  readonly immediateCap: number;
  readonly digestCap: number;
  readonly source: string;
  readonly format: 'rss' | 'json';
  /** Days without a match after which an owner is asked whether the filter is too narrow. */
  readonly silenceDays: number;
  /** Days for which the subscriptions of a server the bot has left wait for its return. */
  readonly keepAfterLeavingDays: number;
  /** Longest time one delivery may take, milliseconds. */
  readonly deliveryTimeoutMs: number;
}

export interface Pipeline {
  readonly settings: PipelineSettings;
  readonly stores: Stores;
  readonly history: History;
  readonly feed: Feed;
  readonly sinks: ReadonlyMap<string, Sink>;
  readonly engine: Engine;
  readonly ledgers: Ledgers;
  readonly notices: Notices;
  readonly tokens: Tokens;
  readonly clock: Clock;
  /** When this process began to poll and deliver, milliseconds since the epoch. */
  readonly startedAt: number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Public address of an edition's page, when there are web pages. */
  readonly editionUrl?: ((of: EditionPlace) => Promise<string>) | undefined;
  /** The subscription in words, in its reader's language. */
  readonly describe: (subscription: Subscription) => string;
  readonly guardFaults: typeof attributionFaults;
  /** Does nothing. In crash tests it ends the process. */
  step(step: Step): void;
}

/** Whose edition a page shows; `now` is when its link is made, milliseconds since the epoch. */
export interface EditionPlace {
  readonly account: string;
  readonly subscription: string;
  readonly destination: string;
  readonly edition: string;
  readonly now: number;
}
