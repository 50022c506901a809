// The access key on the page of a session: made, shown once, replaced and revoked, for the account of the session only.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newReader, openReaderHouse, type Reader, type ReaderHouse } from '../helpers/reader-house.js';

let house: ReaderHouse;
let reader: Reader;

beforeAll(async () => {
  house = await openReaderHouse();
  reader = await newReader(house);
});
afterAll(() => house.close());

/** Opens a session as a browser does; the cookie that it sends from now on. */
async function open(account: string): Promise<string> {
  const link = (await house.app.services.manageLink(account, 'reply')) as string;
  const answer = await house.press(link);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

const get = (path: string, cookie: string) => house.visit(path, { headers: { cookie } });
const csrfOf = (html: string) => /name="csrf" value="([^"]+)"/u.exec(html)?.[1] ?? '';
const keyIn = (html: string) => /<code>(jobcrier_[^<]+)<\/code>/u.exec(html)?.[1];

async function press(cookie: string, what: string, csrf?: string) {
  const body = new URLSearchParams({
    csrf: csrf ?? csrfOf(await (await get('/manage/access', cookie)).text()),
    do: what,
  });
  return house.visit('/manage/access', { method: 'POST', body, headers: { cookie } });
}

/** The status of a request with the key. */
const works = async (key: string | undefined) =>
  (await fetch(house.at('/api/subscriptions'), { headers: { Authorization: `Bearer ${key}` } })).status;

test('a key is made, shown once, replaced and revoked', async () => {
  const cookie = await open(reader.account);
  expect(await (await get('/manage', cookie)).text()).toContain('<a href="/manage/access">Access key</a>');
  expect(await (await get('/manage/access', cookie)).text()).toContain('You have no access key.');
  const made = await press(cookie, 'read');
  expect(made.headers.get('cache-control')).toBe('no-store');
  const html = await made.text();
  const key = keyIn(html);
  expect(html).toContain('It can change nothing.');
  expect(await works(key)).toBe(200);
  const later = await (await get('/manage/access', cookie)).text();
  expect(later).toContain('You have had an access key since');
  expect(later).not.toContain(key);
  const second = keyIn(await (await press(cookie, 'write')).text());
  expect([await works(key), await works(second)]).toEqual([401, 200]);
  expect(await house.app.services.accessKey(reader.account)).toMatchObject({ write: true });
  expect((await press(cookie, 'nonsense')).headers.get('location')).toBe('/manage/access');
  const revoked = await press(cookie, 'revoke');
  expect(revoked.headers.get('location')).toBe('/manage/access?done=revoked');
  expect(await works(second)).toBe(401);
  expect(await (await get('/manage/access?done=revoked', cookie)).text()).toContain('is revoked.');
  expect(JSON.stringify(house.log)).not.toContain(second);
});

test('it needs a session and its own form', async () => {
  const other = await newReader(house);
  const [mine, theirs] = [await open(reader.account), await open(other.account)];
  expect((await get('/manage/access', '')).status).toBe(403);
  const csrf = csrfOf(await (await get('/manage/access', theirs)).text());
  expect((await press(mine, 'write', csrf)).status).toBe(403);
  expect((await press(mine, 'write', 'wrong')).status).toBe(403);
  expect(await house.app.services.accessKey(reader.account)).toBeUndefined();
});
