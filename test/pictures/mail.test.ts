// Pictures of a digest and of the preferences page that it links to, as the program makes them. Run with PICTURES=1.
import { describe, expect, test } from 'vitest';
import { createLinks, deriveKeys } from '../../src/domain/link-token.js';
import { sampleDelivery, samplePostings, sampleWeeks } from '../../src/render/samples.js';
import { composeEdition } from '../../src/sinks/email/compose.js';
import { PUBLIC_URL, SECRETS, testTemplates } from '../helpers/mail.js';
import { openReaderHouse, pageLinks, rustJob, subscribeReader } from '../helpers/reader-house.js';
import { openBrowser, picture, WANTED } from './studio.js';

describe.runIf(WANTED)('the documentation shows', () => {
  test('a digest in a light and in a dark mail program', async () => {
    const browser = await openBrowser();
    // Without the two postings that lack nearly everything.
    const postings = samplePostings().slice(0, 8);
    const weeks = sampleWeeks();
    const last = weeks.at(-1)!;
    try {
      const { html, attachments } = await composeEdition(
        { ...sampleDelivery(), postings },
        {
          templates: testTemplates(),
          from: 'Job crier <digest@crier.example.org>',
          links: createLinks(deriveKeys(SECRETS, 'link'), PUBLIC_URL),
          weeks: async () => weeks.with(-1, { ...last, count: postings.length }),
        },
      );
      const shown = attachments.reduce((page, { cid, content }) => {
        return page.replaceAll(`cid:${cid}`, `data:image/png;base64,${content.toString('base64')}`);
      }, html);
      expect(shown).toContain('data:image/png');
      for (const scheme of ['light', 'dark'] as const)
        await picture(browser, { html: shown }, { name: `digest-${scheme}.png`, width: 640, scheme });
    } finally {
      await browser.close();
    }
  }, 360_000);

  test('the preferences page', async () => {
    const house = await openReaderHouse();
    const browser = await openBrowser();
    try {
      await subscribeReader(house, { filter: { tags: ['solidity', 'rust'], remote: true } });
      await house.announce(rustJob(3, { tags: ['rust', 'solidity'] }));
      const link = pageLinks(await house.mail(2)).preferences ?? '';
      const form = { do: 'save', every: 'weekly', day: 'monday', at: '09:00', timezone: 'Europe/Berlin' };
      const saved = await house.press(link, {
        ...form,
        tags: ['solidity', 'rust'],
        remote: 'yes',
        cap: '50',
      });
      expect(saved.status).toBe(303);
      await picture(
        browser,
        { url: house.at(link) },
        { name: 'preferences.png', width: 760, height: 1000, scheme: 'light' },
      );
    } finally {
      await browser.close();
      await house.close();
    }
  }, 360_000);
});
