// Confirmation mails that are refused: nothing reveals what is known of an address, no address is logged, and a mail
// that was not sent is sent again.
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import { deliverTo, headerOf, type MailSetup, mailDelivery, parseMail, setupMail } from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';

const ADDRESS = 'reader@example.org';
const UNKNOWN = { code: 550, text: `5.1.1 <${ADDRESS}> user unknown` };
const LATER = { code: 451, text: `4.7.1 <${ADDRESS}> greylisted` };

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

const ask = (address = ADDRESS, account = 'sample') =>
  setup.sink.question({ account, address, locale: 'en' }).then(
    () => 'answered',
    (error: Error) => error.message,
  );

/** A delivery to an address that is not confirmed. */
function attempt(target = ADDRESS): Promise<DeliveryError | 'delivered'> {
  const delivery = mailDelivery();
  const { consented: _dropped, ...destination } = delivery.destination;
  return deliverTo(setup, { ...delivery, destination: { ...destination, target } }).then(
    () => 'delivered' as const,
    (error: DeliveryError) => error,
  );
}

describe('a person who enters an address', () => {
  test('gets the same answer for one that is new, known to bounce, unknown to its server, or full', async () => {
    await setup.sink.suppression.add('dead@example.org', 'test');
    const answers = [await ask('new@example.org'), await ask('dead@example.org')];
    smtp.script.rcpt.push(UNKNOWN, LATER);
    answers.push(await ask(), await ask('later@example.org'));
    expect(answers).toEqual(['answered', 'answered', 'answered', 'answered']);
    expect(smtp.mails.map(({ to }) => to[0])).toEqual(['new@example.org']);
  });

  test('makes the sink contact the relay also for a suppressed address, so that the time taken reveals nothing', async () => {
    await setup.sink.suppression.add(ADDRESS, 'test');
    await ask();
    expect(smtp.connections).toBe(1);
  });

  test('gets an error when no mail can be sent, whatever the address', async () => {
    await setup.sink.suppression.add('dead@example.org', 'test');
    await smtp.close();
    const answers = [await ask(), await ask('dead@example.org')];
    expect(answers[0]).toMatch(/could not be sent right now/u);
    expect(answers[1]).toBe(answers[0]);
    smtp = await startSmtp();
  });

  test('gets an error soon when the relay accepts the connection and says nothing, whatever the address', async () => {
    const hole = createServer(() => undefined);
    await new Promise<void>((resolve) => hole.listen(0, '127.0.0.1', resolve));
    const silent = setupMail(`smtp://127.0.0.1:${(hole.address() as AddressInfo).port}`, { patienceMs: 100 });
    await silent.sink.suppression.add('dead@example.org', 'test');
    for (const address of [ADDRESS, 'dead@example.org'])
      await expect(silent.sink.question({ account: address, address, locale: 'en' })).rejects.toThrow(
        'could not be sent right now',
      );
    await silent.sink.close?.();
    hole.close();
  });

  test('gets an error without public pages, because the mail would have no link', async () => {
    const bare = setupMail(smtp.url, { links: undefined });
    await expect(bare.sink.question({ account: 'a', address: ADDRESS, locale: 'en' })).rejects.toThrow(
      'PUBLIC_URL',
    );
    await bare.sink.close?.();
  });
});

describe('a destination that is not confirmed', () => {
  test('gives its owner the same answer for an address that bounces as for any other', async () => {
    const fresh = await attempt('new@example.org');
    await setup.sink.suppression.add('dead@example.org', 'test');
    const dead = await attempt('dead@example.org');
    smtp.script.rcpt.push(UNKNOWN);
    const unknown = await attempt();
    for (const error of [dead, unknown])
      expect(error).toMatchObject({
        fault: 'target',
        message: (fresh as DeliveryError).message,
        forOwner: (fresh as DeliveryError).forOwner,
      });
  });

  test('gets another confirmation mail when the first did not get through', async () => {
    smtp.script.rcpt.push({ code: 451, text: '4.3.0 busy' });
    expect(await attempt()).toMatchObject({ fault: 'outage', retryAfterMs: 5 * 60_000 });
    expect(await attempt()).toMatchObject({ fault: 'target', message: 'waiting for confirmation' });
    expect(smtp.mails).toHaveLength(1);
  });

  test('waits for the next day when the limit is reached, and then gets the mail', async () => {
    for (let n = 0; n < 10; n++) await attempt(`reader${n}@example.org`);
    expect(await attempt()).toMatchObject({ fault: 'outage', message: 'confirm mail held back' });
    setup.clock.advance(24 * 3_600_000);
    expect(await attempt()).toMatchObject({ fault: 'target', message: 'waiting for confirmation' });
    expect(smtp.mails.at(-1)?.to).toEqual([ADDRESS]);
  });
});

test('a confirmation mail that did not get through counts towards no limit, and its link does not work', async () => {
  for (let n = 0; n < 4; n++) {
    smtp.script.data.push({ code: 451, text: '4.3.0 busy' });
    await ask();
  }
  expect(await setup.sink.consent.waiting('sample', ADDRESS)).toBe(false);
  expect(setup.table.dump()).not.toContain('mail:confirm:');
  await ask();
  expect(smtp.mails).toHaveLength(1);
});

test('two requests at the same time leave one link that works', async () => {
  await Promise.all([ask(), ask()]);
  expect(setup.table.dump().match(/mail:confirm:/gu)).toHaveLength(1);
});

test('no header contains the token of the link, because relays keep headers', async () => {
  await ask();
  const mail = await parseMail(smtp.mails[0]!.raw);
  const token = /\/confirm\/([\w-]{43})/u.exec(mail.text ?? '')![1]!;
  const id = headerOf(mail, 'Message-ID') ?? '';
  expect(id).toMatch(/^<confirm\.[0-9a-f]{24}@crier\.example\.org>$/u);
  expect(id).not.toContain(Buffer.from(token).toString('hex').slice(0, 24));
  for (const { value } of mail.headers) expect(value).not.toContain(token);
});

test('no error and no log contains an address that a server quoted', async () => {
  smtp.script.rcpt.push(UNKNOWN, UNKNOWN, LATER);
  await ask();
  await attempt('other@example.org');
  setup.accounts.set('sample', { id: 'sample', createdAt: 0, email: { address: ADDRESS, confirmedAt: 1 } });
  const notice = { kind: 'token', subject: 's', account: 'sample', text: 'Token refused.' } as const;
  const fresh = setupMail(smtp.url, { accounts: { get: async () => setup.accounts.get('sample') } });
  const error = await fresh.sink.messenger(notice).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'MailError', message: 'SMTP 451 4.7.1 to the recipient' });
  expect(JSON.stringify([error, setup.log.lines])).not.toMatch(/@example\.org/u);
  await fresh.sink.close?.();
});

describe('a password', () => {
  /** Leads to this machine, but does not look like it. */
  const abroad = (url: string) => url.replace('127.0.0.1', '0.0.0.0');

  async function over(address: (url: string) => string) {
    const relay = await startSmtp({ login: true });
    relay.script.auth.push('accept');
    const { sink, alerts } = setupMail(relay.url, {
      settings: { smtpUrl: secret(address(relay.url)), from: 'digest@crier.example.org' },
    });
    const error = await sink.verify().catch((thrown: unknown) => thrown);
    await sink.close?.();
    await relay.close();
    return { error, alerts, asked: relay.script.auth.length === 0 };
  }

  test('is not sent over an unencrypted connection to another machine', async () => {
    const { error, asked } = await over(abroad);
    expect(asked).toBe(false);
    expect(error).toMatchObject({ answer: { kind: 'ours', login: true } });
  });

  test.each([
    ['to this machine', (url: string) => url],
    ['where the address allows it', (url: string) => `${abroad(url)}?requireTLS=false`],
    ['where the address wants no TLS', (url: string) => `${abroad(url)}?ignoreTLS=true`],
  ])('is sent %s', async (_where, address) => {
    expect(await over(address)).toMatchObject({ error: undefined, asked: true });
  });
});

describe('what the log and the answers say about a question', () => {
  const lines = () => setup.log.lines.map((line) => JSON.parse(line));

  test('that is held back', async () => {
    await setup.sink.suppression.add('dead@example.org', 'test');
    await ask('dead@example.org');
    const held = { level: 'info', account: 'sample' };
    expect(lines()).toEqual([{ ...held, message: 'confirm mail held back, address suppressed' }]);
    let asked = 0;
    while (lines().length < 2 && ++asked < 50) await ask(`r${asked}@example.org`);
    expect(lines()[1]).toEqual({ ...held, message: 'confirm mail held back, limit reached' });
    expect(await attempt('late@example.org')).toMatchObject({
      fault: 'outage',
      message: 'confirm mail held back',
      retryAfterMs: expect.any(Number),
    });
  });

  test('that can not be sent', async () => {
    smtp.script.mail.push({ code: 421, text: '4.3.0 not now' }, { code: 421, text: '4.3.0 not now' });
    await expect(setup.sink.question({ account: 'a', address: ADDRESS, locale: 'en' })).rejects.toMatchObject(
      {
        fault: { name: 'mailAway' },
      },
    );
    expect(await attempt()).toMatchObject({ fault: 'outage', message: 'confirm mail not sent' });
    expect(lines()).toEqual(
      Array(2).fill({
        level: 'warn',
        reason: expect.stringContaining('421'),
        message: 'confirm mail not sent',
      }),
    );
  });

  test('that has no page to link to', async () => {
    const bare = setupMail(smtp.url, { links: undefined });
    const question = { account: 'a', address: ADDRESS, locale: 'en' };
    await expect(bare.sink.question(question)).rejects.toMatchObject({ fault: { name: 'sinkOff' } });
    const delivery = mailDelivery();
    const { consented: _, ...destination } = delivery.destination;
    await expect(deliverTo(bare, { ...delivery, destination })).rejects.toMatchObject({
      fault: 'target',
      message: 'no consent and no public pages',
    });
    expect(smtp.connections).toBe(0);
    await bare.sink.close?.();
  });

  test('to different addresses counts failures of each', async () => {
    // Three messages to one address suppress it, three to three addresses do not.
    const full = { code: 452, text: '4.2.2 mailbox full' };
    smtp.script.rcpt.push(full, full, full);
    for (const name of ['a', 'b', 'c']) await ask(`${name}@example.org`, name);
    for (const name of ['a', 'b', 'c'])
      expect(await setup.sink.suppression.find(`${name}@example.org`)).toBeUndefined();
  });
});
