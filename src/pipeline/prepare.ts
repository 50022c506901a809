// From the outbox to the next message: continues the open edition of a destination, or cuts the one that is due.

import { type Cadence, nextEditionAt, quietUntil, staysQuiet } from '../domain/cadence.js';
import { defined } from '../domain/defined.js';
import type { Edition, EditionPosting } from '../domain/edition.js';
import { wouldMatch } from '../domain/filter.js';
import { wishesOf } from '../domain/fit.js';
import {
  type Ledger,
  markApplied,
  markReasons,
  markTwice,
  type Owed,
  pending,
  postingAt,
} from '../domain/ledger.js';
import {
  attempt,
  cut,
  earlyOf,
  nextRefused,
  openEdition,
  pendingDue,
  skip,
  strongKeys,
  withdraw,
} from '../domain/outbox.js';
import { freedByResume, isWaiting, parkedNow } from '../domain/parking.js';
import type { Posting } from '../domain/posting.js';
import type { TokenRedactor } from '../domain/redact-token.js';
import { LONGEST_DELIVERY_WAIT } from '../domain/retry.js';
import { appliedTo } from '../domain/same-job.js';
import { type Destination, isPaused, readerOf, type Subscription } from '../domain/subscription.js';
import type { Delivery, Sink } from '../ports/sink.js';
import type { Marks } from '../ports/stores.js';
import type { Pipeline } from './context.js';
import { cleanPosting, redactorFor } from './guard.js';
import { siblingView, subscriptionsSharing } from './shared-destinations.js';

/** One message of an edition on its way. `edition`: its id in the ledger; `keys`: the posting keys in it. */
export interface Attempt {
  readonly subscription: Subscription;
  readonly destination: Destination;
  readonly sink: Sink;
  readonly delivery: Delivery;
  readonly edition: string;
  readonly keys: readonly string[];
  /** Finds the account's token in what is about to be sent. */
  readonly redactor?: TokenRedactor | undefined;
}

/** Nothing to do, something to wait for (milliseconds since the epoch), or a message to send. */
export type Prepared =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'ready'; readonly attempt: Attempt };

/**
 * Longest time that postings left to another subscription wait, milliseconds. They are checked sooner when its
 * edition is sent.
 */
const LEFT_MS = 60_000;

const NOTHING: Prepared = { kind: 'nothing' };

/**
 * Returns the next step for a destination, with the ledger to store. A message that is ready is already counted as an
 * attempt in that ledger. During an outage, only the message that met it is tried. Refused postings come after those
 * in line.
 */
export async function prepare(
  p: Pipeline,
  before: Ledger,
  subscription: Subscription,
  destination: Destination,
  sink: Sink,
): Promise<{ ledger: Ledger; result: Prepared }> {
  const now = p.clock.now();
  const { id } = destination;
  if (parkedNow(before, id, subscription.resumedAt)) return { ledger: before, result: NOTHING };
  const redactor = before.outbox.length > 0 ? await redactorFor(p, subscription.account) : undefined;
  const freed = freedByResume(before, id, subscription.resumedAt, now);
  let ledger = withoutTokens(clampToNow(freed, destination, now), redactor);
  const wait = (until: number) => ({ ledger, result: { kind: 'wait', until } as const });
  const away = ledger.editions.find(
    (one) => one.destination === id && one.outages > 0 && isWaiting(one, now),
  );
  if (away) return wait(away.nextAt);
  let next = openEdition(ledger, id);
  const slot = next ? undefined : pendingDue(ledger, destination, now);
  if (slot !== undefined && slot <= now) {
    const quiet = quietOf(destination, destination.cadence.every, now);
    if (quiet !== undefined) return wait(quiet);
    ledger = await cutDue(p, ledger, subscription, destination, sink, slot);
    next = openEdition(ledger, id);
  }
  const early = slot !== undefined && slot > now ? earlyOf(destination) : undefined;
  const earlyAt = early && (quietOf(early, 'immediate', now) ?? pendingDue(ledger, early, now));
  if (early && earlyAt !== undefined && earlyAt <= now) {
    ledger = await cutEarly(p, ledger, subscription, early, sink);
    next = openEdition(ledger, id);
  }
  const refused = nextRefused(ledger, id);
  if ((!next || isWaiting(next, now)) && refused && !isWaiting(refused, now)) next = refused;
  if (!next || isWaiting(next, now)) {
    // Postings that are due and were not cut are left to another subscription that is delivering them. If that fails,
    // they are cut here.
    const isLeft = !next && slot !== undefined && slot <= now && pending(ledger, id).length > 0;
    const times = [
      next?.nextAt,
      next ? undefined : slot,
      earlyAt,
      refused?.nextAt,
      isLeft ? now + LEFT_MS : undefined,
    ].filter((at) => at !== undefined && at > now);
    return times.length > 0 ? wait(Math.min(...(times as number[]))) : { ledger, result: NOTHING };
  }
  const quiet = quietOf(destination, next.every, now);
  if (quiet !== undefined) return wait(quiet);
  // Another subscription may have delivered some of it while this one was parked or paused.
  const { delivered } = await siblingView(p, subscription, destination, ledger.outbox);
  const rest = withdraw(ledger, next.id, delivered, now);
  if (rest !== ledger) return prepare(p, rest, subscription, destination, sink);
  const delivery = await deliveryOf(p, ledger, subscription, destination, next);
  const keys = next.parts[next.sent] ?? [];
  return {
    ledger: attempt(ledger, next.id),
    result: {
      kind: 'ready',
      attempt: { subscription, destination, sink, delivery, edition: next.id, keys, redactor },
    },
  };
}

/**
 * Removes the token from postings that were recorded before it was searched for, or while the account had another
 * one.
 */
function withoutTokens(ledger: Ledger, redactor: TokenRedactor | undefined): Ledger {
  if (!redactor?.isIn(ledger.outbox)) return ledger;
  const outbox = ledger.outbox.map((owed) => {
    const posting = cleanPosting(owed.posting, redactor);
    return posting === owed.posting ? owed : { ...owed, posting };
  });
  return { ...ledger, outbox };
}

function quietOf({ quiet }: Destination, every: Cadence['every'], now: number): number | undefined {
  return staysQuiet(every) ? quietUntil(quiet, now) : undefined;
}

type EarlyDestination = Destination & { readonly immediateFit: number };

/** Cuts an edition of the postings that fit well. The digest gets the others. */
async function cutEarly(
  p: Pipeline,
  before: Ledger,
  subscription: Subscription,
  early: EarlyDestination,
  sink: Sink,
): Promise<Ledger> {
  const { id, immediateFit } = early;
  const now = p.clock.now();
  const marks = await marksOf(p, subscription.account, early);
  const wishes = wishesOf(subscription.filter, keptIn(marks));
  const strong = strongKeys(before, { destination: id, wishes, slot: now, least: immediateFit });
  return strong.size > 0 ? cutDue(p, before, subscription, early, sink, now, strong) : before;
}

/**
 * Cuts the edition of `slot`, without postings that another subscription delivered there or that the reader
 * dismissed. `early`: only these postings, before the slot.
 */
async function cutDue(
  p: Pipeline,
  before: Ledger,
  subscription: Subscription,
  destination: Destination,
  sink: Sink,
  slot: number,
  early?: ReadonlySet<string>,
): Promise<Ledger> {
  const now = p.clock.now();
  const { id, cadence } = destination;
  const waiting = pending(before, id).filter((owed) => early?.has(owed.posting.key) ?? true);
  const elsewhere = await siblingView(p, subscription, destination, waiting);
  const marks = await marksOf(p, subscription.account, destination);
  const dropped = marks ? dismissed(marks, waiting) : [];
  const delivered = waiting.map((owed) => owed.posting.key).filter((key) => elsewhere.delivered.has(key));
  const clean = skip(
    skip(before, id, delivered, 'elsewhere', now),
    id,
    dropped.filter((key) => !elsewhere.delivered.has(key)),
    'dropped',
    now,
    'dismissed',
  );
  const known = marks ? markApplied(clean, id, applied(marks, waiting)) : clean;
  const own = markTwice(known, id, elsewhere.differing);
  const left = pending(own, id).filter(
    ({ posting: { key }, twice }) =>
      !twice?.includes(id) && !elsewhere.underway.has(key) && (early?.has(key) ?? true),
  );
  const { immediateCap, digestCap } = p.settings;
  const perDay = cadence.every === 'immediate' ? destination.perDay : undefined;
  const ledger = cut(await withReasons(p, own, subscription, destination, left), {
    subscription: subscription.id,
    destination: id,
    cadence,
    slot,
    now,
    cap: destination.cap ?? (cadence.every === 'immediate' ? immediateCap : digestCap),
    over: sink.audience === 'machines' ? 'editions' : p.editionUrl ? 'page' : 'parts',
    wishes: wishesOf(subscription.filter, keptIn(marks)),
    hold: elsewhere.underway,
    ...defined({ early, perDay, joins: sink.joins }),
    pack: (owed) => packed(sink, owed, destination),
  });
  const editions = ledger.editions.slice(clean.editions.length);
  if (editions.length === 0) return ledger;
  // Stored before the ledger names them, so that the link in a message always leads to a page.
  for (const edition of editions) await keep(p, ledger, subscription, destination, edition);
  p.step('dispatch.cut');
  return ledger;
}

/** Adds the reasons of the other subscriptions that share the destination. Paused ones do not count. */
async function withReasons(
  p: Pipeline,
  ledger: Ledger,
  subscription: Subscription,
  destination: Destination,
  waiting: readonly Owed[],
): Promise<Ledger> {
  if (waiting.length === 0) return ledger;
  const sharing = await subscriptionsSharing(p, subscription, destination);
  const filters = sharing.filter((other) => !isPaused(other)).map(({ filter }) => filter);
  if (filters.length === 0) return ledger;
  const keys = new Set(waiting.map(({ posting }) => posting.key));
  const now = p.clock.now();
  return markReasons(ledger, destination.id, keys, (posting) =>
    filters.flatMap((filter) => {
      const verdict = wouldMatch(filter, posting, now);
      return verdict.ok ? verdict.matched : [];
    }),
  );
}

/**
 * Splits an edition into messages that its sink can send. If a sink leaves postings out, doubles them or throws, the
 * reader still gets each one once: those left out go last, and if the sink throws, postings go one by one.
 */
function packed(sink: Sink, owed: readonly Owed[], destination: Destination): readonly (readonly Owed[])[] {
  if (!sink.pack) return [owed];
  const postings = owed.map((one) => postingAt(one, destination.id));
  const left = new Map(owed.map((one) => [one.posting.key, one]));
  const take = (key: string): readonly Owed[] => {
    const one = left.get(key);
    left.delete(key);
    return one ? [one] : [];
  };
  let parts: readonly (readonly Owed[])[];
  try {
    parts = sink.pack(postings, destination).map((part) => part.flatMap((posting) => take(posting.key)));
  } catch {
    return owed.map((one) => [one]);
  }
  return [...parts, [...left.values()]].filter((part) => part.length > 0);
}

/**
 * Postings of an edition as their reader sees them, with the reasons of every subscription that shares the
 * destination.
 */
export function editionPostings(
  ledger: Ledger,
  destination: string,
  keys: readonly string[],
): EditionPosting[] {
  const byKey = new Map(ledger.outbox.map((owed) => [owed.posting.key, owed]));
  return keys.flatMap((key) => {
    const owed = byKey.get(key);
    return owed ? [postingAt(owed, destination)] : [];
  });
}

/** The values that an edition's page and its messages have in common. */
function frameOf(p: Pipeline, subscription: Subscription, destination: Destination, edition: Edition) {
  return {
    subscription: subscription.id,
    account: subscription.account,
    destination,
    every: edition.every,
    from: edition.from,
    slot: edition.slot,
    about: p.describe(subscription),
    locale: subscription.locale ?? 'en',
  };
}

function keep(
  p: Pipeline,
  ledger: Ledger,
  subscription: Subscription,
  destination: Destination,
  edition: Edition,
): Promise<void> {
  return p.history.keepEdition({
    ...frameOf(p, subscription, destination, edition),
    id: edition.id,
    postings: editionPostings(ledger, destination.id, edition.parts.flat()),
    rest: editionPostings(ledger, destination.id, edition.rest),
  });
}

async function deliveryOf(
  p: Pipeline,
  ledger: Ledger,
  subscription: Subscription,
  destination: Destination,
  edition: Edition,
): Promise<Delivery> {
  const {
    edition: id,
    part,
    parts,
  } = edition.aside ?? {
    edition: edition.id,
    part: edition.sent,
    parts: edition.parts.length,
  };
  const last = edition.sent === edition.parts.length - 1;
  const postings = editionPostings(ledger, destination.id, edition.parts[edition.sent] ?? []);
  const rest = editionPostings(ledger, destination.id, edition.rest);
  // The ledger holds only the keys of messages that were sent.
  const record = parts > 1 ? await p.history.edition(id) : undefined;
  const moreUrl = await p.editionUrl?.({
    account: subscription.account,
    subscription: subscription.id,
    destination: destination.id,
    edition: id,
    now: edition.slot,
  });
  return {
    ...frameOf(p, subscription, destination, edition),
    tags: subscription.filter.tags,
    edition: id,
    part,
    parts,
    postings,
    all: record ? [...record.postings, ...record.rest] : [...postings, ...rest],
    more: last ? rest.length : 0,
    ...defined({ moreUrl: moreUrl || undefined }),
    source: p.settings.source,
    attempt: edition.attempts + edition.outages + 1,
  };
}

// Marks of a reader count only in that person's own mail and direct messages: what was dismissed is left out, what is
// like the postings that were saved or applied to comes first, and a posting of a job that the person applied to before
// says so. A channel is for everyone in it.

/** The marks of the destination's reader; undefined if it has many readers. */
async function marksOf(p: Pipeline, account: string, { id, sink, target }: Destination) {
  return p.sinks.get(sink)?.isPrivate?.(target) ? p.stores.marks.get(readerOf(account, id)) : undefined;
}

/** The postings that a reader saved or applied to, newest first. */
export function keptIn(marks: Marks | undefined): readonly Posting[] {
  return Object.values(marks?.postings ?? {})
    .filter(({ mark }) => mark !== 'dismissed')
    .sort((a, b) => b.at - a.at)
    .map(({ posting }) => posting);
}

/** When the person applied to the jobs of pending postings under another id, by posting key. */
function applied(marks: Marks, owed: readonly Owed[]): ReadonlyMap<string, number> {
  const appliedOn = appliedTo(Object.values(marks.postings));
  return new Map(
    owed.flatMap(({ posting }): [string, number][] => {
      const at = appliedOn(posting);
      return at === undefined ? [] : [[posting.key, at]];
    }),
  );
}

/** Keys of pending postings that were dismissed, by posting, company or tag. */
function dismissed(marks: Marks, owed: readonly Owed[]): readonly string[] {
  const companies = new Set(marks.hiddenCompanies.map((name) => name.toLowerCase()));
  return owed
    .filter(
      ({ posting }) =>
        marks.postings[posting.key]?.mark === 'dismissed' ||
        (posting.company !== undefined && companies.has(posting.company.toLowerCase())) ||
        posting.tags?.some((tag) => marks.hiddenTags.includes(tag)),
    )
    .map(({ posting }) => posting.key);
}

// Times in a ledger that are in the future were written before the clock was set back. Waiting for them would delay
// deliveries by as much as the clock was wrong. A pure function of the ledger.

/**
 * Moves future times of a destination back to `now` (milliseconds since the epoch). Returns the same ledger if there
 * are none. The last edition may be ahead by less than a slot: that slot comes a second time, and already had its
 * edition.
 */
export function clampToNow(ledger: Ledger, { id, cadence }: Destination, now: number): Ledger {
  const last = ledger.lastEdition[id] ?? 0;
  const isAhead = last > now && last > nextEditionAt(cadence, now);
  const isLate = (edition: Edition) =>
    edition.destination === id && edition.nextAt > now + LONGEST_DELIVERY_WAIT;
  const owedAhead = ledger.outbox.some((owed) => owed.at > now && owed.to.includes(id));
  if (!isAhead && !owedAhead && !ledger.editions.some(isLate)) return ledger;
  return {
    ...ledger,
    outbox: ledger.outbox.map((owed) =>
      owed.at > now && owed.to.includes(id) ? { ...owed, at: now } : owed,
    ),
    editions: ledger.editions.map((edition) => (isLate(edition) ? { ...edition, nextAt: now } : edition)),
    lastEdition: isAhead ? { ...ledger.lastEdition, [id]: now } : ledger.lastEdition,
  };
}
