// After the first answer: the original message and follow-ups, behind the interaction's token and only for fifteen
// minutes.
import { refusal } from './errors.js';
import { editMessage, storeMessage } from './message-store.js';
import { messageJson } from './payloads.js';
import { type Call, noContent, ok, type Reply, type Route, route } from './router.js';
import { channelOf } from './routes-interactions.js';
import type { InteractionRecord, MessageRecord } from './types.js';

const BASE = '/webhooks/:app/:token';

export const webhookRoutes: Route[] = [
  route('POST', BASE, followUp, { auth: false, bucket: 'token' }),
  route('GET', `${BASE}/messages/:message`, (call) => ok(messageJson(call.state, find(call, owner(call)))), {
    auth: false,
  }),
  route('PATCH', `${BASE}/messages/:message`, edit, { auth: false, bucket: 'token' }),
  route('DELETE', `${BASE}/messages/:message`, remove, { auth: false }),
];

function owner({ state, params }: Call): InteractionRecord {
  const found = state.interactions.find((i) => i.token === params.token);
  if (!found || params.app !== state.appId || found.ackedAt === null || found.type === 4)
    throw refusal('unknownWebhook');
  if (Date.now() - found.dispatchedAt > state.settings.tokenLifeMs) throw refusal('invalidWebhookToken');
  return found;
}

function find({ state, params }: Call, interaction: InteractionRecord): MessageRecord {
  const id = params.message === '@original' ? interaction.originalId : params.message;
  const mine = id === interaction.originalId || interaction.followUpIds.includes(id ?? '');
  const message = state.messages.get(id ?? '');
  if (!mine || !message || message.deleted) throw refusal('unknownMessage');
  return message;
}

/** A follow-up while "thinking…" is shown replaces it, with the flag of the deferred reply. */
function followUp(call: Call): Reply {
  const { state, body, files, where } = call;
  const interaction = owner(call);
  const channel = channelOf(state, interaction);
  const original = state.messages.get(interaction.originalId ?? '');
  if (original?.loading && !original.deleted) {
    editMessage(state, channel, original, { body, files }, where);
    return ok(messageJson(state, original));
  }
  if (interaction.userInstallOnly && interaction.followUpIds.length >= 5) throw refusal('tooManyFollowUps');
  const message = storeMessage(state, channel, { body, files }, where, interaction);
  interaction.followUpIds.push(message.id);
  return ok(messageJson(state, message));
}

function edit(call: Call): Reply {
  const { state, body, files, where } = call;
  const interaction = owner(call);
  const message = find(call, interaction);
  editMessage(state, channelOf(state, interaction), message, { body, files }, where);
  return ok(messageJson(state, message));
}

function remove(call: Call): Reply {
  const message = find(call, owner(call));
  message.deleted = true;
  return noContent();
}
