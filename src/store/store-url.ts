// Reads STORE_URL. The address may hold a password, so no message repeats it.
import { resolve } from 'node:path';
import { UserError } from '../domain/errors.js';

export type StoreUrl =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/**
 * `sqlite://relative/to/cwd`, `sqlite:///absolute` or `postgres://…`.
 * Throws a {@link UserError} (exit 2) for anything else.
 */
export function parseStoreUrl(url: string): StoreUrl {
  const scheme = /^([a-z]+):\/\//u.exec(url)?.[1];
  if (scheme === 'sqlite') {
    const path = url.slice('sqlite://'.length);
    if (path === '' || path === ':memory:')
      throw new UserError('STORE_URL: wanted a file, for example sqlite://data/jobcrier.sqlite.', 2);
    return { kind: 'sqlite', file: resolve(path) };
  }
  if (scheme === 'postgres' || scheme === 'postgresql') return { kind: 'postgres', url };
  throw new UserError('STORE_URL: wanted an address that starts with sqlite:// or postgres://.', 2);
}
