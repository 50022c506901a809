// Tries a new destination immediately, so that a closed one is reported now and not by the first posting.
import { asDeliveryError, reasonOf, refusal } from '../domain/errors.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';

/** Time limit, because a person waits for the answer. */
const PATIENCE_MS = 8_000;

/**
 * Throws a UserError when one of the destinations can't be written to. One that only can't be reached now is tried
 * again by the first edition.
 */
export async function welcome(
  p: Pipeline,
  subscription: Subscription,
  destinations: readonly Destination[],
): Promise<void> {
  for (const destination of destinations) {
    const context = {
      about: p.describe(subscription),
      locale: subscription.locale ?? 'en',
      signal: AbortSignal.timeout(PATIENCE_MS),
    };
    try {
      await p.sinks.get(destination.sink)?.welcome?.(destination, context);
    } catch (error) {
      const failed = asDeliveryError(error);
      if (failed?.fault === 'target' && failed.fix === 'noSharedServer')
        throw refusal(
          'dmNoServer',
          'The bot shares no server with you, so Discord lets it write nothing. Nothing was stored; join one it is in or install it for yourself, then try again.',
        );
      if (failed?.fault === 'target')
        throw refusal(
          'dmClosed',
          'Discord does not let the bot write to you. Nothing was stored; allow direct messages from members of this server, then try again, or choose another place.',
        );
      p.log.warn(
        { sink: destination.sink, destination: destination.id, reason: reasonOf(error) },
        'a new place could not be tried',
      );
    }
  }
}
