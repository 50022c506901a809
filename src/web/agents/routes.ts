// The addresses for programs: /mcp for AI assistants and /api for all others. Both take the account's access key as a
// bearer token at every request, so a revoked key stops working immediately. Nothing is kept between two requests.
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Limit } from '../../domain/limit.js';
import { secret } from '../../domain/secret.js';
import type { Agent } from '../../ports/services.js';
import { isIncomplete } from '../context.js';
import { createAllowance, type Limiter } from '../limiter.js';
import { createClientOf, isOwnForm } from '../origin.js';
import type { McpDeps } from './mcp.js';

export interface AgentOptions extends McpDeps {
  readonly publicUrl?: string | undefined;
  readonly trustedProxies: readonly string[];
  /** Counts wrong keys, together with wrong tokens of the operator's page. */
  readonly limiter: Limiter;
}

/** A rule with its longest lists has half of it. */
const LARGEST = 32_000;
/** Requests of one account. */
const OF_ACCOUNT: Limit = { most: 60, withinMs: 60_000 };

type Failure = 400 | 401 | 403 | 405 | 429;

export function agentRoutes(app: Hono, options: AgentOptions): void {
  const { services, clock, limiter, publicUrl } = options;
  const clientOf = createClientOf(options.trustedProxies);
  const waitFor = createAllowance(OF_ACCOUNT, clock);

  const refuse = (c: Context, status: Failure, error: string) => c.json({ error }, status);

  function busy(c: Context, seconds: number, error: string): Response {
    c.header('Retry-After', String(seconds));
    return refuse(c, 429, error);
  }

  /** Whose access key the request has, or the answer that refuses it. The key is tried first, as with the operator's token. */
  async function agentOf(c: Context): Promise<Agent | Response> {
    // A browser sends no key by itself. This also holds where one was saved for a page of another site.
    if (!isOwnForm(c, publicUrl)) return refuse(c, 403, 'Pages of other sites can not use this.');
    const given = /^Bearer +(\S+)$/iu.exec(c.req.header('Authorization') ?? '')?.[1];
    const agent = given === undefined ? undefined : await services.openAccessKey(secret(given));
    if (agent) {
      const wait = waitFor(agent.account);
      return wait > 0 ? busy(c, Math.ceil(wait / 1000), 'Too many requests. Wait a little.') : agent;
    }
    const wait = given === undefined ? 0 : limiter.failed(clientOf(c).network);
    if (wait > 0) return busy(c, wait, 'Too many wrong keys.');
    c.header('WWW-Authenticate', 'Bearer realm="jobcrier"');
    return refuse(
      c,
      401,
      'Send the access key of your account as a bearer token. /agent key in Discord makes one.',
    );
  }

  /** The JSON of the body, undefined if it is none. Throws for an incomplete request. */
  async function bodyOf(c: Context): Promise<unknown> {
    try {
      return await c.req.json();
    } catch (error) {
      if (isIncomplete(c)) throw error;
      return undefined;
    }
  }

  for (const path of ['/mcp', '/api/*']) app.use(path, bodyLimit({ maxSize: LARGEST }));

  app.all('/mcp', async (c) => {
    const agent = await agentOf(c);
    if (agent instanceof Response) return agent;
    if (c.req.method !== 'POST') {
      c.header('Allow', 'POST');
      return refuse(c, 405, 'This server sends nothing by itself: only POST is possible.');
    }
    const body = await bodyOf(c);
    // MCP has no lists of messages since 2025-06-18, and one would pass the limit of requests.
    if (body === undefined || Array.isArray(body)) return refuse(c, 400, 'Wanted one JSON-RPC message.');
    const { answerMcp } = await import('./mcp.js');
    return answerMcp(c.req.raw, body, agent, options);
  });

  app.all('/api/*', async (c) => {
    if (c.req.path.endsWith('/api/openapi.json')) {
      const { openApi } = await import('./rest.js');
      return c.json(openApi(options));
    }
    const agent = await agentOf(c);
    if (agent instanceof Response) return agent;
    const { answerRest } = await import('./rest.js');
    return answerRest(c, await (c.req.method === 'GET' ? undefined : bodyOf(c)), agent, options);
  });
}
