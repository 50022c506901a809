// A real browser for the pages, if there is one: Debian's Chromium, driven without a download.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Why browser tests are skipped; undefined where they run. */
export const NO_BROWSER =
  CHROMIUM === undefined ? 'no Chromium on this machine (Debian: apt-get install chromium)' : undefined;

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
}

const OUTPUT = fileURLToPath(new URL('../output', import.meta.url));

/** Keeps a picture of the whole page under test/output, if PICTURES is set. No test needs it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES === undefined) return;
  await mkdir(OUTPUT, { recursive: true });
  await page.screenshot({ path: join(OUTPUT, `${name}.png`), fullPage: true });
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * The faults that axe finds by WCAG 2.2 A and AA, one line each; `habits`: also by best practice, which not all mails
 * can follow.
 */
export async function accessibilityFaults(page: Page, habits = true): Promise<readonly string[]> {
  const rules = [
    'wcag2a',
    'wcag2aa',
    'wcag21a',
    'wcag21aa',
    'wcag22aa',
    ...(habits ? ['best-practice'] : []),
  ];
  // The pages allow no script, so axe is injected through the browser.
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setBypassCSP', { enabled: true });
  await page.reload();
  await page.addScriptTag({ path: AXE });
  const violations = (await page.evaluate(
    `axe.run({ runOnly: ${JSON.stringify(rules)} }).then((result) => result.violations)`,
  )) as readonly Violation[];
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
