// Opens the panel that changes what, when and where.
import type { Command } from '../ask.js';
import { editPanel } from '../editing.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';

export const jobsEdit = {
  path: 'jobs edit',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  run: async (ask, bench) => editPanel(await pickSubscription(ask, bench), ask),
  complete: (_option, typed, ask, bench) => subscriptionChoices(typed, ask, bench),
} satisfies Command;
