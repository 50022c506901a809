// The table of replies of a mail server, row by row (RFC 3463 and replies seen in practice).
import { describe, expect, test } from 'vitest';
import {
  aboutRecipient,
  MailError,
  readFailure,
  readReply,
  readStatus,
} from '../../src/sinks/email/smtp-replies.js';

describe('the table', () => {
  test.each([
    [550, '5.1.1', 'recipient', 'address'],
    [550, '5.1.10', 'data', 'address'],
    [550, '5.2.1', 'recipient', 'address'],
    [550, undefined, 'recipient', 'address'],
    [551, undefined, 'recipient', 'address'],
    [553, undefined, 'recipient', 'address'],
    [550, '5.1.1', 'other', 'ours'],
    [550, '5.1.8', 'recipient', 'ours'],
    [450, '4.1.8', 'recipient', 'ours'],
    [552, '5.2.2', 'recipient', 'mailbox'],
    [552, undefined, 'recipient', 'mailbox'],
    [550, '5.4.1', 'recipient', 'mailbox'],
    [450, '4.2.1', 'recipient', 'mailbox'],
    [452, '4.2.2', 'data', 'mailbox'],
    [451, '4.7.1', 'recipient', 'greylisted'],
    [450, undefined, 'recipient', 'greylisted'],
    [421, '4.7.0', 'recipient', 'busy'],
    [421, undefined, 'other', 'busy'],
    [451, '4.3.0', 'data', 'busy'],
    [450, '4.4.2', 'recipient', 'busy'],
    [454, '4.7.0', 'login', 'busy'],
    [535, '5.7.8', 'login', 'ours'],
    [530, undefined, 'login', 'ours'],
    [550, '5.7.1', 'recipient', 'ours'],
    [550, '5.7.26', 'data', 'ours'],
    [554, undefined, 'data', 'ours'],
    [554, undefined, 'other', 'ours'],
    [550, '5.7.1', 'other', 'ours'],
    [552, '5.3.4', 'data', 'content'],
    [552, undefined, 'data', 'content'],
    [554, '5.6.0', 'data', 'content'],
  ] as const)('%i %s to the %s is %s', (code, enhanced, stage, kind) => {
    expect(readReply(code, enhanced, stage).kind).toBe(kind);
  });

  test.each([
    ['5.1.1', 'address'],
    ['5.2.1', 'address'],
    ['5.2.2', 'mailbox'],
    ['5.0.0', 'mailbox'],
    ['4.4.7', 'mailbox'],
    ['4.7.1', 'mailbox'],
    ['5.7.1', 'ours'],
  ] as const)('a report of %s is %s', (status, kind) => {
    expect(readStatus(status).kind).toBe(kind);
  });

  test('treats an error without a reply as an outage, and one of the login or of TLS as our fault', () => {
    expect(readFailure({ code: 'ECONNECTION' }).kind).toBe('busy');
    expect(readFailure({ code: 'ETIMEDOUT', command: 'DATA' }).kind).toBe('busy');
    expect(readFailure({ code: 'EDNS' }).kind).toBe('busy');
    expect(readFailure({ code: 'ETLS' })).toMatchObject({ kind: 'ours', login: true });
    expect(readFailure({ code: 'EAUTH', responseCode: 535, response: '535 5.7.8 no' })).toMatchObject({
      kind: 'ours',
      login: true,
    });
  });

  test.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
  ])('treats a certificate or TLS that does not fit (%s) as our fault, and names it', (originalCode) => {
    const answer = readFailure({ code: 'ESOCKET', originalCode, command: 'CONN' });
    expect(answer).toMatchObject({ kind: 'ours', login: true });
    expect(answer.summary).toContain(originalCode);
  });

  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPROTO'])(
    'treats a connection that fails otherwise (%s) as busy',
    (originalCode) => {
      expect(readFailure({ code: 'ESOCKET', originalCode, command: 'CONN' }).kind).toBe('busy');
    },
  );
});

describe('what is said of an answer', () => {
  test.each([
    [
      550,
      '5.1.1',
      'recipient',
      { permanent: true, login: false, summary: 'SMTP 550 5.1.1 to the recipient' },
    ],
    [499, undefined, 'data', { permanent: false, login: false, summary: 'SMTP 499 to the message' }],
    [500, undefined, 'other', { permanent: true, login: true, summary: 'SMTP 500 to us' }],
    [535, '5.7.8', 'login', { permanent: true, login: true, summary: 'SMTP 535 5.7.8 to us' }],
    [454, '4.7.0', 'login', { permanent: false, login: false, summary: 'SMTP 454 4.7.0 to us' }],
    [
      550,
      '5.7.1',
      'recipient',
      { permanent: true, login: false, summary: 'SMTP 550 5.7.1 to the recipient' },
    ],
    [554, undefined, 'data', { permanent: true, login: false, summary: 'SMTP 554 to the message' }],
  ] as const)('%i %s to the %s', (code, enhanced, stage, said) => {
    expect(readReply(code, enhanced, stage)).toMatchObject(said);
  });

  test('is its status in a report, which is final', () => {
    expect(readStatus('5.7.1')).toMatchObject({ permanent: true, summary: 'status 5.7.1' });
    expect(readStatus('4.4.1')).toMatchObject({ kind: 'mailbox', permanent: false, summary: 'status 4.4.1' });
    // The first digit counts, not the last one.
    expect(readStatus('5.1.4')).toMatchObject({ permanent: true });
  });

  test('says whether it is about the mailbox, and not about the relay or us', () => {
    const about = (...of: Parameters<typeof readReply>) => aboutRecipient(readReply(...of));
    expect(about(550, '5.1.1', 'recipient')).toBe(true);
    expect(about(452, '4.2.2', 'recipient')).toBe(true);
    expect(about(450, '4.7.1', 'recipient')).toBe(true);
    expect(about(550, '5.7.1', 'recipient')).toBe(false);
    expect(about(421, undefined, 'recipient')).toBe(false);
    expect(about(552, '5.3.4', 'data')).toBe(false);
  });
});

describe('an error of the mail library', () => {
  test.each([
    ['RCPT TO', 550, '550 5.1.1 no such user', 'SMTP 550 5.1.1 to the recipient'],
    ['rcpt to', 550, '550-5.1.1 no such user', 'SMTP 550 5.1.1 to the recipient'],
    ['DATA', 554, '554 5.6.0 no', 'SMTP 554 5.6.0 to the message'],
    ['BDAT', 554, '554 no', 'SMTP 554 to the message'],
    ['MAIL FROM', 550, '550 5.10.123 no', 'SMTP 550 5.10.123 to us'],
    ['X RCPT', 550, '550 no', 'SMTP 550 to us'],
    ['X DATA', 550, '550 no', 'SMTP 550 to us'],
    ['', 400, '', 'SMTP 400 to us'],
    ['RCPT TO', 550, 'x 550 5.1.1 no', 'SMTP 550 to the recipient'],
    ['RCPT TO', 550, '550 5.1.1x no', 'SMTP 550 to the recipient'],
  ])('to %j with %i and %j', (command, responseCode, response, summary) => {
    expect(readFailure({ command, responseCode, response }).summary).toBe(summary);
  });

  test('at the login is about the login, whether it names the command or a code', () => {
    for (const how of [
      { command: 'AUTH PLAIN' },
      { command: 'auth login' },
      { code: 'EAUTH', command: 'API' },
    ])
      expect(readFailure({ ...how, responseCode: 535, response: '535 5.7.8 no' })).toMatchObject({
        kind: 'ours',
        login: true,
        summary: 'SMTP 535 5.7.8 to us',
      });
    // Refused for good, whatever the rest of the answer means elsewhere.
    expect(readFailure({ command: 'AUTH PLAIN', responseCode: 535, response: '535 5.2.1 no' }).kind).toBe(
      'ours',
    );
    expect(readFailure({ command: 'X AUTH', responseCode: 450, response: '450 4.2.1 no' }).kind).toBe('busy');
  });

  test.each([
    ['EAUTH', 'ours', true],
    ['ENOAUTH', 'ours', true],
    ['EOAUTH2', 'ours', true],
    ['ETLS', 'ours', true],
    ['EREQUIRETLS', 'ours', true],
    ['ECONFIG', 'ours', true],
    ['EMESSAGE', 'content', false],
    ['EENVELOPE', 'content', false],
    ['ESOCKET', 'busy', false],
    [undefined, 'busy', false],
  ])('%s without an answer is %s', (code, kind, login) => {
    expect(readFailure({ code, responseCode: 0 })).toEqual({
      kind,
      permanent: false,
      login,
      summary: `SMTP ${code ?? 'connection'} failed`,
    });
  });

  test('about TLS names why', () => {
    expect(readFailure({ originalCode: 'CERT_HAS_EXPIRED' })).toEqual({
      kind: 'ours',
      permanent: false,
      login: true,
      summary: 'SMTP TLS failed (CERT_HAS_EXPIRED)',
    });
  });

  test('becomes one without the words of the server, which quote the address', () => {
    const error = new MailError(readReply(550, '5.1.1', 'recipient'));
    expect(error).toMatchObject({ name: 'MailError', message: 'SMTP 550 5.1.1 to the recipient' });
    expect(error.answer.kind).toBe('address');
  });
});
