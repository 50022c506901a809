// Turns an accepted body into a stored message, or changes one; shared by channels, interaction responses and
// follow-ups, so that the same rules hold everywhere.
import { isJson } from './checks.js';
import { refusal } from './errors.js';
import { allowedMentionsOf, pingedBy } from './mentions.js';
import { createMessageRecord } from './state.js';
import type { ChannelRecord, Json, MessageRecord, State, StoredFile } from './types.js';
import { COMPONENTS_V2, hasLayout, layoutText, legacyFields } from './validate-layout.js';
import { showsSomething, validateAttachments, validateMessage } from './validate-message.js';

const EPHEMERAL = 64;
const CREATABLE = 4 | 4096 | COMPONENTS_V2;

export interface Draft {
  body: Json;
  files: Map<string, StoredFile>;
}

function asList(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** Records what Discord allows but a careful bot never does. */
function noteCarelessness(state: State, where: string, body: Json): void {
  if (allowedMentionsOf(body) === null) state.violations.push(`${where}: allowed_mentions missing`);
}

/**
 * Validates and stores a new message.
 * @param interactionId set for everything that lives behind an interaction token; only there may
 *   the ephemeral flag be used.
 */
export function storeMessage(
  state: State,
  channel: ChannelRecord,
  draft: Draft,
  where: string,
  interaction: { id: string; userId: string } | null = null,
): MessageRecord {
  const { body, files } = draft;
  checkDraft(draft, new Set(), false);
  noteCarelessness(state, where, body);
  const flags = Number(body.flags ?? 0);
  if (flags & EPHEMERAL && !interaction)
    state.violations.push(`${where}: the ephemeral flag has no effect outside interactions`);
  const message = createMessageRecord({
    channelId: channel.id,
    authorId: state.bot.id,
    content: typeof body.content === 'string' ? body.content.trim() : '',
    embeds: asList(body.embeds),
    components: asList(body.components),
    files: [...files.values()],
    flags: flags & (interaction ? CREATABLE | EPHEMERAL : CREATABLE),
    nonce: body.nonce === undefined || body.nonce === null ? null : String(body.nonce),
    allowedMentions: allowedMentionsOf(body),
    pinged: pingedBy(state, channel, wordsOf(body), allowedMentionsOf(body)),
    interactionId: interaction?.id ?? null,
    ephemeralFor: interaction && flags & EPHEMERAL ? interaction.userId : null,
  });
  state.messages.set(message.id, message);
  return message;
}

/** The text in which mentions notify: the content, or the text displays of a layout. */
function wordsOf({ content, components }: Json): string {
  return [String(content ?? ''), layoutText(components)].join('\n');
}

/**
 * Applies an edit; fields left out stay. The ephemeral flag can never change, and the flag of Components V2 only be
 * set: then what the message had before must be taken away in the same edit.
 */
export function editMessage(
  state: State,
  channel: ChannelRecord,
  message: MessageRecord,
  draft: Draft,
  where: string,
): MessageRecord {
  const { body, files } = draft;
  const known = new Set(message.files.map((file) => file.id));
  const isLayout = hasLayout(message);
  checkDraft(draft, known, true, isLayout);
  if (wordsOf(body).trim() !== '') noteCarelessness(state, where, body);
  if (Number(body.flags ?? 0) & EPHEMERAL && !message.ephemeral)
    state.violations.push(`${where}: tried to make a public message ephemeral by an edit`);
  const content = body.content === undefined ? message.content : String(body.content ?? '').trim();
  const embeds = body.embeds === undefined ? message.embeds : asList(body.embeds);
  const components = body.components === undefined ? message.components : asList(body.components);
  const becomes = isLayout || hasLayout(body);
  // Only an empty list removes embeds (discord-api-docs, issue 7787).
  const left = body.embeds === null ? message.embeds : embeds;
  if (becomes && (content !== '' || left.length > 0)) throw legacyFields();
  const kept = Array.isArray(body.attachments)
    ? message.files.filter((file) => asList(body.attachments).some((a) => a.id === file.id))
    : message.files;
  const all = [...kept, ...files.values()];
  if (!showsSomething({ content, embeds, components }, all.length)) throw refusal('emptyMessage');
  const wasLoading = message.loading;
  Object.assign(message, { content, embeds, components, files: all });
  if (becomes) message.flags |= COMPONENTS_V2;
  if (wasLoading) {
    message.pinged = pingedBy(state, channel, wordsOf({ content, components }), allowedMentionsOf(body));
    message.allowedMentions = allowedMentionsOf(body);
    message.flags &= ~128;
  } else message.editedAt = Date.now();
  return message;
}

function checkDraft({ body, files }: Draft, known: Set<string>, partial: boolean, isLayout = false): void {
  validateMessage(body, files.size, partial, isLayout);
  validateAttachments(body, new Set(files.keys()), known);
}

/** The message "Bot is thinking…" of a deferred reply. */
export function storeLoading(
  state: State,
  channel: ChannelRecord,
  interaction: { id: string; userId: string },
  ephemeral: boolean,
): MessageRecord {
  const message = createMessageRecord({
    channelId: channel.id,
    authorId: state.bot.id,
    content: '',
    embeds: [],
    components: [],
    files: [],
    flags: 128 | (ephemeral ? EPHEMERAL : 0),
    nonce: null,
    allowedMentions: null,
    pinged: [],
    interactionId: interaction.id,
    ephemeralFor: ephemeral ? interaction.userId : null,
  });
  state.messages.set(message.id, message);
  return message;
}

/**
 * The earlier message of a nonce, if `enforce_nonce` asks for it. Unique per author, as documented:
 * a nonce used again in another channel loses the second message, which is recorded. A message
 * deleted since then answers 10008.
 */
export function messageOfNonce(state: State, channelId: string, body: Json): MessageRecord | null {
  if (body.enforce_nonce !== true || body.nonce === undefined || body.nonce === null) return null;
  const known = state.nonces.get(String(body.nonce));
  if (!known || Date.now() - known.at > state.settings.nonceWindowMs) return null;
  const message = state.messages.get(known.messageId);
  if (!message || message.deleted) throw refusal('unknownMessage');
  if (message.channelId !== channelId)
    state.violations.push(`nonce ${String(body.nonce)} reused in another channel: this message is lost`);
  return message;
}

export function rememberNonce(state: State, message: MessageRecord): void {
  if (message.nonce === null) return;
  state.nonces.set(message.nonce, { messageId: message.id, at: Date.now() });
}
