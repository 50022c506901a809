// Keys made of several ids. The rows of one id form one range.

/** Ids may contain a colon (`discord:1`), so they are encoded. */
export function key(kind: string, ...ids: readonly string[]): string {
  return [kind, ...ids.map(encodeURIComponent)].join(':');
}

/** Returns the id at the end of a key. */
export function lastOf(row: string): string {
  return decodeURIComponent(row.slice(row.lastIndexOf(':') + 1));
}

/** Returns the range of all keys that begin with these parts and have more. */
export function under(kind: string, ...ids: readonly string[]): { from: string; to: string } {
  const prefix = key(kind, ...ids);
  // The semicolon directly follows the colon in byte order.
  return { from: `${prefix}:`, to: `${prefix};` };
}
