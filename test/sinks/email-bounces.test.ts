// What comes back after a mail was accepted: reports, complaints, and requests to unsubscribe by mail.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { readReport } from '../../src/sinks/email/reports.js';
import { deliverTo, headerOf, type MailSetup, mailDelivery, parseMail, setupMail } from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

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

interface Report {
  readonly to: string;
  readonly status: string;
  readonly action?: string;
  readonly id?: string;
  readonly recipient?: string;
}

/** A report as Postfix writes it. */
function dsn({
  to,
  status,
  action = 'failed',
  id = '<one@crier>',
  recipient = 'reader@example.org',
}: Report): string {
  return [
    'Return-Path: <>',
    `Delivered-To: ${to}`,
    'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    `To: ${to}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="B1"',
    '',
    '--B1',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'I am sorry to say that your mail could not be delivered.',
    '',
    '--B1',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    'Arrival-Date: Mon, 23 Nov 2026 09:00:00 +0000 (UTC)',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    'Diagnostic-Code: smtp; 550 5.1.1 <reader@example.org>: Recipient',
    '    address rejected: User unknown',
    '',
    '--B1',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${id}`,
    'Subject: 10 new postings',
    '',
    '--B1--',
    '',
  ].join('\r\n');
}

async function envelopeSender(): Promise<string> {
  await deliverTo(setup, mailDelivery());
  return smtp.mails.at(-1)!.from;
}

const suppressed = () => setup.sink.suppression.find('reader@example.org');

describe('a delivery report', () => {
  test('of an address that does not exist suppresses it, by the envelope sender alone', async () => {
    const to = await envelopeSender();
    // A forwarder may rewrite the recipient in the report; the token is ours.
    const taken = await setup.sink.takeBounce(
      dsn({ to, status: '5.1.1', recipient: 'x@relay.invalid' }),
      'message/rfc822',
    );
    expect(taken).toEqual({ taken: 1 });
    expect((await suppressed())?.why).toBe('status 5.1.1');
  });

  test('without the token is matched by its recipient', async () => {
    await setup.sink.takeBounce(dsn({ to: 'digest@crier.example.org', status: '5.1.1' }), 'message/rfc822');
    expect(await suppressed()).toBeDefined();
  });

  test('of a full mailbox counts, and after three messages the address is suppressed', async () => {
    const to = await envelopeSender();
    const report = (id: string) => setup.sink.takeBounce(dsn({ to, status: '5.2.2', id }), 'message/rfc822');
    await report('<one@crier>');
    await report('<one@crier>');
    await report('<two@crier>');
    expect(await suppressed()).toBeUndefined();
    await report('<three@crier>');
    expect(await suppressed()).toBeDefined();
  });

  test('of a full mailbox counts although the relay accepts the next mail', async () => {
    for (const id of ['<one@crier>', '<two@crier>', '<three@crier>']) {
      expect(await suppressed()).toBeUndefined();
      const to = await envelopeSender();
      await setup.sink.takeBounce(dsn({ to, status: '5.2.2', id }), 'message/rfc822');
    }
    expect(await suppressed()).toBeDefined();
  });

  test('of a policy alerts the operator and suppresses no address', async () => {
    await setup.sink.takeBounce(dsn({ to: await envelopeSender(), status: '5.7.1' }), 'message/rfc822');
    expect(await suppressed()).toBeUndefined();
    expect(setup.alerts[0]).toMatch(/SPF/u);
  });

  test('of a delay changes nothing', async () => {
    const mail = dsn({ to: await envelopeSender(), status: '4.4.1', action: 'delayed' });
    const before = setup.table.dump();
    expect(await setup.sink.takeBounce(mail, 'message/rfc822')).toEqual({ taken: 1 });
    expect(setup.table.dump()).toBe(before);
  });

  test('about several recipients is read as several reports', () => {
    const one = dsn({ to: 'digest@crier.example.org', status: '5.1.1' });
    const more = one.replace(
      '\r\n--B1\r\nContent-Type: text/rfc822-headers',
      [
        '\r\nFinal-Recipient: rfc822; other@example.org',
        'Action: failed',
        'Status: 5.2.2',
        '',
        '--B1',
        'Content-Type: text/rfc822-headers',
      ].join('\r\n'),
    );
    expect(readReport(more).map(({ status }) => status)).toEqual(['5.1.1', '5.2.2']);
  });

  test.each(['', 'hello', '\0\0', 'Status: 5.1.1\r\nAction: failed', 'x'.repeat(100_000)])(
    "that can't be read as one changes nothing",
    async (body) => {
      const before = setup.table.dump();
      const { taken, refused } = await setup.sink.takeBounce(body, 'message/rfc822');
      expect({ taken, refused }).toEqual({
        taken: 0,
        refused: expect.stringContaining('no delivery report'),
      });
      expect(setup.table.dump()).toBe(before);
    },
  );
});

test('a complaint suppresses the address immediately', async () => {
  const to = await envelopeSender();
  const body = [
    `To: ${to}`,
    'Content-Type: multipart/report; report-type=feedback-report; boundary=B',
    '',
    '--B',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'User-Agent: Loop/1.0',
    '',
    '--B--',
  ].join('\r\n');
  expect(await setup.sink.takeBounce(body, 'message/rfc822')).toEqual({ taken: 1 });
  expect((await suppressed())?.why).toBe('complaint');
});

test('reads the JSON of a relay: one report or a list, by token, return path or recipient', async () => {
  const token = setup.sink.suppression.token('one@example.org');
  const body = [
    { token, status: '5.1.1' },
    { recipient: 'two@example.org', complaint: true },
    {
      returnPath: `digest+b${setup.sink.suppression.token('three@example.org')}@crier.example.org`,
      status: '5.2.1',
    },
    { recipient: 'not an address', status: '5.1.1' },
    { recipient: 'four@example.org', status: 'whatever' },
    null,
  ];
  expect(await setup.sink.takeBounce(JSON.stringify(body), 'application/json')).toEqual({ taken: 3 });
  const found = await Promise.all(
    ['one', 'two', 'three', 'four'].map((name) => setup.sink.suppression.find(`${name}@example.org`)),
  );
  expect(found.map((entry) => entry !== undefined)).toEqual([true, true, true, false]);
  expect(await setup.sink.takeBounce('{ broken', 'application/json')).toMatchObject({
    taken: 0,
    refused: expect.stringContaining('not JSON'),
  });
});

describe('a receiver that refuses our mail', () => {
  const to = (target: string) => {
    const delivery = mailDelivery();
    return deliverTo(setup, { ...delivery, destination: { ...delivery.destination, target } });
  };
  const policy = (recipient: string) =>
    setup.sink.takeBounce(JSON.stringify({ recipient, status: '5.7.26' }), 'application/json');
  const refuseNext = () => smtp.script.rcpt.push({ code: 550, text: '5.7.1 not from you' });

  test('for one reader delays only that reader, however often', async () => {
    for (let i = 0; i < 4; i++) {
      refuseNext();
      await expect(to('one@gmail.com')).rejects.toMatchObject({ fault: 'outage', retryAfterMs: 3_600_000 });
      await policy('one@gmail.com');
    }
    await to('other@gmail.com');
    expect(setup.sink.pauses?.()).toEqual([]);
    expect(setup.alerts[0]).toMatch(/SPF.*other mails are still sent/u);
    expect(setup.alerts.join()).not.toContain('gmail.com');
  });

  test('for two readers does not pause the domain; for three it pauses that domain alone for an hour', async () => {
    for (const name of ['one', 'two']) {
      refuseNext();
      await expect(to(`${name}@gmail.com`)).rejects.toMatchObject({ fault: 'outage' });
    }
    await to('four@gmail.com');
    await policy('three@gmail.com');
    expect(setup.alerts.at(-1)).toMatch(/^Mails to gmail\.com wait for an hour.*5\.7\.26.*SPF/u);
    await expect(to('four@gmail.com')).rejects.toMatchObject({ fault: 'outage', message: 'mail is paused' });
    await to('someone@example.net');
    const until = setup.clock.now() + 3_600_000;
    expect(setup.sink.pauses?.()).toEqual([{ place: 'gmail.com', until, why: 'status 5.7.26' }]);
    setup.clock.advance(3_600_001);
    expect(setup.sink.pauses?.()).toEqual([]);
    await to('four@gmail.com');
    expect(await setup.sink.suppression.find('one@gmail.com')).toBeUndefined();
  });

  test('for three readers within days does not pause the domain', async () => {
    for (const name of ['one', 'two', 'three']) {
      await policy(`${name}@gmail.com`);
      setup.clock.advance(5 * 3_600_000);
    }
    await to('four@gmail.com');
  });

  test('before any recipient was named pauses all mail, because the relay refuses it', async () => {
    smtp.script.mail.push({ code: 550, text: '5.7.1 not from you' });
    await expect(to('one@gmail.com')).rejects.toMatchObject({ fault: 'outage' });
    await expect(to('someone@example.net')).rejects.toMatchObject({ message: 'mail is paused' });
    expect(setup.sink.pauses?.()).toMatchObject([{ place: '' }]);
  });
});

describe('a maildir', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crier-maildir-'));
    for (const part of ['new', 'cur', 'tmp']) await mkdir(join(folder, part));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('is read: reports suppress addresses, and mails can unsubscribe', async () => {
    const watching = setupMail(smtp.url, {
      table: setup.table,
      settings: { smtpUrl: secret(smtp.url), from: 'digest@crier.example.org', bounceMaildir: folder },
    });
    await deliverTo(watching, mailDelivery());
    const mail = await parseMail(smtp.mails[0]!.raw);
    const mailto = /<mailto:[^?]+\?subject=([^>]+)>/u.exec(headerOf(mail, 'List-Unsubscribe') ?? '')![1]!;
    await writeFile(join(folder, 'new', '1.a'), dsn({ to: smtp.mails[0]!.from, status: '5.1.1' }));
    await writeFile(
      join(folder, 'new', '2.b'),
      `From: reader@example.org\r\nSubject: ${decodeURIComponent(mailto)}\r\n\r\n`,
    );
    await watching.sink.start?.();
    await until(async () => (await readdir(join(folder, 'new'))).length === 0);
    await watching.sink.close?.();
    expect(await suppressed()).toBeDefined();
    expect(watching.unsubscribed).toEqual([decodeURIComponent(mailto).replace('unsubscribe ', '')]);
    expect((await readdir(join(folder, 'cur'))).sort()).toEqual(['1.a:2,S', '2.b:2,S']);
  });

  test('can be written to by anyone, so a report without our token suppresses no address', async () => {
    await writeFile(join(folder, 'new', '1.a'), dsn({ to: 'digest@crier.example.org', status: '5.1.1' }));
    const watching = setupMail(smtp.url, {
      table: setup.table,
      settings: { smtpUrl: secret(smtp.url), from: 'digest@crier.example.org', bounceMaildir: folder },
    });
    await watching.sink.start?.();
    await until(async () => (await readdir(join(folder, 'new'))).length === 0);
    await watching.sink.close?.();
    expect(await suppressed()).toBeUndefined();
  });

  test('is reported once if it is missing, and mail is still sent', async () => {
    await rm(folder, { recursive: true });
    const watching = setupMail(smtp.url, {
      settings: { smtpUrl: secret(smtp.url), from: 'digest@crier.example.org', bounceMaildir: folder },
    });
    await watching.sink.start?.();
    await until(() => watching.log.lines.length > 0);
    await deliverTo(watching, mailDelivery());
    await watching.sink.close?.();
    expect(watching.log.lines).toHaveLength(1);
  });
});
