// One cycle run by hand: polls each subscription once, then delivers what is due, without schedule or engine.
import { defined } from '../domain/defined.js';
import { reasonOf, UserError } from '../domain/errors.js';
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { dispatch } from './dispatch.js';
import { deliveryJob } from './enqueue-deliveries.js';
import { rehearse } from './poll.js';
import type { Scheduler } from './scheduler.js';

export interface CycleOptions {
  /** One subscription instead of all. */
  readonly subscription?: string;
  /** Only reports what would happen. */
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
  readonly onLine?: (line: CycleLine) => void;
}

/** The result for one subscription. `new`: postings that are (or would be) added to the outbox. */
export interface CycleLine {
  readonly subscription: string;
  readonly outcome: string;
  readonly new?: number;
  readonly matched?: number;
  readonly why?: string;
}

/** Runs the cycle. A subscription that fails does not stop the others. */
export async function runCycle(
  p: Pipeline,
  scheduler: Scheduler,
  options: CycleOptions,
): Promise<readonly CycleLine[]> {
  const lines: CycleLine[] = [];
  for await (const subscription of chosen(p, options.subscription)) {
    if (options.signal.aborted) break;
    const line = options.dryRun
      ? await rehearsal(p, subscription, options.signal)
      : await turn(p, scheduler, subscription, options.signal);
    options.onLine?.(line);
    lines.push(line);
  }
  return lines;
}

async function* chosen(p: Pipeline, id: string | undefined): AsyncIterable<Subscription> {
  if (id === undefined) {
    yield* p.stores.subscriptions.list();
    return;
  }
  const one = await p.stores.subscriptions.get(id);
  if (!one)
    throw new UserError(`There is no subscription ${id}; "jobcrier subscriptions list" shows them all.`);
  yield one;
}

async function turn(
  p: Pipeline,
  scheduler: Scheduler,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<CycleLine> {
  const before = await p.ledgers.read(subscription.id);
  const { outcome, matched, why } = await scheduler.pollNow(subscription.id);
  const after = await p.ledgers.read(subscription.id);
  await scheduler.enrichNow(subscription);
  for (const destination of subscription.destinations)
    await dispatch(p, deliveryJob(subscription, destination), signal);
  return {
    subscription: subscription.id,
    outcome,
    new: Math.max(0, after.outbox.length - before.outbox.length),
    ...defined({ matched, why: why || undefined }),
  };
}

async function rehearsal(p: Pipeline, subscription: Subscription, signal: AbortSignal): Promise<CycleLine> {
  try {
    const { fresh, counts, baseline, why } = await rehearse(p, subscription, signal);
    const news = fresh.filter((one) => one.fate === 'matched').length;
    return {
      subscription: subscription.id,
      outcome: why ? 'partial' : baseline ? 'baseline' : 'checked',
      new: news,
      matched: counts.matched,
      ...defined({ why: why || undefined }),
    };
  } catch (error) {
    return { subscription: subscription.id, outcome: 'failed', why: reasonOf(error) };
  }
}
