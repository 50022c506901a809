// Leafing through what was marked.
import type { Action } from '../ask.js';
import { savedPage } from '../views/saved.js';

export const saved = {
  name: 'saved',
  updates: true,
  async run([page = '0'], ask, bench) {
    const marks = await bench.desk.marks(ask.caller.account);
    return { embeds: [], components: [], ...savedPage(marks, Number(page) || 0, ask, bench), update: true };
  },
} satisfies Action;
