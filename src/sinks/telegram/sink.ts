// Sends editions to chats of Telegram by the Bot API. A worker only sends; one other process reads what people write to
// the bot, see start.ts.

import { setTimeout as sleep } from 'node:timers/promises';
import { Api, type ApiClientOptions } from 'grammy';
import { defined } from '../../domain/defined.js';
import { DeliveryError } from '../../domain/errors.js';
import type { Secret } from '../../domain/secret.js';
import type { Destination } from '../../domain/subscription.js';
import type { Delivery, DeliveryContext, Sink, WelcomeContext } from '../../ports/sink.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import { fixOf } from '../../render/notice.js';
import { textsFor } from '../../render/texts.js';
import { deliveryError, isButtonFault } from './fault.js';
import { packTelegram, renderTelegram, type TelegramMessage } from './message.js';
import { createStartBot, type StartBot, startedChat } from './start.js';
import { isShared, parseTelegramTarget, placeOf } from './target.js';

export interface TelegramSinkOptions {
  readonly token: Secret;
  /** Base address of the Bot API; Telegram's own when left out. */
  readonly apiUrl?: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Holds which chat belongs to a word of `start:`. Without it, there are no such targets. */
  readonly table: Table<unknown> | undefined;
}

/** Telegram, "Bots FAQ", limits: 30 messages a second in all, one a second for a chat, 20 a minute for a group. */
const SEND_GAP_MS = 1000 / 25;
const CHAT_REST_MS = 1_000;
const GROUP_REST_MS = 3_000;
/** How long a delivery waits before it asks again whether the link was opened. */
const START_AGAIN_MS = 300_000;
const NAME_MS = 3_600_000;
const ASK_MS = 10_000;

/** The sink `telegram`. */
export function createTelegramSink({ token, apiUrl, log, clock, table }: TelegramSinkOptions): Sink {
  const client: ApiClientOptions = apiUrl ? { apiRoot: apiUrl } : {};
  const api = new Api(token.reveal(), client);
  const names = new Map<string, { readonly name: string | undefined; readonly until: number }>();
  let nextSend = 0;
  let bot: StartBot | undefined;

  /** Waits for a place among the messages of this process. */
  async function pace(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, nextSend);
    nextSend = at + SEND_GAP_MS;
    if (at > now) await sleep(at - now, undefined, { signal });
  }

  /** The chat of a target. Throws a DeliveryError while no one has opened the link of a `start:` target. */
  async function chatOf(target: string): Promise<string> {
    const place = placeOf(target);
    if (place.kind === 'chat') return place.chat;
    const chat = table && (await startedChat(table, place.word, clock));
    // An outage, not a fault of the target: nothing is parked, and postings arrive by themselves after the press.
    if (chat === undefined)
      throw new DeliveryError('outage', 'telegram start not pressed', {
        ...fixOf('telegramStart'),
        retryAfterMs: START_AGAIN_MS,
      });
    return chat;
  }

  function send(chat: string, { text, buttons }: TelegramMessage, signal: AbortSignal): Promise<unknown> {
    const keyboard = buttons.map((button) => [{ ...button }]);
    return api.sendMessage(
      chat,
      text,
      {
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        ...defined({ reply_markup: keyboard.length > 0 ? { inline_keyboard: keyboard } : undefined }),
      },
      signal as never,
    );
  }

  async function deliver(delivery: Delivery, target: string, context: DeliveryContext): Promise<void> {
    const { note } = textsFor(delivery.locale).card;
    const guarded = (message: TelegramMessage) => {
      if (message.buttons.length > 0) context.guard({ format: 'json', body: JSON.stringify(message), note });
      else context.guard({ format: 'html', body: message.text, note });
      return message;
    };
    try {
      context.signal.throwIfAborted();
      const chat = await chatOf(target);
      await pace(context.signal);
      const message = guarded(renderTelegram(delivery));
      try {
        await send(chat, message, context.signal);
      } catch (error) {
        if (!isButtonFault(error)) throw error;
        await send(chat, guarded(renderTelegram(delivery, true)), context.signal);
      }
    } catch (error) {
      throw deliveryError(error, context.signal);
    }
  }

  /** Asks for the chat: Telegram refuses a chat that the bot can't see, without a message to it. */
  async function welcome({ target }: Destination, { signal }: WelcomeContext): Promise<void> {
    const place = placeOf(target);
    if (place.kind === 'start') return;
    try {
      await api.getChat(place.chat, signal as never);
    } catch (error) {
      throw deliveryError(error, signal);
    }
  }

  async function nameOf(target: string): Promise<{ channel?: string }> {
    const place = placeOf(target);
    if (place.kind === 'start') return {};
    const known = names.get(place.chat);
    const isKnown = known !== undefined && known.until > performance.now();
    const name = isKnown ? known.name : await titleOf(place.chat);
    names.set(place.chat, { name, until: performance.now() + NAME_MS });
    return name === undefined ? {} : { channel: name };
  }

  function titleOf(chat: string): Promise<string | undefined> {
    return api.getChat(chat, AbortSignal.timeout(ASK_MS) as never).then(
      ({ title }) => title,
      () => undefined,
    );
  }

  return {
    name: 'telegram',
    parseTarget: parseTelegramTarget,
    isShared,
    isPrivate: (target) => !isShared(target),
    nameOf,
    welcome,
    joins: true,
    pack: packTelegram,
    deliver,
    restMs: (target) => (isShared(target) ? GROUP_REST_MS : CHAT_REST_MS),
    async obstacle({ destination }) {
      const place = placeOf(destination.target);
      if (place.kind === 'chat' || (table && (await startedChat(table, place.word, clock)))) return undefined;
      return { why: 'telegram start not pressed', fix: 'telegramStart' };
    },
    async start(role) {
      if (role === 'worker' || !table) return;
      bot = createStartBot({ token, client, table, log, clock });
      bot.start();
    },
    async close() {
      await bot?.stop();
    },
  };
}
