// The operator's pages in a browser without JavaScript, on a computer and on a phone, in the light and the dark
// scheme, with a month of data and a parked destination.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessibilityFaults, NO_BROWSER, openBrowser, picture } from '../helpers/browser.js';
import { ADMIN_TOKEN, type OperatorHouse, openOperatorHouse } from '../helpers/operator-house.js';
import { isPolled } from '../helpers/polled.js';
import { rustJob } from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

if (NO_BROWSER) console.warn(`browser tests skipped: ${NO_BROWSER}`);

const DAY_MS = 86_400_000;
const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  isMobile: true,
  hasTouch: true,
};
const COMPUTER: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };

const MORE = `- id: solidity-remote
  filter: { tags: [solidity, defi], remote: true, minSalary: 90000 }
  schedule: "*/5 * * * *"
  timezone: Europe/Berlin
  destinations:
    - { sink: console, cadence: { weekly: monday, at: "09:00" } }
- id: design-berlin
  filter: { tags: [design], country: germany, exclude: [intern] }
  schedule: "0 * * * *"
  paused: true
  destinations:
    - { sink: console, cadence: { daily: "08:00" } }
- id: somebody-else
  account: discord:81234567890123456
  filter: { include: [protocol] }
  schedule: "*/15 * * * *"
  destinations:
    - { sink: console, cadence: immediate }
`;

describe.skipIf(NO_BROWSER)('the operator in a browser', () => {
  let browser: Browser;
  let house: OperatorHouse;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    house = await openOperatorHouse({
      subscriptions: MORE,
      env: { PUBLIC_URL: 'https://crier.example.org' },
    });
    const { metrics, history } = house.app.pipeline;
    house.advance(-29 * DAY_MS);
    for (let day = 0; day < 29; day++) {
      const found = Math.round(14 + 9 * Math.sin(day / 2.2) + (day % 7 > 4 ? -9 : 5));
      metrics.count('postings_matched_total', {}, Math.max(0, found));
      metrics.count('postings_delivered_total', { sink: 'webhook' }, Math.max(0, found - (day % 5)));
      house.advance(DAY_MS);
    }
    await until(() => isPolled(house.app.pipeline.stores, 'hook'), { what: 'the baseline' });
    await history.note('hook', { at: Date.now() - 3 * DAY_MS, kind: 'gap' });
    house.receiver.answers.push(410);
    await house.board.addJob(rustJob(3));
    await until(async () => (await house.app.pipeline.stores.ledgers.parked()).includes('hook'), {
      what: 'parking',
    });
  });
  afterEach(() => house.close());

  async function open(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(`${house.app.web.url()}/admin`);
    return page;
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Token').fill(ADMIN_TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }

  const fits = (page: Page) =>
    page
      .locator('body')
      .evaluate((body) => body.scrollWidth <= body.ownerDocument.documentElement.clientWidth);

  test('signs in, frees a parked destination, changes the log level, signs out', async () => {
    const page = await open({ ...COMPUTER, javaScriptEnabled: false });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await signIn(page);
    expect(new URL(page.url()).pathname).toBe('/admin');
    await page.getByText('Parked: 1 destination').waitFor();
    await page.getByRole('button', { name: 'Retry hook to webhook' }).click();
    await page.getByRole('status').waitFor();
    await until(() => house.receiver.received.length === 1, { what: 'the delivery' });
    await page.getByRole('link', { name: 'Log' }).click();
    await page.getByLabel('Log level').selectOption('debug');
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('status').waitFor();
    expect(house.log.level).toBe('debug');
    await page.getByRole('link', { name: 'Subscriptions' }).click();
    await page.getByLabel('State').selectOption('paused');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('1 subscription found').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
    await page.getByRole('link', { name: 'design-berlin' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The subscription is resumed.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The subscription is paused.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(new Set(asked)).toEqual(new Set([house.app.web.url()]));
  });

  test.each(['de', 'es'])('every page fits a phone in the language of the browser: %s', async (locale) => {
    const page = await open({ ...PHONE, locale });
    await page.locator('#token').fill(ADMIN_TOKEN);
    await page.locator('main button').click();
    await page.locator('nav').waitFor();
    for (const path of [
      '',
      '/subscriptions',
      '/subscription?id=hook',
      '/entries',
      '/deliveries',
      '/accounts',
      '/checks',
      '/log',
    ]) {
      await page.goto(`${house.app.web.url()}/admin${path}`);
      await picture(page, `admin-${path.replace(/\W/gu, '')}-${locale}`);
      expect(await fits(page), path).toBe(true);
      expect(await accessibilityFaults(page)).toEqual([]);
    }
  });

  for (const scheme of ['light', 'dark'] as const)
    for (const [name, device] of [
      ['computer', COMPUTER],
      ['phone', PHONE],
    ] as const)
      test(`every page is accessible and fits a ${name} in the ${scheme} scheme`, async () => {
        const page = await open({ ...device, colorScheme: scheme });
        const check = async (shot: string) => {
          await picture(page, `admin-${shot}-${name}-${scheme}`);
          expect(await fits(page)).toBe(true);
          expect(await accessibilityFaults(page)).toEqual([]);
        };
        await check('sign-in');
        await signIn(page);
        await check('overview');
        for (const tab of ['Subscriptions', 'Deliveries', 'Accounts', 'Checks', 'Log']) {
          await page.getByRole('link', { name: tab, exact: true }).click();
          await page.getByRole('heading', { level: 1, name: tab }).waitFor();
          await check(tab.toLowerCase());
        }
        for (const [shot, path] of [
          ['subscription', 'admin/subscription?id=hook&preview=now'],
          ['entries', 'admin/entries'],
          ['start', ''],
        ] as const) {
          await page.goto(`${house.app.web.url()}/${path}`);
          await check(shot);
        }
      });
});
