// Mails and pages of the service are rendered from the same compiled templates.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  openReaderHouse,
  PAGES,
  type ReaderHouse,
  rustJob,
  subscribeReader,
} from '../helpers/reader-house.js';

let house: ReaderHouse;
beforeAll(async () => {
  house = await openReaderHouse();
});
afterAll(() => house.close());

test('loads the templates once for all mails and pages', async () => {
  const loaded = () => house.log.lines.filter((line) => line.includes('"templates loaded"'));
  expect(loaded()).toHaveLength(1);
  await subscribeReader(house);
  await house.announce(rustJob(3));
  const mail = await house.mail(2);
  expect(mail.html).toContain('<h1');
  expect(await (await house.visit(`${PAGES}/nowhere`)).text()).toContain('<h1');
  expect(loaded()).toHaveLength(1);
});
