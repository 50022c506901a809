// Records answers for one subscription: judges the postings, finds the new ones, and adds them to the outbox. A
// version never counts as heard before the resulting ledger is durable. After a crash in between, the same answer comes
// again and no posting is lost.

import { defined } from '../domain/defined.js';
import { deliveryPlan } from '../domain/delivery.js';
import { ENRICH_MS } from '../domain/enrich.js';
import { FeedError, reasonOf } from '../domain/errors.js';
import { type Filter, queriesOf, queryKey } from '../domain/filter.js';
import {
  areNew,
  GAP_WATCH_MS,
  isPauseRecorded,
  type Ledger,
  mayGoByMarks,
  type Recorded,
  type RecordOptions,
  record,
} from '../domain/ledger.js';
import { wantedToMove, withDestinations } from '../domain/moving.js';
import { deliveryDue } from '../domain/outbox.js';
import { expireOld, mayExpire } from '../domain/parking.js';
import { likeness } from '../domain/posting.js';
import { type RequestRef, requestsOf, subjectsOf } from '../domain/request.js';
import { nextSlot } from '../domain/schedule.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import { seenBound } from '../domain/seen.js';
import { pace } from '../domain/serial.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Plan } from '../ports/lanes.js';
import type { Found, VersionedSubscription, Wanted } from '../ports/stores.js';
import { type Answers, type Asked, type News, readAnswers, readNews, sortAnswers } from './ask.js';
import type { Pipeline } from './context.js';
import { enrichPlans } from './enrich.js';
import { mayBeSilent, tellGaps, tellRekeyed, watchSilence } from './poll-trouble.js';

/**
 * `watch`: until when suspected gaps are watched, by subject. `stopped`: the subscription changed in the meantime, so
 * nothing was recorded.
 */
export interface Heard {
  readonly outcome: 'unchanged' | 'baseline' | 'recorded' | 'stopped';
  readonly matched?: number;
  readonly watch?: Readonly<Record<string, number>>;
}

/**
 * Records answers for a subscription. New postings are delivered from now on, or from the next slot of the
 * subscription's own schedule if another subscription made the request sooner. `at`: from now on in any case.
 */
export async function recordAnswers(
  p: Pipeline,
  versioned: VersionedSubscription,
  token: Secret,
  asked: readonly Asked[],
  at?: 'now',
): Promise<Heard> {
  const { subscription } = versioned;
  const look: Look = { asked, token, now: p.clock.now(), at };
  const quick = await write(p, versioned, look, BY_MARKS);
  const written = quick === 'unsure' ? await write(p, versioned, look, WHOLE) : quick;
  if (written === 'unchanged') return { outcome: written };
  const outcome = !isWritten(written) ? 'stopped' : written.recorded.baseline ? 'baseline' : 'recorded';
  p.metrics.count('polls_total', { outcome });
  if (!isWritten(written)) return { outcome };
  const { before, answers, recorded } = written;
  await afterwards(p, subscription, written, look.now);
  if (concernsNotices(recorded, before, look.now))
    await p.ledgers.update(
      subscription.id,
      (ledger) => ({
        ledger: { ...ledger, ...heardAfter(subscription, answers, recorded, ledger, look.now) },
        result: undefined,
      }),
      () => ({ owed: 'count' }),
    );
  return {
    outcome,
    matched: recorded.counts.matched,
    watch: watchOf(recorded.ledger),
  };
}

/**
 * Whether the poll sends or clears notices. What was heard is then recorded after them, and not with the postings: after a
 * crash in between, the same answer is recorded again and leads to the same notices.
 */
function concernsNotices({ ledger, rekeyed }: Recorded, before: Ledger, now: number): boolean {
  const watched = { ...before.toldGaps, ...ledger.gaps };
  return rekeyed.length > 0 || Object.keys(watched).length > 0 || mayBeSilent(before, now);
}

function matchedAtAfter({ counts }: Recorded, { matchedAt }: Ledger, now: number): number {
  return counts.matched > 0 ? now : (matchedAt ?? now);
}

/** What a ledger knows about its polls once their notices were sent. `before`: the ledger before them. */
function heardAfter(
  subscription: Subscription,
  answers: Answers,
  recorded: Recorded,
  before: Ledger,
  now: number,
): Required<Pick<Ledger, 'heard' | 'matchedAt' | 'toldGaps'>> {
  return {
    heard: { ...stillNeeded(subscription, before.heard), ...answers.versions },
    matchedAt: matchedAtAfter(recorded, before, now),
    toldGaps: watchOf(recorded.ledger),
  };
}

/**
 * Whether the end of a pause is still to be recorded. It is recorded even when nothing was posted in the pause:
 * otherwise the first new postings after it would count as posted in the pause.
 */
function endsPause({ pausedAt }: Subscription, ledger: Ledger): boolean {
  return pausedAt !== undefined && !isPauseRecorded(ledger, pausedAt);
}

/** The versions of requests that the subscription still needs. */
function stillNeeded(subscription: Subscription, heard: Ledger['heard'] = {}): Record<string, string> {
  const needed: Record<string, string> = {};
  for (const subject of subjectsOf(subscription)) {
    const version = heard[subject];
    if (version !== undefined) needed[subject] = version;
  }
  return needed;
}

/** Whether a slot of the subscription's schedule has come since the request was answered before. */
function isDue({ schedule }: Subscription, asked: readonly Asked[], now: number): boolean {
  for (const { formerlyAt } of asked)
    if (formerlyAt === undefined || formerlyAt > now || nextSlot(schedule, formerlyAt) <= now) return true;
  return false;
}

interface Look {
  readonly asked: readonly Asked[];
  readonly token: Secret;
  readonly now: number;
  /** The postings are delivered from now on in any case. */
  readonly at: 'now' | undefined;
}

/** The earliest time of delivery, milliseconds since the epoch. */
function wakeTime(subscription: Subscription, { asked, now, at }: Look): number {
  return at === 'now' || isDue(subscription, asked, now) ? now : nextSlot(subscription.schedule, now);
}

function optionsFor(
  p: Pipeline,
  subscription: Subscription,
  answers: Answers,
  { asked, token, now }: Omit<Look, 'at'>,
): RecordOptions {
  const { filter, destinations, pausedAt, resumedAt, newest, reposts } = subscription;
  const { answered, unanswered, full } = answers;
  let lookedAt: number | undefined;
  for (const { formerlyAt } of asked)
    if (formerlyAt !== undefined) lookedAt = Math.min(lookedAt ?? formerlyAt, formerlyAt);
  return {
    now,
    asked: queriesOf(filter).map(queryKey),
    answered,
    unanswered,
    full,
    token: fingerprint(token),
    destinations: destinations.map(idOf),
    ...defined({
      since: lookedAt !== undefined && lookedAt < p.startedAt ? lookedAt : undefined,
      pause: pausedAt,
      resumedAt,
      // The JSON form of the listing can't add anything to itself.
      enrichUntil: p.settings.format === 'rss' ? now + ENRICH_MS : undefined,
    }),
    newest,
    reposts,
  };
}

/**
 * What a poll would find and record, without writing anything. Throws a FeedError when the token can't be used or no
 * request is answered.
 */
export async function rehearse(
  p: Pipeline,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<Recorded & { readonly why?: string }> {
  const { account, filter } = subscription;
  const token = await p.tokens.of(account);
  if (token.state !== 'ok') throw new FeedError('rejected', `the account's token is ${token.state}`);
  const asked: Asked[] = [];
  const failed: FeedError[] = [];
  const queries = queriesOf(filter);
  const requests = requestsOf({ account, filter });
  for (const [index, query] of queries.entries()) {
    const how = { account, token: token.token, query, format: p.settings.format, signal };
    try {
      asked.push({ request: requests[index] as RequestRef, query, answer: await p.feed.fetch(how) });
    } catch (error) {
      if (!(error instanceof FeedError) || error.fault === 'aborted') throw error;
      failed.push(error);
    }
  }
  const [first] = failed;
  if (first && asked.length === 0) throw first;
  const answers = sortAnswers(subscription, asked);
  const news = await readAnswers(filter, answers, p.clock.now());
  const ledger = await p.ledgers.look(subscription.id, ({ recent }) => wantedFor(news, recent));
  const options = optionsFor(p, subscription, answers, { asked, token: token.token, now: p.clock.now() });
  const why = first && `${failed.length} of ${queries.length} requests failed: ${reasonOf(first)}`;
  return {
    ...record(ledger, news.postings, options, news.shown),
    ...defined({ why: why || undefined }),
  };
}

/**
 * What has to be read of former postings to find what is new in these. `recent`: the keys that were shown last, if a change
 * of keys is to be found.
 */
function wantedFor({ postings }: News, recent: Ledger['recent'] = {}): Wanted {
  const keys: string[] = [];
  const likes: string[] = [];
  for (const one of postings) {
    keys.push(...one.keys);
    const like = likeness(one.posting);
    if (like !== undefined) likes.push(like);
  }
  return { keys, likes, entries: Object.values(recent).flat() };
}

/** Destinations that get nothing until the owner or the operator acts. */
function stuck(p: Pipeline, { destinations }: Subscription, parked: Readonly<Record<string, unknown>>) {
  const ids: string[] = [];
  for (const { id, sink } of destinations) if (id in parked || !p.sinks.has(sink)) ids.push(id);
  return ids;
}

const idOf = ({ id }: Destination) => id;

/** A seen set is trimmed when it exceeds its bound by one part in this many, because each trim reads all of it. */
const TRIM_SHARE = 5;

/** How a poll finds what is new. */
interface Reading {
  /** Reads the answers; undefined if what is new can't be found in this way. */
  read(
    filter: Filter,
    answers: Answers,
    ledger: Ledger,
    options: RecordOptions,
  ): Promise<News | undefined> | undefined;
  /** What has to be read of former postings. */
  wanted(news: News, ledger: Ledger): Wanted;
  /** Whether what was read can be recorded. `ledger` was read with {@link wanted}. */
  isEnough(news: News, ledger: Ledger): boolean;
}

/** Compares the marks of records, and reads only new ones. That is enough if they have nothing in common with seen ones. */
const BY_MARKS: Reading = {
  read: (filter, answers, ledger, options) =>
    mayGoByMarks(ledger, options) ? readNews(filter, answers, ledger, options.now) : undefined,
  wanted: (news) => wantedFor(news),
  isEnough: ({ postings }, ledger) => areNew(postings, ledger),
};

/** Reads and compares all postings. */
const WHOLE: Reading = {
  read: (filter, answers, _ledger, { now }) => readAnswers(filter, answers, now),
  wanted: (news, { recent }) => wantedFor(news, recent),
  isEnough: () => true,
};

/** A recorded poll. `before`: the ledger that it was recorded in. */
interface Written {
  readonly before: Ledger;
  readonly answers: Answers;
  readonly recorded: Recorded;
}

/**
 * Why nothing is written. stopped: the subscription changed during the requests; unsure: the reading is not enough to
 * find what is new; unchanged: all answers were recorded before.
 */
type NotWritten = 'stopped' | 'unsure' | 'unchanged';

const isWritten = (one: Written | NotWritten): one is Written => typeof one === 'object';

/** Records the answers. */
async function write(
  p: Pipeline,
  { subscription, version }: VersionedSubscription,
  look: Look,
  reading: Reading,
): Promise<Written | NotWritten> {
  const { id, filter } = subscription;
  const { asked, now } = look;
  const ids = subscription.destinations.map(idOf);
  let found: { readonly answers: Answers; readonly options: RecordOptions; readonly news: News } | NotWritten;
  let plans: readonly Plan[] = [];
  let attempts = 0;
  const written = await p.ledgers.update<Written | NotWritten>(
    id,
    async (before) => {
      if (typeof found === 'string') return { ledger: before, result: found };
      const { answers, options, news } = found;
      if (!reading.isEnough(news, before)) return { ledger: before, result: 'unsure' };
      // If the commit failed, something changed meanwhile.
      if (attempts++ > 0 && !(await isCurrent(p, id, version))) return { ledger: before, result: 'stopped' };
      const wait = pace();
      if (wait) await wait;
      const placed = withDestinations(before, ids, now);
      const ledger = expireOld(placed, stuck(p, subscription, placed.parked), now);
      const recorded = record(ledger, news.postings, options, news.shown);
      const deliveries: Plan[] = [];
      for (const one of subscription.destinations) {
        const at = deliveryDue(before, recorded.ledger, one, now);
        if (at === undefined) continue;
        deliveries.push(deliveryPlan(subscription, one, Math.max(at, wakeTime(subscription, look))));
      }
      plans = [...deliveries, ...enrichPlans(subscription, recorded.ledger, now)];
      return {
        ledger: concernsNotices(recorded, before, now)
          ? recorded.ledger
          : { ...recorded.ledger, ...heardAfter(subscription, answers, recorded, before, now) },
        result: { before, answers, recorded },
        plans,
        subscriptionVersion: version,
        found: foundBy(subscription, recorded, now),
      };
    },
    async (ledger) => {
      const answers = sortAnswers(subscription, asked, ledger.heard);
      if (answers.answered.length === 0 && !endsPause(subscription, ledger)) {
        found = 'unchanged';
        return { owed: 'count' };
      }
      const options = optionsFor(p, subscription, answers, look);
      const news = await reading.read(filter, answers, ledger, options);
      found = news ? { answers, options, news } : 'unsure';
      const moved = wantedToMove(ledger, ids);
      // Postings are added to those that wait. Only to move or expire them, they have to be read.
      const needsOwed = moved.outcomes || mayExpire(ledger, now);
      const wanted = { ...(news && reading.wanted(news, ledger)), ...moved };
      return needsOwed ? wanted : { owed: 'count', ...wanted };
    },
  );
  if (!isWritten(written)) return written;
  p.step('poll.recorded');
  const queues = new Set<string>();
  for (const { at, queue } of plans) if (at <= now) queues.add(queue);
  for (const queue of queues) p.engine.look(queue);
  let listed = 0;
  for (const { listing } of written.answers.listings) listed += listing.count;
  const most = seenBound(queriesOf(filter).length, listed);
  if ((written.recorded.ledger.seenCount ?? 0) > most + most / TRIM_SHARE) await p.ledgers.trim(id, most);
  return written;
}

/** What a poll adds to the archive. */
function foundBy({ account }: Subscription, { fresh, baseline }: Recorded, at: number): Found | undefined {
  if (fresh.length === 0 && !baseline) return undefined;
  return { account, at, postings: fresh.map(postingOf) };
}

const postingOf = ({ posting }: Recorded['fresh'][number]) => posting;

/** Whether the subscription still has this version. */
async function isCurrent(p: Pipeline, id: string, version: number): Promise<boolean> {
  const [current] = await p.stores.subscriptions.withVersions([id]);
  return current?.version === version;
}

/** Until when each question is watched. Read from the ledger, so that a crash loses no gap. */
function watchOf({ gaps = {} }: Ledger): Record<string, number> {
  const until: Record<string, number> = {};
  for (const [subject, at] of Object.entries(gaps)) until[subject] = at + GAP_WATCH_MS;
  return until;
}

/** The effects of a recorded poll that a crash may drop without losing a posting. */
async function afterwards(
  p: Pipeline,
  subscription: Subscription,
  { before, recorded }: Written,
  now: number,
): Promise<void> {
  const { id } = subscription;
  const { counts, announced, fresh, baseline, rekeyed } = recorded;
  p.metrics.count('postings_new_total', {}, fresh.length);
  p.metrics.count('postings_matched_total', {}, announced);
  p.metrics.count('postings_filtered_total', {}, counts.filtered);
  if (fresh.length > 0)
    p.log.info({ subscription: id, new: fresh.length, announced, ...counts, baseline }, 'poll recorded');
  const watch = Object.entries(watchOf(recorded.ledger));
  // Gaps that are not noted as told are new, or a crash came before their notice.
  const gaps = watch
    .filter(([subject, until]) => before.toldGaps?.[subject] !== until)
    .map(([subject]) => subject);
  // In parallel, so that they are written together.
  await Promise.all([
    baseline && p.history.note(id, { at: now, kind: 'baseline', count: counts.matched }),
    rekeyed.length > 0 && tellRekeyed(p, subscription, rekeyed),
    gaps.length > 0 && tellGaps(p, subscription, gaps, now),
    watch.length === 0 && Object.keys(before.toldGaps ?? {}).length > 0 && p.notices.clear('gap', id),
    mayBeSilent(before, now) && watchSilence(p, subscription, matchedAtAfter(recorded, before, now), now),
  ]);
}
