// The types of `jobcrier doctor`: a check has a name and returns findings; each finding of a problem says how to fix it.
import type { Config } from '../../config.js';
import type { Log } from '../../ports/system.js';
import type { OpenStores } from '../../store/index.js';
import type { CommandContext } from '../context.js';

/** off: the check does not apply to these settings. */
export type State = 'ok' | 'warn' | 'fail' | 'off';

export interface Finding {
  readonly state: State;
  /** One sentence; never a token, secret or password. */
  readonly says: string;
  /** What you can do about it. */
  readonly fix?: string;
}

/** What checks work with. In `config` faulty settings count as not set, so that they hide no other problem. */
export interface CheckEnv {
  readonly config: Config;
  readonly context: CommandContext;
  readonly log: Log;
  /** The store, opened once for all checks and read-only; undefined when there is no store yet or it can't be opened. */
  stores(): Promise<OpenStores | undefined>;
  /** Why the store could not be opened, in words; undefined when it could. */
  storeTrouble(): Promise<string | undefined>;
}

export interface Check {
  readonly name: string;
  /** `signal` aborts at the check's time limit. A thrown error counts as a failure of the check. */
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

/** An error's code or name. Its message is not used: it may hold an address or a path with a secret in it. */
export function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'unknown error';
}
