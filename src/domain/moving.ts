// What happens to what is owed when the destinations of a subscription change: it moves along. The ledger knows which
// destinations it was last written for, so this holds wherever the change was made, and also when nobody ran meanwhile.
// Pure functions from a ledger to the next one.
import { finish, type Ledger, type Owed, pending } from './ledger.js';
import { withdraw } from './outbox.js';

/** Destination ids a ledger holds anything of. */
function mentioned(ledger: Ledger): ReadonlySet<string> {
  return new Set([
    ...(ledger.places ?? []),
    ...Object.keys(ledger.lastEdition),
    ...Object.keys(ledger.parked),
    ...ledger.editions.map((edition) => edition.destination),
    ...ledger.outbox.flatMap((owed) => owed.to),
  ]);
}

/** Outcomes that {@link withDestinations} has to know: of what is owed to a destination that is gone, at those that are there. */
export function wantedToMove(
  ledger: Ledger,
  destinations: readonly string[],
): { readonly outcomes?: { readonly keys: readonly string[]; readonly destinations: readonly string[] } } {
  const gone = [...mentioned(ledger)].filter((id) => !destinations.includes(id));
  const keys = ledger.outbox.filter((owed) => owed.to.some((id) => gone.includes(id)));
  return keys.length === 0
    ? {}
    : { outcomes: { keys: keys.map(({ posting }) => posting.key), destinations } };
}

/**
 * The ledger for the destinations the subscription has now, in their order. What one that is gone was owed moves to the
 * one that took its place: the new one at the same position, else the next new one. Where nothing new came, the
 * destination was taken off, and what it was owed is dropped.
 */
export function withDestinations(ledger: Ledger, destinations: readonly string[], now: number): Ledger {
  const known = mentioned(ledger);
  const gone = [...known].filter((id) => !destinations.includes(id));
  const isNoted = ledger.places?.join() === destinations.join();
  if (gone.length === 0 && isNoted) return ledger;
  const added = destinations.filter((id) => !known.has(id));
  let next: Ledger = { ...ledger, places: destinations };
  for (const [index, id] of gone.entries()) {
    const here = destinations[ledger.places?.indexOf(id) ?? -1];
    const to = here !== undefined && added.includes(here) ? here : (added[index] ?? added.at(-1));
    next = without(to === undefined ? dropped(next, id, now) : moved(next, id, to, now), id);
  }
  return next;
}

/** Forgets what is remembered of a destination: editions that are not through, and why it is parked. */
function without(ledger: Ledger, id: string): Ledger {
  const { [id]: _parked, ...parked } = ledger.parked;
  const { [id]: _last, ...lastEdition } = ledger.lastEdition;
  const editions = ledger.editions.filter((edition) => edition.destination !== id);
  return { ...ledger, editions, parked, lastEdition };
}

function keysOwed(ledger: Ledger, id: string): string[] {
  return ledger.outbox.filter((owed) => owed.to.includes(id)).map((owed) => owed.posting.key);
}

function dropped(ledger: Ledger, id: string, now: number): Ledger {
  return finish(ledger, id, keysOwed(ledger, id), { at: now, how: 'dropped', why: 'destination removed' });
}

/**
 * Owes to `to` what was owed to `from`. Editions that are not through are put together anew there, for another place
 * has other limits and another rhythm; of one whose answer is still out, the old place never gets another attempt.
 */
function moved(ledger: Ledger, from: string, to: string, now: number): Ledger {
  const keys = new Set(keysOwed(ledger, from));
  const isThere = (key: string) => {
    const how = ledger.done[key]?.[to]?.how;
    return how === 'sent' || how === 'more' || how === 'elsewhere';
  };
  const done = { ...ledger.done };
  for (const key of keys) {
    const there = isThere(key) ? done[key]?.[to] : undefined;
    done[key] = { ...done[key], [to]: there, [from]: { at: now, how: 'moved', to } };
  }
  const readdress = (owed: Owed): Owed => {
    const others = owed.to.filter((id) => id !== from && id !== to);
    const isOwed = owed.to.includes(to) || !isThere(owed.posting.key);
    return { ...owed, to: isOwed ? [...others, to] : others };
  };
  const last = ledger.lastEdition[to] ?? ledger.lastEdition[from];
  return {
    ...ledger,
    done,
    outbox: ledger.outbox
      .map((owed) => (keys.has(owed.posting.key) ? readdress(owed) : owed))
      .filter((owed) => owed.to.length > 0),
    lastEdition: last === undefined ? ledger.lastEdition : { ...ledger.lastEdition, [to]: last },
  };
}

/** When what a destination is owed came to it by a move; undefined for what was owed to it all along. `done`: of the posting. */
export function movedHere(
  done: Ledger['done'][string] | undefined,
  destination: string,
): { readonly at: number } | undefined {
  return Object.values(done ?? {}).find((one) => one?.how === 'moved' && one.to === destination);
}

/**
 * A message that was on its way as its destination was moved has arrived at the old place after all. Its postings are
 * done there, and are not sent to the new place as well, unless an attempt at that began already.
 */
export function arrivedBeforeMove(
  ledger: Ledger,
  from: string,
  keys: readonly string[],
  now: number,
): Ledger {
  let next = ledger;
  for (const key of keys) {
    const note = next.done[key]?.[from];
    if (note?.how !== 'moved' || note.to === undefined) continue;
    const to = note.to;
    next = finish(next, from, [key], { at: now, how: 'sent' });
    if (pending(next, to).some((owed) => owed.posting.key === key))
      next = finish(next, to, [key], { at: now, how: 'elsewhere' });
    for (const edition of next.editions)
      if (edition.destination === to) next = withdraw(next, edition.id, new Set([key]), now);
  }
  return next;
}
