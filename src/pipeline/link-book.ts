// Opens and makes the signed links of mails and pages. Links are not stored, only an account's epoch is: raising it
// revokes the account's links.
import { defined } from '../domain/defined.js';
import { createLinks, type LinkKey, readLink } from '../domain/link-token.js';
import type { LinkBook } from '../ports/mail-service.js';
import type { AccountStore, Table } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';

/**
 * `keys`: derived from SECRET_KEY for the use `link`. `publicUrl`: without a slash at its end. The first epoch is the
 * time the account was made: after an account is erased, no record can tell its old links from new ones, and they
 * must not work for a person who comes back under the same id.
 */
export function createLinkBook(deps: {
  keys: readonly LinkKey[];
  publicUrl?: string | undefined;
  table: Table<unknown>;
  accounts: Pick<AccountStore, 'get'>;
  clock: Clock;
}): LinkBook {
  const { keys, publicUrl, table, accounts, clock } = deps;
  const slot = (account: string) => `links:epoch:${account}`;

  async function revoked(account: string): Promise<number | undefined> {
    return (await table.get(slot(account))) as number | undefined;
  }

  async function epoch(account: string): Promise<number> {
    return (await revoked(account)) ?? (await accounts.get(account))?.createdAt ?? 0;
  }

  return {
    epoch,
    local: createLinks(keys, publicUrl ? new URL(publicUrl).pathname.replace(/\/$/u, '') : ''),
    ...defined({ links: publicUrl ? createLinks(keys, publicUrl) : undefined }),
    async revoke(account) {
      const first = (await accounts.get(account))?.createdAt ?? 0;
      await table.update(slot(account), (before = first) => (before as number) + 1);
    },
    forget: (account) => table.delete(slot(account)),
    async open(purpose, token) {
      const claim = readLink(keys, purpose, token, clock.now());
      if (!claim) return undefined;
      // Unsubscribe links work in mails of any age, because they can do no other harm.
      if (purpose === 'unsubscribe') return claim;
      if (claim.epoch === (await epoch(claim.account))) return claim;
      // Links were made with epoch 0 before the first revocation, in version 0.1 and where there is no account yet.
      return claim.epoch === 0 && (await revoked(claim.account)) === undefined ? claim : undefined;
    },
  };
}
