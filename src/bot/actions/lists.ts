// Leafing through the list of subscriptions, and opening one of them.
import { textsFor } from '../../render/language/index.js';
import type { Action } from '../ask.js';
import { showing } from '../managing.js';
import { listPage } from '../views/list.js';

export const list = {
  name: 'list',
  updates: true,
  async run([page = '0'], ask, { desk }) {
    const reports = await desk.subscriptions(ask.caller);
    return {
      components: [],
      ...listPage(reports, Number(page) || 0, ask, textsFor(ask.locale)),
      update: true,
    };
  },
} satisfies Action;

export const open = {
  name: 'open',
  async run(_args, ask, { desk }) {
    return showing(await desk.subscription(ask.caller, ask.values[0] ?? ''), ask);
  },
} satisfies Action;
