// Moves secrets to the first key. Every envelope in a stored value is found by its shape, and the path to it gives its
// place, so a new sealed field in a record needs no change here.
import { isEnvelope, type Sealer } from './sealing.js';

/** Counts of envelopes. */
export interface Resealed {
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
export function reseal(value: unknown, table: string, record: string, sealer: Sealer): Resealed {
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
