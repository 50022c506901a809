// The public archive of a channel: off unless its owner asks for it, only for places that many people read anyway, with
// every apply link unchanged.
import Parser from 'rss-parser';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BotHouse, jobOf, linkOf, openHouse } from '../helpers/bot-house.js';
import { until } from '../helpers/until.js';

const PAGES = 'https://crier.example.org';
let house: BotHouse;
let next = 100;
beforeAll(async () => {
  house = await openHouse({ env: { PUBLIC_URL: PAGES } });
});
beforeEach(() => house.newServer());
afterAll(() => house.close());

const get = (path: string, init: RequestInit = {}) =>
  fetch(house.app.web.url() + path.replace(PAGES, ''), { redirect: 'manual', ...init });
const account = () => `discord:${house.admin.id}`;
const caller = () => ({ account: account(), manages: house.guild.id, locale: 'en' });

async function subscribe(options?: object, target = house.guild.channel('jobs').id): Promise<string> {
  const { report } = await house.services.subscribe(caller(), {
    filter: { tags: ['rust'] },
    guild: house.guild.id,
    destination: { sink: 'discord', target, cadence: 'immediate', ...(options ? { options } : {}) },
  });
  return report.subscription.id;
}

async function setArchive(
  id: string,
  archive: boolean,
  target = house.guild.channel('jobs').id,
): Promise<void> {
  const destination = { sink: 'discord', target, cadence: 'immediate', options: { archive } };
  await house.services.edit(caller(), id, { destination });
}

/** A posting that a subscription has delivered and stored. Returns its number. */
async function announce(id: string): Promise<number> {
  next++;
  const number = next;
  await house.board.addJob(jobOf(number, { title: `Rust <b>& Engineer ${number}` }));
  await house.poll();
  await until(
    async () =>
      (await house.services.editions(account(), 50)).some(
        ({ subscription, postings }) =>
          subscription === id && postings.some(({ title }) => title?.endsWith(`${number}`)),
      ),
    { what: `posting ${number} in an edition` },
  );
  return number;
}

test('is off unless it is asked for, and gone immediately when it is turned off', {
  tags: 'long',
}, async () => {
  const id = await subscribe();
  await announce(id);
  expect((await get(`/archive/${id}`)).status).toBe(404);
  await setArchive(id, true);
  const page = await get(`/archive/${id}`);
  expect(page.status).toBe(200);
  await setArchive(id, false);
  const etag = page.headers.get('etag') as string;
  for (const path of [`/archive/${id}`, `/archive/${id}/feed`])
    expect((await get(path, { headers: { 'If-None-Match': etag } })).status).toBe(404);
  await setArchive(id, true);
  await house.services.remove(caller(), id);
  expect((await get(`/archive/${id}`)).status).toBe(404);
  expect((await get('/archive/nothing')).status).toBe(404);
});

test('shows no edition that went to a person, or to a place that does not ask for it', async () => {
  const dm = await subscribe({ archive: true }, `dm:${house.admin.id}`);
  await announce(dm);
  expect((await get(`/archive/${dm}`)).status).toBe(404);
  // Moved to a channel: what the person got before stays theirs.
  await setArchive(dm, true);
  const page = await (await get(`/archive/${dm}`)).text();
  expect(page).toContain('Nothing has been announced yet.');
  expect(await (await get(`/archive/${dm}/feed`)).text()).not.toContain('<item>');
});

test('has the apply links byte for byte, the note, and nothing about people or places', async () => {
  const id = await subscribe({ archive: true });
  const numbers = [await announce(id), await announce(id)];
  const answer = await get(`/archive/${id}`);
  const page = await answer.text();
  for (const number of numbers) {
    expect(page).toContain(
      `<a href="${linkOf(number).replaceAll('&', '&amp;')}">Rust &lt;b&gt;&amp; Engineer ${number}</a>`,
    );
  }
  expect(page.indexOf(`Engineer ${numbers[1]}`)).toBeLessThan(page.indexOf(`Engineer ${numbers[0]}`));
  expect(page).toContain('Apply links carry attribution');
  expect(page).not.toMatch(/<a[^>]*\srel=|nofollow|<script|<form/u);
  for (const secret of [house.admin.id, house.guild.id, house.guild.channel('jobs').id, house.board.token])
    expect(page).not.toContain(secret);
  expect(answer.headers.get('x-robots-tag')).toBe('all');
  expect(answer.headers.get('cache-control')).toBe('public, no-cache');
  expect(answer.headers.get('set-cookie')).toBeNull();
  const again = await get(`/archive/${id}`, {
    headers: { 'If-None-Match': answer.headers.get('etag') as string },
  });
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'public, no-cache']);

  const feedAnswer = await get(/href="([^"]+\/feed)"/u.exec(page)?.[1] ?? '');
  expect(feedAnswer.headers.get('content-type')).toMatch(/^application\/rss\+xml/u);
  const body = await feedAnswer.text();
  const feed = await new Parser().parseString(body);
  expect(feed.items.map(({ link }) => link)).toEqual(numbers.reverse().map(linkOf));
  expect(feed.title).toMatch(/^Rust: jobs via/u);
  expect(feed.link).toBe(`${PAGES}/archive/${id}`);
  expect(body).toContain(`<atom:link href="${PAGES}/archive/${id}/feed" rel="self"`);
  expect(body).toContain('Apply links carry attribution');
  for (const secret of [house.admin.id, house.guild.id]) expect(body).not.toContain(secret);
});

test('is turned on and off by its owner on the page with all subscriptions', async () => {
  const id = await subscribe({ mention: house.guild.id });
  const link = (await house.services.manageLink(account(), 'reply')) as string;
  const opened = await get(link, { method: 'POST' });
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] as string;
  const list = await (await get('/manage', { headers: { cookie } })).text();
  const [edit = ''] = /\/manage\/edit\/[^"]+/u.exec(list) ?? [];
  const csrf = /name="csrf" value="([^"]+)"/u.exec(list)?.[1] ?? '';
  expect(await (await get(edit, { headers: { cookie } })).text()).toContain('name="archive"');
  const save = (archive: string) => {
    const fields = { do: 'save', every: 'immediate', timezone: 'UTC', tags: 'rust', locale: 'en', archive };
    return get(edit, { method: 'POST', headers: { cookie }, body: new URLSearchParams({ csrf, ...fields }) });
  };
  const options = async () =>
    (await house.services.subscription(caller(), id)).subscription.destinations[0]?.options;
  expect((await save('yes')).status).toBe(303);
  expect(await options()).toEqual({ mention: house.guild.id, archive: true });
  expect(await (await get(`/manage/show/${id}`, { headers: { cookie } })).text()).toContain(
    `${PAGES}/archive/${id}`,
  );
  expect((await get(`/archive/${id}`)).status).toBe(200);
  expect((await save('')).status).toBe(303);
  expect(await options()).toEqual({ mention: house.guild.id });
  expect((await get(`/archive/${id}`)).status).toBe(404);
});
