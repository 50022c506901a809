// What happens when a delivery fails, depending on the fault. In every case the postings stay in the outbox, or are
// closed with a reason that people can ask for.
import { defined } from '../domain/defined.js';
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

/** The subject of notices about a destination, shared by all subscriptions of the account that deliver there. */
export function placeOf({ account }: Subscription, { id }: Destination): string {
  return `${account}:${id}`;
}

/** Adds a line to the subscription's history. The line is optional, so a failure to store it is only logged. */
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

/** Takes back the count of an attempt that a shutdown interrupted. */
export async function handBack(p: Pipeline, { subscription, edition }: Attempt): Promise<Outcome> {
  await p.ledgers.update(subscription.id, (ledger) => ({
    ledger: giveBack(ledger, edition),
    result: undefined,
  }));
  return { again: 0, deferred: true };
}

/** Clears the notices about a destination that was reached. The one about single postings is cleared once per edition. */
export async function clearNotices(
  p: Pipeline,
  { subscription, destination, delivery }: Attempt,
): Promise<void> {
  const place = placeOf(subscription, destination);
  await p.notices.clear('destination', place);
  await p.notices.clear('expired', place);
  if (delivery.part === 0) await p.notices.clear('posting', place);
}

/** Parks, postpones or halves after a failed attempt, and notifies the owner of what only the owner can fix. */
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
  // Removed or moved in the meantime: there is nothing left to postpone, and nothing may be written about it.
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

/** Notifies the operator of a fault of the program itself, once a day per sink and reason. Owners can't fix it. */
async function alertOperator(
  p: Pipeline,
  { subscription, destination }: Attempt,
  why: string,
): Promise<void> {
  const { sink } = destination;
  p.log.error(
    { subscription: subscription.id, destination: destination.id, sink, reason: why },
    'delivery failed because of an error in the program',
  );
  const text = `Deliveries by ${sink} fail because of an error in the program, a template or a sink module (${why}). Waiting postings are kept and are sent when it is fixed; the log has the details.`;
  const subject = `${sink}: ${why}`.slice(0, 300);
  await p.notices.tell({ kind: 'program', subject, account: OPERATOR, text, forMs: 86_400_000 });
}

async function parkPlace(p: Pipeline, one: Attempt, error: DeliveryError): Promise<Outcome> {
  const { subscription, destination } = one;
  const { forOwner, fix } = error;
  // The receiving service's words are for the operator. The name of the fix is for the owner, in any language.
  const reason = { why: reasonOf(error), ...defined({ fix: fix || undefined }) };
  // The owner is notified before the destination is parked. In the other order, a failure in between would mean that
  // the owner is never notified.
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

/** Adds a history line for the first failure, and notifies the owner of postings that were given up. */
async function report(
  p: Pipeline,
  one: Attempt,
  kind: 'expired' | 'posting',
  { lost }: DeliveryFailure,
  why: string,
): Promise<void> {
  const { subscription, destination, delivery, keys } = one;
  if (lost.length === 0) {
    // A message that is halved is sent again immediately. That is not a failure yet.
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

/** The name that people know a destination by, for a notice about it. */
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
