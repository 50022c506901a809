// What a subscription delivered lately, and what failed.

import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import type { Command } from '../request.js';
import { historyView } from '../views/history.js';

export const jobsHistory = {
  path: 'jobs history',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  async run(request, context) {
    const report = await pickSubscription(request, context);
    return historyView(
      report,
      await context.services.history(request.caller, report.subscription.id),
      request,
    );
  },
  complete: (_option, typed, request, context) => subscriptionChoices(typed, request, context),
} satisfies Command;
