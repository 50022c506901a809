// Turns a reply into the message that Discord gets: without mentions, with clickable commands, and with links
// checked against the link rules.

import { gzipSync } from 'node:zlib';
import { attributionFaults } from '../../domain/attribution.js';
import { defined } from '../../domain/defined.js';
import { type CommandIds, withCommands } from '../../render/commands.js';
import { COMPONENTS_V2, type Embed, type Layout, LIMITS, textSize } from '../../render/discord/payload.js';
import type { Texts } from '../../render/texts.js';
import type { Reply } from './request.js';

const EPHEMERAL = 64;
const FILE_MAX = 8 * 1024 * 1024;

/** A message body in the form of discord.js. */
export interface Message {
  readonly flags?: number;
  readonly content?: string | null;
  readonly embeds?: readonly Embed[];
  readonly components: readonly (Layout[number] | NonNullable<Reply['components']>[number])[];
  readonly allowedMentions: { readonly parse: readonly never[] };
  readonly files?: readonly { readonly name: string; readonly attachment: Buffer }[];
}

/** Returns the message of a reply. Never throws; use {@link linkFaults} to check the links. */
export function messageOf(answer: Reply, ids: CommandIds, texts: Texts): Message {
  const { text, embeds, cards, components, file, postings } = answer;
  const content = text === undefined ? '' : withCommands(text, ids, texts);
  const allowedMentions = { parse: [] };
  if (cards) {
    const above = cut(content, LIMITS.allTexts - textSize(cards));
    const heading: Layout = above ? [{ type: 10, content: above }] : [];
    const all = [...heading, ...cards, ...(components ?? [])];
    return { flags: COMPONENTS_V2, components: all, allowedMentions };
  }
  return {
    // An edit keeps the fields that it leaves out. The question has to disappear when its answer comes.
    content: cut(content, 2000),
    embeds: (embeds ?? []).map((embed) =>
      // A description with links of postings stays unchanged, byte for byte.
      embed.description === undefined || postings
        ? embed
        : { ...embed, description: cut(withCommands(embed.description, ids, texts), 4096) },
    ),
    components: components ?? [],
    allowedMentions,
    ...defined({ files: file ? [attachmentOf(file)] : undefined }),
  };
}

/** Discord accepts ten megabytes. A long history can be larger, and compresses well. */
function attachmentOf({ name, content }: NonNullable<Reply['file']>) {
  const plain = Buffer.from(content);
  return plain.length <= FILE_MAX
    ? { name, attachment: plain }
    : { name: `${name}.gz`, attachment: gzipSync(plain) };
}

/** The flag that makes a message visible to one user only. */
export const PRIVATE = { flags: EPHEMERAL } as const;

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

/**
 * Returns the faults of the links in a finished message (jobs API, Link attribution 1 to 5). Empty when the message
 * may be sent.
 */
export function linkFaults(answer: Reply, message: object, texts: Texts): string[] {
  if (!answer.postings?.length) return [];
  const body = JSON.stringify(message);
  return attributionFaults({ format: 'json', body, note: texts.card.note }, answer.postings);
}
