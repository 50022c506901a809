// Computes the next edition of a subscription as its reader would get it now. The stored ledger is not changed.

import type { Config } from '../config.js';
import { wishesOf } from '../domain/fit.js';
import { EMPTY_LEDGER } from '../domain/ledger.js';
import { cut, openEdition } from '../domain/outbox.js';
import { type Destination, readerOf, type Subscription } from '../domain/subscription.js';
import { editionPostings, keptIn } from '../pipeline/prepare.js';
import type { Delivery } from '../ports/sink.js';
import type { Stores } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Week } from '../render/chart.js';
import { describeFilter } from '../render/describe.js';
import { isMail } from '../sinks/email/address.js';
import { weeksOf } from '../wiring/mail.js';

/** The destination that "the digest" means: the first with digests by e-mail, else with digests, else the first one. */
function digestDestination(subscription: Subscription): Destination {
  const { destinations } = subscription;
  const digests = destinations.filter((one) => one.cadence.every !== 'immediate');
  return (digests.find(isMail) ?? digests[0] ?? destinations[0]) as Destination;
}

/** A delivery and the weeks of its chart. */
export interface OwedMail {
  readonly delivery: Delivery;
  readonly weeks: readonly Week[];
}

/** The digest of a subscription if it is cut now; undefined when nothing is waiting to be sent. */
export async function owedMail(
  stores: Stores,
  subscription: Subscription,
  config: Config,
  clock: Clock,
): Promise<OwedMail | undefined> {
  const delivery = await owedDelivery(stores, subscription, config, clock.now());
  return delivery && { delivery, weeks: await weeksOf(stores, clock)(delivery) };
}

async function owedDelivery(
  stores: Stores,
  subscription: Subscription,
  config: Config,
  now: number,
): Promise<Delivery | undefined> {
  const destination = digestDestination(subscription);
  const stored = (await stores.ledgers.owed(subscription.id)) ?? EMPTY_LEDGER;
  const marks = isMail(destination)
    ? await stores.marks.get(readerOf(subscription.account, destination.id))
    : undefined;
  const ledger = cut(stored, {
    subscription: subscription.id,
    destination: destination.id,
    cadence: destination.cadence,
    slot: now,
    now,
    cap: destination.cap ?? config.limits.digestCap,
    over: config.publicUrl ? 'page' : 'parts',
    wishes: wishesOf(subscription.filter, keptIn(marks)),
    joins: true,
    pack: (owed) => [owed],
  });
  const edition = openEdition(ledger, destination.id);
  if (!edition) return undefined;
  const locale = subscription.locale ?? 'en';
  const postings = editionPostings(ledger, destination.id, edition.parts.slice(edition.sent).flat());
  return {
    edition: edition.id,
    subscription: subscription.id,
    account: subscription.account,
    destination,
    // A mail with everything that is pending is a digest, also for an immediate destination.
    every: edition.every === 'immediate' ? 'weekly' : edition.every,
    from: edition.from,
    slot: edition.slot,
    part: 0,
    parts: 1,
    postings,
    all: [...postings, ...editionPostings(ledger, destination.id, edition.rest)],
    more: edition.rest.length,
    source: config.sourceName,
    about: describeFilter(subscription.filter, locale),
    locale,
    attempt: 1,
  };
}
