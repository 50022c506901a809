// A feed client whose time, randomness and cache are set by the test, and servers that misbehave on demand.
// Closing a kit checks that the client has not logged, counted or thrown the canary token.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { FeedError } from '../../src/domain/errors.js';
import type { ReadPosting } from '../../src/domain/posting.js';
import { secret } from '../../src/domain/secret.js';
import type { FeedAnswer, FeedRequest, PollRequest } from '../../src/ports/feed.js';
import type { Table } from '../../src/ports/stores.js';
import { createFeedClient, type FeedClientOptions } from '../../src/sources/jobs-api/client.js';

export const CANARY = 'canary-7f3a-token';
export const LOCATION_CANARY = 'canary-location';

interface MemoryTable extends Table<unknown> {
  readonly rows: Map<string, unknown>;
  readonly writes: string[];
  /** How long each row is kept, milliseconds. */
  readonly lifetimes: Map<string, number | undefined>;
  failing: boolean;
}

/** A table that stores JSON, as the real ones do, and that can be made to fail. */
function memoryTable(): MemoryTable {
  const rows = new Map<string, string>();
  const writes: string[] = [];
  const lifetimes = new Map<string, number | undefined>();
  const guard = () => {
    if (table.failing) throw new Error('the table is broken');
  };
  const table: MemoryTable = {
    rows,
    writes,
    lifetimes,
    failing: false,
    get: async (key) => {
      guard();
      const text = rows.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    set: async (key, value, ttlMs) => {
      guard();
      writes.push(key);
      lifetimes.set(key, ttlMs);
      rows.set(key, JSON.stringify(value));
    },
    delete: async (key) => void rows.delete(key),
    async deleteUnder(prefix) {
      for (const key of rows.keys()) if (key.startsWith(prefix)) rows.delete(key);
    },
    async update(key, change) {
      const next = change(await table.get(key));
      if (next !== undefined) await table.set(key, next);
      return next;
    },
    entries: async function* (prefix = '') {
      for (const [key, text] of rows) if (key.startsWith(prefix)) yield [key, JSON.parse(text)] as const;
    },
  };
  return table;
}

/** An answer with everything it lists. */
export type ReadAnswer =
  | Extract<FeedAnswer, { kind: 'unchanged' }>
  | (Omit<Extract<FeedAnswer, { kind: 'postings' }>, 'listing'> & {
      readonly postings: readonly ReadPosting[];
    });

export interface Kit {
  readonly fetch: (request?: Partial<FeedRequest>) => Promise<ReadAnswer>;
  /** As in a turn of a lane, with the listing unchanged. */
  readonly poll: (request: Partial<PollRequest> & Pick<PollRequest, 'known'>) => Promise<FeedAnswer>;
  /** The FeedError of a request; any other outcome fails the test. */
  readonly fault: (request?: Partial<FeedRequest>) => Promise<FeedError>;
  /** A kept answer, without a request. */
  readonly recall: (hash: string, request?: Partial<FeedRequest>) => Promise<ReadAnswer | undefined>;
  /** Deletes the cache of an account. */
  readonly forget: (account: string) => Promise<void>;
  readonly cache: MemoryTable;
  readonly clock: { time: number; now(): number };
  /** Every wait that was requested, in milliseconds. Each moves the clock on and takes no time. */
  readonly sleeps: number[];
  readonly logs: { level: string; fields: object; message: string }[];
  /** Sum of a counter, for one label value or all. */
  readonly counted: (name: string, label?: string) => number;
  readonly close: () => Promise<void>;
}

/** `random` is always 0.5, so that a wait has no jitter. */
export function createKit(baseUrl: string, options: Partial<FeedClientOptions> = {}): Kit {
  const logs: Kit['logs'] = [];
  const counts: { name: string; labels: Readonly<Record<string, string>> }[] = [];
  const errors: unknown[] = [];
  const sleeps: number[] = [];
  const cache = memoryTable();
  const clock = {
    time: 1_800_000_000_000,
    now() {
      return this.time;
    },
  };
  const note = (level: string) => (fields: object, message: string) => {
    logs.push({ level, fields, message });
  };
  const feed = createFeedClient({
    baseUrl,
    cache,
    clock,
    spacingMs: 0,
    cacheMs: 300_000,
    log: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') },
    metrics: { count: (name, labels = {}) => void counts.push({ name, labels }), observe: () => {} },
    random: () => 0.5,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      sleeps.push(ms);
      clock.time += ms;
    },
    ...options,
  });
  const base: FeedRequest = { account: 'alice', token: secret(CANARY), query: { limit: 100 } };

  function noting<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      errors.push(error);
      throw error;
    });
  }

  async function whole(answer: FeedAnswer): Promise<ReadAnswer> {
    if (answer.kind === 'unchanged') return answer;
    const { listing, ...rest } = answer;
    return { ...rest, postings: await noting(listing.read()) };
  }

  async function fetch(request: Partial<FeedRequest> = {}): Promise<ReadAnswer> {
    return whole(await noting(feed.fetch({ ...base, ...request })));
  }

  async function recall(hash: string, request: Partial<FeedRequest> = {}): Promise<ReadAnswer | undefined> {
    const answer = await noting(feed.recall({ ...base, ...request }, hash));
    return answer && whole(answer);
  }

  function poll(request: Partial<PollRequest> & Pick<PollRequest, 'known'>): Promise<FeedAnswer> {
    const { signal } = new AbortController();
    return noting(feed.poll({ ...base, format: 'rss', keep: false, signal, ...request }));
  }

  async function close(): Promise<void> {
    await feed.close();
    const stacks = errors.map((error) => (error instanceof Error ? error.stack : ''));
    const said = inspect([logs, counts, errors, stacks, [...cache.rows]], {
      depth: 20,
      showHidden: true,
      maxStringLength: null,
      maxArrayLength: null,
    });
    expect(said).not.toContain(CANARY);
    expect(said).not.toContain(LOCATION_CANARY);
    expect(said).not.toContain('/api/v1');
    for (const error of errors) {
      expect(error).toBeInstanceOf(FeedError);
      expect(error).not.toHaveProperty('cause');
    }
  }

  return {
    fetch,
    poll,
    fault: async (request) => {
      const outcome = await fetch(request).catch((error: unknown) => error);
      expect(outcome).toBeInstanceOf(FeedError);
      return outcome as FeedError;
    },
    recall,
    forget: feed.forget,
    cache,
    clock,
    sleeps,
    logs,
    counted: (name, label) =>
      counts.filter((one) => one.name === name && (!label || Object.values(one.labels).includes(label)))
        .length,
    close,
  };
}

export interface TestServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** Parameters of a request, by its number. */
  readonly params: (number: number) => Record<string, string>;
  readonly close: () => Promise<void>;
}

/** An HTTP server; `handler` also gets the number of the request, from 0. */
export async function serve(
  handler: (...args: [...Parameters<RequestListener>, number]) => void,
): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response, requests.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    params: (number) =>
      Object.fromEntries(new URL(requests[number]?.url ?? '', 'http://x').searchParams.entries()),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server below HTTP: `handler` gets the socket when the head of a request has arrived, and its number, from 0. */
export async function serveRaw(
  handler: (socket: Socket, number: number) => void,
): Promise<{ url: string; close(): Promise<void>; count(): number }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => handler(socket, count++));
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A feed around items. */
export function rss(...items: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>Jobs</title>${items.join('')}</channel></rss>`;
}

export const ITEM =
  '<item><title>Rust Engineer</title><link>https://jobs.example/r/abc__me?a=1&amp;b=2</link><guid>1</guid></item>';
export const GOOD = rss(ITEM);
