import { pagesOf } from '../domain/edition.js';
import { isPaused, OPERATOR } from '../domain/subscription.js';
const PAGE = 500;
/** Destinations of a subscription that are parked now. Those parked before its last resume do not count. */
export function parkedPlaces({ destinations, resumedAt }, backlog) {
    const known = new Set(destinations.map((one) => one.id));
    return (backlog?.places ?? [])
        .filter(({ destination, parked }) => parked && parked.resumedAt === resumedAt && known.has(destination))
        .map((place) => place.destination);
}
/** Every account that is stored or has subscriptions. */
export async function accountReports(p) {
    const found = new Map();
    for await (const { id, hasToken, email, unreadable, createdAt } of p.stores.accounts.list())
        found.set(id, {
            account: id,
            token: hasToken ? 'ok' : 'missing',
            subscriptions: 0,
            email: email === undefined
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
    for await (const [account] of p.stores.rejections.entries())
        questionable.add(account);
    for (const account of questionable) {
        const report = found.get(account);
        if (!report)
            continue;
        const token = await p.tokens.of(account);
        found.set(account, {
            ...report,
            token: token.state,
            ...(token.state === 'rejected' ? { why: token.why, at: token.at } : {}),
        });
    }
    return found;
}
async function stateOf(p, subscription, token, backlog) {
    if (isPaused(subscription))
        return 'paused';
    if (token === 'rejected')
        return 'token-rejected';
    if (token !== 'ok')
        return 'no-token';
    const { id, account, destinations } = subscription;
    if (parkedPlaces(subscription, backlog).length > 0)
        return 'parked';
    if (destinations.some(({ sink }) => !p.sinks.has(sink)))
        return 'parked';
    const now = p.clock.now();
    const isTriedLater = backlog?.places.some(({ retryAt = 0 }) => retryAt > now) ?? false;
    let state = isTriedLater ? 'waiting' : 'active';
    for (const destination of destinations) {
        const obstacle = await p.sinks
            .get(destination.sink)
            ?.obstacle?.({ account, subscription: id, destination })
            .catch(() => undefined);
        if (obstacle && obstacle.until === undefined)
            return 'parked';
        if (obstacle)
            state = 'waiting';
    }
    return state;
}
/** Every subscription with its state. */
export async function* subscriptionStates(p, accounts) {
    for await (const page of pagesOf(p.stores.subscriptions.list(), PAGE)) {
        const backlogs = await p.stores.ledgers.backlogs(page.map(({ id }) => id));
        for (const subscription of page) {
            const token = accounts.get(subscription.account)?.token ?? 'missing';
            yield [subscription, await stateOf(p, subscription, token, backlogs.get(subscription.id))];
        }
    }
}
export async function takeSnapshot(p) {
    const accounts = await accountReports(p);
    const states = new Map();
    for await (const [, state] of subscriptionStates(p, accounts))
        states.set(state, (states.get(state) ?? 0) + 1);
    return { states, accounts: accounts.size };
}
//# sourceMappingURL=status-snapshot.js.map