// Readers of the operator's file share an account: a link affects only the mails of one reader.
import { afterEach, describe, expect, test } from 'vitest';
import {
  confirmLink,
  openReaderHouse,
  pageLinks,
  type ReaderHouse,
  rustJob,
} from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

const FORM = {
  do: 'save',
  every: 'weekly',
  day: 'friday',
  at: '18:30',
  timezone: 'Asia/Kolkata',
  tags: ['rust', 'solidity'],
  country: 'germany',
  remote: 'yes',
  include: 'zk, protocol engineer',
  exclude: 'intern',
  minSalary: '80,000',
  dropUnknown: 'yes',
  cap: '25',
  locale: 'de',
};

describe('a reader of the operator’s file', () => {
  let house: ReaderHouse;

  afterEach(() => house.close());

  const entry = (id: string, targets: readonly string[]) => `- id: ${id}
  filter: { tags: [rust] }
  schedule: "* * * * * *"
  destinations:
${targets.map((target) => `    - { sink: email, target: ${target}, consented: true, cadence: immediate }`).join('\n')}
`;

  async function start(...entries: string[]): Promise<Record<string, string>> {
    house = await openReaderHouse({ subscriptions: entries.join('') });
    await until(
      async () =>
        (await house.app.services.subscription({ account: 'operator' }, 'mine')).polledAt !== undefined,
    );
    await house.announce(rustJob(3));
    await house.mail(1);
    await until(async () => (await house.mails()).some((mail) => mail.to?.[0]?.address === 'me@example.org'));
    const mail = (await house.mails()).find((one) => one.to?.[0]?.address === 'me@example.org');
    return pageLinks(mail!);
  }

  test('can pause only their own mails, and change nothing from the file', async () => {
    const { preferences = '' } = await start(entry('mine', ['me@example.org']));
    const html = await (await house.visit(preferences)).text();
    expect(html).toContain(
      'The operator of this service manages this subscription and can change it for you.',
    );
    expect(html).toMatch(/write to <a href="mailto:([^"?]+)\?subject=Please%20change%3A[^"]*">\1<\/a>/u);
    expect(html).not.toContain('name="every"');
    await house.press(preferences, FORM);
    expect(
      (await house.app.services.subscription({ account: 'operator' }, 'mine')).subscription.filter.tags,
    ).toEqual(['rust']);
    await house.press(preferences, { do: 'pause' });
    expect((await house.app.services.subscription({ account: 'operator' }, 'mine')).state).toBe('paused');
  });

  test('can affect no other reader: no pause for all, no list, no export, no deletion', async () => {
    const { preferences = '' } = await start(
      entry('mine', ['me@example.org', 'you@example.org']),
      entry('other', ['third@example.org']),
    );
    const html = await (await house.visit(preferences)).text();
    expect(html).not.toMatch(/Your other subscriptions|Delete my data|value="pause"|you@|third@/u);
    for (const fields of [{ do: 'pause' }, { do: 'erase' }, { do: 'erase', sure: 'yes' }, FORM])
      await house.press(preferences, fields);
    expect(
      (await house.app.services.subscriptions({ account: 'operator' })).map(({ state }) => state),
    ).toEqual(['active', 'active']);
    const before = house.smtp.mails.length;
    await house.press(preferences, { do: 'export' });
    const asked = await house.mail(before + 1);
    expect(asked.to?.[0]?.address).toBe('me@example.org');
    const exported = await (await house.press(confirmLink(asked))).text();
    expect(exported).toContain('me@example.org');
    expect(exported).not.toMatch(/you@|third@/u);
  });

  test('can unsubscribe without affecting others', async () => {
    const { unsubscribe = '' } = await start(entry('mine', ['me@example.org', 'you@example.org']));
    await until(() => house.smtp.mails.length === 2);
    const html = await (await house.press(unsubscribe)).text();
    expect(html).toContain('Undo');
    // These would affect the other reader, or be undone by the file.
    expect(html).not.toMatch(/instead|Stop all/u);
    await house.announce(rustJob(4));
    await until(() => house.smtp.mails.length === 3);
    expect(house.smtp.mails[2]?.to).toEqual(['you@example.org']);
  });
});
