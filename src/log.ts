// The program's log: one JSON object per line, or readable lines on a terminal. It must not leak secrets: an error is
// logged as its type and message, never with its causes (fetch errors carry the address with the token there), and
// secrets are removed from every finished line.
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type prettyStream from 'pino-pretty';
import type { Log, LogControl, LogLine } from './ports/system.js';

export interface LogOptions {
  /** trace, debug, info, warn, error, fatal or silent. */
  readonly level: string;
  readonly destination: DestinationStream;
  /** Turns JSON into readable lines; when left out, lines stay JSON. */
  readonly pretty?: typeof prettyStream | undefined;
  readonly colors?: boolean;
  /** Part of every line, so that a bug report shows the version. */
  readonly version: string;
  /** Texts that are removed wherever they appear: the secrets of the settings. */
  readonly secrets?: readonly string[];
}

/** The log. `level` can be changed at any time; `recent` returns the latest warnings and errors, newest first. */
export type AppLog = Log & Pick<Logger, 'level'> & Required<LogControl>;

/** Number of warnings and errors kept for the operator's page. */
const KEPT = 100;

const PRIVATE = ['token', 'email', 'password', 'authorization'];

/** Reduces an error to its type and message, without its cause and the fields that libraries add. Other values stay. */
function plain(value: unknown): unknown {
  return value instanceof Error ? { type: value.name, message: value.message } : value;
}

/** Hides the user part of an address if it holds a password: if there is a colon before the first `@`. */
function withoutPassword(all: string, scheme: string, user: string): string {
  return /^[^@]*:/u.test(user) ? `${scheme}[secret]@` : all;
}

/**
 * Removes the given secrets, tokens and passwords in addresses, and mail addresses from a text. The text may come from
 * strangers and be long, so the patterns are written to need linear time.
 */
export function scrubbed(text: string, secrets: readonly string[] = []): string {
  return secrets
    .reduce((rest, one) => rest.replaceAll(one, '[secret]'), text)
    .replace(/([?&][\w-]*(?:token|key|secret|password)=)[^&\s"'\\<>)]+/giu, '$1[secret]')
    .replace(/(\w:\/\/)([^/\s"']*)@/gu, withoutPassword)
    .replace(/(?<![\w.+-])[\w.+-]+@(?:[a-z\d-]+\.)+[a-z]{2,}/giu, '[address]');
}

/** Applies {@link plain} to every field: errors may be under any name. */
function plainFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
}

function parsed(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** Reads a finished line back when it is a warning or an error; undefined for any other line. */
function troubleIn(line: string): LogLine | undefined {
  if (!/"level":"(?:warn|error|fatal)"/u.test(line)) return undefined;
  const { level, time, version: _version, msg, ...fields } = parsed(line);
  if (level !== 'warn' && level !== 'error' && level !== 'fatal') return undefined;
  return { at: String(time), level, message: String(msg), fields };
}

/** Creates the log of a process, which writes to `destination`. */
export function createLog(options: LogOptions): AppLog {
  const { level, destination, version, pretty } = options;
  // The secrets as they appear in a line of JSON: escaped once, and twice inside a text that was JSON before.
  const once = (options.secrets ?? []).map((one) => JSON.stringify(one).slice(1, -1));
  const secrets = [...new Set([...once.map((one) => JSON.stringify(one).slice(1, -1)), ...once])];
  // A stream in this process: with a worker thread the last lines would be lost when the process exits abruptly.
  const stream = pretty
    ? pretty({
        destination,
        sync: true,
        colorize: options.colors ?? false,
        translateTime: 'SYS:HH:MM:ss',
        ignore: 'version',
      })
    : destination;
  const kept: LogLine[] = [];
  function finished(line: string): string {
    const clean = scrubbed(line, secrets);
    const trouble = troubleIn(clean);
    if (trouble) kept.unshift(trouble);
    if (kept.length > KEPT) kept.pop();
    return clean;
  }
  const log = pino(
    {
      level,
      base: { version },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: plainFields },
      serializers: { err: plain, error: plain },
      redact: { paths: PRIVATE.flatMap((name) => [name, `*.${name}`]), censor: '[secret]' },
      hooks: { streamWrite: finished },
    },
    stream,
  );
  return Object.assign(log, { recent: () => kept });
}
