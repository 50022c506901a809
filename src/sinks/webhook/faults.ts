// What the answer of a webhook's receiver means, or the lack of one. The texts contain only the host of the URL and
// nothing from the answer, because both may be secret.
import { DeliveryError } from '../../domain/errors.js';
import { parseRetryAfter } from '../../domain/retry.js';
import { NOT_PUBLIC } from './public-address.js';

/** The fault that a status means; undefined when the receiver has accepted the edition. `now` in milliseconds. */
export function answerFault(
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
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  return new DeliveryError('content', said, {
    forOwner: `The webhook at ${host} does not accept what it was sent (${status}).`,
  });
}

/** The fault of an attempt that got no answer. */
export function brokenFault(error: unknown, host: string, late: boolean): DeliveryError {
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
