// Opens the panel that changes what, when, where and in which language; the language also at once.

import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';
import { editPanel } from '../editing.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { LANGUAGE_CODES } from '../forms/where.js';

export const jobsEdit = {
  path: 'jobs edit',
  options: [
    { name: 'subscription', type: 'text', required: true, complete: true, max: 200 },
    { name: 'language', type: 'text', choices: LANGUAGE_CODES },
  ],
  async run(ask, bench) {
    const report = await pickSubscription(ask, bench);
    const locale = LANGUAGE_CODES.find((code) => code === ask.options.language);
    if (!locale) return editPanel(report, ask);
    const next = await bench.desk.edit(ask.caller, report.subscription.id, { locale });
    return editPanel(next, ask, textsFor(ask.locale).bot.jobs.changed);
  },
  complete: (_option, typed, ask, bench) => subscriptionChoices(typed, ask, bench),
} satisfies Command;
