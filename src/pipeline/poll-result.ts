// How a poll of a whole subscription ends, in the words of logs, commands and people.
import { defined } from '../domain/defined.js';
import { type RequestRef, requestsOf, requestUnit } from '../domain/request.js';
import type { Subscription } from '../domain/subscription.js';
import type { RequestState, Stores } from '../ports/stores.js';

/** `partial`: some of its requests failed, the others are recorded. `stopped`: it changed in the meantime. */
export interface PollResult {
  readonly outcome:
    | 'unchanged'
    | 'recorded'
    | 'baseline'
    | 'partial'
    | 'paused'
    | 'no-token'
    | 'rejected'
    | 'failed'
    | 'throttled'
    | 'gone'
    | 'stopped';
  readonly matched?: number;
  readonly why?: string;
}

/** The last results of a subscription's requests. Times in milliseconds since the epoch. */
export interface PollStatus {
  readonly polledAt?: number;
  /** Failures in a row of the request with the most. */
  readonly failures: number;
  readonly outcome?: string;
}

/** The stored states of requests, in their order. */
export async function requestStates(
  { lanes }: Pick<Stores, 'lanes'>,
  requests: readonly RequestRef[],
): Promise<readonly RequestState[]> {
  const states = await lanes.states(requests.map(requestUnit));
  return states.map(({ state }) => (state ?? {}) as RequestState);
}

export async function pollStatus(
  stores: Pick<Stores, 'lanes'>,
  { account, filter }: Subscription,
): Promise<PollStatus> {
  const states = await requestStates(stores, requestsOf({ account, filter }));
  const times = states.flatMap(({ answeredAt }) => answeredAt ?? []);
  const bad = states.filter(({ outcome }) => outcome !== undefined);
  const [worst] = bad;
  const outcome = !worst ? 'recorded' : bad.length < states.length ? 'partial' : worst.outcome;
  return {
    failures: Math.max(0, ...states.map(({ failures = 0 }) => failures)),
    ...defined({
      polledAt: times.length > 0 ? Math.max(...times) : undefined,
      outcome: outcome && (worst || times.length > 0) ? outcome : undefined,
    }),
  };
}
