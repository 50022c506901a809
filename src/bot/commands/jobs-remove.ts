// Removes at once: the name was typed or picked, and Undo brings it back.
import type { Command } from '../ask.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { removeSubscription } from '../managing.js';

export const jobsRemove = {
  path: 'jobs remove',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  run: async (ask, bench) => removeSubscription(ask, bench, await pickSubscription(ask, bench)),
  complete: (_option, typed, ask, bench) => subscriptionChoices(typed, ask, bench),
} satisfies Command;
