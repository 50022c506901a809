// Who may make requests: the tokens file, read into a lookup. Only keyed hashes of tokens are kept, so that neither
// the duration of a comparison nor a dump of this table reveals a token.

import { hash, randomBytes } from 'node:crypto';
import { defined } from '../domain/defined.js';
import { FileFault } from './json-file.js';

/** `requests` in every window of `windowSeconds`, counted from a window's first request. */
export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

export interface TokenRecord {
  /** Keyed hash of the token, used in its place everywhere. */
  readonly id: string;
  readonly permissions: readonly string[];
  /** Milliseconds since the epoch. From then on the token counts as unknown. */
  readonly expiresAt?: number;
  readonly rateLimit?: RateLimit;
  /** Goes into `{partner}` of an apply_url; URL-safe. */
  readonly partner?: string;
}

export type Tokens = ReadonlyMap<string, TokenRecord>;

const PROCESS_KEY = randomBytes(32).toString('hex');

/** Reads the content of the tokens file. Throws a FileFault that names the entry by its number, never by its token. */
export function parseTokens(content: unknown): Tokens {
  if (!Array.isArray(content)) throw new FileFault('must be a JSON array of tokens');
  const tokens = new Map<string, TokenRecord>();
  content.forEach((entry: unknown, index) => {
    const record = parseToken(entry, `token ${index + 1}`);
    if (tokens.has(record.id)) throw new FileFault(`token ${index + 1} is there twice`);
    tokens.set(record.id, record);
  });
  return tokens;
}

/** The record of a token that is known and not expired at `now`, otherwise undefined. `id`: its {@link idOf}. */
export function findToken(tokens: Tokens, id: string, now: number): TokenRecord | undefined {
  const record = tokens.get(id);
  return record?.expiresAt !== undefined && record.expiresAt <= now ? undefined : record;
}

function parseToken(entry: unknown, name: string): TokenRecord {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new FileFault(`${name} must be an object`);
  }
  const { token, permissions = [], expiresAt, rateLimit, partner } = entry as Record<string, unknown>;
  if (typeof token !== 'string' || token === '') throw new FileFault(`${name} has no "token" text`);
  if (!Array.isArray(permissions)) throw new FileFault(`${name}: "permissions" must be a list`);
  return {
    id: idOf(token),
    permissions: permissions.map(String),
    ...defined({
      expiresAt: expiresAt != null ? parseExpiry(expiresAt, name) : undefined,
      rateLimit: rateLimit != null ? parseRateLimit(rateLimit, name) : undefined,
      partner: partner != null ? parsePartner(partner, name) : undefined,
    }),
  };
}

function parseExpiry(value: unknown, name: string): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw new FileFault(`${name}: "expiresAt" must be an ISO 8601 time`);
  return time;
}

function parseRateLimit(value: unknown, name: string): RateLimit {
  const { requests, windowSeconds } = Object(value) as Record<string, unknown>;
  const ok =
    typeof requests === 'number' &&
    Number.isInteger(requests) &&
    requests >= 0 &&
    typeof windowSeconds === 'number' &&
    Number.isFinite(windowSeconds) &&
    windowSeconds > 0;
  if (ok) return { requests, windowSeconds };
  throw new FileFault(`${name}: "rateLimit" must be { "requests": whole number, "windowSeconds": seconds }`);
}

// It is put into links unchanged, so it may hold nothing that needs escaping in a URL, in JSON or in XML.
function parsePartner(value: unknown, name: string): string {
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value)) return value;
  throw new FileFault(`${name}: "partner" may hold only letters, digits, "-" and "_"`);
}

/** Keyed hash of a token, or of a text that holds one. */
export function idOf(text: string): string {
  return hash('sha256', PROCESS_KEY + text, 'base64url');
}

// How many requests a token has left. Each token has one window, which its first request opens. So Retry-After is
// exact: after it, the whole quota is available again. Windows survive a reload of the tokens file.

/** `resetSeconds`: until the window ends, rounded up, at least 1. */
interface QuotaState {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface Quota {
  /** Counts one request of a token against its limit. A refused one is not counted. `now` in milliseconds. */
  take(id: string, limit: RateLimit, now: number): QuotaState;
  /** Deletes the windows of tokens that are not in `known`. */
  keep(known: { has(id: string): boolean }): void;
}

export function createQuota(): Quota {
  const windows = new Map<string, { start: number; used: number }>();

  function take(id: string, limit: RateLimit, now: number): QuotaState {
    const length = limit.windowSeconds * 1000;
    let window = windows.get(id);
    if (window === undefined || now >= window.start + length || now < window.start) {
      window = { start: now, used: 0 };
      windows.set(id, window);
    }
    const allowed = window.used < limit.requests;
    if (allowed) window.used++;
    return {
      allowed,
      remaining: Math.max(0, limit.requests - window.used),
      resetSeconds: Math.max(1, Math.ceil((window.start + length - now) / 1000)),
    };
  }

  function keep(known: { has(id: string): boolean }): void {
    for (const id of windows.keys()) if (!known.has(id)) windows.delete(id);
  }

  return { take, keep };
}
