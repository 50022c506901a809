// Answers "why did I (not) get this one?" from the ledger alone: it holds the fate of every key it has seen.
import type { Ledger } from '../domain/ledger.js';
import { keysMeant } from '../domain/posting.js';
import { openSeen, type Seen } from '../domain/seen.js';
import type { Subscription } from '../domain/subscription.js';
import type { Explained } from '../ports/desk.js';

/** Explains one posting of one subscription; `text` is a posting key, an id or a link. */
export function explain(subscription: Subscription, ledger: Ledger, text: string): Explained {
  // A link is but one of the ways a posting was known by: its key is mostly another.
  const key = openSeen(ledger.seen).find(keysMeant(text.trim()));
  const seen = key === undefined ? undefined : ledger.seen[key];
  if (key === undefined || !seen) return { key: text.trim(), fate: 'unseen', destinations: [] };
  return {
    key,
    fate: seen.fate,
    at: seen.at,
    ...(seen.by ? { by: seen.by } : {}),
    destinations: subscription.destinations.map(({ id, sink, target }) => ({
      sink,
      target,
      ...stateOf(ledger, key, seen, id),
    })),
  };
}

type State = Omit<Explained['destinations'][number], 'sink' | 'target'>;

function stateOf(ledger: Ledger, key: string, seen: Seen, destination: string): State {
  const done = seen.done?.[destination];
  if (done) return { state: done.how, at: done.at, ...(done.why ? { why: done.why } : {}) };
  const owed = ledger.outbox.some((one) => one.posting.key === key && one.to.includes(destination));
  if (!owed) return { state: 'none' };
  const parked = ledger.parked[destination];
  if (parked) {
    const { at, why, mend } = parked;
    return { state: 'parked', at, why, ...(mend ? { mend } : {}) };
  }
  const edition = ledger.editions.find(
    (one) => one.destination === destination && one.parts.flat().includes(key),
  );
  if (!edition) return { state: 'owed' };
  const { lastFault, attempts } = edition;
  return { state: 'underway', at: edition.cutAt, attempts, ...(lastFault ? { why: lastFault } : {}) };
}
