// The names of channels and servers, which are needed after the place is gone.
import { expect, test } from 'vitest';
import { createDiscordRest } from '../../src/discord/rest.js';
import { secret } from '../../src/domain/secret.js';
import { createPlaceNames } from '../../src/sinks/discord/names.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { silent } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

async function start() {
  const discord = await startDiscord();
  const rest = createDiscordRest({ token: secret(discord.token), apiUrl: discord.apiUrl, log: silent });
  later(
    () => discord.close(),
    () => rest.close(),
  );
  const guild = discord.addGuild({ name: 'Rust', channels: [{ name: 'jobs' }] });
  const clock = testClock();
  const table = memoryTable(clock);
  const asked = () => discord.requests.filter(({ path }) => path === `/guilds/${guild.id}`).length;
  const { id } = guild.channel('jobs');
  const open = () => createPlaceNames(rest, table, silent, clock);
  const learn = (names = open(), name = 'jobs') => names.learn({ id, name, guild: guild.id });
  return { discord, guild, clock, asked, id, open, learn };
}

test('learns the new name of a renamed server after an hour, with one request', async () => {
  const { discord, guild, clock, asked, id, open, learn } = await start();
  const names = open();
  await learn(names);
  await learn(names);
  expect(await names.of(id)).toEqual({ channel: 'jobs', server: 'Rust' });
  expect(asked()).toBe(1);
  discord.renameGuild(guild.id, 'Rust and Go');
  clock.advance(3_600_000);
  await learn(names);
  expect(await names.of(id)).toEqual({ channel: 'jobs', server: 'Rust and Go' });
  expect(asked()).toBe(2);
});

test('reads a name that another process has learned after an hour', async () => {
  const { clock, id, open, learn } = await start();
  const [mine, theirs] = [open(), open()];
  await learn(mine);
  clock.advance(60_000);
  await learn(theirs, 'all-jobs');
  expect(await mine.of(id)).toMatchObject({ channel: 'jobs' });
  clock.advance(3_600_000);
  expect(await mine.of(id)).toMatchObject({ channel: 'all-jobs' });
});
