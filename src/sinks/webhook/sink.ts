// Sends editions to other programs by the Standard Webhooks specification: one POST per part of an edition, with the
// same id on every attempt, signed if there is a secret. The URL may contain a key, so only its host is named.

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { defined } from '../../domain/defined.js';
import { DeliveryError, UserError } from '../../domain/errors.js';
import { parseRetryAfter } from '../../domain/retry.js';
import type { Secret } from '../../domain/secret.js';
import type { Delivery, DeliveryContext, Sink } from '../../ports/sink.js';
import type { Clock, Log } from '../../ports/system.js';
import { machineEdition } from '../../render/machine.js';

export interface WebhookSinkOptions {
  /** Base64, with or without `whsec_` in front; unsigned when left out. */
  readonly secret?: Secret;
  /** Allows private and loopback targets and plain http, for an operator who is also the user. */
  readonly allowPrivate: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** For one whole attempt; 15,000 when left out. */
  readonly timeoutMs?: number;
  /** Turns names into addresses; the system's resolver when left out. */
  readonly resolve?: Resolve;
}

const TARGET_MAX = 2048;
/** Bytes of an answer that are read. The content is not used. */
const ANSWER_MAX = 16_384;
const ANSWER_MS = 1_000;

/** The sink `webhook`. Throws a {@link UserError} for an invalid secret. */
export function createWebhookSink(options: WebhookSinkOptions): Sink {
  const { allowPrivate, clock, log, timeoutMs = 15_000 } = options;
  const signer = options.secret && signerOf(options.secret);
  const agent = new Agent({
    // A new connection each time: a kept one would skip the check of its address, and may be stale.
    pipelining: 0,
    connect: {
      timeout: timeoutMs,
      ...defined({ lookup: allowPrivate ? undefined : createPublicLookup(options.resolve) }),
    },
  });

  async function deliver(delivery: Delivery, target: string, context: DeliveryContext): Promise<void> {
    const url = new URL(stillAllowed(target));
    const at = new Date(clock.now());
    const data = machineEdition(delivery);
    const body = JSON.stringify({ type: 'jobcrier.edition', timestamp: at.toISOString(), data });
    const id = delivery.parts > 1 ? `${delivery.edition}.${delivery.part}` : delivery.edition;
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'jobcrier',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      ...defined({ 'webhook-signature': signer ? signer.sign(id, at, body) : undefined }),
    };
    context.guard({ format: 'json', body, note: data.note });
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([context.signal, deadline]);
    const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher: agent }).catch(
      (error: unknown) => {
        throw brokenFault(error, url.host, deadline.aborted);
      },
    );
    log.debug({ host: url.host, edition: delivery.edition, status: answer.statusCode }, 'webhook answered');
    // Only the status counts. It does not matter whether the body arrives.
    const soon = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    await answer.body.dump({ limit: ANSWER_MAX, signal: soon }).catch(() => undefined);
    const fault = answerFault(answer.statusCode, answer.headers['retry-after'], url.host, clock.now());
    if (fault) throw fault;
  }

  /** Checks a stored target again, because it may be older than the current settings. */
  function stillAllowed(target: string): string {
    try {
      return parseWebhookTarget(target, allowPrivate);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      throw new DeliveryError('target', 'webhook target is not allowed', { forOwner: error.message });
    }
  }

  return {
    name: 'webhook',
    audience: 'machines',
    parseTarget: (target) => parseWebhookTarget(target, allowPrivate),
    deliver,
    close: () => agent.destroy(),
  };
}

/** The URL in its normal form. Throws a {@link UserError} that names no more of it than the host and protocol. */
export function parseWebhookTarget(target: unknown, allowPrivate: boolean): string {
  const wanted = 'wanted an address such as https://hooks.example.org/jobs';
  const refuse = (why: string): UserError => new UserError(`webhook target: ${why}; ${wanted}.`, 2);
  if (typeof target !== 'string' || target.trim() === '') throw refuse('none given');
  if (target.length > TARGET_MAX || !URL.canParse(target)) throw refuse('not an address');
  const url = new URL(target);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw refuse(`${url.protocol.slice(0, 20)}// is not accepted`);
  if (url.username !== '' || url.password !== '')
    throw refuse(`${url.host}: an address with a user name or password is not accepted`);
  if (!allowPrivate && isPrivateName(url.hostname))
    throw refuse(`${url.host} is in a private network (the operator may allow those: WEBHOOK_ALLOW_PRIVATE)`);
  url.hash = '';
  return url.href;
}

function signerOf(key: Secret): Webhook {
  try {
    return new Webhook(key.reveal());
  } catch {
    throw new UserError(
      'WEBHOOK_SECRET: wanted base64, with or without whsec_ in front; "openssl rand -base64 32" makes one.',
      2,
    );
  }
}

// What the answer of a webhook's receiver means, or the lack of one. The texts contain only the host of the URL and
// nothing from the answer, because both may be secret.

/** The fault that a status means; undefined when the receiver has accepted the edition. `now` in milliseconds. */
function answerFault(
  status: number,
  retryAfter: string | string[] | undefined,
  host: string,
  now: number,
): DeliveryError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const said = `webhook ${host}: answered ${status}`;
  if (status >= 300 && status < 400)
    return new DeliveryError('target', said, {
      forOwner: `The webhook at ${host} redirects, which is not followed: set its new address.`,
    });
  if (status === 404 || status === 410)
    return new DeliveryError('target', said, {
      forOwner: `There is no webhook at this address of ${host} any more (${status}): set a new one or remove it.`,
    });
  if (status === 401 || status === 403)
    return new DeliveryError('target', said, {
      forOwner: `${host} refuses the webhook call (${status}): check its address, and the secret on both sides.`,
    });
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const retryAfterMs = parseRetryAfter([retryAfter ?? []].flat()[0], now);
    return new DeliveryError('outage', said, {
      forOwner: `The webhook at ${host} is busy or out of order (${status}).`,
      ...defined({ retryAfterMs }),
    });
  }
  return new DeliveryError('content', said, {
    forOwner: `The webhook at ${host} does not accept what it was sent (${status}).`,
  });
}

/** The fault of an attempt that got no answer. */
function brokenFault(error: unknown, host: string, late: boolean): DeliveryError {
  const code = codeOf(error);
  if (code === NOT_PUBLIC)
    return new DeliveryError('target', `webhook ${host}: not a public address`, {
      forOwner: `${host} is in a private network, where webhooks are not sent (the operator may allow it: WEBHOOK_ALLOW_PRIVATE).`,
    });
  const why = late ? 'no answer in time' : code;
  return new DeliveryError('outage', `webhook ${host}: ${why}`, {
    forOwner: `The webhook at ${host} can't be reached (${why}).`,
  });
}

/** Only the code, because messages of libraries may contain the URL. */
function codeOf(error: unknown): string {
  const errors = error instanceof AggregateError ? error.errors : [error];
  const codes = errors.map((one: { code?: unknown } | undefined) => one?.code);
  const code = codes.find((one) => typeof one === 'string');
  if (code !== undefined) return code as string;
  return error instanceof Error && error.name === 'AbortError' ? 'stopped' : 'connection failed';
}

// Users type webhook targets, so a target must not give access to the network that this program runs in. What counts
// is the address of the connection: names are checked after they are resolved.

/** All global IPv6 unicast addresses (RFC 4291, 2.4; IANA has assigned no others). */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** True for a public address: not private, loopback, link-local, carrier, test or tunnel. Mapped ones count as IPv4. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(GLOBAL_V6);
}

/** True for a host that clearly names this machine or network. The name is not resolved. */
function isPrivateName(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/gu, '').replace(/\.$/u, '');
  if (isIP(host)) return !isPublicAddress(host);
  return !host.includes('.') || /\.(?:localhost|local|internal|lan|home\.arpa)$/iu.test(host);
}

/** The error code for a name with an address that is not public. */
const NOT_PUBLIC = 'ENOTPUBLIC';

type Callback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** `dns.lookup` in the one form used here. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a `lookup` for sockets that fails when any address of a name is not public. The connection uses the
 * addresses that were checked here, so a name that resolves differently later has no effect.
 */
export function createPublicLookup(resolve: Resolve = lookup) {
  return (hostname: string, options: LookupOptions, callback: Callback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(Object.assign(new Error('not a public address'), { code: NOT_PUBLIC }), []);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}
