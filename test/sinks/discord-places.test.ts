// Every kind of place that can receive a message, with the real limits and permissions of the local Discord.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DiscordRest } from '../../src/discord/rest.js';
import type { Sink } from '../../src/ports/sink.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { linksIn, titlesIn } from '../helpers/discord-cards.js';
import { deliverTo, discordSink, sampleDelivery, samplePosting } from '../helpers/discord-delivery.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

let discord: Discord;
let sink: Sink;
let rest: DiscordRest;

beforeEach(async () => {
  discord = await startDiscord();
  ({ sink, rest } = discordSink(discord));
});

afterEach(async () => {
  await rest.close();
  await discord.close();
});

test.each(['text', 'announcement', 'voice'] as const)(
  'a %s channel gets one message with a card',
  async (type) => {
    const channel = discord.addGuild({ channels: [{ name: 'jobs', type }] }).channel('jobs');
    expect(await deliverTo(sink, sampleDelivery(channel.id))).toBeUndefined();
    const [message, ...others] = discord.messages(channel.id);
    expect(others).toEqual([]);
    expect(message && linksIn(message)).toEqual(['https://board.example/r/1__me?ref=a_b&x=1']);
    expect(message?.text).toContain('via Example Board');
    expect(discord.violations).toEqual([]);
  },
);

describe('an announcement channel that publishes', () => {
  const CROSSPOSTED = 1;
  const news = () => discord.addGuild({ channels: [{ name: 'news', type: 'announcement' }] }).channel('news');
  const delivery = (target: string, n: number, publish = true) => {
    const one = sampleDelivery(target, { postings: [samplePosting(n)] });
    return { ...one, destination: { ...one.destination, ...(publish ? { options: { publish } } : {}) } };
  };
  const published = (channel: { id: string }) =>
    discord.messages(channel.id).map(({ flags }) => (flags & CROSSPOSTED) !== 0);

  test('publishes each message, and none without the option', async () => {
    const channel = news();
    expect(await deliverTo(sink, delivery(channel.id, 1))).toBeUndefined();
    expect(await deliverTo(sink, delivery(channel.id, 2, false))).toBeUndefined();
    expect(published(channel)).toEqual([true, false]);
    expect(discord.violations).toEqual([]);
  });

  test('stops at ten an hour for all processes together, still delivers, and publishes again an hour later', async () => {
    const quick = await startDiscord({ rateWindowMs: 100, publishWindowMs: 0 });
    const { id } = quick.addGuild({ channels: [{ name: 'news', type: 'announcement' }] }).channel('news');
    const clock = testClock();
    const table = memoryTable(clock);
    const sinks = [0, 1].map(() => discordSink(quick, { table, now: clock.now }));
    const send = (n: number) => deliverTo((sinks[n % 2] as (typeof sinks)[number]).sink, delivery(id, n));
    for (let n = 1; n <= 11; n++) expect(await send(n)).toBeUndefined();
    const flags = () => quick.messages(id).map((message) => message.flags & CROSSPOSTED);
    expect(flags()).toEqual([...Array(10).fill(CROSSPOSTED), 0]);
    clock.advance(3_600_000);
    expect(await send(12)).toBeUndefined();
    expect(flags().at(-1)).toBe(CROSSPOSTED);
    for (const { rest: client } of sinks) await client.close();
    await quick.close();
  });

  test('delivers also when Discord does not publish', async () => {
    const channel = news();
    discord.faults.next(/crosspost/u, { kind: 'status', status: 500 });
    expect(await deliverTo(sink, delivery(channel.id, 1))).toBeUndefined();
    expect(published(channel)).toEqual([false]);
  });
});

describe('a thread', () => {
  test('is opened again if it is archived', async () => {
    const guild = discord.addGuild({
      channels: [{ name: 'jobs' }, { name: 'feed', type: 'thread', parent: 'jobs', archived: true }],
    });
    const thread = guild.channel('feed');
    expect(await deliverTo(sink, sampleDelivery(thread.id))).toBeUndefined();
    expect(thread.archived).toBe(false);
    expect(discord.messages(thread.id)).toHaveLength(1);
    expect(discord.violations).toEqual([]);
  });

  test('is opened again if it was archived since it was last read', async () => {
    const guild = discord.addGuild({
      channels: [{ name: 'jobs' }, { name: 'feed', type: 'thread', parent: 'jobs' }],
    });
    const thread = guild.channel('feed');
    await deliverTo(sink, sampleDelivery(thread.id));
    thread.archived = true;
    expect(
      await deliverTo(sink, sampleDelivery(thread.id, { postings: [samplePosting(2)] })),
    ).toBeUndefined();
    expect(discord.messages(thread.id)).toHaveLength(2);
  });

  test('is a fault for its owner if it is locked', async () => {
    const guild = discord.addGuild({
      channels: [
        { name: 'jobs' },
        { name: 'feed', type: 'thread', parent: 'jobs', archived: true, locked: true },
      ],
    });
    const error = await deliverTo(sink, sampleDelivery(guild.channel('feed').id));
    expect(error?.fault).toBe('target');
  });
});

describe('a forum', () => {
  const forum = (spec: object = {}) =>
    discord
      .addGuild({ channels: [{ name: 'jobs', type: 'forum', tags: ['Rust', 'Design'], ...spec }] })
      .channel('jobs');
  const posts = () => discord.allMessages().filter((message) => message.id === message.channelId);

  test('gets a post per edition with the tags that fit', async () => {
    const channel = forum();
    const postings = [samplePosting(1), samplePosting(2)];
    expect(await deliverTo(sink, sampleDelivery(channel.id, { postings }))).toBeUndefined();
    expect(posts()).toHaveLength(1);
    expect(discord.violations).toEqual([]);
    const request = discord.requests.find((one) => one.path.endsWith('/threads'));
    expect(request?.body).toMatchObject({ applied_tags: [channel.tags[0]?.id] });
  });

  test('gets further messages of an edition in the same post, also after a restart', async () => {
    const channel = forum();
    const parts = [1, 2, 3].map((n) =>
      sampleDelivery(channel.id, {
        edition: 'editionWithParts',
        part: n - 1,
        parts: 3,
        postings: [samplePosting(n)],
      }),
    );
    for (const part of parts) {
      const fresh = discordSink(discord);
      expect(await deliverTo(fresh.sink, part)).toBeUndefined();
      await fresh.rest.close();
    }
    const [post] = posts();
    expect(posts()).toHaveLength(1);
    expect(discord.messages(post?.channelId ?? '')).toHaveLength(3);
  });

  test('gets a post per posting when configured so', async () => {
    const channel = forum();
    const delivery = sampleDelivery(channel.id, { postings: [1, 2, 3].map((n) => samplePosting(n)) });
    const destination = { ...delivery.destination, options: { forum: 'posting' } };
    const packed = sink.pack?.(delivery.postings, destination) ?? [];
    for (const [part, postings] of packed.entries())
      await deliverTo(sink, {
        ...delivery,
        destination,
        part,
        parts: packed.length,
        postings: postings as typeof delivery.postings,
      });
    expect(posts().flatMap(titlesIn)).toEqual([
      'Senior Rust Engineer 1',
      'Senior Rust Engineer 2',
      'Senior Rust Engineer 3',
    ]);
    const names = discord.requests.filter((one) => one.path.endsWith('/threads')).map(({ body }) => body);
    expect(names).toMatchObject([1, 2, 3].map((n) => ({ name: expect.stringContaining(`Engineer ${n}`) })));
  });

  test('finds the post of a repeated attempt among sixty, and makes no second one', async () => {
    const quick = await startDiscord({ ratePerWindow: 1000, globalPerSecond: 1000 });
    const own = discordSink(quick);
    const channel = quick.addGuild({ channels: [{ name: 'jobs', type: 'forum' }] }).channel('jobs');
    const delivery = sampleDelivery(channel.id, { edition: 'editionOfMany' });
    const destination = { ...delivery.destination, options: { forum: 'posting' } };
    const parts = 60;
    const part = (n: number, attempt = 1) =>
      deliverTo(own.sink, {
        ...delivery,
        destination,
        attempt,
        part: n,
        parts,
        postings: [samplePosting(n, { title: `Position ${n}` })],
      });
    for (let n = 0; n < parts; n++) expect(await part(n)).toBeUndefined();
    // The answer to the last one was lost.
    expect(await part(parts - 1, 2)).toBeUndefined();
    expect(quick.allMessages()).toHaveLength(parts);
    expect(quick.violations).toEqual([]);
    await own.rest.close();
    await quick.close();
  });

  test('gets a tag if it requires one, although none fits', async () => {
    const channel = forum({
      requireTag: true,
      tags: [{ name: 'Staff', moderated: true }, 'Announcements', 'Jobs'],
    });
    expect(await deliverTo(sink, sampleDelivery(channel.id))).toBeUndefined();
    const request = discord.requests.find((one) => one.path.endsWith('/threads'));
    expect(request?.body).toMatchObject({ applied_tags: [channel.tags[2]?.id] });
  });

  test('gets a tag if it requires one since it was last read', async () => {
    const channel = forum({ tags: ['Design'] });
    await deliverTo(sink, sampleDelivery(channel.id));
    channel.requireTag = true;
    const next = sampleDelivery(channel.id, { postings: [samplePosting(2)] });
    expect(await deliverTo(sink, next)).toBeUndefined();
    expect(posts()).toHaveLength(2);
  });

  test('reports that it requires a tag but has none left to use', async () => {
    const channel = forum({ requireTag: true, tags: [] });
    const error = await deliverTo(sink, sampleDelivery(channel.id));
    expect([error?.fault, error?.forOwner]).toEqual(['target', expect.stringContaining('tag')]);
  });

  test('gets a new post for the rest of an edition after the first was deleted', async () => {
    const channel = forum();
    const part = (n: number) =>
      sampleDelivery(channel.id, {
        edition: 'editionWithParts',
        part: n,
        parts: 2,
        postings: [samplePosting(n)],
      });
    await deliverTo(sink, part(0));
    discord.deleteChannel(posts()[0]?.channelId ?? '');
    expect(await deliverTo(sink, part(1))).toBeUndefined();
    expect(posts()).toHaveLength(2);
  });
});

describe('a direct message', () => {
  test('reaches a person by id', async () => {
    const user = discord.addUser({ installed: true });
    expect(await deliverTo(sink, sampleDelivery(`dm:${user.id}`))).toBeUndefined();
    expect(discord.allMessages()).toHaveLength(1);
    expect(discord.violations).toEqual([]);
  });

  test('opens the channel once', async () => {
    const user = discord.addUser({ installed: true });
    for (const n of [1, 2, 3])
      await deliverTo(sink, sampleDelivery(`dm:${user.id}`, { postings: [samplePosting(n)] }));
    expect(discord.requests.filter((one) => one.path === '/users/@me/channels')).toHaveLength(1);
  });

  test('is a fault for its owner if it is closed', async () => {
    const user = discord.addUser({ dmClosed: true, installed: true });
    const error = await deliverTo(sink, sampleDelivery(`dm:${user.id}`));
    expect([error?.fault, error?.forOwner]).toEqual(['target', expect.stringContaining('direct messages')]);
  });

  test('pings no role, although one is configured', async () => {
    const user = discord.addUser({ installed: true });
    const delivery = sampleDelivery(`dm:${user.id}`);
    const destination = { ...delivery.destination, options: { mention: '123456789012345678' } };
    await deliverTo(sink, { ...delivery, destination });
    expect(discord.allMessages().map(({ text }) => text.includes('<@&'))).toEqual([false]);
  });
});

test('does not try to post in a category, which holds no messages', async () => {
  const channel = discord.addGuild({ channels: [{ name: 'all', type: 'category' }] }).channel('all');
  const error = await deliverTo(sink, sampleDelivery(channel.id));
  expect([error?.fault, error?.forOwner]).toEqual(['target', expect.stringContaining('text')]);
  expect(discord.requests.filter((one) => one.method === 'POST')).toEqual([]);
});

test('pings only the configured role, and only in the first message', async () => {
  const guild = discord.addGuild({
    channels: [{ name: 'jobs' }],
    roles: [{ name: 'rustaceans', mentionable: true }],
  });
  const role = guild.role('rustaceans').id;
  const hostile = samplePosting(1, { title: `@everyone <@&${role}> <@${discord.botId}>`, company: '@here' });
  const delivery = sampleDelivery(guild.channel('jobs').id, { postings: [hostile], parts: 2 });
  const destination = { ...delivery.destination, options: { mention: role } };
  await deliverTo(sink, { ...delivery, destination });
  await deliverTo(sink, { ...delivery, destination, part: 1 });
  expect(discord.messages(guild.channel('jobs').id).map((message) => message.pinged)).toEqual([
    [`<@&${role}>`],
    [],
  ]);
});

test('shows a digest as one list with masked links and a menu', async () => {
  const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
  const postings = [samplePosting(1), samplePosting(2, { matched: ['solidity'], title: 'Auditor [remote]' })];
  await deliverTo(
    sink,
    sampleDelivery(channel.id, { every: 'weekly', postings, more: 7, moreUrl: 'https://crier.example/e/x' }),
  );
  const [message] = discord.messages(channel.id);
  expect(message?.text).toContain('[Auditor (remote)](<https://board.example/r/2__me?ref=a_b&x=2>)');
  expect(message?.text).toContain('[and 7 more](<https://crier.example/e/x>)');
  expect(message?.text.match(/Apply links carry/gu)).toHaveLength(1);
  expect(discord.violations).toEqual([]);
});
