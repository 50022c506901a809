// The caller's subscriptions, a page at a time, each a press away.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';
import { listPage } from '../views/list.js';

export const jobsList = {
  path: 'jobs list',
  async run(ask, { desk }) {
    return listPage(await desk.subscriptions(ask.caller), 0, ask, textsFor(ask.locale));
  },
} satisfies Command;
