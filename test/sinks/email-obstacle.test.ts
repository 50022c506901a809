// Why a reader would get no mail now, as it is found in the store alone.
import { beforeEach, expect, test } from 'vitest';
import type { Account } from '../../src/domain/account.js';
import { deriveKeys } from '../../src/domain/link-token.js';
import type { Addressee } from '../../src/ports/sink.js';
import { createConsent } from '../../src/sinks/email/consent.js';
import { createStoredPauses } from '../../src/sinks/email/health.js';
import { type FindObstacle, storedObstacle } from '../../src/sinks/email/obstacle.js';
import { createSuppression } from '../../src/sinks/email/suppression.js';
import { createUnsubscribes } from '../../src/sinks/email/unsubscribes.js';
import { keptLog, SECRETS } from '../helpers/mail.js';
import { type MemoryTable, memoryTable, type TestClock, testClock } from '../helpers/memory-table.js';

const TARGET = 'reader@example.org';
const MINUTE = 60_000;
const keys = deriveKeys(SECRETS, 'mail');
const log = keptLog();

let clock: TestClock;
let table: MemoryTable;
let account: Account | undefined;
let obstacle: FindObstacle;

beforeEach(() => {
  clock = testClock();
  table = memoryTable(clock);
  account = undefined;
  obstacle = storedObstacle({ table, keys, clock, log, accounts: { get: async () => account } });
});

function reader(more: Partial<Addressee['destination']> = {}): Addressee {
  return {
    account: 'discord:1',
    subscription: 'one',
    destination: {
      id: 'd1',
      sink: 'email',
      target: TARGET,
      cadence: { every: 'weekly', timezone: 'UTC' },
      ...more,
    },
  };
}
const agreed = reader({ consented: true });

test('nothing is in the way of a reader who agreed', async () => {
  expect(await obstacle(agreed)).toBeUndefined();
});

test('an address waits until its owner confirms it', async () => {
  const waits = { why: 'waiting for confirmation', fix: 'mailUnconfirmed' };
  expect(await obstacle(reader())).toEqual(waits);
  const email = { address: TARGET, confirmedAt: clock.now() };
  account = { id: 'discord:1', createdAt: clock.now(), email: { address: TARGET } };
  expect(await obstacle(reader())).toEqual(waits);
  account = { ...account, email: { ...email, address: 'other@example.org' } };
  expect(await obstacle(reader())).toEqual(waits);
  account = { ...account, email };
  expect(await obstacle(reader())).toBeUndefined();
});

test('a confirmation by link counts for the account that asked', async () => {
  let token = '';
  const consent = createConsent({
    table,
    keys,
    clock,
    log,
    blocked: async () => false,
    send: async (_request, sent) => {
      token = sent;
    },
    probe: async () => undefined,
  });
  await consent.request({ account: 'discord:1', address: TARGET, locale: 'en' });
  expect(await obstacle(reader())).toMatchObject({ fix: 'mailUnconfirmed' });
  await consent.confirm(token);
  expect(await obstacle(reader())).toBeUndefined();
  expect(await obstacle({ ...reader(), account: 'discord:2' })).toMatchObject({ fix: 'mailUnconfirmed' });
});

test('a reader who unsubscribed is told so, whatever else is in the way', async () => {
  const stream = { account: 'discord:1', subscription: 'one', destination: 'd1' };
  await createUnsubscribes(table, clock).stop(stream);
  await createStoredPauses({ table, keys, clock }).keep({ place: '', until: clock.now() + MINUTE, why: '' });
  expect(await obstacle(reader())).toEqual({ why: 'unsubscribed', fix: 'mailUnsubscribed' });
  expect(await obstacle({ ...agreed, subscription: 'two' })).toMatchObject({ fix: 'mailPaused' });
});

test('a pause of the domain holds mails back until it ends', async () => {
  const until = clock.now() + MINUTE;
  const pauses = createStoredPauses({ table, keys, clock });
  await pauses.keep({ place: 'other.example', until, why: 'refused' });
  expect(await obstacle(agreed)).toBeUndefined();
  await pauses.keep({ place: 'example.org', until, why: 'refused' });
  // Also of an address that is not confirmed.
  for (const one of [agreed, reader()])
    expect(await obstacle(one)).toEqual({ why: 'mail is paused', fix: 'mailPaused', until });
  clock.advance(MINUTE);
  expect(await obstacle(agreed)).toBeUndefined();
});

test('a suppressed address is named to its owner only', async () => {
  await createSuppression({ table, keys, clock }).add(TARGET, '5.1.1');
  expect(await obstacle(reader())).toMatchObject({ fix: 'mailUnconfirmed' });
  expect(await obstacle(agreed)).toEqual({ why: 'address is suppressed', fix: 'addressBounces' });
});
