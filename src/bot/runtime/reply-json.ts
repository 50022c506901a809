// From an answer to the message Discord gets: mentions off, commands made pressable, links held to the rules.
import { gzipSync } from 'node:zlib';
import { attributionFaults } from '../../domain/attribution.js';
import { type CommandIds, withCommands } from '../../render/commands.js';
import type { Texts } from '../../render/texts.js';
import type { Reply } from './request.js';

const EPHEMERAL = 64;
const FILE_MAX = 8 * 1024 * 1024;

/** A message body in discord.js's form. Throws nothing; broken links are for {@link linkFaults}. */
export function messageOf(answer: Reply, ids: CommandIds, texts: Texts) {
  const { text, embeds, components, file, postings } = answer;
  const content = text === undefined ? undefined : cut(withCommands(text, ids, texts), 2000);
  return {
    // An edit keeps what it does not name: the question must go when its answer comes.
    content: content ?? '',
    embeds: (embeds ?? []).map((embed) =>
      // Where links of postings stand, not a byte is touched.
      embed.description === undefined || postings
        ? embed
        : { ...embed, description: cut(withCommands(embed.description, ids, texts), 4096) },
    ),
    components: components ?? [],
    allowedMentions: { parse: [] as never[] },
    ...(file ? { files: [attachmentOf(file)] } : {}),
  };
}

/** Discord takes ten megabytes; a long history is larger, and shrinks well. */
function attachmentOf({ name, content }: NonNullable<Reply['file']>) {
  const plain = Buffer.from(content);
  return plain.length <= FILE_MAX
    ? { name, attachment: plain }
    : { name: `${name}.gz`, attachment: gzipSync(plain) };
}

/** The flag a first answer needs to be seen by one person alone. */
export const PRIVATE = { flags: EPHEMERAL } as const;

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

/** Faults of the links in a finished message (jobs API, Link attribution 1 to 5); empty when it may leave. */
export function linkFaults(answer: Reply, message: object, texts: Texts): string[] {
  if (!answer.postings?.length) return [];
  const body = JSON.stringify(message);
  return attributionFaults({ format: 'json', body, note: texts.card.note }, answer.postings);
}
