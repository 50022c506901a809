// The application, the address of the gateway, and direct-message channels.
import { isSnowflake } from './checks.js';
import { invalidForm, refusal } from './errors.js';
import { channelJson, guildJson, userJson } from './payloads.js';
import { noContent, ok, type Route, route } from './router.js';
import { newChannel } from './state.js';
import type { ChannelRecord, Json, State } from './types.js';

export const appRoutes: Route[] = [
  route('GET', '/gateway', ({ state }) => ok({ url: gatewayUrl(state) }), { auth: false }),
  route('GET', '/gateway/bot', ({ state }) =>
    ok({
      url: gatewayUrl(state),
      shards: 1,
      session_start_limit: {
        total: 1000,
        remaining: Math.max(0, 1000 - state.identifies),
        reset_after: 14_400_000,
        max_concurrency: 1,
      },
    }),
  ),
  route('GET', '/users/@me', ({ state }) => ok(userJson(state.bot))),
  route('GET', '/users/@me/guilds', ({ state }) =>
    ok([...state.guilds.values()].filter((guild) => guild.botInside).map((guild) => guildJson(guild))),
  ),
  route('POST', '/users/@me/channels', ({ state, body }) => ok(channelJson(state, openDm(state, body)))),
  route('GET', '/users/:user', ({ state, params }) => {
    const user = state.users.get(params.user ?? '');
    if (!user) throw refusal('unknownUser');
    return ok(userJson(user));
  }),
  route('GET', '/applications/@me', ({ state }) => ok(applicationJson(state))),
  route('GET', '/oauth2/applications/@me', ({ state }) => ok(applicationJson(state))),
  route('POST', '/channels/:channel/typing', () => noContent()),
];

function gatewayUrl(state: State): string {
  return state.baseUrl.replace(/^http/, 'ws');
}

export function applicationJson(state: State): Json {
  return {
    id: state.appId,
    name: state.bot.username,
    description: '',
    icon: null,
    bot_public: state.settings.botPublic,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: 0,
    bot: userJson(state.bot),
    owner: userJson(state.appOwner),
    team: null,
    approximate_guild_count: [...state.guilds.values()].filter((guild) => guild.botInside).length,
    integration_types_config: { '0': {}, '1': {} },
  };
}

function openDm(state: State, body: Json): ChannelRecord {
  const id = body.recipient_id;
  if (!isSnowflake(id))
    throw invalidForm([
      {
        path: ['recipient_id'],
        code: 'NUMBER_TYPE_COERCE',
        message: `Value "${String(id)}" is not snowflake.`,
      },
    ]);
  if (!state.users.has(id) || id === state.bot.id) throw refusal('invalidRecipients');
  return dmWith(state, id);
}

/** The one direct-message channel between the bot and a user, opened if there is none yet. */
export function dmWith(state: State, userId: string): ChannelRecord {
  const known = [...state.channels.values()].find((c) => c.type === 1 && c.recipients.includes(userId));
  if (known) return known;
  const channel = { ...newChannel(1, ''), recipients: [state.bot.id, userId] };
  state.channels.set(channel.id, channel);
  return channel;
}
