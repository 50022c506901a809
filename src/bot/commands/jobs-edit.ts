// Opens the panel that changes what, when, where and in which language; the language also at once.

import { textsFor } from '../../render/language/index.js';
import { editPanel } from '../editing.js';
import { pickSubscription, subscriptionChoices } from '../forms/pick.js';
import { LANGUAGE_CODES } from '../forms/where.js';
import type { Command } from '../request.js';

export const jobsEdit = {
  path: 'jobs edit',
  options: [
    { name: 'subscription', type: 'text', required: true, complete: true, max: 200 },
    { name: 'language', type: 'text', choices: LANGUAGE_CODES },
  ],
  async run(request, context) {
    const report = await pickSubscription(request, context);
    const locale = LANGUAGE_CODES.find((code) => code === request.options.language);
    if (!locale) return editPanel(report, request);
    const next = await context.services.edit(request.caller, report.subscription.id, { locale });
    return editPanel(next, request, textsFor(request.locale).bot.jobs.changed);
  },
  complete: (_option, typed, request, context) => subscriptionChoices(typed, request, context),
} satisfies Command;
