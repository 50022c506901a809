// The part of Discord's message form this program uses, and how Discord measures it.

/** Discord's limits (developer documentation, "Embed Limits" and "Create Message"). */
export const LIMITS = {
  content: 2000,
  embeds: 10,
  allEmbeds: 6000,
  title: 256,
  description: 4096,
  footer: 2048,
  author: 256,
  options: 25,
  optionText: 100,
  label: 80,
  threadName: 100,
  threadTags: 5,
} as const;

export interface Embed {
  readonly title?: string;
  readonly url?: string;
  readonly description?: string;
  readonly color?: number;
  readonly author?: { readonly name: string };
  readonly footer?: { readonly text: string };
}

export interface Button {
  readonly type: 2;
  readonly style: 1 | 2 | 3 | 4;
  readonly label: string;
  readonly custom_id: string;
  readonly emoji?: { readonly name: string };
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

/** A message as it is posted; the nonce is the sender's. */
export interface MessagePayload {
  readonly content?: string;
  readonly embeds: readonly Embed[];
  readonly components: readonly ActionRow[];
  readonly allowed_mentions: { readonly parse: readonly never[]; readonly roles: readonly string[] };
}

/** What counts towards the 6,000 characters of a message; links do not. */
export function embedSize(embed: Embed): number {
  const { title = '', description = '', author, footer } = embed;
  return title.length + description.length + (author?.name.length ?? 0) + (footer?.text.length ?? 0);
}

/** {@link embedSize} over all embeds of a message. */
export function embedsSize(embeds: readonly Embed[]): number {
  return embeds.reduce((sum, embed) => sum + embedSize(embed), 0);
}

/**
 * The first of ever thinner layouts that one message holds, else the last. Each is made only when the one before it
 * was too large, which is rare.
 */
export function firstFitting<T>(
  thinner: readonly T[],
  layOut: (how: T) => readonly Embed[],
): readonly Embed[] {
  let embeds: readonly Embed[] = [];
  for (const how of thinner) {
    embeds = layOut(how);
    if (embedsSize(embeds) <= LIMITS.allEmbeds) break;
  }
  return embeds;
}

/** The largest value over things of unlike size: a card in any language, a note in any language. */
export function largest(sizes: readonly number[]): number {
  return sizes.reduce((most, size) => Math.max(most, size), 0);
}
