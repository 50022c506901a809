// Keeps what runs in step with what is stored: subscriptions and accounts change by slash command, by page, by the
// command line of another process, and by the file kept in git. All of them end here.
import { wantedToMove, withDestinations } from '../domain/moving.js';
import { type Destination, isPaused, type Subscription } from '../domain/subscription.js';
import type { Change } from '../ports/stores.js';
import type { Pipeline } from './context.js';
import { dropRemoved, removedOf, retire } from './removed.js';
import { same } from './same.js';
import type { Scheduler } from './scheduler.js';
import { wakeSiblings } from './siblings.js';
import { wakeDestinations } from './wake.js';

/** Takes up one change; idempotent, so a change told twice does no harm. */
export async function applyChange(p: Pipeline, scheduler: Scheduler, change: Change): Promise<void> {
  if (change.kind === 'subscription') return applySubscription(p, scheduler, change.id);
  await p.notices.clear('token', change.id);
  for (const subscription of p.catalogue.byAccount(change.id)) await scheduler.plan(subscription);
}

async function applySubscription(p: Pipeline, _scheduler: Scheduler, id: string): Promise<void> {
  const former = p.catalogue.get(id);
  const current = await p.stores.subscriptions.get(id);
  // The record in memory stays the same one while nothing changed: polls under way go by it.
  if (former && current && same(former, current)) return;
  const kept = former && current ? undefined : await removedOf(p.stores, id);
  const isBack = kept !== undefined && kept.subscription.account === current?.account;
  // Another account took the id: nothing of what the former one saw and was owed is its business.
  if (kept && current && !isBack) await removed(p, id);
  // Before it leaves the catalogue: a message on its way must be able to write down that it arrived.
  if (kept && !current) p.ledgers.keep(id);
  p.catalogue.set(id, current);
  if (!current) {
    await (kept ? stopped(p, id) : removed(p, id));
    return wakeOthers(p, former);
  }
  if (!former) await p.ledgers.open(id);
  if (former || isBack) await followDestinations(p, current);
  if (kept) await dropRemoved(p.stores, id);
  const resumed = current.resumedAt !== undefined && current.resumedAt !== former?.resumedAt;
  if (former && resumed) await p.history.note(id, { at: p.clock.now(), kind: 'resumed' });
  const before = former && !isPaused(former) ? former.destinations.map((one) => one.id) : [];
  beginAt(
    p,
    current,
    current.destinations.filter((one) => !before.includes(one.id)),
  );
  await wakeDestinations(p, current);
  await wakeOthers(p, former);
}

/** Readers who have to agree first are asked now, not when the first edition is due. */
function beginAt(p: Pipeline, subscription: Subscription, destinations: readonly Destination[]): void {
  if (isPaused(subscription)) return;
  const { id, account, filter, locale = 'en' } = subscription;
  for (const destination of destinations)
    p.sinks
      .get(destination.sink)
      ?.begin?.({ account, subscription: id, destination, tags: filter.tags, locale });
}

/** Paused, moved or removed, it no longer delivers what the others at its places left to it. */
async function wakeOthers(p: Pipeline, former: Subscription | undefined): Promise<void> {
  for (const destination of former?.destinations ?? [])
    await wakeSiblings(p, former as Subscription, destination);
}

/** Removes a subscription that can be put back within {@link KEPT_MS}: it stops now, what is known of it stays. */
export async function retireSubscription(p: Pipeline, scheduler: Scheduler, id: string): Promise<void> {
  const former = p.catalogue.get(id);
  if (!former) return;
  await retire(p.stores, former, p.clock.now());
  await applyChange(p, scheduler, { kind: 'subscription', id });
}

/** Puts a removed subscription back as it was; undefined when there is none under that id, or not any more. */
export async function restoreSubscription(
  p: Pipeline,
  scheduler: Scheduler,
  id: string,
): Promise<Subscription | undefined> {
  if (p.catalogue.get(id)) return undefined;
  const kept = await removedOf(p.stores, id);
  if (!kept) return undefined;
  await p.stores.subscriptions.update(id, (before) => before ?? kept.subscription);
  await applyChange(p, scheduler, { kind: 'subscription', id });
  return kept.subscription;
}

/**
 * Deletes a subscription with everything that is kept of it. Its record goes last: whoever finds it still there after
 * a crash can ask again, while what is left without one nobody would ever find.
 */
export async function removeSubscription(p: Pipeline, scheduler: Scheduler, id: string): Promise<void> {
  const former = p.catalogue.get(id);
  p.catalogue.set(id, undefined);
  try {
    await removed(p, id);
    await dropRemoved(p.stores, id);
    await p.stores.subscriptions.remove(id);
    // What another process wrote of it in between, when it was still there.
    await removed(p, id);
  } catch (error) {
    p.catalogue.set(id, former);
    if (former) await scheduler.plan(former);
    throw error;
  }
  await wakeOthers(p, former);
}

async function removed(p: Pipeline, id: string): Promise<void> {
  await p.ledgers.forget(id, async () => {
    await p.history.forgetSubscription(id);
    await clearNotices(p, id);
  });
}

async function stopped(p: Pipeline, id: string): Promise<void> {
  await clearNotices(p, id);
  p.log.info({ subscription: id }, 'subscription removed; put back within 7 days it goes on where it stood');
}

async function clearNotices(p: Pipeline, id: string): Promise<void> {
  for (const kind of ['gap', 'keys', 'silence'] as const) await p.notices.clear(kind, id);
}

/** Deletes what is left of subscriptions that are gone: removed while nobody ran, or removed longer ago than they are kept. */
export async function forgetGone(p: Pipeline, scheduler: Scheduler): Promise<void> {
  let count = 0;
  for await (const id of p.ledgers.ids()) {
    if (p.catalogue.get(id) || (await removedOf(p.stores, id))) continue;
    await applyChange(p, scheduler, { kind: 'subscription', id });
    count++;
  }
  if (count > 0) p.log.info({ removed: count }, 'subscriptions removed before are forgotten');
}

/**
 * At a start, once the catalogue is filled: what the command line removed while nobody ran leaves nothing behind, and
 * what it added is known before anything is written of it.
 */
export async function settleRoster(p: Pipeline, scheduler: Scheduler): Promise<void> {
  await forgetGone(p, scheduler);
  for (const subscription of p.catalogue.all()) {
    await p.ledgers.open(subscription.id);
    const isNew = (await p.stores.polls.read(subscription.id))?.heard === undefined;
    if (isNew) beginAt(p, subscription, subscription.destinations);
    // Its destinations may have been changed while nobody ran.
    if (p.ledgers.debts().has(subscription.id)) await followDestinations(p, subscription);
  }
}

/** What is owed moves with the destinations; that the former ones could not be reached is settled. */
async function followDestinations(p: Pipeline, { id, account, destinations }: Subscription): Promise<void> {
  const ids = destinations.map((one) => one.id);
  const left = await p.ledgers.update(
    id,
    (before) => {
      const ledger = withDestinations(before, ids, p.clock.now());
      return { ledger, result: Object.keys(before.parked).filter((one) => !(one in ledger.parked)) };
    },
    (ledger) => wantedToMove(ledger, ids),
  );
  for (const one of left) await p.notices.clear('destination', `${account}:${one}`);
}
