// What must wait for a press of a button: a subscription that lacks its time zone. Kept in the store, so that the
// button works after a restart; one of a kind per person, so that none pile up.
import type { Draft } from '../ports/desk.js';
import type { Bench } from './ask.js';

/** A draft with what the answer says about it. */
export interface Waiting {
  readonly draft: Draft;
  readonly notes: readonly string[];
}

type Kind = 'zone';

const LIFE_MS = 24 * 3_600_000;

function keyOf(kind: Kind, user: string): string {
  return `discord:${kind}:${user}`;
}

/** Replaces what waited before. `id` tells an old button from the present one. */
export async function keepWaiting(
  bench: Bench,
  kind: Kind,
  user: string,
  id: string,
  waiting: Waiting,
): Promise<void> {
  await bench.misc.set(keyOf(kind, user), { id, waiting }, LIFE_MS);
}

/** Takes it out: a second press finds nothing. Undefined when it is gone or another one has taken its place. */
export async function takeWaiting(
  bench: Bench,
  kind: Kind,
  user: string,
  id: string,
): Promise<Waiting | undefined> {
  const kept = (await bench.misc.get(keyOf(kind, user))) as { id: string; waiting: Waiting } | undefined;
  if (kept?.id !== id) return undefined;
  await bench.misc.delete(keyOf(kind, user));
  return kept.waiting;
}

/** For the export of an account, and its erasure. */
export async function waitingOf(bench: Bench, user: string): Promise<readonly unknown[]> {
  const kept = await bench.misc.get(keyOf('zone', user));
  return kept === undefined ? [] : [kept];
}

export async function dropWaiting(bench: Bench, user: string): Promise<void> {
  await bench.misc.delete(keyOf('zone', user));
}
