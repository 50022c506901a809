// Creates, changes and removes subscriptions for people. Everything is checked before anything is stored. A change
// takes effect in the running service before the call returns.
import { defined } from '../domain/defined.js';
import { asDeliveryError, reasonOf, refusal, UserError } from '../domain/errors.js';
import { isSameFilter } from '../domain/filter.js';
import {
  backFrom,
  type Destination,
  destinationEntry,
  isPaused,
  parseSubscription,
  pausedFrom,
  resumedFrom,
  type Subscription,
  type SubscriptionContext,
} from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { PollResult } from '../pipeline/poll-result.js';
import { removedOf } from '../pipeline/removed.js';
import type { Scheduler } from '../pipeline/scheduler.js';
import { followSubscription, removeSubscription, retireSubscription } from '../pipeline/subscription-sync.js';
import { explain } from '../pipeline/why.js';
import type { LinkBook } from '../ports/mail-service.js';
import type { Caller, Draft, Services } from '../ports/services.js';
import type { Room, UpdateOptions } from '../ports/stores.js';
import type { Forget } from './accounts.js';
import type { Interactive } from './interactive.js';
import { reportOn } from './report.js';
import { sendTest } from './send-test.js';

export interface ServiceSettings {
  readonly liveSchedule: string;
  readonly subscriptionsPerAccount: number;
  readonly subscriptionsPerServer: number;
  /** A fresh id for a subscription: short enough to be typed. */
  readonly newId: () => string;
  /** 32 random bytes in base64url, for an access key or a session. */
  readonly newSecret: () => string;
  /** The signed links of pages; absent in a program without pages. */
  readonly links?: LinkBook;
  /** Where AI assistants use an access key. */
  readonly agentUrl?: string | undefined;
  /** Longest time that a person waits for the jobs API in one call, milliseconds. */
  readonly interactiveMs: number;
  /** Other parts that keep records of people. Each deletes its own when an account is erased. */
  readonly forget?: readonly Forget[];
  /** Aborts when the process is about to end. A call that a person waits for then ends with a message. */
  readonly stopping?: AbortSignal;
}

/** How far back a person is likely to ask about a posting. */
const RECENT_DAYS = 3;

type SubscriptionService = Pick<
  Services,
  | 'subscribe'
  | 'subscriptions'
  | 'subscription'
  | 'edit'
  | 'pause'
  | 'resume'
  | 'remove'
  | 'restore'
  | 'why'
  | 'history'
  | 'recent'
  | 'sendTest'
>;

type Edit = Parameters<Services['edit']>[2];

export function createSubscriptionService(
  p: Pipeline,
  scheduler: Scheduler,
  settings: ServiceSettings,
  interactive: Interactive,
): SubscriptionService {
  const { subscriptions } = p.stores;

  function contextFor(timezone: string): SubscriptionContext {
    return {
      origin: 'discord',
      now: p.clock.now(),
      liveSchedule: settings.liveSchedule,
      defaultTimezone: timezone,
      parseTarget(sink, target) {
        const known = p.sinks.get(sink);
        if (!known)
          throw refusal(
            'sinkOff',
            `${sink}: this way of delivery is off here; the operator can turn it on in the settings.`,
          );
        return known.parseTarget(target);
      },
    };
  }

  /**
   * Stores a subscription, unless the account already has the same one, even one stored at the same moment. Returns
   * that one.
   */
  async function add(subscription: Subscription): Promise<Subscription | undefined> {
    let same: Subscription | undefined;
    const beside = (others: readonly Subscription[]) => {
      same = sameOf(subscription, others);
      return same === undefined;
    };
    await subscriptions.update(subscription.id, () => subscription, {
      room: { ...room, beside },
      firstAskMs,
    });
    if (!same) await followSubscription(p, subscription.id);
    return same;
  }

  /**
   * Changes the subscription as it is stored now: another process may have changed or removed it since it was read
   * here.
   */
  async function change(
    caller: Caller,
    id: string,
    edit: (former: Subscription) => Subscription,
    options: UpdateOptions = {},
  ): Promise<void> {
    await subscriptions.update(id, (former) => edit(mustOwn(caller, former)), { room, ...options });
    await followSubscription(p, id);
  }

  async function mustHaveToken(account: string): Promise<void> {
    const token = await p.tokens.of(account);
    if (token.state === 'missing')
      throw refusal('noToken', 'You have no API token yet. Set it with /token set, then subscribe again.');
    if (token.state === 'rejected')
      throw refusal(
        'tokenRejected',
        'The jobs board no longer accepts your token. Set a new one with /token set, then subscribe again.',
      );
  }

  const { subscriptionsPerAccount: own, subscriptionsPerServer: server } = settings;
  const room: Room = {
    account: own,
    server,
    full: (of) =>
      of === 'account'
        ? refusal(
            'capAccount',
            `You have ${own} subscriptions, the most allowed here. Remove one with /jobs remove first.`,
            own,
          )
        : refusal(
            'capServer',
            `This server has ${server} subscriptions, the most allowed here. Remove one with /jobs remove first.`,
            server,
          ),
  };
  // The scheduled first request comes after the interactive one. Otherwise an API that fails would get both
  // immediately after each other.
  const firstAskMs = settings.interactiveMs;

  /**
   * Polls once now, in the same lane as every other poll. This records the baseline and proves the token. Returns how
   * many current postings match.
   */
  async function baseline(subscription: Subscription): Promise<number> {
    try {
      const { outcome } = await interactive((signal) => scheduler.pollNow(subscription.id, signal));
      if (!['baseline', 'recorded', 'unchanged', 'partial'].includes(outcome)) throw notStarted(outcome);
    } catch (error) {
      if (error instanceof UserError) await removeSubscription(p, subscription.id);
      throw error;
    }
    const { seen } = await p.ledgers.readAll(subscription.id);
    return Object.values(seen).filter((one) => one.fate !== 'filtered').length;
  }

  /** The account's subscription with the same filter and a destination in common. */
  function sameOf(
    { id, filter, destinations }: Subscription,
    others: readonly Subscription[],
  ): Subscription | undefined {
    return others.find(
      (other) =>
        other.id !== id &&
        isSameFilter(other.filter, filter) &&
        other.destinations.some((one) => destinations.some((mine) => mine.id === one.id)),
    );
  }

  /**
   * Polls once before the call returns: what the API shows now was posted during the pause, and what comes later is
   * new. The call does not wait for an API that takes longer; the next poll looks again.
   */
  async function lookAtOnce(id: string): Promise<void> {
    // Failures are reported by the poll itself, which is tried again.
    await interactive((signal) => scheduler.pollNow(id, signal)).catch(() => undefined);
  }

  const report = (subscription: Subscription) => reportOn(p, scheduler, subscription);
  const again = async (caller: Caller, id: string) => report(await owned(p, caller, id));

  return {
    async subscribe(caller, draft) {
      const subscription = draftOf(draft, caller);
      await mustHaveToken(caller.account);
      const mine = await subscriptions.byAccount(caller.account);
      const known = sameOf(subscription, mine);
      if (known) return { report: await report(known) };
      // Refused before its destination gets a welcome message. The commit checks the same limits again, against
      // changes made at the same moment.
      if (mine.length >= own) throw room.full('account');
      const { guild } = subscription;
      if (guild && (await subscriptions.byServer(guild)).length >= server) throw room.full('server');
      await welcome(p, subscription, subscription.destinations);
      // Checked again: the person may have deleted everything while the welcome message was sent.
      await mustHaveToken(caller.account);
      const same = await add(subscription);
      if (same) return { report: await report(same) };
      const matchesNow = await baseline(subscription);
      return { report: await again(caller, subscription.id), matchesNow };
    },
    async subscriptions(caller) {
      const mine = await subscriptions.byAccount(caller.account);
      const managed = caller.manages ? await subscriptions.byServer(caller.manages) : [];
      const all = [...new Map([...mine, ...managed].map((one) => [one.id, one])).values()];
      return Promise.all(all.sort((a, b) => a.createdAt - b.createdAt).map(report));
    },
    subscription: async (caller, id) => report(await owned(p, caller, id)),
    async edit(caller, id, wanted) {
      const former = await owned(p, caller, id);
      const checked = (now: Subscription) => {
        mustBeOurs(now);
        mustStayInReach(caller, now, wanted.guild);
        return editedFrom(now, wanted);
      };
      const next = checked(former);
      const isNew = ({ id: place }: Destination) => !former.destinations.some((one) => one.id === place);
      await welcome(p, next, next.destinations.filter(isNew));
      await change(caller, id, checked);
      return again(caller, id);
    },
    async pause(caller, id, until) {
      await change(caller, id, (former) => pausedFrom(former, p.clock.now(), until));
      return again(caller, id);
    },
    async resume(caller, id) {
      const former = await owned(p, caller, id);
      await change(caller, id, (one) => resumedFrom(one, p.clock.now()), { firstAskMs });
      if (isPaused(former)) await lookAtOnce(id);
      return again(caller, id);
    },
    async remove(caller, id) {
      const former = await owned(p, caller, id);
      mustBeOurs(former);
      await retireSubscription(p, former.id);
    },
    async restore(caller, id) {
      const removed = mustOwn(caller, (await removedOf(p.stores, id, p.clock.now()))?.subscription);
      await subscriptions.update(id, (before) => before ?? removed, { room });
      await followSubscription(p, id);
      return again(caller, id);
    },
    why: async (caller, id, posting) => explain(p.stores, await owned(p, caller, id), posting, p.clock.now()),
    sendTest: async (caller, id) => sendTest(p, await owned(p, caller, id)),
    async recent(caller, id) {
      const account = id === undefined ? caller.account : (await owned(p, caller, id)).account;
      const found = await p.history.archived(account, RECENT_DAYS, p.clock.now());
      return found
        .filter((one) => account === caller.account || one.subscription === id)
        .map(({ posting: { key, title, company } }) => ({ key, ...defined({ title, company }) }))
        .reverse();
    },
    history: async (caller, id) => p.history.events((await owned(p, caller, id)).id),
  };

  /** The subscription with the values of the form. Values that the form does not have stay as they are. */
  function editedFrom(former: Subscription, wanted: Edit): Subscription {
    const index = wanted.destinationId
      ? former.destinations.findIndex((one) => one.id === wanted.destinationId)
      : former.destinations.length - 1;
    if (index < 0)
      throw refusal('oldButton', 'That destination no longer exists. /jobs show lists the current ones.');
    const destinations = former.destinations.flatMap((one, at) => {
      if (at !== index || wanted.destination === undefined) return [asEntry(one, former.schedule.timezone)];
      return wanted.destination === null ? [] : [wanted.destination];
    });
    const locale = wanted.locale ?? former.locale;
    const edited = parseSubscription(
      {
        id: former.id,
        account: former.account,
        filter: wanted.filter ?? former.filter,
        schedule: wanted.schedule ?? former.schedule.cron,
        timezone: wanted.timezone ?? former.schedule.timezone,
        destinations,
        newest: former.newest,
        reposts: wanted.reposts ?? former.reposts,
        ...defined({ locale: locale || undefined }),
      },
      { ...contextFor(former.schedule.timezone), now: former.createdAt, origin: former.origin },
    );
    const { guild: _former, ...kept } = former;
    const guild = wanted.guild === undefined ? former.guild : wanted.guild;
    const next = { ...kept, ...edited, ...defined({ guild: guild || undefined }) };
    // Moved out of a server that the bot has left, it no longer waits for the bot's return.
    return guild === former.guild ? next : backFrom(next, p.clock.now());
  }

  function draftOf(draft: Draft, caller: Caller): Subscription {
    const entry = {
      id: settings.newId(),
      account: caller.account,
      filter: draft.filter,
      schedule: draft.schedule ?? 'live',
      ...defined({ timezone: draft.timezone || undefined }),
      destinations: [draft.destination],
      ...defined({ locale: draft.locale ?? (caller.locale || undefined) }),
    };
    const subscription = parseSubscription(entry, contextFor(draft.timezone ?? 'UTC'));
    return draft.guild ? { ...subscription, guild: draft.guild } : subscription;
  }
}

/** The error for a subscription that could not start because its first poll got no answer. */
function notStarted(outcome: PollResult['outcome']): UserError {
  if (outcome === 'rejected')
    return refusal(
      'tokenRejected',
      'The jobs board does not accept your token. Set a new one with /token set, then subscribe again.',
    );
  if (outcome === 'throttled')
    return refusal(
      'boardBusy',
      'The jobs board asks for a pause with your token. Nothing was stored; try again in a few minutes.',
    );
  return refusal(
    'boardAway',
    'The jobs board does not answer right now. Nothing was stored; try again in a few minutes.',
  );
}

/** A destination as an entry to parse. One that uses the subscription's time zone continues to do so. */
function asEntry(destination: Destination, timezone: string): unknown {
  const { timezone: own, ...entry } = destinationEntry(destination);
  return own === timezone ? entry : { ...entry, timezone: own };
}

/**
 * Throws a UserError if a person who only manages the server moves the subscription out of it: it uses its owner's
 * token.
 */
function mustStayInReach(caller: Caller, former: Subscription, guild: string | null | undefined): void {
  if (former.account === caller.account || guild === undefined || guild === caller.manages) return;
  throw refusal('ownersMove', 'Only its owner can move this subscription out of the server.');
}

/** Throws a UserError for a subscription from the file: a change here would be undone at the next start. */
function mustBeOurs(subscription: Subscription): void {
  if (subscription.origin === 'file')
    throw refusal(
      'fromFile',
      `${subscription.id} is kept in the operator's subscriptions file; it can be paused here, but is changed there.`,
    );
}

// Who may do what with a subscription. Commands, buttons and pages all use these checks, so a forged button or a
// stale message gets the same answer as an honest mistake.

/** True for the owner, and for a person who manages the server that the subscription belongs to. */
function mayChange(caller: Caller, subscription: Subscription): boolean {
  if (subscription.account === caller.account) return true;
  return caller.manages !== undefined && subscription.guild === caller.manages;
}

/** Returns the subscription. Throws the same UserError for one of another owner as for a missing one. */
export async function owned(p: Pipeline, caller: Caller, id: string): Promise<Subscription> {
  return mustOwn(caller, await p.stores.subscriptions.get(id));
}

/** The same for a subscription that the caller has read. */
function mustOwn(caller: Caller, subscription: Subscription | undefined): Subscription {
  if (subscription && mayChange(caller, subscription)) return subscription;
  throw refusal('noSuch', 'There is no such subscription of yours. /jobs list shows the ones you have.');
}

// Tries a new destination immediately, so that a closed one is reported now and not by the first posting.

/** Time limit, because a person waits for the answer. */
const PATIENCE_MS = 8_000;

/**
 * Throws a UserError when one of the destinations can't be written to. One that only can't be reached now is tried
 * again by the first edition.
 */
async function welcome(
  p: Pipeline,
  subscription: Subscription,
  destinations: readonly Destination[],
): Promise<void> {
  for (const destination of destinations) {
    const context = {
      about: p.describe(subscription),
      locale: subscription.locale ?? 'en',
      signal: AbortSignal.timeout(PATIENCE_MS),
    };
    try {
      await p.sinks.get(destination.sink)?.welcome?.(destination, context);
    } catch (error) {
      const failed = asDeliveryError(error);
      if (failed?.fault === 'target' && failed.fix === 'noSharedServer')
        throw refusal(
          'dmNoServer',
          'The bot shares no server with you, so Discord does not let it message you. Nothing was stored; join a server it is in or install it for yourself, then try again.',
        );
      if (failed?.fault === 'target')
        throw refusal(
          'dmClosed',
          'Discord does not let the bot write to you. Nothing was stored; allow direct messages from members of this server, then try again, or choose another place.',
        );
      p.log.warn(
        { sink: destination.sink, destination: destination.id, reason: reasonOf(error) },
        'a new place could not be tried',
      );
    }
  }
}
