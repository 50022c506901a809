// What the address of the relay says about encryption, and how connections are used.
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { createMailTransport, isLoopback, mustEncrypt } from '../../src/sinks/email/transport.js';
import { later } from '../helpers/later.js';
import { startSmtp } from '../helpers/smtp.js';

describe('a login to the relay', () => {
  test.each<[string, boolean]>([
    ['smtp://user:pass@mail.example', true],
    ['smtp://user:pass@mail.example:587', true],
    ['smtp://user:pass@mail.example?requireTLS=true', true],
    ['smtp://user:pass@mail.example?ignoreTLS=false', true],
    ['smtp://user:pass@mail.example?requireTLS=false', false],
    ['smtp://user:pass@mail.example?ignoreTLS=true', false],
    // From the start, so there is nothing to ask for.
    ['smtps://user:pass@mail.example', false],
    ['smtp://mail.example', false],
    ['smtp://user:pass@localhost:2525', false],
    ['smtp://user:pass@127.0.0.1', false],
    ['smtp://user:pass@[::1]:25', false],
    ['smtp://user:pass@localhost.example', true],
  ])('at %s must be encrypted first: %s', (url, isNeeded) => {
    expect(mustEncrypt(new URL(url))).toBe(isNeeded);
  });

  test.each<[string, boolean]>([
    ['localhost', true],
    ['LOCALHOST', true],
    ['127.0.0.1', true],
    ['127.10.20.30', true],
    ['127.100.200.255', true],
    ['[::1]', true],
    ['localhost.example', false],
    ['xlocalhost', false],
    ['127.0.0.1.example', false],
    ['10.127.0.0.1', false],
    ['128.0.0.1', false],
    ['[::1].example', false],
  ])('at the host %s stays on this machine: %s', (host, isHere) => {
    expect(isLoopback(host)).toBe(isHere);
  });
});

test('mails share a connection, which ends with the transport', async () => {
  const smtp = await startSmtp();
  later(smtp.close);
  const transport = createMailTransport({
    smtpUrl: secret(smtp.url),
    bounce: 'bounces@example.org',
    token: () => 'token',
  });
  const mail = (n: number) => ({
    from: 'Jobs <jobs@example.org>',
    to: 'reader@example.org',
    subject: `Mail ${n}`,
    html: '<p>Text</p>',
    text: 'Text',
    messageId: `<${n}@example.org>`,
    headers: {},
    attachments: [],
  });
  await transport.send(mail(1));
  await transport.send(mail(2));
  expect([smtp.connections, smtp.mails.length]).toEqual([1, 2]);
  expect(smtp.mails.map(({ from }) => from)).toEqual(Array(2).fill('bounces+btoken@example.org'));
  transport.close();
  await expect(transport.send(mail(3))).rejects.toMatchObject({ name: 'MailError' });
  expect(smtp.connections).toBe(1);
});
