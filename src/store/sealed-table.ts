// A table whose values are sealed completely, because the data that adapters keep may name people.
import type { Table } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { KvTable } from './backend.js';
import { isEnvelope, type Sealer } from './sealing.js';
import { createTable } from './table.js';

/** Values read as absent when their key is missing or they were moved. */
export function createSealedTable(table: KvTable, clock: Clock, sealer: Sealer): Table<unknown> {
  const at = (record: string) => ({ table: table.name, record, field: '' });
  return createTable<unknown>(table, clock, {
    pack: (key, value) => sealer.seal(JSON.stringify(value), at(key)),
    unpack(key, stored) {
      const text = isEnvelope(stored) ? sealer.open(stored, at(key)) : undefined;
      return text === undefined ? undefined : JSON.parse(text);
    },
  });
}
