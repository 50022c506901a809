// Leafing through what was marked, and taking back what was hidden.
import type { Action } from '../ask.js';
import { hidableRef, savedPage } from '../views/saved.js';

/** A page may lack what the one before it had. */
const BLANK = { text: '', embeds: [], components: [] };

export const saved = {
  name: 'saved',
  updates: true,
  async run([page = '0'], ask, bench) {
    return { ...BLANK, ...(await savedPage(Number(page) || 0, ask, bench)), update: true };
  },
} satisfies Action;

export const showAgain = {
  name: 'showAgain',
  updates: true,
  async run(_args, ask, bench) {
    const { account } = ask.caller;
    const chosen = (await bench.desk.hidden(account)).find((what) => hidableRef(what) === ask.values[0]);
    if (chosen) await bench.desk.unhide(account, chosen);
    return { ...BLANK, ...(await savedPage(0, ask, bench)), update: true };
  },
} satisfies Action;
