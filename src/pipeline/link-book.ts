// Opens and makes the signed links of mails and pages. The epoch is the one thing about a link that is stored: it
// lets an account's links be made void although they are nowhere written down.
import { createLinks, type LinkKey, readLink } from '../domain/link-token.js';
import type { LinkBook } from '../ports/mail-desk.js';
import type { Table } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';

/** `keys`: derived from SECRET_KEY for the use `link`; `publicUrl` without a slash at its end. */
export function createLinkBook(deps: {
  keys: readonly LinkKey[];
  publicUrl?: string | undefined;
  table: Table<unknown>;
  clock: Clock;
}): LinkBook {
  const { keys, publicUrl, table, clock } = deps;
  const slot = (account: string) => `links:epoch:${account}`;

  async function epoch(account: string): Promise<number> {
    return ((await table.get(slot(account))) as number | undefined) ?? 0;
  }

  return {
    epoch,
    local: createLinks(keys, publicUrl ? new URL(publicUrl).pathname.replace(/\/$/u, '') : ''),
    ...(publicUrl ? { links: createLinks(keys, publicUrl) } : {}),
    revoke: async (account) => table.set(slot(account), (await epoch(account)) + 1),
    async open(purpose, token) {
      const claim = readLink(keys, purpose, token, clock.now());
      if (!claim) return undefined;
      // Whoever wants out gets out, by the oldest mail: such a link can do no other harm.
      if (purpose === 'unsubscribe') return claim;
      return claim.epoch === (await epoch(claim.account)) ? claim : undefined;
    },
  };
}
