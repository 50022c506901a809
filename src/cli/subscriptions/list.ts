// `jobcrier subscriptions list`: what is watched, for whom, and how it is doing.
import { isPaused, type Subscription } from '../../domain/subscription.js';
import type { PollState, Stores } from '../../ports/stores.js';
import { describeCadence, describeFilter } from '../../render/describe.js';
import { subscriptionEntry } from '../../subscriptions-file.js';
import type { CommandContext } from '../context.js';
import { withStores } from '../session.js';

/** The state as one word: what its owner would have to act on wins. */
function stateOf(subscription: Subscription, poll: PollState | undefined, parked: number): string {
  if (isPaused(subscription)) return 'paused';
  if (parked > 0) return `${parked} parked`;
  if (!poll?.polledAt) return 'new';
  return poll.failures > 0 ? (poll.outcome ?? 'failing') : 'active';
}

async function lineOf(stores: Stores, subscription: Subscription) {
  const poll = await stores.polls.read(subscription.id);
  const ledger = await stores.ledgers.read(subscription.id);
  const parked = Object.keys(ledger?.parked ?? {}).length;
  return {
    subscription,
    poll,
    parked,
    state: stateOf(subscription, poll, parked),
    owed: ledger?.outbox.length ?? 0,
  };
}

function dateOf(at: number | undefined): string {
  return at === undefined ? 'never' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

export async function listCommand({ json }: { json?: boolean }, context: CommandContext): Promise<void> {
  await withStores(context, 'look', async ({ stores }) => {
    const lines = [];
    for await (const subscription of stores.subscriptions.list())
      lines.push(await lineOf(stores, subscription));
    lines.sort((a, b) => a.subscription.id.localeCompare(b.subscription.id));
    if (json) {
      context.io.json(
        lines.map(({ subscription, poll, state, owed }) => ({
          ...subscriptionEntry(subscription),
          account: subscription.account,
          origin: subscription.origin,
          state,
          owed,
          ...(poll?.polledAt ? { polledAt: new Date(poll.polledAt).toISOString() } : {}),
          ...(poll?.outcome ? { outcome: poll.outcome } : {}),
        })),
      );
      return;
    }
    context.io.table(
      lines.map(({ subscription, poll, state, owed }) => ({
        id: subscription.id,
        account: subscription.account,
        from: subscription.origin,
        state,
        'last poll': dateOf(poll?.polledAt),
        owed: String(owed),
        filter: describeFilter(subscription.filter, 'en'),
        destinations: subscription.destinations
          .map(
            ({ sink, target, cadence }) =>
              `${[sink, target].filter(Boolean).join(':')} ${describeCadence(cadence, 'en')}`,
          )
          .join('; '),
      })),
      'There is no subscription yet; "jobcrier subscriptions add" makes one.',
    );
  });
}
