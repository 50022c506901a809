// Pictures of a digest and of the preferences page behind its link, both as the program makes them. Run with PICTURES=1.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseMail } from '../helpers/mail.js';
import { startProgram, workFolder } from '../helpers/process.js';
import { openReaderHouse, pageLinks, rustJob, subscribeReader } from '../helpers/reader-house.js';
import { openBrowser, picture, WANTED } from './studio.js';

/** The HTML of a mail with its picture inside, as a mail program shows it. */
async function readable(eml: Buffer): Promise<string> {
  const mail = await parseMail(eml);
  return mail.attachments.reduce((html, { contentId, mimeType, content }) => {
    const data = Buffer.from(content as ArrayBuffer).toString('base64');
    return html.replaceAll(`cid:${contentId?.replace(/[<>]/gu, '')}`, `data:${mimeType};base64,${data}`);
  }, mail.html ?? '');
}

describe.runIf(WANTED)('the documentation shows', () => {
  test('a digest in a light and in a dark mail program', async () => {
    const { dir, remove } = await workFolder();
    const browser = await openBrowser();
    try {
      const preview = startProgram(['mail', 'preview', '--kind', 'digest', '--out', dir], {
        cwd: dir,
        env: { SOURCE_NAME: 'Example Jobs' },
      });
      expect(await preview.ended).toBe(0);
      const html = await readable(await readFile(join(dir, 'digest.eml')));
      expect(html).toContain('data:image/png');
      for (const scheme of ['light', 'dark'] as const)
        await picture(browser, { html }, { name: `digest-${scheme}.png`, width: 640, scheme });
    } finally {
      await browser.close();
      await remove();
    }
  }, 360_000);

  test('the preferences page', async () => {
    const house = await openReaderHouse();
    const browser = await openBrowser();
    try {
      await subscribeReader(house, { filter: { tags: ['solidity', 'rust'], remote: true } });
      await house.announce(rustJob(3));
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
