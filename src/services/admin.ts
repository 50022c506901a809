// The operator's view: the subscriptions, accounts and deliveries of all owners. It shows no token and no address. It
// pauses and resumes subscriptions, and frees what is stuck.
import { defined } from '../domain/defined.js';
import { POLL_QUEUE } from '../domain/request.js';
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { DailyStats } from '../pipeline/daily-stats.js';
import { pollStatus } from '../pipeline/poll-result.js';
import type { Scheduler } from '../pipeline/scheduler.js';
import type {
  AccountReport,
  AdminService,
  CoverageReport,
  ListPage,
  ListQuery,
  Overview,
  SubscriptionState,
} from '../ports/admin-service.js';
import type { Services } from '../ports/services.js';
import type { Clock } from '../ports/system.js';
import { reportOn } from './report.js';
import { accountReports, subscriptionStates, takeSnapshot } from './status-snapshot.js';
import { backlogTotals, placeReports, reportWaiting, retryPlace, waiters } from './waiting.js';

const PAGE_SIZE = 100;
const COVERED_MS = 30 * 86_400_000;

/** What needs the operator comes first. */
const ORDER: readonly SubscriptionState[] = [
  'parked',
  'waiting',
  'token-rejected',
  'no-token',
  'active',
  'paused',
];

/** One page of the rows that pass the filter; `text` is what its words are searched in. */
function paged<T>(
  all: readonly T[],
  query: ListQuery,
  of: { readonly state: (one: T) => string; readonly text: (one: T) => string },
): { readonly slice: readonly T[]; readonly page: number; readonly pages: number; readonly total: number } {
  const words = (query.filter ?? '').toLowerCase().split(/\s+/u).filter(Boolean);
  const found = all.filter((one) => {
    if (query.state && of.state(one) !== query.state) return false;
    if (words.length === 0) return true;
    const text = of.text(one).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  const page = Math.min(Math.max(1, Math.floor(query.page ?? 1) || 1), pages);
  const slice = found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return { slice, page, pages, total: found.length };
}

async function withRows<T, R>(
  { slice, ...place }: ReturnType<typeof paged<T>>,
  row: (one: T) => Promise<R | undefined>,
): Promise<ListPage<R>> {
  const rows: R[] = [];
  for (const one of slice) {
    const made = await row(one);
    if (made !== undefined) rows.push(made);
  }
  return { ...place, rows };
}

/** What the search for a subscription looks in: also its targets, except private ones, such as a mail address. */
function wordsOf(p: Pipeline, subscription: Subscription): string {
  const { id, account, destinations, filter } = subscription;
  const places = destinations.map(({ sink, target }) =>
    p.sinks.get(sink)?.isShared?.(target) ? `${sink} ${target}` : sink,
  );
  return [id, account, p.describe(subscription), ...filter.tags, ...places].join(' ');
}

async function waitingLanes(
  { stores }: Pipeline,
  queue: string,
): Promise<{ waiting: number; since?: number }> {
  const { lanes, since } = await stores.lanes.waiting(queue);
  return { waiting: lanes, ...defined({ since }) };
}
const SNAPSHOT_MS = 15_000;

export function createAdminService(
  p: Pipeline,
  scheduler: Scheduler,
  dailyStats: Pick<DailyStats, 'days'>,
  people: Pick<Services, 'pause' | 'resume' | 'preview'>,
): AdminService {
  const backlog = keptFigures(p.clock, () => backlogTotals(p));
  const snapshot = keptFigures(p.clock, () => takeSnapshot(p), SNAPSHOT_MS);

  async function coverage(id: string): Promise<CoverageReport | undefined> {
    const subscription = await p.stores.subscriptions.get(id);
    if (!subscription) return undefined;
    const report = await reportOn(p, scheduler, subscription);
    const since = p.clock.now() - COVERED_MS;
    const gaps = (await p.history.events(id)).filter((event) => event.kind === 'gap' && event.at > since);
    const lastGapAt = gaps[0]?.at;
    return {
      ...report,
      gaps: gaps.length,
      failures: (await pollStatus(p.stores, subscription)).failures,
      ...defined({ lastGapAt }),
    };
  }

  /** Does for the owner of a subscription what the operator wants. Undefined when there is no such subscription. */
  async function asOwner<T>(
    id: string,
    work: (caller: { account: string }, subscription: Subscription) => Promise<T>,
  ): Promise<T | undefined> {
    const subscription = await p.stores.subscriptions.get(id);
    return subscription && work({ account: subscription.account }, subscription);
  }

  return {
    backlog,
    async overview() {
      const { states, accounts } = await snapshot();
      const sinks = [...p.sinks.keys()];
      return {
        ...(await backlog()),
        subscriptions: Object.fromEntries(
          ORDER.map((state) => [state, states.get(state) ?? 0]),
        ) as Overview['subscriptions'],
        accounts,
        pauses: [...p.sinks].flatMap(([sink, one]) =>
          (one.pauses?.() ?? []).map((pause) => ({ ...pause, sink })),
        ),
        queues: await Promise.all(
          [POLL_QUEUE, ...sinks.map((name) => `deliver:${name}`)].map(async (queue) => ({
            queue,
            jobs: (await p.engine.load(queue)).due,
            ...(await waitingLanes(p, queue)),
          })),
        ),
        processes: await p.stores.processes.list(),
        days: await dailyStats.days(p.stores.misc),
      };
    },
    async subscriptions(query) {
      const all: { readonly id: string; readonly state: SubscriptionState; readonly text: string }[] = [];
      for await (const [one, state] of subscriptionStates(p, await accountReports(p)))
        all.push({
          id: one.id,
          state,
          text: query.filter ? wordsOf(p, one) : '',
        });
      all.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.id < b.id ? -1 : 1));
      return withRows(paged(all, query, { state: (one) => one.state, text: (one) => one.text }), (one) =>
        coverage(one.id),
      );
    },
    subscription: (id) =>
      asOwner(id, async (_owner, subscription) => {
        const report = await coverage(id);
        return report && { ...report, places: await placeReports(p, subscription) };
      }),
    preview: (id) => asOwner(id, (owner, { filter }) => people.preview(owner, filter)),
    previewOf: (account, filter) => people.preview({ account }, filter),
    pause: async (id) => (await asOwner(id, (owner) => people.pause(owner, id))) !== undefined,
    resume: async (id) => (await asOwner(id, (owner) => people.resume(owner, id))) !== undefined,
    waiting: async (query) =>
      withRows(
        paged(await waiters(p), query, {
          state: (one) => one.state,
          text: ({ subscription, account, sink }) => `${subscription} ${account} ${sink}`,
        }),
        (one) => reportWaiting(p, one),
      ),
    async accounts(query) {
      const rank = ({ token }: AccountReport) => ['rejected', 'missing', 'ok'].indexOf(token);
      const all = [...(await accountReports(p)).values()].sort(
        (a, b) => rank(a) - rank(b) || (a.account < b.account ? -1 : 1),
      );
      return withRows(
        paged(all, query, { state: (one) => one.token, text: (one) => one.account }),
        async (one) => {
          // Only opening a token shows that its key is gone. This is done for a page of accounts only.
          const stored = one.token === 'ok' ? await p.stores.accounts.get(one.account) : undefined;
          return stored?.unreadable?.includes('token') ? { ...one, token: 'unreadable' as const } : one;
        },
      );
    },
    retry: (subscription, destination) => retryPlace(p, subscription, destination, 'operator'),
  };
}

// Figures that are counted on request. Counting reads rows, so what takes long is counted less often.

/** Counting takes at most this fraction of the time: one part in so many. */
const SHARE = 20;
/** Faster figures are kept for `leastMs` only, milliseconds. */
const FAST_MS = 100;

/**
 * Returns a function that takes figures. Callers that ask at the same time get the same ones. They are kept for
 * `leastMs`, or longer when they took long. If taking them fails, the last ones are returned; the first time, the
 * error is thrown.
 */
function keptFigures<T>(clock: Clock, take: () => Promise<T>, leastMs = 0): () => Promise<T> {
  let running: Promise<T> | undefined;
  let kept: { readonly at: number; readonly ms: number; readonly figures: T } | undefined;

  async function again(): Promise<T> {
    const at = clock.now();
    try {
      const figures = await take();
      const took = clock.now() - at;
      kept = { at, ms: Math.max(leastMs, took > FAST_MS ? took * SHARE : 0), figures };
    } catch (error) {
      if (!kept) throw error;
      // The next call tries again.
      kept = { ...kept, ms: 0 };
    } finally {
      running = undefined;
    }
    return kept.figures;
  }

  return async () => {
    const now = clock.now();
    if (kept && now >= kept.at && now - kept.at < kept.ms) return kept.figures;
    running ??= again();
    return running;
  };
}
