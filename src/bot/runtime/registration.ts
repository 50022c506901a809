// Registers the bot's commands. They are sent only when they differ from what Discord has: each write makes every
// client reload them, and Discord allows 200 a day. They are either global or in one server, never both, because
// users would see each command twice.

import { type REST, Routes } from 'discord.js';
import { isOutside } from '../../discord/fault.js';
import { defined } from '../../domain/defined.js';
import type { Table } from '../../ports/stores.js';
import type { CommandIds } from '../../render/commands.js';
import { LANGUAGES, type Texts } from '../../render/texts.js';
import { GROUPS, MESSAGE_COMMANDS } from '../features/index.js';
import { CHANNEL_TYPES } from './components.js';
import type { Command, MessageCommand, OptionSpec } from './request.js';

type Json = Record<string, unknown>;

/**
 * The fields we set on a command, an option or a choice (Discord, "Application Command Object"). Discord adds the
 * others.
 */
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

/** Lists whose order has no meaning. */
const UNORDERED: ReadonlySet<string> = new Set(['contexts', 'integration_types', 'channel_types']);
/** Discord does not keep these fields for commands of one server. */
const GLOBAL_ONLY = ['contexts', 'integration_types'] as const;
/** The command that opens an Activity. Discord creates it and rejects a list without it. */
const ENTRY_POINT = 4;
/** A left-over set is looked for in every server only up to this number of servers. */
const FEW_SERVERS = 25;
const SERVERS_KEY = 'discord:commands:servers';

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * Puts both sides into one form to compare them: Discord leaves defaults out or writes them in, and adds ids,
 * versions and more.
 */
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

/**
 * True when Discord has exactly the wanted commands, in any order. Defaults and fields that Discord adds don't count.
 */
export function isSameCommands(wanted: readonly Json[], registered: readonly Json[]): boolean {
  return listOf(wanted) === listOf(registered);
}

/** The ids of the commands, and whether this call wrote them. */
export interface Registered {
  readonly ids: CommandIds;
  readonly written: boolean;
}

/**
 * Registers globally, or in one server (`guild`), and removes the other set: the global one, or that of a server they
 * were in before. `guilds`: the servers the bot is in. Throws a {@link DiscordFault}.
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
  // Stored before the write: if the process ends in between, the next one still knows where to look.
  if (guild && !former.includes(guild)) await misc.set(SERVERS_KEY, [...former, guild]);
  const set = await write(rest, application, guild, commandsJson());
  const few = guilds.length <= FEW_SERVERS ? guilds : [];
  const others = new Set([...few, ...former].filter((one) => one !== guild));
  if (guild) await write(rest, application, undefined, []);
  for (const other of others) await write(rest, application, other, []).catch(outside);
  if (former.some((one) => one !== guild)) await misc.set(SERVERS_KEY, guild ? [guild] : []);
  return set;
}

/** Ignores a server the bot is not in, or may not have commands in: it has none of them. */
function outside(error: unknown): void {
  if (!isOutside(error)) throw error;
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

// The commands in Discord's format: every name and description in every language, every restriction written out.

/** Discord's locales by language. English is the default and needs none. */
const LOCALES = Object.entries(LANGUAGES)
  .filter(([code]) => code !== 'en')
  .map(([code, { discordLocales }]) => [code, discordLocales.split(' ')] as const);

const TYPES = { text: 3, whole: 4, yesno: 5, channel: 7, role: 8 } as const satisfies Record<
  OptionSpec['type'],
  number
>;

type Words = Texts['bot']['commands'];
type Pick = (words: Words) => string | undefined;

function localized(pick: Pick): Record<string, string> {
  return Object.fromEntries(
    LOCALES.flatMap(([code, locales]) => {
      const text = pick((LANGUAGES[code] as Texts).bot.commands);
      return locales.map((locale) => [locale, text as string] as const);
    }),
  );
}

function named(name: Pick, about: Pick): Json {
  const english = (LANGUAGES.en as Texts).bot.commands;
  return {
    name: name(english),
    name_localizations: localized(name),
    description: about(english),
    description_localizations: localized(about),
  };
}

function at(words: Record<string, string>, key: string): string {
  const text = words[key];
  if (text === undefined) throw new Error(`no text for "${key}"`);
  return text;
}

/** A language is called by its own name everywhere. */
function choiceName({ choices }: Words, value: string): string {
  return LANGUAGES[value]?.name ?? at(choices, value);
}

function optionJson(option: OptionSpec): Json {
  const { type, name, required, complete, choices, min, max } = option;
  return {
    type: TYPES[type],
    ...named(
      (words) => at(words.optionNames, name),
      (words) => at(words.optionAbout, name),
    ),
    ...defined({
      required,
      autocomplete: complete || undefined,
      max_length: type === 'text' && max ? max : undefined,
    }),
    ...(type === 'whole' && max ? { min_value: min ?? 0, max_value: max } : {}),
    ...defined({
      channel_types: type === 'channel' ? CHANNEL_TYPES : undefined,
      choices: choices
        ? choices.map((value) => ({
            value,
            name: choiceName((LANGUAGES.en as Texts).bot.commands, value),
            name_localizations: localized((words) => choiceName(words, value)),
          }))
        : undefined,
    }),
  };
}

function namedCommand(path: string): Json {
  return named(
    (words) => at(words.names, path),
    (words) => at(words.about, path),
  );
}

function optionsJson({ options = [] }: Command): Json[] {
  const required = options.filter((option) => option.required);
  return [...required, ...options.filter((option) => !option.required)].map(optionJson);
}

/**
 * All commands to register. They have no default permission limits: the right to subscribe a channel is checked for
 * that channel, and everything else belongs to the user.
 */
export function commandsJson(): Json[] {
  return [...GROUPS.map(groupJson), ...MESSAGE_COMMANDS.map(messageCommandJson)];
}

/** Commands of every kind work in servers, in direct messages with the bot and in other private chats. */
const EVERYWHERE = {
  default_member_permissions: null,
  contexts: [0, 1, 2],
  integration_types: [0, 1],
};

/** A message command has no description and no options (Discord, "Application Commands", Message Commands). */
function messageCommandJson({ name }: MessageCommand): Json {
  const named = (words: Words) => words.onMessages[name];
  return {
    type: 3,
    name: named((LANGUAGES.en as Texts).bot.commands),
    name_localizations: localized(named),
    ...EVERYWHERE,
  };
}

function groupJson({ name, commands }: (typeof GROUPS)[number]): Json {
  const [only] = commands;
  const single = commands.length === 1 && only?.path === name ? only : undefined;
  return {
    type: 1,
    ...namedCommand(name),
    ...EVERYWHERE,
    options: single
      ? optionsJson(single)
      : commands.map((command) => ({
          type: 1,
          ...namedCommand(command.path),
          options: optionsJson(command),
        })),
  };
}
