// One channel with several subscriptions: the same one is not created twice, and a posting that two members want is
// announced once, or twice with the reason.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import type { Subscription } from '../../src/domain/subscription.js';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';
import { bodyOf } from '../helpers/discord-cards.js';

let house: BotHouse;
beforeEach(async () => {
  house = await openHouse();
  await house.board.setTokens([
    { token: house.board.token, partner: 'first' },
    { token: 'second-token', partner: 'second' },
  ]);
});
afterEach(async () => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.message === 'interaction failed')).toEqual([]);
  await house.close();
});

const subscribe = (tags: string, user = house.admin, locale = 'en-US') =>
  user
    .slash(
      '/jobs subscribe',
      { tags, channel: house.guild.channel('jobs') },
      { guild: house.guild, locale: locale as never },
    )
    .reply();
const cards = () => house.discord.messages(house.guild.channel('jobs').id);

async function secondMember() {
  const user = house.discord.addUser();
  house.guild.addMember({ user, permissions: ['MANAGE_CHANNELS'] });
  await house.app.services.setToken(`discord:${user.id}`, secret('second-token'));
  return user;
}

test('answers with the existing subscription when the same filter is subscribed to the same channel, also twice together', async () => {
  const answers = await Promise.all([subscribe('rust'), subscribe('rust')]);
  const [report, ...others] = await house.app.services.subscriptions({
    account: `discord:${house.admin.id}`,
  });
  expect(others).toEqual([]);
  const { id = '' } = report?.subscription ?? {};
  expect(answers.filter(({ text }) => text.includes('Understood'))).toHaveLength(1);
  const again = answers.find(({ text }) => text.includes('You already have this subscription'));
  expect(again?.text).toContain(`\`${id}\``);
  const panel = await house.admin
    .press(again as never, 'Edit')
    .replyWhere((message) => message.text.includes('What would you like to change?'));
  expect(panel.ephemeral).toBe(true);
  const german = await subscribe('rust', house.admin, 'de');
  expect(german.text).toMatch(/Das hast du schon, als `\w+`/u);
});

test('announces a posting that two members want once, with the reasons of both, when their links are the same', async () => {
  await subscribe('rust');
  await subscribe('backend', await secondMember());
  await house.board.addJob(jobOf(3));
  await house.poll();
  const settled = async () => {
    const all: Subscription[] = [];
    for await (const one of house.app.pipeline.stores.subscriptions.list()) all.push(one);
    const found = await Promise.all(
      all.map((one) =>
        house.app.services
          .why({ account: one.account }, one.id, '3')
          .then((why) => why.destinations[0]?.state),
      ),
    );
    return found.toSorted().join();
  };
  await expect.poll(settled, { timeout: 45_000 }).toBe('elsewhere,sent');
  expect(cards()).toHaveLength(1);
  expect(cards()[0]?.text).toMatch(/matches: (?:Rust and Backend|Backend and Rust)/u);
});

test('announces a posting from each with its own link when the links differ, and the second one says why', async () => {
  await subscribe('rust');
  await subscribe('backend', await secondMember());
  await house.board.addJob(jobOf(3, { apply_url: 'https://jobs.example/r/3__{partner}?a=1' }));
  await house.poll();
  await house.discord.until(() => cards().length === 2, 'a card for each link');
  const texts = cards().map(bodyOf);
  expect(texts.map((text) => /__(\w+)\?a=1/u.exec(text)?.[1]).toSorted()).toEqual(['first', 'second']);
  const twice = texts.filter((text) => text.includes('Posted twice: another member'));
  expect(twice).toHaveLength(1);
});
