// What waits for each destination, and why: the rows of the operator's list of deliveries, and how to retry one.

import { type Backlog, backlogOf, type Place } from '../domain/backlog.js';
import { nextEditionAt } from '../domain/cadence.js';
import { defined } from '../domain/defined.js';
import { pagesOf, partsOf } from '../domain/edition.js';
import type { Ledger } from '../domain/ledger.js';
import { openEdition, pendingDue } from '../domain/outbox.js';
import { unpark } from '../domain/parking.js';
import { type Destination, isPaused, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import { deliveryJob, deliveryPlans } from '../pipeline/enqueue-deliveries.js';
import { stuckPlaces } from '../pipeline/stuck.js';
import type { BacklogTotals, PlaceReport } from '../ports/admin-service.js';
import type { ParkedPlace, StuckPlace } from '../ports/services.js';
import { parkedPlaces } from './status-snapshot.js';

const PAGE = 500;

/** A destination that waits for something, with what is known without reading the postings that wait. */
export interface Waiter {
  readonly subscription: string;
  readonly account: string;
  readonly destination: string;
  readonly sink: string;
  readonly state: 'paused' | 'off' | 'parked' | 'waiting';
  readonly parked: boolean;
  /** Since when, milliseconds since the epoch. */
  readonly since: number;
}

/** Every ledger with a waiting posting or a parked destination, and its subscription. */
async function* owing(p: Pipeline): AsyncIterable<readonly [Subscription, Backlog]> {
  for await (const page of pagesOf(p.stores.ledgers.allBacklogs(), PAGE)) {
    const subscriptions = await p.stores.subscriptions.many(page.map(([id]) => id));
    const backlogs = new Map(page);
    for (const subscription of subscriptions)
      yield [subscription, backlogs.get(subscription.id) as Backlog] as const;
  }
}

function waitersOf(
  p: Pipeline,
  subscription: Subscription,
  backlog: Backlog,
): readonly (Waiter & { place: Place })[] {
  const parked = parkedPlaces(subscription, backlog);
  return backlog.places.flatMap((place) => {
    const destination = subscription.destinations.find((one) => one.id === place.destination);
    const isParked = parked.includes(place.destination);
    if (!destination || (place.postings === 0 && place.cutAt === undefined && !isParked)) return [];
    const { sink, id } = destination;
    const state = isPaused(subscription)
      ? 'paused'
      : !p.sinks.has(sink)
        ? 'off'
        : isParked
          ? 'parked'
          : 'waiting';
    const since = place.cutAt ?? place.oldest ?? Number.POSITIVE_INFINITY;
    const { id: owner, account } = subscription;
    return { subscription: owner, account, destination: id, sink, state, parked: isParked, since, place };
  });
}

/** All waiting destinations: parked ones first, then those that wait longest. */
export async function waiters(p: Pipeline): Promise<readonly Waiter[]> {
  const found: Waiter[] = [];
  for await (const [subscription, backlog] of owing(p))
    for (const { place: _place, ...waiter } of waitersOf(p, subscription, backlog)) found.push(waiter);
  return found.sort((a, b) => Number(b.parked) - Number(a.parked) || a.since - b.since);
}

/** The row of one destination; opens its ledger. Undefined when the destination no longer waits. */
export async function reportWaiting(p: Pipeline, waiter: Waiter): Promise<PlaceReport | undefined> {
  const subscription = await p.stores.subscriptions.get(waiter.subscription);
  const backlog = (await p.stores.ledgers.backlogs([waiter.subscription])).get(waiter.subscription);
  if (!subscription || !backlog?.places.some((one) => one.destination === waiter.destination))
    return undefined;
  return (await placeReports(p, subscription)).find((one) => one.destination === waiter.destination);
}

/** Every destination of a subscription, in its order; opens the ledger. */
export async function placeReports(p: Pipeline, subscription: Subscription): Promise<readonly PlaceReport[]> {
  const ledger = await p.ledgers.read(subscription.id);
  const stuck = await stuckPlaces(p.sinks, subscription, ledger, p.clock.now());
  return subscription.destinations.map((destination) =>
    placeReport(
      p,
      subscription,
      destination,
      ledger,
      stuck.find((one) => one.destination.id === destination.id),
    ),
  );
}

function placeReport(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
  ledger: Ledger,
  stuck: StuckPlace | undefined,
): PlaceReport {
  const { id, sink, cadence } = destination;
  const place = backlogOf(ledger)?.places.find((one) => one.destination === id);
  const edition = openEdition(ledger, id);
  const waits = edition !== undefined || (place?.postings ?? 0) > 0;
  const state = isPaused(subscription)
    ? 'paused'
    : stuck && stuck.state !== 'waiting'
      ? stuck.state
      : edition?.lastFault
        ? 'retrying'
        : stuck || waits
          ? 'waiting'
          : 'active';
  // An immediate destination without a posting has no next time.
  const isPlanned = waits || cadence.every !== 'immediate';
  const isSent = state === 'active' || state === 'waiting' || state === 'retrying';
  return {
    subscription: subscription.id,
    account: subscription.account,
    destination: id,
    sink,
    cadence,
    state,
    postings: place?.postings ?? 0,
    attempts: edition ? edition.attempts + edition.outages : 0,
    ...defined({
      oldest: place?.oldest,
      nextAt: stuck?.nextAt ?? (isSent && isPlanned ? nextOf(p, destination, ledger) : undefined),
      since: stuck?.at,
      why: (stuck?.why ?? edition?.lastFault) || undefined,
      fix: stuck?.fix || undefined,
    }),
  };
}

function nextOf(p: Pipeline, destination: Destination, ledger: Ledger): number {
  const { id, cadence } = destination;
  const edition = openEdition(ledger, id);
  if (edition) return edition.nextAt;
  const now = p.clock.now();
  return cadence.every === 'immediate'
    ? (pendingDue(ledger, destination, now) ?? now)
    : nextEditionAt(cadence, now);
}

/**
 * Frees a destination and makes its deliveries due immediately. False when there is no such destination. `by`: for
 * the log.
 */
export async function retryPlace(
  p: Pipeline,
  id: string,
  destinationId: string,
  by: 'operator' | 'permission',
): Promise<boolean> {
  const subscription = await p.stores.subscriptions.get(id);
  const destination = subscription?.destinations.find((one) => one.id === destinationId);
  if (!subscription || !destination) return false;
  await p.ledgers.update(id, (ledger) => ({
    ledger: unpark(ledger, destination.id, p.clock.now()),
    result: undefined,
    plans: deliveryPlans(p, subscription, [destination]),
  }));
  p.log.info({ subscription: id, destination: destination.id, by }, 'destination freed');
  await p.engine.put(deliveryJob(subscription, destination));
  return true;
}

/** Frees the parked destinations that `isOpen` picks. */
export async function retryParked(p: Pipeline, isOpen: (place: ParkedPlace) => boolean): Promise<void> {
  for (const part of partsOf(await p.stores.ledgers.parked(), PAGE)) {
    const subscriptions = await p.stores.subscriptions.many(part);
    const backlogs = await p.stores.ledgers.backlogs(part);
    for (const subscription of subscriptions.filter((one) => !isPaused(one))) {
      const { id, guild } = subscription;
      const parked = parkedPlaces(subscription, backlogs.get(id));
      if (parked.length === 0) continue;
      const ledger = await p.ledgers.read(id);
      for (const { id: place, sink, target } of subscription.destinations) {
        if (!parked.includes(place)) continue;
        const fix = ledger.parked[place]?.fix;
        if (isOpen({ sink, target, ...defined({ guild: guild || undefined, fix: fix || undefined }) }))
          await retryPlace(p, id, place, 'permission');
      }
    }
  }
}

/** How many postings wait and how many destinations are parked. Times in milliseconds since the epoch. */
export async function backlogTotals(p: Pipeline): Promise<BacklogTotals> {
  let outbox = 0;
  let parked = 0;
  let oldest = Number.POSITIVE_INFINITY;
  let edition = Number.POSITIVE_INFINITY;
  for await (const [subscription, backlog] of owing(p)) {
    outbox += backlog.postings;
    oldest = Math.min(oldest, backlog.oldest ?? oldest);
    for (const one of waitersOf(p, subscription, backlog)) {
      if (one.parked) parked++;
      else if (one.state === 'waiting') edition = Math.min(edition, one.place.cutAt ?? edition);
    }
  }
  return {
    outbox,
    parked,
    ...defined({
      oldest: Number.isFinite(oldest) ? oldest : undefined,
      edition: Number.isFinite(edition) ? edition : undefined,
    }),
  };
}
