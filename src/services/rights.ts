// Who may do what with a subscription. Every way in (command, button, page) passes here, so a forged button
// or a stale message gets the same answer as an honest mistake.
import { refusal } from '../domain/errors.js';
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { Caller } from '../ports/services.js';

/** True for the owner, and for whoever manages the server the subscription belongs to. */
function mayChange(caller: Caller, subscription: Subscription): boolean {
  if (subscription.account === caller.account) return true;
  return caller.manages !== undefined && subscription.guild === caller.manages;
}

/** The subscription, or a UserError that does not tell a foreign one from a missing one. */
export async function owned(p: Pipeline, caller: Caller, id: string): Promise<Subscription> {
  return mustOwn(caller, await p.stores.subscriptions.get(id));
}

/** The same for a subscription that is looked up elsewhere. */
export function mustOwn(caller: Caller, subscription: Subscription | undefined): Subscription {
  if (subscription && mayChange(caller, subscription)) return subscription;
  throw refusal('noSuch', 'There is no such subscription of yours. /jobs list shows the ones you have.');
}
