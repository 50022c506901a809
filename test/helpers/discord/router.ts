// A route is data: method, pattern, allowed callers, its bucket, and a function.
import type { Json, State, StoredFile } from './types.js';

export interface Call {
  state: State;
  /** Values of the pattern's `:name` segments. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** The JSON body ({} when there is none); arrays only for the command lists. */
  body: Json;
  rawBody: unknown;
  files: Map<string, StoredFile>;
  /** "METHOD pattern", for violations. */
  where: string;
}

export interface Reply {
  status: number;
  body?: unknown;
}

export interface Route {
  method: string;
  pattern: string;
  /** False for routes behind an interaction token. */
  auth: boolean;
  /** The parameter that, with the route, forms a rate limit bucket. */
  bucket?: string;
  run: (call: Call) => Reply | Promise<Reply>;
}

export function route(
  method: string,
  pattern: string,
  run: Route['run'],
  extra: { auth?: boolean; bucket?: string } = {},
): Route {
  return {
    method,
    pattern,
    run,
    auth: extra.auth ?? true,
    ...(extra.bucket ? { bucket: extra.bucket } : {}),
  };
}

export function ok(body: unknown, status = 200): Reply {
  return { status, body };
}

export function noContent(): Reply {
  return { status: 204 };
}

/** Finds the route of a request and the values of its parameters; literal segments win over parameters. */
export function findRoute(
  routes: Route[],
  method: string,
  path: string,
): { route: Route; params: Record<string, string> } | 'method' | null {
  let other = false;
  for (const candidate of routes) {
    const params = matchPattern(candidate.pattern, path);
    if (!params) continue;
    if (candidate.method === method) return { route: candidate, params };
    other = true;
  }
  return other ? 'method' : null;
}

function matchPattern(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return params;
}
