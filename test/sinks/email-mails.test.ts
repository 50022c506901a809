// The mails beside the digests: a week without a posting, links that work once, notices and reminders. To whom they
// go, what they link to, and when none is sent.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKeys, readLink } from '../../src/domain/link-token.js';
import { OPERATOR } from '../../src/domain/subscription.js';
import type { Notice } from '../../src/ports/notice.js';
import type { QuietWeek } from '../../src/ports/sink.js';
import { textsFor } from '../../src/render/texts.js';
import {
  headerOf,
  type MailSetup,
  mailDelivery,
  PUBLIC_URL,
  parseMail,
  SECRETS,
  setupMail,
} from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

const ADDRESS = 'reader@example.org';
const DAY = 86_400_000;

let smtp: SmtpStand;
let setup: MailSetup;
const opened: MailSetup[] = [];

function open(more: Parameters<typeof setupMail>[1] = {}): MailSetup {
  const made = setupMail(smtp.url, more);
  opened.push(made);
  return made;
}

beforeEach(async () => {
  smtp = await startSmtp();
  setup = open({ epoch: async (account) => account.length });
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.sink.close?.();
  await smtp.close();
});

const newest = () => parseMail(smtp.mails.at(-1)!.raw);
const claimIn = (purpose: 'unsubscribe' | 'preferences', text = '') => {
  const token = new RegExp(`/${purpose}/([\\w.-]+)`, 'u').exec(text)?.[1] ?? '';
  return readLink(deriveKeys(SECRETS, 'link'), purpose, token, setup.clock.now());
};
const destination = (more: object = {}) => ({ ...mailDelivery().destination, ...more });

describe('the mail about a week without a posting', () => {
  const week = (more: Partial<QuietWeek> = {}): QuietWeek => ({
    account: 'alice',
    subscription: 's1',
    destination: destination(),
    from: setup.clock.now() - 7 * DAY,
    slot: setup.clock.now(),
    about: 'Rust, remote',
    source: 'Example Jobs',
    locale: 'en',
    misses: [],
    ...more,
  });
  const send = async (of = setup, more: Partial<QuietWeek> = {}) => {
    const checked: [format: string, note: string | undefined][] = [];
    const before = smtp.mails.length;
    await of.sink.quietWeek?.(week(more), {
      guard: ({ format, body, note }) => {
        expect(body.length).toBeGreaterThan(100);
        checked.push([format, note]);
      },
    });
    return { checked, count: smtp.mails.length - before };
  };

  test('belongs to the stream of the digests, is checked in both forms, and can be left with one click', async () => {
    const { checked, count } = await send();
    expect(count).toBe(1);
    expect(checked).toEqual([
      ['html', undefined],
      ['text', textsFor('en').card.note],
    ]);
    const mail = await newest();
    expect(mail.to).toEqual([{ name: '', address: ADDRESS }]);
    expect(mail.messageId).toBe(`<quiet.${destination().id}.s1.${setup.clock.now()}@crier.example.org>`);
    expect(headerOf(mail, 'Feedback-ID')).toBe('weekly:quiet:mail:jobcrier');
    expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    const about = { account: 'alice', subscription: 's1', destination: destination().id, epoch: 5 };
    expect(claimIn('unsubscribe', headerOf(mail, 'List-Unsubscribe'))).toMatchObject(about);
    expect(claimIn('preferences', headerOf(mail, 'List-Help'))).toMatchObject(about);
    expect(claimIn('preferences', mail.html)).toMatchObject(about);
    const digest = mailDelivery({ subscription: 's1' });
    await setup.sink.deliver(digest, ADDRESS, { signal: AbortSignal.timeout(9000), guard: () => undefined });
    const of = async (name: string) => headerOf(await newest(), name)?.replace(/^"[^"]*"/u, '');
    expect(headerOf(mail, 'List-Id')?.replace(/^"[^"]*"/u, '')).toBe(await of('List-Id'));
  });

  test('is in the language of the reader', async () => {
    await send(setup, { locale: 'de' });
    expect((await newest()).text).toContain('Rust, remote');
    const german = (await newest()).subject;
    await send();
    expect((await newest()).subject).not.toBe(german);
  });

  test('has no links without public pages, and the epoch 0 where none is known', async () => {
    await send(open({ links: undefined }));
    expect(headerOf(await newest(), 'List-Unsubscribe')).toBeUndefined();
    expect((await newest()).html).not.toContain('/preferences/');
    await send(open());
    expect(claimIn('preferences', headerOf(await newest(), 'List-Help'))).toMatchObject({ epoch: 0 });
  });

  test('names the mailbox for unsubscribing only where one is read', async () => {
    const from = 'digest@crier.example.org';
    await send(open({ settings: { from, bounceMaildir: '/nowhere' } as never }));
    expect(headerOf(await newest(), 'List-Unsubscribe')).toContain(`<mailto:${from}?`);
  });

  test('is not sent while there is an obstacle', async () => {
    expect(await send(setup, { destination: destination({ consented: false }) })).toEqual({
      checked: [],
      count: 0,
    });
    await setup.sink.unsubscribes.stop({
      account: 'alice',
      subscription: 's1',
      destination: destination().id,
    });
    expect(await send()).toEqual({ checked: [], count: 0 });
  });

  test('is not sent when the guard refuses it', async () => {
    const refuse = () => {
      throw new Error('not this');
    };
    await expect(setup.sink.quietWeek?.(week(), { guard: refuse })).rejects.toThrow('not this');
    expect(smtp.mails).toEqual([]);
  });
});

describe('a mail with a link that works once', () => {
  const url = `${PUBLIC_URL}/confirm/abc`;

  test.each([
    ['manage', '15 minutes'],
    ['export', 'an hour'],
    ['erase', 'an hour'],
  ] as const)('to %s says for how long it works', async (what, life) => {
    await setup.sink.sendLink(what, { locale: 'en', to: ADDRESS, url });
    const mail = await newest();
    expect(mail.to).toEqual([{ name: '', address: ADDRESS }]);
    expect(mail.text).toContain(url);
    expect(mail.text).toContain(life);
    expect(headerOf(mail, 'Feedback-ID')).toBe('confirm:service:mail:jobcrier');
    // No list, because it answers a request.
    expect(headerOf(mail, 'List-Unsubscribe')).toBeUndefined();
  });

  test('has an id that is the same for the same link, and does not reveal it', async () => {
    const ids: (string | undefined)[] = [];
    for (const link of [url, url, `${url}d`]) {
      await setup.sink.sendLink('export', { locale: 'en', to: ADDRESS, url: link });
      ids.push((await newest()).messageId);
    }
    expect(ids[0]).toMatch(/^<link\.[0-9a-f]{24}@crier\.example\.org>$/u);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('is in the language of the request', async () => {
    const subjects = new Set<string | undefined>();
    for (const locale of ['en', 'de', 'es']) {
      await setup.sink.sendLink('manage', { locale, to: ADDRESS, url });
      subjects.add((await newest()).subject);
    }
    expect(subjects.size).toBe(3);
  });

  test('can not be asked for without public pages', async () => {
    const { sink } = open({ links: undefined });
    const request = { account: 'alice', subscription: 's1', destination: 'd', what: 'export', locale: 'en' };
    await expect(sink.dataRequests.ask(request as never, ADDRESS)).rejects.toThrow(
      'no public pages to link to',
    );
  });
});

describe('a notice to an owner', () => {
  const notice = (more: Partial<Notice> = {}): Notice => ({
    kind: 'token',
    subject: 'alice',
    account: 'alice',
    text: 'Token refused.',
    ...more,
  });
  const owner = (email?: object, more: object = {}) =>
    setup.accounts.set('alice', {
      id: 'alice',
      createdAt: 0,
      ...(email ? { email: { address: ADDRESS, ...email } } : {}),
      ...more,
    } as never);

  test('goes to a confirmed address, in English if no language is known', async () => {
    expect(await setup.sink.messenger(notice())).toBe(false);
    owner();
    expect(await setup.sink.messenger(notice())).toBe(false);
    owner({});
    expect(await setup.sink.messenger(notice())).toBe(false);
    owner({ confirmedAt: 1 });
    expect(await setup.sink.messenger(notice())).toBe(true);
    const mail = await newest();
    expect(mail.to).toEqual([{ name: '', address: ADDRESS }]);
    expect(mail.text).toContain('Token refused.');
    expect(headerOf(mail, 'Feedback-ID')).toBe('notice:service:mail:jobcrier');
    expect(mail.messageId).toBe(
      `<notice.${setup.clock.now().toString(36)}.${setup.sink.suppression.token('alice')}@crier.example.org>`,
    );
  });

  test('links to the preferences only if it is about a subscription', async () => {
    owner({ confirmedAt: 1 });
    await setup.sink.messenger(notice());
    expect((await newest()).text).not.toContain('/preferences/');
    await setup.sink.messenger(notice({ subscription: 's1' }));
    const claim = claimIn('preferences', (await newest()).text);
    expect(claim).toMatchObject({ account: 'alice', subscription: 's1', epoch: 5 });
    expect(claim).not.toHaveProperty('destination');
    const plain = open();
    plain.accounts.set('alice', setup.accounts.get('alice')!);
    await plain.sink.messenger(notice({ subscription: 's1' }));
    expect(claimIn('preferences', (await newest()).text)).toMatchObject({ epoch: 0 });
    const bare = open({ links: undefined });
    bare.accounts.set('alice', setup.accounts.get('alice')!);
    expect(await bare.sink.messenger(notice({ subscription: 's1' }))).toBe(true);
  });

  test('is not sent by mail if it says that mails do not arrive, or if the person left mails', async () => {
    owner({ confirmedAt: 1 });
    const about = (sink: string, kind: Notice['kind'] = 'destination') =>
      setup.sink.messenger(notice({ kind, data: { sink } }));
    expect(await about('email')).toBe(false);
    expect(await about('discord')).toBe(true);
    expect(await about('email', 'expired')).toBe(true);
    expect(await setup.sink.messenger(notice({ kind: 'destination' }))).toBe(true);
    await setup.sink.unsubscribes.stop({ account: 'alice', subscription: 'any', destination: 'd' });
    expect(await about('discord')).toBe(false);
    expect(smtp.mails).toHaveLength(3);
  });
});

describe('a reminder', () => {
  const posting = {
    key: 'id:1',
    title: 'Rust Engineer',
    company: 'Acme',
    applyUrl: 'https://jobs.example/r/1__me?a=1&b=2',
  };
  const reminder = { kind: 'deadline', at: 0, timezone: 'UTC', posting } as const;
  const notice = (more: Partial<Notice> = {}): Notice => ({
    kind: 'reminder',
    subject: 'alice:1',
    account: 'alice',
    text: 'The last day is near.',
    reminder,
    ...more,
  });
  const reader = (more: object = {}) => ({ subscription: 's1', destination: destination(more) });

  test('to a person with an account has the apply link as it is', async () => {
    setup.accounts.set('alice', {
      id: 'alice',
      createdAt: 0,
      email: { address: ADDRESS, confirmedAt: 1 },
    });
    expect(await setup.sink.messenger(notice())).toBe(true);
    const mail = await newest();
    expect(mail.text).toContain(posting.applyUrl);
    expect(mail.html).toContain('Rust Engineer');
    expect(headerOf(mail, 'Feedback-ID')).toBe('reminder:service:mail:jobcrier');
  });

  test('to a reader without an account goes where the mails go, with a link to the settings', async () => {
    expect(await setup.sink.messenger(notice({ reader: reader() }))).toBe(true);
    const mail = await newest();
    expect(mail.to).toEqual([{ name: '', address: ADDRESS }]);
    expect(mail.text).toContain(posting.applyUrl);
    expect(claimIn('preferences', mail.html)).toMatchObject({
      account: OPERATOR,
      subscription: 's1',
      destination: destination().id,
      epoch: OPERATOR.length,
    });
    expect(mail.messageId).toBe(
      `<notice.${setup.clock.now().toString(36)}.${setup.sink.suppression.token('alice:1')}@crier.example.org>`,
    );
    await setup.sink.messenger(notice({ reader: { ...reader(), locale: 'de' } }));
    expect((await newest()).subject).not.toBe(mail.subject);
    await open().sink.messenger(notice({ reader: reader() }));
    expect(claimIn('preferences', (await newest()).html)).toMatchObject({ epoch: 0 });
    await open({ links: undefined }).sink.messenger(notice({ reader: reader() }));
    expect((await newest()).html).not.toContain('/preferences/');
  });

  test('is not sent to a reader whose mails go elsewhere or have ended, and nothing but reminders is', async () => {
    const of = (more: Partial<Notice>) => setup.sink.messenger(notice(more));
    expect(await of({ reader: reader({ sink: 'discord' }) })).toBe(false);
    expect(await of({ reader: reader({ consented: false }) })).toBe(false);
    const { reminder: _, ...other } = notice({ reader: reader() });
    expect(await setup.sink.messenger(other)).toBe(false);
    const stream = { account: OPERATOR, subscription: 's1', destination: destination().id };
    await setup.sink.unsubscribes.stop(stream);
    expect(await of({ reader: reader() })).toBe(false);
    expect(smtp.mails).toEqual([]);
  });
});

describe('the question to a reader of a new destination', () => {
  const begin = ({ sink }: MailSetup, more: object = {}) =>
    sink.begin?.({
      account: 'alice',
      subscription: 's1',
      destination: destination({ consented: false, ...more }),
      tags: ['rust'],
      locale: 'en',
    });

  test('is sent when it was not answered', async () => {
    begin(setup, { consented: true, target: 'agreed@example.org' });
    begin(setup);
    await until(() => smtp.mails.length === 1, { what: 'the question' });
    expect((await newest()).to).toEqual([{ name: '', address: ADDRESS }]);
    expect((await newest()).text).toContain(`${PUBLIC_URL}/confirm/`);
    expect(setup.log.lines).toEqual([]);
  });

  test('is not sent without public pages, or after the end of the service', async () => {
    const bare = open({ links: undefined });
    begin(bare);
    const closed = open();
    const done = closed.sink.close?.();
    begin(closed);
    await done;
    await bare.sink.close?.();
    expect([smtp.mails, bare.log.lines, closed.log.lines]).toEqual([[], [], []]);
  });

  test('that can not be sent is a line in the log', async () => {
    begin(setup, { target: 'not an address' });
    await until(() => setup.log.lines.length > 0, { what: 'a line' });
    expect(JSON.parse(setup.log.lines[0]!)).toMatchObject({
      level: 'warn',
      subscription: 's1',
      message: 'confirm mail not sent',
    });
    expect(smtp.mails).toEqual([]);
  });
});
