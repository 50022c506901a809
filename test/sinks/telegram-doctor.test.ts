// What `jobcrier doctor` finds about the bot of Telegram and the chats it writes to.
import { expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { textsFor } from '../../src/render/texts.js';
import type { SinkSettings } from '../../src/sinks/settings.js';
import { checks } from '../../src/sinks/telegram/doctor.js';
import { later } from '../helpers/later.js';
import { startTelegram } from '../helpers/telegram.js';

const CHANNEL = '-1001234567890';
const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
const { doctor: words } = textsFor('en');

function run(telegram: SinkSettings['telegram'], targets: Record<string, string> = {}) {
  const [check] = checks;
  if (check?.name !== 'telegram') throw new Error('no check of Telegram');
  const settings = { telegram } as SinkSettings;
  const about = { log, words, targets: async () => new Map(Object.entries(targets)) };
  return check.run(settings, about, new AbortController().signal);
}

async function start() {
  const far = await startTelegram();
  later(() => far.stop());
  far.addChat(CHANNEL, 'Rust jobs');
  return { far, settings: { token: secret(far.token), apiUrl: far.url } };
}

test('is off without a token', async () => {
  expect(await run(undefined)).toEqual([{ state: 'off', says: 'TELEGRAM_TOKEN is not set' }]);
});

test('names the bot and the chats that it sees, and asks for no chat of a link to press', async () => {
  const { far, settings } = await start();
  expect(await run(settings, { [CHANNEL]: 'rust', 'start:rust-jobs-7f3a9c': 'mine' })).toEqual([
    { state: 'ok', says: 'logs in as @crier_test_bot' },
    { state: 'ok', says: `chat ${CHANNEL} of subscription rust: the bot sees it` },
  ]);
  expect(far.calls).toEqual(['getMe', 'getChat']);
});

test('says for each chat that the bot can not see what to do', async () => {
  const { far, settings } = await start();
  far.close(CHANNEL);
  expect(await run(settings, { [CHANNEL]: 'rust', '-1009999999999': 'go' })).toEqual([
    expect.objectContaining({ state: 'ok' }),
    {
      state: 'fail',
      says: `chat ${CHANNEL} of subscription rust can't be seen by the bot (403)`,
      fix: 'add the bot to the chat, or to the channel as an administrator',
    },
    expect.objectContaining({
      says: "chat -1009999999999 of subscription go can't be seen by the bot (400)",
    }),
  ]);
});

test.each([
  [25, 0],
  [26, 1],
])('of %i chats leaves out %i', async (count, left) => {
  const { far, settings } = await start();
  const chats = Array.from({ length: count }, (_, n) => [`-10012345678${10 + n}`, `s${n}`] as const);
  for (const [chat] of chats) far.addChat(chat);
  const findings = await run(settings, Object.fromEntries(chats));
  expect(findings.slice(26)).toEqual(
    left > 0 ? [{ state: 'off', says: `${left} further chats were not checked` }] : [],
  );
  expect(findings).toHaveLength(26 + Math.min(left, 1));
});

test('says that the token is refused, or that nothing answers', async () => {
  const { far } = await start();
  expect(await run({ token: secret('1:wrong'), apiUrl: far.url })).toEqual([
    {
      state: 'fail',
      says: 'the bot token is refused',
      fix: 'ask @BotFather for a new one and set TELEGRAM_TOKEN',
    },
  ]);
  expect(await run({ token: secret(far.token), apiUrl: 'http://127.0.0.1:9' })).toEqual([
    { state: 'fail', says: "Telegram can't be reached", fix: 'check the network and TELEGRAM_API_URL' },
  ]);
});

test('a connection that is lost on the way does not count as a hidden chat', async () => {
  const { far, settings } = await start();
  const targets = async () => {
    await far.stop();
    return new Map([[CHANNEL, 'rust']]);
  };
  const findings = await checks[0]?.run(
    { telegram: settings } as SinkSettings,
    { log, words, targets },
    new AbortController().signal,
  );
  expect(findings).toEqual([expect.objectContaining({ says: "Telegram can't be reached" })]);
});
