// `jobcrier subscriptions pause|resume|remove`.
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../domain/errors.js';
import { isPauseRecorded } from '../../domain/ledger.js';
import { isPaused, pausedFrom, resumedFrom, type Subscription } from '../../domain/subscription.js';
import type { CommandContext } from '../context.js';
import { mustGet, type Session, withStores } from '../session.js';

interface ChangeOptions {
  readonly id: string;
}

export async function pauseCommand({ id }: ChangeOptions, context: CommandContext): Promise<void> {
  await withStores(context, 'change', async ({ stores }) => {
    const subscription = await mustGet(stores, id);
    if (isPaused(subscription)) return context.io.say(`${id} is paused already.`);
    await stores.subscriptions.update(id, (before) => before && pausedFrom(before, context.clock.now()));
    context.io.say(`Paused ${id}.`);
  });
}

/** Resumes a subscription. It writes even when there is no pause, because resuming frees parked destinations too. */
export async function resumeCommand({ id }: ChangeOptions, context: CommandContext): Promise<void> {
  await withStores(context, 'change', async (session) => {
    const subscription = await mustGet(session.stores, id);
    await session.stores.subscriptions.update(
      id,
      (before) => before && resumedFrom(before, context.clock.now()),
    );
    const looked = !isPaused(subscription) || (await serviceLooks(session, subscription, context));
    context.io.say(
      looked
        ? `Resumed ${id}.`
        : `Resumed ${id}, but the service has not asked the jobs API yet: new postings of its next poll may still count as part of the pause.`,
    );
  });
}

const LOOK_EVERY_MS = 50;

/**
 * Waits until a running service has asked the API what it shows now, because all of that counts as part of the pause.
 * False when that takes longer than an interactive request may; immediately true when no service is running.
 */
async function serviceLooks(
  { config, stores }: Session,
  { id, pausedAt }: Subscription,
  { clock, signal }: CommandContext,
): Promise<boolean> {
  const deadline = clock.now() + config.jobsApi.interactiveTimeoutMs;
  while ((await stores.lease.holder()) !== undefined) {
    const { ledger } = await stores.ledgers.open(id, () => ({ owed: 'count' }));
    if (pausedAt === undefined || isPauseRecorded(ledger, pausedAt)) return true;
    if (clock.now() > deadline || signal.aborted) return false;
    await sleep(LOOK_EVERY_MS);
  }
  return true;
}

export async function removeCommand({ id }: ChangeOptions, context: CommandContext): Promise<void> {
  await withStores(context, 'change', async ({ stores }) => {
    const { origin } = await mustGet(stores, id);
    if (origin === 'file')
      throw new UserError(
        `${id} is kept in config/subscriptions.yaml and would come back; remove its entry there, or pause it.`,
      );
    await stores.subscriptions.remove(id);
    context.io.say(`Removed ${id}.`);
  });
}
