// The features of the bot: what each slash command, button, menu and form does. To add a feature, add a file in
// this folder and an entry here.
import { defined } from '../../domain/defined.js';
import { textsFor } from '../../render/texts.js';
import { parseCustomId } from '../runtime/components.js';
import type { Action, Command, Feature, MessageCommand } from '../runtime/request.js';
import { agentFeature } from './agent.js';
import { cardFeature } from './card.js';
import { companyFeature } from './company.js';
import { correctFeature } from './correct.js';
import { editFeature } from './edit.js';
import { emailFeature } from './email.js';
import { helpFeature } from './help.js';
import { historyFeature } from './history.js';
import { listFeature } from './list.js';
import { manageFeature } from './manage.js';
import { previewFeature } from './preview.js';
import { privacyFeature } from './privacy.js';
import { ruleFeature } from './rule.js';
import { savedFeature } from './saved.js';
import { settingsFeature } from './settings.js';
import { setupFeature } from './setup.js';
import { subscribeFeature } from './subscribe.js';
import { tokenFeature } from './token.js';
import { whyFeature } from './why.js';

/** In the order in which Discord shows their commands. */
const FEATURES: readonly Feature[] = [
  helpFeature,
  tokenFeature,
  subscribeFeature,
  setupFeature,
  previewFeature,
  listFeature,
  editFeature,
  settingsFeature,
  manageFeature,
  whyFeature,
  historyFeature,
  savedFeature,
  emailFeature,
  agentFeature,
  privacyFeature,
  cardFeature,
  ruleFeature,
  companyFeature,
  correctFeature,
];

const COMMANDS: readonly Command[] = FEATURES.flatMap(({ commands = [] }) => commands);
const ACTIONS: readonly Action[] = FEATURES.flatMap(({ actions = [] }) => actions);

/** The commands in the menu of a message. */
export const MESSAGE_COMMANDS: readonly MessageCommand[] = FEATURES.flatMap(
  ({ messageCommands = [] }) => messageCommands,
);

const BY_PATH = new Map(COMMANDS.map((command) => [command.path, command]));
const BY_NAME = new Map(ACTIONS.map((action) => [action.name, action]));

function groupOf({ path }: Command): string {
  return path.split(' ', 1)[0] ?? path;
}

/** Full names of the commands, such as "jobs list". */
export const PATHS: readonly string[] = [...BY_PATH.keys()];

/** The commands by the first word of their names. Discord registers each group as one command with subcommands. */
export const GROUPS: readonly { readonly name: string; readonly commands: readonly Command[] }[] = [
  ...new Set(COMMANDS.map(groupOf)),
].map((name) => ({ name, commands: COMMANDS.filter((command) => groupOf(command) === name) }));

/** Names under which interactions are counted: of commands, and of what buttons, menus and forms do. */
export const INTERACTION_NAMES: readonly string[] = [
  ...PATHS,
  ...MESSAGE_COMMANDS.map(({ name }) => `message ${name}`),
  ...BY_NAME.keys(),
];

export function commandOf(path: string): Command | undefined {
  return BY_PATH.get(path);
}

/** Returns the command in the menu of a message by its registered name, which is the English one. */
export function messageCommandOf(registered: string): MessageCommand | undefined {
  const names = textsFor('en').bot.commands.onMessages;
  return MESSAGE_COMMANDS.find(({ name }) => names[name] === registered);
}

/** Returns the action that a custom_id names, its arguments, and the user who may use it. */
export function actionOf(id: string): {
  readonly action?: Action;
  readonly args: readonly string[];
  readonly owner?: string;
} {
  const { action: name, args, owner } = parseCustomId(id);
  const action = BY_NAME.get(name);
  return { args, ...defined({ action, owner: owner || undefined }) };
}
