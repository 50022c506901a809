// How a poll ends, in the words of logs and metrics.
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';

/** How a poll ended; partial: some of its requests failed, the others are recorded. `nextAt`: when to poll again, milliseconds since the epoch; Infinity: when something changes. */
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
  readonly nextAt: number;
  readonly matched?: number;
  readonly why?: string;
}

/** False once the subscription was changed or removed: what was asked for it is of no use, and must leave no trace. */
export function isCurrent(p: Pipeline, subscription: Subscription): boolean {
  return p.catalogue.get(subscription.id) === subscription;
}

/** Broken off; the next poll finds out what there is to do. */
export function stopped(p: Pipeline, why: string): PollResult {
  return { outcome: 'stopped', nextAt: p.clock.now(), why };
}
