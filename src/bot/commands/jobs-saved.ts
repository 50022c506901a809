// What the caller marked by the buttons of cards.
import type { Command } from '../request.js';
import { savedPage } from '../views/saved.js';

export const jobsSaved = {
  path: 'jobs saved',
  run: (request, context) => savedPage(0, request, context),
} satisfies Command;
