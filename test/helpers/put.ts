import type { ChangeOf } from '../../src/ports/stores.js';

/** Stores a record as it is, whatever was there: what a test begins with. */
export async function put<T extends { readonly id: string }>(
  store: { update(id: string, change: ChangeOf<T>): Promise<unknown> },
  record: NoInfer<T>,
): Promise<void> {
  await store.update(record.id, () => record);
}
