// Channels and threads: reading, unarchiving, and posts in forums with their tags.
import { checkList, checkText, fail, isJson, validated } from './checks.js';
import { refusal } from './errors.js';
import { storeMessage } from './message-store.js';
import { channelJson, channelsOf, messageJson } from './payloads.js';
import { isThread, may, type Permission } from './permissions.js';
import { type Call, ok, type Reply, type Route, route } from './router.js';
import { reachableChannel, snowflake } from './state.js';
import type { ChannelRecord, Json, State } from './types.js';

const FORUMS = [15, 16];

export const channelRoutes: Route[] = [
  route('GET', '/channels/:channel', (call) => ok(channelJson(call.state, visible(call)))),
  route('PATCH', '/channels/:channel', change, { bucket: 'channel' }),
  route('DELETE', '/channels/:channel', (call) => {
    const channel = visible(call);
    need(call.state, channel, isThread(channel) ? 'MANAGE_THREADS' : 'MANAGE_CHANNELS');
    removeChannel(call.state, channel);
    return ok(channelJson(call.state, channel));
  }),
  route('POST', '/channels/:channel/threads', startThread, { bucket: 'channel' }),
  route('POST', '/channels/:channel/messages/:message/threads', startThread, { bucket: 'channel' }),
  route('GET', '/channels/:channel/threads/archived/public', (call) => {
    const parent = visible(call);
    const threads = channelsOf(call.state, parent.guildId ?? '').filter(
      (c) => c.parentId === parent.id && c.archived && isThread(c),
    );
    return ok({ threads: threads.map((c) => channelJson(call.state, c)), members: [], has_more: false });
  }),
  route('PUT', '/channels/:channel/thread-members/@me', (call) => {
    const thread = visible(call);
    if (!isThread(thread)) throw refusal('wrongChannelType');
    if (thread.archived) throw refusal('archivedThread');
    return { status: 204 };
  }),
];

/** The channel of the call, refused as by Discord when the bot may not see it. */
export function visible({ state, params }: Call): ChannelRecord {
  return reachableChannel(state, params.channel ?? '', (c) => may(state, state.bot.id, c, 'VIEW_CHANNEL'));
}

export function need(state: State, channel: ChannelRecord, permission: Permission): void {
  if (!may(state, state.bot.id, channel, permission)) throw refusal('missingPermissions');
}

/** Removes a channel and the threads below it, and notifies the gateway. */
export function removeChannel(state: State, channel: ChannelRecord): void {
  for (const child of [...state.channels.values()].filter((c) => c.parentId === channel.id && isThread(c)))
    state.channels.delete(child.id);
  state.channels.delete(channel.id);
  const event = isThread(channel) ? 'THREAD_DELETE' : 'CHANNEL_DELETE';
  state.dispatch(event, channelJson(state, channel), channel.guildId);
}

function change(call: Call): Reply {
  const { state, body } = call;
  const channel = visible(call);
  validated((report) => {
    if (body.name !== undefined) checkText(report, ['name'], body.name, { min: 1, max: 100 });
    if (isThread(channel)) checkTags(state, report, channel, body.applied_tags);
  });
  if (!isThread(channel)) need(state, channel, 'MANAGE_CHANNELS');
  else if (opensOnly(body)) {
    if (channel.locked) need(state, channel, 'MANAGE_THREADS');
    else need(state, channel, 'SEND_MESSAGES_IN_THREADS');
  } else {
    if (channel.archived && body.archived !== false) throw refusal('archivedThread');
    need(state, channel, 'MANAGE_THREADS');
  }
  if (typeof body.archived === 'boolean') channel.archived = body.archived;
  if (typeof body.locked === 'boolean') channel.locked = body.locked;
  if (typeof body.name === 'string') channel.name = body.name;
  if (Array.isArray(body.applied_tags)) channel.appliedTags = body.applied_tags.map(String);
  state.dispatch(
    isThread(channel) ? 'THREAD_UPDATE' : 'CHANNEL_UPDATE',
    channelJson(state, channel),
    channel.guildId,
  );
  return ok(channelJson(state, channel));
}

function opensOnly(body: Json): boolean {
  return (
    body.archived === false &&
    Object.entries(body).every(([key, value]) => key === 'archived' || value === undefined)
  );
}

function checkTags(
  state: State,
  report: Parameters<typeof fail>[0],
  thread: ChannelRecord,
  value: unknown,
): void {
  const forum = FORUMS.includes(thread.type) ? thread : state.channels.get(thread.parentId ?? '');
  checkList(report, ['applied_tags'], value, 5).forEach((tag, i) => {
    if (!forum?.tags.some((known) => known.id === tag))
      fail(report, ['applied_tags', i], 'BASE_TYPE_CHOICES', 'Unknown tag');
  });
}

function startThread(call: Call): Reply {
  const { state, body, files } = call;
  const parent = visible(call);
  const forum = FORUMS.includes(parent.type);
  if (!forum && parent.type !== 0 && parent.type !== 5) throw refusal('wrongChannelType');
  // Discord requires SEND_MESSAGES in a forum, and CREATE_PUBLIC_THREADS elsewhere.
  need(state, parent, forum ? 'SEND_MESSAGES' : 'CREATE_PUBLIC_THREADS');
  validated((report) => {
    checkText(report, ['name'], body.name, { min: 1, max: 100 });
    if (!forum) return;
    if (!isJson(body.message)) fail(report, ['message'], 'BASE_TYPE_REQUIRED', 'This field is required');
    checkTags(state, report, parent, body.applied_tags);
  });
  const tags = Array.isArray(body.applied_tags) ? body.applied_tags.map(String) : [];
  if (forum && parent.requireTag && tags.length === 0 && !may(state, state.bot.id, parent, 'MANAGE_THREADS'))
    throw refusal('tagRequired');
  const source = call.params.message;
  if (source !== undefined && state.messages.get(source)?.channelId !== parent.id)
    throw refusal('unknownMessage');
  const thread: ChannelRecord = {
    ...parent,
    id: source ?? snowflake(),
    type: parent.type === 5 ? 10 : 11,
    name: String(body.name),
    parentId: parent.id,
    overwrites: [],
    tags: [],
    requireTag: false,
    appliedTags: tags,
    archived: false,
    locked: false,
  };
  if (!forum) {
    open(state, thread);
    return ok(channelJson(state, thread), 201);
  }
  const message = body.message as Json;
  if (Array.isArray(message.embeds) && message.embeds.length > 0) need(state, parent, 'EMBED_LINKS');
  // A forum post has no nonce: only the bot's own care prevents a second one.
  const first = storeMessage(state, thread, { body: { ...message, nonce: undefined }, files }, call.where);
  state.messages.delete(first.id);
  first.id = thread.id;
  state.messages.set(first.id, first);
  open(state, thread);
  return ok({ ...channelJson(state, thread), message: messageJson(state, first) }, 201);
}

function open(state: State, thread: ChannelRecord): void {
  state.channels.set(thread.id, thread);
  state.dispatch('THREAD_CREATE', { ...channelJson(state, thread), newly_created: true }, thread.guildId);
}
