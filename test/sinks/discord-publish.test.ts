// Publishing messages of an announcement channel, within what Discord allows.
import { beforeEach, expect, test } from 'vitest';
import type { DiscordRest } from '../../src/discord/rest.js';
import { createPublish } from '../../src/sinks/discord/publish.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { discordSink, silent } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

const { signal } = new AbortController();
const HOUR = 3_600_000;

let discord: Discord;
let rest: DiscordRest;

beforeEach(async () => {
  discord = await startDiscord({ rateWindowMs: 100, publishWindowMs: 0 });
  ({ rest } = discordSink(discord));
  later(
    () => discord.close(),
    () => rest.close(),
  );
});

const published = () => discord.requests.filter(({ path }) => path.endsWith('/crosspost')).length;

test.each(['in memory', 'in the store'])('ten of a channel in any hour, counted %s', async (where) => {
  const clock = testClock();
  const table = where === 'in memory' ? undefined : memoryTable(clock);
  const said: [object, string][] = [];
  const log = { ...silent, info: (fields: object, message: string) => void said.push([fields, message]) };
  const publish = createPublish(rest, { table, clock, log });
  const guild = discord.addGuild({
    channels: [
      { name: 'news', type: 'announcement' },
      { name: 'more', type: 'announcement' },
    ],
  });
  const [{ id }, other] = [guild.channel('news'), guild.channel('more')];
  for (let n = 0; n < 10; n++) {
    await publish(id, `12345678901234560${n}`, signal);
    clock.advance(60_000);
  }
  expect(published()).toBe(10);
  await publish(id, '123456789012345699', signal);
  expect(published()).toBe(10);
  expect(said).toEqual([[{ channel: id }, 'not published: ten messages this hour']]);
  await publish(other.id, '123456789012345699', signal);
  expect(published()).toBe(11);
  // An hour after the first of the ten, there is room for one.
  clock.advance(HOUR - 10 * 60_000);
  await publish(id, '123456789012345699', signal);
  await publish(id, '123456789012345699', signal);
  expect(published()).toBe(12);
});

test('a message that could not be published is only a warning', async () => {
  const said: [object, string][] = [];
  const log = { ...silent, warn: (fields: object, message: string) => void said.push([fields, message]) };
  const publish = createPublish(rest, { table: undefined, clock: testClock(), log });
  await publish('123456789012345678', '123456789012345699', signal);
  expect(said).toEqual([
    [{ channel: '123456789012345678', reason: expect.any(String) }, 'a message could not be published'],
  ]);
});
