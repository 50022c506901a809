// Views of every web page to try templates on, each once with all fields and once with as few as possible.
import { defined } from '../domain/defined.js';
import { parseFilter } from '../domain/filter.js';
import type { Posting } from '../domain/posting.js';
import { exclusions, wishes } from '../domain/rule-change.js';
import { secret } from '../domain/secret.js';
import { STAGES } from '../domain/stages.js';
import type { Subscription } from '../domain/subscription.js';
import type { CoverageReport, Overview, PlaceReport } from '../ports/admin-service.js';
import type { MarkedPosting, RuleAdvice } from '../ports/services.js';
import type { LogLine } from '../ports/system.js';
import { accessView } from './access-view.js';
import { entriesView } from './admin-entries.js';
import type { AdminFrame } from './admin-frame.js';
import { accountsView, subscriptionsView, waitingView } from './admin-lists.js';
import { subscriptionView } from './admin-subscription.js';
import { checksView, logView, overviewView, signInView } from './admin-view.js';
import { archiveView, postingsOf } from './archive-view.js';
import { editionPageView } from './digest-view.js';
import { feedbackView } from './feedback-view.js';
import { jobsView } from './jobs-view.js';
import { managedView, manageView } from './manage-view.js';
import { button, messageView, quietLink } from './page-views.js';
import { formOf, preferencesView } from './preferences-view.js';
import { SAMPLE_LINKS, sampleDelivery, samplePostings } from './samples.js';
import { setupCodeView, setupView } from './setup-view.js';
import { startView } from './start-view.js';
import type { Samples } from './templates.js';

const NOW = Date.UTC(2026, 10, 23, 8);

function sampleSubscription(origin: Subscription['origin']): Subscription {
  const { destination, account } = sampleDelivery();
  return {
    id: 'sample',
    account,
    origin,
    filter: parseFilter({ tags: ['solidity', 'rust'], remote: true, minSalary: 80_000 }),
    schedule: { cron: '*/15 * * * *', timezone: 'Europe/Berlin' },
    destinations: [destination],
    newest: 0,
    reposts: false,
    createdAt: NOW,
  };
}

/** What a posting suggests, of which the first is made; or that its rule can't be changed. */
function sampleAdvice(posting: Posting, isLocked: boolean): RuleAdvice {
  const subscription = sampleSubscription('discord');
  if (isLocked) return { subscription, locked: 'notYourRule', offers: [] };
  const { filter } = subscription;
  const choices = [...exclusions(filter, posting, NOW), ...wishes(filter, posting, NOW)];
  return {
    subscription,
    offers: choices.map((one, index) => ({
      ...one,
      effect: { of: 7 * index, count: index },
      isMade: index === 0,
    })),
  };
}

/** Every page by the name of its template. */
export function samplePages(locale = 'en'): Samples['pages'] {
  const source = 'Example Jobs';
  const base = '';
  const delivery = sampleDelivery('weekly', locale);
  const messages = [
    messageView(locale, source, ({ wrongLink }) => ({ title: wrongLink.title, texts: [wrongLink.text] })),
    messageView(locale, source, ({ unsubscribe }) => ({
      title: unsubscribe.title,
      texts: [unsubscribe.text],
      actions: [button(unsubscribe.button, '/sample'), quietLink(unsubscribe.rather, '/sample')],
    })),
  ].map((view) => ({ ...view, base }));
  const edition = (links: Parameters<typeof editionPageView>[1]['links'], postings = delivery.postings) => ({
    ...editionPageView({ ...delivery, postings }, { now: NOW, links }),
    base,
  });
  const subscription = sampleSubscription('discord');
  const preferences = (full: boolean, pause = {}) => ({
    ...preferencesView({
      subscription: full ? { ...subscription, ...pause } : sampleSubscription('file'),
      destination: delivery.destination,
      about: delivery.about,
      locale,
      source,
      stopped: !full,
      ...defined({
        done: full
          ? { what: 'saved', former: formOf(subscription, delivery.destination, locale) }
          : undefined,
        estimate: full
          ? { perWeek: 12, unknown: ['solidity'], looked: 60, matches: 48, removes: [] }
          : undefined,
      }),
      faults: full ? [{ field: 'at', text: 'Time: write it like 09:00.' }] : [],
      urls: { self: '/sample', unsubscribe: full ? '/sample' : null, restart: '/sample', feed: '/sample' },
      ...defined({ contact: full ? undefined : 'jobs@example.org' }),
      isMail: full,
      mayArchive: !full,
      ...defined({ session: full ? undefined : { csrf: 'sample', back: '/sample' } }),
      kept: full ? samplePostings() : [],
      accessSince: full ? NOW : undefined,
      now: NOW,
    }),
    base,
  });
  const start = (full: boolean) => ({
    ...startView({
      locale,
      source,
      sinks: full ? ['discord', 'email'] : [],
      invite: full ? 'https://discord.com/oauth2/authorize?client_id=1' : undefined,
      works: full,
      isDiscordAway: full,
    }),
    base,
  });
  const editionRecord = { ...delivery, id: 'sample', rest: [], slot: NOW };
  const archivePage = (items: ReturnType<typeof postingsOf>, about: string) => ({
    ...archiveView(items, { locale, source, about, feed: '/sample' }),
    base,
  });
  const noLinks = { unsubscribe: null, preferences: null, browser: null };
  return {
    start: [start(true), start(false)],
    'setup-code': [true, false].map((isWrong) => ({ ...setupCodeView(locale, isWrong), base })),
    setup: [true, false].map((full) => ({
      ...setupView({
        locale,
        csrf: 'sample',
        form: {
          url: 'https://jobs.example.org',
          tags: 'rust',
          include: '',
          country: '',
          remote: full,
          destination: 'console',
        },
        isTried: full,
        faults: full ? [] : ['tags: wanted a tag.'],
        preview: full
          ? { about: delivery.about, matches: samplePostings(), looked: 40, weeks: [], removedBy: [] }
          : undefined,
        now: NOW,
      }),
      base,
    })),
    message: messages,
    confirm: messages,
    unsubscribe: messages,
    erase: messages,
    edition: [edition(SAMPLE_LINKS), edition(noLinks, delivery.postings.slice(-1))],
    preferences: [
      preferences(true),
      preferences(true, { pausedAt: NOW, pausedUntil: NOW + 30 * DAY }),
      preferences(false),
    ],
    archive: [archivePage(postingsOf([editionRecord]), 'Rust'), archivePage([], 'Rust')],
    ...sampleManagePages(locale, subscription),
    feedback: samplePostings().map((posting, index) => ({
      ...feedbackView({
        posting,
        mark: (['saved', 'applied', 'dismissed'] as const)[index],
        wanted: index === 3 ? 'like' : index % 2 > 0 ? 'dismissed' : undefined,
        advice: index < 2 ? undefined : sampleAdvice(posting, index === 4),
        url: '/sample',
        locale,
        source,
        now: NOW,
      }),
      base,
    })),
    ...sampleAdminPages(locale, {
      subscription: sampleSubscription('cli'),
      about: delivery.about,
      state: 'parked',
      why: 'the channel is gone',
      nextPollAt: NOW,
      nextEditionAt: NOW,
      polledAt: NOW,
      outcome: 'recorded',
      owed: 3,
      stuck: [],
      gaps: 2,
      lastGapAt: NOW,
      failures: 1,
    }),
  };
}

/** Views of the pages of a session, each once with all fields and once with as few as possible. */
function sampleManagePages(locale: string, subscription: Subscription): Samples['pages'] {
  const base = '';
  const frame = { locale, timezone: 'UTC', source: 'Example Jobs', base, csrf: 'sample', now: NOW };
  const report = { subscription, about: 'Rust', state: 'active', failures: 0, owed: 0, stuck: [] } as const;
  const [destination] = subscription.destinations;
  const stuck = destination ? [{ destination, state: 'parked', why: 'it is gone' } as const] : [];
  const full = {
    report: {
      ...report,
      state: 'parked',
      nextPollAt: NOW,
      nextEditionAt: NOW,
      polledAt: NOW,
      owed: 3,
      stuck,
    },
    names: [{ channel: 'jobs', server: 'Rust Berlin' }],
  } as const;
  const paused = {
    report: { ...report, subscription: { ...subscription, pausedAt: NOW }, state: 'paused' },
    names: [],
  } as const;
  const preview = { about: 'Rust', matches: samplePostings(), looked: 40, removedBy: [] };
  const editionUrl = () => '/sample';
  const quiet = { ...frame, done: undefined };
  return {
    manage: [
      { ...manageView([full, paused], { ...frame, done: 'pausedDone' }, '/sample'), base },
      { ...manageView([], quiet, '/sample'), base },
    ],
    'manage-jobs': [sampleMarks(), []].map((marked, index) => ({
      ...jobsView(marked, index === 0, { ...quiet, done: index === 0 ? 'movedDone' : undefined }),
      base,
    })),
    'manage-access': [
      accessView({ write: true, madeAt: NOW }, secret('sample'), 'https://jobs.example/mcp', quiet),
      accessView(undefined, undefined, undefined, { ...quiet, done: 'accessRevokedDone' }),
    ].map((view) => ({ ...view, base })),
    'manage-one': [
      managedView(
        full,
        { ...frame, done: 'resumedDone' },
        {
          events: [
            { at: NOW, kind: 'sent', count: 3, edition: 'sample' },
            { at: NOW, kind: 'parked', why: 'it is gone' },
          ],
          preview: { ...preview, weeks: [3, 0, 7, 2] },
          editionUrl,
          archive: 'https://jobs.example.org/archive/sample',
        },
      ),
      managedView(paused, quiet, {
        events: [],
        preview: { ...preview, weeks: [] },
        editionUrl,
        archive: null,
      }),
      managedView(paused, quiet, { events: [], preview: 'Try again later.', editionUrl, archive: null }),
      managedView(paused, quiet, { events: [], preview: undefined, editionUrl, archive: null }),
    ].map((view) => ({ ...view, base })),
  };
}

/** Postings in every stage; the first are saved, one of them from a card of another account. */
function sampleMarks(): readonly MarkedPosting[] {
  return samplePostings().map(({ key, applyUrl, ...posting }, index) => ({
    key,
    mark: STAGES[Math.max(0, index - 1)] ?? 'closed',
    at: NOW - index * DAY,
    before: [{ mark: 'saved', at: NOW - 9 * DAY }],
    posting: { ...posting, key, ...defined({ applyUrl: index === 1 ? undefined : applyUrl }) },
    ...defined({ card: index < 3 ? 'https://discord.com/channels/1/2/3' : undefined }),
  }));
}

// Views of the operator's pages, each once with all fields and once with as few as possible.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function frameOf(locale: string, tab: AdminFrame['tab'], full: boolean): AdminFrame {
  return {
    tab,
    locale,
    root: full ? '..' : '.',
    csrf: full ? 'sample' : '',
    version: '1.0.0',
    source: 'Example Jobs',
    now: NOW,
    startedAt: NOW - 30 * HOUR,
    notice: full ? 'retried' : undefined,
    hasChecks: full,
  };
}

const LINE: LogLine = {
  at: new Date(NOW - HOUR).toISOString(),
  level: 'warn',
  message: 'delivery failed',
  fields: { subscription: 'sample', attempt: 2 },
};

const WAITING: PlaceReport = {
  subscription: 'sample',
  account: 'operator',
  destination: 'sample',
  sink: 'discord',
  cadence: { every: 'immediate', timezone: 'UTC' },
  state: 'parked',
  postings: 3,
  oldest: NOW - 2 * HOUR,
  attempts: 1,
  nextAt: NOW + HOUR,
  since: NOW - HOUR,
  why: 'the channel is gone',
};

const OVERVIEW: Overview = {
  subscriptions: { active: 3, paused: 1, 'no-token': 0, 'token-rejected': 1, parked: 1, waiting: 0 },
  accounts: 4,
  outbox: 12,
  oldest: NOW - 5 * HOUR,
  edition: NOW - HOUR,
  parked: 1,
  pauses: [
    { sink: 'email', place: 'mail.example', until: NOW + HOUR, why: 'status 5.7.26' },
    { sink: 'email', place: '', until: NOW + HOUR, why: 'the mail relay refuses us (SMTP 535 5.7.8 to us)' },
  ],
  queues: [
    { queue: 'poll', jobs: 1, waiting: 0 },
    { queue: 'deliver:discord', jobs: 2, waiting: 1, since: NOW - 20_000 },
  ],
  processes: [
    { id: 'a', role: 'control', host: 'crier-1', pid: 7, since: NOW - HOUR, turns: 0 },
    { id: 'b', role: 'worker', host: 'crier-2', pid: 7, since: NOW - HOUR, turns: 4_200 },
  ],
  days: [
    { day: '2026-11-22', postings: 10, delivered: 8, failed: 1 },
    { day: '2026-11-23', postings: 0, delivered: 0, failed: 0 },
  ],
};

const { nextAt: _next, since: _since, why: _why, oldest: _oldest, ...BARE } = WAITING;

function list<T>(rows: readonly T[]) {
  return { rows, page: 2, pages: 3, total: 250 };
}

const NOTHING = { rows: [], page: 1, pages: 1, total: 0 };

/** Views by the name of the template. `covered` is a subscription with all fields. */
function sampleAdminPages(locale: string, covered: CoverageReport): Samples['pages'] {
  const frame = (tab: AdminFrame['tab'], full: boolean) => frameOf(locale, tab, full);
  const {
    nextPollAt: _poll,
    polledAt: _polled,
    outcome: _outcome,
    lastGapAt: _gap,
    why: _why,
    ...bare
  } = covered;
  const report = { ok: true, parts: { store: { ok: true }, scheduler: { ok: true, lagMs: 0 } } };
  const { oldest: _oldest, edition: _edition, ...calm } = OVERVIEW;
  const query = { filter: 'rust', state: 'active' };
  return {
    admin: [
      overviewView(frame('overview', true), {
        figures: { overview: OVERVIEW, stuck: list([WAITING]) },
        report,
        recent: [LINE],
      }),
      overviewView(frame('overview', false), {
        figures: { overview: { ...calm, parked: 0, pauses: [], queues: [], days: [] }, stuck: NOTHING },
        report: { ok: false, parts: { store: { ok: false, why: 'full' }, discord: { ok: false } } },
        recent: [],
      }),
      overviewView(frame('overview', false), { report, recent: [] }),
    ],
    'admin-sign-in': [
      signInView(frame('sign-in', true), { wait: 30, tried: true }),
      signInView(frame('sign-in', false), { wait: 0, tried: false }),
    ],
    'admin-subscriptions': [
      subscriptionsView(frame('subscriptions', true), list([covered, { ...bare, gaps: 0 }]), query),
      subscriptionsView(frame('subscriptions', false), NOTHING, {}),
    ],
    'admin-subscription': [
      subscriptionView(
        frame('subscriptions', true),
        { ...covered, places: [WAITING, { ...BARE, state: 'active', postings: 0, attempts: 0 }] },
        true,
        { about: covered.about, matches: samplePostings(), looked: 40, weeks: [], removedBy: [] },
      ),
      subscriptionView(
        frame('subscriptions', false),
        { ...bare, state: 'paused', gaps: 0, places: [] },
        false,
        'failed',
      ),
      subscriptionView(
        frame('subscriptions', false),
        { ...bare, state: 'no-token', places: [] },
        false,
        undefined,
      ),
    ],
    'admin-entries': [
      entriesView(frame('subscriptions', true), {
        text: '- id: sample',
        checked: { added: ['sample'], changed: ['other'], unchanged: 1 },
        preview: { about: covered.about, matches: samplePostings(), looked: 40, weeks: [], removedBy: [] },
      }),
      entriesView(frame('subscriptions', false), { text: '', faults: ['subscriptions:1:1: wanted a list.'] }),
    ],
    'admin-deliveries': [
      waitingView(
        frame('deliveries', true),
        list([WAITING, { ...BARE, state: 'waiting', attempts: 0 }]),
        query,
      ),
      waitingView(frame('deliveries', false), NOTHING, {}),
    ],
    'admin-checks': [
      checksView(frame('checks', true), [
        { check: 'settings', state: 'ok', says: '3 given, all valid' },
        { check: 'backups', state: 'fail', says: 'there is none', fix: 'jobcrier backup' },
        { check: 'clock', state: 'warn', says: '7 s late', fix: 'start a time service' },
        { check: 'queue', state: 'off', says: 'not set' },
      ]),
      checksView(frame('checks', true), []),
    ],
    'admin-accounts': [
      accountsView(
        frame('accounts', true),
        list([
          { account: 'operator', token: 'rejected', why: '401', at: NOW, subscriptions: 2, email: 'none' },
          { account: 'discord:1', token: 'ok', subscriptions: 1, email: 'confirmed', createdAt: NOW },
        ]),
        query,
      ),
      accountsView(frame('accounts', false), NOTHING, {}),
    ],
    'admin-log': [
      logView(frame('log', true), { lines: [LINE], level: 'info', levels: ['info', 'debug'] }),
      logView(frame('log', false), { lines: [], level: null, levels: [] }),
    ],
  };
}
