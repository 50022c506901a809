// The same tools over plain HTTP, for programs without MCP, and their description in OpenAPI. Both are made of the table of
// tools.
import type { Context } from 'hono';
import { reasonOf, UserError } from '../../domain/errors.js';
import { MARKS } from '../../domain/stages.js';
import type { Agent } from '../../ports/services.js';
import type { McpDeps } from './mcp.js';
import { argumentsOf } from './schema.js';
import { callTool, TOOLS, type Tool } from './tools.js';

const BASE = '/api';

/** The values of the path's arguments; undefined for another path. */
function inPath([, pattern]: Tool['route'], path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/u.exec(part)?.[1];
    if (name === undefined ? part !== value : value === '') return undefined;
    if (name !== undefined) values[name] = decoded(value);
  }
  return values;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The arguments of a query, where everything is text. */
function inQuery(tool: Tool, query: Readonly<Record<string, string>>): Record<string, unknown> {
  const { properties } = argumentsOf(tool);
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const property = properties[name];
      const isNumber = typeof property === 'object' && property.type === 'integer';
      return [name, isNumber && /^\d{1,9}$/u.test(value) ? Number(value) : value];
    }),
  );
}

/** Answers a request. `body`: its JSON, undefined without any. */
export async function answerRest(c: Context, body: unknown, agent: Agent, deps: McpDeps): Promise<Response> {
  const path = new URL(c.req.url).pathname.replace(/^.*?\/api(?=\/)/u, '');
  const there = TOOLS.flatMap((tool) => {
    const values = inPath(tool.route, path);
    return values ? [{ tool, values }] : [];
  });
  if (there.length === 0)
    return c.json({ error: 'There is nothing at this address; see /api/openapi.json.' }, 404);
  const found = there.find(({ tool }) => tool.route[0] === c.req.method.toLowerCase());
  if (!found) {
    c.header('Allow', there.map(({ tool }) => tool.route[0].toUpperCase()).join(', '));
    return c.json({ error: 'This address has no such method.' }, 405);
  }
  const { tool, values } = found;
  const given = tool.route[0] === 'get' ? inQuery(tool, c.req.query()) : body;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return c.json({ error: 'Wanted a JSON object.' }, 400);
  try {
    const answer = await callTool(tool, { ...given, ...values }, agent, deps);
    return c.body(answer, 200, { 'Content-Type': 'application/json; charset=utf-8' });
  } catch (error) {
    if (!(error instanceof UserError)) {
      deps.log.error({ tool: tool.name, reason: reasonOf(error) }, 'tool failed');
      return c.json({ error: 'This failed because of a problem of the service. Try again later.' }, 500);
    }
    const status = tool.changes && !agent.write ? 403 : error.exitCode === 2 ? 400 : 422;
    return c.json({ error: error.message }, status);
  }
}

const TEXT = { type: 'string' };
const TEXTS = { type: 'array', items: TEXT };

/** A posting in an answer. */
const POSTING = {
  type: 'object',
  required: ['key', 'title', 'matched', 'source'],
  properties: {
    key: TEXT,
    title: TEXT,
    company: TEXT,
    location: TEXT,
    remote: { type: 'boolean' },
    tags: TEXTS,
    salary: { type: 'string', description: "the employer's words or figure" },
    postedAt: { type: 'string', format: 'date' },
    applyBy: {
      type: 'object',
      description: 'the last day to apply, and the words of the posting that say so',
      required: ['day', 'words'],
      properties: { day: { type: 'string', format: 'date' }, words: TEXT },
    },
    applyUrl: { type: 'string', format: 'uri', description: 'use it exactly as it is' },
    noLink: { type: 'string', description: 'why there is no apply link' },
    matched: { ...TEXTS, description: 'why it matched' },
    source: TEXT,
    foundAt: { type: 'string', format: 'date-time' },
    mark: { enum: MARKS },
  },
};

const ANSWER = {
  type: 'object',
  properties: {
    postings: { type: 'array', items: { $ref: '#/components/schemas/Posting' } },
    note: { type: 'string', description: 'must accompany the links wherever they are shown' },
  },
};

const ERROR = {
  description: 'Refused; `error` says why.',
  content: {
    'application/json': {
      schema: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
    },
  },
};

function operationOf(tool: Tool) {
  const [method, path] = tool.route;
  const { properties, required = [], ...rest } = argumentsOf(tool);
  const names = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name as string);
  const own = Object.entries(properties).filter(([name]) => !names.includes(name));
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: properties[name] })),
    ...(method === 'get' ? own : []).map(([name, schema]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema,
    })),
  ];
  const schema = {
    ...rest,
    properties: Object.fromEntries(own),
    required: required.filter((name) => !names.includes(name)),
  };
  return {
    operationId: tool.name,
    summary: tool.about,
    parameters,
    ...(method === 'get'
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema } } } }),
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: ANSWER } } },
      '4XX': ERROR,
    },
  };
}

/** Returns the OpenAPI 3.1 document. `publicUrl`: where the pages are, without a slash at the end. */
export function openApi({
  version,
  publicUrl,
}: {
  readonly version: string;
  readonly publicUrl?: string | undefined;
}) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const tool of TOOLS) {
    const [method, path] = tool.route;
    paths[path] = { ...paths[path], [method]: operationOf(tool) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'jobcrier',
      version,
      description:
        'Job postings and subscriptions of one account. Each `applyUrl` must be used exactly as it is; `note` says so and must accompany it.',
    },
    servers: [{ url: `${publicUrl?.replace(/\/$/u, '') ?? ''}${BASE}` }],
    security: [{ key: [] }],
    components: {
      schemas: { Posting: POSTING },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
    paths,
  };
}
