// What sinks are made from, and what a sink brings to `jobcrier doctor`.
import type { DiscordRest } from '../discord/rest.js';
import type { Finding } from '../domain/finding.js';
import type { Secret } from '../domain/secret.js';
import type { Table } from '../ports/stores.js';
import type { Clock, Log, Metrics } from '../ports/system.js';
import type { Button } from '../render/discord/payload.js';
import type { Texts } from '../render/texts.js';
import type { ConsoleStream } from './console/sink.js';
import type { EmailSinkOptions, MailSettings } from './email/sink.js';

/** Settings of the sinks. A sink whose settings are absent is off. */
export interface SinkSettings {
  /** The board's name. */
  readonly source: string;
  readonly publicUrl?: string;
  readonly templatesDir?: string;
  /** A folder, besides the working directory, to look for module paths of `extra` in. */
  readonly configDir?: string;
  readonly discord?: { readonly token: Secret; readonly apiUrl?: string };
  readonly mail?: MailSettings;
  readonly telegram?: { readonly token: Secret; readonly apiUrl?: string };
  readonly webhook: { readonly secret?: Secret; readonly allowPrivate: boolean };
  /** Module paths or package names of further sinks. */
  readonly extra: readonly string[];
}

/** Dependencies of the sinks. */
export interface SinkDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly stdout: ConsoleStream;
  /** Stores, templates and links of the e-mail sink. Without them it can only check addresses. */
  readonly mail?: Omit<EmailSinkOptions, 'settings' | 'source' | 'clock' | 'log'>;
  /** The buttons of the bot below the first direct message to a user, in the language of the user. */
  readonly helloButtons?: (user: string, locale: string) => readonly Button[];
  /** Shared with the bot, so that both count towards the same limits. */
  readonly discordRest?: DiscordRest;
  /** Small records of the sinks. */
  readonly table?: Table<unknown>;
}

/** A check of `jobcrier doctor`. A thrown error counts as a failure of the check. */
export interface SinkCheck {
  readonly name: keyof Texts['doctor']['names'];
  run(settings: SinkSettings, about: CheckContext, signal: AbortSignal): Promise<readonly Finding[]>;
}

export interface CheckContext {
  readonly log: Log;
  /** What findings say, in the language of their reader. */
  readonly words: Texts['doctor'];
  /** The targets of the sink, each with the id of a subscription that uses it. */
  targets(): Promise<ReadonlyMap<string, string>>;
}
