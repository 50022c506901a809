// A burst of postings over several channels must neither run into Discord's limits nor keep people waiting.
import { afterEach, expect, test } from 'vitest';
import { type BotHouse, jobOf, linkOf, openHouse } from '../helpers/bot-house.js';
import { linksIn } from '../helpers/discord-cards.js';
import { until } from '../helpers/until.js';

let house: BotHouse;
afterEach(async () => {
  await house.close();
});

test('posts 100 postings to 5 channels without reaching a limit, each once and in order, and answers commands meanwhile', {
  tags: 'long',
  timeout: 270_000,
}, async () => {
  house = await openHouse();
  const { discord, guild, admin } = house;
  const channels = [1, 2, 3, 4, 5].map((number) => discord.addChannel(guild, { name: `burst-${number}` }));
  for (const channel of channels) {
    const reply = await admin.slash('/jobs subscribe', { tags: 'rust', channel }, { guild }).reply();
    expect(reply.text).toMatch(/Understood/u);
  }
  const mine = () => house.services.subscriptions({ account: `discord:${admin.id}` });
  const isPolled = async () => (await mine()).every(({ polledAt }) => polledAt !== undefined);
  await until(isPolled, { what: 'the first checks' });
  const ids = Array.from({ length: 20 }, (_, index) => 100 + index);
  await house.board.setJobs([...ids.map((id) => jobOf(id)), jobOf(1), jobOf(2)]);
  const polled = house.poll();
  const shown = (channel: { id: string }) => discord.messages(channel.id).flatMap(linksIn);
  const expected = ids.map(linkOf);
  let asked = 0;
  await expect
    .poll(
      async () => {
        const press = admin.slash('/help', {}, { guild });
        await press.reply();
        expect(press.ackMs).toBeLessThan(3000);
        asked++;
        return channels.every((channel) => shown(channel).length >= 20);
      },
      { timeout: 180_000, interval: 50 },
    )
    .toBe(true);
  await polled;
  expect(asked).toBeGreaterThan(1);
  for (const channel of channels) {
    expect([...shown(channel)].sort()).toEqual([...expected].sort());
    // In the order of the first channel: all channels have the same order.
    expect(shown(channel)).toEqual(shown(channels[0] as { id: string }));
  }
  expect(discord.naturalRateLimits).toBe(0);
  expect(discord.violations).toEqual([]);
});
