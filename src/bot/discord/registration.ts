// Commands are sent to Discord when they changed, not at every start: a write makes every client reload them, and
// Discord allows 200 a day.
import { createHash } from 'node:crypto';
import { type REST, Routes } from 'discord.js';
import type { Table } from '../../ports/stores.js';
import type { CommandIds } from '../../render/commands.js';
import { commandsJson } from './command-json.js';

interface Kept {
  readonly hash: string;
  readonly ids: CommandIds;
}

/** Registers globally, or in one server. Resolves with the ids; throws what discord.js throws. */
export async function registerCommands(options: {
  readonly rest: REST;
  readonly application: string;
  readonly guild?: string;
  readonly misc: Table<unknown>;
}): Promise<{ readonly ids: CommandIds; readonly written: boolean }> {
  const { rest, application, guild, misc } = options;
  const body = commandsJson();
  const key = `discord:commands:${guild ?? application}`;
  // Another application in the same server has commands of its own.
  const hash = createHash('sha256')
    .update(JSON.stringify([application, body]))
    .digest('base64url');
  const kept = (await misc.get(key)) as Kept | undefined;
  if (kept?.hash === hash) return { ids: kept.ids, written: false };
  const route = guild
    ? Routes.applicationGuildCommands(application, guild)
    : Routes.applicationCommands(application);
  const registered = (await rest.put(route, { body })) as { name: string; id: string }[];
  const ids = Object.fromEntries(registered.map(({ name, id }) => [name, id]));
  await misc.set(key, { hash, ids } satisfies Kept);
  return { ids, written: true };
}
