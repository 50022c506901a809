// Reads STORE_URL. The address may hold a password, so no message repeats it.
import { resolve } from 'node:path';
import { throwFaults, UserError } from '../domain/errors.js';
import { type PostgresAddress, readPostgresUrl, tlsOf } from './postgres-url.js';

export type StoreUrl =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly address: PostgresAddress };

/**
 * Parses `sqlite://relative/to/cwd`, `sqlite:///absolute` or `postgres://…`, see {@link readPostgresUrl}. `name`: the
 * setting or option that contained it. Throws a {@link UserError} (exit 2) with all faults for anything else.
 */
export function parseStoreUrl(url: string, name = 'STORE_URL'): StoreUrl {
  const scheme = /^([a-z]+):\/\//iu.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'sqlite') {
    const path = url.slice('sqlite://'.length);
    if (path === '' || path === ':memory:')
      throw new UserError(`${name}: wanted a file, for example sqlite://data/jobcrier.sqlite.`, 2);
    return { kind: 'sqlite', file: resolve(path) };
  }
  if (scheme !== 'postgres' && scheme !== 'postgresql')
    throw new UserError(`${name}: wanted an address that starts with sqlite:// or postgres://.`, 2);
  const read = readPostgresUrl(url);
  if ('faults' in read) throwFaults(read.faults.map((fault) => `${name}: ${fault}`));
  return { kind: 'postgres', address: (read as { address: PostgresAddress }).address };
}

/** Returns the faults of files that a PostgreSQL address names, as sentences without the name of the setting. */
export function storeFileFaults(url: string): readonly string[] {
  if (!/^postgres/iu.test(url)) return [];
  const read = readPostgresUrl(url);
  return 'address' in read ? tlsOf(read.address.ssl).faults : [];
}

/** Returns true for a Redis address, which was a store in version 0.1. */
export function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//iu.test(url);
}

/**
 * Returns the same text for two addresses of one store, as far as the addresses show it: without user name (unless it
 * names the database), password and connection settings.
 */
export function placeOfStore(url: string): string {
  if (isRedisUrl(url)) {
    const { host, pathname } = new URL(url);
    return `redis ${host} ${pathname.slice(1) || '0'}`;
  }
  const where = parseStoreUrl(url);
  if (where.kind === 'sqlite') return `sqlite ${where.file}`;
  const { hosts, database, user } = where.address;
  const servers = hosts.map(({ host, port }) => `${host}:${port}`).sort();
  return `postgres ${servers.join()} ${database ?? user ?? ''}`;
}
