// Why one posting did or did not reach somebody.
import type { Command } from '../ask.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { whyView } from '../views/why.js';

export const jobsWhy = {
  path: 'jobs why',
  options: [
    { name: 'subscription', type: 'text', required: true, complete: true, max: 200 },
    { name: 'job', type: 'text', required: true, max: 2000 },
  ],
  async run(ask, bench) {
    const report = await pickSubscription(ask, bench);
    const job = String(ask.options.job ?? '').trim();
    const explained = await bench.desk.why(ask.caller, report.subscription.id, job);
    return whyView(explained, report, job, ask);
  },
  complete: (_option, typed, ask, bench) => subscriptionChoices(typed, ask, bench),
} satisfies Command;
