// What a refusal of a mail server leads to: how long a mail waits, which address gets no more, and what the operator is told.
import { describe, expect, test } from 'vitest';
import { deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import { createFailures, forgetFailures } from '../../src/sinks/email/failures.js';
import { createStreamHealth } from '../../src/sinks/email/health.js';
import { MailError, readReply } from '../../src/sinks/email/smtp-replies.js';
import { createSuppression } from '../../src/sinks/email/suppression.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

const ANN = 'ann@d.example';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Reply = Parameters<typeof readReply>;
const BUSY: Reply = [421, undefined, 'other'];
const GREYLISTED: Reply = [450, '4.7.1', 'recipient'];
const FULL: Reply = [452, '4.2.2', 'recipient'];
const UNKNOWN: Reply = [550, '5.1.1', 'recipient'];
const DISTRUSTED: Reply = [550, '5.7.1', 'recipient'];
const LOGIN: Reply = [535, '5.7.8', 'login'];
const TOO_LARGE: Reply = [552, '5.3.4', 'data'];

function start() {
  const clock = testClock();
  const table = memoryTable(clock);
  const keys = deriveKeys([secret(Buffer.alloc(32, 1).toString('base64'))], 'mail');
  const suppression = createSuppression({ table, keys, clock });
  const health = createStreamHealth(clock);
  const alerts: string[] = [];
  const failures = createFailures({
    table,
    suppression,
    health,
    clock,
    onAlert: (text) => void alerts.push(text),
  });
  const refused = (reply: Reply, message = 'm1', address = ANN) =>
    failures.explain(new MailError(readReply(...reply)), address, message);
  return { clock, table, suppression, health, alerts, failures, refused };
}

test('a mail waits longer after each attempt, up to a day, and another mail waits by itself', async () => {
  const { refused, alerts } = start();
  const waits: unknown[] = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    const error = await refused(BUSY);
    expect(error).toMatchObject({ fault: 'outage', message: 'SMTP 421 to us' });
    waits.push((error.retryAfterMs ?? 0) / MINUTE);
  }
  expect(waits).toEqual([5, 15, 60, 240, 720, 1440, 1440, 1440]);
  expect(await refused(BUSY, 'm2')).toMatchObject({ retryAfterMs: 5 * MINUTE });
  expect(alerts).toEqual([]);
});

test('a mail that arrived waits as little as a new one when it fails again', async () => {
  const { table, failures, refused } = start();
  await refused(BUSY);
  await refused(BUSY);
  await failures.arrived(ANN, 'm1');
  expect(table.dump()).toBe('[]');
  expect(await refused(BUSY)).toMatchObject({ retryAfterMs: 5 * MINUTE });
});

test('waits are forgotten after four days', async () => {
  const { clock, refused } = start();
  await refused(BUSY);
  clock.advance(4 * 24 * HOUR - 1);
  expect(await refused(BUSY)).toMatchObject({ retryAfterMs: 15 * MINUTE });
  clock.advance(4 * 24 * HOUR);
  expect(await refused(BUSY)).toMatchObject({ retryAfterMs: 5 * MINUTE });
});

test('an error of the mail library is read too', async () => {
  const { failures } = start();
  const error = Object.assign(new Error('connect ECONNREFUSED mail.d.example'), { code: 'ESOCKET' });
  expect(await failures.explain(error, ANN, 'm1')).toMatchObject({
    fault: 'outage',
    message: 'SMTP ESOCKET failed',
    retryAfterMs: 5 * MINUTE,
  });
});

test('a refused message is a fault of its content, and nothing waits', async () => {
  const { table, refused, alerts } = start();
  expect(await refused(TOO_LARGE)).toMatchObject({
    fault: 'content',
    message: 'SMTP 552 5.3.4 to the message',
  });
  expect(table.dump()).toBe('[]');
  expect(alerts).toEqual([]);
});

describe('an address', () => {
  test('that does not exist gets no more mail', async () => {
    const { suppression, refused } = start();
    expect(await refused(UNKNOWN)).toMatchObject({
      fault: 'target',
      fix: 'addressBounces',
      message: 'address given up: SMTP 550 5.1.1 to the recipient',
    });
    expect(await suppression.find(ANN)).toMatchObject({ why: 'SMTP 550 5.1.1 to the recipient' });
  });

  test('whose mailbox is full for three mails gets no more', async () => {
    const { suppression, refused } = start();
    for (const message of ['m1', 'm1', 'm2'])
      expect(await refused(FULL, message)).toMatchObject({ fault: 'outage' });
    expect(await suppression.find(ANN)).toBeUndefined();
    expect(await refused(FULL, 'm3')).toMatchObject({ fault: 'target', fix: 'addressBounces' });
    expect(await suppression.find(ANN)).toBeDefined();
  });

  test('whose mailbox takes a mail in between keeps getting mails', async () => {
    const { suppression, failures, refused } = start();
    await refused(FULL, 'm1');
    await refused(FULL, 'm2');
    await failures.arrived(ANN, 'm2');
    expect(await refused(FULL, 'm3')).toMatchObject({ fault: 'outage' });
    expect(await suppression.find(ANN)).toBeUndefined();
  });

  test('that is away for other reasons keeps getting mails', async () => {
    const { suppression, refused } = start();
    for (const message of ['m1', 'm2', 'm3', 'm4']) await refused(BUSY, message);
    expect(await suppression.find(ANN)).toBeUndefined();
  });
});

test('"try later" means "no" after four hours', async () => {
  const { clock, refused, alerts } = start();
  expect(await refused(GREYLISTED)).toMatchObject({ fault: 'outage', retryAfterMs: 5 * MINUTE });
  clock.advance(4 * HOUR - 1);
  expect(await refused(GREYLISTED)).toMatchObject({ retryAfterMs: 15 * MINUTE });
  expect(alerts).toEqual([]);
  clock.advance(1);
  expect(await refused(GREYLISTED)).toMatchObject({
    fault: 'outage',
    retryAfterMs: HOUR,
    message: 'SMTP 450 4.7.1 to the recipient',
  });
  expect(alerts).toHaveLength(1);
  // Another reason to wait is no such answer.
  expect(await refused(BUSY)).toMatchObject({ retryAfterMs: 240 * MINUTE });
});

describe('a refusal that is our fault', () => {
  test('of the relay stops all mails, and the operator is told what to check', async () => {
    const { clock, health, suppression, refused, alerts } = start();
    expect(await refused(LOGIN)).toMatchObject({ fault: 'outage', retryAfterMs: HOUR });
    expect(alerts).toEqual([
      'The mail relay refuses us (SMTP 535 5.7.8 to us): check SMTP_URL; mails wait meanwhile.',
    ]);
    expect(health.pausedFor('any.example')).toEqual({
      place: '',
      until: clock.now() + HOUR,
      why: 'the mail relay refuses us (SMTP 535 5.7.8 to us)',
    });
    expect(await suppression.find(ANN)).toBeUndefined();
  });

  test('of a receiver delays that mail, and all mails to its domain after three readers', async () => {
    const { health, refused, alerts } = start();
    for (const reader of ['ann', 'bob', 'ann'])
      expect(await refused(DISTRUSTED, reader, `${reader}@d.example`)).toMatchObject({
        fault: 'outage',
        retryAfterMs: HOUR,
      });
    expect(health.pausedFor('d.example')).toBeUndefined();
    await refused(DISTRUSTED, 'cleo', 'cleo@d.example');
    expect(health.pausedFor('d.example')).toMatchObject({ why: 'SMTP 550 5.7.1 to the recipient' });
    expect(health.pausedFor('e.example')).toBeUndefined();
    expect(alerts).toEqual([
      ...Array(3).fill(
        "A receiver refused a mail (SMTP 550 5.7.1 to the recipient): check SPF, DKIM, DMARC and the sender's reputation; other mails are still sent.",
      ),
      "Mails to d.example wait for an hour, several readers' mails were refused (SMTP 550 5.7.1 to the recipient): check SPF, DKIM, DMARC and the sender's reputation.",
    ]);
  });
});

test('too many addresses that do not exist stop the run', async () => {
  const { health, failures, refused, alerts } = start();
  for (let n = 0; n < 18; n++) await failures.arrived(`r${n}@d.example`, `m${n}`);
  await refused(UNKNOWN, 'x1', 'x1@d.example');
  expect(alerts).toEqual([]);
  await refused(UNKNOWN, 'x2', 'x2@d.example');
  expect(alerts).toEqual([
    'Over 5 % of the mails of this run were refused for good: the run stopped for an hour; check the address list.',
  ]);
  expect(health.pausedFor('any.example')).toBeDefined();
});

test('the failures of an address can be forgotten, and its suppression stays', async () => {
  const { table, suppression, refused } = start();
  const hash = suppression.token(ANN);
  await refused(FULL, `confirm.${hash}`);
  await suppression.add(ANN, '550');
  await forgetFailures(table, hash);
  expect(await suppression.find(ANN)).toBeDefined();
  expect(JSON.parse(table.dump())).toHaveLength(1);
});
