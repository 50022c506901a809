// What SpamAssassin finds in the mails as a relay gets them. A mail without remarks has about 0 points; 5 make it spam.
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleQuietWeek, sampleWeeks } from '../../src/render/samples.js';
import { LOGO } from '../helpers/logo.js';
import { deliverTo, mailDelivery, setupMail, testTemplates } from '../helpers/mail.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';

const MOST_POINTS = 0.5;
const isMissing = spawnSync('spamassassin', ['--version']).error !== undefined;

let smtp: SmtpStand;
beforeAll(async () => {
  smtp = await startSmtp();
});
afterAll(() => smtp.close());

/** The points of the newest mail, and the names of the rules that it broke. */
function judged(): { points: number; rules: string } {
  const { stdout } = spawnSync('spamassassin', ['-t', '-L'], { input: smtp.mails.at(-1)?.raw });
  const [, points, rules = ''] =
    /^X-Spam-Status: \w+, score=(-?[\d.]+) .*?tests=([\s\S]*?)\s+autolearn/mu.exec(stdout.toString()) ?? [];
  return { points: Number(points), rules };
}

const KINDS = ['en', 'de', 'es'].flatMap((locale) =>
  (['weekly', 'immediate'] as const).map((every) => [locale, every] as const),
);

test.skipIf(isMissing).each(KINDS)('a mail in %s, %s, has at most half a point', async (locale, every) => {
  const { sink, ...setup } = setupMail(smtp.url, { weeks: async () => sampleWeeks() });
  await deliverTo({ sink, ...setup }, mailDelivery({ every, locale }));
  const { points, rules } = judged();
  expect(points, rules).toBeLessThanOrEqual(MOST_POINTS);
  await sink.close?.();
});

test.skipIf(isMissing)(
  'a digest with a logo and one about a quiet week have at most half a point',
  async () => {
    const templates = testTemplates({ name: 'Rust Jobs Berlin', color: '#0f766e', logo: LOGO });
    const { sink, ...setup } = setupMail(smtp.url, { templates, weeks: async () => sampleWeeks() });
    await deliverTo({ sink, ...setup }, mailDelivery());
    const digest = judged();
    expect(digest.points, digest.rules).toBeLessThanOrEqual(MOST_POINTS);
    const week = sampleQuietWeek(2);
    const destination = { ...week.destination, consented: true } as const;
    await sink.quietWeek?.({ ...week, destination }, { guard: () => undefined });
    const quiet = judged();
    expect(smtp.mails.at(-1)?.raw.toString()).toMatch(/^Subject: No new postings/mu);
    expect(quiet.points, quiet.rules).toBeLessThanOrEqual(MOST_POINTS);
    await sink.close?.();
  },
);
