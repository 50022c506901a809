// E-mail by slash command, with a real SMTP server: set, confirm by the mailed link, subscribe, remove.
import { afterEach, expect, test } from 'vitest';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';

let house: BotHouse;
let smtp: SmtpStand | undefined;
afterEach(async () => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
  await house.close();
  await smtp?.close();
});

const slash = (command: string, options: Parameters<BotHouse['admin']['slash']>[1] = {}) =>
  house.admin.slash(command, options, { guild: house.guild }).reply();

async function withMail(): Promise<SmtpStand> {
  smtp = await startSmtp();
  house = await openHouse({
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'crier@example.org', PUBLIC_URL: 'https://crier.example.org' },
  });
  return smtp;
}

test('every command says that e-mail is off', async () => {
  house = await openHouse();
  for (const [command, options] of [
    ['/email set', { address: 'me@example.org' }],
    ['/email status', {}],
    ['/email remove', {}],
  ] as const)
    expect((await slash(command, options)).text).toMatch(/Email is off here/u);
});

test('an address is confirmed by mail before anything is sent to it, and can be removed', async () => {
  const { mails } = await withMail();
  expect((await slash('/email status')).text).toMatch(/no email address here/u);
  expect((await slash('/jobs subscribe', { tags: 'rust', deliver: 'email' })).text).toMatch(
    /no email address yet/u,
  );
  expect((await slash('/email set', { address: 'not an address' })).text).toMatch(
    /That is not an email address/u,
  );

  const set = await slash('/email set', { address: 'Reader@Example.org' });
  expect(set.ephemeral).toBe(true);
  expect(set.text).toMatch(/a confirmation is on its way/u);
  await house.discord.until(() => mails.length === 1, 'the confirm mail');
  expect((await slash('/email status')).text).toMatch(/is waiting for confirmation/u);
  const early = await slash('/jobs subscribe', { tags: 'rust', deliver: 'email', timezone: 'UTC' });
  expect(early.text).toMatch(/by email, weekly on Monday 09:00 UTC/u);
  expect(early.text).toMatch(/not confirmed yet/u);

  const token = /confirm\/([\w.~-]+)/u.exec(String(mails[0]?.raw).replace(/=\r?\n/gu, ''))?.[1];
  await house.app.services.mail?.confirm(token ?? '');
  const status = await slash('/email status');
  expect(status.text).toMatch(/is confirmed/u);
  expect(status.ephemeral).toBe(true);
  const later = await slash('/jobs subscribe', { tags: 'solidity', deliver: 'email', every: 'daily' });
  expect(later.text).not.toMatch(/not confirmed yet/u);

  expect((await slash('/email remove')).text).toMatch(/is deleted/u);
  expect((await slash('/email status')).text).toMatch(/no email address here/u);
  expect(JSON.stringify(house.logs)).not.toMatch(/reader@example/iu);
});

test('moves a subscription from a channel to e-mail', { tags: 'long' }, async () => {
  await withMail();
  await slash('/email set', { address: 'reader@example.org' });
  await slash('/jobs subscribe', { tags: 'rust', channel: house.guild.channel('jobs') });
  const panel = await slash('/jobs edit', { subscription: 'rust' });
  const moved = await house.admin
    .press(panel, 'To my email')
    .replyWhere((message) => message.text.includes('by email'));
  expect(moved.text).toMatch(/not confirmed yet/u);
  const [report] = await house.app.services.subscriptions({ account: `discord:${house.admin.id}` });
  expect(report?.subscription.destinations).toEqual([
    expect.objectContaining({ sink: 'email', target: 'reader@example.org' }),
  ]);
});

test('neither the answer nor the status nor a log reveals anything about the address', async () => {
  const { mails, script } = await withMail();
  script.rcpt.push({ code: 550, text: '5.1.1 <gone@example.org> user unknown' });
  const gone = await slash('/email set', { address: 'gone@example.org' });
  const status = await slash('/email status');
  expect(mails).toEqual([]);
  // The address is suppressed by now. Only a person who has confirmed it may know.
  const again = await slash('/email set', { address: 'gone@example.org' });
  expect((await slash('/email status')).text).toBe(status.text);
  const subscribed = await slash('/jobs subscribe', { tags: 'rust', deliver: 'email', timezone: 'UTC' });
  expect(subscribed.text).toMatch(/not confirmed yet/u);
  const known = await slash('/email set', { address: 'here@example.org' });
  await house.discord.until(() => mails.length === 1, 'the confirm mail');
  expect([gone.text, again.text]).toEqual([known.text, known.text]);
  expect(status.text).toMatch(/is waiting for confirmation/u);
  expect(JSON.stringify(house.logs)).not.toMatch(/gone@|here@/u);
});

test('says that the relay is down, and logs nothing of the address', async () => {
  const stand = await withMail();
  await stand.close();
  const reply = await slash('/email set', { address: 'here@example.org' });
  expect(reply.text).toMatch(/could not be sent right now/u);
  expect(JSON.stringify(house.logs)).not.toMatch(/here@/u);
  smtp = undefined;
});

test('keeps both an address and a profile saved at the same moment, in twenty rounds', {
  tags: 'long',
}, async () => {
  await withMail();
  const account = `discord:${house.admin.id}`;
  for (let round = 0; round < 20; round++) {
    const timezone = round % 2 === 0 ? 'Europe/Berlin' : 'Asia/Tokyo';
    const address = `reader${round % 2}@example.org`;
    await Promise.all([
      house.app.services.mail?.setAddress(account, address, 'en'),
      house.app.services.saveProfile(account, { timezone }),
    ]);
    expect(await house.app.services.profile(account)).toMatchObject({ timezone, email: { address } });
  }
});
