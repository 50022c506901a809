// Who may do what with a subscription. Commands, buttons and pages all use these checks, so a forged button or a
// stale message gets the same answer as an honest mistake.
import { refusal } from '../domain/errors.js';
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { Caller } from '../ports/services.js';

/** True for the owner, and for a person who manages the server that the subscription belongs to. */
function mayChange(caller: Caller, subscription: Subscription): boolean {
  if (subscription.account === caller.account) return true;
  return caller.manages !== undefined && subscription.guild === caller.manages;
}

/** Returns the subscription. Throws the same UserError for one of another owner as for a missing one. */
export async function owned(p: Pipeline, caller: Caller, id: string): Promise<Subscription> {
  return mustOwn(caller, await p.stores.subscriptions.get(id));
}

/** The same for a subscription that the caller has read. */
export function mustOwn(caller: Caller, subscription: Subscription | undefined): Subscription {
  if (subscription && mayChange(caller, subscription)) return subscription;
  throw refusal('noSuch', 'There is no such subscription of yours. /jobs list shows the ones you have.');
}
