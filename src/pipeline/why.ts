// Answers "why did I (not) get this one?" from the ledger, which holds the fate of every key in its seen set. What the
// posting says about each rule comes from the archive of the account's postings.

import { nextEditionAt } from '../domain/cadence.js';
import { defined } from '../domain/defined.js';
import { answersOf } from '../domain/filter.js';
import type { Ledger } from '../domain/ledger.js';
import { movedHere } from '../domain/moving.js';
import { pendingDue } from '../domain/outbox.js';
import { keysMeant } from '../domain/posting.js';
import { openSeen } from '../domain/seen.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Explained } from '../ports/services.js';
import type { Stores } from '../ports/stores.js';

const DAY = 86_400_000;

/** Explains one posting of one subscription; `text` is a posting key, an id or a link. `now`: milliseconds since the epoch. */
export async function explain(
  { ledgers, history }: Pick<Stores, 'ledgers' | 'history'>,
  subscription: Subscription,
  text: string,
  now: number,
): Promise<Explained> {
  const keys = keysMeant(text.trim());
  const opened = await ledgers.open(subscription.id, () => ({ keys }));
  // A posting is known by several keys, and its link is only one of them. Its own key is usually another.
  const key = openSeen(opened.ledger.seen).find(keys);
  const seen = key === undefined ? undefined : opened.ledger.seen[key];
  if (key === undefined || !seen) return { key: text.trim(), fate: 'unseen', destinations: [] };
  const ledger = { ...opened.ledger, done: { [key]: await ledgers.outcomesOf(subscription.id, key) } };
  return {
    key,
    fate: seen.fate,
    at: seen.at,
    ...defined({ by: seen.by || undefined, rules: await rulesOf(history, subscription, key, seen.at) }),
    destinations: subscription.destinations.map((destination) => {
      const { sink, target } = destination;
      const moved = movedHere(ledger.done[key], destination.id);
      return {
        sink,
        target,
        ...stateOf(ledger, key, destination, now),
        ...defined({ movedAt: moved?.at }),
      };
    }),
  };
}

/** The answers of the filter as it is now, for the posting as it was when it was first seen. */
async function rulesOf(
  history: Stores['history'],
  { account, filter }: Subscription,
  key: string,
  at: number,
): Promise<Explained['rules']> {
  // It was archived on that day.
  const found = (await history.archived(account, 2, at + DAY)).find(({ posting }) => posting.key === key);
  const answers = found ? answersOf(filter, found.posting, found.at) : [];
  return answers.length > 0 ? answers : undefined;
}

type State = Omit<Explained['destinations'][number], 'sink' | 'target'>;

function stateOf(ledger: Ledger, key: string, destination: Destination, now: number): State {
  const { id, cadence } = destination;
  const done = ledger.done[key]?.[id];
  if (done) return { state: done.how, at: done.at, ...defined({ why: done.why || undefined }) };
  const owed = ledger.outbox.find((one) => one.posting.key === key && one.to.includes(id));
  if (!owed) return { state: 'none' };
  const parked = ledger.parked[id];
  if (parked) {
    const { at, why, fix } = parked;
    return { state: 'parked', at, why, ...defined({ fix: fix || undefined }) };
  }
  const edition = ledger.editions.find(
    (one) => one.destination === id && [...one.parts.slice(one.sent).flat(), ...one.rest].includes(key),
  );
  if (edition) {
    const { lastFault, attempts, cutAt, nextAt } = edition;
    const again = lastFault ? { why: lastFault, nextAt } : {};
    return { state: 'underway', at: cutAt, attempts, ...again };
  }
  if (cadence.every === 'immediate') {
    const due = pendingDue(ledger, destination, now);
    return { state: 'owed', ...defined({ nextAt: due !== undefined && due > now ? due : undefined }) };
  }
  return { state: 'owed', nextAt: nextEditionAt(cadence, Math.max(ledger.lastEdition[id] ?? 0, owed.at)) };
}
