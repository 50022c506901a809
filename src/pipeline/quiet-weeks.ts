// Weeks without a posting. An empty digest is not sent. A reader may ask for a short message instead, with the option
// `quietWeek` of a weekly destination: it says that nothing matched, and what nearly did.
import { lastWeek } from '../domain/cadence.js';
import { partsOf } from '../domain/edition.js';
import { reasonOf } from '../domain/errors.js';
import { brokenRules } from '../domain/filter.js';
import { pending } from '../domain/ledger.js';
import { type Destination, isPaused, type Subscription } from '../domain/subscription.js';
import type { QuietWeek } from '../ports/sink.js';
import type { Pipeline } from './context.js';
import { cleanPosting, guardOf, redactorFor } from './guard.js';
import { pollStatus } from './poll-result.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Postings named in a message. */
const MOST_MISSES = 2;

/** Sends what is due. Each week is tried once: a message that says nothing happened is not worth a second attempt. */
export async function tellQuietWeeks(p: Pipeline): Promise<void> {
  const { subscriptions } = p.stores;
  for (const part of partsOf(await subscriptions.idsWithQuietWeeks()))
    for (const subscription of await subscriptions.many(part))
      for (const destination of subscription.destinations)
        if (destination.options?.quietWeek === true) await tellOne(p, subscription, destination);
}

async function tellOne(p: Pipeline, subscription: Subscription, destination: Destination): Promise<void> {
  const now = p.clock.now();
  const sink = p.sinks.get(destination.sink);
  const week = lastWeek(destination.cadence, now);
  // After a long stop, last week is no news.
  if (!sink?.quietWeek || !week || now - week.slot > DAY) return;
  if (!(await wasQuiet(p, subscription, destination, week))) return;
  if (!(await isFirst(p, subscription, destination, week.slot))) return;
  const { account, id, locale = 'en' } = subscription;
  try {
    const redactor = await redactorFor(p, account);
    const found = await missesOf(p, subscription, week);
    const misses = found.map(({ posting, rule }) => ({ posting: cleanPosting(posting, redactor), rule }));
    const postings = misses.map(({ posting }) => posting);
    await sink.quietWeek(
      {
        account,
        subscription: id,
        destination,
        ...week,
        about: p.describe(subscription),
        source: p.settings.source,
        locale,
        misses,
      },
      { guard: guardOf(p, postings, redactor) },
    );
    p.log.info({ subscription: id, destination: destination.id }, 'quiet week mail sent');
  } catch (error) {
    p.log.warn({ subscription: id, reason: reasonOf(error) }, 'message about a quiet week not sent');
  }
}

type Week = Pick<QuietWeek, 'from' | 'slot'>;

/** False also when it is not known, because no request was answered or the subscription did not run all week. */
async function wasQuiet(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
  { from, slot }: Week,
): Promise<boolean> {
  const { id, createdAt, resumedAt = 0 } = subscription;
  if (isPaused(subscription) || Math.max(createdAt, resumedAt) > from) return false;
  const { polledAt = 0 } = await pollStatus(p.stores, subscription);
  if (polledAt < slot - DAY) return false;
  const counts = await p.stores.ledgers.matches(id);
  // Counts are of whole hours.
  if (!counts || counts.since > from || counts.hours.some(([at]) => at > from - HOUR && at < slot))
    return false;
  const ledger = await p.stores.ledgers.owed(id);
  return (
    ledger !== undefined &&
    pending(ledger, destination.id).length === 0 &&
    !ledger.editions.some((edition) => edition.destination === destination.id) &&
    (ledger.lastEdition[destination.id] ?? 0) <= from
  );
}

/** Stored before the message is sent, so that no week is told twice. */
async function isFirst(
  p: Pipeline,
  { id }: Subscription,
  destination: Destination,
  slot: number,
): Promise<boolean> {
  let isNew = false;
  const change = (before: unknown) => {
    isNew = before !== slot;
    return slot;
  };
  await p.stores.misc.update(`quiet-week:${id}:${destination.id}`, change, 30 * DAY);
  return isNew;
}

/** The newest postings of the week that exactly one rule removed. */
async function missesOf(
  p: Pipeline,
  { account, id, filter }: Subscription,
  { from, slot }: Week,
): Promise<QuietWeek['misses']> {
  const now = p.clock.now();
  const days = Math.ceil((now - from) / DAY);
  const found = (await p.history.archived(account, days, now)).filter(
    ({ at, subscription }) => subscription === id && at > from && at <= slot,
  );
  return found
    .toReversed()
    .flatMap(({ posting }) => {
      const [rule, ...others] = brokenRules(filter, posting, slot);
      return rule !== undefined && others.length === 0 ? [{ posting, rule }] : [];
    })
    .slice(0, MOST_MISSES);
}
