import type { Ledger } from '../../src/domain/ledger.js';
import type { ChangeOf, LedgerStore } from '../../src/ports/stores.js';

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
