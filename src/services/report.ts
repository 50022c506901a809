// A subscription as its owner sees it: its state, what is waiting to be sent, what comes next.

import { nextEditionAt } from '../domain/cadence.js';
import { defined } from '../domain/defined.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import { pollStatus } from '../pipeline/poll-result.js';
import type { Scheduler } from '../pipeline/scheduler.js';
import { deletedAt } from '../pipeline/servers.js';
import { stuckPlaces, stuckState } from '../pipeline/stuck.js';
import type { SubscriptionReport } from '../ports/services.js';

/** Combines what the ledger, the requests and the scheduler know. */
export async function reportOn(
  p: Pipeline,
  scheduler: Scheduler,
  subscription: Subscription,
): Promise<SubscriptionReport> {
  const { id, account, destinations } = subscription;
  const poll = await pollStatus(p.stores, subscription);
  const token = await p.tokens.of(account);
  const ledger = await p.ledgers.read(id);
  const stuck = await stuckPlaces(p.sinks, subscription, ledger, p.clock.now());
  const slots = destinations
    .filter((one) => one.cadence.every !== 'immediate')
    .map((one) => nextEditionAt(one.cadence, p.clock.now()));
  const nextPollAt = await scheduler.nextPollAt(subscription);
  const end = deletedAt(p, subscription);
  const why = token.state === 'rejected' ? token.why : stuck[0]?.why;
  return {
    subscription,
    about: p.describe(subscription),
    state: isPaused(subscription)
      ? 'paused'
      : token.state === 'missing'
        ? 'no-token'
        : token.state === 'rejected'
          ? 'token-rejected'
          : stuckState(stuck),
    ...defined({
      why: why || undefined,
      nextPollAt,
      nextEditionAt: slots.length > 0 ? Math.min(...slots) : undefined,
      deletedAt: end,
      polledAt: poll.polledAt,
      outcome: poll.outcome || undefined,
    }),
    failures: poll.failures,
    owed: ledger.outbox.length,
    stuck,
  };
}
