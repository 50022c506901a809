// What one row of the table of settings says; the table itself stands beside this file.

/** `T` is what the rest of the program gets. `default` is read by the same parser as what people write. */
export interface Setting<T = unknown> {
  readonly meaning: string;
  readonly parse: (given: string) => T | undefined;
  /** A sentence of its own for a value that once was sound. */
  readonly refuse?: (given: string) => string | undefined;
  /** What a sound value looks like, in words, for a fault: "wanted …". */
  readonly wanted: string;
  readonly example: string;
  readonly default?: string;
  /** In words, where the default is no value of its own. */
  readonly otherwise?: string;
  /** Never shown, not even in a fault. */
  readonly secret?: true;
  /** An address that may hold a password: shown without it. */
  readonly address?: true;
}

/** Keeps a row's own type, so that the table tells what each setting becomes. */
export function setting<T, const S extends Setting<T>>(
  entry: S & { parse: (given: string) => T | undefined },
): S {
  return entry;
}
