// What must wait for a press of a button: a subscription that lacks its time zone or its token, a form with a mistake
// in it. Kept in the store for a day, so that the button works after a restart; one of a kind per person, so that none
// pile up. A token is never among it.
import type { Table } from '../ports/stores.js';
import type { Modal } from './components.js';
import type { Command, Context, Request } from './request.js';

/** A command as it was typed, to be run again. */
export interface Typed {
  readonly path: string;
  readonly options: Request['options'];
  /** Where it was typed: a channel that was not named is this one. */
  readonly guild?: string;
  readonly channel: string;
}

/** By what it waits for. */
interface Kept {
  readonly zone: Typed;
  readonly token: Typed;
  /** A correction: the form filled in as it was sent, and the command it belongs to, if any. */
  readonly correction: { readonly modal?: Modal; readonly typed?: Typed };
}

type Kind = keyof Kept;
const KINDS: readonly Kind[] = ['zone', 'token', 'correction'];

const LIFE_MS = 24 * 3_600_000;

function keyOf(kind: Kind, user: string): string {
  return `discord:${kind}:${user}`;
}

/** A command as it was typed just now. */
export function typedBy({ path }: Pick<Command, 'path'>, { options, guild, channel }: Request): Typed {
  return { path, options, channel, ...(guild ? { guild } : {}) };
}

/** Replaces what waited before. `id` tells an old button from the present one. */
export async function keepWaiting<K extends Kind>(
  context: Context,
  kind: K,
  user: string,
  id: string,
  waiting: Kept[K],
): Promise<void> {
  await context.misc.set(keyOf(kind, user), { id, waiting }, LIFE_MS);
}

/** Undefined when it is gone or another one has taken its place; without `id`, whichever there is. */
export async function findWaiting<K extends Kind>(
  context: Context,
  kind: K,
  user: string,
  id?: string,
): Promise<Kept[K] | undefined> {
  const kept = (await context.misc.get(keyOf(kind, user))) as { id: string; waiting: Kept[K] } | undefined;
  return kept && (id === undefined || kept.id === id) ? kept.waiting : undefined;
}

/** Takes it out: a second press finds nothing. */
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

/** For the export of an account. */
export async function waitingOf(context: Context, user: string): Promise<readonly unknown[]> {
  const kept = await Promise.all(KINDS.map((kind) => context.misc.get(keyOf(kind, user))));
  return kept.filter((one) => one !== undefined);
}

/** Deletes all that the bot keeps of a person: for an account that is erased. */
export async function forgetUser(misc: Table<unknown>, account: string): Promise<void> {
  const user = /^discord:(\d+)$/u.exec(account)?.[1];
  if (!user) return;
  for await (const [key] of misc.entries('discord:'))
    if (key.split(':').includes(user)) await misc.delete(key);
}
