// Stops a subscription for a while.
import type { Command } from '../ask.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { pauseSubscription } from '../managing.js';

export const jobsPause = {
  path: 'jobs pause',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  async run(ask, bench) {
    const { subscription } = await pickSubscription(ask, bench);
    return pauseSubscription(ask, bench, subscription.id);
  },
  complete: (_option, typed, ask, bench) => subscriptionChoices(typed, ask, bench),
} satisfies Command;
