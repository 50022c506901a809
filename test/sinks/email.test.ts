import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKeys, readLink } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import type { Delivery } from '../../src/ports/sink.js';
import { samplePostings, sampleWeeks } from '../../src/render/samples.js';
import { LOGO } from '../helpers/logo.js';
import {
  deliverTo,
  headerOf,
  type MailSetup,
  mailDelivery,
  PUBLIC_URL,
  parseMail,
  SECRETS,
  setupMail,
  testTemplates,
} from '../helpers/mail.js';
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

describe('a digest', () => {
  test('has one sender, one recipient, and a subject that begins with the best posting', async () => {
    const mail = await sent();
    expect(mail.from).toEqual({ name: 'Job crier', address: 'digest@crier.example.org' });
    expect(mail.to).toEqual([{ name: '', address: 'reader@example.org' }]);
    expect([mail.cc ?? [], mail.bcc ?? []]).toEqual([[], []]);
    expect(smtp.mails.at(-1)?.raw.toString('latin1')).toMatch(/^To: +<reader@example\.org>\r$/mu);
    expect(mail.subject).toBe('Senior Solidity Engineer at Meridian Labs, $140k–180k + tokens + 9 more');
  });

  test('offers unsubscribing by mail only where a mailbox is read', async () => {
    const { from, smtpUrl } = { from: 'Job crier <digest@crier.example.org>', smtpUrl: secret(smtp.url) };
    const listOf = async (more: object) => {
      const other = setupMail(smtp.url, { settings: { from, smtpUrl, ...more } });
      await deliverTo(other, mailDelivery());
      await other.sink.close?.();
      return headerOf(await parseMail(smtp.mails.at(-1)!.raw), 'List-Unsubscribe') ?? '';
    };
    const [, link, mailto] =
      /^<(https:[^>]+)>, <(mailto:[^>]+)>$/u.exec(await listOf({ bounceMaildir: '/nowhere' })) ?? [];
    const token = link!.slice(link!.lastIndexOf('/') + 1);
    expect(mailto).toBe(`mailto:digest@crier.example.org?subject=unsubscribe%20${token}`);
    const apart = await listOf({ bounceMaildir: '/nowhere', bounceAddress: 'back@crier.example.org' });
    expect(apart).toContain('<mailto:back@crier.example.org?');
    expect(await listOf({})).toBe(`<${link}>`);
  });

  test('names its list, how to leave it with one click, and that a program sent it', async () => {
    const mail = await sent();
    const list = headerOf(mail, 'List-Unsubscribe') ?? '';
    const [, link] = /^<(https:[^>]+)>$/u.exec(list) ?? [];
    expect(link?.startsWith(`${PUBLIC_URL}/unsubscribe/`)).toBe(true);
    // Opaque: the header reveals no address.
    expect(decodeURIComponent(list)).not.toContain('reader');
    expect(Buffer.from(link!.split('.').at(-1)!, 'base64url').toString('latin1')).not.toMatch(
      /reader|sample/u,
    );
    const token = link!.slice(link!.lastIndexOf('/') + 1);
    // The link never expires.
    const keys = deriveKeys(SECRETS, 'link');
    expect(readLink(keys, 'unsubscribe', token, Date.UTC(2099, 0, 1))).toMatchObject({
      account: 'sample',
      subscription: 'sample',
      destination: 'sample',
    });
    expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(headerOf(mail, 'List-Id')).toMatch(/^"[^"]+" <s[0-9a-f]{16}\.jobcrier\.crier\.example\.org>$/u);
    expect(headerOf(mail, 'List-Help')).toMatch(/^<https:/u);
    expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated');
    expect(headerOf(mail, 'X-Auto-Response-Suppress')).toBe('All');
    expect(headerOf(mail, 'Feedback-ID')).toBe('weekly:digest:mail:jobcrier');
  });

  test('forbids relays to rewrite links', async () => {
    const mail = await sent();
    expect(headerOf(mail, 'X-Mailgun-Track')).toBe('no');
    expect(headerOf(mail, 'X-PM-TrackLinks')).toBe('None');
    expect(JSON.parse(headerOf(mail, 'X-SMTPAPI') ?? '')).toMatchObject({
      filters: { clicktrack: { settings: { enable: 0 } } },
    });
  });

  test('has an envelope sender that identifies the recipient of a report and contains no address', async () => {
    await sent();
    const [mail] = smtp.mails;
    expect(mail?.from).toMatch(/^digest\+b[0-9a-f]{32}@crier\.example\.org$/u);
    expect(mail?.from).toContain(setup.sink.suppression.token('Reader@Example.org'));
    expect(mail?.to).toEqual(['reader@example.org']);
  });

  test('is text and HTML with every apply link byte for byte, on one line of the text', async () => {
    const mail = await sent();
    const lines = (mail.text ?? '').split(/\r?\n/u);
    const links = samplePostings().flatMap((posting) => posting.applyUrl ?? []);
    expect(links.length).toBe(8);
    for (const link of links) {
      expect(lines).toContain(link);
      expect(mail.html).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
    }
    expect(mail.text).toContain('Apply links carry attribution');
    expect(mail.html).not.toMatch(/rel=|<script|<link|<img[^>]+src="http|onerror/iu);
  });

  test('puts text before HTML and the picture only with the HTML, and names its source in both', async () => {
    const mail = await sent();
    const types = [
      ...smtp.mails
        .at(-1)!
        .raw.toString('latin1')
        .matchAll(/^Content-Type: ([\w/]+)/gmu),
    ];
    expect(types.map(([, type]) => type)).toEqual([
      ...['multipart/alternative', 'text/plain', 'multipart/related', 'text/html', 'image/png'],
    ]);
    expect(mail.text).toMatch(/^New postings, 16–22 Nov\r?\nvia Example Jobs$/mu);
    expect(mail.html).toMatch(/<p class="via"[^>]*>via Example Jobs<\/p>/u);
  });

  test('says in both parts how many more there are, with a link to them', async () => {
    const mail = await sent(mailDelivery({ more: 38 }));
    expect(mail.subject).toMatch(/ \+ 47 more$/u);
    const [, page] = /and 38 more: <a [^>]*href="([^"]+)"/u.exec(mail.html ?? '') ?? [];
    expect(page?.startsWith(`${PUBLIC_URL}/editions/`)).toBe(true);
    expect(mail.text?.replaceAll('\r', '')).toContain(
      `and 38 more: See all postings in your browser\n${page}\n`,
    );
  });

  test('shows the chart inline with a text alternative, and leaves it out without history', async () => {
    const mail = await sent();
    expect(mail.attachments).toHaveLength(1);
    const [picture] = mail.attachments;
    expect(picture).toMatchObject({
      mimeType: 'image/png',
      disposition: 'inline',
      contentId: '<weeks@jobcrier>',
    });
    expect(
      Buffer.from(picture!.content as ArrayBuffer)
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(mail.html).toMatch(/<img[^>]+src="cid:weeks@jobcrier"[^>]+alt="Postings per week: 9, 14/u);
    expect(mail.html).toContain('>10 this week, usually 14</p>');
    expect(mail.text).toMatch(/^10 this week, usually 14$/mu);
    const flat = async () => sampleWeeks().map((week) => ({ ...week, count: 4 }));
    const same = setupMail(smtp.url, { weeks: flat });
    await deliverTo(same, mailDelivery({ edition: 'flat' }));
    expect((await parseMail(smtp.mails.at(-1)!.raw)).attachments).toEqual([]);
    await same.sink.close?.();
    const bare = setupMail(smtp.url);
    await deliverTo(bare, mailDelivery({ edition: 'another' }));
    const without = await parseMail(smtp.mails.at(-1)!.raw);
    expect(without.attachments).toEqual([]);
    expect(without.html).not.toContain('<img');
    await bare.sink.close?.();
  });

  test('has the logo attached, beside the chart', async () => {
    const templates = testTemplates({ name: 'Rust Jobs', color: '#0f766e', logo: LOGO });
    const other = setupMail(smtp.url, { templates, weeks: async () => sampleWeeks() });
    await deliverTo(other, mailDelivery());
    const { attachments, html } = await parseMail(smtp.mails.at(-1)!.raw);
    expect(attachments.map(({ contentId }) => contentId)).toEqual(['<logo@jobcrier>', '<weeks@jobcrier>']);
    expect(Buffer.from(attachments[0]!.content as ArrayBuffer).toString('base64')).toBe(LOGO.png);
    expect(html).toContain('src="cid:logo@jobcrier"');
    await other.sink.close?.();
  });

  test('is smaller than the size that mailboxes cut off, with fifty postings', async () => {
    const [first] = samplePostings();
    const postings = Array.from({ length: 50 }, (_, n) => ({
      ...first!,
      key: `id:${n}`,
      company: `Company ${n}`,
      applyUrl: `https://jobs.example.org/r/${n}__partner?utm_source=board&utm_campaign=${'c'.repeat(40)}`,
    }));
    expect(setup.sink.pack!(postings, mailDelivery().destination)).toEqual([postings]);
    const mail = await sent(mailDelivery({ postings }));
    expect(mail.html?.match(/\/feedback\//gu)?.length).toBeGreaterThanOrEqual(50);
    expect(Buffer.byteLength(mail.html ?? '')).toBeLessThan(60_000);
  });

  test.each([
    ['ordinary', { company: 'Firm', location: 'Berlin, Germany' }],
    [
      'long and full of entities',
      { title: '<T&"'.repeat(50), company: "'C'".repeat(33), location: 'L'.repeat(120) },
    ],
    ['not in Latin letters', { title: 'Ü'.repeat(150), company: '日本語会社'.repeat(12) }],
    ['only a title and a description', { description: 'a & b '.repeat(90) }],
  ])('is split into mails below the limit when its postings are %s', async (_what, more) => {
    const { company: _company, location: _location, ...first } = samplePostings()[0]!;
    const postings = Array.from({ length: 60 }, (_, n) => ({
      ...first,
      ...more,
      key: `id:${n}`,
      applyUrl: `https://jobs.example.org/r/${n}__partner?utm_source=board&utm_campaign=${'c'.repeat(40)}`,
    }));
    const parts = setup.sink.pack!(postings, mailDelivery().destination);
    expect(parts.map(({ length }) => length).reduce((a, b) => a + b)).toBe(postings.length);
    for (const part of parts) {
      const mail = await sent(mailDelivery({ postings: postings.filter((one) => part.includes(one)) }));
      expect(Buffer.byteLength(mail.html ?? '')).toBeLessThan(60_000);
    }
  });

  test('is split into several mails when links are long, each below the limit, and none is lost', () => {
    const [first] = samplePostings();
    const applyUrl = `https://jobs.example.org/r/1?a=1&b=${'x'.repeat(1900)}`;
    const postings = Array.from({ length: 60 }, (_, n) => ({ ...first!, key: `id:${n}`, applyUrl }));
    const parts = setup.sink.pack!(postings, mailDelivery().destination);
    expect(parts.flat()).toEqual(postings);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(part.length * applyUrl.length).toBeLessThan(60_000);
  });
});

test.each(['weekly', 'immediate'] as const)(
  'a %s mail says in both parts why a posting has no link',
  async (every) => {
    const postings = samplePostings().filter(({ applyUrl }) => applyUrl === undefined);
    const mail = await sent(mailDelivery({ every, postings }));
    for (const body of [mail.html, mail.text]) {
      expect(body).toContain('Apply link withheld: it is not a usable web address.');
      expect(body).toContain('No apply link was given.');
    }
  },
);

test('text and HTML name the same postings in the same order', async () => {
  const mail = await sent();
  const hrefs = [...(mail.html ?? '').matchAll(/href="(https:\/\/jobs[^"]+)"/gu)].map(([, link]) => link);
  const lines = (mail.text ?? '').split(/\r?\n/u).filter((line) => line.startsWith('https://jobs'));
  expect(hrefs.map((link) => link!.replaceAll('&amp;', '&'))).toEqual(lines);
  expect(lines).toHaveLength(8);
  expect(mail.html).toContain('title="$140,000 - $180,000 plus tokens"');
  expect(mail.text).toContain('$140k–180k + tokens ($140,000 - $180,000 plus tokens)');
});

describe('the same delivery', () => {
  test('is the same mail again, with the same Message-ID and the same text', async () => {
    const first = await sent();
    setup.clock.advance(26 * 3_600_000);
    const second = await sent({ ...mailDelivery(), attempt: 2 });
    expect(first.messageId).toBe('<sampleedition0000001.0@crier.example.org>');
    expect(second.messageId).toBe(first.messageId);
    expect(second.html).toBe(first.html);
    expect(second.text).toBe(first.text);
  });

  test('has another id per part', async () => {
    const first = await sent(mailDelivery({ parts: 2 }));
    const second = await sent(mailDelivery({ parts: 2, part: 1 }));
    expect(second.messageId).not.toBe(first.messageId);
    expect(second.subject).toContain('(part 2 of 2)');
  });
});

describe('an immediate mail', () => {
  test('names the posting and joins the thread of its stream', async () => {
    const immediate = (edition: string) =>
      mailDelivery({ every: 'immediate', edition, postings: samplePostings().slice(0, 1) });
    const first = await sent(immediate('one'));
    const second = await sent(immediate('two'));
    expect(first.subject).toBe('Senior Solidity Engineer at Meridian Labs, $140k–180k + tokens');
    expect(first.messageId).not.toBe(second.messageId);
    expect(first.references).toMatch(/^<t[0-9a-f]{16}@crier\.example\.org>$/u);
    expect(second.references).toBe(first.references);
    expect(second.inReplyTo).toBe(first.inReplyTo);
    expect(headerOf(await sent(), 'References')).toBeUndefined();
  });
});
