// A limit on how often something may happen, computed from the times at which it happened. Keep the times in one
// record and change them with its `update`, so that a burst, another process or a restart can't exceed the limit.

/** At most `most` times within any `withinMs` milliseconds. */
export interface Limit {
  readonly most: number;
  readonly withinMs: number;
}

/**
 * Returns the times that still count, in their order. A time in the future (the clock was set back) counts as now.
 */
export function recentOf(times: readonly number[] = [], now: number, { withinMs }: Limit): readonly number[] {
  return times.map((at) => Math.min(at, now)).filter((at) => now - at < withinMs);
}

/** Returns the milliseconds until it may happen again; 0 if it may happen now. */
export function waitOf(times: readonly number[] | undefined, now: number, limit: Limit): number {
  const freed = recentOf(times, now, limit).at(-limit.most);
  return freed === undefined ? 0 : limit.withinMs - (now - freed);
}
