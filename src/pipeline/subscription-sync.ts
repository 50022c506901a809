// Applies stored changes of subscriptions to the running service. Subscriptions are changed by slash command, by
// page, by the command line of another process, and by the file kept in git. The commit that makes a change also
// notes it. To follow a change is to read what the subscription was and what it is, to act on the difference, and to
// delete the note. After a crash the note is still there, so everything here may run twice.
import { reasonOf, StoreError } from '../domain/errors.js';
import { wantedToMove, withDestinations } from '../domain/moving.js';
import { createKeyedMutex, type Lines } from '../domain/serial.js';
import { type Destination, isPaused, OPERATOR, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { enqueueDeliveries } from './enqueue-deliveries.js';
import { dropRemoved, endRemoved, isOver, removedOf, removedRows, retire } from './removed.js';
import { same } from './same.js';
import type { Scheduler } from './scheduler.js';
import { enqueueSharedDestinations } from './shared-destinations.js';

/** Number of changes followed in parallel. */
const AT_ONCE = 100;

/**
 * Resumes the subscriptions of an account that has a new token. Two processes may both do it at the same time, with
 * no harm.
 */
export function followAccount(p: Pipeline, scheduler: Scheduler, account: string): Promise<void> {
  const { accounts, subscriptions } = p.stores;
  return linesOf(p)(`token:${account}`, async () => {
    const change = await accounts.newToken(account);
    if (!change) return;
    // The same token may have been refused before. It is tried again.
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

/**
 * Follows every noted change. One that fails is logged and stays noted for the next call. Throws a StoreError when
 * the store fails.
 */
export async function followChanges(p: Pipeline, scheduler: Scheduler, signal?: AbortSignal): Promise<void> {
  const accounts = await p.stores.accounts.withNewToken();
  await Promise.all(accounts.map((account) => followAccount(p, scheduler, account)));
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

/** Set while the operator's requests are not planned, for lack of a usable token. */
const WAITING = 'operator-waits';

/** Resumes the operator's subscriptions. Their token is a setting, so no commit notes its change. */
export async function followOperator(p: Pipeline, scheduler: Scheduler): Promise<void> {
  const { meta, rejections, subscriptions } = p.stores;
  // A refused token is tried again: its owner may have renewed it without changing its characters.
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

/** Two callers that follow the same change at the same time would do everything twice. */
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
  // Another account took the id. It must not get the former account's seen set or outbox.
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

/** Targets are left out of a comparison: a destination's id is made of its target, and a note holds no secret targets. */
function withoutTargets({ destinations, ...rest }: Subscription) {
  return { ...rest, destinations: destinations.map(({ target: _target, ...one }) => one) };
}

/** Asks readers who have to agree first now, not when the first edition is due. */
function beginAt(p: Pipeline, subscription: Subscription, destinations: readonly Destination[]): void {
  if (isPaused(subscription)) return;
  const { id, account, filter, locale = 'en' } = subscription;
  for (const destination of destinations)
    p.sinks
      .get(destination.sink)
      ?.begin?.({ account, subscription: id, destination, tags: filter.tags, locale });
}

/**
 * Enqueues the other subscriptions at its former destinations. Paused, moved or removed, it no longer delivers what
 * they left to it.
 */
async function wakeOthers(p: Pipeline, former: Subscription | undefined): Promise<void> {
  for (const destination of former?.destinations ?? [])
    await enqueueSharedDestinations(p, former as Subscription, destination);
}

/** Removes a subscription so that it can be put back within {@link KEPT_MS}. It stops now; its records stay. */
export async function retireSubscription(p: Pipeline, id: string): Promise<void> {
  const former = await p.stores.subscriptions.get(id);
  if (!former) return;
  await retire(p.stores, former, p.clock.now());
  await followSubscription(p, id);
}

/** Deletes a subscription and everything kept about it, whether it is stored or was removed and can be put back. */
export async function removeSubscription(p: Pipeline, id: string): Promise<void> {
  const { subscriptions } = p.stores;
  if (await subscriptions.get(id)) {
    // Delete the note first. It has no effect while the subscription is stored, and afterwards it would keep what is
    // to be deleted.
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
  p.log.info(
    { subscription: id },
    'subscription removed; if its entry is put back within 7 days, it continues where it stopped',
  );
}

async function clearNotices(p: Pipeline, id: string): Promise<void> {
  for (const kind of ['gap', 'keys', 'silence'] as const) await p.notices.clear(kind, id);
}

/** Deletes what is left of subscriptions that can't be put back any more. */
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

/** Moves the outbox to the current destinations, and clears the notices about parked ones that are gone. */
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
