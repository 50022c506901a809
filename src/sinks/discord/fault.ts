// What Discord's refusals mean for a delivery: whose fault it is, and what its owner can do about it.

import { DiscordFault } from '../../discord/fault.js';
import { defined } from '../../domain/defined.js';
import { DeliveryError, reasonOf } from '../../domain/errors.js';
import { type Fix, fixOf } from '../../render/notice.js';

/** Codes that stop deliveries to a target until its owner acts. */
const TARGET: Readonly<Record<number, Fix>> = {
  10003: 'channelGone',
  10004: 'serverLeft',
  10013: 'userGone',
  50001: 'channelHidden',
  50007: 'dmClosed',
  50008: 'noMessages',
  50013: 'mayNotPost',
  50024: 'noMessages',
  50033: 'userGone',
  50278: 'noSharedServer',
  40067: 'forumTag',
  50083: 'threadArchived',
  160005: 'threadLocked',
};

const HOUR = 3_600_000;

/** Temporary refusals, in milliseconds to wait: direct messages opened too fast, too many active threads, thread full. */
const LATER: Readonly<Record<number, number>> = { 40003: HOUR / 6, 160006: HOUR, 30033: HOUR };

/** Any error while sending as a {@link DeliveryError}. An abort is an outage, because the message may have arrived. */
export function deliveryError(error: unknown, signal: AbortSignal): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof DiscordFault) return ofFault(error);
  if (signal.aborted) return new DeliveryError('outage', 'stopped while sending to Discord');
  // Not an error from Discord, so a bug in this program.
  return new DeliveryError('program', `sending to Discord failed: ${reasonOf(error)}`);
}

function ofFault(fault: DiscordFault): DeliveryError {
  const { kind, code, status, message, retryAfterMs } = fault;
  if (kind === 'token')
    return new DeliveryError('outage', message, {
      forOwner: "The bot's own Discord token is refused; its operator must set a valid one.",
      ...defined({ retryAfterMs }),
    });
  if (kind !== 'refused') return new DeliveryError('outage', message, defined({ retryAfterMs }));
  const fix = TARGET[code];
  if (fix) return new DeliveryError('target', message, fixOf(fix));
  const later = LATER[code];
  if (later !== undefined) return new DeliveryError('outage', message, { retryAfterMs: later });
  if (status === 403 || status === 404) return new DeliveryError('target', message, fixOf('refused'));
  return new DeliveryError('content', message, {
    forOwner: `Discord refused the message (code ${code}); the posting is left out.`,
  });
}
