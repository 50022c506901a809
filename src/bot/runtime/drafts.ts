// Input that waits for a press of a button: a subscription that lacks its time zone or its token, a form with a
// mistake in it. It is stored for a day, so that the button works after a restart. Each person has at most one of a
// kind, so that none pile up. A token is never stored here.
import { randomBytes } from 'node:crypto';
import { defined } from '../../domain/defined.js';
import { discordUser } from '../../domain/discord-id.js';
import type { Table } from '../../ports/stores.js';
import type { Modal } from './components.js';
import type { Command, Context, Request } from './request.js';

/** A command as it was typed, to run it again. */
export interface Typed {
  readonly path: string;
  readonly options: Request['options'];
  readonly rest?: Request['rest'];
  /** Where it was typed. A command that names no channel means this one. */
  readonly guild?: string;
  readonly channel: string;
}

/** A filter as options of a command, and what no option names. */
export type Wishes = Pick<Typed, 'options' | 'rest'>;

/** Stored input by what it waits for. */
interface Kept {
  readonly zone: Typed;
  readonly token: Typed;
  /** A correction: the form filled in as it was sent, and its command, if any. */
  readonly correction: { readonly modal?: Modal; readonly typed?: Typed };
  /** A subscription that is put together step by step. `offered`: tags that a search found. */
  readonly setup: { readonly typed: Typed; readonly offered?: readonly string[] };
  /** The filters of the last previews, newest first, as options of a command. */
  readonly preview: readonly ({ readonly id: string } & Wishes)[];
}

type Kind = keyof Kept;
const KINDS: readonly Kind[] = ['zone', 'token', 'correction', 'setup', 'preview'];

const LIFE_MS = 24 * 3_600_000;

function keyOf(kind: Kind, user: string): string {
  return `discord:${kind}:${user}`;
}

/** A command as it was just typed. */
export function typedBy({ path }: Pick<Command, 'path'>, { options, rest, guild, channel }: Request): Typed {
  return { path, options, channel, ...defined({ rest, guild: guild || undefined }) };
}

/** Replaces what waited before. `id` distinguishes an old button from the current one. */
export async function keepWaiting<K extends Kind>(
  context: Context,
  kind: K,
  user: string,
  id: string,
  waiting: Kept[K],
): Promise<void> {
  await context.misc.set(keyOf(kind, user), { id, waiting }, LIFE_MS);
}

/** Undefined when it is gone or was replaced. Without `id`, returns the one that is stored. */
export async function findWaiting<K extends Kind>(
  context: Context,
  kind: K,
  user: string,
  id?: string,
): Promise<Kept[K] | undefined> {
  const kept = (await context.misc.get(keyOf(kind, user))) as { id: string; waiting: Kept[K] } | undefined;
  return kept && (id === undefined || kept.id === id) ? kept.waiting : undefined;
}

/**
 * Replaces what waits by what `change` returns for it, also when another step changes it at the same moment. Returns
 * the result; undefined when it is gone or was replaced, or `change` has nothing for it.
 */
export async function changeWaiting<K extends Kind>(
  context: Context,
  kind: K,
  user: string,
  id: string,
  change: (waiting: Kept[K]) => Kept[K],
): Promise<Kept[K] | undefined> {
  let next: Kept[K] | undefined;
  await context.misc.update(
    keyOf(kind, user),
    (before) => {
      const kept = before as { id: string; waiting: Kept[K] } | undefined;
      next = kept?.id === id ? change(kept.waiting) : undefined;
      return next === undefined ? before : { id, waiting: next };
    },
    LIFE_MS,
  );
  return next;
}

/** Returns it and removes it, so that a second press finds nothing. */
export async function takeWaiting<K extends Kind>(
  context: Context,
  kind: K,
  user: string,
  id?: string,
): Promise<Kept[K] | undefined> {
  const found = await findWaiting(context, kind, user, id);
  if (found) await context.misc.delete(keyOf(kind, user));
  return found;
}

/** Previews whose filters are kept; the oldest goes first. */
const MOST_PREVIEWS = 5;
/** The previews of a person are one record, so its id says nothing. */
const ALL = 'all';

/** Stores the filter of a preview, so that its button can subscribe to it. Returns the id for the button. */
export async function keepPreview(context: Context, user: string, wishes: Wishes): Promise<string> {
  const id = randomBytes(4).toString('hex');
  await context.misc.update(
    keyOf('preview', user),
    (before) => {
      const { waiting = [] } = (before ?? {}) as { waiting?: Kept['preview'] };
      return { id: ALL, waiting: [{ ...wishes, id }, ...waiting].slice(0, MOST_PREVIEWS) };
    },
    LIFE_MS,
  );
  return id;
}

/** The filter of a preview; undefined when it is no longer kept. */
export async function previewed(context: Context, user: string, id: string): Promise<Wishes | undefined> {
  const kept = await findWaiting(context, 'preview', user, ALL);
  return kept?.find((one) => one.id === id);
}

/** All waiting input of a user, for the export of an account. */
export async function waitingOf(context: Context, user: string): Promise<readonly unknown[]> {
  const kept = await Promise.all(KINDS.map((kind) => context.misc.get(keyOf(kind, user))));
  return kept.filter((one) => one !== undefined);
}

/** Deletes everything the bot keeps about a person, for an account that is erased. */
export async function forgetUser(misc: Table<unknown>, account: string): Promise<void> {
  const user = discordUser(account);
  if (!user) return;
  for await (const [key] of misc.entries('discord:'))
    if (key.split(':').includes(user)) await misc.delete(key);
}
