// Reads and writes config/subscriptions.yaml and everything in its form (import, export). A file is read as a whole or
// not at all, and all faults of all entries are reported together.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify } from 'yaml';
import type { Config } from './config.js';
import { defined } from './domain/defined.js';
import { partsOf } from './domain/edition.js';
import { throwFaults, UserError } from './domain/errors.js';
import type { Fault } from './domain/input.js';
import { termEntry } from './domain/rules/index.js';
import {
  destinationEntry,
  EntryError,
  isPaused,
  OPERATOR,
  parseSubscription,
  pausedFrom,
  resumedFrom,
  type Subscription,
  type SubscriptionContext,
} from './domain/subscription.js';
import type { Pipeline } from './pipeline/context.js';
import { type Reconciled, reconcile } from './pipeline/reconcile.js';
import type { Imported } from './ports/admin-service.js';
import type { Sink } from './ports/sink.js';
import type { Stores } from './ports/stores.js';
import { LANGUAGES } from './render/texts.js';
import { whyNoSink } from './sinks/index.js';

/**
 * Returns the path of the file in CONFIG_DIR and its text, undefined when there is no file. Throws a {@link UserError}
 * (exit 2) when it can't be read.
 */
export async function readSubscriptionsFile(
  dir: string,
): Promise<{ readonly file: string; readonly text: string | undefined }> {
  const file = join(dir, 'subscriptions.yaml');
  try {
    return { file, text: await readFile(file, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { file, text: undefined };
    throw new UserError(`${file} can't be read (${code}); make it a file that this user can read.`, 2);
  }
}

/** The sentence for a file that is absent or empty: the subscriptions it listed before (`kept` of them) continue. */
export function noEntries(file: string, text: string | undefined, kept: number): string {
  return `${file} is ${text === undefined ? 'not there' : 'empty'}, so the subscriptions it listed before continue (${kept}); restore the file, or write [] into it to remove them`;
}

/** The sentence for a file that lacks too many (`gone` of `all`) subscriptions at once: they continue. */
export function massRemoval(file: string, gone: number, all: number): string {
  return `${gone} of ${all} subscriptions are no longer in ${file}, which looks like a mistake, so they continue; "jobcrier subscriptions reconcile --allow-removal" removes them`;
}

/**
 * Reads a list of entries. Returns undefined for a text without any value, which is not the same as an empty list. Throws
 * a {@link UserError} (exit 2) with all faults, including ids listed twice; each begins with `file:line:column` and the
 * number of the entry. No fault repeats a value that may be a secret.
 */
export function parseSubscriptions(
  text: string,
  context: SubscriptionContext,
  file = 'subscriptions',
): readonly Subscription[] | undefined {
  const plain = fromJson(text, context);
  if (plain) return plain;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  // Only the code: the message of a syntax error may quote the text.
  const broken = document.errors.map(({ code, pos }) => {
    const what = code.toLowerCase().replaceAll('_', ' ');
    return `${at(pos[0])}: this is not YAML (${what}).`;
  });
  throwFaults([...new Set(broken)].slice(0, MOST_SYNTAX_FAULTS));
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
  if (!isSeq(contents))
    throw new UserError(
      `${at(contents.range?.[0] ?? 0)}: wanted a list of entries, each beginning with "- id: …".`,
      2,
    );
  const faults: string[] = [];
  const read: Subscription[] = [];
  const ids = new Set<string>();
  for (const [index, entry] of valuesOf(document).entries()) {
    const fault = ({ path, says }: Fault, id: string) =>
      faults.push(
        `${at(offsetOf(contents.items[index], path))}: entry ${index + 1}, subscription ${id || '(without id)'}: ${says}`,
      );
    const once = (id: string) => {
      if (ids.has(id))
        fault({ path: ['id'], says: 'id: it is listed twice; wanted a different id for each entry.' }, id);
      if (id) ids.add(id);
    };
    try {
      const one = parseSubscription(entry, context);
      once(one.id);
      read.push(one);
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      once(error.id);
      for (const one of error.faults) fault(one, error.id);
    }
  }
  throwFaults(faults);
  return read;
}

/**
 * The entries of a JSON text without a fault; undefined for any other text. JSON is YAML, but the YAML reader keeps all
 * positions and takes a minute for a hundred thousand entries.
 */
function fromJson(text: string, context: SubscriptionContext): readonly Subscription[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    const entries = JSON.parse(text) as unknown[];
    // JSON.parse takes the last of two fields with the same name; in YAML that is a fault.
    if (namesIn(text) !== namesOf(entries)) return undefined;
    const read = entries.map((entry) => parseSubscription(entry, context));
    return new Set(read.map(({ id }) => id)).size === read.length ? read : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof EntryError) return undefined;
    throw error;
  }
}

/** Counts the field names in a JSON text. */
function namesIn(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gu)) if (colon) count++;
  return count;
}

function namesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: readonly unknown[] = Object.values(value);
  return parts.reduce<number>((sum, one) => sum + namesOf(one), Array.isArray(value) ? 0 : parts.length);
}

const MOST_SYNTAX_FAULTS = 10;

function valuesOf(document: Document): readonly unknown[] {
  try {
    return document.toJS() as unknown[];
  } catch {
    throw new UserError(
      'The subscriptions file: its aliases expand to too much data; write the values out.',
      2,
    );
  }
}

/** The offset of a fault in the text: at its field, or as near as its path leads. */
function offsetOf(entry: unknown, path: Fault['path']): number {
  let node = entry;
  let offset = isNode(entry) ? (entry.range?.[0] ?? 0) : 0;
  for (const step of path) {
    const pair = isMap(node) && node.items.find(({ key }) => isScalar(key) && key.value === step);
    const item = isSeq(node) && typeof step === 'number' ? node.items[step] : undefined;
    const place = pair ? pair.key : item;
    if (!isNode(place)) break;
    offset = place.range?.[0] ?? offset;
    node = pair ? pair.value : item;
  }
  return offset;
}

/** Returns subscriptions as YAML for {@link parseSubscriptions}; reading it back gives the same subscriptions. */
export function renderSubscriptions(subscriptions: readonly Subscription[]): string {
  return stringify(subscriptions.map(subscriptionEntry));
}

/** Returns one subscription as an entry of the file; fields with their default are left out. */
export function subscriptionEntry(subscription: Subscription): Record<string, unknown> {
  const { id, account, filter, schedule, destinations, newest, reposts, locale } = subscription;
  const { tags, country, remote, include, exclude, minSalary, payUnknown, terms, limit } = filter;
  const some = (list: readonly unknown[]) => (list.length > 0 ? list : undefined);
  return defined({
    id,
    account: account === OPERATOR ? undefined : account,
    filter: defined({
      tags: some(tags),
      country,
      remote,
      include: some(include),
      exclude: some(exclude),
      minSalary,
      payUnknown: payUnknown === 'keep' ? undefined : payUnknown,
      terms: terms?.map(termEntry),
      limit,
    }),
    schedule: schedule.cron,
    timezone: schedule.timezone,
    newest: newest || undefined,
    reposts: reposts || undefined,
    paused: isPaused(subscription) || undefined,
    locale,
    destinations: destinations.map((one) => {
      const { timezone } = one.cadence;
      const own = timezone === schedule.timezone ? undefined : timezone;
      return defined({ ...destinationEntry(one), target: one.target || undefined, timezone: own });
    }),
  });
}

// Entries in this form from another place than the file: the command line, the operator's page.

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

/**
 * Adds entries, or replaces those that are stored: all of them or none. A stored subscription keeps its age and its
 * origin. `dry`: only reports what would be done. Throws a {@link UserError} (exit 1) for entries of the file.
 */
export async function importEntries(
  stores: Stores,
  entries: readonly Subscription[],
  now: number,
  { dry = false }: { readonly dry?: boolean } = {},
): Promise<Imported> {
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
  const ids = (kind: string) =>
    changes.filter((change) => change.kind === kind).map((change) => change.entry.id);
  const done = {
    added: ids('added'),
    changed: ids('changed'),
    unchanged: entries.length - changes.length,
  };
  if (dry) return done;
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  await stores.subscriptions.updateAll(
    changes.map(({ entry }) => entry.id),
    (stored, id) => merged(wanted.get(id) as Subscription, stored, now) ?? stored,
  );
  return done;
}

// Updates the store from config/subscriptions.yaml, at the start and on SIGHUP. The service then follows the store.

/** What changed in the store. `problem`: why the file was not applied in full, in words. */
export interface FileReport extends Reconciled {
  readonly problem?: string;
}

/**
 * Reads config/subscriptions.yaml (or `given`) and updates the store from it. A file that is absent or empty changes
 * nothing: its former subscriptions continue. Throws a UserError (exit 2) when the file can't be read or has faults.
 */
export async function takeFile(p: Pipeline, config: Config, given?: string): Promise<FileReport> {
  const known = await p.stores.subscriptions.idsFromFile();
  const { file, text } = await readSubscriptionsFile(config.dirs.config);
  const said = given ?? text;
  const now = p.clock.now();
  const entries =
    said === undefined
      ? undefined
      : parseSubscriptions(said, entryContext(p.sinks, config, 'file', now), file);
  if (!entries) {
    const problem = known.length > 0 ? noEntries(file, said, known.length) : undefined;
    if (problem) p.log.warn({ kept: known.length }, problem);
    return {
      added: [],
      changed: [],
      removed: [],
      kept: known,
      heldBack: [],
      ...defined({ problem: problem || undefined }),
    };
  }
  const report = await reconcile(p.stores, entries, { now });
  const { added, changed, removed, kept, heldBack } = report;
  if (known.length > 0 || entries.length > 0)
    p.log.info({ added, changed, removed, kept: kept.length }, 'subscriptions file taken up');
  if (heldBack.length === 0) return report;
  const problem = massRemoval(file, heldBack.length, kept.length + changed.length);
  p.log.warn({ heldBack }, problem);
  return { ...report, problem };
}

/** The context for reading entries. Each target is checked by its sink; a UserError (exit 2) for an unknown sink. */
export function entryContext(
  sinks: ReadonlyMap<string, Sink>,
  config: Config,
  origin: Subscription['origin'],
  now: number,
): SubscriptionContext {
  return {
    origin,
    now,
    liveSchedule: config.liveSchedule,
    defaultTimezone: 'UTC',
    languages: Object.keys(LANGUAGES),
    parseTarget(name, target) {
      const sink = sinks.get(name);
      if (!sink) throw new UserError(`sink: ${whyNoSink(name)}`, 2);
      return sink.parseTarget(target);
    },
  };
}
