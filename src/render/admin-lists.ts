// Views of the operator's long lists: subscriptions, waiting deliveries, accounts. A page has at most a hundred
// rows, and a filter by words and by state.
import type {
  AccountReport,
  CoverageReport,
  ListPage,
  ListQuery,
  PlaceReport,
} from '../ports/admin-service.js';
import type { StuckPlace } from '../ports/services.js';
import { type AdminFrame, frameView, moment } from './admin-frame.js';
import { plainCommands } from './commands.js';
import { describeCadence, describeFilter, sinkName } from './describe.js';
import { fixWords } from './notice.js';
import { type Texts, textsFor } from './texts.js';

type StateName = keyof Texts['page']['admin']['state'];
type Tone = 'good' | 'bad' | 'warn' | 'plain';

const TONES: Readonly<Record<StateName, Tone>> = {
  active: 'good',
  paused: 'plain',
  'no-token': 'warn',
  'token-rejected': 'bad',
  parked: 'bad',
  blocked: 'bad',
  waiting: 'plain',
  retrying: 'warn',
  off: 'warn',
  ok: 'good',
  missing: 'plain',
  rejected: 'bad',
  unreadable: 'bad',
};

export function badge(state: StateName, { page }: Texts) {
  return { label: page.admin.state[state], tone: TONES[state] };
}

/** What has to be done, in the reader's language; without a known fix, the reason in English. Null without either. */
function causeWords({ why, fix }: Partial<Pick<StuckPlace, 'why' | 'fix'>>, texts: Texts): string | null {
  const words = fixWords(fix, texts);
  return words ? `${plainCommands(words, texts)}${why ? ` (${why})` : ''}` : (why ?? null);
}

function listView(
  frame: AdminFrame,
  title: string,
  { page, pages, total }: Omit<ListPage<unknown>, 'rows'>,
  query: ListQuery,
  of: {
    readonly count: 'subscriptions' | 'destinations' | 'accounts';
    readonly states: readonly StateName[];
  },
) {
  const texts = textsFor(frame.locale);
  const { count, filter, paging } = texts.page.admin;
  const link = (to: number) => {
    const params = new URLSearchParams({ page: String(to) });
    if (query.filter) params.set('filter', query.filter);
    if (query.state) params.set('state', query.state);
    return `?${params}`;
  };
  const what = count[of.count]({ count: total });
  const isFiltered = Boolean(query.filter ?? query.state);
  return {
    ...frameView(frame, title),
    filter: query.filter ?? '',
    states: of.states.map((state) => ({
      value: state,
      label: badge(state, texts).label,
      on: state === query.state,
    })),
    count: isFiltered ? filter.found({ what }) : what,
    isFiltered,
    place: pages > 1 ? paging.place({ page, pages }) : null,
    previous: page > 1 ? link(page - 1) : null,
    next: page < pages ? link(page + 1) : null,
  };
}

/** The address of a subscription's own page. */
export function subscriptionUrl({ root }: Pick<AdminFrame, 'root'>, id: string): string {
  return `${root}/admin/subscription?${new URLSearchParams({ id })}`;
}

export function subscriptionsView(frame: AdminFrame, list: ListPage<CoverageReport>, query: ListQuery) {
  return {
    ...listView(frame, textsFor(frame.locale).page.admin.tabs.subscriptions, list, query, {
      count: 'subscriptions',
      states: ['active', 'paused', 'no-token', 'token-rejected', 'parked', 'waiting'],
    }),
    rows: list.rows.map((row) => ({
      ...coverageView(row, frame),
      url: subscriptionUrl(frame, row.subscription.id),
    })),
  };
}

/** A subscription with its polls and its stuck destinations. */
export function coverageView(row: CoverageReport, { now, locale }: AdminFrame) {
  const { subscription, state, why, nextPollAt, nextEditionAt, polledAt, outcome, owed, failures } = row;
  const { id, account, origin, destinations, filter } = subscription;
  const texts = textsFor(locale);
  const { admin } = texts.page;
  const at = (time: number | undefined) => moment(time, now, texts);
  return {
    id,
    about: describeFilter(filter, locale),
    account,
    origin: admin.origin[origin],
    state: badge(state, texts),
    why: row.stuck.length > 0 ? null : (why ?? null),
    // The target is not shown, because it may be an address.
    stuck: row.stuck.map((place) => ({
      to: sinkName(place.destination.sink, texts),
      state: badge(place.state, texts).label,
      why: causeWords(place, texts),
      since: at(place.at),
      next: at(place.nextAt),
    })),
    to: destinations.map(
      ({ sink, cadence }) => `${sinkName(sink, texts)}, ${describeCadence(cadence, locale)}`,
    ),
    next: at(nextPollAt),
    edition: state === 'paused' ? null : at(nextEditionAt),
    polled: at(polledAt),
    outcome: outcome === undefined ? null : outcomeWords(outcome, texts),
    failures: failures > 0 ? admin.count.failures({ count: failures }) : null,
    owed: owed.toLocaleString(texts.intl),
    gaps: row.gaps === 0 ? null : admin.count.gaps({ count: row.gaps }),
    gap: at(row.lastGapAt),
  };
}

/** How the last poll ended. A rare result has only its name. */
function outcomeWords(outcome: string, { page }: Texts): string {
  const words = page.admin.outcome;
  return Object.hasOwn(words, outcome) ? words[outcome as keyof typeof words] : outcome;
}

export function waitingView(frame: AdminFrame, list: ListPage<PlaceReport>, query: ListQuery) {
  return {
    ...listView(frame, textsFor(frame.locale).page.admin.tabs.deliveries, list, query, {
      count: 'destinations',
      states: ['parked', 'waiting', 'paused', 'off'],
    }),
    rows: list.rows.map((row) => waitingRow(row, frame)),
  };
}

export function waitingRow(row: PlaceReport, frame: AdminFrame) {
  const { subscription, account, destination, state, postings, attempts } = row;
  const { locale, now } = frame;
  const texts = textsFor(locale);
  const { count, deliveries } = texts.page.admin;
  const sink = sinkName(row.sink, texts);
  return {
    subscription,
    url: subscriptionUrl(frame, subscription),
    account,
    destination,
    to: `${sink}, ${describeCadence(row.cadence, locale)}`,
    state: badge(state, texts),
    postings: postings.toLocaleString(texts.intl),
    oldest: moment(row.oldest, now, texts),
    next: moment(row.nextAt, now, texts),
    since: moment(row.since, now, texts),
    why: causeWords(row, texts),
    attempts: attempts > 0 ? count.attempts({ count: attempts }) : null,
    // A digest that waits for its day is not stuck.
    retry: state === 'parked' || state === 'retrying' ? deliveries.retryLabel({ subscription, sink }) : null,
  };
}

export function accountsView(frame: AdminFrame, list: ListPage<AccountReport>, query: ListQuery) {
  const texts = textsFor(frame.locale);
  const { tabs, mailState } = texts.page.admin;
  return {
    ...listView(frame, tabs.accounts, list, query, {
      count: 'accounts',
      states: ['ok', 'missing', 'rejected'],
    }),
    rows: list.rows.map(({ account, token, why, at, subscriptions, email, createdAt }) => ({
      account,
      token: badge(token, texts),
      why: why ?? null,
      at: moment(at, frame.now, texts),
      subscriptions: subscriptions.toLocaleString(texts.intl),
      email: mailState[email],
      created: moment(createdAt, frame.now, texts),
    })),
  };
}
