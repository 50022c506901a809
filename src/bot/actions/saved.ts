// Leafing through what was marked, and taking back what was hidden.
import type { Action } from '../request.js';
import { hidableRef, savedPage } from '../views/saved.js';

/** A page may lack what the one before it had. */
const BLANK = { text: '', embeds: [], components: [] };

export const saved = {
  name: 'saved',
  updates: true,
  async run([page = '0'], request, context) {
    return { ...BLANK, ...(await savedPage(Number(page) || 0, request, context)), update: true };
  },
} satisfies Action;

export const showAgain = {
  name: 'showAgain',
  updates: true,
  async run(_args, request, context) {
    const { account } = request.caller;
    const chosen = (await context.services.hidden(account)).find(
      (what) => hidableRef(what) === request.values[0],
    );
    if (chosen) await context.services.unhide(account, chosen);
    return { ...BLANK, ...(await savedPage(0, request, context)), update: true };
  },
} satisfies Action;
