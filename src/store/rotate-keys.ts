// Encrypts every stored secret with the first key. Each row is one step, so you can interrupt the rotation at any point
// and start it again. A service that writes meanwhile (with the same keys) loses nothing.
import type { TableName } from './backend.js';
import type { OpenStores } from './index.js';
import { pagesOf } from './pages.js';
import { isEnvelope, type Sealer } from './sealing.js';

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

  // Most rows of the history contain no secret.
  for (const name of SEALED)
    for await (const rows of pagesOf(backend.kvTables[name], {}, PAGE))
      for (const [key, text] of rows) if (text.includes('"kid":')) await rotateRow(name, key);
  return total;
}

// Moves secrets to the first key. Every envelope in a stored value is found by its shape, and the path to it gives its
// place, so a new sealed field in a record needs no change here.

/** Counts of envelopes. */
interface Resealed {
  readonly value: unknown;
  readonly rotated: number;
  readonly unreadable: number;
  readonly current: number;
}

/**
 * Returns the value with its envelopes sealed with the first key; those that can't be opened stay as they are. A path
 * names object fields and, for list entries, their `id`: `email.address`, `destinations.<id>.target`. The stores seal
 * with the same names.
 */
function reseal(value: unknown, table: string, record: string, sealer: Sealer): Resealed {
  const counts = { rotated: 0, unreadable: 0, current: 0 };

  function visit(node: unknown, path: string): unknown {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node))
      return node.map((child, index) => visit(child, join(path, child?.id ?? String(index))));
    if (!isEnvelope(node))
      return Object.fromEntries(
        Object.entries(node).map(([name, child]) => [name, visit(child, join(path, name))]),
      );
    if (sealer.isCurrent(node)) {
      counts.current++;
      return node;
    }
    const place = { table, record, field: path };
    const text = sealer.open(node, place);
    if (text === undefined) {
      counts.unreadable++;
      return node;
    }
    counts.rotated++;
    return sealer.seal(text, place);
  }

  return { value: visit(value, ''), ...counts };
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
