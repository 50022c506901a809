// What each relay posts about a mail that came back, and what it means for the address.
import { describe, expect, test } from 'vitest';
import { readRelay } from '../../src/sinks/email/relay-reports.js';

const ANN = 'ann@example.org';
const TOKEN = '0123456789abcdef'.repeat(2);

const read = (body: object, type = 'application/json') => readRelay(JSON.stringify(body), type);
/** What a body says about the address; `refused` as a text. */
function told(body: object): unknown {
  const answer = read(body);
  if ('refused' in answer) return answer.refused;
  if (!('reports' in answer)) return answer;
  return answer.reports.map(({ who, ...rest }) => {
    expect(who).toEqual({ address: ANN });
    return rest;
  });
}

describe('Postmark', () => {
  const bounce = (Type: string, Details = '') => ({
    RecordType: 'Bounce',
    Type,
    TypeCode: 1,
    Email: ANN,
    Details,
  });

  test.each([
    ['HardBounce', '', { status: '5.1.1' }],
    ['HardBounce', 'smtp;550 5.1.2 no such host', { status: '5.1.1' }],
    ['HardBounce', 'smtp;550 5.7.1 blocked', { status: '5.7.1' }],
    ['HardBounce', 'smtp;550 5.6.0 bad mail', { status: '5.6.0' }],
    ['HardBounce', 'smtp;552 5.2.2 full', { status: '5.2.2' }],
    ['HardBounce', 'smtp;552 5.2.3 too long', { status: '5.2.3' }],
    ['HardBounce', 'smtp;552 5.3.4 too large', { status: '5.3.4' }],
    ['HardBounce', 'smtp;550 5.1.8 bad sender', { status: '5.1.8' }],
    ['HardBounce', 'smtp;450 4.2.2 full', { status: '5.1.1' }],
    ['BadEmailAddress', '', { status: '5.1.3' }],
    ['ManuallyDeactivated', '', { status: '5.2.1' }],
    ['SpamComplaint', '', { complaint: true }],
    ['SoftBounce', '', { status: '5.2.2' }],
    ['SoftBounce', 'smtp;452 4.2.2 full', { status: '4.2.2' }],
    ['SoftBounce', 'smtp;550 5.7.1 no', { status: '5.7.1' }],
    ['SoftBounce', 'smtp;550 5.2.3 no', { status: '5.2.3' }],
    ['SoftBounce', 'smtp;550 5.3.4 no', { status: '5.3.4' }],
    ['SoftBounce', 'smtp;550 5.1.1 no', { status: '5.2.2' }],
    ['DnsError', '', { status: '4.4.3' }],
    ['Transient', '', { status: '4.0.0', delayed: true }],
    ['Transient', 'smtp;451 4.3.0 later', { status: '4.3.0', delayed: true }],
    ['Blocked', '', { status: '5.7.1' }],
    ['SpamNotification', '', { status: '5.7.1' }],
    ['DMARCPolicy', '', { status: '5.7.26' }],
  ])('%s %s', (type, details, means) => {
    expect(told(bounce(type, details))).toEqual([means]);
  });

  test('has the id of the mail, and two forms', () => {
    expect(told({ ...bounce('HardBounce'), MessageID: 'm1' })).toEqual([{ status: '5.1.1', message: 'm1' }]);
    expect(told({ RecordType: 'SpamComplaint', Type: 'Other', Email: ANN })).toEqual([{ complaint: true }]);
    expect(told({ TypeCode: 1, Type: 'HardBounce', Email: ANN })).toEqual([{ status: '5.1.1' }]);
  });

  test.each([
    [
      bounce('Subscribe'),
      'Postmark: "Subscribe" is not a bounce; send only bounces and spam complaints to this address.',
    ],
    [
      bounce('constructor'),
      'Postmark: "constructor" is not a bounce; send only bounces and spam complaints to this address.',
    ],
    [
      { RecordType: 'Delivery', Email: ANN },
      'Postmark: "Delivery" is not a bounce; send only bounces and spam complaints to this address.',
    ],
    [
      { RecordType: 'Open', Type: 'HardBounce', Email: ANN },
      'Postmark: "Open" is not a bounce; send only bounces and spam complaints to this address.',
    ],
    [
      { RecordType: 7, Email: ANN },
      'Postmark: this is not a bounce; send only bounces and spam complaints to this address.',
    ],
    [{ ...bounce('HardBounce'), Email: 'nothing' }, 'the report names no mail address.'],
  ])('%o is refused', (body, refused) => {
    expect(told(body)).toBe(refused);
  });

  test('tells which address it suppresses, and which it allows again', () => {
    const change = { RecordType: 'SubscriptionChange', Recipient: ANN, MessageID: 'm1' };
    expect(told({ ...change, SuppressSending: true, SuppressionReason: 'HardBounce' })).toEqual([
      { status: '5.2.1', message: 'm1' },
    ]);
    expect(told({ ...change, SuppressSending: true, SuppressionReason: 'SpamComplaint' })).toEqual([
      { complaint: true, message: 'm1' },
    ]);
    expect(told({ ...change, SuppressSending: false })).toBe(
      'Postmark: this address is allowed again; to allow it here too, run `jobcrier mail allow`.',
    );
  });
});

describe('Amazon SES', () => {
  const mail = { messageId: 'm1' };
  const bounce = (bounceType: string, bounceSubType: string, recipient: object = {}) => ({
    notificationType: 'Bounce',
    mail,
    bounce: { bounceType, bounceSubType, bouncedRecipients: [{ emailAddress: ANN, ...recipient }] },
  });

  test.each([
    ['Permanent', 'General', {}, '5.1.1'],
    ['Permanent', 'General', { status: '5.7.1' }, '5.7.1'],
    ['Permanent', 'General', { status: 'odd', diagnosticCode: 'smtp; 550 5.6.0 no' }, '5.6.0'],
    ['Permanent', 'MessageTooLarge', {}, '5.1.1'],
    ['Transient', 'General', {}, '5.2.2'],
    ['Transient', 'MailboxFull', { status: '4.2.2' }, '4.2.2'],
    ['Transient', 'MessageTooLarge', { status: '4.2.2' }, '5.3.4'],
    ['Transient', 'ContentRejected', {}, '5.6.0'],
    ['Transient', 'AttachmentRejected', {}, '5.6.0'],
    ['Undetermined', 'Undetermined', { status: '2.0.0' }, '5.2.2'],
  ])('%s %s %o', (type, subtype, recipient, means) => {
    expect(told(bounce(type, subtype, recipient))).toEqual([{ status: means, message: 'm1' }]);
  });

  test('names its kind in one of two ways, and each of its recipients', () => {
    const { notificationType: eventType, ...rest } = bounce('Permanent', 'General');
    expect(told({ eventType, ...rest })).toEqual([{ status: '5.1.1', message: 'm1' }]);
    const two = {
      bounceType: 'Permanent',
      bouncedRecipients: [{ emailAddress: ANN }, 'odd', { emailAddress: ANN }],
    };
    expect(told({ eventType: 'Bounce', mail, bounce: two })).toHaveLength(2);
  });

  test('tells complaints and delays', () => {
    const complained = { complainedRecipients: [{ emailAddress: ANN }] };
    expect(told({ notificationType: 'Complaint', mail, complaint: complained })).toEqual([
      { complaint: true, message: 'm1' },
    ]);
    const notSpam = { ...complained, complaintFeedbackType: 'not-spam' };
    expect(told({ notificationType: 'Complaint', mail, complaint: notSpam })).toBe(
      'Amazon SES: "not-spam" is not a complaint; no action is needed.',
    );
    const delayed = (status?: string) => ({
      eventType: 'DeliveryDelay',
      mail,
      deliveryDelay: { delayedRecipients: [{ emailAddress: ANN, status }] },
    });
    expect(told(delayed('4.4.1'))).toEqual([{ status: '4.4.1', delayed: true, message: 'm1' }]);
    expect(told(delayed())).toEqual([{ status: '4.0.0', delayed: true, message: 'm1' }]);
  });

  test.each([
    [
      { eventType: 'Delivery', mail },
      'Amazon SES: "Delivery" is not a bounce; send only bounces and spam complaints to this address.',
    ],
    [{ eventType: 'Bounce', mail, bounce: {} }, 'the report names no mail address.'],
    [{ eventType: 'Complaint' }, 'the report names no mail address.'],
    [{ eventType: 'DeliveryDelay' }, 'the report names no mail address.'],
  ])('%o is refused', (body, refused) => {
    expect(told(body)).toBe(refused);
  });

  test('comes inside a message of Amazon SNS', () => {
    const sns = (message: unknown) => ({
      Type: 'Notification',
      TopicArn: 'arn',
      Message: JSON.stringify(message),
    });
    expect(told(sns(bounce('Permanent', 'General')))).toEqual([{ status: '5.1.1', message: 'm1' }]);
    expect(read(sns(bounce('Permanent', 'General')), 'text/plain')).toHaveProperty('reports');
    for (const other of [{ hello: 1 }, null, 'text', [1]])
      expect(told(sns(other))).toBe('Amazon SNS: the message is not a notification of SES.');
    expect(told({ Type: 'Notification', TopicArn: 'arn' })).toBe(
      'Amazon SNS: the message is not a notification of SES.',
    );
    expect(told({ Type: 'UnsubscribeConfirmation', TopicArn: 'arn' })).toBe(
      'Amazon SNS: "UnsubscribeConfirmation" is not needed here.',
    );
  });

  const confirmation = (SubscribeURL: unknown) => ({
    Type: 'SubscriptionConfirmation',
    TopicArn: 'arn',
    SubscribeURL,
  });

  test.each([
    'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=1',
    'https://sns.us-gov-west-1.amazonaws.com/?Token=1',
    'https://sns.cn-north-1.amazonaws.com.cn/?Token=1',
  ])('asks to visit %s', (address) => {
    expect(read(confirmation(address))).toEqual({ confirm: new URL(address) });
  });

  test.each([
    undefined,
    '',
    'not an address',
    'http://sns.eu-west-1.amazonaws.com/',
    'https://sns.eu-west-1.amazonaws.com:8443/',
    'https://me@sns.eu-west-1.amazonaws.com/',
    'https://:pw@sns.eu-west-1.amazonaws.com/',
    'https://sns.eu-west-1.amazonaws.com.evil.example/',
    'https://evil-sns.eu-west-1.amazonaws.com/',
    'https://x.sns.eu-west-1.amazonaws.com/',
    'https://sns.eu-west-1.amazonaws.org/',
    'https://sqs.eu-west-1.amazonaws.com/',
  ])('never visits %s', (address) => {
    expect(told(confirmation(address))).toBe(
      'Amazon SNS: SubscribeURL is not an address of Amazon SNS, so it is not visited.',
    );
  });
});

describe('Mailgun', () => {
  const event = (fields: object) => ({ 'event-data': { event: 'failed', recipient: ANN, ...fields } });
  const failed = (delivery: object, more: object = {}) =>
    event({ 'delivery-status': delivery, severity: 'permanent', ...more });

  test.each([
    [failed({ code: 550 }), { status: '5.1.1' }],
    [failed({ code: 550, 'enhanced-code': '5.7.1' }), { status: '5.7.1' }],
    [failed({ code: 550, 'enhanced-code': '', message: '550 5.6.0 bad' }), { status: '5.6.0' }],
    [failed({ code: 550, description: 'answered 5.7.26 to it' }), { status: '5.7.26' }],
    [failed({ code: 552 }), { status: '5.2.2' }],
    [failed({ code: 554 }), { status: '5.2.2' }],
    [failed({ code: 602 }), { status: '5.2.2' }],
    [failed({ code: 552, 'enhanced-code': '5.1.1' }), { status: '5.1.1' }],
    [failed({ code: 550, 'bounce-type': 'soft' }), { status: '5.2.2' }],
    [failed({ code: 550 }, { reason: 'old' }), { status: '5.2.2' }],
    [failed({ code: 605 }, { reason: 'suppress-bounce' }), { status: '5.1.1' }],
    [failed({ code: 607 }), { complaint: true }],
    [failed({ code: 550 }, { reason: 'suppress-complaint' }), { complaint: true }],
    [
      failed({ code: 451, 'enhanced-code': '4.2.2' }, { severity: 'temporary' }),
      { status: '4.2.2', delayed: true },
    ],
    [
      failed({ code: 550, 'enhanced-code': '5.1.1' }, { severity: 'temporary' }),
      { status: '4.0.0', delayed: true },
    ],
    [failed({}, { severity: 'temporary' }), { status: '4.0.0', delayed: true }],
    [event({ event: 'complained' }), { complaint: true }],
  ])('%j', (body, means) => {
    expect(told(body)).toEqual([means]);
  });

  test('leaves the brackets of the id of a mail out', () => {
    const message = (id: string) => ({ message: { headers: { 'message-id': id } } });
    for (const id of ['m1@example.org', '<m1@example.org>'])
      expect(told(failed({ code: 550 }, message(id)))).toEqual([
        { status: '5.1.1', message: '<m1@example.org>' },
      ]);
    expect(told(event({ event: 'complained', ...message('m1') }))).toEqual([
      { complaint: true, message: '<m1>' },
    ]);
  });

  test.each([
    [
      event({ event: 'opened' }),
      'Mailgun: "opened" is not a failure; send only bounces and spam complaints to this address.',
    ],
    [
      { 'event-data': 'text' },
      'Mailgun: this is not a failure; send only bounces and spam complaints to this address.',
    ],
    [event({ recipient: '' }), 'the report names no mail address.'],
    [event({ event: 'complained', recipient: 7 }), 'the report names no mail address.'],
  ])('%j is refused', (body, refused) => {
    expect(told(body)).toBe(refused);
  });
});

const PLAIN =
  'wanted { "recipient" or "returnPath", "status" or "complaint": true }, a webhook of Postmark, Amazon SES or Mailgun, or a delivery report as a mail.';

describe('the plain form', () => {
  test.each([
    [
      { recipient: ANN, status: '5.1.1' },
      { who: { address: ANN }, status: '5.1.1' },
    ],
    [
      { recipient: ANN, status: '4.2.2', messageId: 'm1' },
      { who: { address: ANN }, status: '4.2.2', message: 'm1' },
    ],
    [
      { recipient: ANN, complaint: true, status: '5.1.1' },
      { who: { address: ANN }, complaint: true },
    ],
    [
      { token: TOKEN, status: '5.1.1' },
      { who: { token: TOKEN }, status: '5.1.1' },
    ],
    [
      { returnPath: `bounce+b${TOKEN}@example.org`, status: '5.1.1' },
      { who: { token: TOKEN }, status: '5.1.1' },
    ],
    [
      { token: `${TOKEN}0`, recipient: ANN, status: '5.1.1' },
      { who: { address: ANN }, status: '5.1.1' },
    ],
    [
      { token: `x${TOKEN}`, recipient: ANN, status: '5.1.1' },
      { who: { address: ANN }, status: '5.1.1' },
    ],
  ])('%j', (body, report) => {
    expect(read(body)).toEqual({ reports: [report] });
  });

  test.each([
    {},
    { recipient: ANN },
    { recipient: ANN, status: '2.0.0' },
    { recipient: ANN, status: 'x5.1.1' },
    { recipient: ANN, status: '5.1.1x' },
    { recipient: ANN, status: '5.1.1234' },
    { recipient: ANN, complaint: 'true' },
    { status: '5.1.1' },
    { recipient: 'ann', status: '5.1.1' },
    7,
    null,
  ])('%j is refused with what is wanted', (body) => {
    expect(readRelay(JSON.stringify(body), 'application/json')).toEqual({
      refused: `no bounce in it: ${PLAIN}`,
    });
  });
});

describe('a body', () => {
  test('may be a list; what is no bounce in it is left out', () => {
    const one = { recipient: ANN, status: '5.1.1' };
    expect(read([one, { eventType: 'Open' }, one])).toEqual({
      reports: Array(2).fill({ who: { address: ANN }, status: '5.1.1' }),
    });
    expect(told([{ eventType: 'Open' }, {}])).toMatch(/^Amazon SES: "Open"/u);
    expect(told([])).toBe(`an empty list: ${PLAIN}`);
  });

  test('that is no JSON is refused, whatever it is called', () => {
    expect(readRelay('{"a":', 'text/plain')).toEqual({ refused: `not JSON: ${PLAIN}` });
    expect(readRelay(' [', 'text/plain')).toEqual({ refused: `not JSON: ${PLAIN}` });
    expect(readRelay('a=1', 'application/json')).toEqual({ refused: `not JSON: ${PLAIN}` });
    expect(readRelay('a=1', 'application/x-www-form-urlencoded')).toEqual({
      refused: `forms are not supported: ${PLAIN}`,
    });
    expect(readRelay('hello', 'text/plain')).toEqual({
      refused: `no delivery report or complaint in it: ${PLAIN}`,
    });
  });

  test('may be a delivery report', () => {
    const report = `To: bounce+b${TOKEN}@example.org\n\nFinal-Recipient: rfc822; ${ANN}\nAction: failed\nStatus: 5.1.1\n`;
    expect(readRelay(report, 'message/rfc822')).toEqual({
      reports: [{ who: { token: TOKEN }, status: '5.1.1' }],
    });
  });

  test('is quoted with plain signs only, and shortly', () => {
    expect(told({ eventType: `<b>${'x'.repeat(90)}"` })).toBe(
      `Amazon SES: "b${'x'.repeat(39)}" is not a bounce; send only bounces and spam complaints to this address.`,
    );
  });
});
