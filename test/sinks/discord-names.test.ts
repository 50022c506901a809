// The names of channels and servers, which are needed after the place is gone.
import { expect, test } from 'vitest';
import { createDiscordRest } from '../../src/discord/rest.js';
import { secret } from '../../src/domain/secret.js';
import type { Table } from '../../src/ports/stores.js';
import type { Log } from '../../src/ports/system.js';
import { createPlaceNames } from '../../src/sinks/discord/names.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { silent } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { type MemoryTable, memoryTable, type TestClock, testClock } from '../helpers/memory-table.js';

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
  return { discord, guild, clock, table, asked, id, open, learn };
}

function createNames(
  table: Table<unknown> | undefined,
  clock: TestClock,
  { token, apiUrl }: Discord,
  log: Log = silent,
) {
  const rest = createDiscordRest({ token: secret(token), apiUrl, log: silent });
  later(() => rest.close());
  return createPlaceNames(rest, table, log, clock);
}

/** The same table, with what it was asked for. */
function watched(table: MemoryTable): { table: Table<unknown>; calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    table: {
      ...table,
      get: (key) => {
        calls.push(`get ${key}`);
        return table.get(key);
      },
      set: (key, ...rest) => {
        calls.push(`set ${key}`);
        return table.set(key, ...rest);
      },
    },
  };
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

test('knows names after a restart, for places that are in the store', async () => {
  const { asked, id, open, learn } = await start();
  await learn();
  expect(await open().of(id)).toEqual({ channel: 'jobs', server: 'Rust' });
  expect(await open().of('123456789012345678')).toEqual({});
  expect(asked()).toBe(1);
});

test('writes a name only when it is new', async () => {
  const { discord, guild, id, clock, learn, table } = await start();
  await learn();
  const before = table.dump();
  clock.advance(3_600_000);
  await learn();
  expect(table.dump()).toBe(before);
  await learn(undefined, 'all-jobs');
  expect(table.dump()).not.toBe(before);
  // The same name in another server.
  const other = discord.addGuild({ name: 'Go' });
  await createNames(table, clock, discord).learn({ id, name: 'all-jobs', guild: other.id });
  expect(await createNames(table, clock, discord).of(id)).toEqual({ channel: 'all-jobs', server: 'Go' });
  expect(guild.id).not.toBe(other.id);
});

test('works in memory alone', async () => {
  const { discord, guild, id, clock } = await start();
  const names = createNames(undefined, clock, discord);
  await names.learn({ id, name: 'jobs' });
  expect(await names.of(id)).toEqual({ channel: 'jobs' });
  clock.advance(2 * 3_600_000);
  expect(await names.of(id)).toEqual({ channel: 'jobs' });
  await names.learn({ id, name: 'jobs', guild: guild.id });
  expect(await names.of(id)).toEqual({ channel: 'jobs', server: 'Rust' });
  expect(discord.requests.map(({ path }) => path)).toEqual([`/guilds/${guild.id}`]);
});

test('forgets all names in memory when there are too many', async () => {
  const { discord, clock } = await start();
  const names = createNames(undefined, clock, discord);
  const ids = Array.from({ length: 5_001 }, (_, n) => String(10 ** 17 + n * 1000));
  for (const id of ids.slice(0, 5_000)) await names.learn({ id, name: `jobs ${id}` });
  expect(await names.of(ids[0]!)).toEqual({ channel: `jobs ${ids[0]}` });
  await names.learn({ id: ids[5_000]!, name: 'more jobs' });
  expect(await names.of(ids[0]!)).toEqual({});
  expect(await names.of(ids[5_000]!)).toEqual({ channel: 'more jobs' });
});

test('reads a stored name once an hour, and a name that is not stored each time', async () => {
  const { discord, clock, id, learn, table: stored } = await start();
  const { table, calls } = watched(stored);
  const names = createNames(table, clock, discord);
  expect(await names.of(id)).toEqual({});
  await learn();
  for (let n = 0; n < 3; n++) expect(await names.of(id)).toEqual({ channel: 'jobs', server: 'Rust' });
  expect(calls.filter((call) => call === `get discord:name:${id}`)).toHaveLength(2);
  clock.advance(3_600_000);
  await names.of(id);
  expect(calls.filter((call) => call === `get discord:name:${id}`)).toHaveLength(3);
  await names.learn({ id, name: 'jobs', guild: calls.at(-1)!.split(':').at(-1)! });
  expect(calls.filter((call) => call.startsWith('set'))).toEqual([]);
});

test('a name that can not be read is a line in the log, and nothing else fails', async () => {
  const { discord, clock, id, table: stored } = await start();
  const lines: unknown[] = [];
  const log = { ...silent, debug: (...line: unknown[]) => void lines.push(line) };
  const table = { ...stored, get: () => Promise.reject(new Error('no store')) };
  expect(await createNames(table, clock, discord, log).of(id)).toEqual({});
  expect(lines).toEqual([[{ reason: 'no store' }, 'the name of a place is not known']]);
});

test('a channel without a name teaches the name of its server, and a direct message nothing', async () => {
  const { asked, guild, id, open } = await start();
  const names = open();
  await names.learn({ id });
  expect(asked()).toBe(0);
  await names.learn({ id, guild: guild.id });
  expect(asked()).toBe(1);
  expect(await names.of(id)).toEqual({});
  expect(await names.of(guild.id)).toEqual({ channel: 'Rust' });
});

test('a server that can not be asked has no name, and nothing fails', async () => {
  const { discord, id, guild, open } = await start();
  discord.faults.next('GET /guilds/:id', {
    kind: 'status',
    status: 403,
    body: { code: 50001, message: 'no' },
  });
  const names = open();
  await names.learn({ id, name: 'jobs', guild: guild.id });
  expect(await names.of(id)).toEqual({ channel: 'jobs' });
  discord.faults.next('GET /guilds/:id', { kind: 'status', status: 200, body: { name: 7 } });
  const others = open();
  await others.learn({ id, name: 'jobs', guild: guild.id });
  expect(await others.of(id)).toEqual({ channel: 'jobs' });
});
