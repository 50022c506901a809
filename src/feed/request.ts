// One attempt at the jobs API: from the query to bytes or to the kind of failure, under one deadline. Nothing of the
// request or of the library's errors survives in what is thrown, because both hold the address with the token in it.
import type { Readable } from 'node:stream';
import type { Agent } from 'undici';
import { FeedError } from '../domain/errors.js';
import type { Query } from '../domain/filter.js';
import { parseRetryAfter } from '../domain/retry.js';
import type { Secret } from '../domain/secret.js';
import { ACCEPT_ENCODING, readBody } from './decode.js';
import { repeats } from './echo.js';

export type Format = 'rss' | 'json';

/** What an attempt asks for. `etag` and `lastModified` make it conditional. */
export interface Attempt {
  readonly query: Query;
  readonly token: Secret;
  readonly format: Format;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  readonly signal: AbortSignal;
}

/** An answer: a body, or (`notModified`) that the version asked about is the current one. */
export interface Reply {
  readonly notModified: boolean;
  readonly body: Buffer;
  readonly contentType: string | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export interface RequestOptions {
  readonly agent: Agent;
  readonly base: URL;
  /** Milliseconds for everything: connecting, headers and body. */
  readonly timeoutMs: number;
  /** Of the decoded body. */
  readonly maxBytes: number;
  /** Milliseconds since the epoch, for a Retry-After that is a date. */
  readonly now: () => number;
}

const ACCEPT = {
  rss: 'application/rss+xml, application/xml;q=0.9, text/xml;q=0.8',
  json: 'application/json',
} as const;
const PATHS = { rss: '/api/v1.xml', json: '/api/v1' } as const;

/**
 * Makes one request. A total deadline, because one that only watches for silence is never reached by a server that
 * sends a byte a second. Throws {@link FeedError} alone, by the table of the jobs API (Errors).
 */
export async function requestOnce(options: RequestOptions, attempt: Attempt): Promise<Reply> {
  if (attempt.signal.aborted) throw aborted();
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, options.timeoutMs);
  attempt.signal.addEventListener('abort', stop);
  try {
    return await exchange(options, attempt, controller.signal);
  } catch (error) {
    if (error instanceof FeedError) throw error;
    if (attempt.signal.aborted) throw aborted();
    if (controller.signal.aborted)
      throw new FeedError('unavailable', `The jobs API did not answer within ${options.timeoutMs} ms.`);
    throw brokenBy(error);
  } finally {
    clearTimeout(timer);
    attempt.signal.removeEventListener('abort', stop);
  }
}

/** The error of a request its caller gave up. */
export function aborted(): FeedError {
  return new FeedError('aborted', 'The request to the jobs API was given up.');
}

async function exchange(options: RequestOptions, attempt: Attempt, signal: AbortSignal): Promise<Reply> {
  const { base } = options;
  const response = await options.agent.request({
    origin: base.origin,
    path: `${base.pathname.replace(/\/+$/u, '')}${PATHS[attempt.format]}?${paramsOf(attempt)}`,
    method: 'GET',
    headers: headersOf(attempt),
    signal,
  });
  const { statusCode, headers, body } = response;
  const field = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  // Both are kept, and a version named after the request would keep the token.
  const kept = (name: string) => {
    const value = field(name);
    return value !== undefined && repeats(value, attempt.token) ? undefined : value;
  };
  const head = {
    contentType: field('content-type'),
    etag: kept('etag'),
    lastModified: kept('last-modified'),
  };
  if (statusCode === 200) {
    const bytes = await readBody(body, field('content-encoding'), options.maxBytes).catch((error) => {
      discard(body);
      throw error;
    });
    if (!isFramed(field('content-length'), field('transfer-encoding')) && isCut(bytes, attempt.format))
      throw new FeedError('unavailable', 'The answer of the jobs API was cut short.', { status: 200 });
    return { notModified: false, body: bytes, ...head };
  }
  const conditional = attempt.etag !== undefined || attempt.lastModified !== undefined;
  if (statusCode === 304 && conditional) {
    await body.dump();
    return { notModified: true, body: Buffer.alloc(0), ...head };
  }
  discard(body);
  throw failureOf(statusCode, parseRetryAfter(field('retry-after'), options.now()));
}

function paramsOf({ token, query }: Attempt): string {
  const params = new URLSearchParams({ token: token.reveal() });
  if (query.tag) params.set('tag', query.tag);
  if (query.country) params.set('country', query.country);
  if (query.remote) params.set('remote', 'true');
  // Always sent: what is left out counts 20 by the specification and 50 in the wild. And `show_description` never is:
  // without descriptions the records lose their id, company and date as well.
  params.set('limit', String(query.limit));
  return params.toString();
}

function headersOf({ format, etag, lastModified }: Attempt): Record<string, string> {
  return {
    accept: ACCEPT[format],
    'accept-encoding': ACCEPT_ENCODING,
    'user-agent': 'jobcrier',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

/** The body of a refusal is of no use, and reading it to its end could take as long as its sender likes. */
function discard(body: Readable): void {
  body.on('error', () => {});
  body.destroy();
}

function failureOf(status: number, retryAfterMs: number | undefined): FeedError {
  const more = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (status === 401 || status === 403)
    return new FeedError('rejected', `The jobs API rejected the token (${status}).`, { status });
  // Seen in the wild: a bad token is sent to the login page. Following it would hand the token to whoever is there.
  if (status >= 300 && status < 400 && status !== 304)
    return new FeedError('rejected', `The jobs API redirected instead of answering (${status}).`, { status });
  if (status === 429) return new FeedError('throttled', 'The jobs API asks for fewer requests (429).', more);
  if (status >= 500) return new FeedError('unavailable', `The jobs API failed (${status}).`, more);
  if (status >= 400)
    return new FeedError('refused', `The jobs API refused the request (${status}).`, { status });
  return new FeedError('malformed', `The jobs API answered ${status}, which says nothing.`, { status });
}

/** undici, llhttp, the sockets and zlib each have codes; only the code goes on, and only one that looks like one. */
function brokenBy(error: unknown): FeedError {
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/u.test(code) ? code : 'unknown';
  // A compressed body that ends early was cut off on the way; one that is no such body will not be one next time.
  if ((name.startsWith('Z_') && name !== 'Z_BUF_ERROR') || /^ERR_(?:BROTLI|_ERROR)/u.test(name))
    return new FeedError('malformed', `The answer could not be decompressed (${name}).`);
  return new FeedError('unavailable', `The jobs API could not be reached or broke off (${name}).`);
}

function isFramed(contentLength: string | undefined, transferEncoding: string | undefined): boolean {
  return contentLength !== undefined || /chunked/iu.test(transferEncoding ?? '');
}

/**
 * A body that ends where the connection ends can be cut off without anyone noticing. One that starts as a listing
 * and does not end as one was.
 */
function isCut(body: Buffer, format: Format): boolean {
  const text = (part: Buffer) => part.toString('latin1').replaceAll('\0', '').trim();
  const head = text(body.subarray(0, 2048));
  const tail = text(body.subarray(-512));
  if (format === 'json') return head.startsWith('[') && !tail.endsWith(']');
  return /<(?:rss|rdf:RDF)\b/u.test(head) && !/<\/(?:rss|rdf:RDF)\s*>/u.test(tail);
}
