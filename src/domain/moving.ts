// Moves what is waiting to be sent when the destinations of a subscription change. The ledger knows the destinations
// it was last written for, so this works wherever the change was made, even while no process ran. Pure functions from
// a ledger to the next one.
import { waitingIn } from './backlog.js';
import { finish, type Ledger, type Owed, pending } from './ledger.js';
import { withdraw } from './outbox.js';

/** Calls `use` with the id of every destination that the ledger has data about, possibly several times. */
function eachMentioned(ledger: Ledger, use: (id: string) => void): void {
  ledger.places?.forEach(use);
  for (const id in ledger.lastEdition) use(id);
  for (const id in ledger.parked) use(id);
  for (const { destination } of ledger.editions) use(destination);
  for (const { to } of ledger.outbox) to.forEach(use);
  for (const { destination } of ledger.unread?.places ?? []) use(destination);
}

/** Ids of the destinations that the ledger has data about and that are not among these. Mostly there are none. */
function goneFrom(ledger: Ledger, destinations: readonly string[]): ReadonlySet<string> {
  const gone = new Set<string>();
  eachMentioned(ledger, (id) => {
    if (!destinations.includes(id)) gone.add(id);
  });
  return gone;
}

/**
 * The outcomes that {@link withDestinations} needs: those of the postings that wait, at the current destinations, if a
 * destination was removed.
 */
export function wantedToMove(
  ledger: Ledger,
  destinations: readonly string[],
): { readonly outcomes?: { readonly keys: 'owed'; readonly destinations: readonly string[] } } {
  const isMoved = goneFrom(ledger, destinations).size > 0;
  return isMoved && waitingIn(ledger) ? { outcomes: { keys: 'owed', destinations } } : {};
}

/**
 * Returns the ledger for the subscription's current destinations, in their order. What was waiting for a removed
 * destination moves to the one that replaced it: the new one at the same position, otherwise the next new one. If
 * there is no new destination, what was waiting is dropped.
 */
export function withDestinations(ledger: Ledger, destinations: readonly string[], now: number): Ledger {
  const gone = goneFrom(ledger, destinations);
  const isNoted = ledger.places?.join() === destinations.join();
  if (gone.size === 0 && isNoted) return ledger;
  const known = new Set<string>();
  eachMentioned(ledger, (id) => known.add(id));
  const added = destinations.filter((id) => !known.has(id));
  let next: Ledger = { ...ledger, places: destinations };
  for (const [index, id] of [...gone].entries()) {
    const here = destinations[ledger.places?.indexOf(id) ?? -1];
    const to = here !== undefined && added.includes(here) ? here : (added[index] ?? added.at(-1));
    next = without(to === undefined ? dropped(next, id, now) : moved(next, id, to, now), id);
  }
  return next;
}

/**
 * Removes the data about a destination: its unfinished editions, why it is parked and when it had its last edition.
 */
function without(ledger: Ledger, id: string): Ledger {
  const { [id]: _parked, ...parked } = ledger.parked;
  const { [id]: _last, ...lastEdition } = ledger.lastEdition;
  const { [id]: _today, ...today } = ledger.today ?? {};
  const editions = ledger.editions.filter((edition) => edition.destination !== id);
  return { ...ledger, editions, parked, lastEdition, ...(ledger.today ? { today } : {}) };
}

function keysOwed(ledger: Ledger, id: string): string[] {
  return ledger.outbox.filter((owed) => owed.to.includes(id)).map((owed) => owed.posting.key);
}

function dropped(ledger: Ledger, id: string, now: number): Ledger {
  return finish(ledger, id, keysOwed(ledger, id), { at: now, how: 'dropped', why: 'destination removed' });
}

/**
 * Moves the outbox of `from` to `to`. Unfinished editions are cut again for `to`, which has other limits and another
 * cadence. If an attempt of such an edition has no answer yet, `from` never gets another attempt.
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

/**
 * Returns when a posting was moved to a destination; undefined if it was not moved there. `done`: the outcomes of the
 * posting.
 */
export function movedHere(
  done: Ledger['done'][string] | undefined,
  destination: string,
): { readonly at: number } | undefined {
  return Object.values(done ?? {}).find((one) => one?.how === 'moved' && one.to === destination);
}

/**
 * A message that was being sent while its destination was moved has arrived at the old destination. Its postings are
 * done there. They are not sent to the new destination as well, unless an attempt there has already started.
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
