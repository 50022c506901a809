// The settings of the sinks, and the context in which entries have their targets checked by the sinks. The service and
// the command line both use it.

import type { Config } from '../config.js';
import { defined } from '../domain/defined.js';
import { UserError } from '../domain/errors.js';
import type { Subscription, SubscriptionContext } from '../domain/subscription.js';
import type { Sink } from '../ports/sink.js';
import { LANGUAGES } from '../render/texts.js';
import { type SinkSettings, whyNoSink } from '../sinks/index.js';

/** The part of the settings that sinks are made from. */
export function sinkSettings(config: Config): SinkSettings {
  const { discord, mail, telegram, webhook, publicUrl } = config;
  return {
    source: config.sourceName,
    templatesDir: config.dirs.templates,
    configDir: config.dirs.config,
    webhook,
    extra: config.sinks,
    ...defined({
      publicUrl: publicUrl || undefined,
      discord: discord.token
        ? { token: discord.token, ...defined({ apiUrl: discord.apiUrl || undefined }) }
        : undefined,
      mail,
      telegram: telegram.token ? { ...telegram, token: telegram.token } : undefined,
    }),
  };
}

/** The context for reading entries. Each target is checked by its sink; a UserError (exit 2) for an unknown sink. */
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
    languages: Object.keys(LANGUAGES),
    parseTarget(name, target) {
      const sink = sinks.get(name);
      if (!sink) throw new UserError(`sink: ${whyNoSink(name)}`, 2);
      return sink.parseTarget(target);
    },
  };
}
