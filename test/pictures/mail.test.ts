// Pictures of digests and of the preferences page that they link to, as the service sends them. Made by
// `npm run pictures`: all go to test/output/pictures, and those that the documentation shows to docs/images.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Email } from 'postal-mime';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { nextEditionAt } from '../../src/domain/cadence.js';
import { headerOf } from '../helpers/mail.js';
import { pollAll } from '../helpers/polled.js';
import {
  confirmLink,
  openReaderHouse,
  pageLinks,
  READER,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';
import { openBrowser, picture, WANTED } from './studio.js';

const CADENCE = { every: 'weekly', day: 'monday', at: '09:00', timezone: 'Europe/Berlin' } as const;
const TAGS = ['rust', 'solidity', 'defi', 'backend', 'research'];
const DAY = 86_400_000;
const FONT = 'Inter';

/** Postings of the weeks before, for the chart. */
const BEFORE = [6, 3, 9, 5];
/** A poll sees at most 100 postings of a tag. */
const BATCH = 60;

const SAMPLES: readonly Job[] = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../config/sample-jobs.json', import.meta.url)), 'utf8'),
).filter(
  ({ id, title, description, tags }: Job) =>
    id &&
    description &&
    // This machine has no font for other scripts.
    /^[\p{Script=Latin}\p{N} ,()-]{1,60}$/u.test(String(title)) &&
    (tags as readonly string[] | undefined)?.some((tag) => TAGS.includes(tag)),
);
const LEVELS = ['', 'Senior ', 'Staff ', 'Lead ', 'Principal '];
const FIRST =
  'Lanternfish Meridian Cobalt Quillon Glasswing Tidewater Oriole Basalt Halyard Copperfield Northgate'.split(
    ' ',
  );
const SECOND = 'Labs Network Foundation Systems Security Research Finance Works'.split(' ');

/** The sample jobs again and again, on other levels and from other companies, of the week before `now`. */
function jobsUntil(now: number, count: number, from: number): readonly Job[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    const job = SAMPLES[n % SAMPLES.length]!;
    const level = /senior|staff|lead|principal|head/iu.test(String(job.title))
      ? ''
      : LEVELS[n % LEVELS.length];
    const company = `${FIRST[n % FIRST.length]} ${SECOND[Math.floor(n / FIRST.length) % SECOND.length]}`;
    return {
      id: `p${n}`,
      title: `${level}${job.title}`,
      company,
      location: job.location,
      remote: job.remote,
      salary: job.salary,
      description: String(job.description).replaceAll(String(job.company), company),
      tags: job.tags,
      postedAt: new Date(now - (index % 6) * DAY).toISOString().slice(0, 10),
      apply_url: `https://jobs.example.org/r/p${n}__partner?utm_source=board`,
      url: `https://jobs.example.org/p${n}`,
    };
  });
}

async function announceAll(house: ReaderHouse, jobs: readonly Job[]): Promise<void> {
  for (let start = 0; start < jobs.length; start += BATCH) {
    for (const job of jobs.slice(start, start + BATCH)) await house.board.addJob(job);
    house.advance(2_000);
    await pollAll(house.app);
  }
}

async function digests(house: ReaderHouse): Promise<readonly Email[]> {
  return (await house.mails()).filter((mail) => headerOf(mail, 'List-Id') !== undefined);
}

/** The fifth weekly digest of a reader, with `count` postings. */
async function edition(locale: string, count: number): Promise<Email> {
  const house = await openReaderHouse();
  const { services, pipeline } = house.app;
  const now = () => pipeline.clock.now();
  try {
    await services.mail?.setAddress(READER.account, READER.address, locale);
    await house.press(confirmLink(await house.mail(1)));
    await services.subscribe(
      { account: READER.account, locale },
      {
        filter: { tags: TAGS },
        schedule: '* * * * * *',
        timezone: CADENCE.timezone,
        destination: {
          sink: 'email',
          target: READER.address,
          cadence: { weekly: CADENCE.day, at: CADENCE.at },
        },
      },
    );
    await pollAll(house.app);
    let from = 0;
    let mail: Email | undefined;
    for (const [week, wanted] of [...BEFORE, count].entries()) {
      // On the sixth day, so that nothing in the digest is much older than its week.
      house.advance(5 * DAY);
      await announceAll(house, jobsUntil(now(), wanted, from));
      from += wanted;
      house.advance(nextEditionAt(CADENCE, now()) + 60_000 - now());
      mail = await until(async () => (await digests(house))[week], { what: 'the digest', timeoutMs: 30_000 });
    }
    return mail!;
  } finally {
    await house.close();
  }
}

/** The HTML part with its pictures, for a browser. */
function shown({ html = '', attachments }: Email): string {
  return attachments.reduce((page, { contentId = '', content }) => {
    const data = Buffer.from(content as ArrayBuffer).toString('base64');
    return page.replaceAll(`cid:${contentId.slice(1, -1)}`, `data:image/png;base64,${data}`);
  }, html);
}

/** The pictures that the documentation shows, under their names there. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  'digest-7-en-600-light': 'digest-light',
  'digest-7-en-600-dark': 'digest-dark',
  'digest-1-en-360-light': 'digest-1-en-360-light',
  'digest-1-de-600-dark': 'digest-1-de-600-dark',
  'digest-7-es-360-light': 'digest-7-es-360-light',
  'digest-7-de-360-dark': 'digest-7-de-360-dark',
  'digest-50-en-600-light': 'digest-50-en-600-light',
  'digest-50-es-360-dark': 'digest-50-es-360-dark',
  'digest-260-de-600-light': 'digest-260-de-600-light',
  'digest-260-en-360-dark': 'digest-260-en-360-dark',
};

describe.runIf(WANTED)('the documentation shows', () => {
  test.each([1, 7, 50, 260].flatMap((count) => ['en', 'de', 'es'].map((locale) => [count, locale] as const)))(
    'a digest of %i postings in %s, on a computer and a phone, light and dark',
    async (count, locale) => {
      const html = shown(await edition(locale, count));
      expect(html).toContain('data:image/png');
      const browser = await openBrowser();
      try {
        for (const width of [360, 600])
          for (const scheme of ['light', 'dark'] as const) {
            const name = `digest-${count}-${locale}-${width}-${scheme}`;
            await picture(
              browser,
              { html },
              {
                name,
                as: DOCUMENTED[name],
                width,
                scheme,
                font: FONT,
                ...(count > 50 ? { part: 'end' as const } : {}),
              },
            );
          }
      } finally {
        await browser.close();
      }
    },
    360_000,
  );

  test('the preferences page', async () => {
    const house = await openReaderHouse();
    const browser = await openBrowser();
    try {
      await subscribeReader(house, { filter: { tags: ['solidity', 'rust'], remote: true } });
      await house.announce(rustJob(3, { tags: ['rust', 'solidity'] }));
      const link = pageLinks(await house.mail(2)).preferences ?? '';
      const form = { do: 'save', every: 'daily', at: '09:00', timezone: 'Europe/Berlin' };
      const saved = await house.press(link, {
        ...form,
        tags: ['solidity', 'rust'],
        remote: 'yes',
        want: 'senior or staff, in Europe, no gambling',
        cap: '50',
      });
      expect(saved.status).toBe(303);
      const shot = { name: 'preferences', as: 'preferences', width: 760, height: 2000, font: FONT };
      await picture(browser, { url: house.at(link) }, { ...shot, scheme: 'light' });
    } finally {
      await browser.close();
      await house.close();
    }
  }, 360_000);
});
