// What the Discord sink does besides sending postings: hellos, tests, names, and how editions are split.
import { beforeEach, describe, expect, test } from 'vitest';
import type { DiscordRest } from '../../src/discord/rest.js';
import { secret } from '../../src/domain/secret.js';
import type { Destination } from '../../src/domain/subscription.js';
import type { Sink } from '../../src/ports/sink.js';
import { textsFor } from '../../src/render/texts.js';
import { createDiscordSink } from '../../src/sinks/discord/sink.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import {
  deliverTo,
  discordSink,
  sampleDelivery,
  samplePosting,
  silent,
} from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { type MemoryTable, memoryTable, type TestClock, testClock } from '../helpers/memory-table.js';
import { until } from '../helpers/until.js';

let discord: Discord;
let clock: TestClock;
let table: MemoryTable;
let sink: Sink;
let rest: DiscordRest;

beforeEach(async () => {
  discord = await startDiscord();
  clock = testClock(Date.now());
  table = memoryTable(clock);
  ({ sink, rest } = discordSink(discord, { table, now: clock.now }));
  later(
    () => discord.close(),
    () => rest.close(),
  );
});

const at = (target: string): Destination => ({ ...sampleDelivery(target).destination, target });
const context = (locale = 'en') => ({
  about: 'Rust *and* @everyone',
  locale,
  signal: new AbortController().signal,
});
const channel = (spec: object = {}) =>
  discord.addGuild({ name: 'Rust Berlin', channels: [{ name: 'jobs', ...spec }] }).channel('jobs');
const asked = (method: string, path: RegExp) =>
  discord.requests.filter((one) => one.method === method && path.test(one.path)).length;

describe('the hello to a person', () => {
  const button = { type: 2, style: 2, label: 'Preview', custom_id: 'm:preview' } as const;

  test('names the filter, has the buttons of the bot, and comes once', async () => {
    const user = discord.addUser({ installed: true });
    const buttons: unknown[] = [];
    const mine = createDiscordSink({
      token: secret(discord.token),
      log: silent,
      clock,
      metrics: { count() {}, observe() {} },
      source: 'Example Board',
      rest,
      helloButtons: (id, locale) => {
        buttons.push([id, locale]);
        return [button];
      },
    });
    for (let n = 0; n < 2; n++) await mine.welcome?.(at(`dm:${user.id}`), context('de'));
    const [message, ...others] = user.dms();
    expect(others).toEqual([]);
    expect(message?.content).toContain('**Rust \\*and\\* \\@everyone**');
    expect(message?.content).toContain('/jobs liste');
    expect(message?.components).toMatchObject([{ type: 1, components: [{ label: 'Preview' }] }]);
    expect(buttons[0]).toEqual([user.id, 'de']);
    expect(discord.violations).toEqual([]);
  });

  test('needs no buttons', async () => {
    const user = discord.addUser({ installed: true });
    await sink.welcome?.(at(`dm:${user.id}`), context());
    expect(user.dms().map(({ components }) => components)).toEqual([[]]);
  });

  test('comes again for another filter, and pings no one', async () => {
    const user = discord.addUser({ installed: true });
    for (const about of ['Rust', 'Go']) await sink.welcome?.(at(`dm:${user.id}`), { ...context(), about });
    expect(user.dms()).toHaveLength(2);
    const bodies = discord.requests.filter(({ path }) => path.endsWith('/messages')).map(({ body }) => body);
    expect(bodies).toMatchObject([
      { allowed_mentions: { parse: [] }, components: [] },
      { allowed_mentions: { parse: [] }, components: [] },
    ]);
  });

  test('shows that direct messages are closed', async () => {
    const user = discord.addUser({ installed: true, dmClosed: true });
    await expect(sink.welcome?.(at(`dm:${user.id}`), context())).rejects.toMatchObject({
      fault: 'target',
      fix: 'dmClosed',
    });
  });

  test('that arrives ends a refusal for all subscriptions', async () => {
    const user = discord.addUser({ installed: true, dmClosed: true });
    const target = `dm:${user.id}`;
    expect((await deliverTo(sink, sampleDelivery(target)))?.fault).toBe('target');
    Object.assign(user.record, { dmClosed: false });
    await sink.welcome?.(at(target), context());
    expect(await deliverTo(sink, sampleDelivery(target, { subscription: 'go' }))).toBeUndefined();
  });
});

describe('the name of a place', () => {
  test('is learned when a person chooses it, without a message', async () => {
    const { id } = channel();
    expect(await sink.nameOf?.(id)).toEqual({});
    await sink.welcome?.(at(id), context());
    expect(await sink.nameOf?.(id)).toEqual({ channel: 'jobs', server: 'Rust Berlin' });
    expect(discord.allMessages()).toEqual([]);
  });

  test('is learned with the first message, and known after the channel is gone', async () => {
    const { id } = channel();
    await deliverTo(sink, sampleDelivery(id));
    await until(async () => (await sink.nameOf?.(id))?.server === 'Rust Berlin', { what: 'the name' });
    discord.deleteChannel(id);
    const restarted = discordSink(discord, { table, now: clock.now });
    later(() => restarted.rest.close());
    expect(await restarted.sink.nameOf?.(id)).toEqual({ channel: 'jobs', server: 'Rust Berlin' });
  });

  test('is not kept for a person', async () => {
    const user = discord.addUser({ installed: true });
    await deliverTo(sink, sampleDelivery(`dm:${user.id}`));
    expect(await sink.nameOf?.(`dm:${user.id}`)).toEqual({});
    expect(table.dump()).not.toContain('discord:name');
  });

  test('a place that can not be seen is not welcome', async () => {
    await expect(sink.welcome?.(at('123456789012345678'), context())).rejects.toMatchObject({ code: 10003 });
  });
});

describe('a test message', () => {
  const text = (about: string, locale: string) => textsFor(locale).bot.jobs.testMessage({ about });

  test.each(['text', 'thread'] as const)('is sent to a %s each time it is asked for', async (type) => {
    const guild = discord.addGuild({
      channels: [
        { name: 'jobs' },
        { name: 'place', type, ...(type === 'thread' ? { parent: 'jobs', archived: true } : {}) },
      ],
    });
    const place = guild.channel('place');
    for (let n = 0; n < 2; n++) await sink.test?.(at(place.id), context('es'));
    const [first, ...others] = discord.messages(place.id);
    expect(first?.content).toBe(text('**Rust \\*and\\* \\@everyone**', 'es'));
    expect(first?.pinged).toEqual([]);
    expect(others).toHaveLength(1);
    expect(discord.requests.findLast(({ path }) => path.endsWith('/messages'))?.body).toMatchObject({
      allowed_mentions: { parse: [] },
    });
    expect(place.archived).toBe(false);
    expect(discord.violations).toEqual([]);
  });

  test('opens a thread that was closed since the last one', async () => {
    const guild = discord.addGuild({
      channels: [{ name: 'jobs' }, { name: 'place', type: 'thread', parent: 'jobs' }],
    });
    const place = guild.channel('place');
    await sink.test?.(at(place.id), context());
    place.archived = true;
    await sink.test?.(at(place.id), context());
    expect(place.archived).toBe(false);
    expect(asked('PATCH', /channels/u)).toBe(1);
  });

  test('is a post in a forum, with a tag where one is required', async () => {
    const forum = channel({ type: 'forum', tags: ['Jobs'], requireTag: true });
    await sink.test?.(at(forum.id), context());
    const [post] = discord.allMessages();
    expect(post?.content).toMatch(/^🧪 This is a test\./u);
    const request = discord.requests.find(({ path }) => path.endsWith('/threads'));
    expect(request?.body).toMatchObject({ name: 'Test', applied_tags: [forum.tags[0]?.id] });
    expect(discord.violations).toEqual([]);
  });

  test('says why it can not be sent, and that it can ends a refusal', async () => {
    const { id } = channel();
    discord.setPermissions(id, 'bot', ['VIEW_CHANNEL']);
    await expect(sink.test?.(at(id), context())).rejects.toMatchObject({
      fault: 'target',
      fix: 'mayNotPost',
    });
    expect((await deliverTo(sink, sampleDelivery(id)))?.fault).toBe('target');
    discord.setPermissions(id, 'bot', null);
    await sink.test?.(at(id), context());
    expect(await deliverTo(sink, sampleDelivery(id, { subscription: 'go' }))).toBeUndefined();
  });
});

describe('a place that refused', () => {
  test('is asked again for another subscription ten minutes later', async () => {
    const { id } = channel();
    discord.setPermissions(id, 'bot', ['VIEW_CHANNEL']);
    const send = (subscription: string) => deliverTo(sink, sampleDelivery(id, { subscription }));
    await send('a');
    clock.advance(600_000 - 1);
    expect((await send('b'))?.fault).toBe('target');
    expect(asked('POST', /messages$/u)).toBe(1);
    clock.advance(1);
    expect((await send('c'))?.fault).toBe('target');
    expect(asked('POST', /messages$/u)).toBe(2);
  });

  test('is asked again at once for the subscription that got the error', async () => {
    const { id } = channel();
    discord.setPermissions(id, 'bot', ['VIEW_CHANNEL']);
    for (let n = 1; n <= 2; n++) {
      expect((await deliverTo(sink, sampleDelivery(id)))?.fault).toBe('target');
      expect(asked('POST', /messages$/u)).toBe(n);
    }
  });

  test('is only one that refuses everything: after an outage, other subscriptions are sent', async () => {
    const { id } = channel();
    discord.faults.next('POST /channels/:id/messages', { kind: 'status', status: 500 });
    expect((await deliverTo(sink, sampleDelivery(id)))?.fault).toBe('outage');
    expect(await deliverTo(sink, sampleDelivery(id, { subscription: 'go' }))).toBeUndefined();
  });
});

describe('a message whose answer was lost', () => {
  const searches = () => asked('GET', /messages/u);
  const lost = () => discord.faults.next('POST /channels/:id/messages', { kind: 'drop-after-store' });
  const old = () => ({ slot: clock.now() - 3_600_000 });

  test('is looked for only when Discord may have forgotten its nonce, which counts from the first attempt', async () => {
    const { id } = channel();
    const delivery = sampleDelivery(id, old());
    lost();
    await deliverTo(sink, delivery);
    clock.advance(120_000);
    lost();
    await deliverTo(sink, { ...delivery, attempt: 2 });
    expect(searches()).toBe(0);
    clock.advance(1);
    expect(await deliverTo(sink, { ...delivery, attempt: 3 })).toBeUndefined();
    expect(searches()).toBe(1);
    expect(discord.messages(id)).toHaveLength(1);
  });

  test.each(['edition', 'part', 'channel'] as const)('is not confused with another %s', async (what) => {
    const { id } = channel();
    const delivery = sampleDelivery(id, old());
    lost();
    await deliverTo(sink, delivery);
    clock.advance(110_000);
    const other = {
      edition: sampleDelivery(id, { edition: 'another', ...old() }),
      part: { ...delivery, part: 1, parts: 2 },
      channel: sampleDelivery(channel().id, { ...old(), edition: delivery.edition }),
    }[what];
    lost();
    await deliverTo(sink, other);
    clock.advance(20_000);
    expect(await deliverTo(sink, { ...delivery, attempt: 2 })).toBeUndefined();
    expect(searches()).toBe(1);
    expect(await deliverTo(sink, { ...other, attempt: 2 })).toBeUndefined();
    expect(searches()).toBe(1);
  });
});

describe('an edition', () => {
  const long = {
    title: 'T'.repeat(190),
    company: 'C'.repeat(90),
    location: 'L'.repeat(110),
    salary: 'S'.repeat(90),
  };
  const postings = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      samplePosting(n, { ...long, company: `${long.company}${n}`, description: 'words '.repeat(100) }),
    );
  const sizes = (count: number, more: object) =>
    sink
      .pack?.(postings(count), { ...at('123456789012345678'), ...more } as Destination)
      .map(({ length }) => length);

  test('of few postings is made of cards, and a digest of lines, of which more fit into a message', () => {
    expect(sizes(5, { cadence: { every: 'immediate', timezone: 'UTC' } })).toEqual([4, 1]);
    expect(sizes(5, { cadence: { every: 'weekly', day: 'monday', at: '09:00', timezone: 'UTC' } })).toEqual([
      5,
    ]);
  });

  test('for a forum with a post for each job is split by job', () => {
    const cadence = { every: 'immediate', timezone: 'UTC' };
    expect(sizes(3, { cadence, options: { forum: 'posting' } })).toEqual([1, 1, 1]);
  });
});

test('a channel is shared and a person is not; places of a job join on one card', () => {
  const targets = ['123456789012345678', 'dm:123456789012345678'];
  expect(targets.map((target) => sink.isShared?.(target))).toEqual([true, false]);
  expect(targets.map((target) => sink.isPrivate?.(target))).toEqual([false, true]);
  expect(sink.joins).toBe(true);
});

test('says how long Discord takes no more messages in a channel, and waits for no person', async () => {
  const { id } = channel();
  for (let n = 1; n <= 5; n++)
    expect(await deliverTo(sink, sampleDelivery(id, { postings: [samplePosting(n)] }))).toBeUndefined();
  expect(sink.restMs?.(id)).toBeGreaterThan(0);
  expect(sink.restMs?.('dm:123456789012345678')).toBe(0);
  expect(sink.restMs?.(channel().id)).toBe(0);
});

test('closes only the connection that it opened itself', () => {
  expect(sink.close).toBeUndefined();
  const alone = createDiscordSink({
    token: secret(discord.token),
    apiUrl: discord.apiUrl,
    log: silent,
    clock,
    metrics: { count() {}, observe() {} },
    source: 'Example Board',
  });
  expect(alone.close).toBeDefined();
  later(() => alone.close?.());
});
