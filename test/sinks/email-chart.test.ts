// The chart of a digest is a picture that is shared by all readers with the same figures.
import { expect, test } from 'vitest';
import { CHART_SIZE } from '../../src/render/chart.js';
import { sampleDelivery, sampleWeeks } from '../../src/render/samples.js';
import { composeEdition } from '../../src/sinks/email/compose.js';
import { LOGO } from '../helpers/logo.js';
import { testTemplates } from '../helpers/mail.js';

/** Figures with a different chart for each of them. */
const weeks = (n = 0) =>
  sampleWeeks().map((week, index) => ({
    ...week,
    count: [5 + (n % 40), 5 + Math.floor(n / 40)][index] ?? 45,
  }));

async function pictureFor(reader: string, counts = weeks()): Promise<Buffer> {
  const delivery = sampleDelivery('weekly');
  const mail = await composeEdition(
    { ...delivery, destination: { ...delivery.destination, id: reader, target: `${reader}@example.org` } },
    { templates: testTemplates(), from: 'Jobs <jobs@example.org>', weeks: async () => counts },
  );
  expect(mail.attachments).toHaveLength(1);
  return mail.attachments[0]!.content;
}

test('is drawn once for two recipients of an edition', async () => {
  const first = await pictureFor('ann');
  // The same bytes in memory, and not a copy.
  expect(await pictureFor('ben')).toBe(first);
});

test('is drawn again for other figures, and after many others', { tags: 'long' }, async () => {
  const first = await pictureFor('ann');
  const other = await pictureFor('ben', weeks(1));
  expect(other.equals(first)).toBe(false);
  for (let n = 2; n < 70; n++) await pictureFor('cleo', weeks(n));
  const again = await pictureFor('ann');
  expect(again).not.toBe(first);
  expect(again.equals(first)).toBe(true);
});

test('is a PNG of twice its size, beside the logo', async () => {
  const brand = { name: 'Rust Jobs', color: '#0f766e', logo: LOGO };
  const { attachments } = await composeEdition(sampleDelivery('weekly'), {
    templates: testTemplates(brand),
    from: 'Jobs <jobs@example.org>',
    weeks: async () => weeks(),
  });
  const [logo, chart] = attachments;
  const contentType = 'image/png';
  expect(logo).toMatchObject({ cid: 'logo@jobcrier', filename: 'logo.png', contentType });
  expect(logo?.content).toEqual(Buffer.from(LOGO.png, 'base64'));
  expect(chart).toMatchObject({ cid: 'weeks@jobcrier', filename: 'weeks.png', contentType });
  // Width and height (PNG, IHDR).
  expect([chart?.content.readUInt32BE(16), chart?.content.readUInt32BE(20)]).toEqual([
    2 * CHART_SIZE.width,
    2 * CHART_SIZE.height,
  ]);
  // In the colour of the operator.
  expect(chart?.content.equals(await pictureFor('ann'))).toBe(false);
});

test.each<[string, 'weekly' | 'immediate', number]>([
  ['a later part of a digest', 'weekly', 1],
  ['an alert', 'immediate', 0],
])('is not in %s, and its figures are not read', async (_what, every, part) => {
  let isRead = false;
  const mail = await composeEdition(
    { ...sampleDelivery(every), part },
    {
      templates: testTemplates(),
      from: 'Jobs <jobs@example.org>',
      weeks: async () => {
        isRead = true;
        return weeks();
      },
    },
  );
  expect([mail.attachments, isRead]).toEqual([[], false]);
});
