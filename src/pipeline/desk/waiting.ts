// What waits for each destination, and why: the rows of the operator's list of deliveries, and the retry of one.
import { nextEditionAt } from '../../domain/cadence.js';
import type { Place } from '../../domain/debt.js';
import type { Ledger } from '../../domain/ledger.js';
import { openEdition } from '../../domain/outbox.js';
import { unpark } from '../../domain/parking.js';
import { type Destination, isPaused, type Subscription } from '../../domain/subscription.js';
import type { Overview, WaitingReport } from '../../ports/admin-desk.js';
import type { ParkedPlace } from '../../ports/desk.js';
import type { Pipeline } from '../context.js';
import { deliveryJob } from '../wake.js';
import { parkedPlaces } from './census.js';

/** A destination that waits for something, as far as it is known without opening its ledger. */
export interface Waiter {
  readonly subscription: Subscription;
  readonly destination: Destination;
  readonly place: Place;
  readonly parked: boolean;
}

/** All that wait: parked ones first, then whoever waits longest. */
export function waiters(p: Pipeline): readonly Waiter[] {
  const found: Waiter[] = [];
  for (const [id, { places }] of p.ledgers.debts()) {
    const subscription = p.catalogue.get(id);
    if (!subscription) continue;
    const parked = parkedPlaces(p, subscription);
    for (const place of places) {
      const destination = subscription.destinations.find((one) => one.id === place.destination);
      const isParked = parked.includes(place.destination);
      if (!destination || (place.postings === 0 && place.cutAt === undefined && !isParked)) continue;
      found.push({ subscription, destination, place, parked: isParked });
    }
  }
  const since = ({ place }: Waiter) => place.cutAt ?? place.oldest ?? Number.POSITIVE_INFINITY;
  return found.sort((a, b) => Number(b.parked) - Number(a.parked) || since(a) - since(b));
}

export function stateOf(p: Pipeline, { subscription, destination, parked }: Waiter): WaitingReport['state'] {
  if (isPaused(subscription)) return 'paused';
  if (!p.sinks.has(destination.sink)) return 'off';
  return parked ? 'parked' : 'waiting';
}

/** The row of one destination; opens its ledger. */
export async function reportWaiting(p: Pipeline, waiter: Waiter): Promise<WaitingReport> {
  const { subscription, destination, place } = waiter;
  const ledger = await p.ledgers.read(subscription.id);
  const note = ledger.parked[destination.id];
  const edition = openEdition(ledger, destination.id);
  const base = stateOf(p, waiter);
  const state = base === 'waiting' && edition?.lastFault ? 'retrying' : base;
  const nextAt = nextOf(p, destination, ledger);
  const why = state === 'parked' ? note?.why : edition?.lastFault;
  return {
    subscription: subscription.id,
    account: subscription.account,
    destination: destination.id,
    sink: destination.sink,
    every: destination.cadence.every,
    state,
    postings: place.postings,
    attempts: edition ? edition.attempts + edition.outages : 0,
    ...(place.oldest === undefined ? {} : { oldest: place.oldest }),
    ...(state === 'waiting' || state === 'retrying' ? { nextAt } : {}),
    ...(state === 'parked' && note ? { since: note.at } : {}),
    ...(why ? { why } : {}),
  };
}

function nextOf(p: Pipeline, { id, cadence }: Destination, ledger: Ledger): number {
  const edition = openEdition(ledger, id);
  if (edition) return edition.nextAt;
  return cadence.every === 'immediate' ? p.clock.now() : nextEditionAt(cadence, p.clock.now());
}

/** Frees a destination and makes what waits for it due at once; false when there is no such place. `by`: for the log. */
export async function retryPlace(
  p: Pipeline,
  id: string,
  destinationId: string,
  by: 'operator' | 'permission',
): Promise<boolean> {
  const subscription = p.catalogue.get(id);
  const destination = subscription?.destinations.find((one) => one.id === destinationId);
  if (!subscription || !destination) return false;
  await p.ledgers.update(id, (ledger) => ({
    ledger: unpark(ledger, destination.id, p.clock.now()),
    result: undefined,
  }));
  p.log.info({ subscription: id, destination: destination.id, by }, 'destination freed');
  await p.engine.put(deliveryJob(subscription, destination));
  return true;
}

/** Frees the parked destinations that `isOpen` picks. */
export async function retryParked(p: Pipeline, isOpen: (place: ParkedPlace) => boolean): Promise<void> {
  for (const { subscription, destination, parked } of waiters(p)) {
    if (!parked || isPaused(subscription)) continue;
    const { sink, target } = destination;
    const { guild, id } = subscription;
    const mend = (await p.ledgers.read(id)).parked[destination.id]?.mend;
    if (isOpen({ sink, target, ...(guild ? { guild } : {}), ...(mend ? { mend } : {}) }))
      await retryPlace(p, id, destination.id, 'permission');
  }
}

/** How much is owed and since when, from memory: cheap enough for every scrape. */
export function debtsOf(p: Pipeline): Pick<Overview, 'outbox' | 'oldest' | 'edition' | 'parked'> {
  let outbox = 0;
  let oldest = Number.POSITIVE_INFINITY;
  for (const [id, debt] of p.ledgers.debts()) {
    if (!p.catalogue.get(id)) continue;
    outbox += debt.postings;
    oldest = Math.min(oldest, debt.oldest ?? Number.POSITIVE_INFINITY);
  }
  let edition = Number.POSITIVE_INFINITY;
  let parked = 0;
  for (const waiter of waiters(p)) {
    if (waiter.parked) parked++;
    else if (!isPaused(waiter.subscription) && p.sinks.has(waiter.destination.sink))
      edition = Math.min(edition, waiter.place.cutAt ?? Number.POSITIVE_INFINITY);
  }
  return {
    outbox,
    parked,
    ...(Number.isFinite(oldest) ? { oldest } : {}),
    ...(Number.isFinite(edition) ? { edition } : {}),
  };
}
