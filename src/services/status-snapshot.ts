// The state of subscriptions and accounts, for figures and the operator's page. Rows are read a page at a time and
// only counted, so that memory use does not grow with their number.
import type { Backlog } from '../domain/backlog.js';
import { pagesOf } from '../domain/edition.js';
import { isPaused, OPERATOR, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { AccountReport, SubscriptionState } from '../ports/admin-service.js';

/** Subscriptions by state, and how many accounts there are. */
export interface StatusSnapshot {
  readonly states: ReadonlyMap<SubscriptionState, number>;
  readonly accounts: number;
}

const PAGE = 500;

/** Destinations of a subscription that are parked now. Those parked before its last resume do not count. */
export function parkedPlaces(
  { destinations, resumedAt }: Subscription,
  backlog: Backlog | undefined,
): readonly string[] {
  const known = new Set(destinations.map((one) => one.id));
  return (backlog?.places ?? [])
    .filter(({ destination, parked }) => parked && parked.resumedAt === resumedAt && known.has(destination))
    .map((place) => place.destination);
}

/** Every account that is stored or has subscriptions. */
export async function accountReports(p: Pipeline): Promise<ReadonlyMap<string, AccountReport>> {
  const found = new Map<string, AccountReport>();
  for await (const { id, hasToken, email, unreadable, createdAt } of p.stores.accounts.list())
    found.set(id, {
      account: id,
      token: hasToken ? 'ok' : 'missing',
      subscriptions: 0,
      email:
        email === undefined
          ? unreadable?.includes('email')
            ? 'unconfirmed'
            : 'none'
          : email.confirmedAt === undefined
            ? 'unconfirmed'
            : 'confirmed',
      createdAt,
    });
  for await (const [account, subscriptions] of p.stores.subscriptions.accounts())
    found.set(account, {
      ...(found.get(account) ?? { account, token: 'missing', email: 'none' }),
      subscriptions,
    });
  const questionable = new Set([OPERATOR]);
  for await (const [account] of p.stores.rejections.entries()) questionable.add(account);
  for (const account of questionable) {
    const report = found.get(account);
    if (!report) continue;
    const token = await p.tokens.of(account);
    found.set(account, {
      ...report,
      token: token.state,
      ...(token.state === 'rejected' ? { why: token.why, at: token.at } : {}),
    });
  }
  return found;
}

async function stateOf(
  p: Pipeline,
  subscription: Subscription,
  token: AccountReport['token'],
  backlog: Backlog | undefined,
): Promise<SubscriptionState> {
  if (isPaused(subscription)) return 'paused';
  if (token === 'rejected') return 'token-rejected';
  if (token !== 'ok') return 'no-token';
  const { id, account, destinations } = subscription;
  if (parkedPlaces(subscription, backlog).length > 0) return 'parked';
  if (destinations.some(({ sink }) => !p.sinks.has(sink))) return 'parked';
  const now = p.clock.now();
  const isTriedLater = backlog?.places.some(({ retryAt = 0 }) => retryAt > now) ?? false;
  let state: SubscriptionState = isTriedLater ? 'waiting' : 'active';
  for (const destination of destinations) {
    const obstacle = await p.sinks
      .get(destination.sink)
      ?.obstacle?.({ account, subscription: id, destination })
      .catch(() => undefined);
    if (obstacle && obstacle.until === undefined) return 'parked';
    if (obstacle) state = 'waiting';
  }
  return state;
}

/** Every subscription with its state. */
export async function* subscriptionStates(
  p: Pipeline,
  accounts: ReadonlyMap<string, AccountReport>,
): AsyncIterable<readonly [Subscription, SubscriptionState]> {
  for await (const page of pagesOf(p.stores.subscriptions.list(), PAGE)) {
    const backlogs = await p.stores.ledgers.backlogs(page.map(({ id }) => id));
    for (const subscription of page) {
      const token = accounts.get(subscription.account)?.token ?? 'missing';
      yield [subscription, await stateOf(p, subscription, token, backlogs.get(subscription.id))] as const;
    }
  }
}

export async function takeSnapshot(p: Pipeline): Promise<StatusSnapshot> {
  const accounts = await accountReports(p);
  const states = new Map<SubscriptionState, number>();
  for await (const [, state] of subscriptionStates(p, accounts))
    states.set(state, (states.get(state) ?? 0) + 1);
  return { states, accounts: accounts.size };
}
