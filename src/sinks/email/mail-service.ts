// What people can do about their mails, whichever way they ask: set an address, follow a link, stop a stream. An
// account has one address. When a new one is confirmed, the account's subscriptions use it.

import type { Account } from '../../domain/account.js';
import { defined } from '../../domain/defined.js';
import { reasonOf } from '../../domain/errors.js';
import {
  destinationEntry,
  destinationId,
  isPaused,
  OPERATOR,
  type Subscription,
} from '../../domain/subscription.js';
import type { DataRequest, LinkBook, MailService, Stream } from '../../ports/mail-service.js';
import type { Services } from '../../ports/services.js';
import type { AccountStore } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import { isMail, parseAddress } from './address.js';
import { consentAbout } from './consent.js';
import type { EmailSink } from './sink.js';

export interface MailServiceDeps {
  readonly sink: Pick<
    EmailSink,
    'consent' | 'suppression' | 'unsubscribes' | 'question' | 'dataRequests' | 'sendLink'
  >;
  readonly log: Log;
  readonly accounts: AccountStore;
  readonly links: LinkBook;
  readonly clock: Clock;
  /** The other services. */
  readonly services: Pick<Services, 'subscriptions' | 'edit' | 'resume' | 'manageLink'>;
}

export function createMailService(deps: MailServiceDeps): MailService {
  const { sink, accounts, links, clock, log } = deps;
  const { consent, suppression, unsubscribes, dataRequests } = sink;

  async function change(id: string, edit: (account: Account) => Account): Promise<void> {
    await accounts.update(id, (before) => edit(before ?? { id, createdAt: clock.now() }));
  }

  async function subscriptionsOf(account: string): Promise<readonly Subscription[]> {
    return (await deps.services.subscriptions({ account })).map((report) => report.subscription);
  }

  /** Resumes waiting destinations, unless the owner has paused the subscription. */
  async function free(account: string, subscription: Subscription | undefined): Promise<void> {
    if (subscription && !isPaused(subscription)) await deps.services.resume({ account }, subscription.id);
  }

  async function streamsOf(account: string) {
    return (await subscriptionsOf(account)).flatMap((subscription) =>
      subscription.destinations.filter(isMail).map((destination) => ({ subscription, destination })),
    );
  }

  /** False for an erased account: links in its old mails must not write to the store again. */
  async function isKnown(account: string): Promise<boolean> {
    if (account === OPERATOR || (await accounts.get(account))) return true;
    return (await subscriptionsOf(account)).length > 0;
  }

  /**
   * The confirmed address of the person behind a stream: the account's own, else the one that the stream's mails go
   * to. The operator's readers share an account, so for them it is the address of the stream. Undefined without one.
   */
  async function addressOf({ account, subscription, destination }: Stream): Promise<string | undefined> {
    const email = account === OPERATOR ? undefined : (await accounts.get(account))?.email;
    if (email?.confirmedAt !== undefined) return email.address;
    const of = (await subscriptionsOf(account)).find((one) => one.id === subscription);
    const mailed = of?.destinations.find((one) => one.id === destination && isMail(one));
    if (!mailed) return undefined;
    const agreed = mailed.consented || (await consent.given(account, mailed.target)) !== undefined;
    return agreed ? mailed.target : undefined;
  }

  /** Undefined if the link was mailed to an address that is no longer the person's. */
  async function stillTheirs(
    stored: (DataRequest & { readonly address: string }) | undefined,
  ): Promise<DataRequest | undefined> {
    if (!stored || (await addressOf(stored)) !== stored.address) return undefined;
    const { account, subscription, destination, what, locale } = stored;
    return { account, subscription, destination, what, locale };
  }

  /** Moves an account's streams to the confirmed address, except in subscriptions from a file. */
  async function follow(account: string, address: string): Promise<void> {
    let moved = false;
    const streams = await streamsOf(account);
    /** Subscriptions with a stream to the address. Another one would be the same stream, so it ends. */
    const there = new Set<string>();
    for (const { subscription, destination } of streams)
      if (destination.target === address) there.add(subscription.id);
    for (const { subscription, destination } of streams) {
      if (subscription.origin === 'file' || destination.target === address) continue;
      moved = true;
      await deps.services.edit({ account }, subscription.id, {
        destinationId: destination.id,
        destination: there.has(subscription.id)
          ? null
          : { ...destinationEntry(destination), target: address },
      });
      there.add(subscription.id);
    }
    // The reader of the former address still has the links in its mails.
    if (moved) await links.revoke(account);
  }

  return {
    isMail,
    async setAddress(account, given, locale) {
      const address = parseAddress(given);
      const known = await consent.given(account, address);
      await change(account, (former) => ({
        ...former,
        locale: former.locale ?? locale,
        email: { address, ...defined({ confirmedAt: known?.confirmedAt }) },
      }));
      if (known) await follow(account, address);
      else await sink.question({ account, address, locale });
    },
    async addressReport(id) {
      const email = (await accounts.get(id))?.email;
      if (!email) return { state: 'none' };
      const { address, confirmedAt } = email;
      // Anyone can type any address, so only an account that confirmed it can see whether it is suppressed.
      if (confirmedAt === undefined) return { address, state: 'unconfirmed' };
      return { address, state: (await suppression.find(address)) ? 'suppressed' : 'confirmed' };
    },
    async removeAddress(account) {
      for (const { subscription, destination } of await streamsOf(account))
        await unsubscribes.stop({ account, subscription: subscription.id, destination: destination.id });
      const address = (await accounts.get(account))?.email?.address;
      if (address) await consent.withdraw(account, address);
      await change(account, ({ email: _gone, ...rest }) => rest);
      await links.revoke(account);
    },
    async peek(token) {
      const open = await consent.peek(token);
      const about = open && consentAbout(open);
      return (
        open && { account: open.account, locale: open.locale, ...defined({ about: about || undefined }) }
      );
    },
    async confirm(token) {
      const done = await consent.confirm(token);
      if (!done) return undefined;
      const { account, address, locale, about, confirmedAt } = done;
      // Only the account's own address, not another one that a subscription names.
      const email = { address, confirmedAt, ...defined({ consent: about || undefined }) };
      const after = await accounts.update(account, (one) =>
        one?.email?.address === address ? { ...one, email } : one,
      );
      if (after?.email?.address === address) await follow(account, address);
      const id = destinationId('email', address);
      for (const subscription of await subscriptionsOf(account)) {
        if (!subscription.destinations.some((one) => one.id === id)) continue;
        await unsubscribes.restart({ account, subscription: subscription.id, destination: id });
        await free(account, subscription);
      }
      return { account, locale, destination: id, ...defined({ about: about || undefined }) };
    },
    stoppedAt: unsubscribes.stoppedAt,
    async stop(stream) {
      if (await isKnown(stream.account)) await unsubscribes.stop(stream);
    },
    async restart(stream) {
      await unsubscribes.restart(stream);
      const all = await subscriptionsOf(stream.account);
      await free(
        stream.account,
        all.find((one) => one.id === stream.subscription),
      );
    },
    async askForData(request) {
      const address = await addressOf(request);
      if (!address) return 'nowhere';
      try {
        return (await dataRequests.ask(request, address)) ? 'sent' : 'later';
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'mail with a data link not sent');
        return 'later';
      }
    },
    peekDataRequest: async (token) => stillTheirs(await dataRequests.peek(token)),
    takeDataRequest: async (token) => stillTheirs(await dataRequests.take(token)),
    async askForPages(account, locale) {
      const email = account === OPERATOR ? undefined : (await accounts.get(account))?.email;
      if (email?.confirmedAt === undefined) return 'nowhere';
      const url = await deps.services.manageLink(account, 'mailed');
      if (!url) return 'later';
      try {
        await sink.sendLink('manage', { locale, to: email.address, url });
        return 'sent';
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'mail with a link to all subscriptions not sent');
        return 'later';
      }
    },
    async exportOf(account) {
      const streams = await streamsOf(account);
      const addresses = new Set(streams.map(({ destination }) => destination.target));
      const own = (await accounts.get(account))?.email?.address;
      if (own) addresses.add(own);
      const consents = [];
      for (const address of addresses)
        consents.push({ address, consent: (await consent.given(account, address)) ?? null });
      const stopped = [];
      for (const { subscription, destination } of streams) {
        const at = await unsubscribes.stoppedAt({
          account,
          subscription: subscription.id,
          destination: destination.id,
        });
        if (at !== undefined) stopped.push({ subscription: subscription.id, at });
      }
      return { addresses: consents, unsubscribed: stopped };
    },
  };
}
