// Mails checked from outside: signatures, hostile postings, other languages, and what is logged.
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import type { Delivery } from '../../src/ports/sink.js';
import { sampleDelivery, samplePostings, sampleWeeks } from '../../src/render/samples.js';
import { verifyDkim } from '../helpers/dkim.js';
import { deliverTo, headerOf, type MailSetup, mailDelivery, parseMail, setupMail } from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';

let smtp: SmtpStand;
let setup: MailSetup;

beforeEach(async () => {
  smtp = await startSmtp();
  setup = setupMail(smtp.url, { weeks: async () => sampleWeeks() });
});

afterEach(async () => {
  await setup.sink.close?.();
  await smtp.close();
});

async function sent(delivery: Delivery = mailDelivery()) {
  await deliverTo(setup, delivery);
  return parseMail(smtp.mails.at(-1)!.raw);
}

describe('signing', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = secret(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);

  test('covers the list headers, including the one-click header', async () => {
    const signing = setupMail(smtp.url, {
      settings: {
        smtpUrl: secret(smtp.url),
        from: 'digest@crier.example.org',
        dkim: { domain: 'crier.example.org', selector: 'jc', key },
      },
    });
    await deliverTo(signing, mailDelivery());
    await signing.sink.close?.();
    const { raw } = smtp.mails[0]!;
    const verdict = verifyDkim(raw, publicKey);
    expect(verdict).toMatchObject({ valid: true, domain: 'crier.example.org', selector: 'jc' });
    for (const name of [
      'from',
      'to',
      'subject',
      'message-id',
      'list-id',
      'list-unsubscribe',
      'list-unsubscribe-post',
    ])
      expect(verdict.signed).toContain(name);
    const changed = Buffer.from(raw.toString('latin1').replace('One-Click', 'One-Blick'), 'latin1');
    expect(verifyDkim(changed, publicKey).valid).toBe(false);
    const body = Buffer.from(raw.toString('latin1').replace('Meridian', 'Meridiam'), 'latin1');
    expect(verifyDkim(body, publicKey).valid).toBe(false);
  });
});

describe('hostile fields', () => {
  test('add neither headers nor recipients nor markup', async () => {
    const posting = {
      ...samplePostings()[0]!,
      title: 'Engineer\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>',
      company: '"><img src=x onerror=alert(1)>{{ subject }}{% raw %}',
      location: '\u202egnp.exe',
    };
    const mail = await sent(
      mailDelivery({ every: 'immediate', postings: [posting], about: 'Rust\r\nBcc: victim@example.org' }),
    );
    expect(smtp.mails[0]?.to).toEqual(['reader@example.org']);
    expect(headerOf(mail, 'Bcc')).toBeUndefined();
    expect(mail.subject).toContain('Bcc: victim@example.org');
    expect(mail.html).not.toMatch(/<script|<img src=x/iu);
    expect(mail.html).toContain('{{ subject }}{% raw %}');
    expect(mail.html).not.toContain('\u202e');
  });

  test('shows a posting without a usable link without one', async () => {
    const posting = {
      key: 'id:1',
      title: 'Bad link',
      badLink: true as const,
      url: 'https://board.example/1',
      matched: [],
    };
    const mail = await sent(mailDelivery({ postings: [posting] }));
    expect(mail.html).toContain('Bad link');
    expect(mail.html).toContain('Apply link withheld');
    expect(`${mail.html}${mail.text}`).not.toContain('board.example');
  });
});

test.each(['en', 'de', 'es'])('in %s no text of another language appears', async (locale) => {
  const mail = await sent({
    ...mailDelivery(),
    ...sampleDelivery('weekly', locale),
    destination: mailDelivery().destination,
  });
  const word = { en: 'Unsubscribe', de: 'Abbestellen', es: 'Darse de baja' } as const;
  for (const [language, text] of Object.entries(word))
    expect(mail.html?.includes(text), `${language} in ${locale}`).toBe(language === locale);
  expect(mail.html).toContain(`<html lang="${locale}`);
});

test('a mail without public pages still says how to stop it', async () => {
  const bare = setupMail(smtp.url, { links: undefined });
  await deliverTo(bare, mailDelivery());
  await bare.sink.close?.();
  const mail = await parseMail(smtp.mails[0]!.raw);
  expect(headerOf(mail, 'List-Unsubscribe')).toBeUndefined();
  expect(headerOf(mail, 'List-Unsubscribe-Post')).toBeUndefined();
  expect(mail.text).toContain('just reply to this email');
});

test('logs no address and no token', async () => {
  await sent();
  smtp.script.rcpt.push({ code: 550, text: '5.1.1 <reader@example.org> unknown' });
  await expect(deliverTo(setup, mailDelivery())).rejects.toThrow();
  expect(setup.log.lines.join('\n')).not.toMatch(/reader|example\.org/u);
});
