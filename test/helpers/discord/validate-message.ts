// Discord's rules for the content of a message. A violation is answered with 50035 and the tree of errors, and an
// empty message with 50006.
import {
  absent,
  checkInteger,
  checkList,
  checkOneOf,
  checkText,
  checkUrl,
  fail,
  isJson,
  isSnowflake,
  type Path,
  type Report,
  validated,
} from './checks.js';
import { DiscordError, refusal } from './errors.js';
import type { Json } from './types.js';
import { checkComponents } from './validate-components.js';
import { checkLayoutMessage, hasLayout } from './validate-layout.js';

/**
 * Checks a create or edit body.
 * @param partial edits may leave everything out; a create must show something.
 * @param isLayout the message that is edited has the flag of Components V2, so the edit has it too.
 */
export function validateMessage(body: Json, fileCount: number, partial: boolean, isLayout = false): void {
  validated((report) => {
    checkInteger(report, ['flags'], body.flags, 0, Number.MAX_SAFE_INTEGER);
    checkNonce(report, body);
    checkAllowedMentions(report, ['allowed_mentions'], body.allowed_mentions);
    if (isLayout || hasLayout(body)) {
      checkLayoutMessage(report, body, partial, isLayout);
      return;
    }
    checkText(report, ['content'], body.content, { max: 2000 });
    checkList(report, ['embeds'], body.embeds, 10).forEach((embed, i) => {
      checkEmbed(report, ['embeds', i], embed);
    });
    checkEmbedTotal(report, body.embeds);
    checkComponents(report, ['components'], body.components);
    checkList(report, ['sticker_ids'], body.sticker_ids, 3);
  });
  if (!partial && !showsSomething(body, fileCount)) throw refusal('emptyMessage');
}

/** True when a reader would see anything: text, a filled embed, a file, a component. */
export function showsSomething(body: Json, fileCount: number): boolean {
  if (typeof body.content === 'string' && body.content.trim() !== '') return true;
  if (fileCount > 0 || filled(body.components)) return true;
  if (filled(body.sticker_ids) || isJson(body.poll)) return true;
  return Array.isArray(body.embeds) && body.embeds.some(embedHasContent);
}

function filled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function embedHasContent(embed: unknown): boolean {
  if (!isJson(embed)) return false;
  return ['title', 'description', 'fields', 'footer', 'author', 'image', 'thumbnail', 'video'].some((key) => {
    const value = embed[key];
    return Array.isArray(value) ? value.length > 0 : !absent(value) && value !== '';
  });
}

function checkNonce(report: Report, body: Json): void {
  const { nonce } = body;
  if (absent(nonce)) {
    if (body.enforce_nonce === true)
      fail(report, ['nonce'], 'BASE_TYPE_REQUIRED', 'A nonce is required when enforce_nonce is set.');
    return;
  }
  if (typeof nonce !== 'string' && !Number.isInteger(nonce)) {
    fail(report, ['nonce'], 'NONCE_TYPE_INVALID', 'Nonce must be a string or an integer.');
    return;
  }
  if (String(nonce).length > 25)
    fail(report, ['nonce'], 'NONCE_TYPE_TOO_LONG', 'Must be 25 or fewer in length.');
}

function checkEmbed(report: Report, at: Path, embed: unknown): void {
  if (!isJson(embed)) {
    fail(report, at, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
    return;
  }
  checkText(report, [...at, 'title'], embed.title, { max: 256 });
  checkText(report, [...at, 'description'], embed.description, { max: 4096 });
  checkUrl(report, [...at, 'url'], embed.url);
  checkInteger(report, [...at, 'color'], embed.color, 0, 0xffffff);
  if (!absent(embed.timestamp) && !isIsoTime(embed.timestamp))
    fail(report, [...at, 'timestamp'], 'DATE_TIME_TYPE_PARSE', `Could not parse ${String(embed.timestamp)}.`);
  checkList(report, [...at, 'fields'], embed.fields, 25).forEach((field, i) => {
    const here = [...at, 'fields', i];
    if (!isJson(field)) {
      fail(report, here, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
      return;
    }
    checkText(report, [...here, 'name'], field.name, { min: 1, max: 256 });
    checkText(report, [...here, 'value'], field.value, { min: 1, max: 1024 });
  });
  if (isJson(embed.footer)) {
    checkText(report, [...at, 'footer', 'text'], embed.footer.text, { min: 1, max: 2048 });
    checkUrl(report, [...at, 'footer', 'icon_url'], embed.footer.icon_url, ['http', 'https', 'attachment']);
  }
  if (isJson(embed.author)) {
    checkText(report, [...at, 'author', 'name'], embed.author.name, { min: 1, max: 256 });
    checkUrl(report, [...at, 'author', 'url'], embed.author.url);
    checkUrl(report, [...at, 'author', 'icon_url'], embed.author.icon_url, ['http', 'https', 'attachment']);
  }
  for (const key of ['image', 'thumbnail']) {
    const media = embed[key];
    if (isJson(media)) checkUrl(report, [...at, key, 'url'], media.url, ['http', 'https', 'attachment']);
  }
}

function isIsoTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value));
}

/** Discord adds up title, description, field names and values, footer and author of all embeds. */
function checkEmbedTotal(report: Report, embeds: unknown): void {
  if (!Array.isArray(embeds)) return;
  const total = embeds.filter(isJson).reduce((sum, embed) => sum + embedSize(embed), 0);
  if (total > 6000)
    fail(report, ['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000');
}

function embedSize(embed: Json): number {
  const footer = isJson(embed.footer) ? embed.footer.text : undefined;
  const author = isJson(embed.author) ? embed.author.name : undefined;
  const fields = Array.isArray(embed.fields) ? embed.fields.filter(isJson) : [];
  return [embed.title, embed.description, footer, author, ...fields.flatMap((f) => [f.name, f.value])]
    .map((part) => (typeof part === 'string' ? part.trim().length : 0))
    .reduce((a, b) => a + b, 0);
}

function checkAllowedMentions(report: Report, at: Path, value: unknown): void {
  if (absent(value)) return;
  if (!isJson(value)) {
    fail(report, at, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
    return;
  }
  const parse = checkList(report, [...at, 'parse'], value.parse, 3);
  parse.forEach((kind, i) => {
    checkOneOf(report, [...at, 'parse', i], kind, ['users', 'roles', 'everyone']);
  });
  for (const kind of ['users', 'roles']) {
    const ids = checkList(report, [...at, kind], value[kind], 100);
    ids.forEach((id, i) => {
      if (!isSnowflake(id))
        fail(report, [...at, kind, i], 'NUMBER_TYPE_COERCE', `Value "${String(id)}" is not snowflake.`);
    });
    if (ids.length > 0 && parse.includes(kind))
      fail(
        report,
        at,
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      );
  }
}

/** Attachment entries must refer to files that were sent (or, in an edit, already exist). */
export function validateAttachments(body: Json, sent: Set<string>, known: Set<string>): void {
  if (!Array.isArray(body.attachments)) return;
  for (const entry of body.attachments) {
    const id = isJson(entry) ? String(entry.id) : '';
    if (!sent.has(id) && !known.has(id))
      throw new DiscordError(400, 50035, {
        message: 'Invalid Form Body',
        code: 50035,
        errors: {
          attachments: { _errors: [{ code: 'ATTACHMENT_NOT_FOUND', message: `No file for id ${id}` }] },
        },
      });
  }
}
