// Records answers for one subscription: judges the postings, finds the new ones, and adds them to the outbox. A
// version never counts as heard before the resulting ledger is durable. After a crash in between, the same answer comes
// again and no posting is lost.

import { defined } from '../domain/defined.js';
import { deliveryPlan } from '../domain/delivery.js';
import { ENRICH_MS } from '../domain/enrich.js';
import { FeedError, reasonOf } from '../domain/errors.js';
import { queriesOf, queryKey } from '../domain/filter.js';
import {
  areNew,
  GAP_WATCH_MS,
  type Ledger,
  mayGoByMarks,
  type Recorded,
  type RecordOptions,
  record,
} from '../domain/ledger.js';
import { wantedToMove, withDestinations } from '../domain/moving.js';
import { deliveryDue } from '../domain/outbox.js';
import { expireOld } from '../domain/parking.js';
import { likeness } from '../domain/posting.js';
import { type RequestRef, requestsOf } from '../domain/request.js';
import { nextSlot } from '../domain/schedule.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import { seenBound } from '../domain/seen.js';
import { pace } from '../domain/serial.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Plan } from '../ports/lanes.js';
import type { PollState, VersionedPollState, VersionedSubscription, Wanted } from '../ports/stores.js';
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

/** What a poll relies on while it records: if any of it changes, nothing is recorded on its basis. */
interface Basis extends VersionedSubscription {
  readonly known: VersionedPollState;
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
  const { id } = subscription;
  const known = await p.stores.polls.withVersion(id);
  const { state } = known;
  const answers = sortAnswers(subscription, asked, state.heard);
  if (answers.answered.length === 0 && !endsPause(subscription, state)) return { outcome: 'unchanged' };
  const now = p.clock.now();
  const wakeAt = at === 'now' || isDue(subscription, asked, now) ? now : nextSlot(subscription.schedule, now);
  const look: Look = { asked, answers, now, wakeAt };
  const basis = { ...versioned, known };
  const recorded = await write(p, basis, look, optionsFor(p, subscription, token, look));
  const outcome = !recorded ? 'stopped' : recorded.baseline ? 'baseline' : 'recorded';
  p.metrics.count('polls_total', { outcome });
  if (!recorded) return { outcome: 'stopped' };
  await afterwards(p, subscription, recorded, state, now);
  if (concernsNotices(recorded, state, now))
    await p.ledgers.saveState(id, stateAfter(subscription, answers, recorded, state, now));
  return {
    outcome,
    matched: recorded.counts.matched,
    watch: watchOf(recorded.ledger),
  };
}

/**
 * Whether the poll sends or clears notices. The poll state is then saved after them, and not with the ledger: after a
 * crash in between, the same answer is recorded again and leads to the same notices.
 */
function concernsNotices({ ledger, rekeyed }: Recorded, state: PollState, now: number): boolean {
  const watched = { ...state.watch, ...ledger.gaps };
  return rekeyed.length > 0 || Object.keys(watched).length > 0 || mayBeSilent(state, now);
}

function matchedAtAfter({ counts }: Recorded, { matchedAt }: PollState, now: number): number {
  return counts.matched > 0 ? now : (matchedAt ?? now);
}

function stateAfter(
  subscription: Subscription,
  answers: Answers,
  recorded: Recorded,
  state: PollState,
  now: number,
): PollState {
  const { pausedAt } = subscription;
  const { ledger } = recorded;
  // A pause is over once every question has been answered after it.
  const isHeard = (ledger.unheard ?? []).length === 0;
  return {
    ...state,
    heard: { ...stillNeeded(subscription, state.heard), ...answers.versions },
    matchedAt: matchedAtAfter(recorded, state, now),
    watch: watchOf(ledger),
    ...defined({ pause: isHeard && pausedAt !== undefined ? pausedAt : undefined }),
  };
}

/**
 * Whether the end of a pause is still to be recorded. It is recorded even when nothing was posted in the pause:
 * otherwise the first new postings after it would count as posted in the pause.
 */
function endsPause({ pausedAt }: Subscription, state: PollState): boolean {
  return pausedAt !== undefined && pausedAt !== state.pause;
}

/** The versions of requests that the subscription still needs. */
function stillNeeded(subscription: Subscription, heard: PollState['heard'] = {}): Record<string, string> {
  const needed: Record<string, string> = {};
  for (const { subject } of requestsOf(subscription)) {
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
  readonly answers: Answers;
  readonly now: number;
  /** The earliest time of delivery, milliseconds since the epoch. */
  readonly wakeAt: number;
}

function optionsFor(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  { asked, answers, now }: Omit<Look, 'wakeAt'>,
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
  const options = optionsFor(p, subscription, token.token, { asked, answers, now: p.clock.now() });
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

/**
 * Records the answers; undefined when the subscription changed during the requests. First compares the marks of
 * records, so that only new ones are read. If marks are not enough, or if new postings have something in common with
 * seen ones, all postings are read and compared.
 */
async function write(
  p: Pipeline,
  basis: Basis,
  look: Look,
  options: RecordOptions,
): Promise<Recorded | undefined> {
  const { filter } = basis.subscription;
  const { answers } = look;
  let news: News | undefined;
  const wantedOfNews = async (ledger: Ledger): Promise<Wanted> => {
    news = mayGoByMarks(ledger, options) ? await readNews(filter, answers, ledger, options.now) : undefined;
    return news ? wantedFor(news) : {};
  };
  const byMarks = await update(p, basis, look, options, wantedOfNews, (ledger) =>
    news && areNew(news.postings, ledger) ? news : undefined,
  );
  if (byMarks !== 'unsure') return byMarks;
  const all = await readAnswers(filter, answers, options.now);
  const recorded = await update(
    p,
    basis,
    look,
    options,
    async ({ recent }) => wantedFor(all, recent),
    () => all,
  );
  return recorded === 'unsure' ? undefined : recorded;
}

/**
 * `newsIn` returns what to record in a ledger that was read with `wanted`; undefined (result `unsure`) if that is
 * not certain.
 */
async function update(
  p: Pipeline,
  { subscription, version, ...basis }: Basis,
  { answers, now, wakeAt }: Look,
  options: RecordOptions,
  wanted: (ledger: Ledger) => Promise<Wanted>,
  newsIn: (ledger: Ledger) => News | undefined,
): Promise<Recorded | 'unsure' | undefined> {
  const ids = subscription.destinations.map(idOf);
  let plans: readonly Plan[] = [];
  let known: VersionedPollState | undefined = basis.known;
  const recorded = await p.ledgers.update<Recorded | 'unsure' | undefined>(
    subscription.id,
    async (before) => {
      const news = newsIn(before);
      if (!news) return { ledger: before, result: 'unsure' };
      known ??= await currentState(p, subscription.id, version);
      if (!known) return { ledger: before, result: undefined };
      const { state, version: stateVersion } = known;
      // If the commit fails, something changed meanwhile.
      known = undefined;
      const wait = pace();
      if (wait) await wait;
      const placed = withDestinations(before, ids, now);
      const ledger = expireOld(placed, stuck(p, subscription, placed.parked), now);
      const result = record(ledger, news.postings, options, news.shown);
      const deliveries: Plan[] = [];
      for (const one of subscription.destinations) {
        const at = deliveryDue(before, result.ledger, one, now);
        if (at !== undefined) deliveries.push(deliveryPlan(subscription, one, Math.max(at, wakeAt)));
      }
      plans = [...deliveries, ...enrichPlans(subscription, result.ledger, now)];
      const pollState = concernsNotices(result, state, now)
        ? undefined
        : { state: stateAfter(subscription, answers, result, state, now), version: stateVersion };
      return {
        ledger: result.ledger,
        result,
        plans,
        subscriptionVersion: version,
        ...defined({ pollState }),
      };
    },
    async (ledger) => {
      const moved = wantedToMove(ledger, ids);
      // The poll adds postings. Only a move to other destinations, or the end of an edition, needs those that wait.
      const isSimple = ledger.editions.length === 0 && !moved.outcomes;
      return { ...(await wanted(ledger)), ...moved, ...(isSimple && { owed: 'keys' as const }) };
    },
  );
  if (!recorded || recorded === 'unsure') return recorded;
  p.step('poll.recorded');
  const queues = new Set<string>();
  for (const { at, queue } of plans) if (at <= now) queues.add(queue);
  for (const queue of queues) p.engine.look(queue);
  let listed = 0;
  for (const { listing } of answers.listings) listed += listing.count;
  const most = seenBound(queriesOf(subscription.filter).length, listed);
  if ((recorded.ledger.seenCount ?? 0) > most + most / TRIM_SHARE)
    await p.ledgers.trim(subscription.id, most);
  return recorded;
}

/** The poll state as it is stored now; undefined when the subscription has another version. */
async function currentState(
  p: Pipeline,
  id: string,
  version: number,
): Promise<VersionedPollState | undefined> {
  const [current] = await p.stores.subscriptions.withVersions([id]);
  return current?.version === version ? p.stores.polls.withVersion(id) : undefined;
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
  recorded: Recorded,
  state: PollState,
  now: number,
): Promise<void> {
  const { id, account } = subscription;
  const { counts, fresh, baseline, rekeyed } = recorded;
  const announced = fresh.filter((one) => one.fate === 'matched').length;
  p.metrics.count('postings_new_total', {}, fresh.length);
  p.metrics.count('postings_matched_total', {}, announced);
  p.metrics.count('postings_filtered_total', {}, counts.filtered);
  if (fresh.length > 0)
    p.log.info({ subscription: id, new: fresh.length, announced, ...counts, baseline }, 'poll recorded');
  const archived = fresh.map(({ posting }) => ({ at: now, subscription: id, posting }));
  const watch = Object.entries(watchOf(recorded.ledger));
  // Gaps that are not in the state yet are new, or a crash came before their notice.
  const gaps = watch
    .filter(([subject, until]) => state.watch?.[subject] !== until)
    .map(([subject]) => subject);
  // In parallel, so that they are written together.
  await Promise.all([
    archived.length > 0 && p.history.archive(account, archived),
    (announced > 0 || baseline) &&
      p.history.countMatches({ account, subscription: id, at: now, count: announced, first: baseline }),
    baseline && p.history.note(id, { at: now, kind: 'baseline', count: counts.matched }),
    rekeyed.length > 0 && tellRekeyed(p, subscription, rekeyed),
    gaps.length > 0 && tellGaps(p, subscription, gaps, now),
    watch.length === 0 && Object.keys(state.watch ?? {}).length > 0 && p.notices.clear('gap', id),
    mayBeSilent(state, now) && watchSilence(p, subscription, matchedAtAfter(recorded, state, now), now),
  ]);
}
