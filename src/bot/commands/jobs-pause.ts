// Stops a subscription for a while.

import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { pauseSubscription } from '../managing.js';
import type { Command } from '../request.js';

export const jobsPause = {
  path: 'jobs pause',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  async run(request, context) {
    const { subscription } = await pickSubscription(request, context);
    return pauseSubscription(request, context, subscription.id);
  },
  complete: (_option, typed, request, context) => subscriptionChoices(typed, request, context),
} satisfies Command;
