// Sends editions to other programs by the Standard Webhooks specification: one POST per part of an edition, with the
// same id on every attempt, signed if there is a secret. The URL may contain a key, so only its host is named.
import { Webhook } from 'standardwebhooks';
import { Agent, request } from 'undici';
import { DeliveryError, UserError } from '../../domain/errors.js';
import type { Secret } from '../../domain/secret.js';
import type { Delivery, DeliveryContext, Sink } from '../../ports/sink.js';
import type { Clock, Log } from '../../ports/system.js';
import { machineEdition } from '../../render/machine.js';
import { answerFault, brokenFault } from './faults.js';
import { createPublicLookup, isPrivateName, type Resolve } from './public-address.js';

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
    connect: { timeout: timeoutMs, ...(allowPrivate ? {} : { lookup: createPublicLookup(options.resolve) }) },
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
      ...(signer ? { 'webhook-signature': signer.sign(id, at, body) } : {}),
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
