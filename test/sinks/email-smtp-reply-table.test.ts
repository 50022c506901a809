// The table of replies of a mail server, row by row (RFC 3463 and replies seen in practice).
import { describe, expect, test } from 'vitest';
import { readFailure, readReply, readStatus } from '../../src/sinks/email/smtp-replies.js';

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
