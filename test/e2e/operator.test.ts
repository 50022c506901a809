// Faults that only the operator can fix reach a person, not only the log: the shipped program writes to the owner of
// the bot's application, once.
import { expect, test } from 'vitest';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { baseline, faultHouse, faultJob } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { startSmtp } from '../helpers/smtp.js';

test('a refused API token and a relay that refuses the login', { timeout: 180_000 }, async () => {
  const discord = await startDiscord();
  const smtp = await startSmtp({ login: true });
  later(() => discord.close());
  later(() => smtp.close());
  const house = await faultHouse({
    extra: ['- { sink: email, target: reader@example.org, consented: true, cadence: immediate }'],
  });
  const program = house.run({
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    SMTP_URL: smtp.url.replace('crier:secret', 'crier:wrong'),
    MAIL_FROM: 'Jobs <jobs@example.org>',
  });
  smtp.script.auth.push(...Array.from({ length: 20 }, () => ({ code: 535, text: '5.7.8 refused' })));
  const told = (words: string) => discord.appOwner.dms().filter(({ content }) => content.includes(words));
  await baseline(program);
  await house.board.addJob(faultJob(2));
  await program.until('the word on the relay', () => told('mail relay').length > 0);
  await house.board.setTokens([]);
  await program.until('the word on the token', () => told('token').length > 0);
  program.kill();
  expect(await program.ended).toBe(0);
  expect(told('mail relay')).toHaveLength(1);
  expect(told('token')).toHaveLength(1);
  expect(discord.violations).toEqual([]);
});
