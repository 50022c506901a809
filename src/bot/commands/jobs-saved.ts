// What the caller marked by the buttons of cards.
import type { Command } from '../ask.js';
import { savedPage } from '../views/saved.js';

export const jobsSaved = {
  path: 'jobs saved',
  run: (ask, bench) => savedPage(0, ask, bench),
} satisfies Command;
