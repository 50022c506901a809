// What a check of `jobcrier doctor` finds. Each finding of a problem says how to fix it.

/** off: the check does not apply to these settings. */
export type State = 'ok' | 'warn' | 'fail' | 'off';

export interface Finding {
  readonly state: State;
  /** One sentence; never a token, secret or password. */
  readonly says: string;
  /** What you can do about it. */
  readonly fix?: string;
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

/** A finding with the name of the check that found it. */
export interface CheckResult extends Finding {
  readonly check: string;
}

/** An error's code or name. Its message is not used: it may hold an address or a path with a secret in it. */
export function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'unknown error';
}
