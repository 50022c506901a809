// What a refusal of a mail server leads to: who waits, which address is suppressed, and when the operator is alerted.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import { storedObstacle } from '../../src/sinks/email/obstacle.js';
import { deliverTo, type MailSetup, mailDelivery, parseMail, SECRETS, setupMail } from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let smtp: SmtpStand;
let setup: MailSetup;

beforeEach(async () => {
  smtp = await startSmtp();
  setup = setupMail(smtp.url);
});

afterEach(async () => {
  await setup.sink.close?.();
  await smtp.close();
});

const to = (target: string, edition = 'edition1') => {
  const delivery = mailDelivery({ edition });
  return { ...delivery, destination: { ...delivery.destination, target } };
};

async function refused(delivery = mailDelivery()): Promise<DeliveryError> {
  const error = await deliverTo(setup, delivery).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  expect(`${(error as DeliveryError).message} ${(error as DeliveryError).forOwner}`).not.toMatch(
    /reader|example\.org/u,
  );
  return error as DeliveryError;
}

describe('an address that does not exist', () => {
  test('is suppressed immediately and not tried again', async () => {
    smtp.script.rcpt.push({ code: 550, text: '5.1.1 <reader@example.org> unknown' });
    expect((await refused()).fault).toBe('target');
    const connections = smtp.connections;
    const again = await refused();
    expect(again).toMatchObject({ fault: 'target', message: 'address is suppressed' });
    expect(smtp.connections).toBe(connections);
    // Recognized in any spelling, and not stored as an address.
    expect((await refused(to('READER@example.org'))).message).toBe('address is suppressed');
    expect(setup.table.dump()).not.toMatch(/reader/iu);
    expect(setup.alerts).toEqual([]);
  });
});

describe('a mailbox that is full', () => {
  const full = { code: 552, text: '5.2.2 mailbox full' };

  test('is suppressed after three editions within 14 days', async () => {
    for (const edition of ['one', 'two']) {
      smtp.script.rcpt.push(full);
      expect((await refused(to('reader@example.org', edition))).fault).toBe('outage');
    }
    smtp.script.rcpt.push(full);
    expect((await refused(to('reader@example.org', 'three'))).fault).toBe('target');
  });

  test('is not suppressed for one edition that is tried many times', async () => {
    for (let attempt = 0; attempt < 6; attempt++) {
      smtp.script.rcpt.push(full);
      expect((await refused()).fault).toBe('outage');
    }
  });

  test('starts counting again when a mail arrives, and after 14 days', async () => {
    for (const edition of ['one', 'two']) {
      smtp.script.rcpt.push(full);
      await refused(to('reader@example.org', edition));
    }
    await deliverTo(setup, to('reader@example.org', 'arrives'));
    smtp.script.rcpt.push(full);
    expect((await refused(to('reader@example.org', 'three'))).fault).toBe('outage');
    setup.clock.advance(15 * 24 * HOUR);
    for (const edition of ['four', 'five']) {
      smtp.script.rcpt.push(full);
      expect((await refused(to('reader@example.org', edition))).fault).toBe('outage');
    }
  });
});

describe('a server that is busy', () => {
  test.each([
    ['421', { code: 421, text: '4.3.2 closing' }],
    ['451 greylisting', { code: 451, text: '4.7.1 greylisted, try later' }],
    ['452', { code: 452, text: '4.3.1 no space' }],
  ])('%s: tried again after 5, 15, 60 minutes … 24 hours, and then delivered', async (_name, answer) => {
    const waits: (number | undefined)[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      smtp.script.rcpt.push(answer);
      const error = await refused();
      expect(error.fault).toBe('outage');
      waits.push(error.retryAfterMs);
      setup.clock.advance(error.retryAfterMs ?? 0);
    }
    expect(waits).toEqual([5 * MINUTE, 15 * MINUTE, 60 * MINUTE]);
    await deliverTo(setup, mailDelivery());
    expect(smtp.mails).toHaveLength(1);
    expect(setup.alerts).toEqual([]);
    expect(setup.table.dump()).not.toContain('suppressed');
  });

  test('waits up to a day, and remembers the wait over a restart', async () => {
    let last = 0;
    for (let attempt = 0; attempt < 8; attempt++) {
      smtp.script.rcpt.push({ code: 451, text: '4.3.0 busy' });
      const { sink } = setupMail(smtp.url, { table: setup.table, clock: setup.clock });
      const error = await deliverTo({ ...setup, sink }, mailDelivery()).catch(
        (thrown: DeliveryError) => thrown,
      );
      last = (error as DeliveryError).retryAfterMs ?? 0;
      await sink.close?.();
    }
    expect(last).toBe(24 * HOUR);
  });

  test('alerts the operator after four hours of greylisting, and suppresses no address', async () => {
    const grey = { code: 451, text: '4.7.1 policy' };
    smtp.script.rcpt.push(grey);
    await refused();
    setup.clock.advance(4 * HOUR);
    smtp.script.rcpt.push(grey);
    expect(await refused()).toMatchObject({ fault: 'outage', retryAfterMs: HOUR });
    expect(setup.alerts).toHaveLength(1);
    expect(setup.alerts[0]).toMatch(/SPF, DKIM, DMARC/u);
    expect(setup.table.dump()).not.toContain('suppressed');
  });

  test('a relay that does not answer is an outage', async () => {
    await smtp.close();
    expect(await refused()).toMatchObject({ fault: 'outage', retryAfterMs: 5 * MINUTE });
    smtp = await startSmtp();
  });
});

describe('a connection that drops after the final dot', () => {
  test('is tried again under the same Message-ID, so that the reader sees one mail', async () => {
    smtp.script.data.push('drop');
    expect((await refused()).fault).toBe('outage');
    await deliverTo(setup, { ...mailDelivery(), attempt: 2 });
    const ids = await Promise.all(smtp.mails.map(async ({ raw }) => (await parseMail(raw)).messageId));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('a refusal that is our fault', () => {
  test('a failed login pauses all mail, alerts the operator and suppresses no address', async () => {
    const locked = await startSmtp({ login: true });
    const strict = setupMail(locked.url);
    locked.script.auth.push({ code: 535, text: '5.7.8 bad credentials' });
    const attempt = (delivery = mailDelivery()) =>
      deliverTo(strict, delivery).catch((thrown: DeliveryError) => thrown);
    expect(await attempt()).toMatchObject({ fault: 'outage', retryAfterMs: HOUR });
    expect(strict.alerts[0]).toMatch(/SMTP_URL/u);
    expect(strict.alerts.join()).not.toContain('secret');
    const connections = locked.connections;
    strict.clock.advance(10 * MINUTE);
    expect(await attempt(to('other@elsewhere.example'))).toMatchObject({
      fault: 'outage',
      retryAfterMs: 50 * MINUTE,
    });
    expect(locked.connections).toBe(connections);
    strict.clock.advance(51 * MINUTE);
    await deliverTo(strict, mailDelivery());
    expect(locked.mails).toHaveLength(1);
    expect(strict.table.dump()).not.toContain('suppressed');
    await strict.sink.close?.();
    await locked.close();
  });

  /** Enough readers of one domain to conclude that the domain refuses our mail. */
  async function refusedByDomain(): Promise<void> {
    for (const name of ['one', 'two', 'three']) {
      smtp.script.data.push({ code: 550, text: '5.7.1 message rejected by policy' });
      const sent = deliverTo(setup, to(`${name}@example.org`));
      await expect(sent).rejects.toMatchObject({ fault: 'outage', retryAfterMs: HOUR });
    }
  }

  test('a policy refusal of several readers pauses only that domain', async () => {
    await refusedByDomain();
    expect((await refused()).message).toBe('mail is paused');
    await deliverTo(setup, to('other@elsewhere.example'));
    expect(smtp.mails).toHaveLength(1);
    expect(setup.table.dump()).not.toContain('suppressed');
  });

  test('another process sees that a domain is paused, until the pause is over or the service starts again', async () => {
    const { table, clock, accounts, log } = setup;
    const elsewhere = storedObstacle({
      ...{ table, clock, log, keys: deriveKeys(SECRETS, 'mail') },
      accounts: { get: async (id: string) => accounts.get(id) },
    });
    const obstacleFor = (target: string) => elsewhere(to(target));
    await refusedByDomain();
    const until = clock.now() + HOUR;
    await vi.waitFor(async () =>
      expect(await obstacleFor('weekly@example.org')).toMatchObject({ fix: 'mailPaused', until }),
    );
    expect(await obstacleFor('other@elsewhere.example')).toBeUndefined();
    expect(table.dump()).not.toContain('example.org');
    clock.advance(HOUR);
    expect(await obstacleFor('weekly@example.org')).toBeUndefined();
    await refusedByDomain();
    await vi.waitFor(async () => expect(await obstacleFor('weekly@example.org')).toBeDefined());
    const worker = setupMail(smtp.url, { table, clock }).sink;
    await worker.start?.('worker');
    await worker.close?.();
    expect(await obstacleFor('weekly@example.org')).toBeDefined();
    const next = setupMail(smtp.url, { table, clock }).sink;
    await next.start?.();
    await next.close?.();
    expect(await obstacleFor('weekly@example.org')).toBeUndefined();
  });

  test('a pause ends when the clock is set back, and does not last until the old time comes again', async () => {
    await refusedByDomain();
    setup.clock.advance(-30 * 24 * HOUR);
    await deliverTo(setup, mailDelivery());
    expect(smtp.mails).toHaveLength(1);
  });

  test('a relay without TLS pauses all mail if TLS is required', async () => {
    const plain = await startSmtp();
    const strict = setupMail(plain.url, {
      settings: { smtpUrl: secret(`${plain.url}?requireTLS=true`), from: 'digest@crier.example.org' },
    });
    const error = await deliverTo(strict, mailDelivery()).catch((thrown: DeliveryError) => thrown);
    expect(error).toMatchObject({ fault: 'outage', retryAfterMs: HOUR });
    expect(strict.alerts).toHaveLength(1);
    await strict.sink.close?.();
    await plain.close();
  });
});

test('counts an attempt for a message that is refused for its content', async () => {
  smtp.script.data.push({ code: 552, text: '5.3.4 too large' });
  expect(await refused()).toMatchObject({ fault: 'content' });
});

test('pauses mail and alerts the operator when over 5 % of the addresses are refused for good', async () => {
  for (let n = 0; n < 18; n++) await deliverTo(setup, to(`good${n}@example.org`, `good${n}`));
  for (const name of ['bad1', 'bad2']) {
    smtp.script.rcpt.push({ code: 550, text: '5.1.1 unknown' });
    await refused(to(`${name}@example.net`, name));
  }
  expect(setup.alerts.at(-1)).toMatch(/5 %/u);
  expect(await refused(to('next@example.com', 'next'))).toMatchObject({
    fault: 'outage',
    message: 'mail is paused',
  });
  setup.clock.advance(HOUR + 1);
  await deliverTo(setup, to('next@example.com', 'next'));
});
