// Faults that a test sets in advance: what the server does with the next requests that match.
import type { Json } from './types.js';

export type Fault =
  | { kind: 'status'; status: number; body?: Json; headers?: Record<string, string> }
  /** Never answers; nothing is stored. */
  | { kind: 'hang' }
  /** Stores, then never answers. */
  | { kind: 'hang-after-store' }
  /** Closes the socket before anything is stored; `reset` sends RST, after which discord.js retries. */
  | { kind: 'drop'; reset?: boolean }
  /** Stores, then closes the socket without an answer. */
  | { kind: 'drop-after-store'; reset?: boolean }
  | { kind: '500-after-store' }
  /** `retryAfter` in seconds. */
  | { kind: '429'; retryAfter: number; global?: boolean };

interface FaultRequest {
  method: string;
  /** Path below /api/v10, without the query. */
  path: string;
  body: unknown;
}

/** 'POST /channels/:id/messages' (`:x` one segment, `*` the rest), a pattern over "METHOD path", or a function. */
type Matcher = string | RegExp | ((request: FaultRequest) => boolean);

interface OrderedFault {
  readonly hits: number;
  cancel: () => void;
}

export interface Faults {
  /** Sets a fault for the next `times` (default 1) matching requests. The oldest one is used first. */
  next: (matcher: Matcher, fault: Fault, times?: number) => OrderedFault;
  clear: () => void;
  take: (request: FaultRequest) => Fault | null;
}

interface Order {
  matches: (request: FaultRequest) => boolean;
  fault: Fault;
  left: number;
  hits: number;
}

export function createFaults(): Faults {
  let orders: Order[] = [];
  return {
    next(matcher, fault, times = 1) {
      const order: Order = { matches: toPredicate(matcher), fault, left: times, hits: 0 };
      orders.push(order);
      return {
        get hits() {
          return order.hits;
        },
        cancel() {
          orders = orders.filter((other) => other !== order);
        },
      };
    },
    clear() {
      orders = [];
    },
    take(request) {
      const order = orders.find((candidate) => candidate.left > 0 && candidate.matches(request));
      if (!order) return null;
      order.left -= 1;
      order.hits += 1;
      return order.fault;
    },
  };
}

function toPredicate(matcher: Matcher): (request: FaultRequest) => boolean {
  if (typeof matcher === 'function') return matcher;
  if (matcher instanceof RegExp) return ({ method, path }) => matcher.test(`${method} ${path}`);
  const source = matcher
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/:[a-z]+/gi, '[^/]+');
  const pattern = new RegExp(`^${source}$`);
  return ({ method, path }) => pattern.test(`${method} ${path}`);
}
