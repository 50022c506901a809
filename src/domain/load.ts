// Whether a token has time for all requests of its subscriptions. A token makes one request at a time, with a gap
// after each, so many subscriptions of one account can need more time than there is.
import { subjectsOf } from './request.js';
import { intervalOf } from './schedule.js';
import type { Subscription } from './subscription.js';

/** The average time until an answer, as an estimate. Milliseconds. */
const ANSWER_MS = 200;
const MINUTE = 60_000;
/** Common intervals, in minutes. */
const USUAL = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440];

export interface PlannedLoad {
  /** Distinct requests. */
  readonly requests: number;
  /** The share of the token's time they take. Above 1, they can't all be made in time. */
  readonly share: number;
  /** The shortest common interval at which all of them can be made in time. Minutes. */
  readonly fittingMinutes: number;
}

/**
 * Returns the planned load of each account. `spacingMs`: shortest gap between two requests of an account, in
 * milliseconds.
 */
export async function plannedLoads(
  subscriptions: AsyncIterable<Subscription> | Iterable<Subscription>,
  { spacingMs, now }: { readonly spacingMs: number; readonly now: number },
): Promise<ReadonlyMap<string, PlannedLoad>> {
  const intervals = new Map<string, Map<string, number>>();
  for await (const one of subscriptions) {
    const ofAccount = intervals.get(one.account) ?? new Map<string, number>();
    const interval = intervalOf(one.schedule, now);
    for (const subject of subjectsOf(one))
      ofAccount.set(subject, Math.min(interval, ofAccount.get(subject) ?? interval));
    intervals.set(one.account, ofAccount);
  }
  const turnMs = spacingMs + ANSWER_MS;
  return new Map(
    [...intervals].map(([account, ofAccount]) => {
      const share = [...ofAccount.values()].reduce((sum, interval) => sum + turnMs / interval, 0);
      const wanted = (ofAccount.size * turnMs) / MINUTE;
      const fittingMinutes = USUAL.find((one) => one >= wanted) ?? Math.ceil(wanted / 1440) * 1440;
      return [account, { requests: ofAccount.size, share, fittingMinutes }];
    }),
  );
}

/** Returns an interval in words: "15 minutes", "2 hours". */
export function intervalWords(minutes: number): string {
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
