// A real browser that takes the pictures of the documentation. They are made by hand, with `npm run pictures`, because
// pictures change with every font version, and each run of the tests would change the repository.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

export const WANTED = process.env.PICTURES !== undefined;

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const OUTPUT = fileURLToPath(new URL('../output/pictures/', import.meta.url));
/** Bytes. The pages of the documentation are read on phones too. */
const LARGEST = 300_000;
/** Pixels. Of a higher page, the documentation shows this much of its beginning or end. */
const HIGHEST = 2_000;

/** Without these, the pictures would differ from machine to machine, and emoji would be empty boxes. */
const FONTS = ['Inter', 'Noto Color Emoji'];

export async function openBrowser(): Promise<Browser> {
  const installed = execFileSync('fc-list', [':', 'family'], { encoding: 'utf8' });
  const missing = FONTS.filter((font) => !installed.includes(font));
  if (missing.length > 0) throw new Error(`Install these fonts for pictures: ${missing.join(', ')}.`);
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}

interface Shot {
  /** Name of the file in test/output/pictures, without its ending. */
  readonly name: string;
  /** Its name in docs/images; left out for a picture that the documentation does not show. */
  readonly as?: string | undefined;
  /** Which part of a high page the documentation shows; the beginning when left out. */
  readonly part?: 'end';
  readonly width: number;
  /** Cut off below this height; the height of the page when left out. */
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  /** Stands for the font of the reader's system, which this machine does not have. */
  readonly font?: string;
  /** Of only this element. */
  readonly element?: string;
}

/** Takes pictures of a page's source or of an address. Fails when one for the documentation becomes too large. */
export async function picture(
  browser: Browser,
  what: { html: string } | { url: string },
  shot: Shot,
): Promise<void> {
  const context = await browser.newContext({
    bypassCSP: true,
    colorScheme: shot.scheme ?? 'dark',
    viewport: { width: shot.width, height: shot.height ?? 400 },
  });
  try {
    const page = await context.newPage();
    if ('url' in what) await page.goto(what.url);
    else await page.setContent(what.html);
    if (shot.font) await page.addStyleTag({ content: `* { font-family: ${shot.font} !important; }` });
    const taken = shot.element
      ? await page.locator(shot.element).screenshot()
      : await page.screenshot({ fullPage: shot.height === undefined });
    await mkdir(OUTPUT, { recursive: true });
    await writeFile(`${OUTPUT}${shot.name}.png`, taken);
    if (shot.as === undefined) return;
    // The height of a PNG (PNG specification, 11.2.1).
    const height = taken.readUInt32BE(20);
    const y = shot.part === 'end' ? height - HIGHEST : 0;
    const clip = { x: 0, y, width: shot.width, height: HIGHEST };
    const shown = height > HIGHEST ? await page.screenshot({ fullPage: true, clip }) : taken;
    if (shown.length > LARGEST) throw new Error(`${shot.as} has ${shown.length} bytes, over ${LARGEST}.`);
    await writeFile(`${IMAGES}${shot.as}.png`, shown);
  } finally {
    await context.close();
  }
}
