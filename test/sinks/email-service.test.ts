// What people can do about their mails: an address and its confirmation, streams that stop and start again, and links to
// their data. With the stores, the services and the sink of the program.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import { OPERATOR, pausedFrom, type Subscription } from '../../src/domain/subscription.js';
import { createLinkBook } from '../../src/pipeline/link-book.js';
import type { LinkBook, MailService } from '../../src/ports/mail-service.js';
import { createMailService } from '../../src/sinks/email/mail-service.js';
import { createEmailSink, type EmailSink } from '../../src/sinks/email/sink.js';
import { type Lab, openLab } from '../helpers/lab.js';
import { keptLog, PUBLIC_URL, parseMail, SECRETS, testTemplates } from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';

const ALICE = 'alice';
const ADDRESS = 'alice@example.org';
const OTHER = 'other@example.org';

let lab: Lab;
let smtp: SmtpStand;
let sink: EmailSink;
let book: LinkBook;
let mail: MailService;
let log: ReturnType<typeof keptLog>;
/** Subscriptions that were resumed. */
let resumed: string[];
/** What the page with all subscriptions is linked with. */
let page: string | undefined;

beforeEach(async () => {
  [lab, smtp] = await Promise.all([openLab(), startSmtp()]);
  log = keptLog();
  resumed = [];
  page = `${PUBLIC_URL}/manage/abc`;
  const { stores, clock } = lab;
  const { misc: table, accounts } = stores;
  book = createLinkBook({ keys: deriveKeys(SECRETS, 'link'), publicUrl: PUBLIC_URL, table, accounts, clock });
  sink = createEmailSink({
    settings: { smtpUrl: secret(smtp.url), from: 'digest@crier.example.org' },
    templates: testTemplates(),
    table,
    accounts,
    keys: deriveKeys(SECRETS, 'mail'),
    links: book.links,
    source: 'Example Jobs',
    clock,
    log,
    onAlert: () => undefined,
  });
  lab.sinks.set('email', sink);
  await lab.restart();
  const { services } = lab;
  mail = createMailService({
    sink,
    accounts,
    links: book,
    clock,
    log,
    services: {
      subscriptions: services.subscriptions,
      edit: services.edit,
      resume: async (caller, id) => {
        resumed.push(`${caller.account} ${id}`);
        return services.resume(caller, id);
      },
      manageLink: async (account, by) => (account === ALICE && by === 'mailed' ? page : undefined),
    },
  });
});
afterEach(async () => {
  await lab.close();
  await sink.close?.();
  await smtp.close();
});

const email = (target: string, more: object = {}) => ({ sink: 'email', target, ...more });
const subscribe = (id: string, target = ADDRESS, more: object = {}) =>
  lab.add({ id, account: ALICE, destinations: [email(target)], ...more });
const account = () => lab.stores.accounts.get(ALICE);
const targets = async () =>
  Object.fromEntries(
    (await lab.services.subscriptions({ account: ALICE })).map(({ subscription }) => [
      subscription.id,
      subscription.destinations.map(({ target }) => target),
    ]),
  );
const streamOf = ({ account: of, id, destinations }: Subscription) => ({
  account: of,
  subscription: id,
  destination: destinations[0]?.id ?? '',
});

/** The token in the newest mail to an address. */
async function token(to = ADDRESS): Promise<string> {
  const newest = smtp.mails.findLast((one) => one.to.includes(to));
  const { text } = newest ? await parseMail(newest.raw) : {};
  return /\/confirm\/([\w-]{43})/u.exec(text ?? '')?.[1] ?? 'none';
}

/** The account has this address, confirmed by its link. */
async function confirmed(address = ADDRESS): Promise<void> {
  await mail.setAddress(ALICE, address, 'en');
  await mail.confirm(await token(address));
}

describe('a new address', () => {
  test('is stored unconfirmed, in its canonical form, and asked', async () => {
    await mail.setAddress('carol', ' Carol@Example.ORG ', 'de');
    expect(await lab.stores.accounts.get('carol')).toEqual({
      id: 'carol',
      createdAt: lab.clock.now(),
      locale: 'de',
      email: { address: 'Carol@example.org' },
    });
    expect(smtp.mails.map(({ to }) => to)).toEqual([['Carol@example.org']]);
    expect(await mail.addressReport('carol')).toEqual({ address: 'Carol@example.org', state: 'unconfirmed' });
  });

  test('keeps the language that the account has, and its token', async () => {
    await lab.stores.accounts.update(ALICE, (before) => before && { ...before, locale: 'es' });
    await mail.setAddress(ALICE, ADDRESS, 'de');
    expect(await account()).toMatchObject({
      locale: 'es',
      token: expect.anything(),
      email: { address: ADDRESS },
    });
  });

  test('that is none is refused, and nothing is stored or sent', async () => {
    await expect(mail.setAddress(ALICE, 'no address', 'en')).rejects.toThrow(/address/u);
    expect(await account()).not.toHaveProperty('email');
    expect(smtp.mails).toEqual([]);
  });

  test('that the account has agreed to before is used immediately', async () => {
    await confirmed();
    const { email: first } = (await account())!;
    await confirmed(OTHER);
    const mails = smtp.mails.length;
    const { id } = await subscribe('s', OTHER);
    await mail.setAddress(ALICE, ADDRESS, 'en');
    expect(smtp.mails).toHaveLength(mails);
    expect((await account())?.email).toMatchObject({ address: ADDRESS, confirmedAt: first?.confirmedAt });
    expect(await targets()).toEqual({ [id]: [ADDRESS] });
  });
});

describe('the state of an address', () => {
  test('is none, unconfirmed, confirmed, or suppressed once it was confirmed', async () => {
    expect(await mail.addressReport(ALICE)).toEqual({ state: 'none' });
    expect(await mail.addressReport('nobody')).toEqual({ state: 'none' });
    await mail.setAddress(ALICE, ADDRESS, 'en');
    await sink.suppression.add(ADDRESS, 'x');
    expect(await mail.addressReport(ALICE)).toEqual({ address: ADDRESS, state: 'unconfirmed' });
    await sink.suppression.remove(ADDRESS);
    await mail.confirm(await token());
    expect(await mail.addressReport(ALICE)).toEqual({ address: ADDRESS, state: 'confirmed' });
    await sink.suppression.add(ADDRESS, 'x');
    expect(await mail.addressReport(ALICE)).toEqual({ address: ADDRESS, state: 'suppressed' });
  });
});

describe('the link of a question', () => {
  test('can be looked at, and confirms once', async () => {
    await mail.setAddress(ALICE, ADDRESS, 'de');
    const link = await token();
    expect(await mail.peek(link)).toEqual({ account: ALICE, locale: 'de' });
    expect((await account())?.email).toEqual({ address: ADDRESS });
    lab.clock.advance(1000);
    expect(await mail.confirm(link)).toEqual({
      account: ALICE,
      locale: 'de',
      destination: (await subscribe('s')).destinations[0]?.id,
    });
    expect((await account())?.email).toEqual({ address: ADDRESS, confirmedAt: lab.clock.now() });
    expect([await mail.peek(link), await mail.confirm(link)]).toEqual([undefined, undefined]);
    expect(await mail.peek('x')).toBeUndefined();
  });

  test('names what was asked about, which is stored with the consent', async () => {
    await mail.setAddress(ALICE, ADDRESS, 'en');
    await subscribe('s', OTHER, { destinations: [email(OTHER, { consented: true })] });
    await sink.question({ account: ALICE, address: OTHER, locale: 'en', tags: ['rust'] });
    const link = await token(OTHER);
    const seen = await mail.peek(link);
    expect(seen?.about).toMatch(/rust/iu);
    const done = await mail.confirm(link);
    expect(done).toMatchObject({ account: ALICE, about: seen?.about });
    // Another address than the account's own.
    expect((await account())?.email).toEqual({ address: ADDRESS });
    expect(await targets()).toEqual({ s: [OTHER] });
    await sink.question({ account: ALICE, address: ADDRESS, locale: 'en', tags: ['rust'] });
    await mail.confirm(await token());
    expect((await account())?.email).toMatchObject({ address: ADDRESS, consent: seen?.about });
  });

  test('starts the streams to that address again, except for paused subscriptions', async () => {
    const [own, other, paused] = [
      await subscribe('own', ADDRESS),
      await lab.add({ id: 'other', account: 'bob', destinations: [email(ADDRESS)] }),
      await subscribe('paused'),
    ];
    await lab.add({ id: 'elsewhere', account: ALICE, destinations: [{ sink: 'capture', target: 'x' }] });
    await lab.change('paused', (before) => pausedFrom(before, lab.clock.now()));
    for (const one of [own, other, paused]) await mail.stop(streamOf(one));
    await confirmed();
    const stopped = await Promise.all([own, other, paused].map((one) => mail.stoppedAt(streamOf(one))));
    expect(stopped).toEqual([undefined, expect.any(Number), undefined]);
    expect(resumed).toEqual(['alice own']);
  });

  test('moves the streams of the account to the address, but none of a file, and revokes its links then', async () => {
    await subscribe('one', OTHER);
    await subscribe('file', OTHER, {});
    await lab.stores.subscriptions.update('file', (before) => before && { ...before, origin: 'file' });
    const capture = { sink: 'capture', target: 'x' };
    await lab.add({ id: 'two', account: ALICE, destinations: [email(OTHER), capture] });
    const epoch = await book.epoch(ALICE);
    await confirmed();
    expect(await targets()).toEqual({ one: [ADDRESS], file: [OTHER], two: [ADDRESS, 'x'] });
    expect(await book.epoch(ALICE)).toBe(epoch + 1);
    await confirmed();
    expect(await book.epoch(ALICE)).toBe(epoch + 1);
  });
});

test('several addresses of a subscription become one, also if the new one was among them', async () => {
  const third = email('third@example.org', { cadence: { daily: '09:00' } });
  await lab.add({ id: 'one', account: ALICE, destinations: [email(OTHER), third] });
  const capture = { sink: 'capture', target: 'x' };
  await lab.add({ id: 'two', account: ALICE, destinations: [third, capture, email(ADDRESS)] });
  await confirmed();
  expect(await targets()).toEqual({ one: [ADDRESS], two: ['x', ADDRESS] });
  expect((await account())?.email).toMatchObject({ confirmedAt: lab.clock.now() });
});

test('an address that is removed gets nothing more, and the links in its mails are revoked', async () => {
  await confirmed();
  const one = await subscribe('s');
  const capture = await lab.add({
    id: 'c',
    account: ALICE,
    destinations: [{ sink: 'capture', target: 'x' }],
  });
  const epoch = await book.epoch(ALICE);
  await mail.removeAddress(ALICE);
  expect(await mail.stoppedAt(streamOf(one))).toBe(lab.clock.now());
  expect(await mail.stoppedAt(streamOf(capture))).toBeUndefined();
  expect(await sink.consent.given(ALICE, ADDRESS)).toBeUndefined();
  expect(await account()).not.toHaveProperty('email');
  expect(await account()).toHaveProperty('token');
  expect(await book.epoch(ALICE)).toBe(epoch + 1);
  await mail.removeAddress('bob');
  expect(await lab.stores.accounts.get('bob')).toHaveProperty('token');
});

describe('a stream', () => {
  test('stops for everyone who is known, and nothing is written about others', async () => {
    const known = async (of: string) => {
      const stream = { account: of, subscription: 's', destination: 'd' };
      await mail.stop(stream);
      return (await mail.stoppedAt(stream)) !== undefined;
    };
    await lab.add({ id: 'l', account: 'listed', destinations: [email(ADDRESS)] });
    expect(await Promise.all([ALICE, OPERATOR, 'listed', 'erased'].map(known))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test('starts again with its subscription alone, if that is not paused', async () => {
    const [one, two] = [await subscribe('one'), await subscribe('two')];
    for (const each of [one, two]) await mail.stop(streamOf(each));
    await mail.restart(streamOf(one));
    expect([await mail.stoppedAt(streamOf(one)), await mail.stoppedAt(streamOf(two))]).toEqual([
      undefined,
      expect.any(Number),
    ]);
    expect(resumed).toEqual(['alice one']);
    await lab.change('two', (before) => pausedFrom(before, lab.clock.now()));
    await mail.restart(streamOf(two));
    await mail.restart({ ...streamOf(one), subscription: 'gone' });
    expect(resumed).toEqual(['alice one']);
  });
});

describe('a link to the data', () => {
  const request = (one: Subscription, what: 'export' | 'erase' = 'export') => ({
    ...streamOf(one),
    what,
    locale: 'en',
  });

  test('goes to the confirmed address of the account, at most three times a day', async () => {
    await confirmed();
    const one = await subscribe('s', OTHER);
    const answers: string[] = [];
    for (let n = 0; n < 4; n++) answers.push(await mail.askForData(request(one)));
    expect(answers).toEqual(['sent', 'sent', 'sent', 'later']);
    expect(smtp.mails.filter(({ to }) => to[0] === ADDRESS)).toHaveLength(4);
    const link = await token();
    expect(await mail.peekDataRequest(link)).toEqual(request(one));
    expect(await mail.takeDataRequest(link)).toEqual(request(one));
    expect([await mail.peekDataRequest(link), await mail.takeDataRequest('x')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('goes nowhere without a confirmed address, or to the one that the mails go to with consent', async () => {
    const [plain, agreed, both] = [
      await subscribe('plain', OTHER),
      await lab.add({ id: 'agreed', account: OPERATOR, destinations: [email(OTHER, { consented: true })] }),
      await lab.add({ id: 'both', account: OPERATOR, destinations: [email('third@example.org')] }),
    ];
    expect(await mail.askForData(request(plain))).toBe('nowhere');
    await mail.setAddress(ALICE, ADDRESS, 'en');
    expect(await mail.askForData(request(plain))).toBe('nowhere');
    expect(await mail.askForData({ ...request(agreed), subscription: 'gone' })).toBe('nowhere');
    expect(await mail.askForData({ ...request(agreed), destination: 'gone' })).toBe('nowhere');
    expect(await mail.askForData(request(both))).toBe('nowhere');
    expect(await mail.askForData(request(agreed))).toBe('sent');
    expect(await mail.peekDataRequest(await token(OTHER))).toEqual(request(agreed));
    await sink.question({ account: OPERATOR, address: 'third@example.org', locale: 'en' });
    await mail.confirm(await token('third@example.org'));
    expect(await mail.askForData(request(both))).toBe('sent');
  });

  test('does not work after the address has changed', async () => {
    await confirmed();
    const one = await subscribe('s', OTHER);
    await mail.askForData(request(one, 'erase'));
    const link = await token();
    expect(await mail.peekDataRequest(link)).toBeDefined();
    await confirmed(OTHER);
    expect([await mail.peekDataRequest(link), await mail.takeDataRequest(link)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('that can not be sent is a line in the log', async () => {
    await confirmed();
    const one = await subscribe('s');
    smtp.script.rcpt.push({ code: 451, text: '4.7.1 later' });
    expect(await mail.askForData(request(one))).toBe('later');
    expect(log.lines.map((line) => JSON.parse(line))).toEqual([
      { level: 'warn', reason: expect.stringContaining('451'), message: 'mail with a data link not sent' },
    ]);
  });
});

describe('a link to the page with all subscriptions', () => {
  test('goes to the confirmed address', async () => {
    expect(await mail.askForPages(ALICE, 'en')).toBe('nowhere');
    await mail.setAddress(ALICE, ADDRESS, 'en');
    expect(await mail.askForPages(ALICE, 'en')).toBe('nowhere');
    await mail.confirm(await token());
    expect(await mail.askForPages(ALICE, 'de')).toBe('sent');
    const sent = await parseMail(smtp.mails.at(-1)!.raw);
    expect(sent.to).toMatchObject([{ address: ADDRESS }]);
    expect(sent.text).toContain(page);
  });

  test('waits if there were too many, or if it can not be sent, which is logged', async () => {
    await confirmed();
    smtp.script.rcpt.push({ code: 451, text: '4.7.1 later' });
    expect(await mail.askForPages(ALICE, 'en')).toBe('later');
    expect(log.lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'warn',
        reason: expect.stringContaining('451'),
        message: 'mail with a link to all subscriptions not sent',
      },
    ]);
    page = undefined;
    expect(await mail.askForPages(ALICE, 'en')).toBe('later');
  });

  test('never goes to the operator, whose account many readers share', async () => {
    await lab.stores.accounts.update(OPERATOR, () => ({
      id: OPERATOR,
      createdAt: 0,
      email: { address: ADDRESS, confirmedAt: 1 },
    }));
    expect(await mail.askForPages(OPERATOR, 'en')).toBe('nowhere');
  });
});

test('the export has each address with its consent, and the streams that were stopped', async () => {
  expect(await mail.exportOf(ALICE)).toEqual({ addresses: [], unsubscribed: [] });
  await confirmed();
  const one = await subscribe('one', OTHER);
  await subscribe('two', OTHER);
  await lab.add({ id: 'c', account: ALICE, destinations: [{ sink: 'capture', target: 'x' }] });
  await mail.stop(streamOf(one));
  expect(await mail.exportOf(ALICE)).toEqual({
    addresses: [
      { address: OTHER, consent: null },
      { address: ADDRESS, consent: expect.objectContaining({ confirmedAt: lab.clock.now() }) },
    ],
    unsubscribed: [{ subscription: 'one', at: lab.clock.now() }],
  });
});
