// All sinks, and what each needs to be on. To add a sink, add a folder beside this file and an entry here. A sink
// from outside the program is an entry in SINKS.

import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../domain/defined.js';
import { reasonOf, throwFaults, UserError } from '../domain/errors.js';
import { shown } from '../domain/input.js';
import type { Sink } from '../ports/sink.js';
import { createConsoleSink } from './console/sink.js';
import { createDiscordSink } from './discord/sink.js';
import { parseAddress } from './email/address.js';
import type { MailSettings } from './email/sink.js';
import type { SinkCheck, SinkDeps, SinkSettings } from './settings.js';
import { loadSink, sinkFault } from './third-party.js';
import { createWebhookSink } from './webhook/sink.js';

export type { SinkDeps, SinkSettings } from './settings.js';

interface BuiltIn {
  /** Why the sink is off and how to turn it on, as a sentence for the user. */
  readonly off: string;
  /** The setting with the token of a bot, if that is all the sink needs. */
  readonly token?: string;
  /** Loads what only this sink needs: a sink that is off costs nothing, and a broken one fails here. */
  readonly create: (settings: SinkSettings, deps: SinkDeps) => Promise<Sink | undefined>;
  /** Loads what `jobcrier doctor` checks. */
  readonly checks?: () => Promise<readonly SinkCheck[]>;
}

/** The sinks of this program by name; each has a folder of that name. */
export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  console: {
    off: 'the console is always on.',
    create: async (_settings, { stdout, clock }) => createConsoleSink({ stdout, clock }),
  },
  discord: {
    off: 'Discord is off: set DISCORD_TOKEN.',
    token: 'DISCORD_TOKEN',
    checks: async () => (await import('./discord/doctor.js')).checks,
    create: async ({ discord, source }, { log, clock, metrics, discordRest, table, helloButtons }) =>
      discord &&
      createDiscordSink({
        ...discord,
        source,
        log,
        clock,
        metrics,
        ...defined({ rest: discordRest, table, helloButtons }),
      }),
  },
  email: {
    off: 'e-mail is off: set SMTP_URL and MAIL_FROM.',
    checks: async () => (await import('./email/doctor.js')).checks,
    create: async (settings, deps) => settings.mail && emailSink(settings.mail, settings, deps),
  },
  telegram: {
    off: 'Telegram is off: set TELEGRAM_TOKEN.',
    token: 'TELEGRAM_TOKEN',
    checks: async () => (await import('./telegram/doctor.js')).checks,
    create: async ({ telegram }, { log, clock, table }) =>
      telegram && (await import('./telegram/sink.js')).createTelegramSink({ ...telegram, log, clock, table }),
  },
  webhook: {
    off: 'webhooks are always on.',
    create: async ({ webhook }, { clock, log }) => createWebhookSink({ ...webhook, clock, log }),
  },
};

async function emailSink(
  mail: MailSettings,
  { source }: SinkSettings,
  { clock, log, ...deps }: SinkDeps,
): Promise<Sink> {
  if (deps.mail) {
    const { createEmailSink } = await import('./email/sink.js');
    return createEmailSink({ ...deps.mail, settings: mail, source, clock, log });
  }
  return {
    name: 'email',
    parseTarget: parseAddress,
    isPrivate: () => true,
    async deliver() {
      throw new UserError('This command sends no mail; the service does.');
    },
  };
}

/** Creates the sinks that are turned on, by name. Throws a `UserError` with all faults of {@link moduleSinks}. */
export async function createSinks(
  settings: SinkSettings,
  deps: SinkDeps,
): Promise<ReadonlyMap<string, Sink>> {
  const faults: string[] = [];
  const extra = await moduleSinks(settings, deps, faults);
  if (faults.length > 0) {
    await closeSinks(extra.values());
    throwFaults(faults);
  }
  return new Map([...(await builtInSinks(settings, deps)), ...extra]);
}

/** The sinks of this program that the settings turn on, by name. */
export async function builtInSinks(
  settings: SinkSettings,
  deps: SinkDeps,
): Promise<ReadonlyMap<string, Sink>> {
  const sinks = new Map<string, Sink>();
  for (const [name, { create }] of Object.entries(BUILT_IN)) {
    const sink = await create(settings, deps);
    if (sink) sinks.set(name, sink);
  }
  return sinks;
}

/** Creates the sinks of the modules in SINKS, by name. Adds a line to `faults` for each module that can't be used. */
export async function moduleSinks(
  { source, publicUrl, configDir, extra }: SinkSettings,
  { log, clock, metrics }: Pick<SinkDeps, 'log' | 'clock' | 'metrics'>,
  faults: string[],
): Promise<ReadonlyMap<string, Sink>> {
  const sinks = new Map<string, Sink>();
  const folders = [process.cwd(), ...(configDir ? [configDir] : [])];
  const options = { source, log, clock, metrics, ...defined({ publicUrl: publicUrl || undefined }) };
  for (const spec of extra) {
    try {
      const sink = await loadSink(spec, folders, options);
      // The name of a sink that is off is taken too: turning it on later must not change what a destination means.
      if (sinks.has(sink.name) || Object.hasOwn(BUILT_IN, sink.name)) {
        await closeSinks([sink]);
        throw sinkFault(spec, `there is a sink named "${sink.name}" already; wanted another name`);
      }
      sinks.set(sink.name, sink);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      faults.push(reasonOf(error));
    }
  }
  return sinks;
}

/** How long one sink may take to close, milliseconds. */
const CLOSE_MS = 5000;

/**
 * Closes all sinks at the same time and never throws. If a sink fails to close or does not close in time, `failed` is
 * called and the shutdown continues.
 */
export async function closeSinks(
  sinks: Iterable<Sink>,
  failed: (sink: string, reason: string) => void = () => undefined,
): Promise<void> {
  await Promise.all(
    Array.from(sinks, async (sink) => {
      const closed = new AbortController();
      const late = sleep(CLOSE_MS, 'it did not end in time', closed).catch(() => undefined);
      const closing = Promise.resolve()
        .then(() => sink.close?.())
        .then(() => undefined, reasonOf);
      const reason = await Promise.race([closing, late]);
      closed.abort();
      if (reason !== undefined) failed(sink.name, reason);
    }),
  );
}

/** Why there is no sink of this name, as a sentence with the fix. */
export function whyNoSink(name: string): string {
  if (Object.hasOwn(BUILT_IN, name)) return (BUILT_IN[name] as BuiltIn).off;
  const names = Object.keys(BUILT_IN).join(', ');
  return `${shown(name)} is not known; wanted ${names} or one that SINKS brings in.`;
}
