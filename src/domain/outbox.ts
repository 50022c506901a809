// The life of an edition in the ledger: cut, attempted and settled part by part, or put off, parked or expired. Each
// step is a pure function; the caller stores the result before it takes the next step.

import { type Cadence, dueSlot, localDay, nextDayAt } from './cadence.js';
import { defined } from './defined.js';
import { type Edition, editionId } from './edition.js';
import { ENRICH_MS, enriched } from './enrich.js';
import { type Fit, fitOf, type Wishes } from './fit.js';
import { finish, type Ledger, type Owed, pending, postingAt, reasonsAt } from './ledger.js';
import type { Posting, ReadPosting } from './posting.js';
import { best } from './ranking.js';
import {
  CONTENT_ATTEMPTS,
  LONGEST_DELIVERY_WAIT,
  OUTAGE_EXPIRY,
  outageDelay,
  refusalDelay,
} from './retry.js';
import { cardsOf, onCard } from './same-job.js';
import type { Destination } from './subscription.js';

/** How many more postings a destination may get at once today. */
function leftToday(
  { today }: Ledger,
  { id, cadence, perDay }: Pick<Destination, 'id' | 'cadence' | 'perDay'>,
  now: number,
): number {
  if (perDay === undefined || cadence.every !== 'immediate') return Number.POSITIVE_INFINITY;
  const { day, count = 0 } = today?.[id] ?? {};
  return day === localDay(cadence.timezone, now) ? Math.max(0, perDay - count) : perDay;
}

/**
 * Returns when what is pending for a destination is due, in milliseconds since the epoch; undefined if nothing is pending.
 * An immediate destination waits for fields that are requested, but each posting at most {@link ENRICH_MS}. Once its limit
 * per day is reached, it waits for the next day.
 */
export function pendingDue(
  ledger: Ledger,
  destination: Pick<Destination, 'id' | 'cadence' | 'perDay'>,
  now: number,
): number | undefined {
  const { id, cadence } = destination;
  const waiting = pending(ledger, id);
  const [oldest] = waiting;
  if (!oldest) return undefined;
  const slot = dueSlot(cadence, ledger.lastEdition[id] ?? 0, oldest.since ?? oldest.at, now);
  if (cadence.every !== 'immediate') return slot;
  if (leftToday(ledger, destination, now) === 0) return nextDayAt(cadence.timezone, now);
  const until = Math.min(...waiting.flatMap(({ awaits }) => awaits?.until ?? []));
  // A time that is too far ahead was written before the clock was set back.
  return until > now && until <= now + ENRICH_MS ? until : slot;
}

/** A digest destination as an immediate one, for the postings that need not wait for the digest; undefined without such. */
export function earlyOf<T extends Pick<Destination, 'cadence' | 'immediateFit'>>(
  destination: T,
): (T & { readonly immediateFit: number }) | undefined {
  const { immediateFit, cadence } = destination;
  if (immediateFit === undefined) return undefined;
  return { ...destination, immediateFit, cadence: { every: 'immediate', timezone: cadence.timezone } };
}

/**
 * Returns when a delivery to a destination has to be planned after a poll that led from `before` to `after`, in milliseconds
 * since the epoch; undefined if nothing is pending, or if it is planned already, as it is for what was not read. Which of the
 * new postings need not wait for a digest is known only when it is prepared, so each of them is looked at.
 */
export function deliveryDue(
  before: Ledger,
  after: Ledger,
  destination: Pick<Destination, 'id' | 'cadence' | 'perDay' | 'immediateFit'>,
  now: number,
): number | undefined {
  const { id } = destination;
  for (const edition of after.editions) if (edition.destination === id) return now;
  const isNew = after.outbox.at(-1) !== before.outbox.at(-1);
  const early = isNew ? earlyOf(destination) : undefined;
  const times = [
    isPlanned(before, after, destination) ? undefined : pendingDue(after, destination, now),
    early && pendingDue(after, early, now),
  ].filter((at) => at !== undefined);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** Whether a digest waited for its slot before a poll. New postings do not change when that is. */
function isPlanned(
  before: Ledger,
  after: Ledger,
  { id, cadence }: Pick<Destination, 'id' | 'cadence'>,
): boolean {
  if (cadence.every === 'immediate') return false;
  if (before.unread?.places.some(({ destination }) => destination === id)) return true;
  if (before.editions.length > 0) return false;
  const isForIt = ({ to }: Owed) => to.includes(id);
  const oldest = before.outbox.find(isForIt);
  return oldest !== undefined && oldest === after.outbox.find(isForIt);
}

/** The postings whose missing fields are requested from a subject. Those in an edition stay as they are. */
export function awaiting(ledger: Ledger, subject: string): readonly Owed[] {
  const held = new Set(ledger.editions.flatMap(({ parts, rest }) => [...parts.flat(), ...rest]));
  return ledger.outbox.filter(({ awaits, posting }) => awaits?.subject === subject && !held.has(posting.key));
}

/**
 * Adds the fields of `found` to the postings that wait for them, and ends their wait. Returns the same ledger if none waits.
 * A posting in an edition is not changed, because a message that is repeated must stay the same.
 */
export function enrich(ledger: Ledger, subject: string, found: readonly ReadPosting[]): Ledger {
  const waiting = new Set(awaiting(ledger, subject));
  if (waiting.size === 0) return ledger;
  const outbox = ledger.outbox.map((owed) => {
    if (!waiting.has(owed)) return owed;
    const { awaits: _over, ...rest } = owed;
    return { ...rest, posting: enriched(owed.posting, found) };
  });
  return { ...ledger, outbox };
}

/** Options of {@link cut}. `pack` splits the postings into messages the sink can send, in the same order. */
export interface CutOptions {
  readonly subscription: string;
  readonly destination: string;
  readonly cadence: Cadence;
  readonly slot: number;
  readonly now: number;
  /** Highest number of postings an edition shows. */
  readonly cap: number;
  /** Highest number of postings an immediate destination gets on one day. */
  readonly perDay?: number;
  /** The cap and the limit per day count cards, see {@link cardsOf}. The postings of a card stay together. */
  readonly joins?: true;
  /**
   * Where postings over the cap go. page: they are counted, and shown on the edition's page; parts: into more
   * messages of the same edition, after the best ones; editions: into more editions, oldest first. Those over the limit
   * per day are shown there too; without a page they are not sent.
   */
  readonly over: 'page' | 'parts' | 'editions';
  /** What the destination's reader wishes: postings that fit better come first in a digest, and are shown under a cap. */
  readonly wishes: Wishes;
  /** Keys that stay pending for now, because another subscription is about to deliver them to the destination. */
  readonly hold?: ReadonlySet<string>;
  /**
   * Keys of the postings that do not wait for the destination's digest. Only these are cut, and its slots stay as they are.
   * Those over the limit per day come with the digest.
   */
  readonly early?: ReadonlySet<string>;
  readonly pack: (postings: readonly Owed[]) => readonly (readonly Owed[])[];
}

/** Keys of the postings pending for a destination whose fit is at least `least`. */
export function strongKeys(
  ledger: Ledger,
  options: Pick<CutOptions, 'destination' | 'wishes' | 'slot'> & { readonly least: number },
): ReadonlySet<string> {
  const strong = pending(ledger, options.destination).filter(
    (owed) => fitAt(owed, options).score >= options.least,
  );
  return new Set(strong.map(keyOf));
}

/**
 * Puts the postings that are pending for a destination into one edition or several consecutive ones. Returns the
 * ledger unchanged if none are pending, or the limit per day is reached. Above the cap or that limit, those that fit best
 * are shown, the newest of equals, and the rest go where `over` says.
 */
export function cut(ledger: Ledger, options: CutOptions): Ledger {
  const { destination, cap, now, over, slot, cadence, hold, early } = options;
  const due = pending(ledger, destination)
    .filter((owed) => !hold?.has(keyOf(owed)))
    .filter((owed) => early?.has(keyOf(owed)) ?? true);
  const left = leftToday(ledger, { id: destination, ...options }, now);
  if (due.length === 0 || left === 0) return ledger;
  const fits = new Map(due.map((owed) => [owed, fitAt(owed, options)]));
  const scoreOf = ([owed]: Card) => (owed && fits.get(owed)?.score) ?? 0;
  const cards = options.joins ? joined() : due.map((owed) => [owed]);
  const all = early || over !== 'page' ? best(cards, left, scoreOf) : cards;
  const from = ledger.lastEdition[destination] ?? Math.min(...all.flat().map((owed) => owed.at));
  const edition = (shown: readonly Card[], rest: readonly Card[]): Edition => ({
    id: editionId(options.subscription, destination, slot, [...shown, ...rest].flat().map(keyOf)),
    destination,
    every: cadence.every,
    from,
    slot,
    parts: options.pack(shown.flat()).map((part) => part.map(keyOf)),
    sent: 0,
    rest: rest.flat().map(keyOf),
    cutAt: now,
    attempts: 0,
    outages: 0,
    waited: 0,
    nextAt: now,
  });
  const editions = editionsOf(all);
  const next: Ledger = {
    ...ledger,
    outbox: ledger.outbox.map((owed) => withFit(owed, destination, fits.get(owed))),
    editions: [...ledger.editions, ...editions],
    lastEdition: early ? ledger.lastEdition : { ...ledger.lastEdition, [destination]: slot },
    ...defined({ today: left === Number.POSITIVE_INFINITY ? ledger.today : countedToday(editions) }),
  };
  const sent = new Set(all.flat());
  const unsent = early ? [] : due.filter((owed) => !sent.has(owed)).map(keyOf);
  return finish(next, destination, unsent, { at: now, how: 'limit' });

  /** The cards of what is due, the best-fitting posting of each first, the newest of equals. */
  function joined(): readonly Card[] {
    const byKey = new Map(due.map((owed) => [keyOf(owed), owed]));
    const shown = due.map((owed) => postingAt(owed, destination));
    const score = ({ key }: Posting) => scoreOf([byKey.get(key) as Owed]);
    return cardsOf(shown, score).map((card) => onCard(card).flatMap(({ key }) => byKey.get(key) ?? []));
  }

  function countedToday(added: readonly Edition[]): Ledger['today'] {
    const day = localDay(cadence.timezone, now);
    const { day: last, count = 0 } = ledger.today?.[destination] ?? {};
    const keys = new Set(added.flatMap(({ parts }) => parts.flat()));
    const sent = all.filter(([lead]) => lead && keys.has(keyOf(lead))).length;
    return { ...ledger.today, [destination]: { day, count: (last === day ? count : 0) + sent } };
  }

  function editionsOf(from: readonly Card[]): Edition[] {
    if (over === 'editions')
      return Array.from({ length: Math.ceil(from.length / cap) }, (_, n) =>
        edition(from.slice(n * cap, (n + 1) * cap), []),
      );
    const within = best(from, Math.min(cap, left), scoreOf);
    const chosen = new Set(within);
    const rest = from.filter((one) => !chosen.has(one));
    const shown = cadence.every === 'immediate' ? within : within.toSorted((a, b) => scoreOf(b) - scoreOf(a));
    return [over === 'page' ? edition(shown, rest) : edition([...shown, ...rest], [])];
  }
}

/** Postings that count as one: a posting, or the same job in several places. The leading one is first. */
type Card = readonly Owed[];

function fitAt(
  owed: Owed,
  { destination, wishes, slot }: Pick<CutOptions, 'destination' | 'wishes' | 'slot'>,
): Fit {
  return fitOf({ ...owed.posting, matched: reasonsAt(owed, destination) }, wishes, slot);
}

function withFit(owed: Owed, destination: string, fit: Fit | undefined): Owed {
  return fit ? { ...owed, fit: { ...owed.fit, [destination]: fit } } : owed;
}

function keyOf({ posting }: Owed): string {
  return posting.key;
}

/**
 * The edition that is sent next to a destination: the oldest open one, so the order is kept. Refused postings do not
 * count.
 */
export function openEdition(ledger: Ledger, destination: string): Edition | undefined {
  return ledger.editions.find((edition) => edition.destination === destination && !edition.aside);
}

/** The next edition to try again among those that hold a posting the destination refused. */
export function nextRefused(ledger: Ledger, destination: string): Edition | undefined {
  return ledger.editions
    .filter((edition) => edition.destination === destination && edition.aside)
    .sort((a, b) => a.nextAt - b.nextAt)[0];
}

function change(ledger: Ledger, id: string, edit: (edition: Edition) => Edition | undefined): Ledger {
  if (!ledger.editions.some((edition) => edition.id === id)) return ledger;
  return {
    ...ledger,
    editions: ledger.editions.flatMap((edition) => (edition.id === id ? (edit(edition) ?? []) : edition)),
  };
}

/**
 * Counts an attempt. This is stored before the attempt, so that a posting that crashes the process is counted too.
 */
export function attempt(ledger: Ledger, id: string): Ledger {
  return change(ledger, id, (edition) => ({ ...edition, attempts: edition.attempts + 1 }));
}

/** The process ended during an attempt. The attempt does not count, because no service refused anything. */
export function giveBack(ledger: Ledger, id: string): Ledger {
  return change(ledger, id, (edition) => ({ ...edition, attempts: Math.max(0, edition.attempts - 1) }));
}

/** The edition at its next part, with all counters reset; undefined after the last part. */
function advanced(edition: Edition, now: number): Edition | undefined {
  if (edition.sent + 1 >= edition.parts.length) return undefined;
  return { ...edition, sent: edition.sent + 1, attempts: 0, outages: 0, waited: 0, nextAt: now };
}

/**
 * The receiving service accepted the next part: its postings are done. After the last part, the edition is closed.
 */
export function settlePart(ledger: Ledger, id: string, now: number): Ledger {
  const edition = ledger.editions.find((one) => one.id === id);
  if (!edition) return ledger;
  const { destination, parts, sent, rest } = edition;
  const next = advanced(edition, now);
  const settled = finish(ledger, destination, parts[sent] ?? [], { at: now, how: 'sent' });
  const counted = next ? settled : finish(settled, destination, rest, { at: now, how: 'more' });
  return change(counted, id, () => next);
}

/**
 * Removes postings that another subscription has delivered to the destination from the unsent parts of an edition.
 * Does nothing if sending the next part was already tried: that message may have arrived and must stay the same.
 */
export function withdraw(ledger: Ledger, id: string, keys: ReadonlySet<string>, now: number): Ledger {
  const edition = ledger.editions.find((one) => one.id === id);
  if (!edition || edition.attempts > 0 || edition.outages > 0) return ledger;
  const { destination, sent } = edition;
  const left = [...edition.parts.slice(sent).flat(), ...edition.rest].filter((key) => keys.has(key));
  if (left.length === 0) return ledger;
  const others = (part: readonly string[]) => part.filter((key) => !keys.has(key));
  const next = edition.parts
    .slice(sent)
    .map(others)
    .filter((part) => part.length > 0);
  const parts = [...edition.parts.slice(0, sent), ...next];
  const done = finish(ledger, destination, left, { at: now, how: 'elsewhere' });
  return change(done, id, (one) => (next.length > 0 ? { ...one, parts, rest: others(one.rest) } : undefined));
}

/** The outcomes that {@link closedWith} needs: those of the parts already sent, if the next part is the last. */
export function wantedToClose(
  { editions }: Ledger,
  id: string,
): { readonly outcomes?: { readonly keys: readonly string[]; readonly destinations: readonly string[] } } {
  const edition = editions.find((one) => one.id === id);
  if (!edition || edition.sent === 0 || edition.sent + 1 < edition.parts.length) return {};
  return { outcomes: { keys: edition.parts.flat(), destinations: [edition.destination] } };
}

/**
 * How many postings of an edition reached their readers; undefined unless the step from `before` to `after` closed
 * it.
 */
export function closedWith(before: Ledger, after: Ledger, id: string): number | undefined {
  const edition = before.editions.find((one) => one.id === id);
  if (!edition || after.editions.some((one) => one.id === id)) return undefined;
  const how = (key: string) => after.done[key]?.[edition.destination]?.how;
  const keys = [...edition.parts.flat(), ...edition.rest];
  return keys.filter((key) => how(key) === 'sent' || how(key) === 'more').length;
}

/** The result of a failed step of an edition. Times in milliseconds since the epoch. */
export interface DeliveryFailure {
  readonly ledger: Ledger;
  /** Keys of the postings that were given up. */
  readonly lost: readonly string[];
  readonly nextAt: number;
}

/** Shortest wait before the next attempt. Milliseconds. */
const SHORTEST_WAIT = 1000;

/**
 * The receiving service is unavailable: the attempt does not count, and the edition waits. After it has waited for
 * {@link OUTAGE_EXPIRY} in total, its unsent postings expire. Only these waits count: a pause, a night switched off
 * or a clock set forward says nothing about the receiving service.
 */
export function putOff(
  ledger: Ledger,
  id: string,
  why: string,
  now: number,
  retryAfterMs: number | undefined,
  resumedAt?: number,
): DeliveryFailure {
  const edition = ledger.editions.find((one) => one.id === id);
  if (!edition) return { ledger, lost: [], nextAt: now };
  if (edition.waited >= OUTAGE_EXPIRY) {
    const lost = [...edition.parts.slice(edition.sent).flat(), ...edition.rest];
    const expired = finish(ledger, edition.destination, lost, { at: now, how: 'expired', why });
    return { ledger: change(expired, id, () => undefined), lost, nextAt: now };
  }
  const asked = Number.isFinite(retryAfterMs) ? retryAfterMs : undefined;
  const wished = asked ?? outageDelay(edition.outages + 1);
  const wait = Math.min(Math.max(wished, SHORTEST_WAIT), LONGEST_DELIVERY_WAIT);
  const waiting = change(giveBack(ledger, id), id, (one) => ({
    ...one,
    outages: one.outages + 1,
    waited: one.waited + wait,
    nextAt: now + wait,
    lastFault: why,
    ...defined({ resumedAt }),
  }));
  return { ledger: waiting, lost: [], nextAt: now + wait };
}

/**
 * The program itself is at fault, so the attempt does not count, and the wait does not count towards
 * {@link OUTAGE_EXPIRY}.
 */
export function postpone(
  ledger: Ledger,
  id: string,
  why: string,
  now: number,
  resumedAt?: number,
): DeliveryFailure {
  const edition = ledger.editions.find((one) => one.id === id);
  if (!edition) return { ledger, lost: [], nextAt: now };
  const nextAt = now + outageDelay(edition.outages + 1);
  const waiting = change(giveBack(ledger, id), id, (one) => ({
    ...one,
    outages: one.outages + 1,
    nextAt,
    lastFault: why,
    ...defined({ resumedAt }),
  }));
  return { ledger: waiting, lost: [], nextAt };
}

/**
 * The receiving service refused the next part because of its content. A part with several postings is halved to find
 * the one at fault. Nothing is sent twice, because a refused message was not stored. A single posting is set aside:
 * it keeps its name and number and is tried again on its own, {@link CONTENT_ATTEMPTS} times in total, while the
 * others continue immediately. Then it parks.
 */
export function refuse(
  ledger: Ledger,
  id: string,
  why: string,
  now: number,
  resumedAt?: number,
): DeliveryFailure {
  const edition = ledger.editions.find((one) => one.id === id);
  const part = edition?.parts[edition.sent];
  if (!edition || !part) return { ledger, lost: [], nextAt: now };
  if (part.length > 1) {
    const middle = Math.ceil(part.length / 2);
    const parts = edition.parts.toSpliced(edition.sent, 1, part.slice(0, middle), part.slice(middle));
    const halved = change(ledger, id, (one) => ({ ...one, parts, attempts: 0, nextAt: now, lastFault: why }));
    return { ledger: halved, lost: [], nextAt: now };
  }
  if (edition.attempts < CONTENT_ATTEMPTS) {
    const wait = {
      nextAt: now + refusalDelay(edition.attempts),
      lastFault: why,
      ...defined({ resumedAt }),
    };
    if (edition.aside)
      return { ledger: change(ledger, id, (one) => ({ ...one, ...wait })), lost: [], nextAt: wait.nextAt };
    const place = { edition: id, part: edition.sent, parts: edition.parts.length };
    const aside = {
      ...edition,
      ...wait,
      id: `${id}.${edition.sent}`,
      aside: place,
      parts: [part],
      sent: 0,
      rest: [],
    };
    const others = change(ledger, id, (one) => advanced(one, now));
    return { ledger: { ...others, editions: [...others.editions, aside] }, lost: [], nextAt: now };
  }
  // If it was the last part, `rest` was never announced. It stays in the outbox and goes into the next edition.
  const parked = finish(ledger, edition.destination, part, { at: now, how: 'parked', why });
  return { ledger: change(parked, id, (one) => advanced(one, now)), lost: part, nextAt: now };
}

/** Removes postings from a destination's outbox before they are in an edition. */
export function skip(
  ledger: Ledger,
  destination: string,
  keys: readonly string[],
  how: 'elsewhere' | 'dropped',
  now: number,
  why?: string,
): Ledger {
  return finish(ledger, destination, keys, { at: now, how, ...defined({ why: why || undefined }) });
}
