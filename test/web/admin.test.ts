// The operator's pages over real HTTP with the whole service: who may sign in, what the pages show, and the retry.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { isPaused } from '../../src/domain/subscription.js';
import { ADMIN_TOKEN, csrfOf, type OperatorHouse, openOperatorHouse } from '../helpers/operator-house.js';
import { isPolled } from '../helpers/polled.js';
import { rustJob } from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

let house: OperatorHouse | undefined;
afterEach(async () => {
  await house?.close();
  house = undefined;
});

async function open(options?: Parameters<typeof openOperatorHouse>[0]): Promise<OperatorHouse> {
  house = await openOperatorHouse(options);
  return house;
}

const MINUTE = 60_000;
const PAGES = [
  '/admin',
  '/admin/subscriptions',
  '/admin/subscription?id=hook',
  '/admin/entries',
  '/admin/deliveries',
  '/admin/accounts',
  '/admin/checks',
  '/admin/log',
];

/** A service whose only destination is parked, with one posting waiting for it. */
async function parked(): Promise<OperatorHouse> {
  const one = await open();
  await one.poll();
  one.receiver.answers.push(410);
  await one.board.addJob(rustJob(3));
  await one.poll();
  await until(async () => (await one.app.pipeline.stores.ledgers.parked()).includes('hook'), {
    what: 'parking',
  });
  return one;
}

describe('signing in', () => {
  test('is not offered without ADMIN_TOKEN: all pages answer 404', async () => {
    const { visit, post } = await open({ env: { ADMIN_TOKEN: '' } });
    const nowhere = await (await visit('/no/such/page')).text();
    for (const path of [...PAGES, '/assets/admin.css']) {
      const answer = await visit(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text()).toBe(nowhere);
    }
    expect((await post('/admin/sign-in', { token: '' })).status).toBe(404);
    expect((await visit('/admin', { headers: { authorization: 'Bearer ' } })).status).toBe(404);
  });

  test('is required for every page and every action', async () => {
    const { visit, post, log } = await open();
    for (const path of PAGES) {
      const answer = await visit(path);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(await answer.text()).toContain('ADMIN_TOKEN');
    }
    expect((await post('/admin/retry', { subscription: 'hook', destination: 'x' })).status).toBe(401);
    expect((await post('/admin/log-level', { level: 'debug' })).status).toBe(401);
    for (const action of ['pause', 'resume'])
      expect((await post(`/admin/${action}`, { subscription: 'hook' })).status).toBe(401);
    expect(log.level).toBe('info');
  });

  test('opens a session by the token, with a cookie hidden from scripts and other sites; signing out ends it', async () => {
    const { post, visit, page } = await open();
    const wrong = await post('/admin/sign-in', { token: 'wrong' });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('set-cookie')).toBeNull();
    expect(await wrong.text()).toContain('not the token');
    const right = await post('/admin/sign-in', { token: ADMIN_TOKEN });
    expect([right.status, right.headers.get('location')]).toEqual([303, '../admin']);
    const given = right.headers.get('set-cookie') ?? '';
    expect(given).toMatch(/; HttpOnly/u);
    expect(given).toMatch(/; SameSite=Strict/u);
    expect(given).not.toMatch(/; Secure/u);
    expect(given).not.toContain(ADMIN_TOKEN);
    const cookie = given.split(';')[0] as string;
    const overview = await page('/admin', cookie);
    expect(overview).toContain('Waiting for delivery');
    const out = await post('/admin/sign-out', { csrf: csrfOf(overview) }, { cookie });
    expect(out.headers.get('set-cookie')).toMatch(/Max-Age=0/u);
    expect((await visit('/admin', { headers: { cookie } })).status).toBe(401);
    expect((await visit('/admin')).headers.get('cache-control')).toBe('no-store');
  });

  test('restricts the cookie to HTTPS and to this host behind a TLS proxy', async () => {
    const { post, visit } = await open({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const answer = await post('/admin/sign-in', { token: ADMIN_TOKEN }, { 'x-forwarded-proto': 'https' });
    const given = answer.headers.get('set-cookie') ?? '';
    expect(given).toMatch(/^__Host-/u);
    expect(given).toMatch(/; Secure/u);
    const cookie = given.split(';')[0] as string;
    expect((await visit('/admin', { headers: { cookie } })).status).toBe(200);
  });

  test('is undone by signing out for all cookies of one session, and for no other session', async () => {
    const { signIn, visit, post, page, advance } = await open();
    const first = await signIn();
    const other = await signIn();
    advance(10 * MINUTE);
    const renewed =
      (await visit('/admin/log', { headers: { cookie: first } })).headers.get('set-cookie') ?? '';
    const later = renewed.split(';')[0] as string;
    expect(later).not.toBe(first);
    await post('/admin/sign-out', { csrf: csrfOf(await page('/admin', later)) }, { cookie: later });
    for (const [cookie, status] of [
      [first, 401],
      [later, 401],
      [other, 200],
    ] as const)
      expect((await visit('/admin/log', { headers: { cookie } })).status).toBe(status);
  });

  test("lasts for an hour without a request and for twelve hours at most, and can't be forged", async () => {
    const { signIn, visit, advance } = await open();
    let cookie = await signIn();
    const status = async () => {
      const answer = await visit('/admin/log', { headers: { cookie } });
      const renewed = answer.headers.get('set-cookie')?.split(';')[0];
      if (renewed) cookie = renewed;
      return answer.status;
    };
    const forged = cookie.replace(/\.(\d+)\./u, (_, ends: string) => `.${Number(ends) + MINUTE}.`);
    expect(forged).not.toBe(cookie);
    expect((await visit('/admin/log', { headers: { cookie: forged } })).status).toBe(401);
    for (let minutes = 0; minutes < 11 * 60; minutes += 50) {
      advance(50 * MINUTE);
      expect(await status()).toBe(200);
    }
    advance(50 * MINUTE);
    expect(await status()).toBe(401);
    cookie = await signIn();
    advance(61 * MINUTE);
    expect(await status()).toBe(401);
  });

  test('is not needed for a program that sends the token; a wrong token is refused', async () => {
    const { visit, post, log } = await open();
    const bearer = { authorization: `Bearer ${ADMIN_TOKEN}` };
    expect((await visit('/admin/accounts', { headers: bearer })).status).toBe(200);
    expect((await post('/admin/log-level', { level: 'debug' }, bearer)).status).toBe(303);
    expect(log.level).toBe('debug');
    const refused = await visit('/admin', { headers: { authorization: 'Bearer wrong' } });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="jobcrier"',
    ]);
  });
});

describe('guessing the token', () => {
  const TRUSTED = { env: { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' } };
  const guess = (one: OperatorHouse, forwarded: string, token = 'wrong') =>
    one.post('/admin/sign-in', { token }, { 'x-forwarded-for': forwarded });

  test('is refused after five attempts from one address for a quarter of an hour; the right token never is', async () => {
    const one = await open(TRUSTED);
    for (let count = 0; count < 4; count++) expect((await guess(one, '203.0.113.7')).status).toBe(401);
    const refused = await guess(one, '203.0.113.7');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect((await guess(one, '203.0.113.8')).status).toBe(401);
    one.advance(15 * MINUTE);
    expect((await guess(one, '203.0.113.7')).status).toBe(401);
    expect(one.lines.join('')).not.toMatch(/203\.0\.113|"wrong"/u);
  });

  test('does not count a request that broke off before the token was sent', async () => {
    const one = await open();
    const { port } = new URL(one.app.web.url());
    const head =
      'POST /admin/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 500\r\n\r\n';
    one.log.level = 'debug';
    for (let count = 0; count < 20; count++) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`${head}token=`, () => socket.destroy());
    }
    const told = (words: string) => one.lines.filter((line) => line.includes(words));
    await until(() => told('request broken off').length === 20, { what: 'the lines' });
    expect(told('wrong token')).toEqual([]);
    expect((await guess(one, '192.0.2.1')).status).toBe(401);
  });

  test('by hundreds of requests, from one address and from many, blocks neither the form nor a program', {
    tags: 'long',
  }, async () => {
    const one = await open(TRUSTED);
    const from = (count: number) => (count % 2 === 0 ? '203.0.113.7' : `198.51.100.${count % 250}`);
    const answers = await Promise.all(Array.from({ length: 300 }, (_, count) => guess(one, from(count))));
    const ofOne = answers.filter((_, count) => count % 2 === 0).map(({ status }) => status);
    expect(ofOne.filter((status) => status === 401)).toHaveLength(4);
    expect(ofOne.filter((status) => status === 429)).toHaveLength(146);
    for (const address of ['203.0.113.7', '198.51.100.1', '192.0.2.1'])
      expect((await guess(one, address, ADMIN_TOKEN)).status).toBe(303);
    const bearer = { authorization: `Bearer ${ADMIN_TOKEN}`, 'x-forwarded-for': '203.0.113.7' };
    expect((await one.visit('/admin', { headers: bearer })).status).toBe(200);
    const told = one.lines.filter((line) => line.includes('wrong token'));
    expect(told).toHaveLength(1);
    one.advance(MINUTE);
    await guess(one, '192.0.2.1');
    expect(one.lines.at(-1)).toContain('"times":300');
  });

  test('counts by the last address that is no trusted proxy, and a /48 of IPv6 as one', async () => {
    const one = await open(TRUSTED);
    for (let count = 1; count <= 4; count++)
      await guess(one, `6.6.6.${count}, 2001:db8:1:${count}::1, 10.0.0.${count}`);
    expect((await guess(one, '6.6.6.6, [2001:db8:1:9::1]:4711, 10.0.0.9')).status).toBe(429);
    expect((await guess(one, '2001:db8:1:9::1, 2001:db8:2::1, 10.0.0.9')).status).toBe(401);
    for (let count = 1; count <= 4; count++) await guess(one, `::ffff:192.0.2.9, 10.0.0.${count}`);
    expect((await guess(one, '192.0.2.9')).status).toBe(429);
    expect((await guess(one, 'nonsense, 192.0.2.10')).status).toBe(401);
  });

  test("can't be spread by a header from outside, which is ignored by default", async () => {
    const one = await open();
    for (let count = 1; count <= 4; count++)
      expect((await guess(one, `203.0.113.${count}`)).status).toBe(401);
    expect((await guess(one, '203.0.113.99')).status).toBe(429);
    expect((await guess(one, '203.0.113.99', ADMIN_TOKEN)).status).toBe(303);
    const secure = await one.post('/admin/sign-in', { token: ADMIN_TOKEN }, { 'x-forwarded-proto': 'https' });
    expect(secure.headers.get('set-cookie')).not.toMatch(/; Secure/u);
    expect(one.lines.filter((line) => line.includes('TRUSTED_PROXIES'))).toHaveLength(1);
  });
});

describe('forms', () => {
  test('are accepted only from a page of the session', async () => {
    const { signIn, page, post, log } = await open();
    const cookie = await signIn();
    const csrf = csrfOf(await page('/admin/log', cookie));
    expect(csrf.length).toBeGreaterThan(20);
    const foreign: [Record<string, string>, Record<string, string>][] = [
      [{}, {}],
      [{ csrf: 'wrong' }, {}],
      [{ csrf: csrfOf(await page('/admin/log', await signIn())) }, {}],
      [{ csrf }, { 'sec-fetch-site': 'cross-site' }],
      [{ csrf }, { 'sec-fetch-site': 'same-site' }],
      [{ csrf }, { origin: 'https://evil.example' }],
    ];
    for (const [fields, headers] of foreign) {
      const answer = await post('/admin/log-level', { level: 'debug', ...fields }, { cookie, ...headers });
      expect([fields, headers, answer.status]).toEqual([fields, headers, 403]);
    }
    expect(log.level).toBe('info');
    const own = await post('/admin/log-level', { level: 'debug', csrf }, { cookie, origin: 'null' });
    expect([own.status, own.headers.get('location')]).toEqual([303, 'log?done=level']);
    expect(log.level).toBe('debug');
    const odd = await post('/admin/log-level', { level: 'silent', csrf }, { cookie });
    expect(odd.headers.get('location')).toBe('log');
    expect(log.level).toBe('debug');
  });

  test('are not read if they are too large', async () => {
    const { signIn, post } = await open();
    const cookie = await signIn();
    const answer = await post('/admin/log-level', { level: 'x'.repeat(20_000) }, { cookie });
    expect(answer.status).toBe(413);
  });
});

describe('a subscription', () => {
  test('is paused and resumed by a form of the session, and by no other', async () => {
    const one = await open();
    const { stores } = one.app.pipeline;
    await one.poll();
    const cookie = await one.signIn();
    const paused = async () => {
      const hook = await stores.subscriptions.get('hook');
      return hook && isPaused(hook);
    };
    const page = await one.page('/admin/subscription?id=hook', cookie);
    expect(page).toContain('action="../admin/pause"');
    expect((await one.post('/admin/pause', { subscription: 'hook' }, { cookie })).status).toBe(403);
    expect(await paused()).toBe(false);
    const form = { subscription: 'hook', csrf: csrfOf(page) };
    const done = await one.post('/admin/pause', form, { cookie });
    expect(done.headers.get('location')).toBe('subscription?id=hook&done=paused');
    expect(await paused()).toBe(true);
    const after = await one.page('/admin/subscription?id=hook&done=paused', cookie);
    expect(after).toContain('action="../admin/resume"');
    expect(after).toContain('The subscription is paused.');
    await one.board.addJob(rustJob(3));
    await one.post('/admin/resume', form, { cookie });
    expect(await paused()).toBe(false);
    await one.board.addJob(rustJob(4));
    await one.poll();
    await until(() => one.receiver.received.length > 0, { what: 'the delivery' });
    // What appeared during the pause is not sent.
    const sent = one.receiver.received.flatMap(({ body }) => body.data.postings.map(({ title }) => title));
    expect(sent).toEqual(['Rust Engineer 4']);
    const gone = await one.post('/admin/pause', { ...form, subscription: 'nothing' }, { cookie });
    expect(gone.headers.get('location')).toBe('subscriptions?done=gone');
  });
});

describe('subscriptions as text', () => {
  const ENTRY = (target: string, tags = 'rust') =>
    `- { id: mine, filter: { tags: [${tags}] }, destinations: [{ sink: webhook, target: "${target}", cadence: immediate }] }`;

  async function signedIn() {
    const one = await open();
    await one.poll();
    const cookie = await one.signIn();
    const csrf = csrfOf(await one.page('/admin/entries', cookie));
    const send = (fields: Record<string, string>) =>
      one.post('/admin/entries', { csrf, ...fields }, { cookie });
    const stored = () => one.app.pipeline.stores.subscriptions.get('mine');
    return { one, cookie, send, stored };
  }

  test('are checked without saving: what would change, and what one entry finds now', async () => {
    const { one, send, stored } = await signedIn();
    const answer = await send({ do: 'check', text: ENTRY(one.receiver.url) });
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).toContain('Would be added: mine.');
    expect(page).toContain('2 postings match now');
    expect(page).toContain('id: mine');
    expect(await stored()).toBeUndefined();
    const wrong = await (await send({ do: 'save', text: '- { id: mine, nonsense: 1 }' })).text();
    expect(wrong).toContain('Nothing was saved');
    expect(wrong).toMatch(/subscriptions:1:\d+: entry 1/u);
    expect(await stored()).toBeUndefined();
    const ofFile = await send({ do: 'save', text: ENTRY(one.receiver.url).replace('mine', 'hook') });
    expect(await ofFile.text()).toContain('is kept in config/subscriptions.yaml');
  });

  test('are saved and polled; the form to edit one shows no target, and keeps it', {
    tags: 'long',
  }, async () => {
    const { one, cookie, send, stored } = await signedIn();
    const done = await send({ do: 'save', text: ENTRY(one.receiver.url) });
    expect([done.status, done.headers.get('location')]).toEqual([303, 'subscriptions?done=imported']);
    await until(() => isPolled(one.app.pipeline.stores, 'mine'), { what: 'the poll' });
    const before = await stored();
    expect(await one.page('/admin/subscription?id=mine', cookie)).toContain('entries?id=mine');
    expect(await one.page('/admin/subscription?id=hook', cookie)).not.toContain('entries?id=');
    const form = await one.page('/admin/entries?id=mine', cookie);
    expect(form).not.toContain(one.receiver.url);
    const [, target = ''] = /target: (stored:\S+)/u.exec(form) ?? [];
    await send({ do: 'save', text: ENTRY(target, 'rust, defi') });
    expect((await stored())?.filter.tags).toEqual(['rust', 'defi']);
    expect((await stored())?.destinations).toEqual(before?.destinations);
    const unknown = await (await send({ do: 'save', text: ENTRY('stored:elsewhere') })).text();
    expect(unknown).toContain('Nothing was saved');
  });

  test('of a person can be seen but not edited, and no form of another page saves any', async () => {
    const { one, cookie, stored } = await signedIn();
    const { subscriptions } = one.app.pipeline.stores;
    const hook = await subscriptions.get('hook');
    if (!hook) throw new Error('no subscription');
    await subscriptions.update('theirs', () => ({
      ...hook,
      id: 'theirs',
      account: 'discord:77',
      origin: 'discord',
    }));
    expect(await one.page('/admin/subscription?id=theirs', cookie)).not.toContain('entries?id=');
    expect(await one.page('/admin/entries?id=theirs', cookie)).toContain('id: rust-remote');
    const foreign = await one.post(
      '/admin/entries',
      { do: 'save', text: ENTRY(one.receiver.url) },
      { cookie },
    );
    expect(foreign.status).toBe(403);
    expect((await one.post('/admin/entries', { do: 'save', text: ENTRY(one.receiver.url) })).status).toBe(
      401,
    );
    expect(await stored()).toBeUndefined();
  });
});

describe('the pages show', () => {
  test('a parked destination with its reason, and the retry that delivers what waited', {
    tags: 'long',
  }, async () => {
    const one = await parked();
    const cookie = await one.signIn();
    const overview = await one.page('/admin', cookie);
    expect(overview).toContain('Parked: 1 destination');
    expect(overview).toMatch(/answered 410/u);
    const list = await one.page('/admin/deliveries', cookie);
    expect(list).toContain('Retry hook to webhook');
    expect(await one.page('/admin/subscriptions?state=parked', cookie)).toContain('1 subscription found');
    const [, destination] = /name="destination" value="([^"]+)"/u.exec(list) ?? [];
    const form = { subscription: 'hook', destination: destination as string, csrf: csrfOf(list) };
    const done = await one.post('/admin/retry', form, { cookie });
    expect(done.headers.get('location')).toBe('deliveries?done=retried');
    await until(() => one.receiver.received.length === 1, { what: 'the delivery' });
    expect(one.receiver.received[0]?.body.data.postings[0]?.title).toBe('Rust Engineer 3');
    await until(async () => (await one.page('/admin/deliveries', cookie)).includes('Nothing is waiting'), {
      what: 'an empty list',
    });
    const gone = await one.post('/admin/retry', { ...form, destination: 'nowhere' }, { cookie });
    expect(gone.headers.get('location')).toBe('deliveries?done=gone');
    expect((await one.app.pipeline.ledgers.read('hook')).parked).toEqual({});
  });

  test('the checks of doctor, problems first, without those of the tokens; visits at the same time share one run', async () => {
    let asked = 0;
    const elsewhere = createServer(async (_, answer) => {
      asked++;
      await wait(300);
      answer.writeHead(404).end();
    });
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
    const { port } = elsewhere.address() as AddressInfo;
    try {
      const one = await open({ env: { PUBLIC_URL: `http://127.0.0.1:${port}` } });
      const cookie = await one.signIn();
      const visits = await Promise.all(Array.from({ length: 5 }, () => one.page('/admin/checks', cookie)));
      expect(asked).toBe(1);
      const lists = visits.map((page) => /<ol.*<\/ol>/su.exec(page)?.[0] ?? '');
      expect(new Set(lists).size).toBe(1);
      const page = lists[0] as string;
      const names = [...page.matchAll(/<strong>([^<]+)<\/strong> /gu)].map(([, name]) => name);
      const states = [...page.matchAll(/class="badge [^>]*>([^<]+)</gu)].map(([, state]) => state);
      expect(states[names.indexOf('PUBLIC_URL')]).toBe('warning');
      expect([...new Set(states)]).toEqual(['warning', 'ok', 'not used']);
      expect(states.indexOf('ok')).toBe(states.lastIndexOf('warning') + 1);
      expect(page).toContain('→ start the service, then run this again');
      for (const name of ['settings', 'clock', 'store', 'templates']) expect(names).toContain(name);
      expect(names).not.toContain('jobs API');
      await one.page('/admin/checks', cookie);
      expect(asked).toBe(2);
    } finally {
      elsewhere.close();
    }
  });

  test.each([
    ['de', 'Dateisystem', 'der Speicher ist eine SQLite-Datei', 'DISCORD_TOKEN ist nicht gesetzt'],
    ['es', 'sistema de archivos', 'el almacén es un archivo SQLite', 'DISCORD_TOKEN no está configurado'],
  ])('the checks in the language of the browser: %s', { tags: 'long' }, async (language, ...expected) => {
    const one = await open();
    const headers = { cookie: await one.signIn(), 'Accept-Language': language };
    const page = await (await one.visit('/admin/checks', { headers })).text();
    for (const words of expected) expect(page).toContain(words);
    expect(page).not.toMatch(/is not set|is a SQLite file|can be written/u);
  });

  test('postings and deliveries of the day, drawn and as figures', { tags: 'long' }, async () => {
    const one = await open();
    await one.poll();
    await one.board.addJob(rustJob(3));
    await one.poll();
    await until(() => one.receiver.received.length === 1, { what: 'the delivery' });
    const cookie = await one.signIn();
    const day = /<tbody>\s*<tr><th scope="row">[^<]+<\/th><td>1<\/td><td>1<\/td><td>0<\/td>/u;
    const page = await until(
      async () => {
        const text = await one.page('/admin', cookie);
        return day.test(text) ? text : '';
      },
      { what: 'the figures' },
    );
    expect(page).toMatch(/aria-label="Postings delivered: 1 in 30 days; most on [^"]+, 1\."/u);
    expect(page.match(/<rect /gu)).toHaveLength(62);
  });

  test('states, coverage and next polls of all subscriptions; a hundred to a page, filtered by words and state', {
    tags: 'long',
  }, async () => {
    const one = await open();
    const { stores } = one.app.pipeline;
    const hook = await stores.subscriptions.get('hook');
    if (!hook) throw new Error('no subscription');
    for (let count = 0; count < 205; count++) {
      const id = `bulk-${String(count).padStart(3, '0')}`;
      const account = count < 3 ? 'discord:77' : hook.account;
      await stores.subscriptions.update(id, () => ({ ...hook, id, account, pausedAt: 1 }));
    }
    await stores.history.note('hook', { at: Date.now(), kind: 'gap' });
    one.advance(20_000);
    const cookie = await one.signIn();
    const rows = (page: string) => page.match(/<th scope="row">/gu)?.length ?? 0;
    const first = await one.page('/admin/subscriptions', cookie);
    expect(rows(first)).toBe(100);
    expect(first).toContain('Page 1 of 3');
    expect(first).toMatch(/>1 gap</u);
    expect(first).toContain('href="?page=2"');
    const last = await one.page('/admin/subscriptions?page=99', cookie);
    expect(rows(last)).toBe(6);
    expect(last).toContain('Page 3 of 3');
    const words = await one.page('/admin/subscriptions?filter=BULK-01+operator', cookie);
    expect(rows(words)).toBe(10);
    expect(rows(await one.page('/admin/subscriptions?state=paused&filter=discord:77', cookie))).toBe(3);
    const none = await one.page('/admin/subscriptions?filter=%3Cb%3E', cookie);
    expect(none).toContain('Nothing matches this filter.');
    expect(none).toContain('value="&lt;b&gt;"');
    expect(await one.page('/admin/accounts', cookie)).toContain('discord:77');
    expect(rows(await one.page('/admin/accounts?state=missing', cookie))).toBe(1);
  });

  test('every destination of a subscription, with the cause and the time of the next attempt', {
    tags: 'long',
  }, async () => {
    const one = await open({
      subscriptions: `- id: mixed
  filter: { tags: [rust] }
  destinations:
    - { sink: console, cadence: { weekly: monday } }
    - { sink: webhook, target: "http://127.0.0.1:9/nobody", cadence: immediate }
`,
    });
    await one.poll();
    const cookie = await one.signIn();
    const rowOf = (page: string, sink: string) =>
      page.split('<tr>').find((row) => row.includes(`<span class="name">${sink}`)) ?? '';
    const before = await one.page('/admin/subscription?id=mixed', cookie);
    expect(rowOf(before, 'webhook')).toMatch(/>active<.*data-label="Next attempt">–\s*</su);
    expect(rowOf(before, 'console, weekly on Monday')).toMatch(/data-label="Next attempt"><time/u);
    await one.board.addJob(rustJob(3));
    await one.poll();
    const page = await until(
      async () => {
        const text = await one.page('/admin/subscription?id=mixed', cookie);
        return text.includes('retrying') ? text : '';
      },
      { what: 'the failure', timeoutMs: 20_000 },
    );
    expect(rowOf(page, 'webhook')).toMatch(/data-label="Next attempt"><time[^>]+>in \d/u);
    expect(rowOf(page, 'webhook')).toMatch(/data-label="Reason" class="free">[^–<]{10}/u);
    expect(rowOf(page, 'console')).toContain('>waiting<');
    expect(page).not.toContain('/nobody');
    const list = await one.page('/admin/subscriptions?filter=webhook+mixed', cookie);
    expect(list).toContain('href="../admin/subscription?id=mixed"');
    // The address of a webhook is a secret: a search must not confirm a guess.
    const guess = await one.page('/admin/subscriptions?filter=webhook+nobody', cookie);
    expect(guess).toContain('Nothing matches this filter.');
    const none = await one.visit('/admin/subscription?id=nothing', { headers: { cookie } });
    expect(none.headers.get('location')).toBe('subscriptions?done=gone');
  });

  test('what the filter of a subscription finds now, with the apply links byte for byte', async () => {
    const one = await open();
    await one.poll();
    const cookie = await one.signIn();
    expect(await one.page('/admin/subscription?id=hook', cookie)).not.toContain('Rust Engineer');
    const page = await one.page('/admin/subscription?id=hook&preview=now', cookie);
    expect(page).toContain('2 postings match now, of 2 that were checked.');
    for (const { apply_url } of [rustJob(1), rustJob(2)])
      expect(page).toContain(`href="${String(apply_url).replaceAll('&', '&amp;')}"`);
  });

  test.each([
    [
      'de',
      [
        'Überblick',
        'Abos',
        'hook',
        'Abos anlegen oder ändern',
        'Zustellungen',
        'Konten',
        'Prüfungen',
        'Protokoll',
      ],
      'Anmelden',
    ],
    [
      'es',
      [
        'Resumen',
        'Suscripciones',
        'hook',
        'Añadir o cambiar suscripciones',
        'Entregas',
        'Cuentas',
        'Comprobaciones',
        'Registro',
      ],
      'Iniciar sesión',
    ],
  ])(
    'everything in the language that the browser asks for: %s',
    { tags: 'long' },
    async (locale, titles, signIn) => {
      const one = await parked();
      const headers = { 'accept-language': `${locale};q=0.9, en;q=0.5` };
      expect(await (await one.visit('/admin', { headers })).text()).toContain(`<h1>${signIn}</h1>`);
      const cookie = await one.signIn();
      for (const [index, path] of PAGES.entries()) {
        const page = await (await one.visit(path, { headers: { ...headers, cookie } })).text();
        expect(page).toContain(`<html lang="${locale}`);
        expect(page).toContain(`<h1>${titles[index]}</h1>`);
        // The log and the text of subscriptions stay in English, and so do the reasons that other programs give.
        const words = page.replace(/<(textarea|ol).*?<\/\1>|<[^>]*>/gsu, ' ');
        expect(words, path).not.toMatch(
          /\b(?:ago|subscriptions?|deliver\w*|parked|Waiting|State|since)\b(?!\.)/u,
        );
      }
    },
  );

  test('the state of a rejected token, and never a token', async () => {
    const one = await open();
    await one.poll();
    await one.board.setTokens([{ token: 'another-token' }]);
    await one.poll();
    await until(() => one.log.recent().some((line) => line.message === 'owner notice'), {
      what: 'the rejection',
    });
    one.advance(20_000);
    const cookie = await one.signIn();
    const pages = await Promise.all(PAGES.map((path) => one.page(path, cookie)));
    expect(pages[1]).toContain('token rejected');
    expect(pages[5]).toMatch(/rejected<\/span>/u);
    expect(pages.join('')).not.toContain(one.board.token);
    expect(pages.join('')).not.toContain(ADMIN_TOKEN);
  });

  test('the newest warnings of the log, without secrets', async () => {
    const { log, signIn, page } = await open();
    log.info({}, 'all is well');
    log.error(
      { reason: 'GET https://jobs.example/api?token=abcdef failed for me@example.org' },
      'it <broke>',
    );
    const cookie = await signIn();
    const text = await page('/admin/log', cookie);
    expect(text).toContain('it &lt;broke&gt;');
    expect(text).toContain('token=[secret] failed for [address]');
    expect(text).not.toContain('all is well');
    for (let count = 0; count < 150; count++) log.warn({ count }, 'again');
    expect((await page('/admin/log', cookie)).match(/<li>\s*<p><span class="badge/gu)).toHaveLength(100);
  });

  test('the state of a service whose store fails', async () => {
    const one = await open();
    const cookie = await one.signIn();
    await one.app.pipeline.stores.close();
    const page = await until(
      async () => {
        const text = await one.page('/admin', cookie);
        return text.includes('Not ready') ? text : '';
      },
      { what: 'the page to say so', timeoutMs: 20_000 },
    );
    expect(page).toMatch(/<dt>store<\/dt><dd><span class="mark bad">/u);
  });
});
