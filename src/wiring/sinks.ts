// The settings of the sinks.
import type { Config } from '../config.js';
import { defined } from '../domain/defined.js';
import type { SinkSettings } from '../sinks/index.js';

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
