// What a check of `jobcrier doctor` is: a question with a name, and findings that each carry their fix.
import type { Config } from '../../config.js';
import type { Log } from '../../ports/system.js';
import type { OpenStores } from '../../store/index.js';
import type { CommandContext } from '../context.js';

/** off: does not apply to these settings. */
export type State = 'ok' | 'warn' | 'fail' | 'off';

export interface Finding {
  readonly state: State;
  /** One sentence; never a token, secret or password. */
  readonly says: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** What checks work with. Faulty settings count as not set in `config`, so that they hide nothing else. */
export interface CheckEnv {
  readonly config: Config;
  readonly context: CommandContext;
  readonly log: Log;
  /** Opened once for all checks, to look at only; undefined when there is no store yet, or none that opens. */
  stores(): Promise<OpenStores | undefined>;
  /** Why it did not open, in words for a person. */
  storeTrouble(): Promise<string | undefined>;
}

export interface Check {
  readonly name: string;
  /** Aborted at the check's time limit. A thrown error is a failure of the check. */
  run(env: CheckEnv, signal: AbortSignal): Promise<readonly Finding[]>;
}

export function ok(says: string): Finding {
  return { state: 'ok', says };
}

export function off(says: string): Finding {
  return { state: 'off', says };
}

export function warn(says: string, fix: string): Finding {
  return { state: 'warn', says, fix };
}

export function fail(says: string, fix: string): Finding {
  return { state: 'fail', says, fix };
}

/** An error's code or name: its text may hold an address or a path with a secret in it. */
export function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'unknown error';
}
