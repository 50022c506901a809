// Sends one message so that it arrives once: to a channel with a nonce, or as a forum post. Discord accepts no nonce
// for forum posts, so the post of an earlier attempt is looked for.

import { createHash } from 'node:crypto';
import { DiscordFault } from '../../discord/fault.js';
import type { DiscordRest } from '../../discord/rest.js';
import { defined } from '../../domain/defined.js';
import type { Delivery } from '../../ports/sink.js';
import { pickId } from '../../render/discord/components.js';
import { forumTags, isPostPerPosting, threadName } from '../../render/discord/forum.js';
import type { MessagePayload } from '../../render/discord/payload.js';
import type { Channel, Channels } from './channels.js';
import type { PostedMessage } from './places.js';
import type { Place } from './target.js';

/** What one sending needs. `guard` checks each body before it is sent. */
interface Sending {
  readonly delivery: Delivery;
  readonly payload: MessagePayload;
  /** Discord may have forgotten an earlier attempt: look for it before sending. */
  readonly mayBeForgotten: boolean;
  readonly signal: AbortSignal;
  readonly guard: (body: unknown) => void;
}

export interface Sender {
  /** Resolves to the message in a channel; undefined for a forum post, and if an earlier attempt has sent it. */
  send(place: Place, sending: Sending): Promise<PostedMessage | undefined>;
}

const MOST_POSTS = 1_000;

/** `self` is the bot's own id, if it is known. `publish` publishes a message of an announcement channel. */
export function createSender(
  rest: DiscordRest,
  channels: Channels,
  self: string | undefined,
  publish: (channel: string, message: string, signal: AbortSignal) => Promise<void>,
): Sender {
  /** Forum posts of editions with several messages, by edition and forum. */
  const posts = new Map<string, string>();

  async function send(place: Place, sending: Sending): Promise<PostedMessage | undefined> {
    const channel = await channels.at(place, sending.signal);
    if (channel.kind !== 'forum') return toChannel(channel, sending);
    await toForum(place, channel, sending);
    return undefined;
  }

  async function toChannel(
    channel: Pick<Channel, 'id' | 'kind' | 'archived' | 'announcement'>,
    sending: Sending,
  ): Promise<PostedMessage | undefined> {
    const { delivery, payload, signal } = sending;
    if (sending.mayBeForgotten) {
      const found = await findMessage(rest, channel.id, marksOf(sending), delivery.slot, signal);
      if (found) return undefined;
    }
    if (channel.kind === 'thread' && channel.archived) await channels.reopen(channel.id, signal);
    const body = { ...payload, nonce: nonceOf(delivery, channel.id), enforce_nonce: true };
    sending.guard(body);
    try {
      const sent = await rest.request('POST', `/channels/${channel.id}/messages`, { body, signal });
      const { id } = Object(sent) as { id?: unknown };
      const isWanted = channel.announcement && delivery.destination.options?.publish === true;
      if (isWanted && typeof id === 'string') await publish(channel.id, id, signal);
      return typeof id === 'string' ? { channel: channel.id, id } : undefined;
    } catch (error) {
      // A message with this nonce was delivered and has been deleted since.
      if (isRefusal(error, 10008)) return undefined;
      if (!isRefusal(error, 50083)) throw error;
      await channels.reopen(channel.id, signal);
      await rest.request('POST', `/channels/${channel.id}/messages`, { body, signal });
      return undefined;
    }
  }

  async function toForum(place: Place, forum: Channel, sending: Sending): Promise<void> {
    const { delivery } = sending;
    const continues = delivery.part > 0 && !isPostPerPosting(delivery);
    const name = `${delivery.edition} ${forum.id}`;
    const post = continues
      ? (posts.get(name) ?? (await earlierPost(forum, sending)))
      : delivery.attempt > 1
        ? await earlierPost(forum, sending)
        : undefined;
    if (post) remember(name, post);
    if (post && !continues) return;
    if (post) {
      try {
        await toChannel({ id: post, kind: 'thread', archived: false }, sending);
        return;
      } catch (error) {
        // The post was deleted; the rest of the edition gets a new one.
        if (!isRefusal(error, 10003)) throw error;
        posts.delete(name);
      }
    }
    remember(name, await createPost(place, forum, sending));
  }

  function remember(name: string, post: string): void {
    if (posts.size >= MOST_POSTS) posts.clear();
    posts.set(name, post);
  }

  /** The post of an earlier attempt or part: with this posting, or with any posting of the edition. */
  function earlierPost(forum: Channel, sending: Sending): Promise<string | undefined> {
    const { delivery, signal } = sending;
    const marks = isPostPerPosting(delivery)
      ? marksOf(sending)
      : (id: string) => id.includes(`:${delivery.edition}:`);
    return findPost(
      rest,
      forum,
      { marks, owner: self, since: delivery.slot, name: threadName(delivery) },
      signal,
    );
  }

  async function createPost(place: Place, forum: Channel, sending: Sending): Promise<string> {
    const { delivery, payload, signal } = sending;
    const post = (channel: Channel) => {
      const body = {
        name: threadName(delivery),
        message: payload,
        applied_tags: forumTags(channel.tags, channel.tagRequired, delivery.postings),
      };
      sending.guard(body);
      return rest.request('POST', `/channels/${channel.id}/threads`, { body, signal });
    };
    let made: unknown;
    try {
      made = await post(forum);
    } catch (error) {
      const tagsChanged =
        isRefusal(error, 40067) ||
        (isRefusal(error, 50035) &&
          (error as DiscordFault).fields.some((field) => field.startsWith('applied_tags')));
      if (!tagsChanged) throw error;
      made = await post(await channels.at(place, signal, true));
    }
    return String((made as { id?: unknown } | undefined)?.id ?? '');
  }

  return { send };
}

function isRefusal(error: unknown, code: number): boolean {
  return error instanceof DiscordFault && error.kind === 'refused' && error.code === code;
}

/** At most 25 characters, the same for every attempt at this message and different for all others. */
function nonceOf({ edition, part }: Delivery, channel: string): string {
  return createHash('sha256').update(`${edition}\n${part}\n${channel}`).digest('base64url').slice(0, 25);
}

// Looks for the message of an earlier attempt. Discord forgets a nonce after some minutes and accepts none for a
// forum post, so a message is recognised by the edition in the custom_ids of its buttons.

/** Pages of 100 messages to search, newest first. An older message is not found, so it may be sent twice. */
const PAGES = 5;
/** Posts of each list whose first message is read. */
const POSTS = 50;
/** How far Discord's clock and ours may differ. */
const SKEW_MS = 300_000;
const DISCORD_EPOCH = 1_420_070_400_000;

/** True for a custom_id of the message that is looked for. */
type Marks = (customId: string) => boolean;

/**
 * True for the custom_ids of this message. The menu of the part is one of them, whatever the layout: version 0.1 may
 * have sent several postings as cards with one menu.
 */
function marksOf({ payload, delivery }: Sending): Marks {
  const own = new Set([...customIds(payload), pickId(delivery.edition, delivery.part)]);
  return (id) => own.has(id);
}

/** The custom_ids in a message, either one of ours or one that Discord returned, at any depth. */
function customIds(part: unknown): string[] {
  const { custom_id: id, components } = Object(part) as { custom_id?: unknown; components?: unknown };
  const nested = Array.isArray(components) ? components.flatMap(customIds) : [];
  return typeof id === 'string' ? [id, ...nested] : nested;
}

/** True if the message is among the newest of a channel, back to `since` (milliseconds since the epoch). */
async function findMessage(
  rest: DiscordRest,
  channel: string,
  marks: Marks,
  since: number,
  signal: AbortSignal,
): Promise<boolean> {
  let before: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const query = { limit: '100', ...defined({ before: before || undefined }) };
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
async function findPost(
  rest: DiscordRest,
  forum: { readonly id: string; readonly guild?: string },
  { marks, owner, since, name }: Wanted,
  signal: AbortSignal,
): Promise<string | undefined> {
  const archived = `/channels/${forum.id}/threads/archived/public` as const;
  const lists = forum.guild ? [`/guilds/${forum.guild}/threads/active` as const, archived] : [archived];
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
