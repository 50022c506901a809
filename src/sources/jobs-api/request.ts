// One attempt at the jobs API: from the query to bytes or to a kind of failure, within one deadline. What is thrown
// contains nothing of the request or of the library's errors, because both hold the address with the token in it.

import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';
import { defined } from '../../domain/defined.js';
import { FeedError } from '../../domain/errors.js';
import type { Query } from '../../domain/filter.js';
import { parseRetryAfter } from '../../domain/retry.js';
import type { Secret } from '../../domain/secret.js';
import { ACCEPT_ENCODING, decompressed, joined, tooLarge } from './decode.js';
import { repeats } from './redact-token.js';

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

/** An answer: a decompressed body in pieces, or (`notModified`) that the version asked about is the current one. */
export interface Reply {
  readonly notModified: boolean;
  readonly body: readonly Buffer[];
  readonly contentType: string | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export interface RequestOptions {
  readonly agent: Agent;
  readonly base: URL;
  /** Milliseconds for everything: connecting, headers and body. */
  readonly timeoutMs: number;
  /** Largest decoded body, bytes. */
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
 * Makes one request. The deadline is for the whole exchange: one that only watches for silence would never stop a
 * server that sends a byte a second. Throws only {@link FeedError}, by the table of the jobs API (Errors).
 */
export async function requestOnce(options: RequestOptions, attempt: Attempt): Promise<Reply> {
  const { signal } = attempt;
  if (signal.aborted) throw aborted();
  const exchange = begin(options, attempt);
  const late = `The jobs API did not respond within ${options.timeoutMs} ms.`;
  const timer = setTimeout(() => exchange.abort(new FeedError('unavailable', late)), options.timeoutMs);
  const stop = () => exchange.abort(aborted());
  signal.addEventListener('abort', stop);
  try {
    return await replyFrom(options, attempt, await exchange.answer);
  } catch (error) {
    throw error instanceof FeedError ? error : brokenBy(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** The error of a request that its caller aborted. */
export function aborted(): FeedError {
  return new FeedError('aborted', 'The request to the jobs API was cancelled.');
}

/** An answer as received. The body is used only for a 200. */
interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: readonly Buffer[];
}

/** Sends a request. `answer` rejects with the error given to `abort`, or with an error of undici. */
function begin(
  { agent, base, maxBytes }: RequestOptions,
  attempt: Attempt,
): { readonly answer: Promise<Answer>; abort(error: FeedError): void } {
  const body: Buffer[] = [];
  let received: Answer | undefined;
  let size = 0;
  let given: FeedError | undefined;
  let connection: Dispatcher.DispatchController | undefined;
  let resolve: (answer: Answer) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const answer = new Promise<Answer>((...settle) => {
    [resolve, reject] = settle;
  });
  function abort(error: FeedError): void {
    given ??= error;
    reject(error);
    connection?.abort(error);
  }
  agent.dispatch(
    {
      origin: base.origin,
      path: `${base.pathname.replace(/\/+$/u, '')}${PATHS[attempt.format]}?${paramsOf(attempt)}`,
      method: 'GET',
      headers: headersOf(attempt),
    },
    {
      onRequestStart(controller) {
        connection = controller;
        if (given) controller.abort(given);
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        received = { status, headers, body };
        if (status === 200 || status === 304) return;
        // The body of an error is not used, and reading it to its end could take as long as the server likes.
        resolve(received);
        abort(aborted());
      },
      onResponseData(_, chunk) {
        size += chunk.length;
        body.push(chunk);
        if (size > maxBytes) abort(tooLarge(maxBytes));
      },
      onResponseEnd() {
        if (received) resolve(received);
      },
      onResponseError(_, error) {
        reject(error);
      },
    },
  );
  return { answer, abort };
}

async function replyFrom(
  { maxBytes, now }: RequestOptions,
  attempt: Attempt,
  { status, headers, body }: Answer,
): Promise<Reply> {
  const field = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  // Both headers are stored. A value that repeats the token is dropped, or the token would be stored with it.
  const kept = (name: string) => {
    const value = field(name);
    return value !== undefined && repeats(value, attempt.token) ? undefined : value;
  };
  const head = {
    contentType: field('content-type'),
    etag: kept('etag'),
    lastModified: kept('last-modified'),
  };
  if (status === 200) {
    const read = await decompressed(body, field('content-encoding'), maxBytes);
    if (!isFramed(field('content-length'), field('transfer-encoding')) && isCut(joined(read), attempt.format))
      throw new FeedError('unavailable', 'The response of the jobs API was incomplete.', { status: 200 });
    return { notModified: false, body: read, ...head };
  }
  const isConditional = attempt.etag !== undefined || attempt.lastModified !== undefined;
  if (status === 304 && isConditional) return { notModified: true, body: [], ...head };
  throw failureOf(status, parseRetryAfter(field('retry-after'), now()));
}

function paramsOf({ token, query }: Attempt): string {
  const params = new URLSearchParams({ token: token.reveal() });
  if (query.tag) params.set('tag', query.tag);
  if (query.country) params.set('country', query.country);
  if (query.remote) params.set('remote', 'true');
  // Always sent: the default is 20 by the specification and 50 in practice. `show_description` is never sent: without
  // descriptions the records lose their id, company and date as well.
  params.set('limit', String(query.limit));
  return params.toString();
}

function headersOf({ format, etag, lastModified }: Attempt): Record<string, string> {
  return {
    accept: ACCEPT[format],
    'accept-encoding': ACCEPT_ENCODING,
    'user-agent': 'jobcrier',
    ...defined({ 'if-none-match': etag, 'if-modified-since': lastModified }),
  };
}

function failureOf(status: number, retryAfterMs: number | undefined): FeedError {
  const more = { status, ...defined({ retryAfterMs }) };
  if (status === 401 || status === 403)
    return new FeedError('rejected', `The jobs API rejected the token (${status}).`, { status });
  // In practice a request with a bad token is redirected to the login page. Following it would send the token to the
  // target of the redirect, whatever that is.
  if (status >= 300 && status < 400 && status !== 304)
    return new FeedError('rejected', `The jobs API redirected instead of answering (${status}).`, { status });
  if (status === 429) return new FeedError('throttled', 'The jobs API asks for fewer requests (429).', more);
  if (status >= 500) return new FeedError('unavailable', `The jobs API failed (${status}).`, more);
  if (status >= 400)
    return new FeedError('refused', `The jobs API refused the request (${status}).`, { status });
  return new FeedError('malformed', `The jobs API responded with an unexpected status (${status}).`, {
    status,
  });
}

/**
 * Errors of undici, llhttp, the sockets and zlib have codes. Only the code is passed on, and only if it looks like
 * one.
 */
function brokenBy(error: unknown): FeedError {
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/u.test(code) ? code : 'unknown';
  // A compressed body that ends early was cut off in transit, and may be complete the next time. One with invalid
  // data will not.
  if ((name.startsWith('Z_') && name !== 'Z_BUF_ERROR') || /^ERR_(?:BROTLI|_ERROR)/u.test(name))
    return new FeedError('malformed', `The response could not be decompressed (${name}).`);
  return new FeedError(
    'unavailable',
    `The jobs API could not be reached, or the connection was lost (${name}).`,
  );
}

function isFramed(contentLength: string | undefined, transferEncoding: string | undefined): boolean {
  return contentLength !== undefined || /chunked/iu.test(transferEncoding ?? '');
}

/**
 * A body that ends with the connection can be cut off without an error. It was cut off if it starts as a listing and
 * does not end as one.
 */
function isCut(body: Buffer, format: Format): boolean {
  const text = (part: Buffer) => part.toString('latin1').replaceAll('\0', '').trim();
  const head = text(body.subarray(0, 2048));
  const tail = text(body.subarray(-512));
  if (format === 'json') return head.startsWith('[') && !tail.endsWith(']');
  return /<(?:rss|rdf:RDF)\b/u.test(head) && !/<\/(?:rss|rdf:RDF)\s*>/u.test(tail);
}
