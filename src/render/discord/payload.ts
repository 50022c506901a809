// The part of Discord's message format that this program uses, and how Discord measures it.

/** Discord's limits (developer documentation, "Embed Limits", "Create Message" and "Component Reference"). */
export const LIMITS = {
  embeds: 10,
  allEmbeds: 6000,
  title: 256,
  description: 4096,
  /** Characters of all text displays of a message. */
  allTexts: 4000,
  /** Characters of a link button's address. */
  buttonUrl: 512,
  options: 25,
  optionText: 100,
  threadName: 100,
  threadTags: 5,
} as const;

export interface Embed {
  readonly title?: string;
  readonly url?: string;
  readonly description?: string;
  readonly color?: number;
  readonly footer?: { readonly text: string };
}

export interface Button {
  readonly type: 2;
  readonly style: 1 | 2 | 3 | 4;
  readonly label: string;
  readonly custom_id: string;
  readonly emoji?: { readonly name: string };
}

/** A button that opens an address. */
export interface LinkButton {
  readonly type: 2;
  readonly style: 5;
  readonly label: string;
  readonly url: string;
}

export interface Select {
  readonly type: 3;
  readonly custom_id: string;
  readonly placeholder: string;
  readonly min_values: 1;
  readonly max_values: 1;
  readonly options: readonly {
    readonly label: string;
    readonly value: string;
    readonly description?: string;
  }[];
}

export interface ActionRow {
  readonly type: 1;
  readonly components: readonly (Button | Select)[];
}

/** Text as part of the layout. It renders Markdown, and mentions in it notify. */
interface TextDisplay {
  readonly type: 10;
  readonly content: string;
}

/** A text with a link button beside it. Discord refuses a section without the button. */
interface Section {
  readonly type: 9;
  readonly components: readonly [TextDisplay];
  readonly accessory: LinkButton;
}

/** A box with a coloured edge. */
export interface Container {
  readonly type: 17;
  readonly accent_color: number;
  readonly components: readonly (TextDisplay | Section | ActionRow)[];
}

/** The parts of a message with the flag {@link COMPONENTS_V2}, from top to bottom. */
export type Layout = readonly (TextDisplay | Container | ActionRow)[];

/**
 * The message flag that makes the components the whole message: no content, no embeds, at most 40 components with
 * the nested ones. An edit can't remove it.
 */
export const COMPONENTS_V2 = 1 << 15;

/** A message to post: a layout with the flag {@link COMPONENTS_V2}, or embeds. The sender adds the nonce. */
export interface MessagePayload {
  readonly flags?: typeof COMPONENTS_V2;
  readonly content?: string;
  readonly embeds?: readonly Embed[];
  readonly components: Layout;
  readonly allowed_mentions: { readonly parse: readonly never[]; readonly roles: readonly string[] };
}

/** Characters that count towards the 6,000 of a message. Links do not count. */
export function embedsSize(embeds: readonly Embed[]): number {
  return embeds.reduce(
    (sum, { title = '', description = '', footer }) =>
      sum + title.length + description.length + (footer?.text.length ?? 0),
    0,
  );
}

/** Characters that count towards the 4,000 of a layout: those of its text displays, at any depth. */
export function textSize(layout: readonly (Layout[number] | Container['components'][number])[]): number {
  return layout.reduce((sum, part) => {
    if (part.type === 10) return sum + part.content.length;
    return part.type === 1 ? sum : sum + textSize(part.components);
  }, 0);
}

/**
 * Returns the first layout that fits into one message, otherwise the last. `thinner` goes from the largest layout
 * to the smallest. Each is made only when the one before it is too large, which is rare.
 */
export function firstFitting<How, Made>(
  thinner: readonly [How, ...How[]],
  layOut: (how: How) => Made,
  fits: (made: Made) => boolean,
): Made {
  const [first, ...rest] = thinner;
  return rest.reduce((made, how) => (fits(made) ? made : layOut(how)), layOut(first));
}

/** The largest of some sizes, e.g. of one card in every language; 0 for none. */
export function largest(sizes: readonly number[]): number {
  return sizes.reduce((most, size) => Math.max(most, size), 0);
}
