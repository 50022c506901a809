// Moves every stored secret to the first key. Row by row and each row in one step, so it can be interrupted at any
// point and started again, and a service that writes meanwhile (with the same keys) loses nothing.
import type { ShelfName } from './backend.js';
import type { OpenStores } from './index.js';
import { reseal } from './reseal.js';
import { readEntry, writeEntry } from './sql-shelf.js';

/** Counts of secrets. `unreadable` need a key that is not at hand, or were moved; they stay as they are. */
export interface Rotation {
  readonly rotated: number;
  readonly current: number;
  readonly unreadable: number;
}

/** Shelves with sealed values. The others are not read: ledgers are many and large. */
const SEALED: readonly ShelfName[] = ['accounts', 'subscriptions', 'history', 'misc'];
const PAGE = 50;
const TRIES = 5;

/** For `keys rotate`. Fails with a StoreError; what was done by then stays done. */
export async function rotateKeys({
  backend,
  sealer,
}: Pick<OpenStores, 'backend' | 'sealer'>): Promise<Rotation> {
  const total = { rotated: 0, current: 0, unreadable: 0 };

  async function rotateRow(name: ShelfName, key: string, found: string): Promise<void> {
    let text: string | undefined = found;
    for (let tries = 0; tries < TRIES && text !== undefined; tries++) {
      const entry = readEntry(text);
      const { value, rotated, current, unreadable } = reseal(entry.value, name, key, sealer);
      if (rotated === 0 || (await backend.shelves[name].swap(key, text, writeEntry({ ...entry, value })))) {
        total.rotated += rotated;
        total.current += current;
        total.unreadable += unreadable;
        return;
      }
      // Somebody wrote it in between: theirs counts, and is looked at again.
      const [again] = await backend.shelves[name].page({ from: key }, 1);
      text = again?.[0] === key ? again[1] : undefined;
    }
  }

  for (const name of SEALED) {
    let after: string | undefined;
    for (;;) {
      const rows = await backend.shelves[name].page(after === undefined ? {} : { after }, PAGE);
      // Most rows of the history hold no secret.
      for (const [key, text] of rows) if (text.includes('"kid":')) await rotateRow(name, key, text);
      if (rows.length < PAGE) break;
      after = rows.at(-1)?.[0];
    }
  }
  return total;
}
