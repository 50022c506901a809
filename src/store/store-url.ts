// Reads STORE_URL. The address may hold a password, so no message repeats it.
import { resolve } from 'node:path';
import { throwFaults, UserError } from '../domain/errors.js';
import { type PostgresAddress, readPostgresUrl, tlsOf } from './postgres-url.js';

export type StoreUrl =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly address: PostgresAddress };

/**
 * `sqlite://relative/to/cwd`, `sqlite:///absolute` or `postgres://…`, see {@link readPostgresUrl}.
 * Throws a {@link UserError} (exit 2) for anything else, with all its faults.
 */
export function parseStoreUrl(url: string): StoreUrl {
  const scheme = /^([a-z]+):\/\//iu.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'sqlite') {
    const path = url.slice('sqlite://'.length);
    if (path === '' || path === ':memory:')
      throw new UserError('STORE_URL: wanted a file, for example sqlite://data/jobcrier.sqlite.', 2);
    return { kind: 'sqlite', file: resolve(path) };
  }
  if (scheme !== 'postgres' && scheme !== 'postgresql')
    throw new UserError('STORE_URL: wanted an address that starts with sqlite:// or postgres://.', 2);
  const read = readPostgresUrl(url);
  if ('faults' in read) throwFaults(read.faults.map((fault) => `STORE_URL: ${fault}`));
  return { kind: 'postgres', address: (read as { address: PostgresAddress }).address };
}

/** Faults of the files that a PostgreSQL address names: sentences without the name of the setting. */
export function storeFileFaults(url: string): readonly string[] {
  if (!/^postgres/iu.test(url)) return [];
  const read = readPostgresUrl(url);
  return 'address' in read ? tlsOf(read.address.ssl).faults : [];
}
