// The first answer to an interaction: only once, within three seconds, of an allowed kind.
import { checkList, checkOneOf, isJson, validated } from './checks.js';
import { DiscordError, refusal } from './errors.js';
import { editMessage, storeLoading, storeMessage } from './message-store.js';
import { messageJson } from './payloads.js';
import { type Call, noContent, ok, type Reply, type Route, route } from './router.js';
import type { ChannelRecord, InteractionRecord, Json, MessageRecord, State } from './types.js';
import { checkChoice } from './validate-commands.js';
import { validateModal } from './validate-components.js';

export const interactionRoutes: Route[] = [
  route('POST', '/interactions/:interaction/:token/callback', answer, { auth: false }),
];

function answer(call: Call): Reply {
  const { state, params, body } = call;
  const found = state.interactions.find((i) => i.id === params.interaction && i.token === params.token);
  if (!found) throw refusal('unknownInteraction');
  if (found.ackedAt !== null) throw refusal('alreadyAcknowledged');
  if (Date.now() - found.dispatchedAt > state.settings.ackDeadlineMs) throw refusal('unknownInteraction');
  validated((report) => {
    checkOneOf(report, ['type'], body.type, allowedAnswers(found));
  });
  const type = Number(body.type);
  const data = isJson(body.data) ? body.data : {};
  const message = underData(() => apply(call, found, type, data));
  found.ackedAt = Date.now();
  found.ackType = type;
  found.originalId = message?.id ?? null;
  if (call.query.get('with_response') !== 'true') return noContent();
  return ok({
    interaction: {
      id: found.id,
      type: found.type,
      ...(message
        ? {
            response_message_id: message.id,
            response_message_loading: message.loading,
            response_message_ephemeral: message.ephemeral,
          }
        : {}),
    },
    ...(message ? { resource: { type, message: messageJson(state, message) } } : {}),
  });
}

/** The response types that Discord accepts for each interaction; 6 and 7 need a message to change. */
function allowedAnswers(interaction: InteractionRecord): number[] {
  if (interaction.type === 4) return [8];
  const types = interaction.type === 5 ? [4, 5] : [4, 5, 9];
  return interaction.sourceMessageId === null ? types : [...types, 6, 7];
}

function apply(call: Call, found: InteractionRecord, type: number, data: Json): MessageRecord | null {
  const { state, files, where } = call;
  const channel = channelOf(state, found);
  if (type === 4) return storeMessage(state, channel, { body: data, files }, where, found);
  if (type === 5) return storeLoading(state, channel, found, (Number(data.flags ?? 0) & 64) !== 0);
  if (type === 6) return sourceOf(state, found);
  if (type === 7) return editMessage(state, channel, sourceOf(state, found), { body: data, files }, where);
  if (type === 8) answerChoices(found, data);
  if (type === 9) {
    validateModal(data);
    found.modal = data;
  }
  return null;
}

/** The channel of an interaction, also if the bot is not a member or the channel is gone. */
export function channelOf(state: State, interaction: InteractionRecord): ChannelRecord {
  const channel = state.channels.get(interaction.channelId);
  if (!channel) throw refusal('unknownChannel');
  return channel;
}

function sourceOf(state: State, interaction: InteractionRecord): MessageRecord {
  const message = state.messages.get(interaction.sourceMessageId ?? '');
  if (!message || message.deleted) throw refusal('unknownMessage');
  return message;
}

function answerChoices(found: InteractionRecord, data: Json): void {
  validated((report) => {
    checkList(report, ['choices'], data.choices ?? null, 25).forEach((choice, i) => {
      checkChoice(report, ['choices', i], choice, found.focusedType ?? 3);
    });
  });
  found.choices = (data.choices ?? []) as NonNullable<InteractionRecord['choices']>;
}

/** Field errors of the nested message are reported below `data`, as Discord does. */
function underData<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof DiscordError) || !isJson(error.body.errors) || 'data' in error.body.errors)
      throw error;
    throw new DiscordError(error.status, error.code, { ...error.body, errors: { data: error.body.errors } });
  }
}
