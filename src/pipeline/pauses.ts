// Pauses with an end: readers may pause their mails for a month.
import { partsOf } from '../domain/edition.js';
import { isPauseOver, resumedFrom } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { followSubscription } from './subscription-sync.js';

/** Resumes the subscriptions whose pause is over. Their next poll records what was posted during the pause as such. */
export async function endPauses(p: Pipeline): Promise<void> {
  const { subscriptions } = p.stores;
  const now = p.clock.now();
  for (const part of partsOf(await subscriptions.idsPausedUntil()))
    for (const subscription of await subscriptions.many(part)) {
      if (!isPauseOver(subscription, now)) continue;
      const { id } = subscription;
      await subscriptions.update(id, (before) =>
        before && isPauseOver(before, now) ? resumedFrom(before, now) : before,
      );
      await followSubscription(p, id);
      p.log.info({ subscription: id }, 'pause over, subscription resumed');
    }
}
