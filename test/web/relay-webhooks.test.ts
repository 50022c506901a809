// The real posts of Postmark, Amazon SES by SNS and Mailgun, sent to the running service.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReaderHouse, type ReaderHouse } from '../helpers/reader-house.js';

const SECRET = 'bounce-secret';
let house: ReaderHouse;

beforeAll(async () => {
  house = await openReaderHouse({ env: { ADMIN_TOKEN: 'admin-token-of-this-test' } });
});

afterAll(() => house.close());

interface Answer {
  readonly status: number;
  readonly body: { readonly taken?: number; readonly error?: string };
}

async function post(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(house.at('/bounces'), {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Basic ${Buffer.from(`relay:${SECRET}`).toString('base64')}`,
      ...headers,
    },
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

let count = 0;
const fresh = () => `reader${++count}@example.org`;

/** The state of an address: untouched, counted, or suppressed for a reason. */
async function fate(address: string): Promise<string> {
  const { misc } = house.app.pipeline.stores;
  const found: string[] = [];
  const rows: string[] = [];
  for await (const [key] of misc.entries()) rows.push(key);
  const { suppression } = house.app.pipeline.sinks.get('email') as unknown as {
    suppression: {
      find(address: string): Promise<{ why: string } | undefined>;
      token(address: string): string;
    };
  };
  const suppressed = await suppression.find(address);
  if (suppressed) found.push(suppressed.why);
  if (rows.includes(`mail:soft:${suppression.token(address)}`)) found.push('counted');
  return found.join(' ') || 'nothing';
}

const TAKEN = { status: 200, body: { taken: 1 } };

describe('Postmark', () => {
  const bounce = (Email: string, Type: string, more: object = {}) => ({
    RecordType: 'Bounce',
    MessageStream: 'outbound',
    ID: 42,
    Type,
    TypeCode: 1,
    Name: 'Hard bounce',
    Tag: 'Test',
    MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
    ServerID: 23,
    Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
    Details: 'Test bounce details',
    Email,
    From: 'digest@crier.example.org',
    BouncedAt: '2026-11-05T16:33:54.9070259Z',
    DumpAvailable: true,
    Inactive: true,
    CanActivate: true,
    Subject: 'Test subject',
    Content: '',
    ...more,
  });

  test.each([
    ['HardBounce', 'status 5.1.1'],
    ['BadEmailAddress', 'status 5.1.3'],
    ['SpamComplaint', 'complaint'],
    ['SoftBounce', 'counted'],
    ['DnsError', 'counted'],
    ['Transient', 'nothing'],
    ['Blocked', 'nothing'],
  ])('%s: %s', async (type, expected) => {
    const address = fresh();
    expect(await post(bounce(address, type))).toEqual(TAKEN);
    expect(await fate(address)).toBe(expected);
  });

  test('suppresses nothing for a hard bounce that is about our reputation', async () => {
    const address = fresh();
    const Details = 'smtp;550 5.7.1 Service unavailable, Client host blocked';
    expect(await post(bounce(address, 'HardBounce', { Details }))).toEqual(TAKEN);
    expect(await fate(address)).toBe('nothing');
  });

  test('reads a complaint and a suppression as separate records', async () => {
    const [one, two] = [fresh(), fresh()];
    expect(await post(bounce(one, 'SpamComplaint', { RecordType: 'SpamComplaint', TypeCode: 512 }))).toEqual(
      TAKEN,
    );
    expect(await fate(one)).toBe('complaint');
    const change = {
      RecordType: 'SubscriptionChange',
      Recipient: two,
      SuppressSending: true,
      SuppressionReason: 'HardBounce',
    };
    expect(await post(change)).toEqual(TAKEN);
    expect(await fate(two)).toBe('status 5.2.1');
  });

  test.each([
    { RecordType: 'Delivery', Recipient: 'a@example.org' },
    { RecordType: 'Open', Recipient: 'a@example.org' },
    { RecordType: 'SubscriptionChange', Recipient: 'a@example.org', SuppressSending: false },
    { RecordType: 'Bounce', Type: 'AutoResponder', Email: 'a@example.org' },
    { RecordType: 'Bounce', Type: 'HardBounce', Email: 'no address' },
    { RecordType: 'Bounce', Type: 'constructor', Email: 'a@example.org' },
  ])('refuses a report that names no mailbox: %o', async (body) => {
    expect(await post(body)).toEqual({
      status: 422,
      body: { taken: 0, error: expect.stringMatching(/^(?:Postmark: |the report names no mail address)/u) },
    });
  });
});

describe('Amazon SES by SNS', () => {
  const notification = (message: unknown, more: object = {}) => ({
    Type: 'Notification',
    MessageId: 'da41e39f-ea4d-435a-b922-c6aae3915ebe',
    TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
    Subject: 'Amazon SES Email Event Notification',
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    Timestamp: '2026-04-25T21:49:25.719Z',
    SignatureVersion: '1',
    Signature: 'EXAMPLElDMXvB8r9R83tGoNn0ecwd5UjllzsvSvbItzfaMpN2nk5HVSw7XnOn',
    SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7.pem',
    UnsubscribeURL: 'https://sns.us-west-2.amazonaws.com/?Action=Unsubscribe',
    ...more,
  });
  const mail = {
    timestamp: '2026-01-27T14:59:38.237Z',
    source: 'digest@crier.example.org',
    messageId: '0000013786031775',
  };
  const bounce = (bounceType: string, bounceSubType: string, recipient: object) => ({
    notificationType: 'Bounce',
    bounce: {
      bounceType,
      bounceSubType,
      bouncedRecipients: [recipient],
      timestamp: mail.timestamp,
      feedbackId: 'x',
    },
    mail,
  });
  // SNS declares its JSON as plain text.
  const asSns = { 'Content-Type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' };

  test.each([
    [
      'Permanent',
      'General',
      { status: '5.1.1', action: 'failed', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
      'status 5.1.1',
    ],
    ['Permanent', 'NoEmail', {}, 'status 5.1.1'],
    ['Permanent', 'General', { status: '5.7.1' }, 'nothing'],
    ['Transient', 'MailboxFull', { status: '5.2.2' }, 'counted'],
    ['Transient', 'General', {}, 'counted'],
    ['Transient', 'MessageTooLarge', {}, 'nothing'],
    ['Undetermined', 'Undetermined', {}, 'counted'],
  ])('%s %s %o: %s', async (type, subtype, more, expected) => {
    const emailAddress = fresh();
    const body = notification(bounce(type, subtype, { emailAddress, ...more }));
    expect(await post(body, asSns)).toEqual(TAKEN);
    expect(await fate(emailAddress)).toBe(expected);
  });

  test('reads a complaint, as event and as notification, both without the envelope of SNS', async () => {
    for (const name of ['notificationType', 'eventType'])
      for (const wrap of [notification, (inner: unknown) => inner]) {
        const emailAddress = fresh();
        const body = {
          [name]: 'Complaint',
          complaint: { complainedRecipients: [{ emailAddress }], complaintFeedbackType: 'abuse' },
          mail,
        };
        expect(await post(wrap(body), asSns)).toEqual(TAKEN);
        expect(await fate(emailAddress)).toBe('complaint');
      }
  });

  test('refuses a delivery, a retracted complaint and a test message with a sentence', async () => {
    for (const inner of [
      { notificationType: 'Delivery', delivery: { recipients: ['a@example.org'] }, mail },
      {
        notificationType: 'Complaint',
        complaint: {
          complainedRecipients: [{ emailAddress: 'a@example.org' }],
          complaintFeedbackType: 'not-spam',
        },
        mail,
      },
      'Successfully validated SNS topic for Amazon SES event publishing.',
    ]) {
      const { status, body } = await post(notification(inner), asSns);
      expect({ status, error: body.error }).toEqual({
        status: 422,
        error: expect.stringMatching(/^Amazon S/u),
      });
    }
  });

  test('confirms a subscription only at Amazon, and visits no other address', async () => {
    const before = house.board.requests.length;
    for (const SubscribeURL of [
      `${house.board.url}/?Action=ConfirmSubscription`,
      'http://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription',
      'https://sns.us-west-2.amazonaws.com.example.org/?Action=ConfirmSubscription',
      'https://example.org/sns.us-west-2.amazonaws.com',
      'https://sns.us-west-2.amazonaws.com@example.org/',
      'https://sns.us-west-2.amazonaws.com:8443/',
      'https://user:pass@sns.us-west-2.amazonaws.com/',
      'https://s3.us-west-2.amazonaws.com/',
      'javascript:0',
      '',
    ]) {
      const { status, body } = await post(
        {
          Type: 'SubscriptionConfirmation',
          TopicArn: 'arn:aws:sns:us-west-2:1:MyTopic',
          Token: '2336412f37',
          SubscribeURL,
        },
        { ...asSns, 'x-amz-sns-message-type': 'SubscriptionConfirmation' },
      );
      expect(status).toBe(422);
      expect(body.error).toContain('not an address of Amazon SNS');
    }
    expect(
      house.board.requests.slice(before).filter((one) => JSON.stringify(one).includes('Confirm')),
    ).toEqual([]);
  });

  test('asks for the password in the way that SNS expects', async () => {
    const answer = await fetch(house.at('/bounces'), { method: 'POST', body: '{}', headers: asSns });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="bounces"');
  });
});

describe('Mailgun', () => {
  const signature = (timestamp = String(Math.floor(Date.now() / 1000)), key = SECRET) => {
    const token = createHmac('sha256', String(++count)).digest('hex').slice(0, 50);
    return {
      timestamp,
      token,
      signature: createHmac('sha256', key)
        .update(timestamp + token)
        .digest('hex'),
    };
  };
  const event = (recipient: string, more: object) => ({
    event: 'failed',
    severity: 'permanent',
    reason: 'bounce',
    'log-level': 'error',
    id: 'G9Bn5sl1TC6nu79C8C0bwg',
    timestamp: 1521233195.375624,
    recipient,
    'recipient-domain': 'example.org',
    envelope: { sender: 'digest@crier.example.org', transport: 'smtp', targets: recipient },
    message: {
      headers: { to: recipient, 'message-id': '20130503192659.13651.20287@crier.example.org' },
      size: 111,
    },
    'delivery-status': {
      'attempt-no': 1,
      code: 550,
      'enhanced-code': '5.1.1',
      message: '5.1.1 no such user',
      description: '',
      'bounce-type': 'hard',
    },
    ...more,
  });
  const send = (data: object, signed = signature()) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ signature: signed, 'event-data': data });
    return fetch(house.at('/bounces'), { method: 'POST', body, headers });
  };

  test.each<[string, object, string]>([
    ['a lasting failure', {}, 'status 5.1.1'],
    [
      'one that Mailgun remembers',
      {
        reason: 'suppress-bounce',
        'delivery-status': {
          code: 605,
          message: '',
          description: 'Not delivering to previously bounced address',
        },
      },
      'status 5.1.1',
    ],
    [
      'one without an enhanced code',
      { 'delivery-status': { code: 550, message: 'No such user' } },
      'status 5.1.1',
    ],
    ['a former complaint', { reason: 'suppress-complaint', 'delivery-status': { code: 607 } }, 'complaint'],
    ['a policy', { 'delivery-status': { code: 550, message: '5.7.1 blocked' } }, 'nothing'],
    ['a full mailbox', { 'delivery-status': { code: 552, message: 'full' } }, 'counted'],
    [
      'too long in the queue',
      { reason: 'old', 'delivery-status': { code: 602, message: 'too old' } },
      'counted',
    ],
    [
      'a passing failure, which Mailgun tries again',
      {
        severity: 'temporary',
        reason: 'generic',
        'delivery-status': { code: 451, message: '4.7.1 greylisted' },
      },
      'nothing',
    ],
    ['a complaint', { event: 'complained' }, 'complaint'],
  ])('%s, by its own signature: %o: %s', async (_name, more, expected) => {
    const address = fresh();
    const answer = await send(event(address, more));
    expect([answer.status, await answer.json()]).toEqual([200, { taken: 1 }]);
    expect(await fate(address)).toBe(expected);
  });

  test('refuses other events with a sentence', async () => {
    for (const name of ['delivered', 'opened', 'accepted', 'unsubscribed', 'nonsense']) {
      const answer = await send(event('a@example.org', { event: name }));
      expect([answer.status, await answer.json()]).toEqual([
        422,
        { taken: 0, error: expect.stringContaining(`Mailgun: "${name}" is not a failure`) },
      ]);
    }
  });

  test('refuses a signature that is old, wrong, or made for another body', async () => {
    const address = fresh();
    const hours = (n: number) => String(Math.floor(Date.now() / 1000) - n * 3600);
    for (const signed of [
      signature(hours(12)),
      signature(hours(-12)),
      signature(undefined, 'wrong'),
      { ...signature(), token: 'x' },
    ])
      expect((await send(event(address, {}), signed)).status).toBe(401);
    const good = signature();
    const data = event(fresh(), {});
    // Mailgun repeats a post when the answer was lost.
    for (let i = 0; i < 2; i++) expect((await send(data, good)).status).toBe(200);
    expect((await send(event(address, {}), good)).status).toBe(401);
    expect(await fate(address)).toBe('nothing');
  });
});

test.each([
  ['[]', 'application/json'],
  ['{}', 'application/json'],
  ['null', 'application/json'],
  ['{"recipient":"a@example.org"}', 'application/json'],
  ['[{"email":"a@example.org","event":"bounce"}]', 'application/json'],
  ['{ broken', 'application/json'],
  ['recipient=a%40example.org&event=bounced', 'application/x-www-form-urlencoded'],
  ['From: a\r\n\r\nhello', 'message/rfc822'],
  ['', 'text/plain'],
])('refuses %s as %s with a sentence that names what is wanted', async (body, type) => {
  expect(await post(body, { 'Content-Type': type })).toEqual({
    status: 422,
    body: { taken: 0, error: expect.stringMatching(/wanted \{ "recipient".*Mailgun/u) },
  });
});

test.each([
  ['JSON', (address: string) => JSON.stringify({ recipient: address, status: '2.0.0' })],
  [
    'a mail',
    (address: string) =>
      `Subject: report\n\nReporting-MTA: dns; x\n\nFinal-Recipient: rfc822; ${address}\nAction: failed\nStatus: 2.0.0\n`,
  ],
])('does not read a status of a delivered mail as a bounce: %s', async (_name, bodyOf) => {
  const address = fresh();
  expect((await post(bodyOf(address), { 'Content-Type': 'text/plain' })).status).toBe(422);
  expect(await fate(address)).toBe('nothing');
});

test('without the secret no body is read; with it, none that is too large', async () => {
  const send = (body: string, headers: Record<string, string>) =>
    fetch(house.at('/bounces'), { method: 'POST', body, headers: { Connection: 'close', ...headers } });
  expect((await send('x', { 'Content-Type': 'text/plain' })).status).toBe(401);
  expect((await send('x', { Authorization: 'Bearer x' })).status).toBe(401);
  expect((await send('x'.repeat(300_000), { Authorization: `Bearer ${SECRET}` })).status).toBe(413);
});

test("a domain whose receiver refuses several readers is shown on the operator's page", async () => {
  for (const name of ['one', 'two', 'three'])
    await post({ recipient: `${name}@held.example`, status: '5.7.26' });
  const page = await fetch(house.at('/admin'), {
    headers: { Authorization: 'Bearer admin-token-of-this-test' },
  });
  const html = await page.text();
  expect(html).toMatch(/On hold[\s\S]*email to held\.example[\s\S]*status 5\.7\.26/u);
  expect(house.log.lines.join('\n')).toMatch(/operator alert/u);
  expect(house.log.lines.join('\n')).not.toMatch(/@held\.example|@example\.org/u);
});
