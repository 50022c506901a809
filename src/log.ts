// The program's log: one JSON object per line, or readable lines on a terminal. Made to be unable to leak:
// an error is its type and message, never its cause chain (fetch errors carry the address with the token there),
// and every finished line is searched once more for what must not leave.
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type prettyStream from 'pino-pretty';
import type { Log, LogControl, LogLine } from './ports/system.js';

export interface LogOptions {
  /** trace, debug, info, warn, error, fatal or silent. */
  readonly level: string;
  readonly destination: DestinationStream;
  /** What makes readable lines of JSON; JSON when left out. */
  readonly pretty?: typeof prettyStream | undefined;
  readonly colors?: boolean;
  /** Named in every line, so that a report tells which version it is about. */
  readonly version: string;
  /** Texts that are taken out wherever they stand: the secrets of the settings. */
  readonly secrets?: readonly string[];
}

/** `level` may be changed while it runs. */
export type AppLog = Log & Pick<Logger, 'level'> & Required<LogControl>;

/** Lines of trouble that are kept for the operator's page. */
const KEPT = 100;

const PRIVATE = ['token', 'email', 'password', 'authorization'];

/** What is left of an error in the log: nothing a library hung onto it, no cause. Other values stay. */
function plain(value: unknown): unknown {
  return value instanceof Error ? { type: value.name, message: value.message } : value;
}

/** A user part of an address with a password in it: the colon stands before the first `@`. */
function withoutPassword(all: string, scheme: string, user: string): string {
  return /^[^@]*:/u.test(user) ? `${scheme}[secret]@` : all;
}

/**
 * Takes the given secrets, tokens and passwords in addresses, and mail addresses out of a text. What it is given may
 * be of strangers and long, so no pattern looks at a stretch of it from more than one place.
 */
export function scrubbed(text: string, secrets: readonly string[] = []): string {
  return secrets
    .reduce((rest, one) => rest.replaceAll(one, '[secret]'), text)
    .replace(/([?&][\w-]*(?:token|key|secret|password)=)[^&\s"'\\<>)]+/giu, '$1[secret]')
    .replace(/(\w:\/\/)([^/\s"']*)@/gu, withoutPassword)
    .replace(/(?<![\w.+-])[\w.+-]+@(?:[a-z\d-]+\.)+[a-z]{2,}/giu, '[address]');
}

/** Fields may hold errors under any name. */
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

/** Reads a finished line back when it told of trouble. */
function troubleIn(line: string): LogLine | undefined {
  if (!/"level":"(?:warn|error|fatal)"/u.test(line)) return undefined;
  const { level, time, version: _version, msg, ...fields } = parsed(line);
  if (level !== 'warn' && level !== 'error' && level !== 'fatal') return undefined;
  return { at: String(time), level, message: String(msg), fields };
}

export function createLog(options: LogOptions): AppLog {
  const { level, destination, version, pretty } = options;
  // As they stand in a line of JSON, also inside a text that was JSON before.
  const once = (options.secrets ?? []).map((one) => JSON.stringify(one).slice(1, -1));
  const secrets = [...new Set([...once.map((one) => JSON.stringify(one).slice(1, -1)), ...once])];
  // A stream in this process: a worker thread would lose the last lines of a process that ends in a hurry.
  const stream = pretty
    ? pretty({
        destination: destination as unknown as NodeJS.WritableStream,
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
