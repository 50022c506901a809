// Ends a pause, and tries again what had stopped.

import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { resumeSubscription } from '../managing.js';
import type { Command } from '../request.js';

export const jobsResume = {
  path: 'jobs resume',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  async run(request, context) {
    const { subscription } = await pickSubscription(request, context);
    return resumeSubscription(request, context, subscription.id);
  },
  complete: (_option, typed, request, context) => subscriptionChoices(typed, request, context),
} satisfies Command;
