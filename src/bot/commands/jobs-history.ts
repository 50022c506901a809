// What a subscription delivered lately, and what failed.
import type { Command } from '../ask.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { historyView } from '../views/history.js';

export const jobsHistory = {
  path: 'jobs history',
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  async run(ask, bench) {
    const report = await pickSubscription(ask, bench);
    return historyView(report, await bench.desk.history(ask.caller, report.subscription.id), ask);
  },
  complete: (_option, typed, ask, bench) => subscriptionChoices(typed, ask, bench),
} satisfies Command;
