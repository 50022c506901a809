// The headers of mails: the list they belong to, how to leave it, and that relays leave the links alone.
import { describe, expect, test } from 'vitest';
import {
  baseHeaders,
  type ListInfo,
  listHeaders,
  type MailMessage,
  threadHeaders,
  toEml,
} from '../../src/sinks/email/message.js';
import { headerOf, parseMail } from '../helpers/mail.js';

const info: ListInfo = {
  subscription: 'rust',
  destination: 'd1',
  about: 'Rust, remote',
  from: 'Job crier <Digest@Crier.example.org>',
};
const UNSUBSCRIBE = 'https://crier.example.org/unsubscribe/a1.b2';

describe('the headers of a list', () => {
  test('name it by its filter and an id that stays the same', () => {
    const id = listHeaders(info)['List-Id'];
    expect(id).toMatch(/^"Rust, remote" <s[0-9a-f]{16}\.jobcrier\.crier\.example\.org>$/u);
    expect(listHeaders({ ...info })['List-Id']).toBe(id);
    const others = [
      { subscription: 'go' },
      { destination: 'd2' },
      { subscription: 'rus', destination: 'td1' },
    ];
    for (const other of others) expect(listHeaders({ ...info, ...other })['List-Id']).not.toBe(id);
  });

  test.each([
    ['', undefined],
    ['日本 „“', undefined],
    ['Büro; "C++" <$90k-100k> a_b.', 'Bro C++ $90k-100k a_b.'],
    ['x'.repeat(70), 'x'.repeat(60)],
  ])('name the filter %j as %j', (about, phrase) => {
    const id = listHeaders({ ...info, about })['List-Id'];
    expect(/^(?:"([^"]*)" )?<s/u.exec(id ?? '')?.[1]).toBe(phrase);
  });

  test('without a page have only an address to ask', () => {
    expect(listHeaders(info)).toEqual({
      'List-Id': expect.any(String),
      'List-Help': '<mailto:Digest@crier.example.org?subject=help>',
    });
  });

  test('with a page have it for a person and for one click, and a mail where mails are read', () => {
    expect(listHeaders({ ...info, unsubscribe: UNSUBSCRIBE, help: 'https://crier.example.org/p/1' })).toEqual(
      {
        'List-Id': expect.any(String),
        'List-Unsubscribe': `<${UNSUBSCRIBE}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'List-Help': '<https://crier.example.org/p/1>',
      },
    );
    const mailbox = 'bounce@crier.example.org';
    expect(listHeaders({ ...info, unsubscribe: UNSUBSCRIBE, mailbox })['List-Unsubscribe']).toBe(
      `<${UNSUBSCRIBE}>, <mailto:${mailbox}?subject=unsubscribe%20a1.b2>`,
    );
    expect(listHeaders({ ...info, mailbox })).not.toHaveProperty('List-Unsubscribe');
  });
});

test('the mails of a stream are one thread, which belongs to no other stream', () => {
  const headers = threadHeaders(info);
  expect(headers.References).toMatch(/^<t[0-9a-f]{16}@crier\.example\.org>$/u);
  expect(headers['In-Reply-To']).toBe(headers.References);
  expect(threadHeaders({ ...info, destination: 'd2' }).References).not.toBe(headers.References);
});

test('every mail says that a program sent it, and that no relay may track or change its links', () => {
  expect(baseHeaders('weekly:digest:mail')).toEqual({
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
    'Feedback-ID': 'weekly:digest:mail:jobcrier',
    'X-Mailgun-Track': 'no',
    'X-PM-TrackLinks': 'None',
    'X-PM-TrackOpens': 'false',
    'X-Mailjet-TrackClick': '0',
    'X-Mailjet-TrackOpen': '0',
    'X-SMTPAPI': '{"filters":{"clicktrack":{"settings":{"enable":0}},"opentrack":{"settings":{"enable":0}}}}',
    'X-MSYS-API': '{"options":{"open_tracking":false,"click_tracking":false}}',
  });
});

describe('a mail as a file', () => {
  const message: MailMessage = {
    from: 'Job crier <digest@crier.example.org>',
    to: 'ann@example.org',
    subject: 'Zürich: 3 new',
    html: '<p>Hi <img src="cid:weeks@jobcrier" alt=""></p>',
    text: 'Hi, Zürich',
    messageId: '<e1.0@crier.example.org>',
    headers: { ...baseHeaders('x'), ...listHeaders({ ...info, unsubscribe: UNSUBSCRIBE }) },
    attachments: [
      { cid: 'weeks@jobcrier', filename: 'weeks.png', content: Buffer.from('png'), contentType: 'image/png' },
    ],
  };

  test('has its parts, and its picture is inline', async () => {
    const mail = await parseMail(await toEml(message));
    expect(mail).toMatchObject({
      from: { name: 'Job crier', address: 'digest@crier.example.org' },
      to: [{ address: 'ann@example.org' }],
      subject: 'Zürich: 3 new',
      messageId: '<e1.0@crier.example.org>',
      text: expect.stringContaining('Hi, Zürich'),
      html: expect.stringContaining('cid:weeks@jobcrier'),
      attachments: [{ contentId: '<weeks@jobcrier>', disposition: 'inline', mimeType: 'image/png' }],
    });
  });

  test('has headers with quotes as they were written, and lines that end with CRLF', async () => {
    const eml = await toEml(message);
    const text = eml.toString('latin1');
    expect(text).not.toMatch(/[^\r]\n/u);
    expect(text).toMatch(/^To: +<ann@example\.org>\r$/mu);
    expect(text).toMatch(/^List-ID: "Rust, remote" <s/mu);
    const mail = await parseMail(eml);
    expect(headerOf(mail, 'X-SMTPAPI')?.replace(/\s/gu, '')).toBe(message.headers['X-SMTPAPI']);
    expect(text).toContain('Content-Transfer-Encoding: quoted-printable');
    expect(text).toContain('Z=C3=BCrich');
  });

  test('reads no file and no address that a part names', async () => {
    for (const path of [import.meta.filename, 'http://127.0.0.1:9/'])
      await expect(
        toEml({
          ...message,
          attachments: [{ ...message.attachments[0], content: undefined, path } as never],
        }),
      ).rejects.toThrow(/access rejected/u);
  });
});
