// What a filter finds before a person subscribes: now in the feed, and in the last weeks in what the account's own
// polls archived. Uses the same rules as the polls of a subscription.

import { defined } from '../domain/defined.js';
import type { EditionPosting } from '../domain/edition.js';
import { FeedError, refusal } from '../domain/errors.js';
import {
  brokenRules,
  type Filter,
  isAskedFor,
  judge,
  PAY_UNKNOWN,
  parseFilter,
  queriesOf,
  wouldMatch,
} from '../domain/filter.js';
import { trimmed } from '../domain/ledger.js';
import type { ReadPosting } from '../domain/posting.js';
import type { Pipeline } from '../pipeline/context.js';
import type { Caller, Estimate, PreviewReport } from '../ports/services.js';
import type { ArchivedPosting } from '../ports/stores.js';
import type { Interactive } from './interactive.js';

const DAYS = 30;
const DAY = 86_400_000;
const WEEK = 7 * DAY;

/** Throws a UserError that says what a person can do about a feed that gave no postings. */
function feedTrouble(error: unknown): never {
  if (!(error instanceof FeedError)) throw error;
  if (error.fault === 'rejected')
    throw refusal(
      'tokenRejected',
      'The jobs board no longer accepts your token. Set a new one with /token set.',
    );
  if (error.fault === 'throttled')
    throw refusal(
      'boardBusy',
      'The jobs board asks for a pause with your token. Try again in a few minutes.',
    );
  throw refusal(
    'boardAway',
    'The jobs board does not answer right now. Try again in a few minutes; subscriptions resume automatically.',
  );
}

/** Current postings for a filter, each with the tags of the requests that returned it. */
async function current(
  p: Pipeline,
  caller: Caller,
  filter: Filter,
  signal: AbortSignal,
): Promise<Map<string, { read: ReadPosting; tags: string[] }>> {
  const token = await p.tokens.of(caller.account);
  if (token.state === 'missing')
    throw refusal('noToken', 'You have no API token yet. Set one with /token set first.');
  if (token.state === 'rejected')
    throw refusal('tokenRejected', 'Your API token was rejected. Set a new one with /token set first.');
  const found = new Map<string, { read: ReadPosting; tags: string[] }>();
  for (const query of queriesOf(filter)) {
    const answer = await p.feed
      .fetch({
        account: caller.account,
        token: token.token,
        query,
        format: p.settings.format,
        signal,
        once: true,
      })
      .catch(feedTrouble);
    if (answer.kind === 'unchanged') continue;
    for (const read of await answer.listing.read().catch(feedTrouble)) {
      const known = found.get(read.posting.key);
      if (known) known.tags.push(query.tag ?? '');
      else found.set(read.posting.key, { read, tags: query.tag ? [query.tag] : [] });
    }
  }
  return found;
}

/** See {@link PreviewReport}. `filter` is in the subscriptions file's form; its faults come as one UserError. */
export async function preview(
  p: Pipeline,
  caller: Caller,
  given: unknown,
  about: (filter: Filter) => string,
  interactive: Interactive,
): Promise<PreviewReport> {
  const filter = parseFilter(given);
  const found = await interactive((signal) => current(p, caller, filter, signal));
  const now = p.clock.now();
  const removed = new Map<string, number>();
  const matches: EditionPosting[] = [];
  for (const { read, tags } of found.values()) {
    const own = filter.tags.filter((tag) => read.posting.tags?.includes(tag));
    const verdict = judge(filter, read.posting, [...new Set([...tags, ...own])], now);
    if (verdict.ok) matches.push({ ...trimmed(read.posting), matched: verdict.matched });
    else removed.set(verdict.rule, (removed.get(verdict.rule) ?? 0) + 1);
  }
  const archived = await p.history.archived(caller.account, DAYS, now);
  const broken =
    found.size > 0
      ? [...found.values()].map(({ read }) => brokenRules(filter, read.posting, now))
      : archived.map(({ posting, at }) => brokenRules(filter, posting, at, false));
  const emptiedBy = matches.length > 0 ? undefined : emptierOf(broken);
  return {
    about: about(filter),
    matches,
    looked: found.size,
    weeks: weeksOf(archived, filter, removed, new Set(found.keys()), now),
    removedBy: [...removed].map(([rule, count]) => ({ rule, count })).sort((a, b) => b.count - a.count),
    ...defined({ emptiedBy }),
  };
}

/** The rule that alone leaves out the most postings. */
const emptierOf = (broken: readonly (readonly string[])[]) =>
  mostOf(broken.filter((rules) => rules.length === 1).flat())[0];

/** How often each rule is in the list, the most frequent first. */
function mostOf(rules: readonly string[]): { rule: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const rule of rules) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].map(([rule, count]) => ({ rule, count })).sort((a, b) => b.count - a.count);
}

/**
 * Matches per week of the last 30 days. Adds to `removed` the archived postings that the rules applied here removed, unless
 * they are `counted`.
 */
function weeksOf(
  archived: readonly ArchivedPosting[],
  filter: Filter,
  removed: Map<string, number>,
  counted: ReadonlySet<string>,
  now: number,
): number[] {
  const first = archived[0]?.at;
  if (first === undefined) return [];
  const ago = (at: number) => Math.floor(Math.max(now - at, 0) / WEEK);
  const weeks = new Array<number>(ago(first) + 1).fill(0);
  const seen = new Set<string>();
  for (const { posting, at } of archived) {
    if (seen.has(posting.key)) continue;
    seen.add(posting.key);
    const verdict = wouldMatch(filter, posting, at);
    const week = weeks.length - 1 - ago(at);
    if (verdict.ok) weeks[week] = (weeks[week] ?? 0) + 1;
    else if (!counted.has(posting.key) && !/^(?:tags|remote|country)(?:$|:)/u.test(verdict.rule))
      removed.set(verdict.rule, (removed.get(verdict.rule) ?? 0) + 1);
  }
  return weeks;
}

/** The archived postings of this many days are counted for an {@link Estimate}. */
const ESTIMATE_DAYS = 28;

/**
 * See {@link Estimate}. Postings count for the day they were posted on. By the day they were found, those of a first
 * poll, which are of several weeks, would all count for one day.
 */
export async function estimate(
  p: Pick<Pipeline, 'clock' | 'history'>,
  account: string,
  given: unknown,
): Promise<Estimate | undefined> {
  const filter = parseFilter(given);
  const now = p.clock.now();
  const archived = await p.history.archived(account, ESTIMATE_DAYS, now);
  const since = now - ESTIMATE_DAYS * DAY;
  const recent = archived
    .map(({ posting, at: found }) => ({
      posting,
      found,
      at: Math.min(Date.parse(posting.postedAt ?? '') || found, found),
    }))
    .filter(({ at }) => at >= since);
  const unknown = filter.tags.filter((tag) => !recent.some(({ posting }) => posting.tags?.includes(tag)));
  if (recent.length === 0 || (unknown.length > 0 && unknown.length === filter.tags.length)) return undefined;
  const span = Math.max(now - Math.min(...recent.map(({ at }) => at)), WEEK);
  const asked = recent.filter(({ posting, found }) => isAskedFor(filter, posting, found));
  const broken = asked.map(({ posting, found }) => brokenRules(filter, posting, found));
  const matches = broken.filter((rules) => rules.length === 0).length;
  return {
    perWeek: Math.round((matches * WEEK) / span),
    unknown,
    looked: asked.length,
    matches,
    removes: removesOf(filter, broken),
    ...defined({ emptiedBy: matches > 0 ? undefined : emptierOf(broken) }),
  };
}

/** From fewer postings nothing is concluded. */
const FEWEST = 3;

/** See `Services.emptied`. */
export async function emptied(
  p: Pick<Pipeline, 'clock' | 'history'>,
  account: string,
  former: Filter,
  given: unknown,
): Promise<Estimate | undefined> {
  const found = await estimate(p, account, given);
  if (!found || found.matches > 0 || found.looked < FEWEST) return undefined;
  return (await estimate(p, account, former))?.matches === 0 ? undefined : found;
}

/** The two rules of the least pay are counted as one. */
function removesOf({ minSalary }: Filter, broken: readonly (readonly string[])[]): Estimate['removes'] {
  const counts = mostOf(broken.flat());
  const payUnknown = counts.find(({ rule }) => rule === PAY_UNKNOWN)?.count;
  if (payUnknown === undefined) return counts;
  const floor = `minSalary: ${minSalary}`;
  const rest = counts.filter(({ rule }) => rule !== PAY_UNKNOWN && rule !== floor);
  const low = counts.find(({ rule }) => rule === floor)?.count ?? 0;
  return [...rest, { rule: floor, count: low + payUnknown, payUnknown }].sort((a, b) => b.count - a.count);
}
