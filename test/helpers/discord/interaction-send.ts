// Makes an interaction, records it and sends it to the bot.
import { randomBytes } from 'node:crypto';
import { appIsPresent, contextOf } from './command-input.js';
import { actorJson, channelJson } from './payloads.js';
import { permissionsIn } from './permissions.js';
import { snowflake } from './state.js';
import type { ChannelRecord, InteractionRecord, Json, MessageRecord, State, UserRecord } from './types.js';

export interface Draft {
  type: InteractionRecord['type'];
  name: string;
  data: Json;
  locale: string;
  /** Install types of the command; components and modals inherit those of their source. */
  integrationTypes?: unknown[];
  source?: MessageRecord;
  sourceJson?: Json;
  focusedType?: number;
}

/** Sends it immediately, also while no bot is connected: a session that resumes gets it replayed. */
export function sendInteraction(
  state: State,
  user: UserRecord,
  channel: ChannelRecord,
  draft: Draft,
): InteractionRecord {
  const guild = channel.guildId === null ? null : (state.guilds.get(channel.guildId) ?? null);
  const id = snowflake();
  const token = randomBytes(48).toString('base64url');
  const owners = ownersOf(state, user, channel, draft);
  const payload: Json = {
    id,
    application_id: state.appId,
    type: draft.type,
    token,
    version: 1,
    data: draft.data,
    channel_id: channel.id,
    channel: {
      ...channelJson(state, channel),
      permissions: permissionsIn(state, user.id, channel).toString(),
    },
    ...actorJson(state, user, channel),
    ...(guild
      ? {
          guild_id: guild.id,
          guild_locale: guild.preferredLocale,
          guild: { id: guild.id, locale: guild.preferredLocale, features: [] },
        }
      : {}),
    ...(draft.source && draft.sourceJson ? { message: draft.sourceJson } : {}),
    locale: draft.locale,
    app_permissions: permissionsIn(state, state.bot.id, channel).toString(),
    entitlements: [],
    authorizing_integration_owners: owners,
    context: contextOf(state, channel),
    attachment_size_limit: 10_485_760,
  };
  const record: InteractionRecord = {
    id,
    token,
    type: draft.type,
    name: draft.name,
    userId: user.id,
    guildId: guild?.id ?? null,
    channelId: channel.id,
    userInstallOnly: !appIsPresent(state, channel),
    payload,
    dispatchedAt: Date.now(),
    ackedAt: null,
    ackType: null,
    sourceMessageId: draft.source?.id ?? null,
    originalId: null,
    followUpIds: [],
    modal: null,
    choices: null,
    focusedType: draft.focusedType ?? null,
  };
  state.interactions.push(record);
  state.refusedSends.clear();
  state.dispatch('INTERACTION_CREATE', payload, guild?.botInside ? guild.id : null);
  return record;
}

/** By Discord's table: key 0 the guild (or "0" in the bot's DM), key 1 the user who installed. */
function ownersOf(state: State, user: UserRecord, channel: ChannelRecord, draft: Draft): Json {
  const types = draft.integrationTypes ?? [0, 1];
  const owners: Json = {};
  if (types.includes(0) && appIsPresent(state, channel)) owners['0'] = channel.guildId ?? '0';
  if (types.includes(1) && user.installed) owners['1'] = user.id;
  return owners;
}
