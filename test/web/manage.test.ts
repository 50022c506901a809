// The pages with all subscriptions of a person: a link that works once opens a session of one account, and nothing of
// another account is shown or changed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import {
  newReader,
  openReaderHouse,
  PAGES,
  pageLinks,
  type Reader,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';

const MINUTE = 60_000;
let house: ReaderHouse;
let reader: Reader;
let caller: { account: string; locale: string };

beforeAll(async () => {
  house = await openReaderHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  reader = await newReader(house);
  caller = { account: reader.account, locale: 'en' };
});

const newLink = async (account = reader.account) =>
  (await house.app.services.manageLink(account, 'reply')) as string;

/** Opens a link as a browser does; the cookie that it sends from now on. */
async function open(link: string): Promise<string> {
  const answer = await house.press(link);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/manage']);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

const get = (path: string, cookie: string) => house.visit(path, { headers: { cookie } });
const csrfOf = (html: string) => /name="csrf" value="([^"]+)"/u.exec(html)?.[1] ?? '';

/** Posts a form of a page of the session. */
async function press(path: string, cookie: string, fields: Record<string, string>, headers = {}) {
  const csrf = csrfOf(await (await get('/manage', cookie)).text());
  const body = new URLSearchParams({ csrf, ...fields });
  return house.visit(path, { method: 'POST', body, headers: { cookie, ...headers } });
}

async function subscribe(
  target: string,
  filter: unknown = { tags: ['rust'] },
  who = caller,
): Promise<string> {
  const { report } = await house.app.services.subscribe(who, {
    filter,
    timezone: 'Europe/Berlin',
    destination: { sink: 'webhook', target, cadence: 'immediate' },
  });
  return report.subscription.id;
}
const HOOK = 'https://hooks.example/services/T0/secret-part';

describe('a link to all subscriptions', () => {
  test('opens a session once; looking at it does not use it up, nor does a form of another site', async () => {
    const link = await newLink();
    for (const _ of [1, 2]) {
      const page = await house.visit(link);
      expect(page.status).toBe(200);
      expect(page.headers.get('set-cookie')).toBeNull();
      expect(await page.text()).toContain('Open my subscriptions');
    }
    const foreign = { method: 'POST', headers: { 'Sec-Fetch-Site': 'cross-site' } };
    expect((await house.visit(link, foreign)).status).toBe(404);
    await open(link);
    expect((await house.visit(link)).status).toBe(404);
    expect((await house.press(link)).status).toBe(404);
  });

  test('opens one session when it is used several times at the same moment', async () => {
    const link = await newLink();
    const answers = await Promise.all(Array.from({ length: 8 }, () => house.press(link)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(404)]);
  });

  test('works for 15 minutes, and until there is a newer one', async () => {
    const link = await newLink();
    const newer = await newLink();
    expect((await house.press(link)).status).toBe(404);
    house.advance(15 * MINUTE);
    expect((await house.visit(newer)).status).toBe(404);
    expect((await house.press(newer)).status).toBe(404);
  });

  test('is of no use on the other pages, nor their links here', async () => {
    const token = (await newLink()).split('/').at(-1);
    for (const page of ['preferences', 'unsubscribe', 'feed', 'editions', 'feedback', 'confirm'])
      expect((await house.visit(`/${page}/${token}`)).status, page).toBe(404);
    await subscribeReader(house, { reader });
    await house.announce(rustJob(900));
    for (const link of Object.values(pageLinks(await house.mail(2, reader.address)))) {
      const path = link.replace(PAGES, '').replace(/^\/[^/]+/u, '/manage');
      expect((await house.press(path)).status).toBe(404);
    }
  });

  test('sets a cookie that scripts and other sites do not get, secure on https', async () => {
    const cookie = async (headers = {}) =>
      (await house.visit(await newLink(), { method: 'POST', headers })).headers.get('set-cookie') ?? '';
    expect(await cookie()).toMatch(/^jobcrier_manage=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/u);
    const answer = await house.app.web.fetch(
      new Request(await newLink(), { method: 'POST', headers: { Host: new URL(PAGES).host } }),
    );
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-jobcrier_manage=.*; Secure/u);
  });
});

describe('a session', () => {
  test('shows all subscriptions of its account and nothing of another, no target and no token', async () => {
    const other = await newReader(house);
    const theirs = await subscribe(HOOK, { tags: ['solidity'] }, { account: other.account, locale: 'en' });
    const mine = await subscribe(HOOK);
    const cookie = await open(await newLink());
    const list = await (await get('/manage', cookie)).text();
    expect(list).toContain('Rust');
    expect(list).not.toContain('Solidity');
    const [edit = ''] = /\/manage\/edit\/[^"]+/u.exec(list) ?? [];
    const pages = [list];
    for (const path of [`/manage/show/${mine}?preview=now`, edit]) {
      const page = await get(path, cookie);
      expect(page.status).toBe(200);
      expect(page.headers.get('cache-control')).toBe('no-store');
      pages.push(await page.text());
    }
    for (const page of pages) {
      expect(page).not.toMatch(/secret-part|hooks\.example/u);
      expect(page).not.toContain(house.board.token);
      expect(page).not.toContain(cookie.split('=')[1]);
      expect(page).not.toContain(theirs);
    }
    for (const path of [`/manage/show/${theirs}`, edit.replace(mine, theirs)])
      expect((await get(path, cookie)).headers.get('location')).toBe('/manage');
    for (const path of ['/manage', edit.replace(mine, theirs)])
      await press(path, cookie, { do: 'pause', id: theirs });
    expect((await house.app.services.subscription({ account: other.account }, theirs)).state).toBe('active');
  });

  test('pauses, resumes and edits, with the form of the preferences page', async () => {
    const id = await subscribe(HOOK);
    const { services } = house.app;
    const cookie = await open(await newLink());
    const state = async () => (await services.subscription(caller, id)).state;
    expect((await press('/manage', cookie, { do: 'pause', id })).headers.get('location')).toBe(
      '/manage?done=paused',
    );
    expect(await state()).toBe('paused');
    const done = await press('/manage', cookie, { do: 'resume', id, from: 'one' });
    expect(done.headers.get('location')).toBe(`/manage/show/${id}?done=resumed`);
    expect(await state()).toBe('active');

    const [edit = ''] = /\/manage\/edit\/[^"]+/u.exec(await (await get('/manage', cookie)).text()) ?? [];
    const form = await (await get(edit, cookie)).text();
    expect(form).toContain('Change this subscription');
    expect(form).not.toMatch(/name="quietWeek"|per email/u);
    const fields = {
      every: 'daily',
      at: '08:15',
      timezone: 'Europe/Paris',
      tags: 'rust',
      locale: 'en',
      remote: 'yes',
    };
    const saved = await press(edit, cookie, { do: 'save', ...fields });
    expect(saved.headers.get('location')).toMatch(new RegExp(`^${edit}\\?done=saved`, 'u'));
    const { subscription } = await services.subscription(caller, id);
    expect(subscription.filter).toMatchObject({ tags: ['rust'], remote: true });
    expect(subscription.destinations[0]).toMatchObject({
      target: HOOK,
      cadence: { every: 'daily', at: '08:15', timezone: 'Europe/Paris' },
    });
    expect((await press(edit, cookie, { do: 'save', ...fields, at: 'noon' })).status).toBe(422);
  });

  test('shows what matches now, with apply links byte for byte, and the history', async () => {
    const id = await subscribe(HOOK);
    const cookie = await open(await newLink());
    const page = await (await get(`/manage/show/${id}?preview=now`, cookie)).text();
    expect(page).toContain(`href="${String(rustJob(1).apply_url).replaceAll('&', '&amp;')}"`);
    expect(page).toContain('started');
    expect(page).not.toContain('<script');
    for (let n = 0; n < 12; n++) await get(`/manage/show/${id}?preview=now`, cookie);
    expect(await (await get(`/manage/show/${id}?preview=now`, cookie)).text()).toContain('very often');
  });

  test('says so in words where nothing matches, without an empty chart', async () => {
    const id = await subscribe(HOOK);
    await house.announce(rustJob(3));
    const cookie = await open(await newLink());
    const shown = async () => (await get(`/manage/show/${id}?preview=now`, cookie)).text();
    expect(await shown()).toContain('<svg');
    await house.app.services.edit(caller, id, {
      filter: { tags: ['rust'], terms: ['not country: germany'] },
    });
    const page = await shown();
    expect(page).toContain('Nothing matched in the last 30 days.');
    expect(page).toMatch(/No posting matches now, of \d+ that were checked\./u);
    expect(page).not.toContain('<svg');
  });

  test('accepts no form without its secret, or from another site', async () => {
    const id = await subscribe(HOOK);
    const cookie = await open(await newLink());
    const other = await open(await newLink());
    const theirs = csrfOf(await (await get('/manage', other)).text());
    const [edit = ''] = /\/manage\/edit\/[^"]+/u.exec(await (await get('/manage', cookie)).text()) ?? [];
    for (const path of ['/manage', edit]) {
      for (const csrf of ['', 'x', theirs])
        expect((await press(path, cookie, { csrf, do: 'pause', id })).status).toBe(403);
      for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }])
        expect((await press(path, cookie, { do: 'pause', id }, headers)).status).toBe(403);
      expect((await house.press(path, { do: 'pause', id })).status).toBe(403);
    }
    expect((await house.app.services.subscription(caller, id)).state).toBe('active');
  });

  test('ends after 30 minutes without a request, and at the latest after 12 hours', async () => {
    const cookie = await open(await newLink());
    for (let minutes = 0; minutes < 12 * 60; minutes += 29) {
      expect((await get('/manage', cookie)).status).toBe(200);
      house.advance(29 * MINUTE);
    }
    expect((await get('/manage', cookie)).status).toBe(403);
    const idle = await open(await newLink());
    house.advance(30 * MINUTE);
    expect((await get('/manage', idle)).status).toBe(403);
  });

  test('ends with a sign-out, also for copies of its cookie', async () => {
    const [cookie, stays] = [await open(await newLink()), await open(await newLink())];
    const out = await press('/manage', cookie, { do: 'sign-out' });
    expect(out.headers.get('set-cookie')).toMatch(/jobcrier_manage=;.*Max-Age=0/u);
    expect((await get('/manage', cookie)).status).toBe(403);
    expect((await get('/manage', stays)).status).toBe(200);
  });

  test('ends when its account is erased or its links are revoked, and leaves no record', async () => {
    const cookie = await open(await newLink());
    const link = await newLink();
    await house.app.services.eraseAccount(reader.account);
    for await (const [row, value] of house.app.pipeline.stores.misc.entries('manage:'))
      expect(JSON.stringify(value), row).not.toContain(reader.account);
    expect((await get('/manage', cookie)).status).toBe(403);
    expect((await house.press(link)).status).toBe(404);
    await house.app.services.setToken(reader.account, secret(house.board.token));
    expect((await get('/manage', cookie)).status).toBe(403);

    await house.app.services.mail!.setAddress(reader.account, reader.address, 'en');
    const again = await open(await newLink());
    await house.app.services.mail!.removeAddress(reader.account);
    expect((await get('/manage', again)).status).toBe(403);
  });
});

describe('a link by mail', () => {
  test('goes to the confirmed address of the account only, three times a day, and opens its subscriptions', {
    tags: 'long',
  }, async () => {
    await subscribeReader(house, { reader });
    await subscribe(HOOK, { tags: ['solidity'] });
    await house.announce(rustJob(901));
    const { preferences = '' } = pageLinks(await house.mail(2, reader.address));
    const page = await (await house.visit(preferences)).text();
    expect(page).not.toContain('Solidity</a>');
    expect(page).not.toMatch(/\/manage\//u);
    // The posting also goes to readers of other tests.
    await house.settled();
    const before = house.smtp.mails.length;
    const asked = await (await house.press(preferences, { do: 'manage' })).text();
    expect(asked).toContain('Check your inbox');
    expect(asked).not.toContain(reader.address);
    const mail = await house.mail(3, reader.address);
    expect(mail.subject).toContain('all your subscriptions');
    expect(mail.text).toContain('expires in 15 minutes');
    const [link = ''] = new RegExp(`${PAGES}/manage/[\\w.-]+`, 'u').exec(mail.text ?? '') ?? [];
    expect(await (await get('/manage', await open(link))).text()).toContain('Solidity');

    for (const status of ['Check your inbox', 'Check your inbox', 'Not now', 'Not now'])
      expect(await (await house.press(preferences, { do: 'manage' })).text()).toContain(status);
    expect(house.smtp.mails.length - before).toBe(3);
    house.advance(24 * 60 * MINUTE);
    expect(await (await house.press(preferences, { do: 'manage' })).text()).toContain('Check your inbox');
  });
});
