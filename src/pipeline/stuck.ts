// Which destinations of a subscription get nothing at present, and why: from the ledger's past attempts, and from
// what the sink knows without an attempt.
import { defined } from '../domain/defined.js';
import type { Ledger } from '../domain/ledger.js';
import { openEdition } from '../domain/outbox.js';
import { parkedNow } from '../domain/parking.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { StuckPlace } from '../ports/services.js';
import type { Sink } from '../ports/sink.js';

/** `ledger`: undefined for a subscription without one. */
export async function stuckPlaces(
  sinks: ReadonlyMap<string, Sink>,
  subscription: Subscription,
  ledger: Ledger | undefined,
  now: number,
): Promise<readonly StuckPlace[]> {
  const found: StuckPlace[] = [];
  for (const destination of subscription.destinations) {
    const place = await stuckPlace(sinks, subscription, destination, ledger, now);
    if (place) found.push(place);
  }
  return found;
}

async function stuckPlace(
  sinks: ReadonlyMap<string, Sink>,
  subscription: Subscription,
  destination: Destination,
  ledger: Ledger | undefined,
  now: number,
): Promise<StuckPlace | undefined> {
  const sink = sinks.get(destination.sink);
  if (!sink) return { destination, state: 'off', why: `${destination.sink} is off`, fix: 'sinkOff' };
  const parked = ledger && parkedNow(ledger, destination.id, subscription.resumedAt);
  if (parked) {
    const { at, why, fix } = parked;
    return { destination, state: 'parked', at, why, ...defined({ fix: fix || undefined }) };
  }
  const { id, account } = subscription;
  const obstacle = await sink.obstacle?.({ account, subscription: id, destination });
  if (obstacle) {
    const { why, fix, until } = obstacle;
    return until === undefined
      ? { destination, state: 'blocked', why, fix }
      : { destination, state: 'waiting', why, fix, nextAt: until };
  }
  const edition = ledger && openEdition(ledger, destination.id);
  if (!edition?.lastFault || edition.nextAt <= now) return undefined;
  return { destination, state: 'waiting', why: edition.lastFault, nextAt: edition.nextAt };
}

/** The state of a subscription that runs otherwise, from its stuck destinations. */
export function stuckState(stuck: readonly StuckPlace[]): 'active' | 'parked' | 'waiting' {
  if (stuck.length === 0) return 'active';
  return stuck.every((place) => place.state === 'waiting') ? 'waiting' : 'parked';
}
