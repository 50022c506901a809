// Delivers what is in the outbox. An edition is durable before its first attempt, an attempt is counted before it is
// made, and a posting counts as delivered only after the receiving service accepted it and the ledger records that.
import { deliveryQueue } from '../domain/delivery.js';
import { asDeliveryError, DeliveryError, reasonOf, StoreError } from '../domain/errors.js';
import { arrivedBeforeMove, wantedToMove, withDestinations } from '../domain/moving.js';
import { closedWith, settlePart, wantedToClose } from '../domain/outbox.js';
import { type Destination, isPaused, type Subscription } from '../domain/subscription.js';
import type { Job, Outcome } from '../ports/engine.js';
import type { Pipeline } from './context.js';
import { clearNotices, fail, handBack, note, placeOf } from './delivery-failure.js';
import { deliveryJob } from './enqueue-deliveries.js';
import { guardOf } from './guard.js';
import { type Attempt, prepare } from './prepare.js';
import { enqueueSharedDestinations, freeShared } from './shared-destinations.js';

/** Delivers what is due at one destination. The handler of the delivery queues. */
export async function dispatch(p: Pipeline, job: Job, signal: AbortSignal): Promise<Outcome> {
  const [subscriptionId = '', destinationId = ''] = job.id.split('\n');
  let isSent = false;
  while (!signal.aborted) {
    // Read again for each message: the subscription may have been paused, moved or removed since the last one.
    const subscription = await p.stores.subscriptions.get(subscriptionId);
    if (!subscription) return undefined;
    const destination = subscription.destinations.find((one) => one.id === destinationId);
    if (!destination) return forget(p, subscription);
    if (isPaused(subscription)) return undefined;
    const sink = p.sinks.get(destination.sink);
    if (!sink) return sinkIsOff(p, subscription, destination);
    const prepared = await p.ledgers.update(subscription.id, (ledger) =>
      prepare(p, ledger, subscription, destination, sink),
    );
    const rest = (isSent && sink.restMs?.(destination.target)) || 0;
    if (prepared.kind === 'nothing') return rest > 0 ? { rest } : undefined;
    if (prepared.kind === 'wait')
      return { again: Math.max(prepared.until - p.clock.now(), 0), deferred: true, rest };
    const outcome = await deliver(p, prepared.attempt, signal);
    if (outcome) return outcome;
    isSent = true;
  }
  return { again: 0, deferred: true };
}

/** The sink's settings were removed: the postings stay in the outbox, and the owner is notified. */
async function sinkIsOff(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
): Promise<Outcome> {
  await p.notices.tell({
    kind: 'destination',
    subject: placeOf(subscription, destination),
    account: subscription.account,
    subscription: subscription.id,
    destination: destination.id,
    text: `The ${destination.sink} sink is off, so nothing is sent there. The operator can turn it on in the settings; postings wait for up to 30 days.`,
    data: { sink: destination.sink },
  });
  await p.engine.put({ ...deliveryJob(subscription, destination), queue: offQueue(destination.sink) });
  return undefined;
}

/** The queue of deliveries that wait until a sink is turned on. */
const offQueue = (sink: string) => `off:${sink}`;

/** Called at a start: makes the deliveries due that waited for a sink that is on now. */
export async function resumeSinks(p: Pipeline): Promise<void> {
  for (const sink of p.sinks.keys())
    for (const waiting of await p.stores.lanes.units(offQueue(sink))) {
      await p.stores.lanes.plan([{ ...waiting, queue: deliveryQueue(sink), at: p.clock.now() }]);
      await p.stores.lanes.drop([waiting]);
    }
}

/** Handles a destination that the subscription no longer has: its part of the outbox moves to the current ones. */
async function forget(p: Pipeline, subscription: Subscription): Promise<Outcome> {
  const ids = subscription.destinations.map((one) => one.id);
  await p.ledgers.update(
    subscription.id,
    (ledger) => ({ ledger: withDestinations(ledger, ids, p.clock.now()), result: undefined }),
    (ledger) => wantedToMove(ledger, ids),
  );
  return undefined;
}

async function deliver(p: Pipeline, one: Attempt, signal: AbortSignal): Promise<Outcome> {
  const { subscription, destination, sink, delivery, keys } = one;
  const started = p.clock.now();
  const limit = deadlineWithin(signal, p.settings.deliveryTimeoutMs);
  try {
    p.step('dispatch.sending');
    await sink.deliver(delivery, destination.target, {
      signal: limit.signal,
      guard: guardOf(p, delivery.postings, one.redactor),
    });
  } catch (error) {
    p.metrics.count('deliveries_total', { sink: sink.name, outcome: 'failed' });
    if (signal.aborted) return handBack(p, one);
    return fail(p, one, faultOf(p, one, error, limit.signal));
  } finally {
    limit.release();
  }
  p.step('dispatch.sent');
  await settle(p, one, signal);
  p.step('dispatch.settled');
  const seconds = (p.clock.now() - started) / 1000;
  p.metrics.observe('delivery_duration_seconds', seconds, { sink: sink.name });
  p.metrics.count('deliveries_total', { sink: sink.name, outcome: 'sent' });
  p.metrics.count('postings_delivered_total', { sink: sink.name }, keys.length);
  const { edition, part, parts } = delivery;
  const where = { subscription: subscription.id, destination: destination.id, sink: sink.name };
  p.log.info({ ...where, edition, part, parts, postings: keys.length }, 'edition delivered');
  await clearNotices(p, one);
  await freeShared(p, subscription, destination);
  await enqueueSharedDestinations(p, subscription, destination);
  return undefined;
}

/**
 * Converts an error to a DeliveryError. An unknown error is a bug of the sink or of this program, never the posting's
 * fault. It is an outage if time ran out or the store failed. Its message may contain anything, so it is only written
 * to the log, which is searched for secrets, and never stored or sent.
 */
function faultOf(p: Pipeline, { sink }: Attempt, error: unknown, limited: AbortSignal): DeliveryError {
  const failed = 'a sink failed with an unexpected error';
  try {
    const named = asDeliveryError(error);
    if (named) return named;
    if (limited.aborted) return new DeliveryError('outage', 'no answer in time');
    if (error instanceof StoreError) return new DeliveryError('outage', reasonOf(error));
    p.log.error({ sink: sink.name, error }, failed);
    const name = error instanceof Error ? error.name : typeof error;
    return new DeliveryError('program', `unexpected failure (${name.slice(0, 40)})`);
  } catch {
    // Any value may be thrown, even an object that throws when its properties are read.
    p.log.error({ sink: sink.name }, failed);
    return new DeliveryError('program', 'unexpected failure');
  }
}

/**
 * Records that a message was sent. The receiving service has it, so this is tried until the store works: giving up
 * would send the same message again. Only the end of the process ends it.
 */
async function settle(p: Pipeline, one: Attempt, signal: AbortSignal): Promise<void> {
  const { subscription, destination, delivery, edition, keys } = one;
  for (let wait = 500; ; wait = Math.min(wait * 2, 10_000)) {
    try {
      const count = await p.ledgers.update(
        subscription.id,
        (before) => {
          const now = p.clock.now();
          const isThere = before.editions.some((one) => one.id === edition);
          const ledger = isThere
            ? settlePart(before, edition, now)
            : arrivedBeforeMove(before, destination.id, keys, now);
          return { ledger, result: closedWith(before, ledger, edition) };
        },
        (ledger) =>
          ledger.editions.some((one) => one.id === edition)
            ? wantedToClose(ledger, edition)
            : { outcomes: { keys, destinations: [destination.id] } },
      );
      if (count) await note(p, one, { kind: 'sent', count });
      return;
    } catch (error) {
      if (
        signal.aborted ||
        (error instanceof StoreError && (error.fault === 'lost' || error.fault === 'taken'))
      )
        throw error;
      p.log.error(
        { subscription: subscription.id, edition: delivery.edition, reason: reasonOf(error) },
        'settling failed',
      );
      await pause(wait, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

// A time limit combined with a signal, without AbortSignal.any. That leaks memory at each call when a signal it is
// given outlives the result (nodejs/node#55351, #64476), and the signal that ends the service outlives everything:
// after a million deliveries the leak was more than a hundred megabytes.

export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the timer and removes the listener from the outer signal. Call it when the work is done. */
  release(): void;
}

/** Aborts when `outer` does, with its reason, and after `ms` milliseconds with a TimeoutError. */
export function deadlineWithin(outer: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  const follow = () => controller.abort(outer.reason);
  const late = () => controller.abort(new DOMException('no answer in time', 'TimeoutError'));
  // Like the timers of AbortSignal.timeout: one that was not released must not keep the process alive.
  const timer = setTimeout(late, ms).unref();
  if (outer.aborted) follow();
  else outer.addEventListener('abort', follow);
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      outer.removeEventListener('abort', follow);
    },
  };
}
