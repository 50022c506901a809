// Commands are compared with what Discord has, and sent when they differ: a write makes every client reload them, and
// Discord allows 200 a day. They are either global or in one server, never both, or people would see each twice.
import { DiscordAPIError, type REST, Routes } from 'discord.js';
import type { Table } from '../../ports/stores.js';
import type { CommandIds } from '../../render/commands.js';
import { commandsJson } from './command-json.js';

type Json = Record<string, unknown>;

/** What we say about a command, an option or a choice (Discord, "Application Command Object"); all else is Discord's own. */
const OURS = [
  'type',
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'default_member_permissions',
  'contexts',
  'integration_types',
  'nsfw',
  'options',
  'required',
  'autocomplete',
  'choices',
  'value',
  'channel_types',
  'min_value',
  'max_value',
  'min_length',
  'max_length',
] as const;

/** Lists whose order says nothing. */
const UNORDERED: ReadonlySet<string> = new Set(['contexts', 'integration_types', 'channel_types']);
/** For commands of one server Discord keeps no such thing. */
const GLOBAL_ONLY = ['contexts', 'integration_types'] as const;
/** The command that opens an Activity: Discord makes it itself, and refuses a list without it. */
const ENTRY_POINT = 4;
/** Every server is asked for a left-over set only while there are few. */
const FEW_SERVERS = 25;
const SERVERS_KEY = 'discord:commands:servers';

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** In one form, so that both sides compare: Discord leaves defaults out or writes them in, and adds ids, versions and more. */
function canonical(item: Json): Json {
  return Object.fromEntries(
    OURS.flatMap((field) => {
      const value = item[field];
      if (isEmpty(value)) return [];
      return [[field, canonicalValue(field, value)] as const];
    }),
  );
}

function canonicalValue(field: string, value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one) => (typeof one === 'object' && one !== null ? canonical(one as Json) : one));
    return UNORDERED.has(field) ? list.sort() : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function listOf(commands: readonly Json[]): string {
  const list = commands.map((one) => canonical({ type: 1, ...one }));
  return JSON.stringify(list.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)));
}

/** Whether Discord has the very commands that are wanted, in whatever order; defaults and fields it adds don't count. */
export function isSameCommands(wanted: readonly Json[], registered: readonly Json[]): boolean {
  return listOf(wanted) === listOf(registered);
}

/** Where the commands are, and whether that was written now. */
export interface Registered {
  readonly ids: CommandIds;
  readonly written: boolean;
}

/**
 * Registers globally, or in one server (`guild`), and takes the other set away: the global one, or that of a server
 * they were in before. `guilds`: the servers the bot is in. Throws what discord.js throws.
 */
export async function registerCommands(options: {
  readonly rest: REST;
  readonly application: string;
  readonly guild?: string;
  readonly guilds: readonly string[];
  readonly misc: Table<unknown>;
}): Promise<Registered> {
  const { rest, application, guild, guilds, misc } = options;
  const former = ((await misc.get(SERVERS_KEY)) ?? []) as readonly string[];
  // Before the write: should the process end in between, the next one still knows where to look.
  if (guild && !former.includes(guild)) await misc.set(SERVERS_KEY, [...former, guild]);
  const set = await write(rest, application, guild, commandsJson());
  const few = guilds.length <= FEW_SERVERS ? guilds : [];
  const others = new Set([...few, ...former].filter((one) => one !== guild));
  if (guild) await write(rest, application, undefined, []);
  for (const other of others) await write(rest, application, other, []).catch(outside);
  if (former.some((one) => one !== guild)) await misc.set(SERVERS_KEY, guild ? [guild] : []);
  return set;
}

/** A server the bot is not in, or may not have commands in, has none of them. */
function outside(error: unknown): void {
  if (error instanceof DiscordAPIError && (error.status === 403 || error.status === 404)) return;
  throw error;
}

async function write(
  rest: REST,
  application: string,
  guild: string | undefined,
  wanted: readonly Json[],
): Promise<Registered> {
  const route = guild
    ? Routes.applicationGuildCommands(application, guild)
    : Routes.applicationCommands(application);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const there = (await rest.get(route, { query })) as Json[];
  const body = guild ? wanted.map(withoutGlobal) : [...wanted];
  const ours = there.filter((one) => one.type !== ENTRY_POINT);
  if (isSameCommands(body, guild ? ours.map(withoutGlobal) : ours))
    return { ids: idsOf(ours), written: false };
  const entry = there.filter((one) => one.type === ENTRY_POINT);
  const registered = (await rest.put(route, { body: [...body, ...entry] })) as Json[];
  return { ids: idsOf(registered), written: true };
}

function withoutGlobal(command: Json): Json {
  return Object.fromEntries(
    Object.entries(command).filter(([field]) => !(GLOBAL_ONLY as readonly string[]).includes(field)),
  );
}

function idsOf(commands: readonly Json[]): CommandIds {
  return Object.fromEntries(commands.map(({ name, id }) => [String(name), String(id)]));
}
