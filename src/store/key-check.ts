// Checks whether the given keys open the stored secrets. If a key were missing at the start, the service would treat
// every address sealed with it as gone and park its destination.
import type { Backend, TableName } from './backend.js';
import { rowsOf } from './pages.js';
import { missingKeys, type SecretKeys } from './secret-keys.js';

/** History is left out: it is the largest table, and an old edition without a readable recipient does no harm. */
const READ_AT_START: readonly TableName[] = ['accounts', 'subscriptions', 'misc'];
const LOST = 'lost-keys';

/** Returns the ids of the keys that stored secrets are sealed with, except those given up with {@link giveUpKey}. */
export async function sealedWith({ kvTables }: Backend): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const name of READ_AT_START)
    for await (const [, text] of rowsOf(kvTables[name], {}))
      for (const [, id = ''] of text.matchAll(/"kid":"([0-9a-f]{8})"/gu)) ids.add(id);
  const lost = await lostKeys(kvTables);
  return [...ids].filter((id) => !lost.includes(id)).sort();
}

async function lostKeys({ meta }: Backend['kvTables']): Promise<readonly string[]> {
  const value = (await meta.get(LOST))?.value;
  return Array.isArray(value) ? value.map(String) : [];
}

/** Records that a key is lost: its secrets stay unreadable, and the service starts without it. */
export async function giveUpKey({ kvTables }: Backend, id: string): Promise<void> {
  const lost = await lostKeys(kvTables);
  if (!lost.includes(id)) await kvTables.meta.set(LOST, { value: [...lost, id] });
}

/** Throws a UserError (exit 2) that names the missing keys and what to do. Changes nothing. */
export async function mustHaveKeys(backend: Backend, keys: SecretKeys): Promise<void> {
  const missing = (await sealedWith(backend)).filter((id) => !keys.find(id));
  if (missing.length > 0) throw missingKeys(missing);
}
