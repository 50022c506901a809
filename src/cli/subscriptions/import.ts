// `jobcrier subscriptions import`: takes all entries or none. A stored subscription keeps its age and its origin.

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { defined } from '../../domain/defined.js';
import { partsOf } from '../../domain/edition.js';
import { throwFaults, UserError } from '../../domain/errors.js';
import { isPaused, pausedFrom, resumedFrom, type Subscription } from '../../domain/subscription.js';
import type { Stores } from '../../ports/stores.js';
import { parseSubscriptions, subscriptionEntry } from '../../subscriptions-file.js';
import type { CommandContext } from '../context.js';
import { withEntryContext, withStores } from '../session.js';

export interface ImportOptions {
  readonly file?: string;
  readonly json?: boolean;
}

async function readInput(file: string | undefined, context: CommandContext): Promise<string> {
  const { stdin } = context.io;
  if (file === undefined || file === '-') {
    if (stdin.isTTY) context.io.say('Reading subscriptions from standard input; Ctrl-D ends them.');
    return text(stdin);
  }
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file} can't be read (${error.code}); give the path of a YAML file.`, 2);
  });
}

function sameEntry(a: Subscription, b: Subscription): boolean {
  return JSON.stringify(subscriptionEntry(a)) === JSON.stringify(subscriptionEntry(b));
}

/** The entry with the fields that only the store has; undefined when nothing would change. */
function merged(
  entry: Subscription,
  stored: Subscription | undefined,
  now: number,
): Subscription | undefined {
  if (!stored) return entry;
  if (sameEntry(entry, stored)) return undefined;
  const { pausedAt: _wanted, ...rest } = entry;
  const { createdAt, origin, guild, pausedAt, pausedUntil, resumedAt } = stored;
  const next: Subscription = {
    ...rest,
    createdAt,
    origin,
    ...defined({ guild: guild || undefined, pausedAt, pausedUntil, resumedAt }),
  };
  // The entry decides whether there is a pause; the store knows since when.
  if (isPaused(entry) === isPaused(stored)) return next;
  return isPaused(entry) ? pausedFrom(next, now) : resumedFrom(next, now);
}

async function write(stores: Stores, entries: readonly Subscription[], now: number) {
  const changes: { readonly entry: Subscription; readonly kind: 'added' | 'changed' }[] = [];
  const faults: string[] = [];
  const known = new Map<string, Subscription>();
  for (const part of partsOf(entries))
    for (const one of await stores.subscriptions.many(part.map(({ id }) => id))) known.set(one.id, one);
  for (const entry of entries) {
    const stored = known.get(entry.id);
    const next = merged(entry, stored, now);
    if (!next) continue;
    if (stored?.origin === 'file')
      faults.push(
        `subscription ${entry.id}: is kept in config/subscriptions.yaml; change it there, or use another id.`,
      );
    changes.push({ entry: next, kind: stored ? 'changed' : 'added' });
  }
  throwFaults(faults, 1);
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  await stores.subscriptions.updateAll(
    changes.map(({ entry }) => entry.id),
    (stored, id) => merged(wanted.get(id) as Subscription, stored, now) ?? stored,
  );
  const ids = (kind: string) =>
    changes.filter((change) => change.kind === kind).map((change) => change.entry.id);
  return { added: ids('added'), changed: ids('changed'), unchanged: entries.length - changes.length };
}

export async function importCommand({ file, json }: ImportOptions, context: CommandContext): Promise<void> {
  const config = context.config();
  const input = await readInput(file, context);
  const entries = await withEntryContext(
    config,
    'cli',
    context,
    (reading) => parseSubscriptions(input, reading) ?? [],
  );
  await withStores(context, 'create', async ({ stores }) => {
    const { added, changed, unchanged } = await write(stores, entries, context.clock.now());
    if (json) context.io.json({ added, changed, unchanged });
    else context.io.say(`${added.length} added, ${changed.length} changed, ${unchanged} unchanged.`);
  });
}
