// Messages in channels: sending with nonces, reading, editing, deleting.
import { isJson } from './checks.js';
import { refusal } from './errors.js';
import { editMessage, messageOfNonce, rememberNonce, storeMessage } from './message-store.js';
import { channelJson, messageJson } from './payloads.js';
import { isThread, may } from './permissions.js';
import { limited } from './rate-limits.js';
import { type Call, noContent, ok, type Reply, type Route, route } from './router.js';
import { need, visible } from './routes-channels.js';
import type { ChannelRecord, Json, MessageRecord, State } from './types.js';
import { validateMessage } from './validate-message.js';

const NO_TEXT = [4, 14, 15, 16];

export const messageRoutes: Route[] = [
  route('POST', '/channels/:channel/messages', send, { bucket: 'channel' }),
  route('GET', '/channels/:channel/messages', list),
  route('GET', '/channels/:channel/messages/:message', (call) => {
    const channel = visible(call);
    need(call.state, channel, 'READ_MESSAGE_HISTORY');
    return ok(messageJson(call.state, find(call, channel)));
  }),
  route('PATCH', '/channels/:channel/messages/:message', edit, { bucket: 'channel' }),
  route('DELETE', '/channels/:channel/messages/:message', remove),
  route('POST', '/channels/:channel/messages/:message/crosspost', (call) => {
    const channel = visible(call);
    if (channel.type !== 5) throw refusal('wrongChannelType');
    const message = find(call, channel);
    crosspost(call.state, channel, message);
    return ok(messageJson(call.state, message));
  }),
];

function send(call: Call): Reply {
  const { state, body, files } = call;
  const channel = visible(call);
  if (NO_TEXT.includes(channel.type)) throw refusal('nonTextChannel');
  requireSendable(state, channel, body, files.size);
  validateMessage(body, files.size, false);
  const earlier = messageOfNonce(state, channel.id, body);
  if (earlier) return ok(messageJson(state, earlier));
  const message = storeMessage(state, channel, { body, files }, call.where);
  rememberNonce(state, message);
  return ok(messageJson(state, message));
}

/** Refuses a send as Discord does: 50007 for closed DMs, 50013 for a missing right, 50083 for archives. */
function requireSendable(state: State, channel: ChannelRecord, body: Json, fileCount: number): void {
  if (channel.guildId === null) {
    if (!reachesByDm(state, channel)) throw refusal('cannotDm');
    return;
  }
  need(state, channel, isThread(channel) ? 'SEND_MESSAGES_IN_THREADS' : 'SEND_MESSAGES');
  if (Array.isArray(body.embeds) && body.embeds.length > 0) need(state, channel, 'EMBED_LINKS');
  if (fileCount > 0) need(state, channel, 'ATTACH_FILES');
  if (!isThread(channel)) return;
  if (channel.locked && !may(state, state.bot.id, channel, 'MANAGE_THREADS')) throw refusal('lockedThread');
  if (!channel.archived) return;
  if (state.settings.archivedThreads === 'refuse') throw refusal('archivedThread');
  channel.archived = false;
  state.dispatch('THREAD_UPDATE', channelJson(state, channel), channel.guildId);
}

function reachesByDm(state: State, channel: ChannelRecord): boolean {
  const user = state.users.get(channel.recipients.find((id) => id !== state.bot.id) ?? '');
  if (!user || user.dmClosed) return false;
  const shared = [...state.guilds.values()].some((guild) => guild.botInside && guild.members.has(user.id));
  return shared || user.installed;
}

function list(call: Call): Reply {
  const { state, query } = call;
  const channel = visible(call);
  if (!may(state, state.bot.id, channel, 'READ_MESSAGE_HISTORY')) return ok([]);
  const limit = Math.min(100, Number(query.get('limit') ?? 50));
  const before = query.get('before');
  const after = query.get('after');
  const all = publicMessages(state, channel.id)
    .filter((m) => before === null || BigInt(m.id) < BigInt(before))
    .filter((m) => after === null || BigInt(m.id) > BigInt(after));
  const page = after === null ? all.slice(-limit) : all.slice(0, limit);
  return ok(page.reverse().map((message) => messageJson(state, message)));
}

const CROSSPOSTED = 1;

/**
 * Publishes a message once (Discord, "Crosspost Message"; message flag CROSSPOSTED). Discord's help article
 * "Announcement Channels FAQ" allows ten messages of a channel in an hour. More are rate limited until it is over.
 */
function crosspost(state: State, channel: ChannelRecord, message: MessageRecord): void {
  need(state, channel, 'SEND_MESSAGES');
  if (message.authorId !== state.bot.id) need(state, channel, 'MANAGE_MESSAGES');
  if (message.flags & CROSSPOSTED) throw refusal('alreadyCrossposted');
  const since = Date.now() - state.settings.publishWindowMs;
  const times = state.crossposts.filter((one) => one.channelId === channel.id && one.at > since);
  const [oldest] = times;
  if (oldest && times.length >= 10) {
    state.violations.push(`more than ten messages of channel ${channel.id} published in an hour`);
    throw limited((oldest.at - since) / 1000, false, {});
  }
  state.crossposts.push({ channelId: channel.id, at: Date.now() });
  message.flags |= CROSSPOSTED;
}

/** The messages that everyone in the channel sees, oldest first. */
export function publicMessages(state: State, channelId: string): MessageRecord[] {
  return [...state.messages.values()].filter((m) => m.channelId === channelId && !m.deleted && !m.ephemeral);
}

function find({ state, params }: Call, channel: ChannelRecord): MessageRecord {
  const message = state.messages.get(params.message ?? '');
  if (!message || message.deleted || message.ephemeral || message.channelId !== channel.id)
    throw refusal('unknownMessage');
  return message;
}

function edit(call: Call): Reply {
  const { state, body, files } = call;
  const channel = visible(call);
  const message = find(call, channel);
  if (message.authorId !== state.bot.id) throw refusal('notOwnMessage');
  if (isThread(channel) && channel.archived) throw refusal('archivedThread');
  editMessage(state, channel, message, { body: isJson(body) ? body : {}, files }, call.where);
  return ok(messageJson(state, message));
}

function remove(call: Call): Reply {
  const { state } = call;
  const channel = visible(call);
  const message = find(call, channel);
  if (message.authorId !== state.bot.id) need(state, channel, 'MANAGE_MESSAGES');
  message.deleted = true;
  return noContent();
}
