// Application commands, global and per guild, stored as Discord returns them: defaults left out, localizations only
// on request.
import { isJson } from './checks.js';
import { refusal } from './errors.js';
import { type Call, noContent, ok, type Reply, type Route, route } from './router.js';
import { snowflake } from './state.js';
import type { Json, State } from './types.js';
import { validateCommand, validateCommands } from './validate-commands.js';

const GLOBAL = '/applications/:app/commands';
const GUILD = '/applications/:app/guilds/:guild/commands';

export const commandRoutes: Route[] = [GLOBAL, GUILD].flatMap((base) => [
  route('GET', base, list),
  route('PUT', base, replaceAll),
  route('POST', base, create),
  route('GET', `${base}/:command`, (call) => ok(shown(call, find(call)))),
  route('PATCH', `${base}/:command`, change),
  route('DELETE', `${base}/:command`, remove),
]);

function scopeOf({ state, params }: Call): string {
  if (params.app !== state.appId) throw refusal('unknownApplication');
  if (params.guild === undefined) return 'global';
  if (!state.guilds.get(params.guild)?.botInside) throw refusal('missingAccess');
  return params.guild;
}

function list(call: Call): Reply {
  const commands = call.state.commands.get(scopeOf(call)) ?? [];
  return ok(commands.map((command) => shown(call, command)));
}

function replaceAll(call: Call): Reply {
  const { state, rawBody } = call;
  const scope = scopeOf(call);
  const wanted: unknown[] = Array.isArray(rawBody) ? rawBody : [rawBody];
  validateCommands(wanted);
  if (wanted.length > 100) throw refusal('tooManyCommands');
  const isEntry = (command: unknown) => isJson(command) && command.type === 4;
  if (state.commands.get(scope)?.some(isEntry) && !wanted.some(isEntry)) throw refusal('entryPointRemoved');
  const commands = wanted.filter(isJson).map((command) => stored(state, scope, command));
  state.commands.set(scope, commands);
  state.commandWrites.push(`PUT ${scope}`);
  return ok(commands);
}

function create(call: Call): Reply {
  const { state, body } = call;
  const scope = scopeOf(call);
  validateCommand(body);
  const others = (state.commands.get(scope) ?? []).filter((c) => !sameCommand(c, body));
  if (others.length >= 100) throw refusal('tooManyCommands');
  const command = stored(state, scope, body);
  state.commands.set(scope, [...others, command]);
  state.commandWrites.push(`POST ${scope}`);
  return ok(command, 201);
}

function change(call: Call): Reply {
  const { state, body } = call;
  const scope = scopeOf(call);
  const before = find(call);
  const merged = { ...before, ...body };
  validateCommand(merged);
  const after = { ...normalised(merged), id: before.id, version: snowflake(), application_id: state.appId };
  const all = state.commands.get(scope) ?? [];
  state.commands.set(
    scope,
    all.map((c) => (c.id === before.id ? after : c)),
  );
  state.commandWrites.push(`PATCH ${scope}`);
  return ok(after);
}

function remove(call: Call): Reply {
  const { state } = call;
  const scope = scopeOf(call);
  const gone = find(call);
  state.commands.set(
    scope,
    (state.commands.get(scope) ?? []).filter((c) => c !== gone),
  );
  state.commandWrites.push(`DELETE ${scope}`);
  return noContent();
}

function find(call: Call): Json {
  const command = call.state.commands.get(scopeOf(call))?.find((c) => c.id === call.params.command);
  if (!command) throw refusal('unknownCommand');
  return command;
}

function sameCommand(a: Json, b: Json): boolean {
  return a.name === b.name && (a.type ?? 1) === (b.type ?? 1);
}

/** Keeps the id of a command of the same name, as Discord does; a changed one gets a new version. */
function stored(state: State, scope: string, command: Json): Json {
  const before = state.commands.get(scope)?.find((c) => sameCommand(c, command));
  // Only global commands store where they may be used.
  const next = {
    ...normalised(command),
    ...(scope === 'global' ? {} : { contexts: null, integration_types: [0] }),
  };
  const { id: _id, application_id: _app, version: _version, guild_id: _guild, ...former } = before ?? {};
  const unchanged = before && JSON.stringify(former) === JSON.stringify(next);
  return {
    ...next,
    id: before?.id ?? snowflake(),
    application_id: state.appId,
    version: unchanged ? before.version : snowflake(),
    ...(scope === 'global' ? {} : { guild_id: scope }),
  };
}

function normalised(command: Json): Json {
  return {
    type: command.type ?? 1,
    name: command.name,
    name_localizations: command.name_localizations ?? null,
    description: command.description ?? '',
    description_localizations: command.description_localizations ?? null,
    default_member_permissions: command.default_member_permissions ?? null,
    dm_permission: !Array.isArray(command.contexts) || command.contexts.includes(1),
    nsfw: command.nsfw ?? false,
    contexts: command.contexts ?? null,
    integration_types: command.integration_types ?? [0],
    ...(Array.isArray(command.options) && command.options.length > 0
      ? { options: command.options.filter(isJson).map(normalisedOption) }
      : {}),
  };
}

function normalisedOption(option: Json): Json {
  const kept = Object.entries(option).filter(([, value]) => {
    if (value === null || value === undefined || value === false) return false;
    return !(Array.isArray(value) && value.length === 0);
  });
  const result: Json = Object.fromEntries(kept);
  if (Array.isArray(result.options)) result.options = result.options.filter(isJson).map(normalisedOption);
  return result;
}

function shown({ query }: Call, command: Json): Json {
  if (query.get('with_localizations') === 'true') return command;
  return withoutLocalisations(command);
}

function withoutLocalisations(item: Json): Json {
  const { name_localizations: _names, description_localizations: _descriptions, ...rest } = item;
  if (Array.isArray(rest.options)) rest.options = rest.options.filter(isJson).map(withoutLocalisations);
  return rest;
}
