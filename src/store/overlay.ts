// A store to look at: what is read comes from the database, what is written stays in memory and ends with the process.
// So a command that only looks changes nothing by the way it is built, and one without a store leaves none behind.
import { type Backend, type Entry, type LeaseRows, SHELVES, type Shelf, type ShelfName } from './backend.js';
import { readEntry, writeEntry } from './sql-shelf.js';

/** Over `base`, which it closes; over nothing it is an empty store. Leases are taken in `base`, where there is one. */
export function createOverlay(base?: Backend): Backend {
  const shelves = Object.fromEntries(SHELVES.map((name) => [name, overlayShelf(name, base?.shelves[name])]));
  return {
    kind: base?.kind ?? 'sqlite',
    shelves: shelves as Record<ShelfName, Shelf>,
    leases: base?.leases ?? OWN_LEASES,
    tryWrite: async () => base?.tryWrite(),
    close: async () => base?.close(),
  };
}

/** Nobody else can see this store. */
const OWN_LEASES: LeaseRows = {
  take: async () => 1,
  renew: async () => true,
  read: async () => undefined,
  release: async () => undefined,
};

function overlayShelf(name: ShelfName, base: Shelf | undefined): Shelf {
  /** Stored texts by key; undefined: deleted here. */
  const written = new Map<string, string | undefined>();

  async function get(key: string): Promise<Entry | undefined> {
    if (!written.has(key)) return base?.get(key);
    const text = written.get(key);
    return text === undefined ? undefined : readEntry(text);
  }

  async function set(key: string, entry: Entry): Promise<void> {
    written.set(key, writeEntry(entry));
  }

  /** Up to `limit` rows of the database that were not written to here. */
  async function unchanged(range: Parameters<Shelf['page']>[0], limit: number) {
    const rows: (readonly [string, string])[] = [];
    for (let next = range; base && rows.length < limit; ) {
      const page = await base.page(next, limit);
      rows.push(...page.filter(([key]) => !written.has(key)));
      const last = page.at(-1);
      if (!last || page.length < limit) break;
      next = { after: last[0], ...(range.to === undefined ? {} : { to: range.to }) };
    }
    return rows;
  }

  return {
    name,
    get,
    set,
    async setFenced(key, entry) {
      await set(key, entry);
      return true;
    },
    async delete(key) {
      written.set(key, undefined);
    },
    async page(range, limit) {
      const { from, after, to } = range;
      const mine = [...written].flatMap(([key, text]) =>
        text !== undefined &&
        (from === undefined || byBytes(key, from) >= 0) &&
        (after === undefined || byBytes(key, after) > 0) &&
        (to === undefined || byBytes(key, to) < 0)
          ? [[key, text] as const]
          : [],
      );
      const rows = [...(await unchanged(range, limit)), ...mine];
      return rows.sort(([a], [b]) => byBytes(a, b)).slice(0, limit);
    },
    async swap(key, before, after) {
      const entry = await get(key);
      if (entry === undefined || writeEntry(entry) !== before) return false;
      written.set(key, after);
      return true;
    },
    purge: async () => 0,
  };
}

/** As the databases compare keys. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
