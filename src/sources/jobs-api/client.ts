// The client of the jobs API. A caller asks with a query and a token, and gets postings, "unchanged", or a FeedError.
// Order of a request: shared request → cache → queue of the token → attempts with retries → parser.

import { setTimeout as wait } from 'node:timers/promises';
import { Agent } from 'undici';
import { defined } from '../../domain/defined.js';
import { FeedError } from '../../domain/errors.js';
import type { ReadPosting } from '../../domain/posting.js';
import { fingerprint } from '../../domain/secret.js';
import { pace } from '../../domain/serial.js';
import type { Feed, FeedAnswer, FeedRequest, Listing, PollRequest, Validator } from '../../ports/feed.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log, Metrics } from '../../ports/system.js';
import { createAttempts } from './attempts.js';
import {
  type CacheMeta,
  cacheKey,
  createResponseCache,
  createSingleFlight,
  MAX_BODY,
  type WriteAnswer,
} from './cache.js';
import { decodeText, joined, type Parts, type Text, textAgain } from './decode.js';
import { bodyHash } from './hashes.js';
import { openJson } from './json.js';
import { type Asker, createTokenRedaction, type TokenRedaction } from './redact-token.js';
import { aborted, type Format, type Reply } from './request.js';
import { openRss } from './rss.js';
import { createLanes, type Sleep } from './token-queue.js';
import type { InTurn } from './turns.js';

/** Times in milliseconds, sizes in bytes. */
export interface FeedClientOptions {
  /** Address of the jobs API; requests go to `{baseUrl}/api/v1.xml` and `{baseUrl}/api/v1`. */
  readonly baseUrl: string;
  readonly cache: Table<unknown>;
  /** Minimum time between two requests with the same token. */
  readonly spacingMs: number;
  /** How long a cached response is used instead of a new request. */
  readonly cacheMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Format of requests that name none; rss when left out. */
  readonly format?: Format;
  /** Time limit of one attempt as a whole; 15 s when left out. */
  readonly attemptTimeoutMs?: number;
  /** Largest decoded body; 8 MiB when left out. */
  readonly maxBytes?: number;
  /** Returns a number in [0, 1), for the jitter. */
  readonly random?: () => number;
  readonly sleep?: Sleep;
  /** How requests of an account wait for each other. When left out, only those of this client do. */
  readonly inTurn?: InTurn;
}

const HOUR = 3_600_000;

/** A version of the listing. `listing` resolves to undefined when the body is not available. */
interface Version {
  readonly outcome: 'ok' | 'unchanged' | 'cached';
  readonly validator: Validator;
  /** True when its body is in the cache. */
  readonly kept: boolean;
  listing(): Promise<Listing | undefined>;
}

/** Where an answer may come from. `any`: cache or API. `api`: the API. `body`: the API, always with a body. */
type Source = 'any' | 'api' | 'body';

/** What a shared request takes from the caller that started it. */
interface FetchPlan {
  readonly source: Source;
  readonly request: FeedRequest;
  readonly format: Format;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * Creates the client. `fetch` throws only {@link FeedError}, without a cause. `close` aborts requests in progress.
 *
 * The client does not remember which versions a caller has seen. The caller passes `known`, and stores it once that
 * version is recorded. If the client remembered it, a crash between the answer and the record would turn every later
 * answer into "unchanged" and lose postings.
 */
export function createFeedClient(options: FeedClientOptions): Feed {
  const { baseUrl, clock, log, metrics, cacheMs } = options;
  const { random = Math.random, sleep = sleepFor } = options;
  const timeoutMs = options.attemptTimeoutMs ?? 15_000;
  const maxBytes = options.maxBytes ?? 8 * 1024 * 1024;
  // Each attempt enforces its own deadline, so the agent's timeouts are off.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: timeoutMs } });
  const wire = { agent, base: new URL(baseUrl), timeoutMs, maxBytes, now: () => clock.now() };
  const attempts = createAttempts({ wire, sleep, random, log });
  const lanes = createLanes({ spacingMs: options.spacingMs, clock, sleep });
  const alone: InTurn = ({ token }, signal, task) => lanes.run(fingerprint(token), signal, task);
  const { inTurn = alone } = options;
  const singleFlight = createSingleFlight<Version>();
  const cache = createResponseCache(options.cache, Math.max(4 * cacheMs, HOUR), log);
  const redactor = createTokenRedaction(log);
  let closed = false;

  async function fetch(request: FeedRequest): Promise<FeedAnswer> {
    const format = request.format ?? options.format ?? 'rss';
    const key = cacheKey({ baseUrl, ...request, format });
    try {
      if (closed || request.signal?.aborted) throw aborted();
      const answer = await ask({ source: request.fresh ? 'api' : 'any', request, format, key });
      // The body of the current version was never fetched or is gone from the cache.
      return answer ?? (await required(ask({ source: 'body', request, format, key })));
    } catch (error) {
      throw asFeedError(error, closed || request.signal?.aborted === true);
    }
  }

  async function poll(request: PollRequest): Promise<FeedAnswer> {
    const { account, signal } = request;
    try {
      if (closed) throw aborted();
      return await cache.asking(account, (write) => askOnce(request, write));
    } catch (error) {
      throw counted(asFeedError(error, closed || signal.aborted), error);
    }
  }

  async function askOnce(request: PollRequest, write: WriteAnswer): Promise<FeedAnswer> {
    const { account, token, query, format, known, keep, signal } = request;
    const { etag, lastModified } = known;
    const attempt = { account, query, token, format, signal, etag, lastModified, once: true };
    const reply = await alone(request, signal, (lane) => attempts.run(lane, attempt));
    const hash = reply.notModified ? known.hash : bodyHash(reply.body);
    const validator = { hash, ...headersOf(reply) };
    if (hash === known.hash) {
      metrics.count('feed_requests', { outcome: 'unchanged' });
      return { kind: 'unchanged', validator: reply.notModified ? { ...known, ...validator } : validator };
    }
    const wait = pace();
    if (wait) await wait;
    const bytes = joined(reply.body);
    const decoded = decodeText(bytes, reply.contentType);
    const listing = open(decoded, { format, request }, partsOf(bytes, reply.contentType, redactor, request));
    const text = keep ? redactor.text(decoded, request) : undefined;
    const kept = text !== undefined && isKept(text);
    const now = clock.now();
    if (kept)
      await write(cacheKey({ baseUrl, ...request }), { ...validator, fetchedAt: now, bodyAt: now }, text);
    metrics.count('feed_requests', { outcome: 'ok' });
    return { kind: 'postings', listing, validator, kept };
  }

  async function ask(plan: Omit<FetchPlan, 'signal'>): Promise<FeedAnswer | undefined> {
    const { request, key, source } = plan;
    // A request that retries must not join one made with `once`: it would lose its retries.
    const shared = `${source}:${request.once ? 'once' : 'often'}:${key}`;
    const version = await singleFlight.join(shared, request.signal, (signal) =>
      counting(load({ ...plan, signal }), signal),
    );
    const { validator } = version;
    if (request.known?.hash === validator.hash) return { kind: 'unchanged', validator };
    const listing = await version.listing();
    return listing && { kind: 'postings', listing, validator, kept: version.kept };
  }

  /** Counts a failure and returns it. `error`: the error as it was thrown. */
  function counted(fault: FeedError, error: unknown): FeedError {
    // Only the name is logged: the message may contain the address.
    if (fault !== error && fault.fault !== 'aborted')
      log.error({ name: (error as Error).name }, 'unexpected error in the feed client');
    metrics.count('feed_requests', { outcome: fault.fault });
    return fault;
  }

  async function counting(work: Promise<Version>, signal: AbortSignal): Promise<Version> {
    try {
      const version = await work;
      metrics.count('feed_requests', { outcome: version.outcome });
      return version;
    } catch (error) {
      throw counted(asFeedError(error, signal.aborted), error);
    }
  }

  async function load(plan: FetchPlan): Promise<Version> {
    const { request, format, key, signal } = plan;
    const meta = plan.source === 'any' ? await cache.meta(key) : undefined;
    if (meta && isFresh(meta, plan))
      return {
        outcome: 'cached',
        kept: true,
        validator: validatorOf(meta),
        listing: () => cached(plan, meta.hash),
      };
    const condition = await conditionOf(plan, meta);
    const { query, token, account, once } = request;
    const { etag, lastModified } = condition ?? {};
    const attempt = { account, query, token, format, etag, lastModified, signal, once };
    return cache.asking(account, async (write) => {
      const take = request.isInTurn ? alone : inTurn;
      const reply = await take(request, signal, (lane) => attempts.run(lane, attempt));
      return reply.notModified && condition
        ? confirmed(write, plan, reply, condition, meta)
        : received(write, plan, reply, meta);
    });
  }

  /**
   * Whether a cached response can still be used. The last 5 % of its lifetime do not count. Otherwise a poll whose
   * interval equals the lifetime could come some milliseconds early, get its own last answer, and reach the API only
   * every second time.
   */
  function isFresh(meta: CacheMeta, { request, format }: FetchPlan): boolean {
    const { tag, country, remote } = request.query;
    // A preview without a filter is the broadest question, so its answer is used twice as long (jobs API, Limits 4).
    const isBroadPreview = format === 'json' && !tag && !country && !remote;
    const age = clock.now() - meta.fetchedAt;
    return age >= 0 && age < cacheMs * (isBroadPreview ? 2 : 1) * 0.95;
  }

  /** The version to ask about, if any. A cached version is used only if its body is cached too or the caller knows it. */
  async function conditionOf(plan: FetchPlan, meta: CacheMeta | undefined): Promise<Validator | undefined> {
    const { known } = plan.request;
    if (plan.source === 'body') return undefined;
    if (!meta) return known;
    if (known?.hash === meta.hash) return { ...known, ...validatorOf(meta) };
    return (await cache.body(plan.key, meta.hash)) ? validatorOf(meta) : known;
  }

  async function confirmed(
    write: WriteAnswer,
    plan: FetchPlan,
    reply: Reply,
    condition: Validator,
    meta: CacheMeta | undefined,
  ): Promise<Version> {
    const validator = { ...condition, ...headersOf(reply) };
    const bodyAt = meta?.hash === condition.hash ? meta.bodyAt : 0;
    await write(plan.key, { ...validator, fetchedAt: clock.now(), bodyAt });
    const kept = meta?.hash === condition.hash;
    return { outcome: 'unchanged', kept, validator, listing: () => cached(plan, validator.hash) };
  }

  async function received(
    write: WriteAnswer,
    plan: FetchPlan,
    reply: Reply,
    meta: CacheMeta | undefined,
  ): Promise<Version> {
    const { key, request } = plan;
    const hash = bodyHash(reply.body);
    const validator = { hash, ...headersOf(reply) };
    const text = once(() => redactor.text(decodeText(joined(reply.body), reply.contentType), request));
    const listing = once(() => readable(text(), plan));
    const isSame = hash === request.known?.hash || hash === meta?.hash;
    // A body that is not a feed must not be cached. A known one was read before.
    const wait = pace();
    if (wait) await wait;
    if (!isSame) await listing();
    const now = clock.now();
    const hasBody = hash === meta?.hash && now - meta.bodyAt < cache.keepMs / 2;
    const body = hasBody || !isKept(text()) ? undefined : text();
    const bodyAt = hasBody ? meta.bodyAt : body ? now : 0;
    await write(key, { ...validator, fetchedAt: now, bodyAt }, body);
    return { outcome: isSame ? 'unchanged' : 'ok', kept: bodyAt > 0, validator, listing };
  }

  async function cached(
    plan: Pick<FetchPlan, 'key' | 'format' | 'request'>,
    hash: string,
  ): Promise<Listing | undefined> {
    const text = await cache.body(plan.key, hash);
    // A cached body that can't be read was written by another version of this program and is ignored.
    return text && readable(text, plan).catch(() => undefined);
  }

  /** Opens a listing and reads it once, so that a body that is not a listing fails here. */
  async function readable(text: Text, plan: Pick<FetchPlan, 'format' | 'request'>): Promise<Listing> {
    const listing = open(text, plan);
    await listing.read();
    return listing;
  }

  /**
   * Opens a listing. It keeps what was read, because the subscriptions that need a request read much the same
   * postings.
   */
  function open(
    text: Text,
    { format, request }: Pick<FetchPlan, 'format'> & { readonly request: Asker },
    parts?: Parts,
  ): Listing {
    const { marks, count, read } = format === 'json' ? openJson(text, parts) : openRss(text, parts);
    const known = new Map<string, ReadPosting | undefined>();
    const parsed = async (wanted?: ReadonlySet<string>) => {
      metrics.count('feed_parsed', { format });
      return redactor.postings(await read(wanted), request);
    };
    const readAll = once(() => parsed());
    let isRead = false;
    return {
      marks,
      count,
      async read(wanted) {
        if (!wanted || isRead) {
          isRead = true;
          const all = await readAll();
          return wanted ? all.filter(({ mark }) => mark !== undefined && wanted.has(mark)) : all;
        }
        const missing = new Set<string>();
        for (const mark of wanted) if (!known.has(mark)) missing.add(mark);
        if (missing.size > 0) {
          const found = await parsed(missing);
          for (const mark of missing) known.set(mark, undefined);
          for (const one of found) if (one.mark !== undefined) known.set(one.mark, one);
        }
        const found: ReadPosting[] = [];
        for (const mark of marks) {
          const one = wanted.has(mark) ? known.get(mark) : undefined;
          if (one) found.push(one);
        }
        return found;
      },
    };
  }

  async function recall(request: FeedRequest, hash: string): Promise<FeedAnswer | undefined> {
    const format = request.format ?? options.format ?? 'rss';
    const key = cacheKey({ baseUrl, ...request, format });
    const meta = await cache.meta(key);
    if (meta?.hash !== hash) return undefined;
    const validator = validatorOf(meta);
    const text = await cache.body(key, meta.hash);
    return text && { kind: 'postings', listing: open(text, { format, request }), validator, kept: true };
  }

  async function close(): Promise<void> {
    closed = true;
    await singleFlight.close();
    await agent.destroy();
  }

  return { fetch, poll, recall, forget: (account) => cache.forget(account), close };
}

function partsOf(bytes: Buffer, contentType: string | undefined, { cut }: TokenRedaction, of: Asker): Parts {
  return {
    again: () => textAgain(bytes, contentType),
    clean: (part) => cut(part, of),
  };
}

/**
 * Whether a text may be cached. One that still contains the token in some encoding may not, nor one that is too large
 * for a shared table.
 */
function isKept({ isClean, text }: { readonly isClean: boolean; readonly text: string }): boolean {
  return isClean && text.length <= MAX_BODY;
}

async function required<T>(value: Promise<T | undefined>): Promise<T> {
  const found = await value;
  if (found === undefined) throw new FeedError('unavailable', 'The response of the jobs API had no body.');
  return found;
}

/** Replaces any other error: its message may contain the address, so nothing of it is passed on. */
function asFeedError(error: unknown, isAborted: boolean): FeedError {
  if (isAborted) return aborted();
  if (error instanceof FeedError) return error;
  return new FeedError('malformed', 'The response of the jobs API could not be read.');
}

function validatorOf({ hash, etag, lastModified }: Validator): Validator {
  return { hash, ...headersOf({ etag, lastModified }) };
}

function headersOf(of: {
  etag?: string | undefined;
  lastModified?: string | undefined;
}): Omit<Validator, 'hash'> {
  return {
    ...defined({ etag: of.etag, lastModified: of.lastModified }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
