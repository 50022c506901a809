// What happens to a server's subscriptions when the bot leaves it: they stop, their owners are notified, they wait
// for its return, and are deleted if it does not come back. An outage of a server does not count as leaving.

import { defined } from '../domain/defined.js';
import { partsOf } from '../domain/edition.js';
import { backFrom, isPaused, leftFrom, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { nameOf } from './delivery-failure.js';
import { followSubscription, removeSubscription } from './subscription-sync.js';

const DAY_MS = 86_400_000;

/** When a subscription whose server was left is deleted, milliseconds since the epoch; undefined for all others. */
export function deletedAt(p: Pipeline, { leftGuildAt }: Subscription): number | undefined {
  return leftGuildAt === undefined ? undefined : leftGuildAt + p.settings.keepAfterLeavingDays * DAY_MS;
}

export async function leaveServer(p: Pipeline, guild: string): Promise<void> {
  const there = await p.stores.subscriptions.byServer(guild);
  const staying = there.filter((one) => one.leftGuildAt === undefined);
  for (const subscription of staying) {
    const now = p.clock.now();
    await p.stores.subscriptions.update(subscription.id, (before) => before && leftFrom(before, now));
    await followSubscription(p, subscription.id);
  }
  const days = p.settings.keepAfterLeavingDays;
  for (const account of new Set(staying.map((one) => one.account))) {
    const theirs = staying.filter((one) => one.account === account);
    const count = theirs.length;
    const [only] = count === 1 ? theirs : [];
    const names = await Promise.all(
      theirs.flatMap((one) => one.destinations.map((place) => nameOf(p, place))),
    );
    const server = names.find((one) => one.server)?.server;
    await p.notices.tell({
      kind: 'left',
      subject: `${account}:${guild}`,
      account,
      text: `The bot was removed from a Discord server, so subscriptions that deliver there have stopped (${count}). Invite it again and they resume, or choose another place with /jobs edit; after ${days} days they are deleted.`,
      ...defined({ subscription: only?.id }),
      data: { count, days, ...defined({ server: server || undefined }) },
      forMs: days * DAY_MS,
    });
  }
}

export async function returnToServer(p: Pipeline, guild: string): Promise<void> {
  for (const subscription of await p.stores.subscriptions.byServer(guild)) {
    if (subscription.leftGuildAt === undefined) continue;
    const now = p.clock.now();
    await p.stores.subscriptions.update(subscription.id, (before) => before && backFrom(before, now));
    await followSubscription(p, subscription.id);
    await p.notices.clear('left', `${subscription.account}:${guild}`);
  }
}

/** Deletes subscriptions whose time to wait for the bot's return is over. */
export async function deleteDeparted(p: Pipeline): Promise<void> {
  const now = p.clock.now();
  const isOver = (one: Subscription) => isPaused(one) && (deletedAt(p, one) ?? now) < now;
  const { subscriptions } = p.stores;
  for (const part of partsOf(await subscriptions.idsLeft()))
    for (const { id } of (await subscriptions.many(part)).filter(isOver)) {
      await removeSubscription(p, id);
      p.log.info({ subscription: id }, 'subscription of a server left long ago deleted');
    }
}
