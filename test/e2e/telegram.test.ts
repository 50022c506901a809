// The shipped program posts to Telegram: a channel, and a private chat that its reader opens by a link.
import { expect, test } from 'vitest';
import { baseline, faultHouse, faultJob, said } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { startTelegram } from '../helpers/telegram.js';
import { until } from '../helpers/until.js';

const CHANNEL = '-1001234567890';
const WORD = 'reader-4f1c9a7d';

test('a channel gets each posting with its link, and a private chat after its reader presses Start', {
  timeout: 120_000,
}, async () => {
  const telegram = await startTelegram();
  later(() => telegram.stop());
  telegram.addChat(CHANNEL, 'Rust jobs');
  const house = await faultHouse({
    env: { TELEGRAM_TOKEN: telegram.token, TELEGRAM_API_URL: telegram.url },
    extra: [
      `- { sink: telegram, target: "${CHANNEL}", cadence: immediate }`,
      `- { sink: telegram, target: "start:${WORD}", cadence: immediate }`,
    ],
  });
  const doctor = await house.command(['doctor']);
  expect(doctor.text).toMatch(/Telegram: logs in as @crier_test_bot/u);
  const program = house.run();
  await baseline(program);
  telegram.write({ chat: 4711 }, `/start ${WORD}`);
  await until(() => telegram.sent.length === 1, { what: 'the answer to /start' });
  expect(telegram.sent[0]?.chat).toBe('4711');
  await house.board.addJob(faultJob(2));
  await until(() => telegram.sent.length === 3, { what: 'both messages' });
  const [, ...cards] = telegram.sent;
  expect(cards.map(({ chat }) => chat).toSorted()).toEqual([CHANNEL, '4711']);
  await program.until('both recorded', () => program.stdout.join('\n').split('edition delivered').length > 3);
  const { applyUrl } = house.receiver.received.at(-1)?.body.data.postings[0] ?? {};
  for (const { text, buttons } of cards) {
    expect(text).toContain('Position 2');
    expect(buttons).toEqual([{ text: 'Apply', url: applyUrl }]);
  }
  telegram.close(CHANNEL);
  await house.board.addJob(faultJob(3));
  await program.until('the parked channel', said(program, '"owner notice"'), 30_000);
  program.kill();
  expect(await program.ended).toBe(0);
  const list = await house.command(['subscriptions', 'list']);
  expect(list.text).toMatch(
    /telegram:-1001234567890 parked since .*: The Telegram bot cannot write to this chat/u,
  );
  expect(program.stdout.join('\n')).not.toContain(telegram.token);
});
