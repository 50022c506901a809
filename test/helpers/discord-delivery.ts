// Deliveries, logs and sinks for the tests that post to the local Discord.

import { createDiscordRest, type DiscordRest } from '../../src/discord/rest.js';
import { attributionFaults } from '../../src/domain/attribution.js';
import type { EditionPosting } from '../../src/domain/edition.js';
import { editionId } from '../../src/domain/edition.js';
import { DeliveryError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import { destinationId } from '../../src/domain/subscription.js';
import type { Delivery, DeliveryContext, Sink } from '../../src/ports/sink.js';
import type { Table } from '../../src/ports/stores.js';
import type { Log, Metrics } from '../../src/ports/system.js';
import { createDiscordSink } from '../../src/sinks/discord/sink.js';

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const noMetrics: Metrics = { count() {}, observe() {} };

/** A posting as boards send them; `n` makes it another one. */
export function samplePosting(n = 1, fields: Partial<EditionPosting> = {}): EditionPosting {
  return {
    key: `id:${n}`,
    id: String(n),
    title: `Senior Rust Engineer ${n}`,
    company: 'Acme Labs',
    location: 'Berlin, Germany',
    remote: true,
    description: '<p>Build <b>zero-knowledge</b> provers with a small team.</p>',
    tags: ['rust', 'zero-knowledge'],
    applyUrl: `https://board.example/r/${n}__me?ref=a_b&x=${n}`,
    url: `https://board.example/jobs/${n}`,
    salary: '$80k - 120k',
    postedAt: '2026-01-05',
    matched: ['rust'],
    ...fields,
  };
}

/** A delivery to `target`; given fields replace the defaults. */
export function sampleDelivery(target: string, fields: Partial<Delivery> = {}): Delivery {
  const postings = fields.postings ?? [samplePosting()];
  const every = fields.every ?? 'immediate';
  return {
    edition: editionId(
      'rust',
      destinationId('discord', target),
      1,
      postings.map((one) => one.key),
    ),
    subscription: 'rust',
    account: 'operator',
    destination: {
      id: destinationId('discord', target),
      sink: 'discord',
      target,
      cadence: { every, timezone: 'Europe/Berlin' },
    },
    every,
    from: Date.now() - 3_600_000,
    slot: Date.now(),
    part: 0,
    parts: 1,
    postings,
    more: 0,
    source: 'Example Board',
    about: 'Rust, remote',
    locale: 'en',
    attempt: 1,
    ...fields,
  };
}

/** A context with the guard of the pipeline. */
function contextFor(delivery: Delivery, signal = new AbortController().signal): DeliveryContext {
  return {
    signal,
    guard(output, keys) {
      const shown = delivery.postings.filter(({ key }) => keys?.includes(key) ?? true);
      const faults = attributionFaults(output, shown);
      if (faults.length > 0) throw new DeliveryError('content', faults.join('; '));
    },
  };
}

/** A sink as the service builds one; `timeoutMs` for one answer, `tokenPauseMs` after a 401. Close the `rest` too. */
export function discordSink(
  api: { token: string; apiUrl: string },
  options: {
    timeoutMs?: number;
    tokenPauseMs?: number;
    log?: Log;
    now?: () => number;
    table?: Table<unknown>;
  } = {},
): { sink: Sink; rest: DiscordRest } {
  const log = options.log ?? silent;
  const token = secret(api.token);
  const rest = createDiscordRest({
    token,
    apiUrl: api.apiUrl,
    log,
    ...(options.tokenPauseMs ? { tokenPauseMs: options.tokenPauseMs } : {}),
    ...(options.timeoutMs ? { timeoutMs: options.timeoutMs } : {}),
  });
  const sink = createDiscordSink({
    token,
    log,
    clock: { now: options.now ?? Date.now },
    metrics: noMetrics,
    source: 'Example Board',
    rest,
    ...(options.table ? { table: options.table } : {}),
  });
  return { sink, rest };
}

/** Delivers with the pipeline's guard; resolves with the error instead of throwing it. */
export async function deliverTo(
  sink: Sink,
  delivery: Delivery,
  signal?: AbortSignal,
): Promise<DeliveryError | undefined> {
  try {
    await sink.deliver(delivery, delivery.destination.target, contextFor(delivery, signal));
    return undefined;
  } catch (error) {
    if (error instanceof DeliveryError) return error;
    throw error;
  }
}
