// What a database must offer to the stores: one table (a Keyv with its own store object) for each kind of record, and the
// atomic steps that Keyv does not have. All code above this layer is the same for every database.

import type { LaneStore, Plan, StateChange, Turn } from '../ports/lanes.js';

/**
 * Each table has its own Keyv and store object. Two Keyvs on one store object would share the namespace that was set
 * last, and clearing one would empty the other.
 */
export const KV_TABLES = [
  'accounts',
  'subscriptions',
  'lookups',
  'ledgers',
  'owed',
  'seen',
  'outcomes',
  'delivered',
  'polls',
  'rejections',
  'notices',
  'marks',
  'cache',
  'history',
  'misc',
  'meta',
] as const;

export type TableName = (typeof KV_TABLES)[number];

/** A stored entry: JSON with `expires` first (see sql-table.ts), in milliseconds since the epoch. */
export interface Entry {
  readonly expires?: number;
  readonly value: unknown;
}

/** Keys from `from` (or right after `after`) up to but not including `to`, in byte order. */
export interface KeyRange {
  readonly from?: string;
  readonly after?: string;
  readonly to?: string;
}

/** A row as it was read, with the version that a write of it must name. Without a row: no entry, version 0. */
export interface Versioned {
  readonly entry?: Entry;
  readonly version: number;
}

/** One table of entries. Every failure is a StoreError. */
export interface KvTable {
  readonly name: TableName;
  get(key: string): Promise<Entry | undefined>;
  read(key: string): Promise<Versioned>;
  /** Returns the rows that exist. */
  readMany(keys: readonly string[]): Promise<ReadonlyMap<string, Versioned>>;
  set(key: string, entry: Entry): Promise<void>;
  delete(key: string): Promise<void>;
  /** Writes the row if it still has this version (null: deletes it). Returns false when it has another version. */
  replace(key: string, version: number, entry: Entry | null): Promise<boolean>;
  /** Returns all keys that begin with a prefix. Meant for few: they are not read in pages. */
  keysUnder(prefix: string): Promise<readonly string[]>;
  /** Returns one page in key order: keys with the stored text. */
  page(range: KeyRange, limit: number): Promise<readonly (readonly [string, string])[]>;
  /** Deletes entries that expired before `now` in bounded steps, without loading values. Returns how many it deleted. */
  purge(now: number): Promise<number>;
}

export interface Fence {
  readonly lease: string;
  readonly fence: number;
}

/**
 * What a commit does to one row. `version`: the version the row must have now, 0 for no row; left out: any. `entry`: what
 * is written, null deletes; left out: only the version is checked. `ifAbsent`: a row that is there stays as it is; for a write
 * without `version`.
 */
export interface Write {
  readonly table: TableName;
  readonly key: string;
  readonly version?: number;
  readonly entry?: Entry | null;
  readonly ifAbsent?: boolean;
}

/**
 * Writes that belong together; each row is named once. `fence`: the commit fails unless the lease still has this fence.
 * `turn`: the commit fails unless the lane still has the turn's epoch.
 */
export interface Commit {
  readonly writes: readonly Write[];
  readonly fence?: Fence | undefined;
  readonly turn?: Turn | undefined;
  /** Units that become due with this commit. */
  readonly plans?: readonly Plan[];
  /** State that units keep from this commit on. */
  readonly states?: readonly StateChange[];
}

/** A lease as stored. `holder` is the holder's own JSON, empty when no process holds the lease. */
interface LeaseRow {
  readonly fence: number;
  readonly holder: string;
  readonly expired: boolean;
}

/** Each method is one atomic step of the database. Times are in milliseconds. */
export interface LeaseRows {
  /** Returns the new fence when the lease was free, expired or had the fence `dead`; otherwise undefined. */
  take(name: string, holder: string, ttlMs: number, dead?: number): Promise<number | undefined>;
  /** Extends the lease. Returns false when its fence or holder is another one now. `next`: the holder's new JSON. */
  renew(name: string, fence: number, holder: string, ttlMs: number, next?: string): Promise<boolean>;
  read(name: string): Promise<LeaseRow | undefined>;
  release(name: string, fence: number, holder: string): Promise<void>;
  /** Returns the leases that have not expired. */
  list(): Promise<readonly (LeaseRow & { readonly name: string })[]>;
  /** Deletes expired leases whose name contains a colon. Only one process ever takes such a name. */
  purge(): Promise<void>;
}

export interface Backend {
  readonly kind: 'sqlite' | 'postgres';
  readonly kvTables: Readonly<Record<TableName, KvTable>>;
  readonly leases: LeaseRows;
  readonly lanes: LaneStore;
  /**
   * Writes everything or nothing; durable once it resolves to true. Returns false when a row had another version. Throws
   * a StoreError `lost` when the lease has another fence, `taken` when the turn was taken over, and another StoreError
   * when the database fails.
   */
  commit(one: Commit): Promise<boolean>;
  /** Adds the columns that stores of earlier versions lack: row versions and unit state. */
  addColumns(): Promise<void>;
  /** Drops what only earlier versions use. The store is copied before this runs. */
  dropFormer(): Promise<void>;
  /** Tests a write without leaving anything behind. Throws a StoreError when a write would fail. */
  tryWrite(): Promise<void>;
  /** Named copies of the whole store, kept beside it as files or tables. A copy is either complete or not there. */
  readonly copies?: {
    has(name: string): Promise<boolean>;
    /** Makes a copy without the row of `meta` whose key is `without`. Returns where the copy is, as text for the user. */
    make(name: string, without: string): Promise<string>;
  };
  /** Overwrites deleted data, for databases in a file that would otherwise still contain it. */
  wipe?(): Promise<void>;
  close(): Promise<void>;
}
