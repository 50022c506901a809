// What Telegram's refusals mean for a delivery: who has to act, and how. Nothing here repeats a request, because its
// address contains the token.
import { GrammyError, HttpError } from 'grammy';
import { DeliveryError, reasonOf } from '../../domain/errors.js';
import { fixOf } from '../../render/notice.js';

/** Descriptions of 400 that are about the chat, not about the message. Telegram has no codes for them. */
const CLOSED =
  /chat not found|not enough rights|need administrator rights|CHAT_WRITE_FORBIDDEN|CHAT_RESTRICTED|TOPIC_CLOSED|user not found|PEER_ID_INVALID/iu;

/** Any error while sending as a {@link DeliveryError}. An abort is an outage, because the message may have arrived. */
export function deliveryError(error: unknown, signal: AbortSignal): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof GrammyError) return ofAnswer(error);
  if (signal.aborted) return new DeliveryError('outage', 'stopped while sending to Telegram');
  if (error instanceof HttpError) return new DeliveryError('outage', 'Telegram could not be reached');
  return new DeliveryError('program', `sending to Telegram failed: ${reasonOf(error)}`);
}

/** Whether Telegram refused the address of a button. The same message without buttons may be accepted. */
export function isButtonFault(error: unknown): boolean {
  return error instanceof GrammyError && /BUTTON_URL_INVALID|BUTTON_INVALID/u.test(error.description);
}

function ofAnswer({ error_code: code, description, parameters }: GrammyError): DeliveryError {
  const said = `Telegram answered ${code}`;
  if (code === 429 || code >= 500) {
    const seconds = parameters.retry_after;
    return new DeliveryError('outage', said, seconds === undefined ? {} : { retryAfterMs: seconds * 1000 });
  }
  // 404: there is no bot with this token.
  if (code === 401 || code === 404)
    return new DeliveryError('outage', `${said}: the bot token is not accepted`, fixOf('telegramToken'));
  if (parameters.migrate_to_chat_id !== undefined)
    return new DeliveryError('target', `${said}: the group became a supergroup`, {
      forOwner: `The Telegram group became a supergroup. Set its new id ${parameters.migrate_to_chat_id} as the target.`,
    });
  if (code === 403 || CLOSED.test(description))
    return new DeliveryError('target', said, fixOf(code === 403 ? 'telegramClosed' : 'telegramRights'));
  return new DeliveryError('content', said, {
    forOwner: `Telegram refused the message (${code}); the posting is left out.`,
  });
}
