// The one client for Discord's REST API, for the bot and for the sink: discord.js's own, with one set of rate limits,
// one count of refused requests and one kind of error. By itself, that client would repeat a 5xx four times within
// milliseconds, wait out a 429 of any length silently, and drop its token after one 401.

import { setTimeout as sleep } from 'node:timers/promises';
import type { REST, RequestData, ResponseLike, RouteLike } from '@discordjs/rest';
import { Agent, type Dispatcher, request as send } from 'undici';
import { defined } from '../domain/defined.js';
import { withoutDiscordIds } from '../domain/discord-id.js';
import { reasonOf } from '../domain/errors.js';
import type { Secret } from '../domain/secret.js';
import { unlessAborted } from '../domain/serial.js';
import type { Log, Metrics } from '../ports/system.js';
import { busy, DiscordFault, discordFault, faultyFields } from './fault.js';
import { createLimits, MARGIN_MS, PATIENCE_MS } from './limits.js';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly files?: readonly { readonly name: string; readonly data: Uint8Array; readonly type?: string }[];
  readonly signal?: AbortSignal;
}

export interface DiscordRest {
  /** Returns the JSON answer, `undefined` for none. Rejects with a {@link DiscordFault} or the signal's reason. */
  request(method: Method, path: RouteLike, options?: RequestOptions): Promise<unknown>;
  /** Milliseconds until Discord accepts another request of this kind; 0 if it does now or if nothing is known. */
  resetMs(method: Method, path: string): number;
  /** The library's client, with the token, loaded at the first call. Its requests reject in the same way. */
  library(): Promise<REST>;
  close(): Promise<void>;
}

/** `apiUrl`: up to `/api`. `timeoutMs`: for one answer, default 15,000. `tokenPauseMs`: after a 401, default 60,000. */
export interface RestOptions {
  readonly token: Secret;
  readonly apiUrl?: string;
  readonly log: Log;
  readonly metrics?: Metrics;
  readonly timeoutMs?: number;
  readonly tokenPauseMs?: number;
  /** See {@link createLimits}. */
  readonly share?: () => number;
}

const DISCORD_API = 'https://discord.com/api';
const AGENT = 'DiscordBot (https://github.com/jobcrier/jobcrier, 0.1.0)';
const TOKEN_REFUSED = 'Discord refuses the bot token';
const MOST_BYTES = 8_000_000;
const MOST_SPENT = 2_000;
/** A GET answered with a 5xx is asked a second time after this pause. A POST may have succeeded, so its caller decides. */
const AGAIN_MS = 500;

/** Requests of a route and channel (or server, or webhook) are sent one at a time and in order. */
export function createDiscordRest(options: RestOptions): DiscordRest {
  const { token, log, metrics, timeoutMs = 15_000, tokenPauseMs = 60_000 } = options;
  const api = (options.apiUrl ?? DISCORD_API).replace(/\/+$/u, '');
  const prefix = `${new URL(api).pathname}/v10`.length;
  const connect = { timeout: timeoutMs };
  const agent = new Agent({ connections: 16, connect });
  /** For answers to interactions, which have three seconds and must not wait behind deliveries. */
  const answers = new Agent({ connect });
  const limits = createLimits(options.share);
  /** When the buckets that are used up are filled again, by method and path; monotonic milliseconds. */
  const spent = new Map<string, number>();
  let deadUntil = 0;
  let dead = false;
  let loading: Promise<REST> | undefined;

  async function load(): Promise<REST> {
    const { REST, DiscordAPIError, HTTPError, RateLimitError } = await import('@discordjs/rest');

    function faultOf(error: unknown): unknown {
      if (error instanceof RateLimitError) return busy(error.retryAfter - MARGIN_MS);
      if (error instanceof HTTPError)
        return discordFault('away', `Discord answered ${error.status}`, { status: error.status });
      if (error instanceof DiscordAPIError) return refusalOf(error.status, error.rawError, token);
      return error;
    }

    class Rest extends REST {
      override async request(wanted: Parameters<REST['request']>[0]): Promise<unknown> {
        wanted.signal?.throwIfAborted();
        // The library never takes its listener off a signal, so each request gets a signal that ends with it.
        const own = new AbortController();
        const stop = () => own.abort(wanted.signal?.reason);
        wanted.signal?.addEventListener('abort', stop);
        try {
          return await this.#ask({ ...wanted, signal: own.signal });
        } finally {
          wanted.signal?.removeEventListener('abort', stop);
        }
      }
      async #ask(
        wanted: Parameters<REST['request']>[0] & { readonly signal: AbortSignal },
        attempt = 1,
      ): Promise<unknown> {
        const { method, signal } = wanted;
        try {
          return await unlessAborted(super.request(wanted), signal);
        } catch (error) {
          signal.throwIfAborted();
          const fault = faultOf(error);
          const again = fault instanceof DiscordFault && fault.status >= 500 && method === 'GET';
          if (!again || attempt > 1) throw fault;
          await sleep(AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
          return this.#ask(wanted, attempt + 1);
        }
      }
      // A gateway client that is closed clears the token and the sweepers, which the others still need.
      override setToken(given: string): this {
        return given ? super.setToken(given) : this;
      }
      override clearHashSweeper(): void {}
      override clearHandlerSweeper(): void {}
    }

    return new Rest({
      api,
      version: '10',
      makeRequest: exchange,
      // Each answer has its own deadline in `exchange`, after the wait for the limits.
      timeout: timeoutMs + 2 * PATIENCE_MS,
      retries: 0,
      offset: MARGIN_MS,
      // Kept by `limits`, over any second and not by the clock. Discord's own 429 still stops the library.
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      rejectOnRateLimit: ({ retryAfter }) => retryAfter > PATIENCE_MS + 2 * MARGIN_MS,
    }).setToken(token.reveal());
  }

  const library = () => {
    loading ??= load();
    return loading;
  };

  /** Sends one request of the library. Answers to interactions carry no token and do not count in Discord's total. */
  async function exchange(url: string, init: Init): Promise<ResponseLike> {
    const route = `${init.method} ${new URL(url).pathname.slice(prefix)}`;
    const counts = isAuthorized(init.headers);
    if (counts) {
      // After a 401 the token stays in use, but without a pause the requests would get the address banned.
      const pause = Math.ceil(deadUntil - performance.now());
      if (pause > 0) throw discordFault('token', TOKEN_REFUSED, { status: 401, retryAfterMs: pause });
      await limits.admit(init.signal ?? undefined);
    }
    const answer = await attempt(url, init);
    const { status, body } = answer;
    metrics?.count('discord_requests_total', { status: String(status) });
    limits.learn(status, answer.rates['x-ratelimit-scope']);
    if (status === 401 && counts) {
      deadUntil = performance.now() + tokenPauseMs;
      if (!dead) log.error({}, 'Discord refuses the bot token; set a valid DISCORD_TOKEN and restart');
      dead = true;
      throw discordFault('token', TOKEN_REFUSED, { status });
    }
    if (status >= 300 && status < 400) throw strange(status);
    if (status < 300 && counts) dead = false;
    const rates = status === 429 ? pauseOf(answer) : answer.rates;
    if (status === 429)
      log.warn(
        { route: shown(route), ms: Number(rates['retry-after']) * 1000, everywhere: isGlobal(answer) },
        'Discord asks for a pause',
      );
    remember(route, rates);
    // The library expects an object in each refusal, and no body with a 204.
    const read = status >= 400 ? fieldsOf(body) : body;
    const json = status === 204 || read === undefined ? undefined : JSON.stringify(read);
    const headers = json === undefined ? rates : { ...rates, 'content-type': 'application/json' };
    return new Response(json ?? null, { status, headers });
  }

  function remember(route: string, rates: Rates): void {
    const now = performance.now();
    if (spent.size > MOST_SPENT) for (const [one, until] of spent) if (until < now) spent.delete(one);
    spent.delete(route);
    const seconds = Number(rates['x-ratelimit-reset-after']);
    if (rates['x-ratelimit-remaining'] === '0' && seconds > 0)
      spent.set(route, now + seconds * 1000 + MARGIN_MS);
  }

  async function attempt(url: string, { method, headers, signal, body }: Init): Promise<DiscordResponse> {
    const limit = AbortSignal.timeout(timeoutMs);
    // Encoded here, because undici can't read the form data of every version of Node.
    const form = body instanceof FormData ? new Response(body) : undefined;
    const type = form && { 'Content-Type': form.headers.get('content-type') ?? '' };
    try {
      const response = await send(url, {
        method: method as Dispatcher.HttpMethod,
        dispatcher: isAuthorized(headers) ? agent : answers,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        headers: { ...(headers as Record<string, string>), 'User-Agent': AGENT, ...type },
        body: form ? new Uint8Array(await form.arrayBuffer()) : ((body as string | null | undefined) ?? null),
      });
      const rates = Object.entries(response.headers).flatMap(([name, value]) =>
        /^(?:x-ratelimit-|retry-after$)/u.test(name) ? [[name, String(value)] as const] : [],
      );
      return {
        status: response.statusCode,
        rates: Object.fromEntries(rates),
        body: await readJson(response.body),
      };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DiscordFault) throw error;
      metrics?.count('discord_requests_total', { status: 'none' });
      throw discordFault(
        'away',
        limit.aborted
          ? `Discord did not answer within ${timeoutMs / 1000} s`
          : `Discord is not reachable: ${codeOf(error)}`,
      );
    }
  }

  return {
    async request(method, path, { body, query, files, signal } = {}) {
      signal?.throwIfAborted();
      const call: RequestData = {
        ...defined({
          body,
          query: query ? new URLSearchParams(query) : undefined,
          signal,
          files: files
            ? files.map(({ name, data, type = 'application/octet-stream' }) => ({
                name,
                data: Buffer.from(data),
                contentType: type,
              }))
            : undefined,
        }),
      };
      const rest = await library();
      const verb = method.toLowerCase() as Lowercase<Method>;
      const answer = await rest[verb](path, call);
      // What the library gives for an answer without JSON.
      return answer instanceof ArrayBuffer ? undefined : answer;
    },
    resetMs: (method, path) => Math.max(0, (spent.get(`${method} ${path}`) ?? 0) - performance.now()),
    library,
    close: async () => {
      await Promise.all([agent.destroy(), answers.destroy()]);
    },
  };
}

type Init = Parameters<REST['options']['makeRequest']>[1];

/** False for an answer to an interaction. */
function isAuthorized(headers: Init['headers']): boolean {
  return 'Authorization' in { ...headers };
}

/** The headers of an answer that are about limits. */
type Rates = Readonly<Record<string, string>>;

interface DiscordResponse {
  readonly status: number;
  readonly rates: Rates;
  /** Undefined for an answer that is not JSON. */
  readonly body: unknown;
}

/** A route for the log, without ids and without the tokens of interactions. */
function shown(route: string): string {
  return withoutDiscordIds(route, ':id').replace(/\/(webhooks|interactions)\/:id\/[^/]+/u, '/$1/:id/:token');
}

function fieldsOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

async function readJson(body: AsyncIterable<Buffer>): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw discordFault('away', 'an answer of Discord is over 8 MB');
    chunks.push(chunk);
  }
  try {
    return size === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A 429 without Discord's own body comes from the network in front of it and applies to all routes. */
function isGlobal({ body }: DiscordResponse): boolean {
  const { global, retry_after: seconds } = fieldsOf(body);
  return global === true || seconds === undefined;
}

/** The headers of a 429, complete: how long it lasts (at most an hour; a second if it does not say) and for what. */
function pauseOf(answer: DiscordResponse): Rates {
  const asked = Number(fieldsOf(answer.body).retry_after ?? answer.rates['retry-after'] ?? 1);
  const seconds = String(Number.isFinite(asked) ? Math.min(Math.max(asked, 0.001), 3_600) : 1);
  return {
    ...answer.rates,
    'retry-after': seconds,
    ...(isGlobal(answer)
      ? { 'x-ratelimit-global': 'true' }
      : { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': seconds }),
  };
}

function strange(status: number): DiscordFault {
  return discordFault('away', `an unexpected answer, ${status}, where Discord should be`, { status });
}

/** The fault for an answer with a status from 400 to 499, other than 429. */
function refusalOf(status: number, body: unknown, token: Secret): DiscordFault {
  const said = fieldsOf(body);
  const code = Number(said.code ?? 0) || 0;
  // Discord's refusals have a code. One without comes from a proxy, or DISCORD_API_URL points elsewhere.
  if (code === 0 && status !== 400 && status !== 413) return strange(status);
  const fields = faultyFields(said.errors);
  const where = fields.length > 0 ? ` (${fields.slice(0, 5).join(', ')})` : '';
  // It may come from a proxy that repeats the request, so the token is removed.
  const words = String(said.message ?? '')
    .replaceAll(token.reveal(), '[secret]')
    .slice(0, 120);
  return discordFault('refused', `Discord answered ${status}, code ${code}: ${words}${where}`, {
    status,
    code,
    fields,
  });
}

/** An error's code, because its text may contain the URL. Without a code, a short text with URLs removed. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string'
    ? code
    : reasonOf(error)
        .slice(0, 60)
        .replace(/https?:\S+/gu, '…');
}
