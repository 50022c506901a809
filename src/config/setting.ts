// The type of one row in the table of settings; the table itself is in settings.ts.

/** `T` is the value that the rest of the program gets. `default` is read by `parse`, like a given text. */
export interface Setting<T = unknown> {
  readonly meaning: string;
  readonly parse: (given: string) => T | undefined;
  /** A specific message for a value that `parse` refuses; undefined for the general one. */
  readonly refuse?: (given: string) => string | undefined;
  /** What a valid value looks like, in words, for a fault: "wanted …". */
  readonly wanted: string;
  readonly example: string;
  readonly default?: string;
  /** What applies when it is not set, in words, for a setting without `default`. */
  readonly otherwise?: string;
  /** The value is never shown, not even in a fault. */
  readonly secret?: true;
  /** An address that may hold a password; it is shown without it. */
  readonly address?: true;
}

/** Returns `entry` with its own type, so that the table gives the type of each setting's value. */
export function setting<T, const S extends Setting<T>>(
  entry: S & { parse: (given: string) => T | undefined },
): S {
  return entry;
}
