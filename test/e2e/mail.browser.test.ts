// The digest in a browser, in the light and the dark scheme, on a computer and on a phone.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLinks, deriveKeys } from '../../src/domain/link-token.js';
import { sampleDelivery, samplePostings, sampleWeeks } from '../../src/render/samples.js';
import { composeEdition } from '../../src/sinks/email/compose.js';
import type { MailMessage } from '../../src/sinks/email/message.js';
import { accessibilityFaults, NO_BROWSER, openBrowser, picture } from '../helpers/browser.js';
import { PUBLIC_URL, SECRETS, testTemplates } from '../helpers/mail.js';

describe.skipIf(NO_BROWSER)('the digest in a browser', () => {
  let browser: Browser;
  let dir: string;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'crier-look-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const compose = (locale = 'en', postings = samplePostings().slice(0, 8)): Promise<MailMessage> =>
    composeEdition(
      { ...sampleDelivery('weekly', locale), postings },
      {
        templates: testTemplates(),
        from: 'Job crier <digest@crier.example.org>',
        links: createLinks(deriveKeys(SECRETS, 'link'), PUBLIC_URL),
        weeks: async () => sampleWeeks(),
      },
    );

  /** The HTML part with its picture, as a mail program would show it. */
  async function show(mail: MailMessage, page: Page, pictures = true): Promise<void> {
    const inline = mail.attachments.reduce(
      (html, { cid, content }) =>
        html.replaceAll(
          `cid:${cid}`,
          pictures ? `data:image/png;base64,${content.toString('base64')}` : 'about:blank',
        ),
      mail.html,
    );
    const file = join(dir, 'mail.html');
    await writeFile(file, inline);
    await page.goto(pathToFileURL(file).href);
  }

  test.each(['light', 'dark'] as const)('is accessible in the %s scheme', async (colorScheme) => {
    const context = await browser.newContext({ colorScheme, viewport: { width: 680, height: 900 } });
    const page = await context.newPage();
    await show(await compose(), page);
    expect(await accessibilityFaults(page, false)).toEqual([]);
    await picture(page, `digest-${colorScheme}`);
  });

  test.each(['en', 'de', 'es'])('fits on a phone in %s', async (locale) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 }, isMobile: true });
    const page = await context.newPage();
    await show(await compose(locale), page);
    await picture(page, `digest-phone-${locale}`);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  });

  test.each(['en', 'de', 'es'])(
    'of 23 postings has its picks on two screens of a phone, in %s',
    async (locale) => {
      const height = 740;
      const context = await browser.newContext({ viewport: { width: 360, height }, isMobile: true });
      const page = await context.newPage();
      const usual = samplePostings().slice(0, 6);
      const postings = Array.from({ length: 23 }, (_, n) => ({
        ...usual[n % usual.length]!,
        key: `id:${n}`,
        company: `Company ${n}`,
      }));
      await show(await compose(locale, postings), page);
      await picture(page, `digest-23-phone-${locale}`);
      const headings = page.getByRole('heading', { level: 2 });
      // The first is that of the picks.
      const { y = Number.POSITIVE_INFINITY } = (await headings.nth(1).boundingBox()) ?? {};
      expect(y).toBeLessThanOrEqual(2 * height);
      expect(await page.getByRole('heading', { level: 3 }).count()).toBe(23);
      // No link of a pick is broken into two lines.
      for (const link of await page.locator('.ka').all())
        expect((await link.boundingBox())?.height).toBeLessThan(30);
    },
  );

  test.each([360, 700])('breaks an endless word and fits at %i', async (width) => {
    const context = await browser.newContext({ viewport: { width, height: 740 } });
    const page = await context.newPage();
    const [first, ...others] = samplePostings();
    const endless = {
      ...first!,
      title: 'Extremely'.repeat(22),
      company: 'W'.repeat(100),
      location: 'Llanfair'.repeat(15),
      tags: ['supercalifragilistic'.repeat(2)],
    };
    const mail = await composeEdition(
      { ...sampleDelivery(), about: 'x'.repeat(150), postings: [endless, ...others] },
      { templates: testTemplates(), from: 'Job crier <digest@crier.example.org>' },
    );
    await show(mail, page);
    await picture(page, `digest-endless-${width}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  test('shows its statistics as text without pictures', async () => {
    const page = await (await browser.newContext()).newPage();
    await show(await compose(), page, false);
    expect(await page.getByRole('img').getAttribute('alt')).toMatch(/Postings per week: 9, 14/u);
    await page.locator('p.cl', { hasText: '10 this week, usually 14' }).waitFor();
  });
});
