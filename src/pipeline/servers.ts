// What becomes of a server's subscriptions when the bot leaves it: they stop, their owners are told, they wait for its
// return, and are deleted when it does not come. A server that is merely away during an outage was not left.
import { backFrom, isPaused, leftFrom, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { applyChange, removeSubscription } from './roster.js';
import type { Scheduler } from './scheduler.js';
import { nameOf } from './setbacks.js';

const DAY_MS = 86_400_000;

/** When a subscription whose server was left is deleted, milliseconds since the epoch; undefined for all others. */
export function deletedAt(p: Pipeline, { leftGuildAt }: Subscription): number | undefined {
  return leftGuildAt === undefined ? undefined : leftGuildAt + p.settings.keepAfterLeavingDays * DAY_MS;
}

/** Servers with subscriptions, and whether they stopped because the bot had left. */
export function servers(p: Pipeline): readonly { readonly guild: string; readonly left: boolean }[] {
  const found = new Map<string, boolean>();
  for (const { guild, leftGuildAt } of p.catalogue.all())
    if (guild) found.set(guild, (found.get(guild) ?? true) && leftGuildAt !== undefined);
  return [...found].map(([guild, left]) => ({ guild, left }));
}

export async function leaveServer(p: Pipeline, scheduler: Scheduler, guild: string): Promise<void> {
  const staying = p.catalogue.byGuild(guild).filter((one) => one.leftGuildAt === undefined);
  for (const subscription of staying) {
    const now = p.clock.now();
    await p.stores.subscriptions.update(subscription.id, (before) => before && leftFrom(before, now));
    await applyChange(p, scheduler, { kind: 'subscription', id: subscription.id });
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
      text: `The bot was removed from a Discord server, so subscriptions that deliver there have stopped (${count}). Invite it again and they go on, or choose another place with /jobs edit; after ${days} days they are deleted.`,
      ...(only ? { subscription: only.id } : {}),
      data: { count, days, ...(server ? { server } : {}) },
      forMs: days * DAY_MS,
    });
  }
}

export async function returnToServer(p: Pipeline, scheduler: Scheduler, guild: string): Promise<void> {
  for (const subscription of p.catalogue.byGuild(guild)) {
    if (subscription.leftGuildAt === undefined) continue;
    const now = p.clock.now();
    await p.stores.subscriptions.update(subscription.id, (before) => before && backFrom(before, now));
    await applyChange(p, scheduler, { kind: 'subscription', id: subscription.id });
    await p.notices.clear('left', `${subscription.account}:${guild}`);
  }
}

/** Deletes what has waited for its stated time. */
export async function deleteDeparted(p: Pipeline, scheduler: Scheduler): Promise<void> {
  const now = p.clock.now();
  const isOver = (one: Subscription) => isPaused(one) && (deletedAt(p, one) ?? now) < now;
  for (const { id } of [...p.catalogue.all()].filter(isOver)) {
    await removeSubscription(p, scheduler, id);
    p.log.info({ subscription: id }, 'subscription of a server left long ago deleted');
  }
}
