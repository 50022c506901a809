// Discord's refusals as what they mean for a delivery: whose fault it is, and what its owner can do about it.
import { DeliveryError, reasonOf } from '../../domain/errors.js';
import { DiscordFault } from './fault.js';

const AGAIN = 'then use /jobs resume';

/** Codes that end the sending to a target until its owner acts, each with the mend. */
const TARGET: Readonly<Record<number, string>> = {
  10003: `The Discord channel is gone; choose another with /jobs edit, or remove the subscription.`,
  10004: `The bot is no longer in that Discord server; invite it again, ${AGAIN}.`,
  10013: 'That Discord user does not exist any more; choose another place with /jobs edit.',
  50001: `The bot can't see the Discord channel; give it View Channel there, ${AGAIN}.`,
  50007: `Discord does not let the bot write to you; allow direct messages from server members, ${AGAIN}.`,
  50008:
    'That Discord channel holds no messages; choose a text, announcement, forum or thread with /jobs edit.',
  50013: `The bot may not post in the Discord channel; give it Send Messages and Embed Links there (in threads Send Messages in Threads), ${AGAIN}.`,
  50024:
    'That kind of Discord channel takes no messages; choose a text, announcement, forum or thread with /jobs edit.',
  50033: 'That Discord user cannot be written to; choose another place with /jobs edit.',
  50278: `The bot shares no server with you, so Discord lets it write nothing; join one it is in or install it for yourself, ${AGAIN}.`,
  40067: `The forum requires a tag on every post and has none the bot may use; add one or lift the rule, ${AGAIN}.`,
  50083: `The Discord thread is archived and the bot may not reopen it; reopen it, ${AGAIN}.`,
  160005: `The Discord thread is locked; unlock it or choose another place with /jobs edit, ${AGAIN}.`,
};

const HOUR = 3_600_000;

/** Refusals that pass by themselves: opening direct messages too fast, too many active threads. Milliseconds to wait. */
const LATER: Readonly<Record<number, number>> = { 40003: HOUR / 6, 160006: HOUR, 30033: HOUR };

/** Any error of a sending as a {@link DeliveryError}; an abort is an outage, for the message may have arrived. */
export function deliveryError(error: unknown, signal: AbortSignal): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof DiscordFault) return ofFault(error);
  if (signal.aborted) return new DeliveryError('outage', 'stopped while sending to Discord');
  // Not Discord's doing, so a bug of ours; this posting must not block the others.
  return new DeliveryError('content', `sending to Discord failed: ${reasonOf(error)}`);
}

function ofFault(fault: DiscordFault): DeliveryError {
  const { kind, code, status, message, retryAfterMs } = fault;
  if (kind === 'token')
    return new DeliveryError('outage', message, {
      forOwner: "The bot's own Discord token is refused; its operator must set a valid one.",
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  if (kind !== 'refused')
    return new DeliveryError('outage', message, retryAfterMs === undefined ? {} : { retryAfterMs });
  const forOwner = TARGET[code];
  if (forOwner) return new DeliveryError('target', message, { forOwner });
  const later = LATER[code];
  if (later !== undefined) return new DeliveryError('outage', message, { retryAfterMs: later });
  if (status === 403 || status === 404)
    return new DeliveryError('target', message, {
      forOwner: `Discord refuses messages there (code ${code}); check the bot's permissions, ${AGAIN}.`,
    });
  return new DeliveryError('content', message, {
    forOwner: `Discord refused the message (code ${code}); the posting is left out.`,
  });
}
