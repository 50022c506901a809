// The store of a house whose program does not run yet, for setup that would otherwise need a command each.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { secret } from '../../src/domain/secret.js';
import { type OpenStores, openStores } from '../../src/store/index.js';
import { parseSecretKeys } from '../../src/store/secret-keys.js';
import { openConnection } from '../../src/store/sqlite/connection.js';
import { later } from './later.js';
import { put } from './put.js';
import { until } from './until.js';

/** The key that such a house must use. */
export const HOUSE_KEY = Buffer.alloc(32, 5).toString('base64');

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Opens the store below `dir` as the program would, does the work, and closes it. */
export async function inStore<T>(
  dir: string,
  work: (stores: OpenStores) => Promise<T>,
  keys = HOUSE_KEY,
): Promise<T> {
  const data = join(dir, 'data');
  await mkdir(data, { recursive: true });
  const stores = await openStores({
    url: `sqlite://${join(data, 'jobcrier.sqlite')}`,
    dataDir: data,
    keys: parseSecretKeys(keys, 'SECRET_KEY'),
    log: silent,
    clock: { now: Date.now },
    gathers: false,
  });
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** Gives accounts their API tokens. */
export function giveTokens(dir: string, tokens: Readonly<Record<string, string>>): Promise<void> {
  return inStore(dir, async ({ accounts }) => {
    for (const [id, token] of Object.entries(tokens))
      await put(accounts, { id, token: secret(token), createdAt: Date.now() });
  });
}

/** Blocks every other writer of the store below `dir` until the returned function is called. */
export async function lockStore(dir: string): Promise<() => Promise<void>> {
  const db = await openConnection(join(dir, 'data', 'jobcrier.sqlite'));
  await until(() => db.query('BEGIN IMMEDIATE').then(() => true), { what: 'the lock' });
  let isOpen = true;
  const release = async () => {
    if (!isOpen) return;
    isOpen = false;
    await db.query('ROLLBACK');
    await db.close();
  };
  later(release);
  return release;
}
