// Keeps responses for a few minutes (jobs API, Limits 4), so that subscriptions with the same filter, previews and
// restarts need no request. The cache is optional: when its table fails, the poll continues without it.
import { createHash } from 'node:crypto';
import { reasonOf } from '../../domain/errors.js';
import { type Query, queryKey } from '../../domain/filter.js';
import { fingerprint, type Secret } from '../../domain/secret.js';
import { createKeyedMutex, unlessAborted } from '../../domain/serial.js';
import type { Validator } from '../../ports/feed.js';
import type { Table } from '../../ports/stores.js';
import type { Log } from '../../ports/system.js';
import type { Text } from './decode.js';
import type { Format } from './request.js';

/** What is known of a cached response without its body. Times in milliseconds since the epoch. */
export interface CacheMeta extends Validator {
  readonly fetchedAt: number;
  /** When the body was written: its row expires {@link ResponseCache.keepMs} later. */
  readonly bodyAt: number;
}

/** Notes when a version was last confirmed; the body is written only if `body` is given. */
export type WriteAnswer = (key: string, meta: CacheMeta, body?: Text) => Promise<void>;

export interface ResponseCache {
  meta(key: string): Promise<CacheMeta | undefined>;
  /** The body of exactly the version `hash`, if it is still there. */
  body(key: string, hash: string): Promise<Text | undefined>;
  /**
   * Runs work that makes a request for an account and stores its answer. Nothing is stored if the account is
   * forgotten in the meantime.
   */
  asking<T>(account: string, work: (write: WriteAnswer) => Promise<T>): Promise<T>;
  /** Deletes every row of an account. */
  forget(account: string): Promise<void>;
  readonly keepMs: number;
}

/** Larger bodies are not kept, because all accounts share the table. In characters. */
export const MAX_BODY = 2 * 1024 * 1024;

/**
 * Returns the key of a response. It holds all filter fields, the format, the account and the token. A response
 * belongs to one account, because its links do (jobs API, Authentication 6), and to one token, because a new one may
 * belong to another person.
 */
export function cacheKey(of: {
  baseUrl: string;
  account: string;
  token: Secret;
  format: Format;
  query: Query;
}): string {
  const base = createHash('sha256').update(of.baseUrl).digest('hex').slice(0, 8);
  return [ownerPart(of.account), fingerprint(of.token), base, of.format, queryKey(of.query)].join(':');
}

/** The prefix of an account's keys. */
function ownerPart(account: string): string {
  return `feed:${encodeURIComponent(account)}`;
}

/**
 * `keepMs`: how long rows stay. It is longer than a response counts as fresh, so that its validators can be used.
 * Body and meta are two rows, so that confirming a version rewrites a few bytes and not the whole listing.
 */
export function createResponseCache(table: Table<unknown>, keepMs: number, log: Log): ResponseCache {
  let failing = false;
  /** Requests in progress, by account. A request is removed when its account is forgotten. */
  const underway = new Map<string, Set<object>>();
  // A write in progress must end before the rows of its account are listed for deletion.
  const inTurn = createKeyedMutex();

  async function guarded<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await action();
      failing = false;
      return value;
    } catch (error) {
      // Logged once until the table works again, not at every poll.
      if (!failing) log.warn({ reason: reasonOf(error) }, 'response cache failed, continuing without it');
      failing = true;
      return undefined;
    }
  }

  async function meta(key: string): Promise<CacheMeta | undefined> {
    const value = await guarded(() => table.get(key));
    return isMeta(value) ? value : undefined;
  }

  async function body(key: string, hash: string): Promise<Text | undefined> {
    const value = await guarded(() => table.get(`${key}:body`));
    // The two rows are written one after the other; after a crash in between they may be of two versions.
    if (!isBody(value) || value.hash !== hash) return undefined;
    return { text: value.text, lossy: value.lossy };
  }

  async function write(key: string, next: CacheMeta, text?: Text): Promise<void> {
    await guarded(async () => {
      if (text)
        await table.set(`${key}:body`, { hash: next.hash, text: text.text, lossy: text.lossy }, keepMs);
      await table.set(key, next, keepMs);
    });
  }

  async function asking<T>(account: string, work: (write: WriteAnswer) => Promise<T>): Promise<T> {
    const request = {};
    const requests = underway.get(account) ?? new Set();
    underway.set(account, requests.add(request));
    try {
      return await work((...answer) =>
        inTurn(account, async () => {
          if (underway.get(account)?.has(request)) await write(...answer);
        }),
      );
    } finally {
      requests.delete(request);
      if (requests.size === 0 && underway.get(account) === requests) underway.delete(account);
    }
  }

  function forget(account: string): Promise<void> {
    underway.delete(account);
    return inTurn(account, () => table.deleteUnder(`${ownerPart(account)}:`));
  }

  return { meta, body, asking, forget, keepMs };
}

function isMeta(value: unknown): value is CacheMeta {
  const meta = value as Partial<CacheMeta> | null | undefined;
  return (
    typeof meta?.hash === 'string' && typeof meta.fetchedAt === 'number' && typeof meta.bodyAt === 'number'
  );
}

function isBody(value: unknown): value is Text & { hash: string } {
  const body = value as Partial<Text & { hash: string }> | null | undefined;
  return typeof body?.text === 'string' && typeof body.hash === 'string' && typeof body.lossy === 'boolean';
}

// Equal requests at the same time share one piece of work. A caller that leaves does not affect the others, and the
// work is aborted only when all have left.

export interface SingleFlight<T> {
  /** Joins the work in progress for `key`, or starts it. Rejects with the reason of `signal`, or as the work does. */
  join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts all work, and waits until it has ended. */
  close(): Promise<void>;
}

interface Shared<T> {
  readonly work: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const inFlight = new Map<string, Shared<T>>();
  /** Includes work without callers, which may be in the middle of a write. */
  const running = new Set<Shared<T>>();

  function launch(key: string, start: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const controller = new AbortController();
    const shared = { work: start(controller.signal), controller, waiting: 0 };
    inFlight.set(key, shared);
    running.add(shared);
    const over = () => void running.delete(shared);
    shared.work.then(over, over);
    return shared;
  }

  async function join(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const shared = inFlight.get(key) ?? launch(key, start);
    shared.waiting++;
    try {
      return await unlessAborted(shared.work, signal);
    } finally {
      shared.waiting--;
      if (shared.waiting === 0) {
        // A caller that comes now must not join work that is being aborted.
        inFlight.delete(key);
        shared.controller.abort();
      }
    }
  }

  async function close(): Promise<void> {
    const all = [...running];
    for (const shared of all) shared.controller.abort();
    await Promise.allSettled(all.map((shared) => shared.work));
  }

  return { join, close };
}
