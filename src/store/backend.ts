// What a database must offer beneath the stores: one table (a Keyv with a store object of its own) per kind of
// record, and the atomic steps Keyv has no word for. Everything above this line is the same for every database.

import type { LaneStore, Plan, StateChange, Turn } from '../ports/lanes.js';

/**
 * One Keyv and one store object each: two Keyvs on one store object share the namespace set last, and clearing
 * one would empty the other.
 */
export const KV_TABLES = [
  'accounts',
  'subscriptions',
  'lookups',
  'ledgers',
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

/** What is written, as JSON with `expires` first (see sql-table.ts). Milliseconds since the epoch. */
export interface Entry {
  readonly expires?: number;
  readonly value: unknown;
}

/** Keys from `from` (or right after `after`) up to but without `to`, in byte order. */
export interface KeyRange {
  readonly from?: string;
  readonly after?: string;
  readonly to?: string;
}

/** A row as it was read, with the version a write of it has to name. Without a row: no entry, version 0. */
export interface Versioned {
  readonly entry?: Entry;
  readonly version: number;
}

/** One table of entries. Every failure is a StoreError. */
export interface KvTable {
  readonly name: TableName;
  get(key: string): Promise<Entry | undefined>;
  read(key: string): Promise<Versioned>;
  /** Those of the rows that are there. */
  readMany(keys: readonly string[]): Promise<ReadonlyMap<string, Versioned>>;
  set(key: string, entry: Entry): Promise<void>;
  delete(key: string): Promise<void>;
  /** Writes (null: deletes) the row if it still has this version; false when it has another one. */
  replace(key: string, version: number, entry: Entry | null): Promise<boolean>;
  /** One page in key order: keys with the stored text. */
  page(range: KeyRange, limit: number): Promise<readonly (readonly [string, string])[]>;
  /** Deletes what expired before `now` in bounded steps, without loading values; the number deleted. */
  purge(now: number): Promise<number>;
}

export interface Fence {
  readonly lease: string;
  readonly fence: number;
}

/**
 * What a commit does to one row. `version`: what the row must have now for the commit to count, 0 for no row; left out:
 * whatever is there. `entry`: what is written, null deletes; left out: the version is checked and nothing is written.
 */
export interface Write {
  readonly table: TableName;
  readonly key: string;
  readonly version?: number;
  readonly entry?: Entry | null;
}

/**
 * Writes that belong together, each row named once. `fence`: they only count while the lease still has it. `turn`: they only
 * count while the lane still has its epoch.
 */
export interface Commit {
  readonly writes: readonly Write[];
  readonly fence?: Fence | undefined;
  readonly turn?: Turn | undefined;
  /** Units that are due because of it. */
  readonly plans?: readonly Plan[];
  /** What units keep from now on because of it. */
  readonly states?: readonly StateChange[];
}

/** A lease as stored. `holder` is the holder's own JSON, empty when nobody holds it. */
interface LeaseRow {
  readonly fence: number;
  readonly holder: string;
  readonly expired: boolean;
}

/** Each of these is one atomic step of the database. Times in milliseconds. */
export interface LeaseRows {
  /** The new fence, when the lease was free, expired, or had the fence `dead`; undefined otherwise. */
  take(name: string, holder: string, ttlMs: number, dead?: number): Promise<number | undefined>;
  /** Extends; false when it has another fence or holder by now. `next`: what it says of the holder from now on. */
  renew(name: string, fence: number, holder: string, ttlMs: number, next?: string): Promise<boolean>;
  read(name: string): Promise<LeaseRow | undefined>;
  release(name: string, fence: number, holder: string): Promise<void>;
  /** Those that have not expired. */
  list(): Promise<readonly (LeaseRow & { readonly name: string })[]>;
  /** Deletes what is expired of names with a colon: they are taken by one process and never again. */
  purge(): Promise<void>;
}

export interface Backend {
  readonly kind: 'sqlite' | 'postgres';
  readonly kvTables: Readonly<Record<TableName, KvTable>>;
  readonly leases: LeaseRows;
  readonly lanes: LaneStore;
  /**
   * Writes all of it or nothing; durable once it resolves to true. False when a version was not the present one. Throws a
   * StoreError `lost` when the fence is not the present one, `taken` when the turn is not, and another one when the
   * database fails.
   */
  commit(one: Commit): Promise<boolean>;
  /** Adds the columns that stores of former versions lack: versions of rows, and what units keep. */
  addColumns(): Promise<void>;
  /** Drops what only the former version could use. The copy of the store is made before. */
  dropFormer(): Promise<void>;
  /** Writes and takes it back, leaving nothing; fails with a StoreError where a write would. */
  tryWrite(): Promise<void>;
  /** Copies of the whole store beside it, by name: files, or tables. Each is whole or not there. */
  readonly copies?: {
    has(name: string): Promise<boolean>;
    /** `without`: the key of a row of `meta` that is left out. Where the copy is, for a person. */
    make(name: string, without: string): Promise<string>;
  };
  /** Overwrites what was deleted, where the database is a file that would go on holding it. */
  wipe?(): Promise<void>;
  close(): Promise<void>;
}
