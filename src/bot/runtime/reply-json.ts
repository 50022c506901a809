// Turns a reply into the message that Discord gets: without mentions, with clickable commands, and with links
// checked against the link rules.
import { gzipSync } from 'node:zlib';
import { attributionFaults } from '../../domain/attribution.js';
import { type CommandIds, withCommands } from '../../render/commands.js';
import type { Texts } from '../../render/texts.js';
import type { Reply } from './request.js';

const EPHEMERAL = 64;
const FILE_MAX = 8 * 1024 * 1024;

/** Returns a message body in the form of discord.js. Never throws; use {@link linkFaults} to check the links. */
export function messageOf(answer: Reply, ids: CommandIds, texts: Texts) {
  const { text, embeds, components, file, postings } = answer;
  const content = text === undefined ? undefined : cut(withCommands(text, ids, texts), 2000);
  return {
    // An edit keeps the fields that it leaves out. The question has to disappear when its answer comes.
    content: content ?? '',
    embeds: (embeds ?? []).map((embed) =>
      // A description with links of postings stays unchanged, byte for byte.
      embed.description === undefined || postings
        ? embed
        : { ...embed, description: cut(withCommands(embed.description, ids, texts), 4096) },
    ),
    components: components ?? [],
    allowedMentions: { parse: [] as never[] },
    ...(file ? { files: [attachmentOf(file)] } : {}),
  };
}

/** Discord accepts ten megabytes. A long history can be larger, and compresses well. */
function attachmentOf({ name, content }: NonNullable<Reply['file']>) {
  const plain = Buffer.from(content);
  return plain.length <= FILE_MAX
    ? { name, attachment: plain }
    : { name: `${name}.gz`, attachment: gzipSync(plain) };
}

/** The flag that makes a first answer visible to one user only. */
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
