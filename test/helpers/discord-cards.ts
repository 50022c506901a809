// The postings that a Discord message shows, as cards or as a list.
import type { Json } from './discord/types.js';
import { controlsIn } from './discord/user-actions.js';
import { layoutText } from './discord/validate-layout.js';

/** A stored message, or one that will be sent. */
type Message = { readonly [part in 'content' | 'embeds' | 'components']?: unknown };

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);

/** The cards of a message, from top to bottom: the text of each, and the address of its Apply button. */
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

/** The addresses of a message's Apply buttons, or of the titles of its list. */
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

/** All texts and addresses of a message, as JSON. */
export function bodyOf({ content, embeds, components }: Message): string {
  return JSON.stringify([content, embeds, components]);
}

/** How many of the messages have a posting's link. */
export function holding(messages: readonly Message[], link: string): number {
  return messages.filter((message) => bodyOf(message).includes(link)).length;
}
