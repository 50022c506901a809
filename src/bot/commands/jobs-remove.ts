// Removes at once: the name was typed or picked, and Undo brings it back.

import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { removeSubscription } from '../managing.js';
import type { Command } from '../request.js';

export const jobsRemove = {
  path: 'jobs remove',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  run: async (request, context) =>
    removeSubscription(request, context, await pickSubscription(request, context)),
  complete: (_option, typed, request, context) => subscriptionChoices(typed, request, context),
} satisfies Command;
