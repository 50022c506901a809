// A real browser that takes the pictures of the documentation. They are made by hand, with PICTURES=1, because
// pictures change with every font version, and each run of the tests would change the repository.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

export const WANTED = process.env.PICTURES !== undefined;

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** A README is loaded on phones too. */
const LARGEST = 200_000;

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}

interface Shot {
  /** File name in docs/images. */
  readonly name: string;
  readonly width: number;
  /** Cut off below this height; the height of the page when left out. */
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Of only this element. */
  readonly element?: string;
}

/** Takes pictures of a page's source or of an address. Fails when the file becomes too large. */
export async function picture(
  browser: Browser,
  what: { html: string } | { url: string },
  shot: Shot,
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: shot.scheme ?? 'dark',
    viewport: { width: shot.width, height: shot.height ?? 400 },
  });
  try {
    const page = await context.newPage();
    if ('url' in what) await page.goto(what.url);
    else await page.setContent(what.html);
    const path = `${IMAGES}${shot.name}`;
    await mkdir(dirname(path), { recursive: true });
    const taken = shot.element
      ? await page.locator(shot.element).screenshot()
      : await page.screenshot({ fullPage: shot.height === undefined });
    await writeFile(path, taken);
    const { size } = await stat(path);
    if (size > LARGEST) throw new Error(`${shot.name} has ${size} bytes, over ${LARGEST}.`);
  } finally {
    await context.close();
  }
}
