// A limit on how often something may happen, as a rule over the times at which it did. The times belong into one record
// and are changed by its `update`, so that a burst, another process or a restart does not get past the limit.

/** At most `most` within any `withinMs` milliseconds. */
export interface Limit {
  readonly most: number;
  readonly withinMs: number;
}

/** The times that still count, oldest first. After a clock was set back a time may lie ahead: it counts as now. */
export function recentOf(times: readonly number[] = [], now: number, { withinMs }: Limit): readonly number[] {
  return times.map((at) => Math.min(at, now)).filter((at) => now - at < withinMs);
}

/** Milliseconds until it may happen once more; 0 if it may now. */
export function waitOf(times: readonly number[] | undefined, now: number, limit: Limit): number {
  const freed = recentOf(times, now, limit).at(-limit.most);
  return freed === undefined ? 0 : limit.withinMs - (now - freed);
}
