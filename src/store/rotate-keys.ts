// Encrypts every stored secret with the first key. Each row is one step, so you can interrupt the rotation at any point
// and start it again. A service that writes meanwhile (with the same keys) loses nothing.
import type { TableName } from './backend.js';
import type { OpenStores } from './index.js';
import { reseal } from './reseal.js';

/** Counts of secrets. `unreadable`: their key is not available, or they were changed or moved; they stay as they are. */
export interface Rotation {
  readonly rotated: number;
  readonly current: number;
  readonly unreadable: number;
}

/** Tables with sealed values. The others are not read, because there are many large ledgers. */
const SEALED: readonly TableName[] = ['accounts', 'subscriptions', 'history', 'misc'];
const PAGE = 50;

/** Rotates all secrets, for `keys rotate`. Throws a StoreError; rows that are already rotated stay rotated. */
export async function rotateKeys({
  backend,
  sealer,
}: Pick<OpenStores, 'backend' | 'sealer'>): Promise<Rotation> {
  const total = { rotated: 0, current: 0, unreadable: 0 };

  async function rotateRow(table: TableName, key: string): Promise<void> {
    for (;;) {
      const { entry, version } = await backend.kvTables[table].read(key);
      if (!entry) return;
      const { value, rotated, current, unreadable } = reseal(entry.value, table, key, sealer);
      const isDone =
        rotated === 0 || (await backend.kvTables[table].replace(key, version, { ...entry, value }));
      // Another writer was faster, so read its value and try again.
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
      // Most rows of the history contain no secret.
      for (const [key, text] of rows) if (text.includes('"kid":')) await rotateRow(name, key);
      if (rows.length < PAGE) break;
      after = rows.at(-1)?.[0];
    }
  }
  return total;
}
