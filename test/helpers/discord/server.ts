// The HTTP side: reads a request, applies a scripted fault, checks the token and the limits, runs the route, and
// records every request and answer.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJson } from './checks.js';
import { DiscordError, refusal } from './errors.js';
import type { Fault, Faults } from './faults.js';
import { parseBody, type ReadBody, readRaw } from './http-body.js';
import { createLimiter, limited } from './rate-limits.js';
import { findRoute, type Reply, type Route } from './router.js';
import type { State } from './types.js';

const PREFIX = '/api/v10';
/** Shortens tokens and ids in a path, which do not help a reader of a violation. */
const QUIET_CODES = new Set([403, 404, 429]);

export interface HttpSide {
  server: Server;
  port: number;
  close: () => Promise<void>;
}

export async function startHttp(state: State, routes: Route[], faults: Faults): Promise<HttpSide> {
  const limiter = createLimiter(state);
  /** Requests that met a fault: the bot is not responsible for what a repeat of them meets. */
  const faulted = new Set<string>();
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      state.violations.push(`stand-in failed: ${String(error instanceof Error ? error.stack : error)}`);
      response.destroy();
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = url.pathname.startsWith(PREFIX) ? url.pathname.slice(PREFIX.length) : url.pathname;
    const raw = await readRaw(request);
    let read: ReadBody | DiscordError;
    try {
      read = await parseBody(request.headers['content-type'] ?? '', raw);
    } catch (error) {
      read = error instanceof DiscordError ? error : refusal('invalidJson');
    }
    const body = read instanceof DiscordError ? undefined : read.json;
    const log = (status: number | 'hang' | 'drop', code: number | null) => {
      state.requests.push({ method, path, status, code, at, body });
    };
    const fault = faults.take({ method, path, body });
    if (fault) faulted.add(`${method} ${path}`);
    if (fault && beforeStore(fault, response, log)) return;
    try {
      if (read instanceof DiscordError) throw read;
      if (fault) requireAnswerable(fault);
      const reply = await answer(request, url, method, path, read);
      if (fault && afterStore(fault, response, log)) return;
      write(response, reply.status, reply.body, reply.headers);
      log(reply.status, null);
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      const natural = !fault || fault.kind.endsWith('after-store');
      if (natural) judge(method, path, error);
      write(response, error.status, error.body, error.headers);
      log(error.status, error.code);
    }
  }

  async function answer(
    request: IncomingMessage,
    url: URL,
    method: string,
    path: string,
    read: ReadBody,
  ): Promise<Reply & { headers: Record<string, string> }> {
    if (!url.pathname.startsWith(`${PREFIX}/`)) {
      state.violations.push(`${method} ${url.pathname}: not an address of API version 10`);
      throw refusal('notFound');
    }
    const found = findRoute(routes, method, path);
    if (found === null || found === 'method') {
      state.violations.push(`${method} ${path}: no such route here`);
      throw refusal(found === null ? 'notFound' : 'methodNotAllowed');
    }
    const { route, params } = found;
    if (route.auth && request.headers.authorization !== `Bot ${state.token}`) throw refusal('unauthorized');
    const where = `${method} ${route.pattern}`;
    const bucket = route.bucket ? `${where} ${params[route.bucket] ?? ''}` : null;
    const headers = limiter.count(bucket, route.auth);
    const body = isJson(read.json) ? read.json : {};
    const call = {
      state,
      params,
      query: url.searchParams,
      body,
      rawBody: read.json,
      files: read.files,
      where,
    };
    return { headers, ...(await route.run(call)) };
  }

  /** A refusal is a violation unless the bot could not have known. */
  function judge(method: string, path: string, error: DiscordError): void {
    const line = `${method} ${hideTokens(path)}: ${error.status} ${error.code} ${JSON.stringify(error.body.errors ?? error.message)}`;
    const blameless = faulted.has(`${method} ${path}`) && [40060, 10062].includes(error.code);
    const knowable = !QUIET_CODES.has(error.status) || error.code === 10062 || error.code === 10015;
    if (knowable && !blameless) state.violations.push(line);
    if (method !== 'POST' || (error.status !== 403 && error.status !== 404) || !path.startsWith('/channels/'))
      return;
    const times = (state.refusedSends.get(path) ?? 0) + 1;
    state.refusedSends.set(path, times);
    if (times > 1) state.violations.push(`${line} (again, though the first refusal was final)`);
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Log = (status: number | 'hang' | 'drop', code: number | null) => void;

function beforeStore(fault: Fault, response: ServerResponse, log: Log): boolean {
  if (fault.kind === 'hang') log('hang', null);
  else if (fault.kind === 'drop') {
    log('drop', null);
    cut(response, fault.reset);
  } else return false;
  return true;
}

/** Faults that replace the answer. */
function requireAnswerable(fault: Fault): void {
  if (fault.kind === 'status')
    throw new DiscordError(
      fault.status,
      0,
      fault.body ?? { message: 'Injected fault', code: 0 },
      fault.headers,
    );
  if (fault.kind === '429') throw limited(fault.retryAfter, fault.global ?? false, {});
}

function afterStore(fault: Fault, response: ServerResponse, log: Log): boolean {
  if (fault.kind === 'hang-after-store') log('hang', null);
  else if (fault.kind === 'drop-after-store') {
    log('drop', null);
    cut(response, fault.reset);
  } else if (fault.kind === '500-after-store') {
    write(response, 500, { message: '500: Internal Server Error', code: 0 }, {});
    log(500, 0);
  } else return false;
  return true;
}

function cut(response: ServerResponse, reset = false): void {
  if (reset) response.socket?.resetAndDestroy();
  else response.socket?.destroy();
}

function write(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string>,
): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, { ...headers, ...(text ? { 'content-type': 'application/json' } : {}) });
  response.end(text);
}

function hideTokens(path: string): string {
  return path.replace(/^(\/(?:interactions|webhooks)\/[^/]+)\/[^/]+/, '$1/…');
}
