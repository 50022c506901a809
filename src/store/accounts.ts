// Accounts. Token and e-mail address are sealed separately, so the rest can be read without opening the token. A commit
// that changes a token also adds a note, in lookups under token:<account>, so that the service starts to use the new
// token.

import type { Account } from '../domain/account.js';
import { defined } from '../domain/defined.js';
import { secret } from '../domain/secret.js';
import type { AccountStore } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Backend, Write } from './backend.js';
import { key, lastOf, under } from './keys.js';
import type { Envelope, Sealer } from './sealing.js';
import { createTable } from './table.js';

interface StoredEmail extends Omit<NonNullable<Account['email']>, 'address'> {
  readonly address: Envelope;
}

interface StoredAccount extends Omit<Account, 'token' | 'email' | 'unreadable'> {
  readonly token?: Envelope;
  readonly email?: StoredEmail;
}

/** The most accounts that `withNewToken` returns. */
const PAGE = 200;

const at = (record: string, field: string) => ({ table: 'accounts', record, field });

const noteOf = (id: string) => key('token', id);

export function createAccountStore(
  { kvTables, commit }: Pick<Backend, 'kvTables' | 'commit'>,
  clock: Clock,
  sealer: Sealer,
): AccountStore {
  const { accounts, lookups } = kvTables;
  const table = createTable<Account>(accounts, clock, { pack, unpack });
  const listed = createTable<StoredAccount>(accounts, clock);

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
      : { token: secret(token), ...account };
  }

  /** Values that can't be read because their key is missing stay as they are stored. */
  function pack(
    id: string,
    { token, email, unreadable = [], ...rest }: Account,
    stored?: unknown,
  ): StoredAccount {
    const before = stored as StoredAccount | undefined;
    return {
      ...rest,
      ...defined({
        token: token
          ? sealer.seal(token.reveal(), at(id, 'token'))
          : unreadable.includes('token')
            ? before?.token
            : undefined,
        email: email
          ? { ...email, address: sealer.seal(email.address, at(id, 'email.address')) }
          : unreadable.includes('email')
            ? before?.email
            : undefined,
      }),
    };
  }

  return {
    get: (id) => table.get(id),
    async update(id, change) {
      for (;;) {
        const { entry, version } = await accounts.read(id);
        const before = entry && unpack(id, entry.value);
        const next = change(before);
        if (next === before) return next;
        const writes: Write[] = [
          {
            table: 'accounts',
            key: id,
            version,
            entry: next ? { value: pack(id, next, entry?.value) } : null,
          },
        ];
        // Also when the same token is set again: it may have been refused and should be tried again.
        if (next && next.token !== before?.token)
          writes.push({ table: 'lookups', key: noteOf(id), entry: { value: id } });
        if (await commit({ writes })) return next;
      }
    },
    async remove(id) {
      await commit({
        writes: [
          { table: 'accounts', key: id, entry: null },
          { table: 'lookups', key: noteOf(id), entry: null },
        ],
      });
    },
    async withNewToken() {
      const { from, to } = under('token');
      return (await lookups.page({ from, to }, PAGE)).map(([row]) => lastOf(row));
    },
    async newToken(id) {
      const { entry, version } = await lookups.read(noteOf(id));
      return entry && { id, version };
    },
    async settleToken({ id, version }) {
      await commit({ writes: [{ table: 'lookups', key: noteOf(id), version, entry: null }] });
    },
    async *list() {
      for await (const [, stored] of listed.entries())
        yield { ...withEmail(stored), hasToken: stored.token !== undefined };
    },
  };
}
