// Why one posting did or did not reach somebody.

import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import type { Command } from '../request.js';
import { whyView } from '../views/why.js';

export const jobsWhy = {
  path: 'jobs why',
  options: [
    { name: 'subscription', type: 'text', required: true, complete: true, max: 200 },
    { name: 'job', type: 'text', required: true, max: 2000 },
  ],
  async run(request, context) {
    const report = await pickSubscription(request, context);
    const job = String(request.options.job ?? '').trim();
    const explained = await context.services.why(request.caller, report.subscription.id, job);
    return whyView(explained, report, job, request);
  },
  complete: (_option, typed, request, context) => subscriptionChoices(typed, request, context),
} satisfies Command;
