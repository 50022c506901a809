// The parts that the e-mail sink and the pages share: templates, signed links and the epochs that revoke them.
import type { Config } from '../config.js';
import { wouldMatch } from '../domain/filter.js';
import { deriveKeys } from '../domain/link-token.js';
import type { Secret } from '../domain/secret.js';
import type { EditionPlace } from '../pipeline/context.js';
import { createLinkBook } from '../pipeline/link-book.js';
import type { LinkBook, MailService } from '../ports/mail-service.js';
import type { Services } from '../ports/services.js';
import type { Delivery, Sink } from '../ports/sink.js';
import type { Stores } from '../ports/stores.js';
import type { Clock, Log } from '../ports/system.js';
import { type Matches, type Week, weeklyCounts } from '../render/chart.js';
import type { Templates } from '../render/templates.js';
import type { Forget } from '../services/accounts.js';
import { forgetConsents } from '../sinks/email/consent.js';
import { forgetDataRequests } from '../sinks/email/data-requests.js';
import { forgetFailures } from '../sinks/email/failures.js';
import { createMailService } from '../sinks/email/mail-service.js';
import type { EmailSink } from '../sinks/email/sink.js';
import { forgetUnsubscribes } from '../sinks/email/unsubscribes.js';

import type { SinkDeps } from '../sinks/index.js';

const CHART_DAYS = 90;

/** Returns the book that creates and opens all signed links. */
export function openLinkBook(
  config: Config,
  secrets: readonly Secret[],
  stores: Stores,
  clock: Clock,
): LinkBook {
  const { publicUrl } = config;
  return createLinkBook({
    keys: deriveKeys(secrets, 'links'),
    publicUrl,
    table: stores.misc,
    accounts: stores.accounts,
    clock,
  });
}

/** Returns a function that gives the address of an edition's page; undefined without PUBLIC_URL. */
export function editionAddress({
  links,
  epoch,
}: LinkBook): ((of: EditionPlace) => Promise<string>) | undefined {
  if (!links) return undefined;
  return async (of) => links.edition({ ...of, epoch: await epoch(of.account) });
}

/** Returns the weeks of a digest's chart: the postings that its own subscription matched. */
export function weeksOf(stores: Stores, clock: Clock): (delivery: Delivery) => Promise<readonly Week[]> {
  return async ({ subscription, slot }) => {
    const matches = await matchesOf(stores, subscription, clock.now());
    return matches ? weeklyCounts(matches, slot) : [];
  };
}

/**
 * Versions up to 0.1 stored the postings of an account once for all its subscriptions, not which subscription they
 * matched. For the time without counts of matches, those postings are matched with the current filter.
 */
async function matchesOf(stores: Stores, id: string, now: number): Promise<Matches | undefined> {
  const counted = await stores.ledgers.matches(id);
  if (counted?.whole) return { since: counted.since, counts: counted.hours };
  const subscription = await stores.subscriptions.get(id);
  if (!subscription) return undefined;
  const { account, filter, createdAt } = subscription;
  const until = counted?.since ?? now;
  const archived = (await stores.history.archived(account, CHART_DAYS, now)).filter(({ at }) => at < until);
  const found = archived.filter((one) => one.subscription === id);
  // Leaves out the first poll: it found the postings of several weeks, which would dwarf the rest.
  const since = Math.max(found[0]?.at ?? createdAt, now - CHART_DAYS * 86_400_000);
  const before = archived
    .filter(({ at, posting }) => at > since && wouldMatch(filter, posting, at).ok)
    .map(({ at }) => [at, 1] as const);
  return { since, counts: [...before, ...(counted?.hours ?? [])] };
}

/** Deletes what is stored about an account's mails and links. Also works while e-mail is off: it may have been on before. */
export function forgetMails({ misc }: Stores, book: LinkBook): Forget {
  return async (account) => {
    for (const hash of await forgetConsents(misc, account)) await forgetFailures(misc, hash);
    await forgetUnsubscribes(misc, account);
    await forgetDataRequests(misc, account);
    await book.forget(account);
  };
}

/** What the e-mail sink needs besides its settings. `onAlert` gets each problem the operator must fix; it is logged too. */
export function mailDeps(
  secrets: readonly Secret[],
  stores: Stores,
  book: LinkBook,
  deps: {
    readonly templates: Templates;
    readonly log: Log;
    readonly clock: Clock;
    readonly onAlert: (text: string) => void;
    readonly onUnsubscribe: (token: string) => Promise<void>;
  },
): NonNullable<SinkDeps['mail']> {
  const { templates, log, clock, onAlert, onUnsubscribe } = deps;
  return {
    templates,
    table: stores.misc,
    accounts: stores.accounts,
    keys: deriveKeys(secrets, 'mail'),
    links: book.links,
    epoch: book.epoch,
    weeks: weeksOf(stores, clock),
    onAlert: (text) => {
      log.error({ alert: text }, 'operator alert');
      onAlert(text);
    },
    onUnsubscribe,
  };
}

/** The mail service; undefined while e-mail is off, or when its sink has no consent, as in the demo. */
export function mailServiceOf(
  sink: Sink | undefined,
  stores: Stores,
  links: LinkBook,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  services: Services,
): MailService | undefined {
  const email = sink as Partial<EmailSink> | undefined;
  const { consent, suppression, unsubscribes, question, dataRequests, sendLink } = email ?? {};
  if (!consent || !suppression || !unsubscribes || !question || !dataRequests || !sendLink) return undefined;
  return createMailService({
    sink: { consent, suppression, unsubscribes, question, dataRequests, sendLink },
    accounts: stores.accounts,
    links,
    clock,
    log,
    services,
  });
}
