// Delivery reports and complaints that arrive as mails: whom they are about, and what they say.
import { describe, expect, test } from 'vitest';
import {
  LARGEST_REPORT,
  person,
  readReport,
  reportToken,
  unsubscribeToken,
} from '../../src/sinks/email/reports.js';

const TOKEN = '0123456789abcdef'.repeat(2);
const OTHER = 'fedcba9876543210'.repeat(2);
const ANN = 'ann@example.org';
const address = (token = TOKEN) => `bounce+b${token}@crier.example.org`;

/** A report as mail servers send it: header, text for people, and a block for each recipient. */
function report(blocks: readonly string[], { head = '', text = '', end = '\n' } = {}): string {
  const lines = [
    'From: MAILER-DAEMON@mx.example.org',
    ...(head ? [head] : []),
    'Content-Type: multipart/report; report-type=delivery-status; boundary=x',
    '',
    '--x',
    'Content-Type: text/plain',
    '',
    text || 'The mail could not be delivered.',
    '',
    '--x',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.org',
    '',
    ...blocks.flatMap((block) => [...block.split('\n'), '']),
    '--x--',
  ];
  return lines.join(end);
}

const block = (status = '5.1.1', action = 'failed', recipient = `rfc822; ${ANN}`, more = '') =>
  `Final-Recipient: ${recipient}\nAction: ${action}\nStatus: ${status}${more ? `\n${more}` : ''}`;

describe('the reader whose mail came back', () => {
  test.each(['Delivered-To', 'X-Original-To', 'To', 'X-Envelope-To'])('is in %s', (name) => {
    expect(reportToken(`${name}: ${address()}\n\nhello`)).toBe(TOKEN);
    expect(reportToken(`Subject: x\r\n${name.toUpperCase()}: <${address()}>\r\n\r\nhello`)).toBe(TOKEN);
  });

  test('is the one that the server names first, and only in the header', () => {
    expect(reportToken(`To: ${address(OTHER)}\nDelivered-To: ${address()}\n\n`)).toBe(TOKEN);
    expect(reportToken(`Delivered-To: someone@example.org\nTo: ${address()}\n\n`)).toBe(TOKEN);
    expect(reportToken(`Subject: x\n\nTo: ${address()}\n`)).toBeUndefined();
    expect(reportToken(`Subject: To: ${address()}\n\n`)).toBeUndefined();
    expect(reportToken(`To: ${address(OTHER)}\nTo: ${address()}\n\n`)).toBe(OTHER);
    expect(reportToken('')).toBeUndefined();
  });

  test('may be in a folded field, and in a mail without a body', () => {
    expect(reportToken(`To:\n  ${address()}`)).toBe(TOKEN);
    expect(reportToken(`  folded nothing\nTo:\n\t${address()}\n\n`)).toBe(TOKEN);
  });

  test('is an address where there is no token', () => {
    expect(person(TOKEN, ANN)).toEqual({ token: TOKEN });
    expect(person(undefined, ANN)).toEqual({ address: ANN });
    expect(person(undefined, 'no address')).toBeUndefined();
    expect(person(undefined, undefined)).toBeUndefined();
  });
});

test.each([
  ['unsubscribe a1.b2', 'a1.b2'],
  ['Unsubscribe+a1_x.b-2', 'a1_x.b-2'],
  ['unsubscribe a1', undefined],
  ['unsubscribe', undefined],
  ['Re: unsubscribe a1.b2', undefined],
  ['unsubscribe a1.b2 now', undefined],
  ['please unsubscribe a1.b2', undefined],
])('a mail with the subject %j asks to unsubscribe by %s', (subject, token) => {
  expect(unsubscribeToken(`To: x@example.org\nSubject: ${subject}\n\nunsubscribe c3.d4`)).toBe(token);
});

test('a mail without a subject asks for nothing', () => {
  expect(unsubscribeToken('To: x@example.org\n\nSubject: unsubscribe a1.b2')).toBeUndefined();
});

describe('a delivery report', () => {
  test.each(['\n', '\r\n'])('names its recipient, with lines that end with %j', (end) => {
    expect(readReport(report([block()], { end }))).toEqual([{ who: { address: ANN }, status: '5.1.1' }]);
  });

  test('is about the token of its address, and then only once', () => {
    const head = `To: ${address()}`;
    expect(readReport(report([block(), block('5.2.2')], { head }))).toEqual([
      { who: { token: TOKEN }, status: '5.1.1' },
    ]);
    // A failure counts more than a delay.
    expect(readReport(report([block('4.4.1', 'delayed'), block('5.2.2')], { head }))).toEqual([
      { who: { token: TOKEN }, status: '5.2.2' },
    ]);
    expect(readReport(report([block('4.4.1', 'delayed')], { head }))).toEqual([
      { who: { token: TOKEN }, status: '4.4.1', delayed: true },
    ]);
  });

  test('without a token is about each recipient', () => {
    const both = [block(), block('4.2.2', 'Failed', 'rfc822;bob@example.org')];
    expect(readReport(report(both))).toEqual([
      { who: { address: ANN }, status: '5.1.1' },
      { who: { address: 'bob@example.org' }, status: '4.2.2' },
    ]);
    const original = block(
      '5.1.1',
      'failed',
      'rfc822; alias@example.org',
      `Original-Recipient: rfc822;\t${ANN}`,
    );
    expect(readReport(report([original]))).toEqual([{ who: { address: ANN }, status: '5.1.1' }]);
  });

  test.each([
    ['2.1.5', 'failed'],
    ['5.1.1', 'delivered'],
    ['5.1.1', 'relayed'],
    ['5.1.1', 'expanded'],
    ['5.1.1', 'not failed'],
    ['odd', 'failed'],
    ['x5.1.1', 'failed'],
    ['', 'failed'],
    ['5.1.1', ''],
  ])('with the status %j and the action %j is about no failure', (status, action) => {
    expect(readReport(report([block(status, action)]))).toEqual([]);
  });

  test('without a valid recipient is about no one', () => {
    expect(readReport(report([block('5.1.1', 'failed', 'x400; odd')]))).toEqual([]);
    expect(readReport(report(['Action: failed\nStatus: 5.1.1']))).toEqual([]);
  });

  test('has a status with words after it, and the id of the mail it quotes', () => {
    const quoted = 'Message-ID: <e1.0@crier.example.org>\nSubject: x';
    expect(readReport(report([block('5.10.123 (no such user)'), quoted]))).toEqual([
      { who: { address: ANN }, status: '5.10.123', message: '<e1.0@crier.example.org>' },
    ]);
  });

  describe('with a status that says little', () => {
    test.each([
      ['Diagnostic-Code: smtp; 550 5.7.1 blocked', '', '5.7.1'],
      ['Diagnostic-Code: smtp;\n 550-5.1.1 no such user', '', '5.1.1'],
      ['Diagnostic-Code: smtp; 450 4.2.2 full', '', '5.0.0'],
      ['Diagnostic-Code: smtp; no code', `<${ANN}>: host said: 550 5.2.1 disabled`, '5.2.1'],
      ['', `<${ANN}>: host said: 550 5.2.1 disabled`, '5.2.1'],
      ['', '<bob@example.org>: host said: 550 5.2.1 disabled', '5.0.0'],
      ['', `${'x'.repeat(1_001)} ${ANN} 550 5.2.1 disabled`, '5.0.0'],
      ['', '', '5.0.0'],
    ])('%j and the text %j mean %s', (code, text, status) => {
      const found = readReport(report([block('5.0.0', 'failed', `rfc822; ${ANN}`, code)], { text }));
      expect(found).toEqual([{ who: { address: ANN }, status }]);
    });

    test('a precise one is not replaced', () => {
      const one = block('5.1.1', 'failed', `rfc822; ${ANN}`, 'Diagnostic-Code: smtp; 550 5.7.1 blocked');
      expect(readReport(report([one]))).toMatchObject([{ status: '5.1.1' }]);
    });

    test('only the first 50 answers in the text are read', () => {
      const text = (count: number) =>
        [...Array<string>(count).fill('550 5.1.2 to another'), `${ANN} 550 5.2.1 disabled`].join('\n');
      const of = (count: number) => readReport(report([block('5.0.0')], { text: text(count) }));
      expect(of(49)).toMatchObject([{ status: '5.2.1' }]);
      expect(of(50)).toMatchObject([{ status: '5.0.0' }]);
    });
  });

  test('has at most 50 recipients that are read, and 256 KB', () => {
    expect(readReport(report(Array(60).fill(block())))).toHaveLength(50);
    const whole = report([block()]);
    expect(readReport(`${whole}${' '.repeat(LARGEST_REPORT - whole.length)}`)).toHaveLength(1);
    expect(readReport(`${whole}${' '.repeat(LARGEST_REPORT - whole.length + 1)}`)).toEqual([]);
  });
});

describe('a complaint', () => {
  const complaint = (kind: string, recipient = `Original-Rcpt-To: <${ANN}>`) =>
    report([`Feedback-Type: ${kind}\nVersion: 1\n${recipient}`, 'Message-ID: <e1.0@crier.example.org>']);

  test('is about an address, or about the token of the report', () => {
    expect(readReport(complaint('abuse'))).toEqual([
      { who: { address: ANN }, complaint: true, message: '<e1.0@crier.example.org>' },
    ]);
    const head = `To: ${address()}`;
    expect(readReport(report(['Feedback-Type: Abuse'], { head }))).toEqual([
      { who: { token: TOKEN }, complaint: true },
    ]);
  });

  test('of another kind, or about no one, is none', () => {
    for (const kind of ['not-spam', 'no abuse', 'abusers']) expect(readReport(complaint(kind))).toEqual([]);
    expect(readReport(complaint('abuse', 'X: y'))).toEqual([]);
  });
});

test.each(['', 'hello', '\n\n\n', 'Subject: x\n\nStatus 5.1.1 failed'])('%j is no report', (mail) => {
  expect(readReport(mail)).toEqual([]);
});
