// Direct messages are tried when they are chosen: the person gets a welcome message, or is told immediately that they
// are closed.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';
import type { MessageRecord } from '../helpers/discord/types.js';

let house: BotHouse;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => house.newServer());
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
});
afterAll(() => house.close());

const slash = (command: string, options = {}) =>
  house.admin.slash(command, options, { guild: house.guild }).reply();
const stored = () => house.app.services.subscriptions({ account: `discord:${house.admin.id}` });
const said = (text: string) => (message: MessageRecord) => message.text.includes(text);

test('sends a welcome message in the language of the reader before the first posting, and none for a second subscription', {
  tags: 'long',
}, async () => {
  house.admin.record.locale = 'de';
  await slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' });
  expect(house.admin.dms().map(({ text }) => text)).toEqual([
    expect.stringMatching(/^👋 Neue Stellen zu \*\*Rust\*\* bekommst du hier\..*\/jobs/u),
  ]);
  expect((await slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' })).text).toContain(
    'Das hast du schon',
  );
  await house.board.addJob(jobOf(3));
  await house.poll();
  const card = await house.discord.until(() => house.admin.dms()[1], 'the posting');
  expect(card.text).toContain('Rust Engineer 3');
});

test('reports closed ones immediately with the fix and stores nothing, and the same button tries again', async () => {
  house.admin.record.dmClosed = true;
  const refused = await slash('/jobs subscribe', { tags: 'rust', exclude: 'intern', deliver: 'dm' });
  expect(refused.text).toMatch(
    /does not let me write to you, so nothing was stored\. Allow direct messages/u,
  );
  expect(await stored()).toEqual([]);
  house.admin.record.dmClosed = false;
  const done = await house.admin.press(refused, 'To my direct messages').replyWhere(said('Understood'));
  expect(done.text).toContain('without intern');
  expect(house.admin.dms()).toHaveLength(1);
});

test('does not move a subscription to closed ones', { tags: 'long' }, async () => {
  const channel = house.guild.channel('jobs');
  await slash('/jobs subscribe', { tags: 'rust', channel });
  const panel = await slash('/jobs edit', { subscription: 'rust' });
  house.admin.record.dmClosed = true;
  const refused = await house.admin.press(panel, 'To my direct messages').reply();
  expect(refused.text).toMatch(/nothing was stored/u);
  expect((await stored())[0]?.subscription).toMatchObject({
    guild: house.guild.id,
    destinations: [{ target: channel.id }],
  });
  house.admin.record.dmClosed = false;
  await house.admin.press(panel, 'To my direct messages').replyWhere(said('by direct message'));
  expect(house.admin.dms()).toHaveLength(1);
});
