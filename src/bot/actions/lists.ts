// Leafing through the list of subscriptions, and opening one of them.
import { textsFor } from '../../render/language/index.js';
import { showing } from '../managing.js';
import type { Action } from '../request.js';
import { listPage } from '../views/list.js';

export const list = {
  name: 'list',
  updates: true,
  async run([page = '0'], request, { services }) {
    const reports = await services.subscriptions(request.caller);
    return {
      components: [],
      ...listPage(reports, Number(page) || 0, request, textsFor(request.locale)),
      update: true,
    };
  },
} satisfies Action;

export const open = {
  name: 'open',
  async run(_args, request, { services }) {
    return showing(await services.subscription(request.caller, request.values[0] ?? ''), request);
  },
} satisfies Action;
