// One subscription in full, with its buttons.

import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { showing } from '../managing.js';
import type { Command } from '../request.js';

export const jobsShow = {
  path: 'jobs show',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  run: async (request, context) => showing(await pickSubscription(request, context), request),
  complete: (_option, typed, request, context) => subscriptionChoices(typed, request, context),
} satisfies Command;
