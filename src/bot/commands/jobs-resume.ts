// Ends a pause, and tries again what had stopped.
import type { Command } from '../ask.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { resumeSubscription } from '../managing.js';

export const jobsResume = {
  path: 'jobs resume',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  async run(ask, bench) {
    const { subscription } = await pickSubscription(ask, bench);
    return resumeSubscription(ask, bench, subscription.id);
  },
  complete: (_option, typed, ask, bench) => subscriptionChoices(typed, ask, bench),
} satisfies Command;
