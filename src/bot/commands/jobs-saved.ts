// What the caller marked by the buttons of cards.
import type { Command } from '../ask.js';
import { savedPage } from '../views/saved.js';

export const jobsSaved = {
  path: 'jobs saved',
  run: async (ask, bench) => savedPage(await bench.desk.marks(ask.caller.account), 0, ask, bench),
} satisfies Command;
