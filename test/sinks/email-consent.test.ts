// Double opt-in: an address gets one confirmation mail and nothing else until its owner confirms.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryError } from '../../src/domain/errors.js';
import {
  deliverTo,
  headerOf,
  type MailSetup,
  mailDelivery,
  PUBLIC_URL,
  parseMail,
  setupMail,
} from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';

const HOUR = 3_600_000;
const ADDRESS = 'reader@example.org';

let smtp: SmtpStand;
let setup: MailSetup;

beforeEach(async () => {
  smtp = await startSmtp();
  setup = setupMail(smtp.url);
});

afterEach(async () => {
  await setup.sink.close?.();
  await smtp.close();
});

/** A delivery without consent. */
function unvouched(target = ADDRESS, account = 'sample') {
  const delivery = mailDelivery({ account });
  const { consented: _dropped, ...destination } = delivery.destination;
  return { ...delivery, destination: { ...destination, target } };
}

const attempt = (delivery = unvouched()) =>
  deliverTo(setup, delivery).then(
    () => 'delivered',
    (error: DeliveryError) => error,
  );

async function tokenOf(index = smtp.mails.length - 1): Promise<string> {
  const { text = '' } = await parseMail(smtp.mails[index]!.raw);
  return /\/confirm\/([\w-]{43})\r?\n/u.exec(text)![1]!;
}

const ask = (address = ADDRESS, account = 'sample') =>
  setup.sink.consent.request({ account, address, locale: 'en', tags: ['rust', 'solidity'] });

test('the first edition sends a confirmation mail instead, once, and the destination waits', async () => {
  expect(await attempt()).toMatchObject({ fault: 'target', message: 'waiting for confirmation' });
  expect(await attempt()).toMatchObject({ fault: 'target' });
  expect(smtp.mails).toHaveLength(1);
  const mail = await parseMail(smtp.mails[0]!.raw);
  expect(mail.subject).toBe('Please confirm: job emails via Example Jobs');
  expect(mail.to?.[0]?.address).toBe(ADDRESS);
  await setup.sink.consent.confirm(await tokenOf());
  expect(await attempt()).toBe('delivered');
});

test('the confirmation mail is no list mail, has no posting, and has one link', async () => {
  await attempt();
  const mail = await parseMail(smtp.mails[0]!.raw);
  expect(mail.headers.filter(({ key }) => key.startsWith('list-'))).toEqual([]);
  expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated');
  expect(headerOf(mail, 'X-PM-TrackLinks')).toBe('None');
  expect(`${mail.html}${mail.text}`).not.toMatch(/jobs\.example\.org|Solidity Engineer/u);
  const links = [...(mail.html ?? '').matchAll(/href="([^"]+)"/gu)].map((match) => match[1]);
  expect(links).toEqual([`${PUBLIC_URL}/confirm/${await tokenOf()}`]);
});

test('the confirmation mail names tags, and contains no words of the person who asked', async () => {
  await attempt({
    ...unvouched(),
    about: 'Rust, mentioning win a prize at evil.example',
    tags: ['rust', 'evil.example', 'solidity'],
  });
  const mail = await parseMail(smtp.mails[0]!.raw);
  expect(mail.text).toContain('Subscription: Rust or Solidity.');
  expect(`${mail.subject}${mail.html}${mail.text}`).not.toMatch(/evil|prize|mentioning/u);
  // The page of the link and the record of the consent do not contain them either.
  const done = await setup.sink.consent.confirm(await tokenOf());
  expect(JSON.stringify(done)).toContain('"about":"Rust or Solidity"');
  expect((await setup.sink.consent.given('sample', ADDRESS))?.about).toBe('Rust or Solidity');
});

describe('the limits count one mailbox once, however it is written', () => {
  test.each([
    [['a+1@example.org', 'A+2@Example.ORG', 'a@example.org'], 'a+3@example.org', 'a.b@example.org'],
    [['a.b@gmail.com', 'ab+x@googlemail.com', 'A.B@gmail.com'], 'a.b+y@gmail.com', 'abc@gmail.com'],
  ])('%j, and then %s is one too many, but %s is another', async (spellings, fourth, other) => {
    for (const [index, address] of spellings.entries())
      expect(await ask(address, `person-${index}`)).toBe(true);
    expect(await ask(fourth, 'person-4')).toBe(false);
    expect(await ask(other, 'person-5')).toBe(true);
    // Mails go to the address as written, and the consent is for the address as written.
    expect(smtp.mails.slice(0, 3).map(({ to }) => to[0]?.toLowerCase())).toEqual(
      spellings.map((one) => one.toLowerCase()),
    );
  });

  test('allow three of a burst to one mailbox', async () => {
    const all = Array.from({ length: 12 }, (_, i) => ask(`me+${i}@example.org`, `person-${i}`));
    expect((await Promise.all(all)).filter(Boolean)).toHaveLength(3);
  });

  test('allow ten of a burst of one person to many mailboxes', async () => {
    const all = Array.from({ length: 25 }, (_, i) => ask(`stranger-${i}@example.org`, 'one-person'));
    expect((await Promise.all(all)).filter(Boolean)).toHaveLength(10);
  });
});

test('a link works once, for 48 hours, and can be looked at without being used up', async () => {
  await ask();
  const token = await tokenOf();
  const before = setup.table.dump();
  expect(await setup.sink.consent.peek(token)).toMatchObject({
    account: 'sample',
    tags: ['rust', 'solidity'],
  });
  expect(setup.table.dump()).toBe(before);
  setup.clock.advance(47 * HOUR);
  expect(await setup.sink.consent.confirm(token)).toMatchObject({ account: 'sample', address: ADDRESS });
  expect(await setup.sink.consent.confirm(token)).toBeUndefined();
  expect(await setup.sink.consent.peek(token)).toBeUndefined();
});

test('an old link does not work', async () => {
  await ask();
  const token = await tokenOf();
  setup.clock.advance(48 * HOUR);
  expect(await setup.sink.consent.peek(token)).toBeUndefined();
  expect(await setup.sink.consent.confirm(token)).toBeUndefined();
});

test('stores the time and the subject of a consent, but neither the token nor the address as text', async () => {
  await ask();
  const token = await tokenOf();
  expect(setup.table.dump()).not.toContain(token);
  setup.clock.advance(HOUR);
  await setup.sink.consent.confirm(token);
  const now = setup.clock.now();
  expect(await setup.sink.consent.given('sample', 'READER@example.org')).toEqual({
    askedAt: now - HOUR,
    confirmedAt: now,
    about: 'Rust or Solidity',
  });
  expect(setup.table.dump()).not.toContain(ADDRESS);
});

test('a consent holds for one account', async () => {
  await ask();
  await setup.sink.consent.confirm(await tokenOf());
  expect(await attempt(unvouched(ADDRESS, 'someone-else'))).toMatchObject({ fault: 'target' });
});

test('a new confirmation mail replaces the open one', async () => {
  await ask();
  const first = await tokenOf();
  await ask();
  const second = await tokenOf();
  expect(await setup.sink.consent.peek(first)).toBeUndefined();
  expect(await setup.sink.consent.peek(second)).toBeDefined();
});

test('sends an address at most three confirmation mails a day, for all accounts together', async () => {
  for (let n = 0; n < 5; n++) await ask(ADDRESS, `account${n}`);
  expect(smtp.mails).toHaveLength(3);
  setup.clock.advance(24 * HOUR);
  await ask();
  expect(smtp.mails).toHaveLength(4);
});

test('sends at most ten confirmation mails a day for one account', async () => {
  for (let n = 0; n < 12; n++) await ask(`reader${n}@example.org`);
  expect(smtp.mails).toHaveLength(10);
});

test('gives the same answer for known, unknown and suppressed addresses', async () => {
  await ask('known@example.org');
  await setup.sink.consent.confirm(await tokenOf());
  await setup.sink.suppression.add('dead@example.org', 'test');
  const answers = await Promise.all([
    ask('known@example.org'),
    ask('dead@example.org'),
    ask('new@example.org'),
  ]);
  expect(answers).toEqual([true, true, true]);
  expect(smtp.mails.map((mail) => mail.to[0])).not.toContain('dead@example.org');
});

test('asks nothing for the confirmed address of an account, but asks for another address', async () => {
  setup.accounts.set('sample', {
    id: 'sample',
    createdAt: 0,
    email: { address: ADDRESS, confirmedAt: setup.clock.now() },
  });
  expect(await attempt()).toBe('delivered');
  expect(await attempt(unvouched('other@example.org'))).toMatchObject({ fault: 'target' });
});

test('an address of the account that is not confirmed does not count', async () => {
  setup.accounts.set('sample', { id: 'sample', createdAt: 0, email: { address: ADDRESS } });
  expect(await attempt()).toMatchObject({ fault: 'target' });
});

test('reports that confirmation needs public pages', async () => {
  const bare = setupMail(smtp.url, { links: undefined });
  const error = (await deliverTo(bare, unvouched()).catch((thrown: unknown) => thrown)) as DeliveryError;
  expect(error.fault).toBe('target');
  expect(error.forOwner).toContain('PUBLIC_URL');
  expect(smtp.mails).toEqual([]);
  await bare.sink.close?.();
});

test('sends nothing after an unsubscribe, not even what was due, until it is undone', async () => {
  const { account, subscription, destination } = mailDelivery();
  const stream = { account, subscription, destination: destination.id };
  await setup.sink.unsubscribes.stop(stream);
  await setup.sink.unsubscribes.stop(stream);
  expect(await attempt(mailDelivery())).toMatchObject({ fault: 'target', message: 'unsubscribed' });
  expect(smtp.connections).toBe(0);
  // Another stream continues.
  expect(await attempt(mailDelivery({ subscription: 'other' }))).toBe('delivered');
  await setup.sink.unsubscribes.restart(stream);
  expect(await attempt(mailDelivery())).toBe('delivered');
});

test('notifies owners with a confirmed address by mail, and no others', async () => {
  const notice = {
    kind: 'token',
    subject: 'sample',
    account: 'sample',
    subscription: 's1',
    text: 'Token refused.',
  } as const;
  expect(await setup.sink.messenger(notice)).toBe(false);
  setup.accounts.set('sample', {
    id: 'sample',
    createdAt: 0,
    email: { address: ADDRESS, confirmedAt: 1 },
    locale: 'de',
  });
  expect(await setup.sink.messenger(notice)).toBe(true);
  const mail = await parseMail(smtp.mails[0]!.raw);
  expect(mail.subject).toContain('Problem mit deinen Job-E-Mails');
  expect(mail.text).toContain('Token refused.');
  expect(mail.text).toContain(`${PUBLIC_URL}/preferences/`);
});
