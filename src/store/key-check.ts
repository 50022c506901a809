// Whether the keys at hand open what is stored. A start without one of them would take every address sealed with it for
// gone and park its destination.
import type { Backend, TableName } from './backend.js';
import { missingKeys, type SecretKeys } from './secret-keys.js';

/** History is left out: it holds the most, and an old edition that can't name its reader harms nothing. */
const READ_AT_START: readonly TableName[] = ['accounts', 'subscriptions', 'misc'];
const PAGE = 500;
const LOST = 'lost-keys';

/** Ids of the keys that stored secrets are sealed with, but those given up by {@link giveUpKey}. */
export async function sealedWith({ kvTables }: Backend): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const name of READ_AT_START) {
    for (let after: string | undefined; ; ) {
      const rows = await kvTables[name].page(after === undefined ? {} : { after }, PAGE);
      for (const [, text] of rows)
        for (const [, id = ''] of text.matchAll(/"kid":"([0-9a-f]{8})"/gu)) ids.add(id);
      if (rows.length < PAGE) break;
      after = rows.at(-1)?.[0];
    }
  }
  const lost = await lostKeys(kvTables);
  return [...ids].filter((id) => !lost.includes(id)).sort();
}

async function lostKeys({ meta }: Backend['kvTables']): Promise<readonly string[]> {
  const value = (await meta.get(LOST))?.value;
  return Array.isArray(value) ? value.map(String) : [];
}

/** Notes that a key will not come back: what it sealed stays unreadable, and the service starts all the same. */
export async function giveUpKey({ kvTables }: Backend, id: string): Promise<void> {
  const lost = await lostKeys(kvTables);
  if (!lost.includes(id)) await kvTables.meta.set(LOST, { value: [...lost, id] });
}

/** Throws a UserError (exit 2) that names the keys that are missing and what to do; nothing is changed. */
export async function mustHaveKeys(backend: Backend, keys: SecretKeys): Promise<void> {
  const missing = (await sealedWith(backend)).filter((id) => !keys.find(id));
  if (missing.length > 0) throw missingKeys(missing);
}
