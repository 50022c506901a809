// The pages in a browser without JavaScript, on a computer and on a phone, in the light and the dark scheme.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jobOf, openHouse } from '../helpers/bot-house.js';
import { accessibilityFaults, NO_BROWSER, openBrowser, picture } from '../helpers/browser.js';
import { later } from '../helpers/later.js';
import { putFound } from '../helpers/put.js';
import {
  confirmLink,
  openReaderHouse,
  PAGES,
  pageLinks,
  READER,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

if (NO_BROWSER) console.warn(`browser tests skipped: ${NO_BROWSER}`);

const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  isMobile: true,
  hasTouch: true,
};
const caller = { account: READER.account };

describe.skipIf(NO_BROWSER)('pages in a browser', () => {
  let browser: Browser;
  let house: ReaderHouse;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    house = await openReaderHouse();
  });
  afterEach(() => house.close());

  /** A page without JavaScript on any device; it may request only this service. */
  async function open(
    link: string,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; asked: string[] }> {
    const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-GB', ...options });
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    await page.goto(house.at(link));
    return { page, asked };
  }

  const wide = (page: Page) =>
    page
      .locator('body')
      .evaluate((body) => body.scrollWidth <= body.ownerDocument.documentElement.clientWidth);

  test('confirm, change preferences, unsubscribe, undo', async () => {
    const { services } = house.app;
    await services.mail!.setAddress(READER.account, READER.address, 'en');
    const { page, asked } = await open(confirmLink(await house.mail(1)));
    await picture(page, 'confirm');
    await page.getByRole('button', { name: 'Yes, send them to me' }).click();
    await page.getByRole('heading', { name: 'Confirmed' }).waitFor();
    expect((await services.mail!.addressReport(READER.account)).state).toBe('confirmed');

    const { report } = await services.subscribe(caller, {
      filter: { tags: ['rust'] },
      schedule: '* * * * * *',
      destination: { sink: 'email', target: READER.address, cadence: 'immediate' },
    });
    const { id } = report.subscription;
    await house.announce(rustJob(3));
    const links = pageLinks(await house.mail(2));

    await page.goto(house.at(links.preferences!));
    await page.getByLabel('How often').selectOption('weekly');
    await page.getByLabel('Day', { exact: true }).selectOption('friday');
    await page.getByLabel('Time', { exact: true }).fill('18:30');
    await page.getByLabel('Time zone').selectOption('Kolkata');
    await page.getByText('Smart contracts', { exact: false }).first().click();
    await page.getByLabel('Solidity', { exact: true }).check();
    await page.getByLabel('Country').selectOption('germany');
    await page.getByLabel('Remote only').check();
    await page.getByLabel('Must not mention').fill('intern, unpaid');
    await page.getByLabel('Minimum yearly pay in dollars').fill('80000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').waitFor();
    await picture(page, 'preferences');
    const { subscription } = await services.subscription(caller, id);
    expect(subscription.filter).toMatchObject({
      tags: ['rust', 'solidity'],
      country: 'germany',
      remote: true,
      exclude: ['intern', 'unpaid'],
      minSalary: 80_000,
    });
    expect(subscription.destinations[0]?.cadence).toEqual({
      every: 'weekly',
      day: 'friday',
      at: '18:30',
      timezone: 'Asia/Kolkata',
    });

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    const restored = (await services.subscription(caller, id)).subscription;
    expect(restored.filter).toEqual({ ...report.subscription.filter, payUnknown: 'keep' });
    expect(restored.destinations[0]?.cadence.every).toBe('immediate');

    await page.getByLabel('Minimum yearly pay in dollars').fill('a lot');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').waitFor();
    await picture(page, 'preferences-refused');
    expect(await page.getByLabel('Minimum yearly pay in dollars').inputValue()).toBe('a lot');

    await page.goto(house.at(links.unsubscribe!));
    await picture(page, 'unsubscribe');
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
    const stream = { ...caller, subscription: id, destination: subscription.destinations[0]!.id };
    expect(await services.mail!.stoppedAt(stream)).toBeDefined();
    await picture(page, 'unsubscribed');
    await page.getByRole('button', { name: /Undo/u }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    expect(await services.mail!.stoppedAt(stream)).toBeUndefined();
    expect(new Set(asked)).toEqual(new Set([new URL(house.app.web.url()).origin]));
  });

  test('can be used by keyboard alone: every field in order, with a focus ring, and faults first when there are any', async () => {
    const id = await subscribeReader(house);
    await house.announce(rustJob(3));
    const { page } = await open(pageLinks(await house.mail(2)).preferences!);
    const here = () =>
      page.locator('body').evaluate(({ ownerDocument: { activeElement: one, defaultView } }) => ({
        name: one!.getAttribute('name') ?? one!.textContent ?? '',
        ring: defaultView!.getComputedStyle(one!).outlineStyle,
      }));
    const order: string[] = [];
    while (order.at(-1) !== 'Save') {
      await page.keyboard.press('Tab');
      const { name, ring } = await here();
      if (order.at(-1) === name) continue;
      expect(ring, name).not.toBe('none');
      order.push(name);
      if (name === 'at') await page.keyboard.type('0730AM');
      if (name === 'every') await page.keyboard.type('Every w');
      // The list finds a city by its name.
      if (name === 'timezone') await page.keyboard.type('Paris');
      if (name === 'minSalary') await page.keyboard.type('a lot');
      expect(order.length).toBeLessThan(40);
    }
    expect(order).toEqual([
      ...['Pause', 'Pause for a month', 'every', 'day', 'at', 'timezone', 'tags'],
      ...[
        'Engineering 16',
        'Smart contracts 13',
        'Product and design 6',
        'Community and growth 7',
        'Other 13',
      ],
      ...[
        'preset',
        'country',
        'remote',
        'include',
        'exclude',
        'minSalary',
        'dropUnknown',
        'want',
        'cap',
        'quietWeek',
        'locale',
        'Save',
      ],
    ]);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect((await here()).name).toContain('“a lot” is not a yearly pay');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    // The link of a fault leads to its field, and the next key continues from there.
    expect((await here()).name).toMatch(/minSalary|dropUnknown/u);
    await page.getByLabel('Minimum yearly pay in dollars').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('80k');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    const { subscription } = await house.app.services.subscription(caller, id);
    expect(subscription.destinations[0]?.cadence).toMatchObject({
      every: 'weekly',
      at: '07:30',
      timezone: 'Europe/Paris',
    });
  });

  test.each([true, false])(
    'shows day and time only where they apply, and Save at any place of the form (scripts: %s)',
    async (javaScriptEnabled) => {
      await subscribeReader(house);
      await house.announce(rustJob(3));
      const { page } = await open(pageLinks(await house.mail(2)).preferences!, {
        ...PHONE,
        javaScriptEnabled,
      });
      const shown = () =>
        Promise.all(
          ['Day', 'Time', 'Time zone', 'Also write when a week brings nothing'].map((label) =>
            page.getByLabel(label, { exact: true }).isVisible(),
          ),
        );
      for (const [every, wanted] of [
        ['immediate', [false, false, false, false]],
        ['hourly', [false, false, false, false]],
        ['daily', [false, true, true, false]],
        ['weekly', [true, true, true, true]],
      ] as const) {
        await page.getByLabel('How often').selectOption(every);
        expect([every, await shown()]).toEqual([every, wanted]);
      }
      const save = page.getByRole('button', { name: 'Save' });
      for (const name of ['How often', 'Country', 'Minimum yearly pay in dollars']) {
        const field = page.getByLabel(name);
        await field.evaluate((one) => one.scrollIntoView({ block: 'nearest' }));
        const [bar, box] = [(await save.boundingBox())!, (await field.boundingBox())!];
        expect(bar.y + bar.height, name).toBeLessThanOrEqual(740);
        expect(box.y + box.height, name).toBeLessThanOrEqual(bar.y);
      }
      await picture(page, 'preferences-weekly-phone');
    },
  );

  test('finds tags by name and counts the matches of a form while it is changed', async () => {
    await subscribeReader(house);
    await house.announce(rustJob(3, { tags: ['rust', 'solidity'] }));
    const link = pageLinks(await house.mail(2)).preferences!;
    const { page, asked } = await open(link, { ...PHONE, javaScriptEnabled: true });
    const figure = page.locator('#estimate');
    const before = await figure.textContent();
    await page.getByLabel('Find a tag').fill('solid');
    expect(await page.locator('details .tick:visible').allTextContents()).toEqual([' Solidity']);
    await page.keyboard.press('Enter');
    await picture(page, 'preferences-search-phone');
    await page.getByLabel('Find a tag').fill('xyz');
    await page.getByText('No tag of that name.').waitFor();
    await page.getByLabel('Find a tag').fill('');
    expect(await page.locator('details:visible').count()).toBe(5);
    expect(await page.locator('details[open]').count()).toBe(0);

    expect(before).toMatch(/^Matches/u);
    await page.getByLabel('Must not mention').fill('rust');
    await figure.filter({ hasText: 'The rule “without rust” alone leaves out 3.' }).waitFor();
    await page.getByLabel('Must not mention').fill('');
    await figure.filter({ hasText: before! }).waitFor();
    expect(new Set(asked)).toEqual(new Set([new URL(house.app.web.url()).origin]));
    expect((await house.app.services.subscriptions(caller))[0]?.subscription.filter.exclude).toEqual([]);
  });

  test('pauses and resumes; exports and deletes by links that are mailed', async () => {
    const id = await subscribeReader(house);
    await house.announce(rustJob(3));
    const { page } = await open(pageLinks(await house.mail(2)).preferences!);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('Paused: nothing is sent').waitFor();
    expect((await house.app.services.subscription(caller, id)).state).toBe('paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    /** Requests a mail by a button, and opens the link in it. */
    const mailed = async (name: string, count: number) => {
      await page.getByRole('button', { name }).click();
      await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
      await picture(page, 'data-asked');
      const link = house.at(confirmLink(await house.mail(count)));
      const preferences = page.url();
      await page.goto(link);
      return preferences;
    };
    const preferences = await mailed('Download my data', 3);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download my data' }).click();
    expect((await download).suggestedFilename()).toBe('jobcrier-data.json');
    await page.goto(preferences);
    await mailed('Delete my data', 4);
    await picture(page, 'erase');
    await page.getByRole('button', { name: 'Yes, delete everything' }).click();
    await page.getByRole('heading', { name: 'Everything is deleted' }).waitFor();
    expect(await house.app.services.profile(READER.account)).toBeUndefined();
  });

  test.each(['de', 'es'])(
    'shows faults on a phone in the dark scheme in %s, and everything fits',
    async (locale) => {
      const id = await subscribeReader(house);
      await house.announce(rustJob(3));
      const links = pageLinks(await house.mail(2));
      await house.app.services.edit({ ...caller, locale }, id, { locale });
      const { page } = await open(links.preferences!, { ...PHONE, colorScheme: 'dark' });
      await page.locator('#cap').evaluate((field) => field.setAttribute('type', 'text'));
      await page.locator('#cap').fill('viele');
      await page.locator('#minSalary').fill('viel');
      await page.locator('.save button').click();
      await page.getByRole('alert').waitFor();
      expect(await page.locator('html').getAttribute('lang')).toMatch(new RegExp(`^${locale}`, 'u'));
      expect(await page.locator('[aria-invalid]').count()).toBe(2);
      expect(await wide(page)).toBe(true);
      await picture(page, `preferences-refused-phone-${locale}`);
    },
  );

  test('save a posting and undo it on a phone by dark', async () => {
    await subscribeReader(house);
    await house.announce(rustJob(3, { title: `Rust Engineer ${'Verylongword'.repeat(8)}` }));
    const [link = ''] = /https:[^"]+\/feedback\/[^"]+saved/u.exec((await house.mail(2)).html ?? '') ?? [];
    const { page, asked } = await open(link, { ...PHONE, colorScheme: 'dark' });
    await picture(page, 'feedback-phone');
    expect(await wide(page)).toBe(true);
    expect(await house.app.services.marks(READER.account)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').waitFor();
    await picture(page, 'feedback-saved-phone');
    expect(await house.app.services.marks(READER.account)).toMatchObject([{ mark: 'saved' }]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await house.app.services.marks(READER.account)).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set([new URL(house.app.web.url()).origin]));
  });

  test('ask why a posting is not for you, change the rule and undo it with the keyboard alone', async () => {
    const id = await subscribeReader(house);
    await house.announce(rustJob(3, { company: 'W'.repeat(60), tags: ['rust', 'defi'] }));
    const [link = ''] = /https:[^"]+\/feedback\/[^"]+dismissed/u.exec((await house.mail(2)).html ?? '') ?? [];
    const { page } = await open(link, PHONE);
    /** Goes to a button with the keyboard, and presses it. */
    const pressed = async (name: string | RegExp) => {
      const button = page.getByRole('button', { name });
      for (let tabs = 0; tabs < 30; tabs++) {
        if (await button.evaluate((one) => one === one.ownerDocument.activeElement)) break;
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
    };
    await pressed('Not for me');
    await page.getByRole('heading', { name: 'Why is it not for you?' }).waitFor();
    await picture(page, 'feedback-why-phone');
    expect(await wide(page)).toBe(true);
    await pressed('The company: not at WWW');
    await page.getByText('Your rule now says: Rust, not at WWW').waitFor();
    await picture(page, 'feedback-changed-phone');
    expect(await wide(page)).toBe(true);
    const filter = async () =>
      (await house.app.services.subscription({ account: READER.account }, id)).subscription.filter;
    expect((await filter()).terms).toHaveLength(1);
    await pressed(/^Undo: not at WWW/u);
    await page.getByRole('button', { name: 'The company: not at WWW' }).waitFor();
    expect((await filter()).terms ?? []).toEqual([]);
  });

  test('shows an edition on a phone: everything fits, every link is the apply link', async () => {
    await subscribeReader(house);
    await house.announce(
      rustJob(3, {
        title: `Rust Engineer ${'Verylongword'.repeat(8)}`,
        company: 'W'.repeat(60),
        tags: ['rust', 'defi'],
      }),
    );
    const links = pageLinks(await house.mail(2));
    const { page } = await open(links.editions!, PHONE);
    expect(await page.getByRole('heading', { level: 2 }).getByRole('link').getAttribute('href')).toBe(
      rustJob(3).apply_url,
    );
    await picture(page, 'edition-phone');
    expect(await wide(page)).toBe(true);
    await page.goto(house.at(links.preferences!));
    await picture(page, 'preferences-phone');
    expect(await wide(page)).toBe(true);
  });

  test('manage all subscriptions by a link that works once: pause, preview, edit, sign out', async () => {
    const id = await subscribeReader(house);
    const { services } = house.app;
    const { page, asked } = await open((await services.manageLink(READER.account, 'reply'))!, PHONE);
    await picture(page, 'manage-link-phone');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
    await picture(page, 'manage-phone');
    expect(await wide(page)).toBe(true);
    await page.getByRole('button', { name: 'Pause: Rust' }).click();
    await page.getByRole('status').waitFor();
    expect((await services.subscription(caller, id)).state).toBe('paused');
    await page.getByRole('button', { name: 'Resume: Rust' }).click();
    await page.getByRole('link', { name: 'Rust', exact: true }).click();
    await page.getByRole('link', { name: 'Show what matches now' }).click();
    await page.getByText('2 postings match now').waitFor();
    await picture(page, 'manage-one-phone');
    expect(await wide(page)).toBe(true);
    await page.getByRole('link', { name: 'Change: email' }).click();
    await page.getByLabel('Remote only').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').waitFor();
    expect((await services.subscription(caller, id)).subscription.filter.remote).toBe(true);
    await page.getByRole('link', { name: 'Back to the subscription' }).click();
    await page.getByRole('link', { name: 'All subscriptions' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(house.at('/manage'));
    await page.getByRole('heading', { name: 'Your subscriptions are not open here' }).waitFor();
    expect(new Set(asked)).toEqual(new Set([new URL(house.app.web.url()).origin]));
  });

  /** Two postings that the reader marked: one saved, with its last day to apply; one with an interview. */
  async function markedJobs(): Promise<void> {
    await subscribeReader(house);
    const { services } = house.app;
    const description = '<p>Rust.</p><p>Apply by 11 December 2099</p>';
    for (const job of [rustJob(3, { description }), rustJob(4, { title: 'Rust'.repeat(30) })]) {
      await house.announce(job);
      await until(() => services.markKept(READER.account, job.apply_url as string, 'saved'));
    }
    await services.moveMarked(READER.account, 'id:4', 'interview');
  }

  test('move marked postings from stage to stage on a phone, and with the keyboard alone', async () => {
    await markedJobs();
    const { services } = house.app;
    const { page, asked } = await open((await services.manageLink(READER.account, 'reply'))!, PHONE);
    await page.getByRole('button').click();
    await page.getByRole('link', { name: 'Your jobs' }).click();
    await page.getByRole('heading', { name: 'Your jobs' }).waitFor();
    await picture(page, 'manage-jobs-phone');
    expect(await wide(page)).toBe(true);
    const saved = page.getByRole('region', { name: 'Saved 1' });
    await saved.getByText('“Apply by 11 December 2099”').waitFor();
    expect(await saved.getByRole('link', { name: 'Rust Engineer 3', exact: true }).getAttribute('href')).toBe(
      rustJob(3).apply_url,
    );
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'All deadlines as a calendar file' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('jobs.ics');
    await page.getByRole('button', { name: 'Applied: Rust Engineer 3' }).click();
    await page.getByRole('status').waitFor();
    await page.getByRole('region', { name: 'Applied 1' }).getByText('Rust Engineer 3').waitFor();
    const focused = async () => {
      const element = page.locator(':focus');
      return (await element.count()) === 0
        ? ''
        : ((await element.getAttribute('aria-label')) ?? ((await element.textContent()) ?? '').trim());
    };
    await page.goto(house.at('/manage/jobs'));
    const order: string[] = [];
    for (let tabs = 0; tabs < 20 && order.at(-1) !== 'Offer: Rust Engineer 3'; tabs++) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual([
      'All subscriptions',
      'Saved 0',
      'Applied 1',
      'Interview 1',
      'Offer 0',
      'Closed 0',
      'Turn on reminders',
      'Rust Engineer 3',
      'Saved: Rust Engineer 3',
      'Interview: Rust Engineer 3',
      'Offer: Rust Engineer 3',
    ]);
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect((await services.marks(READER.account)).map(({ key, mark }) => [key, mark]).sort()).toEqual([
      ['id:3', 'offer'],
      ['id:4', 'interview'],
    ]);
    expect(new Set(asked)).toEqual(new Set([new URL(house.app.web.url()).origin]));
  });

  test.each([
    ['light', 'en'],
    ['dark', 'de'],
    ['light', 'es'],
  ] as const)(
    'the pages of a session are accessible in the %s scheme, in %s',
    async (colorScheme, locale) => {
      const id = await subscribeReader(house);
      const { services } = house.app;
      await markedJobs();
      await services.saveProfile(READER.account, { locale });
      await services.subscribe(
        { ...caller, locale },
        {
          filter: { tags: ['solidity', 'smart-contract'], remote: true, exclude: ['intern'] },
          destination: { sink: 'webhook', target: 'https://hooks.example/services', cadence: 'immediate' },
        },
      );
      const now = Date.now();
      for (const [days, count] of [
        [3, 5],
        [10, 2],
        [20, 7],
      ] as const)
        await putFound(
          house.app.pipeline.stores.ledgers,
          READER.account,
          Array.from({ length: count }, (_, n) => ({
            at: now - days * 86_400_000,
            subscription: id,
            posting: { key: `k${days}-${n}`, title: 'Rust', tags: ['rust'] } as never,
          })),
        );
      await house.announce(rustJob(3));
      await house.mail(2);
      const context = await browser.newContext({
        colorScheme,
        locale: `${locale}-${locale === 'en' ? 'GB' : locale.toUpperCase()}`,
      });
      const page = await context.newPage();
      await page.goto(house.at((await services.manageLink(READER.account, 'reply'))!));
      expect(await accessibilityFaults(page), 'link').toEqual([]);
      await page.getByRole('button').click();
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      const edit = await page.locator('a[href*="/manage/edit/"]').first().getAttribute('href');
      for (const [name, path] of [
        ['manage', '/manage'],
        ['manage-one', `/manage/show/${id}?preview=now`],
        ['manage-edit', edit!],
        ['manage-jobs', '/manage/jobs'],
        ['manage-access', '/manage/access'],
      ] as const) {
        for (const width of [1000, 360]) {
          await page.setViewportSize({ width, height: 740 });
          await page.goto(house.at(path));
          await picture(page, `${name}-${locale}-${colorScheme}-${width}`);
          expect(await wide(page), `${name} ${width}`).toBe(true);
        }
        expect(await accessibilityFaults(page), name).toEqual([]);
      }
      await page.goto(house.at('/manage/nothing'));
      await context.clearCookies();
      await page.goto(house.at('/manage'));
      expect(await accessibilityFaults(page), 'signed out').toEqual([]);
    },
  );

  test.each(['light', 'dark'] as const)(
    'the public archive is accessible in the %s scheme',
    async (colorScheme) => {
      const channels = await openHouse({ env: { PUBLIC_URL: PAGES } });
      later(channels.close);
      const account = `discord:${channels.admin.id}`;
      const target = channels.guild.channel('jobs').id;
      const { report } = await channels.services.subscribe(
        { account, manages: channels.guild.id, locale: 'en' },
        {
          filter: { tags: ['rust'] },
          guild: channels.guild.id,
          destination: { sink: 'discord', target, cadence: 'immediate', options: { archive: true } },
        },
      );
      await channels.board.addJob(jobOf(7, { title: `Rust Engineer ${'Verylongword'.repeat(8)}` }));
      await channels.board.addJob(jobOf(8));
      await channels.poll();
      const url = `${channels.app.web.url()}/archive/${report.subscription.id}`;
      await until(async () => (await (await fetch(url)).text()).includes('Engineer 8'), {
        what: 'the archive',
      });
      const page = await (await browser.newContext({ colorScheme, locale: 'en-GB' })).newPage();
      for (const width of [1000, 360]) {
        await page.setViewportSize({ width, height: 740 });
        await page.goto(url);
        await picture(page, `archive-${colorScheme}-${width}`);
        expect(await wide(page), `${width}`).toBe(true);
      }
      expect(await accessibilityFaults(page)).toEqual([]);
    },
  );

  test.each(['light', 'dark'] as const)('is accessible in the %s scheme', async (colorScheme) => {
    await subscribeReader(house);
    await house.announce(rustJob(3));
    const links = pageLinks(await house.mail(2));
    await house.app.services.mail!.setAddress('discord:other', 'other@example.org', 'en');
    const question = confirmLink(await house.mail(3));
    await house.press(links.feedback!, { do: 'dismissed' });
    await house.press(links.feedback!, { do: 'change', choice: 'not-company' });
    const context = await browser.newContext({ colorScheme, locale: 'en-GB' });
    const page = await context.newPage();
    for (const link of [
      question,
      links.preferences!,
      links.editions!,
      links.feedback!,
      links.feedback!.replace(/\?.*/u, '?do=like'),
      links.unsubscribe!,
      `${PAGES}/nothing`,
    ]) {
      await page.goto(house.at(link));
      const name = link.slice(PAGES.length + 1).split('/')[0];
      expect(await accessibilityFaults(page), name).toEqual([]);
      await picture(page, `${name}-${colorScheme}`);
    }
  });
});
