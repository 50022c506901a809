// Every sink there is, and what each needs to be on. A new sink is a folder beside this file and an entry here;
// one from outside the program is a line in SINKS.
import { reasonOf, throwFaults, UserError } from '../domain/errors.js';
import { shown } from '../domain/form-value.js';
import type { Secret } from '../domain/secret.js';
import type { Sink } from '../ports/sink.js';
import type { Table } from '../ports/stores.js';
import type { Clock, Log, Metrics } from '../ports/system.js';
import { type ConsoleStream, createConsoleSink } from './console/sink.js';
import type { DiscordRest } from './discord/rest.js';
import { createDiscordSink } from './discord/sink.js';
import { parseAddress } from './email/address.js';
import { createEmailSink, type EmailSinkOptions, type MailSettings } from './email/sink.js';
import { loadSink, sinkFault } from './third-party.js';
import { createWebhookSink } from './webhook/sink.js';

/** The settings sinks are made from; what is absent turns its sink off. */
export interface SinkSettings {
  /** The board's name. */
  readonly source: string;
  readonly publicUrl?: string;
  readonly templatesDir?: string;
  /** Where module paths of `extra` are looked for besides the working directory. */
  readonly configDir?: string;
  readonly discord?: { readonly token: Secret; readonly apiUrl?: string };
  readonly mail?: MailSettings;
  readonly webhook: { readonly secret?: Secret; readonly allowPrivate: boolean };
  /** Module paths or package names of further sinks. */
  readonly extra: readonly string[];
}

/** What sinks work with. */
export interface SinkDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly stdout: ConsoleStream;
  /** Stores, templates and links of the e-mail sink. Without them it can tell a good address from a bad one, no more. */
  readonly mail?: Omit<EmailSinkOptions, 'settings' | 'source' | 'clock' | 'log'>;
  /** Shared with the bot, so that both keep to the same limits. */
  readonly discordRest?: DiscordRest;
  /** Small records of the sinks. */
  readonly table?: Table<unknown>;
}

interface BuiltIn {
  /** What is missing when the sink is off: a sentence for the person who wants it. */
  readonly off: string;
  readonly create: (settings: SinkSettings, deps: SinkDeps) => Sink | undefined;
}

/** The sinks of this program by name; each has a folder of that name. */
export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  console: {
    off: 'the console is always on.',
    create: (_settings, { stdout, clock }) => createConsoleSink({ stdout, clock }),
  },
  discord: {
    off: 'Discord is off: set DISCORD_TOKEN.',
    create: ({ discord, source }, { log, clock, metrics, discordRest, table }) =>
      discord &&
      createDiscordSink({
        ...discord,
        source,
        log,
        clock,
        metrics,
        ...(discordRest ? { rest: discordRest } : {}),
        ...(table ? { table } : {}),
      }),
  },
  email: {
    off: 'e-mail is off: set SMTP_URL and MAIL_FROM.',
    create: (settings, deps) => settings.mail && emailSink(settings.mail, settings, deps),
  },
  webhook: {
    off: 'webhooks are always on.',
    create: ({ webhook }, { clock, log }) => createWebhookSink({ ...webhook, clock, log }),
  },
};

function emailSink(mail: MailSettings, { source }: SinkSettings, { clock, log, ...deps }: SinkDeps): Sink {
  if (deps.mail) return createEmailSink({ ...deps.mail, settings: mail, source, clock, log });
  return {
    name: 'email',
    parseTarget: parseAddress,
    async deliver() {
      throw new UserError('This command sends no mail; the service does.');
    },
  };
}

/**
 * Makes every sink the settings allow, by name. Throws a {@link UserError} with a line for each third-party one that does
 * not fit; `faults` takes those lines instead, and the others are made.
 */
export async function createSinks(
  settings: SinkSettings,
  deps: SinkDeps,
  faults?: string[],
): Promise<ReadonlyMap<string, Sink>> {
  const sinks = new Map<string, Sink>();
  for (const [name, builtIn] of Object.entries(BUILT_IN)) {
    const sink = builtIn.create(settings, deps);
    if (sink) sinks.set(name, sink);
  }
  const { source, publicUrl, configDir, extra } = settings;
  const { log, clock, metrics } = deps;
  const folders = [process.cwd(), ...(configDir ? [configDir] : [])];
  const options = { source, log, clock, metrics, ...(publicUrl ? { publicUrl } : {}) };
  const told = faults ?? [];
  for (const spec of extra) {
    try {
      const sink = await loadSink(spec, folders, options);
      // A name that is off is taken all the same: turning it on later must not change what a destination means.
      if (sinks.has(sink.name) || Object.hasOwn(BUILT_IN, sink.name))
        throw sinkFault(spec, `there is a sink named "${sink.name}" already; wanted another name`);
      sinks.set(sink.name, sink);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      told.push(reasonOf(error));
    }
  }
  if (!faults) throwFaults(told);
  return sinks;
}

/** Why there is no sink of this name, as a sentence with the mend. */
export function whyNoSink(name: string): string {
  if (Object.hasOwn(BUILT_IN, name)) return (BUILT_IN[name] as BuiltIn).off;
  const names = Object.keys(BUILT_IN).join(', ');
  return `${shown(name)} is not known; wanted ${names} or one that SINKS brings in.`;
}
