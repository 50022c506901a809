// What Telegram's refusals mean for a delivery: who has to act, and when it is tried again.
import { GrammyError, HttpError } from 'grammy';
import { expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { deliveryError, isButtonFault } from '../../src/sinks/telegram/fault.js';

const { signal } = new AbortController();

function answer(code: number, description: string, parameters = {}): GrammyError {
  const said = { ok: false as const, error_code: code, description, parameters };
  return new GrammyError('failed', said, 'sendMessage', { text: 'private' });
}

const meaning = (...of: Parameters<typeof answer>) => deliveryError(answer(...of), signal);

test.each([
  [403, 'Forbidden: bot was kicked from the channel chat', 'telegramClosed'],
  [403, 'Forbidden: user is deactivated', 'telegramClosed'],
  [400, 'Bad Request: chat not found', 'telegramRights'],
  [400, 'Bad Request: not enough rights to send text messages to the chat', 'telegramRights'],
  [400, 'Bad Request: need administrator rights in the channel chat', 'telegramRights'],
  [400, 'Bad Request: CHAT_WRITE_FORBIDDEN', 'telegramRights'],
  [400, 'Bad Request: CHAT_RESTRICTED', 'telegramRights'],
  [400, 'Bad Request: TOPIC_CLOSED', 'telegramRights'],
  [400, 'Bad Request: user not found', 'telegramRights'],
  [400, 'Bad Request: PEER_ID_INVALID', 'telegramRights'],
])('%i %s stops deliveries until the owner acts', (code, description, fix) => {
  expect(meaning(code, description)).toMatchObject({
    fault: 'target',
    fix,
    message: `Telegram answered ${code}`,
  });
});

test('a group that became a supergroup needs its new id as the target', () => {
  const error = meaning(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -100987 });
  expect(error).toMatchObject({
    fault: 'target',
    message: 'Telegram answered 400: the group became a supergroup',
    forOwner: 'The Telegram group became a supergroup. Set its new id -100987 as the target.',
  });
});

test.each([401, 404])('%i is a wrong token, which only the operator can change', (code) => {
  expect(meaning(code, 'Unauthorized')).toMatchObject({
    fault: 'outage',
    fix: 'telegramToken',
    message: `Telegram answered ${code}: the bot token is not accepted`,
  });
});

test.each([
  [429, { retry_after: 7 }, 7_000],
  [429, {}, undefined],
  [500, {}, undefined],
  [502, {}, undefined],
])('%i with %o is tried again', (code, parameters, retryAfterMs) => {
  const error = meaning(code, 'later', parameters);
  expect(error).toMatchObject({ fault: 'outage', message: `Telegram answered ${code}` });
  expect(error.retryAfterMs).toBe(retryAfterMs);
});

test('any other refusal is about the message, and its owner learns that the posting is left out', () => {
  expect(meaning(400, "Bad Request: can't parse entities")).toMatchObject({
    fault: 'content',
    message: 'Telegram answered 400',
    forOwner: 'Telegram refused the message (400); the posting is left out.',
  });
});

test('an abort is an outage, because the message may have arrived', () => {
  const lost = new HttpError('failed', new Error('https://api.telegram.org/bot1:secret/sendMessage'));
  expect(deliveryError(lost, AbortSignal.abort())).toMatchObject({
    fault: 'outage',
    message: 'stopped while sending to Telegram',
  });
  expect(deliveryError(lost, signal)).toMatchObject({
    fault: 'outage',
    message: 'Telegram could not be reached',
  });
});

test('any other error is one of this program', () => {
  expect(deliveryError(new TypeError('x is not a function'), signal)).toMatchObject({
    fault: 'program',
    message: expect.stringMatching(/^sending to Telegram failed: .*x is not a function/u),
  });
  const known = new DeliveryError('content', 'a link was altered');
  expect(deliveryError(known, AbortSignal.abort())).toBe(known);
});

test('knows a refused address of a button', () => {
  expect(isButtonFault(answer(400, 'Bad Request: BUTTON_URL_INVALID'))).toBe(true);
  expect(isButtonFault(answer(400, 'Bad Request: BUTTON_INVALID'))).toBe(true);
  expect(isButtonFault(answer(400, 'Bad Request: chat not found'))).toBe(false);
  expect(isButtonFault(new Error('BUTTON_URL_INVALID'))).toBe(false);
});
