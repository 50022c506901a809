// Targets at rest. An e-mail address names a person and a webhook address is often a secret, so every target is sealed
// except channel ids, which are numbers.
import type { Destination } from '../domain/subscription.js';
import type { Envelope, Place, Sealer } from './sealing.js';
import { isEnvelope } from './sealing.js';

export interface StoredDestination extends Omit<Destination, 'target'> {
  readonly target: string | Envelope;
}

/**
 * Seals a target. `before` is the stored form of the same destination. The destination's id is derived from its target,
 * so a target that is empty because its key was missing is still the stored one, which is kept.
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

/**
 * Returns a destination whose target is opened when it is first read: most readers of a subscription, such as its polls, do
 * not need it. An unreadable one becomes empty, which no sink accepts when it needs a target.
 */
export function unpackDestination(stored: StoredDestination, place: Place, sealer: Sealer): Destination {
  const { target: sealed } = stored;
  if (typeof sealed === 'string') return { ...stored, target: sealed };
  let opened: string | undefined;
  return {
    ...stored,
    get target() {
      opened ??= sealer.open(sealed, place) ?? '';
      return opened;
    },
  };
}
