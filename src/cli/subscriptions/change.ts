// `jobcrier subscriptions pause|resume|remove`.
import { UserError } from '../../domain/errors.js';
import { isPaused, pausedFrom, resumedFrom } from '../../domain/subscription.js';
import type { CommandContext } from '../context.js';
import { mustGet, withStores } from '../session.js';

interface ChangeOptions {
  readonly id: string;
}

export async function pauseCommand({ id }: ChangeOptions, context: CommandContext): Promise<void> {
  await withStores(context, 'change', async ({ stores }) => {
    const subscription = await mustGet(stores, id);
    if (isPaused(subscription)) return context.io.say(`${id} is paused already.`);
    await stores.subscriptions.put(pausedFrom(subscription, context.clock.now()));
    context.io.say(`Paused ${id}.`);
  });
}

/** Written also when it is not paused: resuming frees parked destinations too. */
export async function resumeCommand({ id }: ChangeOptions, context: CommandContext): Promise<void> {
  await withStores(context, 'change', async ({ stores }) => {
    const subscription = await mustGet(stores, id);
    await stores.subscriptions.put(resumedFrom(subscription, context.clock.now()));
    context.io.say(`Resumed ${id}.`);
  });
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
