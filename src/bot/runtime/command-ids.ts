// The ids of the registered commands, which make a command in a text clickable. They are stored, because notices are also
// sent by processes without a bot.
import type { Table } from '../../ports/stores.js';
import type { CommandIds } from '../../render/commands.js';

const KEY = 'discord:commands:ids';

export async function storeCommandIds(misc: Table<unknown>, ids: CommandIds): Promise<void> {
  await misc.set(KEY, ids);
}

/** Empty before the bot has registered its commands. */
export async function storedCommandIds(misc: Table<unknown>): Promise<CommandIds> {
  return ((await misc.get(KEY)) ?? {}) as CommandIds;
}
