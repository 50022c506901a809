// What happens when a delivery does not succeed, by whose fault it is. Whatever it is, the postings are
// still owed, or done with a reason that can be asked for.
import { type DeliveryError, reasonOf } from '../domain/errors.js';
import type { Ledger } from '../domain/ledger.js';
import {
  closedWith,
  type DeliveryFailure,
  giveBack,
  postpone,
  putOff,
  refuse,
  wantedToClose,
} from '../domain/outbox.js';
import { park } from '../domain/parking.js';
import { type Destination, OPERATOR, type Subscription } from '../domain/subscription.js';
import type { Outcome } from '../ports/engine.js';
import type { Notice } from '../ports/notice.js';
import type { PlaceName } from '../ports/sink.js';
import type { HistoryEvent } from '../ports/stores.js';
import type { Pipeline } from './context.js';
import type { Attempt } from './prepare.js';
import { enqueueSharedDestinations } from './shared-destinations.js';

/** The subject of notices about a place: one for all subscriptions of the account that deliver there. */
export function placeOf({ account }: Subscription, { id }: Destination): string {
  return `${account}:${id}`;
}

/** Adds a line to the subscription's history; only a convenience, so a store that fails over it changes nothing. */
export async function note(
  p: Pipeline,
  { subscription, destination, delivery }: Attempt,
  event: Pick<HistoryEvent, 'kind' | 'count' | 'why' | 'fix'>,
): Promise<void> {
  const at = p.clock.now();
  try {
    if (!(await p.stores.subscriptions.get(subscription.id))) return;
    await p.history.note(subscription.id, {
      at,
      destination: destination.id,
      edition: delivery.edition,
      ...event,
    });
  } catch (error) {
    p.log.warn({ subscription: subscription.id, reason: reasonOf(error) }, 'history line lost');
  }
}

/** Stopped in mid-attempt by a shutdown: nobody's fault, so the attempt is given back. */
export async function handBack(p: Pipeline, { subscription, edition }: Attempt): Promise<Outcome> {
  await p.ledgers.update(subscription.id, (ledger) => ({
    ledger: giveBack(ledger, edition),
    result: undefined,
  }));
  return { again: 0, deferred: true };
}

/** The place was reached, so what its owner was told is settled; each edition may tell of its own postings once. */
export async function clearNotices(
  p: Pipeline,
  { subscription, destination, delivery }: Attempt,
): Promise<void> {
  const place = placeOf(subscription, destination);
  await p.notices.clear('destination', place);
  await p.notices.clear('expired', place);
  if (delivery.part === 0) await p.notices.clear('posting', place);
}

/** Parks, puts off or halves, and tells the owner what only the owner can fix. */
export async function fail(p: Pipeline, one: Attempt, error: DeliveryError): Promise<Outcome> {
  const { subscription, destination, delivery } = one;
  const { fault, retryAfterMs } = error;
  const why = reasonOf(error);
  const { attempt } = delivery;
  p.log.warn(
    {
      subscription: subscription.id,
      destination: destination.id,
      edition: delivery.edition,
      fault,
      reason: why,
      attempt,
    },
    'delivery failed',
  );
  // Removed or moved meanwhile: there is nothing left to put off, and nothing may be written about it.
  const current = await p.stores.subscriptions.get(subscription.id);
  if (!current?.destinations.some(({ id }) => id === destination.id)) return undefined;
  if (fault === 'target') return parkPlace(p, one, error);
  const now = p.clock.now();
  const { resumedAt } = subscription;
  const { edition } = one;
  const step = (ledger: Ledger) => {
    if (fault === 'program') return postpone(ledger, edition, why, now, resumedAt);
    return fault === 'outage'
      ? putOff(ledger, edition, why, now, retryAfterMs, resumedAt)
      : refuse(ledger, edition, why, now, resumedAt);
  };
  const { deliveryFailure, count } = await p.ledgers.update(
    subscription.id,
    (ledger) => {
      const result = step(ledger);
      return {
        ledger: result.ledger,
        result: { deliveryFailure: result, count: closedWith(ledger, result.ledger, edition) },
      };
    },
    (ledger) => wantedToClose(ledger, edition),
  );
  if (count) await note(p, one, { kind: 'sent', count });
  if (fault === 'program') await alertOperator(p, one, why);
  await report(p, one, fault === 'content' ? 'posting' : 'expired', deliveryFailure, why);
  const again = Math.max(deliveryFailure.nextAt - p.clock.now(), 0);
  return fault === 'content' ? { again } : { again, deferred: true };
}

/** A fault of the program's own is for the operator, once a day per sink and reason: no owner can do anything about it. */
async function alertOperator(
  p: Pipeline,
  { subscription, destination }: Attempt,
  why: string,
): Promise<void> {
  const { sink } = destination;
  p.log.error(
    { subscription: subscription.id, destination: destination.id, sink, reason: why },
    'delivery failed over the program itself',
  );
  const text = `Deliveries by ${sink} fail over an error of the program, a template or a sink module (${why}). What waits is kept and goes out once that is fixed; the log has the details.`;
  const subject = `${sink}: ${why}`.slice(0, 300);
  await p.notices.tell({ kind: 'program', subject, account: OPERATOR, text, forMs: 86_400_000 });
}

async function parkPlace(p: Pipeline, one: Attempt, error: DeliveryError): Promise<Outcome> {
  const { subscription, destination } = one;
  const { forOwner, fix } = error;
  // The far side's words for the operator, the name of the fix for its owner in any language.
  const reason = { why: reasonOf(error), ...(fix ? { fix } : {}) };
  // Told before it is parked: the other way round a failure in between would keep it from the owner for good.
  await tell(p, one, 'destination', forOwner, fix ? { fix } : {});
  await p.ledgers.update(subscription.id, (ledger) => ({
    ledger: park(
      giveBack(ledger, one.edition),
      destination.id,
      reason,
      p.clock.now(),
      subscription.resumedAt,
    ),
    result: undefined,
  }));
  await note(p, one, { kind: 'parked', ...reason });
  await enqueueSharedDestinations(p, subscription, destination);
  return undefined;
}

/** A line in the history for the first failure, and word to the owner for what was given up. */
async function report(
  p: Pipeline,
  one: Attempt,
  kind: 'expired' | 'posting',
  { lost }: DeliveryFailure,
  why: string,
): Promise<void> {
  const { subscription, destination, delivery, keys } = one;
  if (lost.length === 0) {
    // A message that is halved goes on at once; that is no failure yet.
    const isFirst = delivery.attempt === 1 && (kind === 'expired' || keys.length === 1);
    if (isFirst) await note(p, one, { kind: 'failed', why });
    return;
  }
  const count = lost.length;
  p.metrics.count('postings_lost_total', { how: kind }, count);
  await note(p, one, { kind: kind === 'posting' ? 'parked' : 'expired', count, why });
  await tell(
    p,
    one,
    kind,
    kind === 'expired'
      ? `The ${destination.sink} destination could not be reached for three days (${why}), so ${count} posting(s) were not sent.`
      : `A posting could not be sent by ${destination.sink} after five attempts (${why}) and was set aside; the others were sent.`,
    { count },
  );
  await enqueueSharedDestinations(p, subscription, destination);
}

/** What people call the place, for a notice about it. */
export async function nameOf(p: Pipeline, { sink, target }: Destination): Promise<PlaceName> {
  return (await p.sinks.get(sink)?.nameOf?.(target)) ?? {};
}

async function tell(
  p: Pipeline,
  { subscription, destination }: Attempt,
  kind: Notice['kind'],
  text: string,
  data: Notice['data'] = {},
): Promise<void> {
  await p.notices.tell({
    kind,
    subject: placeOf(subscription, destination),
    account: subscription.account,
    subscription: subscription.id,
    destination: destination.id,
    text,
    data: {
      ...data,
      sink: destination.sink,
      about: p.describe(subscription),
      ...(await nameOf(p, destination)),
    },
  });
}
