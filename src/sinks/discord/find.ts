// Looks for what an earlier attempt may have left. Discord forgets a nonce after some minutes and takes none for a
// forum post, so a message is known by the edition in the custom_ids of its buttons.
import { DiscordFault } from './fault.js';
import type { DiscordRest } from './rest.js';

/** Newest messages looked through, in pages of 100: beyond that a second message is possible. */
const PAGES = 5;
/** Posts of a forum whose first message is looked at. */
const POSTS = 50;
/** Discord's clock and ours may differ. */
const SKEW_MS = 300_000;
const DISCORD_EPOCH = 1_420_070_400_000;

/** True for a custom_id of the message that is looked for. */
export type Marks = (customId: string) => boolean;

/** The custom_ids a message carries, ours or as Discord gives it. */
export function customIds(message: unknown): string[] {
  const rows = (message as { components?: unknown } | null)?.components;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: { components?: unknown }) =>
    Array.isArray(row?.components)
      ? row.components.flatMap((item: { custom_id?: unknown }) =>
          typeof item?.custom_id === 'string' ? [item.custom_id] : [],
        )
      : [],
  );
}

/** Whether a channel holds the message among its newest, back to `since` (milliseconds since the epoch). */
export async function findMessage(
  rest: DiscordRest,
  channel: string,
  marks: Marks,
  since: number,
  signal: AbortSignal,
): Promise<boolean> {
  let before: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const query = { limit: '100', ...(before ? { before } : {}) };
    const answer = await readable(rest.request('GET', `/channels/${channel}/messages`, { query, signal }));
    const messages = Array.isArray(answer) ? (answer as { id: string }[]) : [];
    if (messages.some((message) => customIds(message).some(marks))) return true;
    const oldest = messages.at(-1);
    if (messages.length < 100 || !oldest || bornAt(oldest.id) < since - SKEW_MS) return false;
    before = oldest.id;
  }
  return false;
}

/** What is known of a forum's post. `since` in milliseconds since the epoch. */
interface Wanted {
  readonly marks: Marks;
  readonly owner: string | undefined;
  readonly since: number;
  /** The name it was given; somebody may have changed it since. */
  readonly name: string;
}

/** The id of a forum's post whose first message carries the marks; undefined when there is none. */
export async function findPost(
  rest: DiscordRest,
  forum: { readonly id: string; readonly guild?: string },
  { marks, owner, since, name }: Wanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lists = [
    ...(forum.guild ? [`/guilds/${forum.guild}/threads/active`] : []),
    `/channels/${forum.id}/threads/archived/public`,
  ];
  for (const list of lists) {
    const answer = await readable(rest.request('GET', list, { signal }));
    const threads = (answer as { threads?: Thread[] } | undefined)?.threads ?? [];
    const ours = threads
      .filter((thread) => thread.parent_id === forum.id && bornAt(thread.id) >= since - SKEW_MS)
      .filter((thread) => !owner || !thread.owner_id || thread.owner_id === owner)
      // Ours has its name, or is among the first after the edition was cut.
      .sort((a, b) => Number(b.name === name) - Number(a.name === name) || bornAt(a.id) - bornAt(b.id))
      .slice(0, POSTS);
    for (const { id } of ours) {
      const first = await readable(rest.request('GET', `/channels/${id}/messages/${id}`, { signal }));
      if (customIds(first).some(marks)) return id;
    }
  }
  return undefined;
}

interface Thread {
  readonly id: string;
  readonly parent_id?: string;
  readonly owner_id?: string;
  readonly name?: string;
}

/** What may not be read, or is gone, holds nothing: the sending itself will tell whether the place is lost. */
async function readable(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DiscordFault && error.kind === 'refused') return undefined;
    throw error;
  }
}

/** When a snowflake was made, in milliseconds since the epoch. */
function bornAt(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH;
}
