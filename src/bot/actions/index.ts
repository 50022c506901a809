// Every button, menu and form of the bot. A new one is a line here; a test compares the names.

import { PATHS } from '../commands/index.js';
import { parseCustomId } from '../custom-id.js';
import type { Action } from '../request.js';
import { card, cardHide, cardUnmark } from './card.js';
import { correct, corrected, subscribeAt } from './correct.js';
import { editFilter, editLanguage, editRemote, editTime, editWhat, editWhen, editWhere } from './edit.js';
import { list, open } from './lists.js';
import { erase, keep } from './privacy.js';
import { saved, showAgain } from './saved.js';
import { subscription } from './subscription.js';
import { token, tokenForm } from './token.js';
import { undo } from './undo.js';
import { zone, zoneForm, zoneTyped } from './zone.js';

const ACTIONS: readonly Action[] = [
  card,
  cardHide,
  cardUnmark,
  correct,
  corrected,
  editFilter,
  editLanguage,
  editRemote,
  editTime,
  editWhat,
  editWhen,
  editWhere,
  erase,
  keep,
  list,
  open,
  saved,
  showAgain,
  subscribeAt,
  subscription,
  token,
  tokenForm,
  undo,
  zone,
  zoneForm,
  zoneTyped,
];

/** What interactions are counted under: commands by their full names, and what buttons, menus and forms do. */
export const INTERACTION_NAMES: readonly string[] = [...PATHS, ...ACTIONS.map((action) => action.name)];

const BY_NAME = new Map(ACTIONS.map((action) => [action.name, action]));

/** The action a custom_id names, its arguments, and whose it is. */
export function actionOf(id: string): {
  readonly action?: Action;
  readonly args: readonly string[];
  readonly owner?: string;
} {
  const { action: name, args, owner } = parseCustomId(id);
  const action = BY_NAME.get(name);
  return { args, ...(action ? { action } : {}), ...(owner ? { owner } : {}) };
}
