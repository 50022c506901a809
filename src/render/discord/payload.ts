// The part of Discord's message format that this program uses, and how Discord measures it.

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

/** A message to post. The sender adds the nonce. */
export interface MessagePayload {
  readonly content?: string;
  readonly embeds: readonly Embed[];
  readonly components: readonly ActionRow[];
  readonly allowed_mentions: { readonly parse: readonly never[]; readonly roles: readonly string[] };
}

/** Characters that count towards the 6,000 of a message. Links do not count. */
export function embedSize(embed: Embed): number {
  const { title = '', description = '', author, footer } = embed;
  return title.length + description.length + (author?.name.length ?? 0) + (footer?.text.length ?? 0);
}

/** {@link embedSize} over all embeds of a message. */
export function embedsSize(embeds: readonly Embed[]): number {
  return embeds.reduce((sum, embed) => sum + embedSize(embed), 0);
}

/**
 * Returns the first layout that fits into one message, otherwise the last. `thinner` goes from the largest layout
 * to the smallest. Each is made only when the one before it is too large, which is rare.
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

/** The largest of some sizes, e.g. of one card in every language; 0 for none. */
export function largest(sizes: readonly number[]): number {
  return sizes.reduce((most, size) => Math.max(most, size), 0);
}
