// The caller's subscriptions, a page at a time, each a press away.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../request.js';
import { listPage } from '../views/list.js';

export const jobsList = {
  path: 'jobs list',
  async run(request, { services }) {
    return listPage(await services.subscriptions(request.caller), 0, request, textsFor(request.locale));
  },
} satisfies Command;
