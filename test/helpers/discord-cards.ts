// What a Discord message shows of postings, as cards or as a list.
import type { Json } from './discord/types.js';
import { controlsIn } from './discord/user-actions.js';
import { layoutText } from './discord/validate-layout.js';

/** A stored message, or one that is about to be sent. */
type Message = { readonly [part in 'content' | 'embeds' | 'components']?: unknown };

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

/** The cards of a message, from top to bottom: the text of each, and where its Apply button leads. */
export function cardsIn({
  components,
}: Message): readonly { readonly text: string; readonly url?: string }[] {
  const boxes = listOf(components).filter(({ type }) => type === 17);
  return boxes.map(({ components: inside }) => {
    const apply = controlsIn(inside).find(({ style }) => style === 5);
    return { text: layoutText(inside), ...(apply ? { url: String(apply.url) } : {}) };
  });
}

/** The lines of a list. */
function linesIn({ embeds }: Message): readonly string[] {
  const lines = listOf(embeds).flatMap(({ description }) => String(description ?? '').split('\n'));
  return lines.filter((line) => line.startsWith('- '));
}

/** Where a message's Apply buttons, or the titles of its list, lead. */
export function linksIn(message: Message): readonly string[] {
  const masked = linesIn(message).flatMap((line) => /\]\(<([^>]+)>\)/u.exec(line)?.[1] ?? []);
  return [...cardsIn(message).flatMap(({ url }) => url ?? []), ...masked];
}

/** The titles of a message's postings. */
export function titlesIn(message: Message): readonly string[] {
  const heads = cardsIn(message).map(({ text }) => text.split('\n', 1)[0]?.replace('### ', '') ?? '');
  return [
    ...heads,
    ...linesIn(message).map((line) => /^- (?:\[|\*\*)(.*?)(?:\]\(<|\*\*)/u.exec(line)?.[1] ?? line),
  ];
}

/** Everything that a message says and leads to, as JSON. */
export function bodyOf({ content, embeds, components }: Message): string {
  return JSON.stringify([content, embeds, components]);
}

/** How many of the messages have a posting's link. */
export function holding(messages: readonly Message[], link: string): number {
  return messages.filter((message) => bodyOf(message).includes(link)).length;
}
