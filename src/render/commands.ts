// How our texts name a slash command: `{/jobs list}`. Discord makes a mention of it that can be pressed; everywhere
// else it is written as the reader's Discord calls it.
import type { Texts } from './texts.js';

/** Ids of registered commands by their top-level name. */
export type CommandIds = Readonly<Record<string, string>>;

/** Not behind a backslash: that one stands in a stranger's words. */
const MARKED = /(?<!\\)\{\/([a-z ]+)\}/gu;

/** "/empleos lista" for "jobs list". */
function named(path: string, texts: Texts): string {
  const names: Record<string, string> = texts.bot.commands.names;
  const levels = path.split(' ').map((_word, index, all) => all.slice(0, index + 1).join(' '));
  return `/${levels.map((key) => names[key] ?? key).join(' ')}`;
}

/** For places that know no mentions: mails, pages, logs. */
export function plainCommands(text: string, texts: Texts): string {
  return text.replace(MARKED, (_, path: string) => named(path, texts));
}

/** For Discord. Before its ids are known, a command stands as code. */
export function withCommands(text: string, ids: CommandIds, texts: Texts): string {
  return text.replace(MARKED, (_, path: string) => {
    const id = ids[path.split(' ')[0] ?? ''];
    return id ? `</${path}:${id}>` : `\`${named(path, texts)}\``;
  });
}
