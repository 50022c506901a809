// One subscription in full, with its buttons.
import type { Command } from '../ask.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { showing } from '../managing.js';

export const jobsShow = {
  path: 'jobs show',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  run: async (ask, bench) => showing(await pickSubscription(ask, bench), ask),
  complete: (_option, typed, ask, bench) => subscriptionChoices(typed, ask, bench),
} satisfies Command;
