// Moves every stored secret to the first key. Row by row and each row in one step, so it can be interrupted at any
// point and started again, and a service that writes meanwhile (with the same keys) loses nothing.
import type { TableName } from './backend.js';
import type { OpenStores } from './index.js';
import { reseal } from './reseal.js';

/** Counts of secrets. `unreadable` need a key that is not at hand, or were moved; they stay as they are. */
export interface Rotation {
  readonly rotated: number;
  readonly current: number;
  readonly unreadable: number;
}

/** Tables with sealed values. The others are not read: ledgers are many and large. */
const SEALED: readonly TableName[] = ['accounts', 'subscriptions', 'history', 'misc'];
const PAGE = 50;
const TRIES = 5;

/** For `keys rotate`. Fails with a StoreError; what was done by then stays done. */
export async function rotateKeys({
  backend,
  sealer,
}: Pick<OpenStores, 'backend' | 'sealer'>): Promise<Rotation> {
  const total = { rotated: 0, current: 0, unreadable: 0 };

  async function rotateRow(table: TableName, key: string): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const { entry, version } = await backend.kvTables[table].read(key);
      if (!entry) return;
      const { value, rotated, current, unreadable } = reseal(entry.value, table, key, sealer);
      const isDone =
        rotated === 0 || (await backend.kvTables[table].replace(key, version, { ...entry, value }));
      // If another writer was faster, what it wrote is looked at.
      if (!isDone) continue;
      total.rotated += rotated;
      total.current += current;
      total.unreadable += unreadable;
      return;
    }
  }

  for (const name of SEALED) {
    let after: string | undefined;
    for (;;) {
      const rows = await backend.kvTables[name].page(after === undefined ? {} : { after }, PAGE);
      // Most rows of the history hold no secret.
      for (const [key, text] of rows) if (text.includes('"kid":')) await rotateRow(name, key);
      if (rows.length < PAGE) break;
      after = rows.at(-1)?.[0];
    }
  }
  return total;
}
