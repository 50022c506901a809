// A message without postings that a person asks for, to see that what a subscription sends arrives.
import { defined } from '../domain/defined.js';
import { asDeliveryError, refusal } from '../domain/errors.js';
import { type Limit, recentOf, waitOf } from '../domain/limit.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { TestResult } from '../ports/services.js';

/** A channel that many people read must not fill up with tests. */
const OF_ONE: Limit = { most: 1, withinMs: 60_000 };
/** Time limit at one destination, because a person waits for the answer. Milliseconds. */
const PATIENCE_MS = 8_000;

/** See `Services.sendTest`. The caller has checked who asks. */
export async function sendTest(p: Pipeline, subscription: Subscription): Promise<readonly TestResult[]> {
  await countTest(p, subscription.id);
  return Promise.all(subscription.destinations.map((one) => testAt(p, subscription, one)));
}

/** Counts a test before it is sent, so that a burst can't exceed the limit. */
async function countTest({ stores, clock }: Pipeline, id: string): Promise<void> {
  await stores.misc.update(
    `test:${id}`,
    (before) => {
      const times = before as readonly number[] | undefined;
      const now = clock.now();
      if (waitOf(times, now, OF_ONE) > 0)
        throw refusal(
          'testTooSoon',
          'A test was sent less than a minute ago. Wait a minute for the next one.',
        );
      return [...recentOf(times, now, OF_ONE), now];
    },
    OF_ONE.withinMs,
  );
}

async function testAt(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
): Promise<TestResult> {
  const sink = p.sinks.get(destination.sink);
  if (!sink?.test) return { destination, state: 'none' };
  try {
    await sink.test(destination, {
      about: p.describe(subscription),
      locale: subscription.locale ?? 'en',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { destination, state: 'sent' };
  } catch (error) {
    const failed = asDeliveryError(error);
    if (!failed) throw error;
    p.log.warn({ destination: destination.id, reason: failed.message }, 'a test message did not arrive');
    return { destination, state: 'failed', why: failed.forOwner, ...defined({ fix: failed.fix }) };
  }
}
