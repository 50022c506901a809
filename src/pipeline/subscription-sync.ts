// What runs follows what is stored. Subscriptions are changed by slash command, by page, by the command line of another
// process, and by the file kept in git; each change is noted in the commit that makes it. To follow one is to read
// what the subscription was and what it is, to do what the difference asks for, and to delete the note. After a crash the note is
// still there, so everything here may run twice.
import { reasonOf, StoreError } from '../domain/errors.js';
import { createKeyedMutex, type Lines } from '../domain/keyed-mutex.js';
import { wantedToMove, withDestinations } from '../domain/moving.js';
import { type Destination, isPaused, OPERATOR, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { enqueueDeliveries } from './enqueue-deliveries.js';
import { dropRemoved, endRemoved, isOver, removedOf, removedRows, retire } from './removed.js';
import { same } from './same.js';
import type { Scheduler } from './scheduler.js';
import { enqueueSharedDestinations } from './shared-destinations.js';

/** Changes followed side by side. */
const AT_ONCE = 100;

/** What waits for an account goes on with its new token, if it has one. Two processes that see it at once may both do it, with no harm. */
export function followAccount(p: Pipeline, scheduler: Scheduler, account: string): Promise<void> {
  const { accounts, subscriptions } = p.stores;
  return linesOf(p)(`token:${account}`, async () => {
    const change = await accounts.newToken(account);
    if (!change) return;
    // The same token may have been refused before, and is tried anew.
    await p.tokens.retry(account);
    await p.notices.clear('token', account);
    await scheduler.plan(await subscriptions.byAccount(account));
    await accounts.settleToken(change);
  });
}

/** Follows the change of a subscription, if there is one. */
export function followSubscription(p: Pipeline, id: string): Promise<void> {
  const { subscriptions } = p.stores;
  return linesOf(p)(id, async () => {
    for (;;) {
      const change = await subscriptions.changeOf(id);
      if (!change) return;
      await follow(p, id, change.former, await subscriptions.get(id));
      if (await subscriptions.settle(change)) return;
    }
  });
}

/** Follows every change that is noted. One that fails is logged, and stays for the next time. */
export async function followChanges(p: Pipeline, scheduler: Scheduler, signal?: AbortSignal): Promise<void> {
  for (const account of await p.stores.accounts.withNewToken()) await followAccount(p, scheduler, account);
  for (let after: string | undefined; !signal?.aborted; ) {
    const ids = await p.stores.subscriptions.changed(AT_ONCE, after);
    await Promise.all(
      ids.map((id) =>
        followSubscription(p, id).catch((error: unknown) => {
          if (error instanceof StoreError) throw error;
          p.log.error({ subscription: id, reason: reasonOf(error) }, 'a change could not be followed');
        }),
      ),
    );
    if (ids.length < AT_ONCE) return;
    after = ids.at(-1);
  }
}

/** Noted while the operator's requests are not planned, for want of a token. */
const WAITING = 'operator-waits';

/** The operator's token is a setting, so no commit tells when it is there. */
export async function followOperator(p: Pipeline, scheduler: Scheduler): Promise<void> {
  const { meta, rejections, subscriptions } = p.stores;
  // One that was refused is tried anew: its owner may have renewed it under the same characters.
  if (await rejections.get(OPERATOR)) {
    await meta.set(WAITING, true);
    await p.tokens.retry(OPERATOR);
  }
  const waits = (await meta.get(WAITING)) !== undefined;
  const { state } = await p.tokens.of(OPERATOR);
  if (state === 'missing' && !waits) await meta.set(WAITING, true);
  if (state === 'missing' || !waits) return;
  await scheduler.plan(await subscriptions.byAccount(OPERATOR));
  await meta.delete(WAITING);
}

const lines = new WeakMap<Pipeline, Lines>();

/** Two that follow the same change at once would do everything twice. */
function linesOf(p: Pipeline): Lines {
  const known = lines.get(p) ?? createKeyedMutex();
  lines.set(p, known);
  return known;
}

async function follow(
  p: Pipeline,
  id: string,
  former: Subscription | undefined,
  current: Subscription | undefined,
): Promise<void> {
  if (former && current && same(withoutTargets(former), withoutTargets(current))) return;
  const kept = await removedOf(p.stores, id, p.clock.now());
  const isBack = kept !== undefined && kept.subscription.account === current?.account;
  // Another account took the id: nothing of what the former one saw and was owed is its business.
  if (kept && current && !isBack) await forget(p, id);
  if (!current) {
    await (kept ? stopped(p, id) : forget(p, id));
    return wakeOthers(p, former);
  }
  if (former || isBack) {
    await followDestinations(p, current);
    await enqueueDeliveries(p, current);
  }
  if (kept) await dropRemoved(p.stores, id);
  const resumed = current.resumedAt !== undefined && current.resumedAt !== former?.resumedAt;
  if (former && resumed) await p.history.note(id, { at: p.clock.now(), kind: 'resumed' });
  const before = former && !isPaused(former) ? former.destinations.map((one) => one.id) : [];
  beginAt(
    p,
    current,
    current.destinations.filter((one) => !before.includes(one.id)),
  );
  await wakeOthers(p, former);
}

/** A destination's id is made of its target, and a note holds no target that is a secret. */
function withoutTargets({ destinations, ...rest }: Subscription) {
  return { ...rest, destinations: destinations.map(({ target: _target, ...one }) => one) };
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
    await enqueueSharedDestinations(p, former as Subscription, destination);
}

/** Removes a subscription that can be put back within {@link KEPT_MS}: it stops now, what is known of it stays. */
export async function retireSubscription(p: Pipeline, id: string): Promise<void> {
  const former = await p.stores.subscriptions.get(id);
  if (!former) return;
  await retire(p.stores, former, p.clock.now());
  await followSubscription(p, id);
}

/** Deletes a subscription, whether it is there or can still be put back, with everything that is kept of it. */
export async function removeSubscription(p: Pipeline, id: string): Promise<void> {
  const { subscriptions } = p.stores;
  if (await subscriptions.get(id)) {
    // First: while the record is there it means nothing, and afterwards it would keep what is to be deleted.
    await dropRemoved(p.stores, id);
    await subscriptions.remove(id);
    await followSubscription(p, id);
    return;
  }
  await followSubscription(p, id);
  await endRemoved(p.stores, id);
  await forget(p, id);
  await dropRemoved(p.stores, id);
}

async function forget(p: Pipeline, id: string): Promise<void> {
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

/** Deletes what is left of subscriptions that were removed longer ago than they are kept. */
export async function forgetGone(p: Pipeline): Promise<void> {
  let count = 0;
  for (const removed of await removedRows(p.stores)) {
    const { id } = removed.subscription;
    if (!isOver(removed, p.clock.now())) continue;
    if (!(await p.stores.subscriptions.get(id))) {
      await forget(p, id);
      count++;
    }
    await dropRemoved(p.stores, id);
  }
  if (count > 0) p.log.info({ removed: count }, 'subscriptions removed before are forgotten');
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
