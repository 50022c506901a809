// The confirmation mail is sent when a mail destination is created, in whichever way, and not at its first weekly
// slot.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { job, type Lab, openLab } from '../helpers/lab.js';
import { headerOf, type MailSetup, parseMail, setupMail } from '../helpers/mail.js';
import { put } from '../helpers/put.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

let smtp: SmtpStand;
let setup: MailSetup;
let lab: Lab;

beforeEach(async () => {
  smtp = await startSmtp();
  setup = setupMail(smtp.url);
  lab = await openLab({ sinks: [setup.sink] });
});

afterEach(async () => {
  await lab.close();
  await setup.sink.close?.();
  await smtp.close();
});

const weekly = (target: string, more: object = {}) => ({
  sink: 'email',
  target,
  cadence: { weekly: 'monday', at: '09:00' },
  ...more,
});
const readers = () => smtp.mails.map(({ to }) => to[0]);
const asked = (count: number) => until(() => smtp.mails.length >= count, { what: 'the question' });

test('asks a new address immediately, with only the question, and once for two subscriptions', async () => {
  await lab.add({ id: 'one', destinations: [weekly('reader@example.org')] });
  await lab.add({ id: 'two', destinations: [weekly('reader@example.org')] });
  await asked(1);
  const mail = await parseMail(smtp.mails[0]?.raw as Buffer);
  expect(headerOf(mail, 'list-id')).toBeUndefined();
  expect(mail.text).toMatch(/https:\/\/crier\.example\.org\/confirm\//u);
  await setup.sink.close?.();
  expect(readers()).toEqual(['reader@example.org']);
});

test('asks a changed address, but not one that has confirmed or that the operator vouches for', async () => {
  setup.accounts.set('operator', {
    id: 'operator',
    createdAt: 0,
    email: { address: 'agreed@example.org', confirmedAt: 1 },
  });
  await lab.add({
    id: 'one',
    destinations: [weekly('agreed@example.org'), weekly('vouched@example.org', { consented: true })],
  });
  const { destinations } = await lab.add({ id: 'other', destinations: [weekly('new@example.org')] });
  await lab.change('one', (before) => ({
    ...before,
    destinations: [...before.destinations, ...destinations],
  }));
  await asked(1);
  await setup.sink.close?.();
  expect(readers()).toEqual(['new@example.org']);
});

test('asks at the start about a destination stored while the service was down, asks about a paused one when it resumes, and asks neither again', {
  tags: 'long',
}, async () => {
  const made = await lab.add({ id: 'made', destinations: [weekly('paused@example.org')], paused: true });
  expect(made.pausedAt).toBeDefined();
  const { destinations } = await lab.add({ id: 'model', destinations: [weekly('stored@example.org')] });
  await asked(1);
  await put(lab.stores.subscriptions, { ...made, id: 'fresh', pausedAt: undefined as never, destinations });
  await lab.restart();
  await lab.change('made', ({ pausedAt: _was, ...before }) => ({ ...before, resumedAt: lab.clock.now() }));
  await asked(2);
  await lab.post(job(2));
  await lab.poll('model');
  await lab.restart();
  await setup.sink.close?.();
  expect(readers()).toEqual(['stored@example.org', 'paused@example.org']);
});

test('sends at most three confirmation mails a day to one address', async () => {
  for (const account of ['operator', 'alice', 'bob']) {
    await lab.add({ id: account, account, destinations: [weekly('reader@example.org')] });
  }
  await asked(3);
  await lab.add({ id: 'fourth', account: 'discord:9', destinations: [weekly('reader@example.org')] });
  await setup.sink.close?.();
  expect(readers()).toHaveLength(3);
});
