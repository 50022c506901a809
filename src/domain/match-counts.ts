// How many postings matched a subscription, hour by hour. Charts and the mail about a quiet week read it.

/** Times in milliseconds since the epoch. */
export interface MatchCounts {
  /** The counts are complete from this time on. They never include what a subscription's first poll finds. */
  readonly since: number;
  /** True when the subscription was counted from its first poll on, so nothing is missing before `since`. */
  readonly whole: boolean;
  /** Counts by the start of their hour, oldest first. */
  readonly hours: HourCounts;
}

/** Counts by the start of their hour, in milliseconds since the epoch. */
export type HourCounts = readonly (readonly [at: number, count: number])[];

const HOUR = 3_600_000;

/** Adds what matched in a poll at `now`. The first counts of a subscription begin then. */
export function countMatches(
  counts: MatchCounts | undefined,
  { now, count, isFirst }: { readonly now: number; readonly count: number; readonly isFirst: boolean },
): MatchCounts {
  if (isFirst) return { since: now, whole: true, hours: [] };
  const before = counts ?? { since: now, whole: false, hours: [] };
  return count === 0 ? before : { ...before, hours: summed([...before.hours, [now - (now % HOUR), count]]) };
}

/** Adds up the counts of each hour; oldest first. */
export function summed(counts: HourCounts): HourCounts {
  const hours = new Map<number, number>();
  for (const [hour, count] of counts) hours.set(hour, (hours.get(hour) ?? 0) + count);
  return [...hours].sort(([a], [b]) => a - b);
}
