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
  const table = createTable<Account>(shelf, clock, { pack, unpack });
  const listed = createTable<StoredAccount>(shelf, clock);

  function withEmail({ token: _token, email, ...rest }: StoredAccount): Omit<Account, 'token'> {
    if (!email) return rest;
    const address = sealer.open(email.address, at(rest.id, 'email.address'));
    return address === undefined
      ? { ...rest, unreadable: ['email'] }
      : { ...rest, email: { ...email, address } };
  }

  function unpack(id: string, value: unknown): Account {
    const stored = value as StoredAccount;
    const account = withEmail(stored);
    if (!stored.token) return account;
    const token = sealer.open(stored.token, at(id, 'token'));
    return token === undefined
      ? { ...account, unreadable: ['token', ...(account.unreadable ?? [])] }
      : { ...account, token: secret(token) };
  }

  /** What could not be read because its key is missing stays as it is stored. */
  function pack(
    id: string,
    { token, email, unreadable = [], ...rest }: Account,
    stored?: unknown,
  ): StoredAccount {
    const before = stored as StoredAccount | undefined;
    return {
      ...rest,
      ...(unreadable.includes('token') && before?.token ? { token: before.token } : {}),
      ...(unreadable.includes('email') && before?.email ? { email: before.email } : {}),
      ...(token ? { token: sealer.seal(token.reveal(), at(id, 'token')) } : {}),
      ...(email ? { email: { ...email, address: sealer.seal(email.address, at(id, 'email.address')) } } : {}),
    };
  }

  return {
    get: (id) => table.get(id),
    async update(id, change) {
      const account = await table.update(id, change);
      await announce(id);
      return account;
    },
    async remove(id) {
      await table.delete(id);
      await announce(id);
    },
    async *list() {
      for await (const [, stored] of listed.entries())
        yield { ...withEmail(stored), hasToken: stored.token !== undefined };
    },
  };
}
