// Looks for the message of an earlier attempt. Discord forgets a nonce after some minutes and accepts none for a
// forum post, so a message is recognised by the edition in the custom_ids of its buttons.
import { DiscordFault } from './fault.js';
import type { DiscordRest } from './rest.js';

/** Pages of 100 messages to search, newest first. An older message is not found, so it may be sent twice. */
const PAGES = 5;
/** Posts of each list whose first message is read. */
const POSTS = 50;
/** How far Discord's clock and ours may differ. */
const SKEW_MS = 300_000;
const DISCORD_EPOCH = 1_420_070_400_000;

/** True for a custom_id of the message that is looked for. */
export type Marks = (customId: string) => boolean;

/** The custom_ids in a message, either one of ours or one that Discord returned. */
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

/** True if the message is among the newest of a channel, back to `since` (milliseconds since the epoch). */
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

/** What is known about a forum post. `since` in milliseconds since the epoch. */
interface Wanted {
  readonly marks: Marks;
  readonly owner: string | undefined;
  readonly since: number;
  /** The name it was created with; a person may have changed it since. */
  readonly name: string;
}

/** The id of the forum post whose first message has the marks; undefined when there is none. */
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
      // Our post has this name, or is among the first since the edition was made.
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

/** Counts a refused request as empty: if the place is lost, sending shows it. */
async function readable(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DiscordFault && error.kind === 'refused') return undefined;
    throw error;
  }
}

/** When a snowflake was created, in milliseconds since the epoch. */
function bornAt(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH;
}
