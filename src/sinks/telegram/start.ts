// Answers /start. A private chat that opens the bot's link with a word (t.me/<bot>?start=<word>) becomes the chat of the
// target `start:<word>`. Any other chat is told its id, which an entry needs as its target.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClientOptions, Bot, GrammyError } from 'grammy';
import { reasonOf } from '../../domain/errors.js';
import type { Secret } from '../../domain/secret.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import { textsFor } from '../../render/texts.js';

export interface StartBot {
  /** Returns immediately. A lost connection is retried. */
  start(): void;
  stop(): Promise<void>;
}

export interface StartBotOptions {
  readonly token: Secret;
  readonly client: ApiClientOptions;
  readonly table: Table<unknown>;
  readonly log: Log;
  readonly clock: Clock;
}

/** How long the chat of a word is kept. Each delivery begins the time again. */
const LIFE_MS = 90 * 86_400_000;
const DAY_MS = 86_400_000;
/** After another process was still reading, or Telegram failed. */
const AGAIN_MS = 5_000;

interface Started {
  readonly chat: string;
  readonly at: number;
}

function keyOf(word: string): string {
  return `telegram:start:${word}`;
}

/** The chat that opened the link with this word first; undefined while there is none. */
export async function startedChat(
  table: Table<unknown>,
  word: string,
  clock: Clock,
): Promise<string | undefined> {
  const started = (await table.get(keyOf(word))) as Started | undefined;
  const now = clock.now();
  if (started && now - started.at > DAY_MS) await table.set(keyOf(word), { ...started, at: now }, LIFE_MS);
  return started?.chat;
}

/** Gives the word to the chat unless another one has it. Returns whether the chat has it now. */
async function claim(table: Table<unknown>, word: string, mine: Started): Promise<boolean> {
  const stored = await table.update(keyOf(word), (before) => before ?? mine, LIFE_MS);
  return (stored as Started | undefined)?.chat === mine.chat;
}

/** Reads messages by long polling. Telegram lets one process at a time do that. */
export function createStartBot({ token, client, table, log, clock }: StartBotOptions): StartBot {
  const bot = new Bot(token.reveal(), { client });
  const stopped = new AbortController();
  let running: Promise<void> = Promise.resolve();

  bot.command('start', async (context) => {
    const { telegram } = textsFor(context.from?.language_code);
    const chat = String(context.chat.id);
    const word = context.match;
    if (context.chat.type !== 'private' || !/^[\w-]{12,64}$/u.test(word))
      return void (await context.reply(telegram.chat({ id: chat })));
    await context.reply(
      (await claim(table, word, { chat, at: clock.now() })) ? telegram.started : telegram.taken,
    );
  });
  // The error holds the update and the address of the request.
  bot.catch(({ error }) => log.warn({ reason: nameOf(error) }, 'a telegram message was not answered'));

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        await bot.start({ allowed_updates: ['message'] });
      } catch (error) {
        if (stopped.signal.aborted) return;
        const isRefused = error instanceof GrammyError && error.error_code === 401;
        log[isRefused ? 'error' : 'warn']({ reason: nameOf(error) }, 'telegram messages can not be read');
        await sleep(AGAIN_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    }
  }

  return {
    start() {
      running = run();
    },
    async stop() {
      stopped.abort();
      await bot.stop().catch(() => undefined);
      await running;
    },
  };
}

/** What failed, without the address of the request. */
function nameOf(error: unknown): string {
  if (error instanceof GrammyError) return `Telegram answered ${error.error_code}`;
  return error instanceof Error && error.name !== 'Error' ? error.name : reasonOf(error);
}
