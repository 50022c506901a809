// Whether a token can ask for everything as often as its subscriptions want. One token makes one request at a time, with
// a gap after each, so many subscriptions of one account can come to more than its time allows.
import { requestsOf } from './request.js';
import { intervalOf } from './schedule.js';
import type { Subscription } from './subscription.js';

/** What an answer takes, on average. Milliseconds; an estimate. */
const ANSWER_MS = 200;
const MINUTE = 60_000;
/** Intervals people use, in minutes. */
const USUAL = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440];

export interface PlannedLoad {
  /** Distinct requests. */
  readonly requests: number;
  /** Share of the token's time that they take; above 1 they can't all be made in time. */
  readonly share: number;
  /** The shortest usual interval at which all of them can be made in time. Minutes. */
  readonly fittingMinutes: number;
}

/** What each account's subscriptions come to. `spacingMs`: least gap between two requests of an account. */
export async function plannedLoads(
  subscriptions: AsyncIterable<Subscription> | Iterable<Subscription>,
  { spacingMs, now }: { readonly spacingMs: number; readonly now: number },
): Promise<ReadonlyMap<string, PlannedLoad>> {
  const intervals = new Map<string, Map<string, number>>();
  for await (const one of subscriptions) {
    const ofAccount = intervals.get(one.account) ?? new Map<string, number>();
    const interval = intervalOf(one.schedule, now);
    for (const { subject } of requestsOf(one))
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

/** An interval as words: "15 minutes", "2 hours". */
export function intervalWords(minutes: number): string {
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
