// How the mail sink starts and closes: whose pauses end, who reads the mailbox of reports, and what is still sent.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import type { SinkPause } from '../../src/ports/sink.js';
import { createStoredPauses, type StoredPauses } from '../../src/sinks/email/health.js';
import type { EmailSink } from '../../src/sinks/email/sink.js';
import { later } from '../helpers/later.js';
import { deliverTo, type MailSetup, mailDelivery, SECRETS, setupMail } from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

const HOUR = 3_600_000;

let smtp: SmtpStand;
let setup: MailSetup;
let sink: EmailSink;

beforeEach(async () => {
  smtp = await startSmtp();
  setup = setupMail(smtp.url);
  sink = setup.sink;
});

afterEach(async () => {
  await sink.close?.();
  await smtp.close();
});

describe('a stored pause', () => {
  let stored: StoredPauses;
  let other: SinkPause;

  beforeEach(() => {
    const { table, clock } = setup;
    stored = createStoredPauses({ table, clock, keys: deriveKeys(SECRETS, 'mail') });
    other = { place: 'elsewhere.example', until: clock.now() + HOUR, why: 'refused' };
  });

  const isKept = async () => (await stored.find('elsewhere.example')) !== undefined;

  /** Makes the sink pause all mails. */
  async function pauseAll() {
    smtp.script.mail.push({ code: 550, text: '5.7.1 not from you' });
    await expect(deliverTo(setup, mailDelivery())).rejects.toMatchObject({ fault: 'outage' });
    await until(async () => (await stored.find('example.org')) !== undefined, { what: 'the stored pause' });
  }

  test.each([
    ['the only process of an operator starts', undefined, false],
    ['a process with all roles starts', 'all', false],
    ['a worker starts beside others', 'worker', true],
    ['the process that controls others starts', 'control', true],
  ] as const)('when %s', async (_, role, stays) => {
    await stored.keep(other);
    await sink.start?.(role);
    await sink.close?.();
    expect(await isKept()).toBe(stays);
  });

  test.each([
    ['of the only process ends with it', 'all', false],
    ['of a process beside others stays until it is over', 'worker', true],
    ['of a command stays until it is over', 'command', true],
  ] as const)('%s', async (_, role, stays) => {
    if (role !== 'command') await sink.start?.(role);
    await pauseAll();
    await sink.close?.();
    expect((await stored.find('example.org')) !== undefined).toBe(stays);
  });

  test('of another process stays when a process without pauses ends', async () => {
    await sink.start?.('all');
    await deliverTo(setup, mailDelivery());
    await stored.keep(other);
    await sink.close?.();
    expect(await isKept()).toBe(true);
  });

  test('that can not be stored is in the log, and mails wait in this process', async () => {
    setup.table.set = async () => {
      throw new Error('no room left');
    };
    smtp.script.mail.push({ code: 550, text: '5.7.1 not from you' });
    await expect(deliverTo(setup, mailDelivery())).rejects.toMatchObject({ fault: 'outage' });
    await expect(deliverTo(setup, mailDelivery())).rejects.toMatchObject({ message: 'mail is paused' });
    await until(() => setup.log.lines.length > 0, { what: 'a line in the log' });
    expect(setup.log.lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'warn', reason: 'no room left', message: 'pause of mails not stored' },
    ]);
  });
});

describe('the mailbox of reports', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jobcrier-maildir-'));
    later(() => rm(folder, { recursive: true, force: true }));
    for (const name of ['new', 'cur', 'tmp']) await mkdir(join(folder, name));
    await writeFile(join(folder, 'new', '1'), 'Subject: unsubscribe abc.def\r\n\r\n');
  });

  function watching() {
    const settings = {
      smtpUrl: secret(smtp.url),
      from: 'digest@crier.example.org',
      bounceMaildir: folder,
    };
    const made = setupMail(smtp.url, { settings });
    later(() => made.sink.close?.());
    return made;
  }

  test('is read by the process that controls the others, and not by workers', async () => {
    const [worker, control] = [watching(), watching()];
    await worker.sink.start?.('worker');
    await control.sink.start?.('control');
    await until(async () => (await readdir(join(folder, 'new'))).length === 0, { what: 'the mail' });
    await worker.sink.close?.();
    await control.sink.close?.();
    expect([worker.unsubscribed, control.unsubscribed]).toEqual([[], ['abc.def']]);
  });
});

describe('a new subscription', () => {
  const begin = (of: EmailSink) => {
    const { account, subscription, destination } = mailDelivery();
    const { consented: _, ...unconfirmed } = destination;
    of.begin?.({ account, subscription, destination: unconfirmed, tags: [], locale: 'en' });
  };

  test('asks the reader to confirm', async () => {
    begin(sink);
    await until(() => smtp.mails.length === 1, { what: 'the confirm mail' });
  });

  test('asks for nothing after the sink was closed', async () => {
    await sink.close?.();
    begin(sink);
    await sink.close?.();
    expect([smtp.connections, setup.log.lines]).toEqual([0, []]);
  });

  test('asks for nothing without public pages, and nothing is stored', async () => {
    const plain = setupMail(smtp.url, { links: undefined });
    begin(plain.sink);
    await plain.sink.close?.();
    expect([smtp.connections, plain.log.lines, JSON.parse(plain.table.dump())]).toEqual([0, [], []]);
  });
});

test('a mail that is stopped while it is sent pauses no other mail', async () => {
  const control = new AbortController();
  smtp.script.data.push('hang');
  const delivery = mailDelivery();
  const sent = sink.deliver(delivery, delivery.destination.target, {
    signal: control.signal,
    guard: () => undefined,
  });
  const outcome = expect(sent).rejects.toMatchObject({ fault: 'outage', message: 'stopped while sending' });
  await until(() => smtp.seen.length === 1, { what: 'the mail' });
  control.abort();
  await outcome;
  expect(sink.pauses?.()).toEqual([]);
});

test('a request for the data of a reader is mailed with its link, or refused without public pages', async () => {
  const request = {
    account: 'discord:1',
    subscription: 'one',
    destination: 'd1',
    what: 'export',
    locale: 'en',
  } as const;
  expect(await sink.dataRequests.ask(request, 'reader@example.org')).toBe(true);
  const [mail] = smtp.mails;
  expect(mail?.to).toEqual(['reader@example.org']);
  expect(mail?.raw.toString()).toContain('crier.example.org/');
  const plain = setupMail(smtp.url, { links: undefined });
  await expect(plain.sink.dataRequests.ask(request, 'reader@example.org')).rejects.toThrow(
    'no public pages to link to',
  );
  await plain.sink.close?.();
  expect(smtp.mails).toHaveLength(1);
});

test('its targets are private, and postings of several cards are joined into one mail', () => {
  expect([sink.isPrivate?.('reader@example.org'), sink.joins]).toEqual([true, true]);
});
