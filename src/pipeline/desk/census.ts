// The state of every subscription and account at once, for figures and the operator's page. One pass over the accounts
// and the few rejections; what is owed and parked is known in memory.
import { isPaused, OPERATOR, type Subscription } from '../../domain/subscription.js';
import type { AccountReport, SubscriptionState } from '../../ports/admin-desk.js';
import type { Pipeline } from '../context.js';

/** By subscription and by account. */
export interface Census {
  readonly states: ReadonlyMap<string, SubscriptionState>;
  readonly accounts: ReadonlyMap<string, AccountReport>;
}

const KEPT_MS = 15_000;

/** Destinations of a subscription that are parked now, and not since before its last resume. */
export function parkedPlaces(p: Pipeline, { id, destinations, resumedAt }: Subscription): readonly string[] {
  const places = p.ledgers.debts().get(id)?.places ?? [];
  const known = new Set(destinations.map((one) => one.id));
  return places
    .filter(({ destination, parked }) => parked && parked.resumedAt === resumedAt && known.has(destination))
    .map((place) => place.destination);
}

async function countAccounts(p: Pipeline): Promise<Map<string, AccountReport>> {
  const found = new Map<string, AccountReport>();
  const blank = (account: string): AccountReport => ({
    account,
    token: 'missing',
    subscriptions: p.catalogue.byAccount(account).length,
    email: 'none',
  });
  for await (const { id, hasToken, email, unreadable, createdAt } of p.stores.accounts.list())
    found.set(id, {
      ...blank(id),
      token: hasToken ? 'ok' : 'missing',
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
  for (const { account } of p.catalogue.all()) if (!found.has(account)) found.set(account, blank(account));
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
): Promise<SubscriptionState> {
  if (isPaused(subscription)) return 'paused';
  if (token === 'rejected') return 'token-rejected';
  if (token !== 'ok') return 'no-token';
  const { id, account, destinations } = subscription;
  if (parkedPlaces(p, subscription).length > 0) return 'parked';
  if (destinations.some(({ sink }) => !p.sinks.has(sink))) return 'parked';
  const now = p.clock.now();
  const isTriedLater =
    p.ledgers
      .debts()
      .get(id)
      ?.places.some(({ retryAt = 0 }) => retryAt > now) ?? false;
  let state: SubscriptionState = isTriedLater ? 'waiting' : 'active';
  for (const destination of destinations) {
    // What the store would have to be asked for is not known while it does not work.
    const obstacle = await p.sinks
      .get(destination.sink)
      ?.obstacle?.({ account, subscription: id, destination })
      .catch(() => undefined);
    if (obstacle && obstacle.until === undefined) return 'parked';
    if (obstacle) state = 'waiting';
  }
  return state;
}

/** While the store does not work there is only what is in memory: exactly then somebody looks. */
async function take(p: Pipeline): Promise<Census & { readonly whole: boolean }> {
  const accounts = await countAccounts(p).catch(() => undefined);
  const states = new Map<string, SubscriptionState>();
  for (const subscription of p.catalogue.all()) {
    const token = accounts ? (accounts.get(subscription.account)?.token ?? 'missing') : 'ok';
    states.set(subscription.id, await stateOf(p, subscription, token));
  }
  return { states, accounts: accounts ?? new Map(), whole: accounts !== undefined };
}

/** Counts when asked, at most every quarter of a minute; what was counted without the store is not kept. */
export function createCensus(p: Pipeline): () => Promise<Census> {
  let kept: { readonly at: number; readonly census: ReturnType<typeof take> } | undefined;
  return () => {
    const now = p.clock.now();
    if (kept && now >= kept.at && now - kept.at < KEPT_MS) return kept.census;
    const census = take(p);
    kept = { at: now, census };
    void census.then(({ whole }) => {
      if (!whole && kept?.census === census) kept = undefined;
    });
    return census;
  };
}
