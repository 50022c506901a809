// How texts name a slash command: `{/jobs list}`. Discord gets a clickable mention. Everywhere else the text has
// the command's name in the reader's language.
import type { Texts } from './texts.js';

/** Ids of registered commands by their top-level name. */
export type CommandIds = Readonly<Record<string, string>>;

/** Not after a backslash: that is escaped text from a posting. */
const MARKED = /(?<!\\)\{\/([a-z ]+)\}/gu;

/** "/empleos lista" for "jobs list". */
function named(path: string, texts: Texts): string {
  const names: Record<string, string> = texts.bot.commands.names;
  const levels = path.split(' ').map((_word, index, all) => all.slice(0, index + 1).join(' '));
  return `/${levels.map((key) => names[key] ?? key).join(' ')}`;
}

/** For text that can't hold mentions: mails, pages, logs. */
export function plainCommands(text: string, texts: Texts): string {
  return text.replace(MARKED, (_, path: string) => named(path, texts));
}

/** For Discord. A command whose id is not known yet is formatted as code. */
export function withCommands(text: string, ids: CommandIds, texts: Texts): string {
  return text.replace(MARKED, (_, path: string) => {
    const id = ids[path.split(' ')[0] ?? ''];
    return id ? `</${path}:${id}>` : `\`${named(path, texts)}\``;
  });
}
