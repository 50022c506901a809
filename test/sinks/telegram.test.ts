// The Telegram sink against a local Bot API that enforces Telegram's rules.
import { afterEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import type { Sink } from '../../src/ports/sink.js';
import { textsFor } from '../../src/render/texts.js';
import { createTelegramSink } from '../../src/sinks/telegram/sink.js';
import { createStartBot, startedChat } from '../../src/sinks/telegram/start.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';
import { htmlFault, type SentMessage, startTelegram, type TelegramServer } from '../helpers/telegram.js';
import { until } from '../helpers/until.js';
import { type FarSide, sinkContract } from './contract.js';
import { contractDelivery, contractPosting, HOSTILE, realGuard } from './contract-data.js';

const CHANNEL = '-1001234567890';
const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(): Promise<{ far: TelegramServer; sink: Sink }> {
  const far = await startTelegram();
  closing.push(() => far.stop());
  far.addChat(CHANNEL, 'Rust jobs');
  const clock = testClock();
  const table = memoryTable(clock);
  const sink = createTelegramSink({ token: secret(far.token), apiUrl: far.url, log, clock, table });
  closing.push(async () => sink.close?.());
  return { far, sink };
}

/** A message as its reader gets it: the text with its links, and the addresses of the buttons. */
function read({ text, buttons }: SentMessage) {
  return buttons.length > 0
    ? { format: 'json' as const, body: JSON.stringify({ text, buttons }), note: textsFor('en').card.note }
    : { format: 'html' as const, body: text };
}

async function openFarSide(): Promise<FarSide> {
  const { far, sink } = await open();
  const answers = {
    target: { status: 403, description: 'Forbidden: bot was kicked from the channel chat' },
    content: { status: 400, description: 'Bad Request: message is too long' },
    outage: { status: 502, description: 'Bad Gateway' },
  };
  let hangs = false;
  return {
    sink,
    target: CHANNEL,
    received: () => far.sent.map(read),
    fail: (fault) => far.fail(answers[fault]),
    hang: () => {
      hangs = true;
      far.fail('hang');
    },
    reached: () => hangs && far.calls.includes('sendMessage'),
    close: () => far.stop().catch(() => undefined),
  };
}

sinkContract('telegram', {
  open: openFarSide,
  badTargets: [undefined, '', 3, 'rustjobs', '@abc', 'start:short', 'start:with spaces in it', '-'],
  faults: ['target', 'content', 'outage'],
  secrets: ['test-token'],
  harmless(received) {
    for (const { format, body } of received) {
      const text = format === 'json' ? JSON.parse(body).text : body;
      expect(text.replace(/<[^>]*>/gu, '')).not.toMatch(/(?<![\p{L}\p{N}_])[@/#][a-z]/iu);
    }
  },
});

describe('a delivery', () => {
  test('of one posting is a card with its link as a button', async () => {
    const { far, sink } = await open();
    const delivery = contractDelivery(sink, CHANNEL);
    await sink.deliver(delivery, CHANNEL, realGuard(delivery.postings));
    expect(far.sent).toHaveLength(1);
    const [{ text, buttons }] = far.sent as [SentMessage];
    expect(buttons).toEqual([{ text: 'Apply', url: delivery.postings[0]?.applyUrl }]);
    expect(text).toMatch(
      /^<b>Senior Rust Engineer 1<\/b>\nAcme Labs · Berlin, Germany · Remote\n💰 \$80k - 120k\n/u,
    );
    expect(text).toMatch(/via Example Board · Apply links carry attribution/u);
  });

  test('of several is numbered, and each has its button', async () => {
    const { far, sink } = await open();
    const postings = [1, 2, 3].map((n) => contractPosting(n));
    const delivery = contractDelivery(sink, CHANNEL, { postings });
    await sink.deliver(delivery, CHANNEL, realGuard(postings));
    expect(far.sent[0]?.buttons.map(({ text }) => text)).toEqual([
      '1. Senior Rust Engineer 1',
      '2. Senior Rust Engineer 2',
      '3. Senior Rust Engineer 3',
    ]);
    expect(far.sent[0]?.buttons.map(({ url }) => url)).toEqual(postings.map(({ applyUrl }) => applyUrl));
  });

  test('of a digest is a list with links, in messages that Telegram accepts', async () => {
    const { far, sink } = await open();
    const cadence = { every: 'weekly', day: 'monday', at: '09:00', timezone: 'Europe/Berlin' } as const;
    const postings = [...HOSTILE, ...Array.from({ length: 60 }, (_, n) => contractPosting(n + 10))];
    const whole = contractDelivery(sink, CHANNEL, { postings, every: 'weekly' });
    const destination = { ...whole.destination, cadence };
    const parts = sink.pack?.(postings, destination) ?? [];
    expect(parts.length).toBeGreaterThan(1);
    for (const [part, members] of parts.entries()) {
      const delivery = {
        ...whole,
        destination,
        part,
        parts: parts.length,
        postings: members as typeof postings,
        all: postings,
      };
      await sink.deliver(delivery, CHANNEL, realGuard(delivery.postings));
    }
    expect(far.sent).toHaveLength(parts.length);
    expect(far.sent[0]?.text).toMatch(/^<b>Rust, remote<\/b>\n.* · 65 new postings · part 1 of \d+\n/u);
    expect(far.sent.flatMap(({ text }) => [...text.matchAll(/<a href="/gu)])).toHaveLength(64);
  });

  test('of a digest has the first words of a posting without company, place and pay', async () => {
    const { far, sink } = await open();
    const cadence = { every: 'weekly', day: 'monday', at: '09:00', timezone: 'Europe/Berlin' } as const;
    const bare = { key: 'id:9', matched: [], title: 'Dev', description: 'We write Rust.' };
    const postings = [contractPosting(1), { ...bare, applyUrl: 'https://b.example/9' }];
    const whole = contractDelivery(sink, CHANNEL, { postings, every: 'weekly' });
    const delivery = { ...whole, destination: { ...whole.destination, cadence } };
    await sink.deliver(delivery, CHANNEL, realGuard(postings));
    expect(far.sent[0]?.text.split('\n').filter((line) => line.includes('We write Rust.'))).toHaveLength(1);
  });

  test('with a link that Telegram does not accept in a button has it in the text, unaltered', async () => {
    const { far, sink } = await open();
    const posting = contractPosting(1, { applyUrl: 'https://localhost/r/1__me?a=1&b=2' });
    const delivery = contractDelivery(sink, CHANNEL, { postings: [posting] });
    await sink.deliver(delivery, CHANNEL, realGuard([posting]));
    expect(far.sent).toHaveLength(1);
    expect(far.sent[0]?.buttons).toEqual([]);
    expect(far.sent[0]?.text).toContain('<a href="https://localhost/r/1__me?a=1&amp;b=2">Apply</a>');
  });

  test('is accepted in every language with the fullest messages', { tags: 'long' }, async () => {
    const { far, sink } = await open();
    const full = (n: number) =>
      contractPosting(n, {
        title: `${'Title & <b>title</b> '.repeat(20)}${n}`,
        company: 'Company '.repeat(30),
        location: 'Place '.repeat(40),
        tags: Array.from({ length: 12 }, (_, tag) => `${'tag'.repeat(10)}${tag}`),
        matched: Array.from({ length: 12 }, (_, tag) => `${'reason'.repeat(10)}${tag}`),
        seenBefore: '2026-01-01',
        twice: true,
      });
    const postings = Array.from({ length: 40 }, (_, n) => full(n + 1));
    for (const locale of ['en', 'de', 'es'])
      for (const every of ['immediate', 'weekly'] as const) {
        const whole = contractDelivery(sink, CHANNEL, { postings, every, locale, more: 12 });
        const cadence = {
          every,
          timezone: 'UTC',
          ...(every === 'weekly' ? { day: 'monday', at: '09:00' } : {}),
        };
        const destination = { ...whole.destination, cadence } as typeof whole.destination;
        for (const members of sink.pack?.(postings, destination) ?? []) {
          const delivery = { ...whole, destination, postings: members as typeof postings };
          await sink.deliver(delivery, CHANNEL, realGuard(delivery.postings));
        }
      }
    expect(far.sent.map(({ text }) => htmlFault(text)).filter(Boolean)).toEqual([]);
  });
});

describe('an answer of Telegram', () => {
  const fault = async (answer: Parameters<TelegramServer['fail']>[0]) => {
    const { far, sink } = await open();
    far.fail(answer);
    const delivery = contractDelivery(sink, CHANNEL);
    return sink.deliver(delivery, CHANNEL, realGuard(delivery.postings)).then(String, (error) => error);
  };

  test('429 names the time to wait', async () => {
    const answer = {
      status: 429,
      description: 'Too Many Requests: retry after 7',
      parameters: { retry_after: 7 },
    };
    expect(await fault(answer)).toMatchObject({ fault: 'outage', retryAfterMs: 7000 });
  });

  test('that a group became a supergroup names its new id', async () => {
    const description = 'Bad Request: group chat was upgraded to a supergroup chat';
    const answer = { status: 400, description, parameters: { migrate_to_chat_id: -1009876543210 } };
    expect(await fault(answer)).toMatchObject({ fault: 'target', forOwner: /-1009876543210/u });
  });

  test.each([
    [400, 'Bad Request: chat not found', 'target'],
    [400, 'Bad Request: not enough rights to send text messages to the chat', 'target'],
    [403, 'Forbidden: bot was blocked by the user', 'target'],
    [400, "Bad Request: can't parse entities", 'content'],
    [500, 'Internal Server Error', 'outage'],
  ])('%i %s is a fault of the %s', async (status, description, kind) => {
    const error = await fault({ status, description });
    expect(error).toMatchObject({ fault: kind });
    expect(error.forOwner).not.toContain('test-token');
  });

  test('that is lost is an outage', async () => {
    expect(await fault('lose')).toMatchObject({ fault: 'outage' });
  });

  test('that the token is wrong is an outage, and not a fault of the reader', async () => {
    const far = await startTelegram();
    closing.push(() => far.stop());
    const sink = createTelegramSink({
      token: secret('1:wrong'),
      apiUrl: far.url,
      log,
      clock: testClock(),
      table: undefined,
    });
    const delivery = contractDelivery(sink, CHANNEL);
    const error = await sink.deliver(delivery, CHANNEL, realGuard(delivery.postings)).catch((one) => one);
    expect(error).toMatchObject({ fault: 'outage', fix: 'telegramToken' });
  });
});

describe('/start', () => {
  const WORD = 'rust-jobs-7f3a9c';

  test('with a word makes the chat the target, for the first chat that sends it', async () => {
    const { far, sink } = await open();
    const target = sink.parseTarget(`start:${WORD}`);
    const addressee = {
      account: 'operator',
      subscription: 'rust',
      destination: contractDelivery(sink, target).destination,
    };
    expect(await sink.obstacle?.(addressee)).toMatchObject({ fix: 'telegramStart' });
    const delivery = contractDelivery(sink, target);
    const early = await sink.deliver(delivery, target, realGuard(delivery.postings)).catch((error) => error);
    expect(early).toMatchObject({
      fault: 'outage',
      fix: 'telegramStart',
      message: 'telegram start not pressed',
      retryAfterMs: 300_000,
    });
    await sink.start?.('all');
    far.write({ chat: 4711, language: 'de' }, `/start ${WORD}`);
    await until(() => far.sent.length === 1, { what: 'an answer' });
    expect(far.sent[0]).toMatchObject({ chat: '4711', text: textsFor('de').telegram.started });
    expect(await sink.obstacle?.(addressee)).toBeUndefined();
    far.write({ chat: 4712 }, `/start ${WORD}`);
    await until(() => far.sent.length === 2, { what: 'an answer' });
    expect(far.sent[1]).toMatchObject({ chat: '4712', text: textsFor('en').telegram.taken });
    await sink.deliver(delivery, target, realGuard(delivery.postings));
    expect(far.sent[2]?.chat).toBe('4711');
  });

  test('without a word answers with the id of the chat', async () => {
    const { far, sink } = await open();
    await sink.start?.('control');
    far.write({ chat: -100555, type: 'group' }, '/start');
    await until(() => far.sent.length === 1, { what: 'an answer' });
    expect(far.sent[0]?.text).toContain('-100555');
  });

  test('is not read by a worker', async () => {
    const { far, sink } = await open();
    await sink.start?.('worker');
    far.write({ chat: 4711 }, `/start ${WORD}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(far.calls).toEqual([]);
  });
});

describe('reading what people write', () => {
  const WORD = 'rust-jobs-7f3a9c';

  function reader(far: TelegramServer, token = far.token) {
    const said: [level: string, fields: object, message: string][] = [];
    const noted = (level: string) => (fields: object, message: string) =>
      void said.push([level, fields, message]);
    const clock = testClock();
    const table = memoryTable(clock);
    const bot = createStartBot({
      token: secret(token),
      client: { apiRoot: far.url },
      table,
      log: { ...log, warn: noted('warn'), error: noted('error') },
      clock,
    });
    closing.push(() => bot.stop());
    return { bot, said, clock, table };
  }

  async function server(): Promise<TelegramServer> {
    const far = await startTelegram();
    closing.push(() => far.stop());
    return far;
  }

  test.each([
    ['a word that is too short', 4711, 'private', '/start short-word1'],
    ['a word that is too long', 4711, 'private', `/start ${'a'.repeat(65)}`],
    ['other signs', 4711, 'private', '/start rust/jobs/7f3a9c'],
    ['a sign before the word', 4711, 'private', `/start !${WORD}`],
    ['a sign after the word', 4711, 'private', `/start ${WORD}!`],
    ['a word in a group', -100555, 'group', `/start ${WORD}`],
  ])('%s makes no chat a target, and names the id of the chat', async (_what, chat, type, text) => {
    const far = await server();
    const { bot, table } = reader(far);
    bot.start();
    far.write({ chat, type }, text);
    await until(() => far.sent.length === 1, { what: 'an answer' });
    expect(far.sent[0]?.text).toBe(textsFor('en').telegram.chat({ id: String(chat) }));
    expect(table.dump()).toBe('[]');
  });

  test('a message without a sender is answered in English', async () => {
    const far = await server();
    const { bot } = reader(far);
    bot.start();
    far.write({ chat: -100555, type: 'group', anonymous: true }, '/start');
    await until(() => far.sent.length === 1, { what: 'an answer' });
    expect(far.sent[0]?.text).toBe(textsFor('en').telegram.chat({ id: '-100555' }));
  });

  test('a word stays with its chat as long as it is used, and is free 90 days later', async () => {
    const far = await server();
    const { bot, clock, table } = reader(far);
    bot.start();
    far.write({ chat: 4711 }, `/start ${WORD}`);
    await until(() => far.sent.length === 1, { what: 'an answer' });
    const stored = table.dump();
    const DAY = 86_400_000;
    clock.advance(DAY);
    expect(await startedChat(table, WORD, clock)).toBe('4711');
    // Not written again within a day.
    expect(table.dump()).toBe(stored);
    for (const days of [80, 80]) {
      clock.advance(days * DAY);
      expect(await startedChat(table, WORD, clock)).toBe('4711');
    }
    clock.advance(90 * DAY);
    expect(await startedChat(table, WORD, clock)).toBeUndefined();
    expect(await startedChat(table, 'another-word-1', clock)).toBeUndefined();
  });

  test('an answer that can not be sent is logged, and the next one is sent', async () => {
    const far = await server();
    const { bot, said } = reader(far);
    far.addChat('4711');
    far.close('4711');
    bot.start();
    far.write({ chat: 4711 }, '/start');
    await until(() => said.length === 1, { what: 'a line in the log' });
    expect(said).toEqual([
      ['warn', { reason: 'Telegram answered 403' }, 'a telegram message was not answered'],
    ]);
    far.write({ chat: 4712 }, '/start');
    await until(() => far.sent.length === 1, { what: 'an answer' });
  });

  test('an answer that is lost is logged without the address of the request', async () => {
    const far = await server();
    const { bot, said } = reader(far);
    bot.start();
    far.fail('lose');
    far.write({ chat: 4711 }, '/start');
    await until(() => said.length === 1, { what: 'a line in the log' });
    expect(said).toEqual([['warn', { reason: 'HttpError' }, 'a telegram message was not answered']]);
  });

  test('each word has its chat', async () => {
    const far = await server();
    const { bot, clock, table } = reader(far);
    bot.start();
    far.write({ chat: 4711 }, `/start ${WORD}`);
    far.write({ chat: 4712 }, '/start go-jobs-8a1b2c');
    await until(() => far.sent.length === 2, { what: 'two answers' });
    expect(far.sent.map(({ text }) => text)).toEqual(Array(2).fill(textsFor('en').telegram.started));
    expect(await startedChat(table, WORD, clock)).toBe('4711');
    expect(await startedChat(table, 'go-jobs-8a1b2c', clock)).toBe('4712');
  });

  test('a refused token is an error in the log, once until it is tried again', async () => {
    const far = await server();
    const { bot, said } = reader(far, '1:wrong');
    bot.start();
    await until(() => said.length > 0, { what: 'a line in the log' });
    await bot.stop();
    expect(said).toEqual([
      ['error', { reason: 'Telegram answered 401' }, 'telegram messages can not be read'],
    ]);
  });

  test('another process that reads is a warning', async () => {
    const far = await server();
    const { bot, said } = reader(far);
    bot.start();
    await until(() => far.calls.includes('getUpdates'), { what: 'a reader' });
    await until(
      async () => {
        await fetch(`${far.url}/bot${far.token}/getUpdates`);
        return said.length > 0;
      },
      { what: 'a line in the log' },
    );
    expect(said).toEqual([
      ['warn', { reason: 'Telegram answered 409' }, 'telegram messages can not be read'],
    ]);
  });

  test('ends with the sink, without a line in the log', async () => {
    const far = await server();
    const { bot, said } = reader(far);
    bot.start();
    await until(() => far.calls.includes('getUpdates'), { what: 'a reader' });
    await bot.stop();
    const calls = far.calls.length;
    far.write({ chat: 4711 }, '/start');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(far.sent).toEqual([]);
    expect(far.calls).toHaveLength(calls);
    expect(said).toEqual([]);
  });
});

describe('the sink', () => {
  test('sends no message sooner than a 25th of a second after another one', async () => {
    const { far, sink } = await open();
    const times: number[] = [];
    const send = (n: number) => {
      const delivery = contractDelivery(sink, CHANNEL, { postings: [contractPosting(n)] });
      const context = realGuard(delivery.postings);
      const guard: typeof context.guard = (...of) => {
        times.push(performance.now());
        context.guard(...of);
      };
      return sink.deliver(delivery, CHANNEL, { ...context, guard });
    };
    const start = performance.now();
    await Promise.all([1, 2, 3].map(send));
    expect(far.sent).toHaveLength(3);
    // A busy machine makes them later, and timers may be a millisecond early.
    for (const [index, time] of times.entries()) expect(time - start).toBeGreaterThan(40 * index - 3);
  });

  test('disables the preview of links', async () => {
    const { far, sink } = await open();
    const delivery = contractDelivery(sink, CHANNEL);
    await sink.deliver(delivery, CHANNEL, realGuard(delivery.postings));
    expect(far.sent.map(({ hasPreview }) => hasPreview)).toEqual([false]);
  });

  test('makes no request for a delivery that was stopped before', async () => {
    const { far, sink } = await open();
    const delivery = contractDelivery(sink, CHANNEL);
    const stopped = realGuard(delivery.postings, AbortSignal.abort());
    await expect(sink.deliver(delivery, CHANNEL, stopped)).rejects.toMatchObject({
      fault: 'outage',
      message: 'stopped while sending to Telegram',
    });
    expect(far.calls).toEqual([]);
  });

  test('asks for the name of a chat once an hour, and for none of a link to press', async () => {
    const { far, sink } = await open();
    const target = 'start:rust-jobs-7f3a9c';
    for (let n = 0; n < 3; n++) expect(await sink.nameOf?.(CHANNEL)).toEqual({ channel: 'Rust jobs' });
    for (let n = 0; n < 3; n++) expect(await sink.nameOf?.('-1009999999999')).toEqual({});
    expect(await sink.nameOf?.(target)).toEqual({});
    const context = { about: 'x', locale: 'en', signal: new AbortController().signal };
    await sink.welcome?.({ ...contractDelivery(sink, target).destination, target }, context);
    expect(far.calls).toEqual(['getChat', 'getChat']);
  });

  test('rests longer after a message to a group, as Telegram demands', async () => {
    const { sink } = await open();
    expect([CHANNEL, '4711'].map((target) => sink.restMs?.(target))).toEqual([3_000, 1_000]);
  });

  test('joins the places of a job on one card', async () => {
    expect((await open()).sink.joins).toBe(true);
  });

  test('has no obstacle for a chat, and one for a link that was not opened', async () => {
    const { sink } = await open();
    const of = (target: string) => ({
      account: 'operator',
      subscription: 'rust',
      destination: { ...contractDelivery(sink, target).destination, target },
    });
    expect(await sink.obstacle?.(of(CHANNEL))).toBeUndefined();
    expect(await sink.obstacle?.(of('start:rust-jobs-7f3a9c'))).toEqual({
      why: 'telegram start not pressed',
      fix: 'telegramStart',
    });
  });
});

test('knows the names of targets and whether they are private', async () => {
  const { sink } = await open();
  expect(await sink.nameOf?.(CHANNEL)).toEqual({ channel: 'Rust jobs' });
  expect(await sink.nameOf?.('-1009999999999')).toEqual({});
  expect(sink.parseTarget(-1001234567890)).toBe(CHANNEL);
  expect(sink.parseTarget('@RustJobs')).toBe('@rustjobs');
  expect([CHANNEL, '@rustjobs', '4711', 'start:rust-jobs-7f3a9c'].map((one) => sink.isShared?.(one))).toEqual(
    [true, true, false, false],
  );
  expect(sink.isPrivate?.('4711')).toBe(true);
  const abort = new AbortController();
  const context = { about: 'x', locale: 'en', signal: abort.signal };
  const at = (target: string) => ({ ...contractDelivery(sink, target).destination, target });
  await sink.welcome?.(at(CHANNEL), context);
  await expect(sink.welcome?.(at('-1009999999999'), context)).rejects.toMatchObject({ fault: 'target' });
});
