// Requests to Discord without discord.js: its REST client repeats a 5xx four times within milliseconds, silently
// waits out long 429s and drops its token after one 401. Here only short 429s are repeated; callers decide the rest.
import { Agent, FormData, request as send } from 'undici';
import { reasonOf } from '../../domain/errors.js';
import type { Secret } from '../../domain/secret.js';
import type { Log, Metrics } from '../../ports/system.js';
import { DiscordFault, discordFault, faultyFields } from './fault.js';
import { busy, createLanes, createLimits } from './limits.js';

const DISCORD_API = 'https://discord.com/api';

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
  request(method: Method, path: string, options?: RequestOptions): Promise<unknown>;
  /** Milliseconds until Discord accepts another request on this route; 0 if it does now or if nothing is known. */
  resetMs(method: Method, path: string): number;
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

/** How often a request waits for the end of a short 429 before it fails. */
const SHORT_WAITS = 3;
const SHORT_MS = 5_000;
const TOKEN_REFUSED = 'Discord refuses the bot token';
const MOST_BYTES = 8_000_000;
const AGENT = 'DiscordBot (https://github.com/jobcrier/jobcrier, 0.1.0)';

/** Requests of one route (method, channel or server, kind) are sent one at a time and in order. */
export function createDiscordRest(options: RestOptions): DiscordRest {
  const { token, log, metrics, timeoutMs = 15_000, tokenPauseMs = 60_000 } = options;
  const base = `${(options.apiUrl ?? DISCORD_API).replace(/\/+$/u, '')}/v10`;
  const agent = new Agent({ connections: 16, connect: { timeout: timeoutMs } });
  const limits = createLimits(options.share);
  const lanes = createLanes();
  let deadUntil = 0;
  let dead = false;

  async function request(method: Method, path: string, wanted: RequestOptions = {}): Promise<unknown> {
    const route = routeOf(method, path);
    return lanes.run(route, wanted.signal, async () => {
      for (let waits = 0; ; waits++) {
        // After a 401 the token stays in use, but without a pause the requests would get the address banned.
        const pause = Math.ceil(deadUntil - performance.now());
        if (pause > 0) throw discordFault('token', TOKEN_REFUSED, { status: 401, retryAfterMs: pause });
        await limits.admit(route, wanted.signal);
        const answer = await attempt(method, path, wanted);
        metrics?.count('discord_requests_total', { status: String(answer.status) });
        limits.learn(route, answer.header, answer.status);
        if (answer.status >= 200 && answer.status < 300) {
          dead = false;
          return answer.body;
        }
        const fault = faultOf(answer, token);
        if (fault.kind === 'token') {
          deadUntil = performance.now() + tokenPauseMs;
          if (!dead) log.error({}, 'Discord refuses the bot token; set a valid DISCORD_TOKEN and restart');
          dead = true;
        }
        if (fault.kind !== 'busy') throw fault;
        const ms = fault.retryAfterMs ?? 1_000;
        const everywhere = isGlobal(answer);
        limits.block(route, ms, everywhere);
        log.warn({ route, ms, everywhere }, 'Discord asks for a pause');
        if (ms > SHORT_MS || waits >= SHORT_WAITS) throw fault;
      }
    });
  }

  async function attempt(method: Method, path: string, wanted: RequestOptions): Promise<Answer> {
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = wanted.signal ? AbortSignal.any([wanted.signal, limit]) : limit;
    try {
      const response = await send(base + path, {
        method,
        dispatcher: agent,
        signal,
        headers: {
          authorization: `Bot ${token.reveal()}`,
          'user-agent': AGENT,
          ...(wanted.files || wanted.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(wanted.query ? { query: { ...wanted.query } } : {}),
        ...(wanted.files
          ? { body: form(wanted) }
          : wanted.body === undefined
            ? {}
            : { body: JSON.stringify(wanted.body) }),
      });
      const header = (name: string) => {
        const value = response.headers[name];
        return Array.isArray(value) ? value[0] : value;
      };
      return { status: response.statusCode, header, body: await readJson(response.body) };
    } catch (error) {
      wanted.signal?.throwIfAborted();
      if (error instanceof DiscordFault) throw error;
      metrics?.count('discord_requests_total', { status: 'none' });
      const why = limit.aborted
        ? `Discord did not answer within ${timeoutMs / 1000} s`
        : 'Discord is not reachable';
      throw discordFault('away', limit.aborted ? why : `${why}: ${codeOf(error)}`);
    }
  }

  return {
    request,
    resetMs: (method, path) => limits.resetMs(routeOf(method, path)),
    close: () => agent.destroy(),
  };
}

interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: unknown;
}

/** Discord's limits are per route and channel, server or webhook. Other ids in the path share a limit. */
function routeOf(method: Method, path: string): string {
  const major = /^\/(?:channels|guilds|webhooks)\/\d+/u.exec(path)?.[0] ?? '';
  return `${method} ${major}${path.slice(major.length).replace(/\d{17,20}/gu, ':id')}`;
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

function form({ body, files = [] }: RequestOptions): FormData {
  const data = new FormData();
  data.set('payload_json', JSON.stringify(body ?? {}));
  files.forEach((file, index) => {
    const part = new File([new Uint8Array(file.data)], file.name, {
      type: file.type ?? 'application/octet-stream',
    });
    data.set(`files[${index}]`, part);
  });
  return data;
}

function field(answer: Answer, name: string): unknown {
  return typeof answer.body === 'object' && answer.body !== null
    ? (answer.body as Record<string, unknown>)[name]
    : undefined;
}

function isGlobal(answer: Answer): boolean {
  // A 429 without Discord's own body comes from the network in front of it and applies to all routes.
  return field(answer, 'global') === true || field(answer, 'retry_after') === undefined;
}

/** The message in an answer. It may come from a proxy that repeats the request, so the token is removed. */
function wordsOf(answer: Answer, token: Secret): string {
  return String(field(answer, 'message') ?? '')
    .replaceAll(token.reveal(), '[secret]')
    .slice(0, 120);
}

function faultOf(answer: Answer, token: Secret): DiscordFault {
  const { status } = answer;
  const code = Number(field(answer, 'code') ?? 0) || 0;
  if (status === 401) return discordFault('token', TOKEN_REFUSED, { status });
  if (status === 429) {
    const seconds = Number(field(answer, 'retry_after') ?? answer.header('retry-after') ?? 1);
    return busy(Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1000, 0), 3_600_000) : 1_000);
  }
  if (status >= 500) return discordFault('away', `Discord answered ${status}`, { status });
  // Discord's refusals have a code. One without comes from a proxy, or DISCORD_API_URL points elsewhere.
  if (status < 400 || (code === 0 && status !== 400 && status !== 413))
    return discordFault('away', `an unexpected answer, ${status}, where Discord should be`, { status });
  const fields = faultyFields(field(answer, 'errors'));
  const where = fields.length > 0 ? ` (${fields.slice(0, 5).join(', ')})` : '';
  const text = `Discord answered ${status}, code ${code}: ${wordsOf(answer, token)}${where}`;
  return discordFault('refused', text, { status, code, fields });
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
