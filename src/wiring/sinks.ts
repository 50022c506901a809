// What sinks are made from, and how entries ask them about their targets; the service and the command line alike.
import type { Config } from '../config.js';
import { UserError } from '../domain/errors.js';
import type { Subscription, SubscriptionContext } from '../domain/subscription.js';
import type { Sink } from '../ports/sink.js';
import { type SinkSettings, whyNoSink } from '../sinks/index.js';

export function sinkSettings(config: Config): SinkSettings {
  const { discord, mail, webhook, publicUrl } = config;
  return {
    source: config.sourceName,
    templatesDir: config.dirs.templates,
    configDir: config.dirs.config,
    webhook,
    extra: config.sinks,
    ...(publicUrl ? { publicUrl } : {}),
    ...(discord.token
      ? { discord: { token: discord.token, ...(discord.apiUrl ? { apiUrl: discord.apiUrl } : {}) } }
      : {}),
    ...(mail ? { mail } : {}),
  };
}

/** What reading entries takes; their targets are checked by their sinks. */
export function entryContext(
  sinks: ReadonlyMap<string, Sink>,
  config: Config,
  origin: Subscription['origin'],
  now: number,
): SubscriptionContext {
  return {
    origin,
    now,
    liveSchedule: config.liveSchedule,
    defaultTimezone: 'UTC',
    parseTarget(name, target) {
      const sink = sinks.get(name);
      if (!sink) throw new UserError(`sink: ${whyNoSink(name)}`, 2);
      return sink.parseTarget(target);
    },
  };
}
