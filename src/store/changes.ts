// Notes from one process to another: the command line wrote a record, the running service should read it again.
import { randomBytes } from 'node:crypto';
import type { Change, Changes } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Shelf } from './backend.js';
import { createTable } from './table.js';

const LIFE_MS = 10 * 60_000;
/** Notes are read again this far back: hosts' clocks differ, and a note may become visible after a later one. */
const OVERLAP_MS = 2 * 60_000;

/** Keys lead with the time, so what is new is one short range. Notes from before this call are not handed out. */
export async function openChanges(shelf: Shelf, clock: Clock): Promise<Changes> {
  const table = createTable<Change>(shelf, clock);
  const handed = new Map<string, number>();
  let newest = clock.now();

  async function* recent(): AsyncIterable<readonly [string, Change]> {
    for await (const [key, change] of table.range({ from: stamp(newest - OVERLAP_MS) }))
      if (!handed.has(key)) {
        const at = Number(key.slice(0, 15));
        handed.set(key, at);
        newest = Math.max(newest, at);
        yield [key, change] as const;
      }
  }

  for await (const _old of recent());

  return {
    async announce(change) {
      await table.set(`${stamp(clock.now())}-${randomBytes(6).toString('hex')}`, change, LIFE_MS);
    },
    async forget({ kind, id }) {
      for await (const [key, change] of table.entries())
        if (change.kind === kind && change.id === id) await table.delete(key);
    },
    async fresh() {
      const changes = new Map<string, Change>();
      for await (const [, change] of recent()) changes.set(`${change.kind}\n${change.id}`, change);
      for (const [key, at] of handed) if (at < newest - OVERLAP_MS) handed.delete(key);
      return [...changes.values()];
    },
  };
}

function stamp(at: number): string {
  return String(Math.max(0, Math.trunc(at))).padStart(15, '0');
}
