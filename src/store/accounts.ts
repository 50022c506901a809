// Accounts: token and e-mail address are sealed, each on its own, so that the token need not be opened to read the rest.
import type { Account } from '../domain/account.js';
import { secret } from '../domain/secret.js';
import type { AccountStore } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Shelf } from './backend.js';
import type { Envelope, Sealer } from './sealing.js';
import { createTable } from './table.js';

interface StoredEmail extends Omit<NonNullable<Account['email']>, 'address'> {
  readonly address: Envelope;
}

interface StoredAccount extends Omit<Account, 'token' | 'email' | 'unreadable'> {
  readonly token?: Envelope;
  readonly email?: StoredEmail;
}

const at = (record: string, field: string) => ({ table: 'accounts', record, field });

/** `announce` is called after each change, for processes that keep accounts in memory. */
export function createAccountStore(
  shelf: Shelf,
  clock: Clock,
  sealer: Sealer,
  announce: (id: string) => Promise<void>,
): AccountStore {
  const table = createTable<StoredAccount>(shelf, clock);

  function withEmail({ token: _token, email, ...rest }: StoredAccount): Omit<Account, 'token'> {
    if (!email) return rest;
    const address = sealer.open(email.address, at(rest.id, 'email.address'));
    return address === undefined
      ? { ...rest, unreadable: ['email'] }
      : { ...rest, email: { ...email, address } };
  }

  return {
    async get(id) {
      const stored = await table.get(id);
      if (!stored) return undefined;
      const account = withEmail(stored);
      if (!stored.token) return account;
      const token = sealer.open(stored.token, at(id, 'token'));
      return token === undefined
        ? { ...account, unreadable: ['token', ...(account.unreadable ?? [])] }
        : { ...account, token: secret(token) };
    },
    async put(account) {
      const { token, email, unreadable = [], ...rest } = account;
      const before = unreadable.length > 0 ? await table.get(account.id) : undefined;
      const kept: Pick<StoredAccount, 'token' | 'email'> = {
        ...(unreadable.includes('token') && before?.token ? { token: before.token } : {}),
        ...(unreadable.includes('email') && before?.email ? { email: before.email } : {}),
      };
      await table.set(account.id, {
        ...rest,
        ...kept,
        ...(token ? { token: sealer.seal(token.reveal(), at(account.id, 'token')) } : {}),
        ...(email
          ? { email: { ...email, address: sealer.seal(email.address, at(account.id, 'email.address')) } }
          : {}),
      });
      await announce(account.id);
    },
    async remove(id) {
      await table.delete(id);
      await announce(id);
    },
    async *list() {
      for await (const [, stored] of table.entries())
        yield { ...withEmail(stored), hasToken: stored.token !== undefined };
    },
  };
}
