// Targets at rest. An e-mail address names a person and a webhook's address is often a secret, so every target is
// sealed but channel ids, which are numbers.
import type { Destination } from '../domain/subscription.js';
import type { Envelope, Place, Sealer } from './sealing.js';
import { isEnvelope } from './sealing.js';

export interface StoredDestination extends Omit<Destination, 'target'> {
  readonly target: string | Envelope;
}

/**
 * `before` is the stored form of the same destination: its id is made of its target, so a target that came back empty
 * because its key was missing is still the one stored there, and is kept.
 */
export function packDestination(
  destination: Destination,
  place: Place,
  sealer: Sealer,
  before?: StoredDestination,
): StoredDestination {
  const { target } = destination;
  if (target === '' && isEnvelope(before?.target)) return { ...destination, target: before.target };
  return /^\d*$/u.test(target) ? destination : { ...destination, target: sealer.seal(target, place) };
}

/** An unreadable target comes back empty: no sink accepts that where it needs one. */
export function unpackDestination(stored: StoredDestination, place: Place, sealer: Sealer): Destination {
  const { target } = stored;
  return { ...stored, target: typeof target === 'string' ? target : (sealer.open(target, place) ?? '') };
}
