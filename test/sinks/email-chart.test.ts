// The chart of a digest is a picture that is shared by all readers with the same figures.
import { expect, test } from 'vitest';
import { sampleDelivery, sampleWeeks } from '../../src/render/samples.js';
import { composeEdition } from '../../src/sinks/email/compose.js';
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
