import type { Ledger } from '../../src/domain/ledger.js';
import { countMatches } from '../../src/domain/match-counts.js';
import type { ArchivedPosting, ChangeOf, Found, LedgerStore } from '../../src/ports/stores.js';

/** Stores a record and replaces any former one: the starting state of a test. */
export async function put<T extends { readonly id: string }>(
  store: { update(id: string, change: ChangeOf<T>): Promise<unknown> },
  record: NoInfer<T>,
): Promise<void> {
  await store.update(record.id, () => record);
}

/** Stores a ledger, or parts of it; what was seen before stays. */
export async function putLedger(ledgers: LedgerStore, id: string, ledger: Partial<Ledger>): Promise<void> {
  const opened = await ledgers.open(id, () => ({ all: true }));
  if (!(await opened.commit({ ...opened.ledger, ...ledger }))) await putLedger(ledgers, id, ledger);
}

/** Counts what matched a subscription, as a poll at `now` does. */
export async function putMatches(
  ledgers: LedgerStore,
  id: string,
  poll: Parameters<typeof countMatches>[1],
): Promise<void> {
  const opened = await ledgers.open(id);
  const matches = countMatches(opened.ledger.matches, poll);
  if (!(await opened.commit({ ...opened.ledger, matches }))) await putMatches(ledgers, id, poll);
}

/** Archives postings as if polls had found them: those of a subscription at the same time together. */
export async function putFound(
  ledgers: LedgerStore,
  account: string,
  postings: readonly ArchivedPosting[],
): Promise<void> {
  let left = postings;
  for (let [first] = left; first; [first] = left) {
    const { subscription, at } = first;
    const isSame = (one: ArchivedPosting) => one.subscription === subscription && one.at === at;
    const together = left.filter(isSame).map(({ posting }) => posting);
    await putPoll(ledgers, subscription, { account, at, postings: together });
    left = left.filter((one) => !isSame(one));
  }
}

/** Archives what one poll found. */
export async function putPoll(ledgers: LedgerStore, id: string, found: Found): Promise<void> {
  const opened = await ledgers.open(id);
  if (!(await opened.commit({ ...opened.ledger }, { found }))) await putPoll(ledgers, id, found);
}
