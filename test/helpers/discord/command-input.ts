// The part of Discord's client between the keyboard and the bot: it finds the registered command, checks the options
// against its definition, and builds the data of the interaction.
import { isJson } from './checks.js';
import { channelJson, memberJson, roleJson, userJson } from './payloads.js';
import { may, PERMISSIONS, permissionsIn } from './permissions.js';
import type { ChannelRecord, Json, State, UserRecord } from './types.js';

export type OptionValue = string | number | boolean | { id: string };

interface Target {
  command: Json;
  /** Names of the group and subcommand, outermost first. */
  path: string[];
  options: Json[];
}

/** Finds '/jobs subscribe' among the registered commands of the guild and the global ones. */
export function findCommand(state: State, guildId: string | null, typed: string): Target {
  const [name = '', ...path] = typed.replace(/^\//, '').trim().split(/\s+/);
  const registered = [...(state.commands.get(guildId ?? '') ?? []), ...(state.commands.get('global') ?? [])];
  const command = registered.find((c) => c.name === name && c.type === 1);
  if (!command)
    throw new Error(
      `No command /${name} is registered (${registered.map((c) => `/${c.name}`).join(', ') || 'none'}).`,
    );
  let options = listOf(command.options);
  for (const part of path) {
    const next = options.find((o) => o.name === part && (o.type === 1 || o.type === 2));
    if (!next) throw new Error(`${typed}: no subcommand "${part}".`);
    options = listOf(next.options);
  }
  if (options.some((o) => o.type === 1 || o.type === 2))
    throw new Error(`${typed}: a subcommand must be named.`);
  return { command, path, options };
}

/** Finds a command of the menu of a message by its name, in the guild or among the global ones. */
export function findMessageCommand(state: State, guildId: string | null, name: string): Json {
  const all = [...(state.commands.get(guildId ?? '') ?? []), ...(state.commands.get('global') ?? [])];
  const command = all.find((one) => one.type === 3 && one.name === name);
  if (!command) throw new Error(`No message command "${name}" is registered.`);
  return command;
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** Throws when this person could not see the command here. `override`: the admins allowed it to them. */
export function requireUsable(
  state: State,
  command: Json,
  user: UserRecord,
  channel: ChannelRecord,
  override: boolean,
): void {
  const what = `/${String(command.name)}`;
  const context = contextOf(state, channel);
  const contexts = Array.isArray(command.contexts) ? command.contexts : [0, 1, 2];
  if (!contexts.includes(context)) throw new Error(`${what} is not offered in context ${context}.`);
  const installs = Array.isArray(command.integration_types) ? command.integration_types : [0];
  const byGuild = installs.includes(0) && appIsPresent(state, channel);
  const byUser = installs.includes(1) && user.installed;
  if (!byGuild && !byUser) throw new Error(`${what} is installed neither here nor by ${user.username}.`);
  if (channel.guildId === null) return;
  if (!may(state, user.id, channel, 'VIEW_CHANNEL'))
    throw new Error(`${user.username} cannot see that channel.`);
  const granted = permissionsIn(state, user.id, channel);
  if ((granted & PERMISSIONS.USE_APPLICATION_COMMANDS) === 0n)
    throw new Error(`${user.username} may not use application commands there.`);
  const gate = command.default_member_permissions;
  if (gate === null || gate === undefined || override || (granted & PERMISSIONS.ADMINISTRATOR) !== 0n) return;
  const needed = BigInt(String(gate));
  if (needed === 0n || (granted & needed) !== needed)
    throw new Error(`${what} is hidden from ${user.username}: default_member_permissions ${String(gate)}.`);
}

/** 0 guild, 1 DM with the bot, 2 any other private channel. */
export function contextOf(state: State, channel: ChannelRecord): 0 | 1 | 2 {
  if (channel.guildId !== null) return 0;
  return channel.recipients.includes(state.bot.id) ? 1 : 2;
}

export function appIsPresent(state: State, channel: ChannelRecord): boolean {
  if (channel.guildId === null) return contextOf(state, channel) === 1;
  return state.guilds.get(channel.guildId)?.botInside ?? false;
}

interface Built {
  options: Json[];
  resolved: Json;
}

/** Builds the option list; unknown, missing or ill-typed options are mistakes of the test. */
export function buildOptions(
  state: State,
  target: Target,
  given: Record<string, OptionValue | undefined>,
  user: UserRecord,
  channel: ChannelRecord,
  focused: string | null,
): Built {
  const where = `/${[target.command.name, ...target.path].join(' ')}`;
  const resolved: Json = {};
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name] of entries)
    if (!target.options.some((o) => o.name === name)) throw new Error(`${where}: unknown option "${name}".`);
  for (const o of target.options)
    if (focused === null && o.required === true && given[String(o.name)] === undefined)
      throw new Error(`${where}: required option "${String(o.name)}" is missing.`);
  const flat = entries.map(([name, value]) => {
    const definition = target.options.find((o) => o.name === name) as Json;
    const label = `${where} ${name}`;
    if (name === focused) return { name, type: definition.type, value, focused: true };
    return {
      name,
      type: definition.type,
      value: optionValue(state, definition, value, label, resolved, user, channel),
    };
  });
  let options: Json[] = flat;
  for (const [depth, name] of [...target.path.entries()].reverse()) {
    const isGroup = target.path.length === 2 && depth === 0;
    options = [{ name, type: isGroup ? 2 : 1, options }];
  }
  return { options, resolved };
}

function optionValue(
  state: State,
  definition: Json,
  value: OptionValue | undefined,
  label: string,
  resolved: Json,
  user: UserRecord,
  channel: ChannelRecord,
): unknown {
  const type = Number(definition.type);
  if (type === 3) return textValue(definition, value, label);
  if (type === 4 || type === 10) return numberValue(definition, value, label, type === 4);
  if (type === 5) {
    if (typeof value !== 'boolean') throw new Error(`${label}: needs true or false.`);
    return value;
  }
  const id = typeof value === 'object' ? value.id : String(value);
  resolve(state, type, id, label, resolved, user, channel, definition.channel_types);
  return id;
}

function textValue(definition: Json, value: OptionValue | undefined, label: string): string {
  if (typeof value !== 'string') throw new Error(`${label}: needs text.`);
  const min = Number(definition.min_length ?? 1);
  const max = Number(definition.max_length ?? 6000);
  if (value.length < min || value.length > max)
    throw new Error(`${label}: ${value.length} characters, allowed ${min}–${max}.`);
  requireChoice(definition, value, label);
  return value;
}

function numberValue(
  definition: Json,
  value: OptionValue | undefined,
  label: string,
  whole: boolean,
): number {
  if (typeof value !== 'number' || (whole && !Number.isInteger(value)))
    throw new Error(`${label}: needs a number.`);
  if (value < Number(definition.min_value ?? -Infinity) || value > Number(definition.max_value ?? Infinity))
    throw new Error(`${label}: ${value} is out of range.`);
  requireChoice(definition, value, label);
  return value;
}

function requireChoice(definition: Json, value: unknown, label: string): void {
  const choices = listOf(definition.choices);
  if (choices.length > 0 && !choices.some((choice) => choice.value === value))
    throw new Error(
      `${label}: "${String(value)}" is none of ${choices.map((c) => String(c.value)).join(', ')}.`,
    );
}

/** Fills `resolved` for users (6), channels (7), roles (8) and mentionables (9). */
export function resolve(
  state: State,
  type: number,
  id: string,
  label: string,
  resolved: Json,
  user: UserRecord,
  channel: ChannelRecord,
  channelTypes?: unknown,
): void {
  const put = (kind: string, value: Json) => {
    resolved[kind] = { ...(resolved[kind] as Json | undefined), [id]: value };
  };
  const guild = state.guilds.get(channel.guildId ?? '');
  if (type === 7) {
    const picked = state.channels.get(id);
    if (!picked || picked.guildId !== channel.guildId) throw new Error(`${label}: no channel ${id} here.`);
    if (!may(state, user.id, picked, 'VIEW_CHANNEL'))
      throw new Error(`${label}: ${user.username} cannot see it.`);
    if (Array.isArray(channelTypes) && channelTypes.length > 0 && !channelTypes.includes(picked.type))
      throw new Error(`${label}: channels of type ${picked.type} are not offered.`);
    put('channels', {
      ...channelJson(state, picked),
      permissions: permissionsIn(state, user.id, picked).toString(),
    });
    return;
  }
  const role = guild?.roles.get(id);
  if (role && (type === 8 || type === 9)) {
    put('roles', roleJson(role, 0));
    return;
  }
  const person = state.users.get(id);
  if (!person || type === 8) throw new Error(`${label}: ${id} is not known here.`);
  put('users', userJson(person));
  const member = guild?.members.get(id);
  if (member) {
    const { user: _user, ...rest } = memberJson(state, member);
    put('members', { ...rest, permissions: permissionsIn(state, id, channel).toString() });
  }
}
