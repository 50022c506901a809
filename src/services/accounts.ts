// What is stored about a person: reads and changes it, exports all of it as a file, and erases it.
import type { Account } from '../domain/account.js';
import { reasonOf } from '../domain/errors.js';
import type { Pipeline } from '../pipeline/context.js';
import { forgetRefusal } from '../pipeline/enrich.js';
import { pollStatus } from '../pipeline/poll-result.js';
import { setReminders, wantsReminders } from '../pipeline/reminders.js';
import { isOver, removedRows } from '../pipeline/removed.js';
import { removeSubscription } from '../pipeline/subscription-sync.js';
import type { Services } from '../ports/services.js';
import type { EditionRecord } from '../ports/stores.js';
import { accessKeyReport, forgetAccessKey } from './access-keys.js';
import { forgetSessions, sessionsReport } from './sessions.js';
import { forgetTokenTries } from './token-tries.js';

/** Changes one account's record, and creates it when there is none. */
export type ChangeAccount = (id: string, edit: (account: Account) => Account) => Promise<void>;

export function createChangeAccount({ stores, clock }: Pipeline): ChangeAccount {
  return async (id, edit) => {
    await stores.accounts.update(id, (before) => edit(before ?? { id, createdAt: clock.now() }));
  };
}

/** Deletes what other parts keep of an account. */
export type Forget = (account: string) => Promise<void>;

type AccountService = Pick<
  Services,
  'profile' | 'saveProfile' | 'exportAccount' | 'eraseAccount' | 'edition' | 'editions'
>;

export function createAccountService(
  p: Pipeline,
  changeAccount: ChangeAccount,
  forget: readonly Forget[] = [],
): AccountService {
  const { accounts, marks, rejections, notices } = p.stores;

  async function profile(id: string): Promise<Omit<Account, 'token'> | undefined> {
    const account = await accounts.get(id);
    if (!account) return undefined;
    const { token: _hidden, ...rest } = account;
    return rest;
  }

  async function removedBy(account: string) {
    return (await removedRows(p.stores)).filter((one) => one.subscription.account === account);
  }

  async function editions(account: string, limit: number): Promise<EditionRecord[]> {
    const found = new Map<string, EditionRecord>();
    for (const subscription of await p.stores.subscriptions.byAccount(account)) {
      for (const event of await p.history.events(subscription.id)) {
        if (event.kind !== 'sent' || !event.edition || found.has(event.edition)) continue;
        const edition = await p.history.edition(event.edition);
        if (edition) found.set(edition.id, edition);
      }
    }
    return [...found.values()].sort((a, b) => b.slot - a.slot).slice(0, limit);
  }

  return {
    profile,
    editions,
    async edition(id) {
      const record = await p.history.edition(id);
      return record && (await p.stores.subscriptions.get(record.subscription)) ? record : undefined;
    },
    saveProfile: (id, change) => changeAccount(id, (account) => ({ ...account, ...change })),
    async exportAccount(id) {
      const mine = await p.stores.subscriptions.byAccount(id);
      const token = await p.tokens.of(id);
      return {
        account: (await profile(id)) ?? { id },
        token:
          token.state === 'rejected'
            ? { state: token.state, at: token.at, why: token.why }
            : { state: token.state },
        subscriptions: await Promise.all(
          mine.map(async (subscription) => ({
            subscription,
            poll: await pollStatus(p.stores, subscription),
            ledger: await p.ledgers.readAll(subscription.id),
            history: await p.history.events(subscription.id),
          })),
        ),
        removed: (await removedBy(id)).filter((one) => !isOver(one, p.clock.now())),
        editions: await editions(id, 1000),
        accessKey: (await accessKeyReport(p.stores.misc, id)) ?? null,
        sessions: await sessionsReport(p.stores.misc, id),
        marks: (await marks.get(id)) ?? null,
        reminders: await wantsReminders(p, id),
        postings: await p.history.archived(id, 90, p.clock.now()),
        notices: await noticesOf(id),
      };
    },
    async eraseAccount(id) {
      const removed = (await removedBy(id)).map((one) => one.subscription);
      for (const subscription of [...(await p.stores.subscriptions.byAccount(id)), ...removed])
        await removeSubscription(p, subscription.id);
      await p.history.forgetAccount(id);
      await marks.delete(id);
      // The readers of the operator's subscriptions, see readerOf.
      for await (const [reader] of marks.entries(`${id}/`)) {
        await marks.delete(reader);
        await setReminders(p, reader, false);
      }
      await rejections.delete(id);
      await forgetRefusal(p, id);
      await forgetTokenTries(p.stores.misc, id);
      await forgetAccessKey(p.stores.misc, id);
      await forgetSessions(p.stores.misc, id);
      await setReminders(p, id, false);
      for (const { key } of await noticesOf(id)) await notices.delete(key);
      for (const one of forget) await one(id);
      await accounts.remove(id);
      // Only now can no new request use the token. The answers to requests in progress are not stored.
      await p.feed.forget(id);
      await wipe();
    },
  };

  /** Overwrites the deleted records in the store's files. If that fails, the next start does it. */
  async function wipe(): Promise<void> {
    try {
      await p.stores.wipe();
    } catch (error) {
      p.log.warn({ reason: reasonOf(error) }, 'erased records are overwritten later');
    }
  }

  async function noticesOf(account: string) {
    const found = [];
    for await (const [key, notice] of notices.entries())
      if (notice.account === account) found.push({ key, ...notice });
    return found;
  }
}
