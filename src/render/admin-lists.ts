// Views of the operator's long lists: subscriptions, waiting deliveries, accounts. A page has at most a hundred
// rows, and a filter by words and by state.
import type {
  AccountReport,
  CoverageReport,
  ListPage,
  ListQuery,
  WaitingReport,
} from '../ports/admin-service.js';
import { type AdminFrame, counted, frameView, moment } from './admin-frame.js';

type Tone = 'good' | 'bad' | 'warn' | 'plain';

const STATES: Readonly<Record<string, readonly [label: string, tone: Tone]>> = {
  active: ['active', 'good'],
  paused: ['paused', 'plain'],
  'no-token': ['no token', 'warn'],
  'token-rejected': ['token rejected', 'bad'],
  parked: ['parked', 'bad'],
  blocked: ['blocked', 'bad'],
  waiting: ['waiting', 'plain'],
  retrying: ['retrying', 'warn'],
  off: ['sink is off', 'warn'],
  ok: ['works', 'good'],
  missing: ['none', 'plain'],
  rejected: ['rejected', 'bad'],
  unreadable: ['key is missing', 'bad'],
};

export function badge(state: string) {
  const [label, tone] = STATES[state] ?? [state, 'plain'];
  return { label, tone };
}

function listView(
  frame: AdminFrame,
  title: string,
  { page, pages, total }: Omit<ListPage<unknown>, 'rows'>,
  query: ListQuery,
  of: { readonly word: string; readonly states: readonly string[] },
) {
  const link = (to: number) => {
    const params = new URLSearchParams({ page: String(to) });
    if (query.filter) params.set('filter', query.filter);
    if (query.state) params.set('state', query.state);
    return `?${params}`;
  };
  return {
    ...frameView(frame, title),
    filter: query.filter ?? '',
    states: of.states.map((state) => ({
      value: state,
      label: badge(state).label,
      on: state === query.state,
    })),
    count: counted(total, of.word),
    isFiltered: Boolean(query.filter ?? query.state),
    place: pages > 1 ? `Page ${page} of ${pages}` : null,
    previous: page > 1 ? link(page - 1) : null,
    next: page < pages ? link(page + 1) : null,
  };
}

export function subscriptionsView(frame: AdminFrame, list: ListPage<CoverageReport>, query: ListQuery) {
  const states = ['active', 'paused', 'no-token', 'token-rejected', 'parked', 'waiting'];
  return {
    ...listView(frame, 'Subscriptions', list, query, { word: 'subscription', states }),
    rows: list.rows.map((row) => subscriptionRow(row, frame.now)),
  };
}

function subscriptionRow(row: CoverageReport, now: number) {
  const { subscription, about, state, why, nextPollAt, nextEditionAt, polledAt, outcome, owed, failures } =
    row;
  const { id, account, origin, destinations } = subscription;
  return {
    id,
    about,
    account,
    origin,
    state: badge(state),
    why: row.stuck.length > 0 ? null : (why ?? null),
    // The target is not shown, because it may be an address.
    stuck: row.stuck.map((place) => ({
      to: place.destination.sink,
      state: badge(place.state).label,
      why: place.why,
      since: moment(place.at, now),
      next: moment(place.nextAt, now),
    })),
    to: destinations.map(({ sink, cadence }) => `${sink}, ${cadence.every}`),
    next: moment(nextPollAt, now),
    edition: state === 'paused' ? null : moment(nextEditionAt, now),
    polled: moment(polledAt, now),
    outcome: outcome ?? null,
    failures: failures > 0 ? `${counted(failures, 'failure')} in a row` : null,
    owed: owed.toLocaleString('en'),
    gaps: row.gaps === 0 ? null : counted(row.gaps, 'gap'),
    gap: moment(row.lastGapAt, now),
  };
}

export function waitingView(frame: AdminFrame, list: ListPage<WaitingReport>, query: ListQuery) {
  const states = ['parked', 'waiting', 'paused', 'off'];
  return {
    ...listView(frame, 'Deliveries', list, query, { word: 'destination', states }),
    rows: list.rows.map((row) => waitingRow(row, frame.now)),
  };
}

export function waitingRow(row: WaitingReport, now: number) {
  const { subscription, account, destination, sink, every, state, postings, attempts, why } = row;
  return {
    subscription,
    account,
    destination,
    sink,
    every,
    state: badge(state),
    postings: postings.toLocaleString('en'),
    oldest: moment(row.oldest, now),
    next: moment(row.nextAt, now),
    since: moment(row.since, now),
    why: why ?? null,
    attempts: attempts > 0 ? counted(attempts, 'attempt') : null,
    // A digest that waits for its day is not stuck.
    canRetry: state === 'parked' || state === 'retrying',
  };
}

export function accountsView(frame: AdminFrame, list: ListPage<AccountReport>, query: ListQuery) {
  const states = ['ok', 'missing', 'rejected'];
  return {
    ...listView(frame, 'Accounts', list, query, { word: 'account', states }),
    rows: list.rows.map(({ account, token, why, at, subscriptions, email, createdAt }) => ({
      account,
      token: badge(token),
      why: why ?? null,
      at: moment(at, frame.now),
      subscriptions: subscriptions.toLocaleString('en'),
      email,
      created: moment(createdAt, frame.now),
    })),
  };
}
