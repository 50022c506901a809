// The access key of an account: made, shown without the key, revoked, and checked at every request of a program. One row
// for each account, so a new key replaces the former one, and a revoked key stops working immediately.
import { accessKeyHash, accessKeyOf, accessKeyOwner } from '../domain/access-key.js';
import { accountHash } from '../domain/account.js';
import { sameSecret } from '../domain/secret.js';
import type { Pipeline } from '../pipeline/context.js';
import type { AccessKeyReport, Agent, Services } from '../ports/services.js';
import type { Table } from '../ports/stores.js';

interface StoredKey extends Agent {
  readonly hash: string;
  readonly madeAt: number;
}

const rowOf = (owner: string) => `access-key:${owner}`;

/** What is shown of the key of an account; undefined without one. */
export async function accessKeyReport(
  table: Table<unknown>,
  account: string,
): Promise<AccessKeyReport | undefined> {
  const stored = (await table.get(rowOf(accountHash(account)))) as StoredKey | undefined;
  return stored && { write: stored.write, madeAt: stored.madeAt };
}

/** Deletes the key of an account that is erased. */
export async function forgetAccessKey(table: Table<unknown>, account: string): Promise<void> {
  await table.delete(rowOf(accountHash(account)));
}

/** `random` returns 32 random bytes in base64url. */
export function createAccessKeyService(
  { stores: { misc }, clock }: Pipeline,
  random: () => string,
): Pick<Services, 'makeAccessKey' | 'accessKey' | 'removeAccessKey' | 'openAccessKey'> {
  return {
    async makeAccessKey(account, write) {
      const key = accessKeyOf(account, random());
      const stored: StoredKey = { account, write, hash: accessKeyHash(key), madeAt: clock.now() };
      await misc.update(rowOf(accountHash(account)), () => stored);
      return key;
    },
    accessKey: (account) => accessKeyReport(misc, account),
    async removeAccessKey(account) {
      const was = await accessKeyReport(misc, account);
      await forgetAccessKey(misc, account);
      return was !== undefined;
    },
    async openAccessKey(key) {
      const owner = accessKeyOwner(key);
      const stored = owner && ((await misc.get(rowOf(owner))) as StoredKey | undefined);
      if (!stored || !sameSecret(accessKeyHash(key), stored.hash)) return undefined;
      return { account: stored.account, write: stored.write };
    },
  };
}
