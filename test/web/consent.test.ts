// The path of a reader from an entered address to mails and to unsubscribing, with the whole service behind the
// pages.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ONLY_ON_REQUEST } from '../helpers/polled.js';
import {
  confirmLink,
  linkOn,
  openReaderHouse,
  pageLinks,
  READER,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

let house: ReaderHouse;

beforeEach(async () => {
  house = await openReaderHouse();
});

afterEach(() => house.close());

const ONE_CLICK = { 'List-Unsubscribe': 'One-Click' };

describe('confirming an address', () => {
  test('takes one mail, and the button in it starts the mails', async () => {
    const { services } = house.app;
    await services.mail!.setAddress(READER.account, READER.address, 'en');
    expect(await services.mail!.addressReport(READER.account)).toEqual({
      address: READER.address,
      state: 'unconfirmed',
    });
    const link = confirmLink(await house.mail(1));
    const page = await house.visit(link);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Yes, send them to me');
    expect((await services.mail!.addressReport(READER.account)).state).toBe('unconfirmed');
    const done = await house.press(link);
    expect(done.status).toBe(200);
    const html = await done.text();
    expect(html).toContain('Confirmed');
    expect(html).toContain('Start one with /jobs subscribe');
    expect(await services.mail!.addressReport(READER.account)).toEqual({
      address: READER.address,
      state: 'confirmed',
    });
    const again = await house.press(link);
    expect(again.status).toBe(404);
    expect(await again.text()).toContain('If you already used it, you do not need to do anything');
  });

  test('frees a subscription that waits for it, and sends what waited', async () => {
    const { services } = house.app;
    const { report } = await services.subscribe(
      { account: READER.account },
      {
        filter: { tags: ['rust'] },
        schedule: ONLY_ON_REQUEST,
        destination: { sink: 'email', target: 'elsewhere@example.org', cadence: 'immediate' },
      },
    );
    await house.announce(rustJob(3));
    const question = await house.mail(1);
    expect(question.subject).toContain('Please confirm');
    await until(
      async () =>
        (await services.subscription({ account: READER.account }, report.subscription.id)).stuck[0]?.state ===
        'parked',
    );
    const html = await (await house.press(confirmLink(question))).text();
    expect(html).toContain('Next email: as soon as a posting matches.');
    const mail = await house.mail(2);
    expect(mail.subject).toBe('Rust Engineer 3 at Firm 3, $100k–140k');
    expect(house.smtp.mails).toHaveLength(2);
  });

  test('says when the first mail comes, and offers a weekly one or the settings', async () => {
    const { services } = house.app;
    const caller = { account: READER.account };
    const subscribe = (tag: string) =>
      services.subscribe(caller, {
        filter: { tags: [tag] },
        timezone: 'Europe/Berlin',
        destination: { sink: 'email', target: READER.address, cadence: 'daily' },
      });
    const { report } = await subscribe('rust');
    const html = await (await house.press(confirmLink(await house.mail(1)))).text();
    expect(html).toContain('Subscription: Rust; daily at 09:00 Europe/Berlin.');
    expect(html).toMatch(
      /Next email: \w+,? \d+ \w+ \d{4} at 09:00 \(Europe\/Berlin\), if any posting matches/u,
    );
    const preferences = linkOn(html, 'preferences');
    expect(preferences).toMatch(/\?do=weekly$/u);
    expect((await house.press(preferences)).status).toBe(303);
    const { subscription } = await services.subscription(caller, report.subscription.id);
    expect(subscription.destinations[0]?.cadence).toMatchObject({
      every: 'weekly',
      day: 'monday',
      at: '09:00',
    });

    await subscribe('defi');
    await services.mail!.setAddress(READER.account, 'new@example.org', 'en');
    const several = await (await house.press(confirmLink(await house.mail(2)))).text();
    expect(several).toContain('To change one of your subscriptions');
    expect(several).toMatch(/Next email: \w+,? \d+ \w+ \d{4} at 09:00/u);
    expect(several.match(/href="\/preferences\/[^"]+">[^<]+/gu)?.map((link) => link.split('>')[1])).toEqual([
      'Rust; weekly on Monday 09:00 Europe/Berlin',
      'DeFi; daily at 09:00 Europe/Berlin',
    ]);
    expect((await house.visit(linkOn(several, 'preferences'))).status).toBe(200);
  });

  test('moves the subscriptions of the account to the new address', async () => {
    const id = await subscribeReader(house);
    await house.app.services.mail!.setAddress(READER.account, 'new@example.org', 'en');
    const { subscription } = await house.app.services.subscription({ account: READER.account }, id);
    expect(subscription.destinations[0]?.target).toBe(READER.address);
    await house.press(confirmLink(await house.mail(2)));
    const { subscription: moved } = await house.app.services.subscription({ account: READER.account }, id);
    expect(moved.destinations[0]?.target).toBe('new@example.org');
    await house.announce(rustJob(3));
    expect((await house.mail(3)).to?.[0]?.address).toBe('new@example.org');
  });
});

test('a subscription without consent, or whose reader unsubscribed, is not shown as active, even before anything waits', async () => {
  const { services } = house.app;
  const caller = { account: READER.account };
  const { report } = await services.subscribe(caller, {
    filter: { tags: ['rust'] },
    schedule: ONLY_ON_REQUEST,
    destination: { sink: 'email', target: 'elsewhere@example.org', cadence: 'immediate' },
  });
  const { id, destinations } = report.subscription;
  const destination = destinations[0]?.id as string;
  const now = async () => {
    const { state, stuck } = await services.subscription(caller, id);
    return [state, ...stuck.map((place) => [place.state, place.fix])];
  };
  expect(await now()).toEqual(['parked', ['blocked', 'mailUnconfirmed']]);
  await house.announce(rustJob(3));
  await house.press(confirmLink(await house.mail(1)));
  await house.mail(2);
  await until(async () => (await now())[0] === 'active');
  await services.mail?.stop({ account: READER.account, subscription: id, destination });
  expect(await now()).toEqual(['parked', ['blocked', 'mailUnsubscribed']]);
  await services.mail?.restart({ account: READER.account, subscription: id, destination });
  expect(await now()).toEqual(['active']);
});

describe('a visit', () => {
  test('of every link of every mail, twice, by GET, HEAD and prefetch, changes nothing', {
    tags: 'long',
  }, async () => {
    await house.app.services.mail!.setAddress('discord:other', 'second@example.org', 'en');
    const question = await house.mail(1);
    const id = await subscribeReaderToo();
    await house.announce(rustJob(3));
    await house.mail(3);
    await until(
      async () => (await house.app.services.subscription({ account: READER.account }, id)).owed === 0,
    );
    const mails = await house.mails();
    const links = new Set([
      confirmLink(question),
      ...mails.flatMap((mail) => Object.values(pageLinks(mail))),
    ]);
    expect(links.size).toBeGreaterThanOrEqual(4);
    const before = await house.state();
    for (const headers of [{}, { 'Sec-Purpose': 'prefetch' }])
      for (const link of links) {
        await (await house.visit(link, { headers })).text();
        expect((await house.visit(link, { method: 'HEAD', headers })).status).toBeLessThan(500);
      }
    expect(await house.state()).toBe(before);
  });

  async function subscribeReaderToo(): Promise<string> {
    await house.app.services.mail!.setAddress(READER.account, READER.address, 'en');
    await house.press(confirmLink(await house.mail(2)));
    return subscribeToo();
  }
});

describe('a link that does not work', () => {
  test('gives the same answer whatever is wrong with it', async () => {
    await subscribeReader(house);
    await house.announce(rustJob(3));
    const links = pageLinks(await house.mail(2));
    const tokenOf = (link = '') => link.slice(link.lastIndexOf('/') + 1);
    const good = tokenOf(links.unsubscribe);
    const answers: string[] = [];
    for (const path of [
      `/unsubscribe/${good.slice(0, -1)}`,
      `/unsubscribe/${good}x`,
      `/unsubscribe/${tokenOf(links.preferences)}`,
      `/preferences/${good}`,
      `/editions/${tokenOf(links.preferences)}`,
      `/feed/${good}`,
      `/confirm/${'A'.repeat(43)}`,
      '/confirm/x',
      '/unsubscribe/..%2f..%2fetc',
      '/nothing/here',
    ]) {
      const answer = await house.visit(path);
      expect(answer.status, path).toBe(404);
      answers.push(await answer.text());
    }
    expect(new Set(answers).size).toBe(1);
    for (const path of [`/unsubscribe/${good}x`, `/preferences/${good}`, `/resubscribe/${good}`])
      expect((await house.press(path)).status, path).toBe(404);
  });

  test('gives the same answer if it is wrong, used up, too old or revoked: in text, headers and method', {
    tags: 'long',
  }, async () => {
    const { services } = house.app;
    await services.mail!.setAddress(READER.account, READER.address, 'en');
    const used = confirmLink(await house.mail(1));
    await house.press(used);
    await subscribeToo();
    await house.announce(rustJob(3));
    const links = pageLinks(await house.mail(2));
    const feed = linkOn(await (await house.visit(links.preferences!)).text(), 'feed');
    const undo = linkOn(await (await house.press(links.unsubscribe!)).text(), 'resubscribe');
    await house.press(undo);
    await services.mail!.setAddress('discord:other', 'other@example.org', 'en');
    const open = confirmLink(await house.mail(3));

    const seen = async (link: string, method: string) => {
      const answer = await house.visit(link, { method });
      const { headers } = answer;
      const told = [...headers].filter(([name]) => !['date', 'keep-alive', 'connection'].includes(name));
      return JSON.stringify([answer.status, await answer.text(), told]);
    };
    const wrong = { GET: await seen('/preferences/x', 'GET'), POST: await seen('/preferences/x', 'POST') };
    expect(JSON.parse(wrong.GET)[0]).toBe(404);
    const same = async (what: string, link: string, methods = ['GET', 'POST'] as const) => {
      for (const method of methods) expect(await seen(link, method), `${what} ${method}`).toBe(wrong[method]);
    };

    await same('used up', used);
    await services.mail!.setAddress(READER.account, 'new@example.org', 'en');
    house.advance(31 * 86_400_000);
    await same('too old', links.preferences!);
    await same('too old', links.editions!);
    await same('too old', undo);
    await same('too old', open);
    await house.announce(rustJob(4));
    const fresh = pageLinks(await house.mail(5));
    const revoked = [fresh.preferences!, fresh.editions!, feed];
    for (const link of revoked) expect((await house.visit(link)).status).toBe(200);
    await services.mail!.removeAddress(READER.account);
    for (const link of revoked) await same('revoked', link);
  });

  test('is explained in the language of the browser', async () => {
    const answer = await house.visit('/unsubscribe/x', {
      headers: { 'Accept-Language': 'fr;q=0.9, de-AT, en' },
    });
    expect(await answer.text()).toContain('Dieser Link funktioniert nicht');
  });

  test('because of a new epoch does not open preferences, but still unsubscribes', async () => {
    await subscribeReader(house);
    await house.announce(rustJob(3));
    const links = pageLinks(await house.mail(2));
    await house.app.services.mail!.removeAddress(READER.account);
    expect((await house.visit(links.preferences!)).status).toBe(404);
    expect((await house.visit(links.unsubscribe!)).status).toBe(200);
    // No confirmation mail is sent to an address that its owner removed.
    await house.announce(rustJob(4));
    await house.settled();
    expect(house.smtp.mails).toHaveLength(2);
  });
});

async function subscribeToo(): Promise<string> {
  const { report } = await house.app.services.subscribe(
    { account: READER.account },
    {
      filter: { tags: ['rust'] },
      schedule: ONLY_ON_REQUEST,
      destination: { sink: 'email', target: READER.address, cadence: 'immediate' },
    },
  );
  return report.subscription.id;
}

test('every answer is private, and allows nothing from other sites and no script but that of the preferences page', async () => {
  await subscribeReader(house);
  await house.announce(rustJob(3));
  const links = Object.values(pageLinks(await house.mail(2)));
  for (const link of [...links, '/unsubscribe/x']) {
    const answer = await house.visit(link);
    const html = await answer.text();
    const header = (name: string) => answer.headers.get(name);
    expect(header('Cache-Control')).toBe('no-store');
    expect(header('Referrer-Policy')).toBe('no-referrer');
    expect(header('X-Robots-Tag')).toBe('noindex');
    expect(header('X-Content-Type-Options')).toBe('nosniff');
    expect(header('Strict-Transport-Security')).toMatch(/^max-age=/u);
    expect(header('Set-Cookie')).toBeNull();
    const policy = header('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    const own = link.includes('/preferences/') ? '<script src="/assets/page.js" defer></script>' : undefined;
    expect(policy).not.toMatch(/unsafe|https?:/u);
    expect(policy.includes("script-src 'self'; connect-src 'self'")).toBe(own !== undefined);
    expect(policy.includes('script-src')).toBe(own !== undefined);
    expect(html.match(/<script[^>]*>(?:.*<\/script>)?/gu)).toEqual(own ? [own] : null);
    expect(html).not.toMatch(/\son\w+=|style="|src="http|href="http(?!s:\/\/jobs\.example\/)/iu);
  }
});

test('no token, address or path of a page is logged', async () => {
  await subscribeReader(house);
  await house.announce(rustJob(3));
  const links = pageLinks(await house.mail(2));
  for (const link of Object.values(links)) await house.visit(link);
  await house.press(links.unsubscribe!, ONE_CLICK);
  const lines = house.log.lines.join('\n');
  expect(lines).not.toMatch(/reader@|crier\.example\.org\/|unsubscribe\//u);
  for (const link of Object.values(links)) expect(lines).not.toContain(link.slice(link.lastIndexOf('/') + 1));
});
