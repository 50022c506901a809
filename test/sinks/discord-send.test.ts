// How the message of an earlier attempt is looked for, page by page, and what is asked of Discord for a forum post.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, Sink } from '../../src/ports/sink.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { Json } from '../helpers/discord/types.js';
import { deliverTo, discordSink, sampleDelivery, samplePosting } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';

const MINUTE = 60_000;

let discord: Discord;
let sink: Sink;

beforeEach(async () => {
  discord = await startDiscord();
  later(() => discord.close());
  sink = newSink();
});

/** A sink that knows nothing yet, as after a start. */
function newSink(): Sink {
  const made = discordSink(discord);
  later(() => made.rest.close());
  return made.sink;
}

const asked = (method: string, path: RegExp) =>
  discord.requests.filter((one) => one.method === method && path.test(one.path)).length;

/** The id of something that Discord created then (Discord, Snowflakes). */
const idAt = (ms: number) => String(BigInt(ms - 1_420_070_400_000) << 22n);

describe('a message that may have been sent', () => {
  const chatter = (count: number, oldestAt: number): Json[] =>
    Array.from({ length: count }, (_, n) => ({
      id: idAt(oldestAt + (count - 1 - n) * 1_000),
      components: [],
    }));
  /** An attempt after a restart, three minutes after the slot. */
  const again = (target: string) => sampleDelivery(target, { attempt: 2, slot: Date.now() - 3 * MINUTE });
  const pages = (...all: Json[][]) => {
    for (const body of all)
      discord.faults.next('GET /channels/:id/messages', { kind: 'status', status: 200, body: body as never });
  };
  const channel = () => discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs').id;
  const searched = () => asked('GET', /messages$/u);
  const sent = () => asked('POST', /messages$/u);

  test.each([
    ['of its start less five minutes', 0, 2],
    ['a moment earlier', -1, 1],
  ])('is looked for in messages back to the time %s', async (_what, ms, count) => {
    const id = channel();
    const delivery = again(id);
    pages(chatter(100, delivery.slot - 5 * MINUTE + ms), []);
    expect(await deliverTo(sink, delivery)).toBeUndefined();
    expect(searched()).toBe(count);
    expect(sent()).toBe(1);
  });

  test.each([
    ['a page that is not full', chatter(99, Date.now())],
    ['an empty channel', []],
  ])('is not looked for beyond %s', async (_what, page) => {
    pages(page);
    await deliverTo(sink, again(channel()));
    expect(searched()).toBe(1);
    expect(sent()).toBe(1);
  });

  test('is looked for in the newest 500 messages', async () => {
    const oldest = Array.from({ length: 6 }, (_, n) => Date.now() - n * 1_000);
    pages(...oldest.map((at) => chatter(100, at)));
    await deliverTo(sink, again(channel()));
    expect(searched()).toBe(5);
    expect(sent()).toBe(1);
  });

  test('is not sent again if a later page has it', async () => {
    const id = channel();
    const delivery = again(id);
    await deliverTo(sink, { ...delivery, attempt: 1 });
    const [mine] = discord.messages(id);
    pages(chatter(100, Date.now()), [
      { id: idAt(Date.now()), components: (mine as never as Json).components },
    ] as Json[]);
    expect(await deliverTo(newSink(), delivery)).toBeUndefined();
    expect(searched()).toBe(2);
    expect(sent()).toBe(1);
  });

  test('is sent if the channel may not be searched, or answers oddly', async () => {
    const body = { code: 50001, message: 'Missing Access' };
    discord.faults.next('GET /channels/:id/messages', { kind: 'status', status: 403, body });
    expect(await deliverTo(sink, again(channel()))).toBeUndefined();
    discord.faults.next('GET /channels/:id/messages', { kind: 'status', status: 200, body: {} });
    expect(await deliverTo(sink, again(channel()))).toBeUndefined();
    expect(sent()).toBe(2);
  });

  test('is not looked for within two minutes, when Discord still knows its nonce', async () => {
    const id = channel();
    const soon = sampleDelivery(id, { attempt: 2, slot: Date.now() - MINUTE });
    expect(await deliverTo(sink, soon)).toBeUndefined();
    expect(searched()).toBe(0);
  });
});

describe('a forum post', () => {
  const forum = () =>
    discord.addGuild({ channels: [{ name: 'jobs', type: 'forum', tags: ['Rust'] }] }).channel('jobs').id;
  const part = (target: string, n: number, more: Partial<Delivery> = {}) =>
    sampleDelivery(target, { part: n, parts: 3, edition: 'one', postings: [samplePosting(n)], ...more });
  const posts = () => discord.allMessages().filter(({ id, channelId }) => id === channelId);
  const messagesIn = (post: string) => discord.messages(post).length;

  test('of several messages is found without a search by the sink that made it, also between others', async () => {
    const id = forum();
    for (const edition of ['one', 'two']) await deliverTo(sink, part(id, 0, { edition }));
    for (const edition of ['one', 'two', 'one'])
      await deliverTo(sink, part(id, edition === 'two' ? 1 : 2, { edition }));
    const [first, second, ...others] = posts();
    expect(others).toEqual([]);
    expect(messagesIn(first?.id ?? '')).toBe(2);
    expect(messagesIn(second?.id ?? '')).toBe(2);
    expect(asked('GET', /threads/u)).toBe(0);
  });

  test('that was deleted is replaced by one with the rest of the edition', async () => {
    const id = forum();
    await deliverTo(sink, part(id, 0));
    discord.deleteChannel(posts()[0]?.id ?? '');
    for (const n of [1, 2]) expect(await deliverTo(sink, part(id, n))).toBeUndefined();
    expect(asked('POST', /threads$/u)).toBe(2);
    const last = posts().at(-1);
    expect(messagesIn(last?.id ?? '')).toBe(2);
  });

  test('of the first attempt is not looked for', async () => {
    await deliverTo(sink, part(forum(), 0));
    expect(asked('GET', /threads/u)).toBe(0);
  });

  test.each<[string, Json]>([
    ['a tag is required', { code: 40067, message: 'A tag is required' }],
    [
      'a tag is gone',
      { code: 50035, message: 'Invalid Form Body', errors: { applied_tags: { 0: { _errors: [{}] } } } },
    ],
  ])('is tried with the present tags when %s', async (_what, body) => {
    const id = forum();
    discord.faults.next('POST /channels/:id/threads', { kind: 'status', status: 400, body });
    expect(await deliverTo(sink, part(id, 0))).toBeUndefined();
    expect(asked('GET', /channels\/\d+$/u)).toBe(2);
    expect(posts()).toHaveLength(1);
  });

  test('that is refused for another reason is not tried again at once', async () => {
    const body = { code: 50035, message: 'Invalid Form Body', errors: { name: { _errors: [{}] } } };
    discord.faults.next('POST /channels/:id/threads', { kind: 'status', status: 400, body });
    expect((await deliverTo(sink, part(forum(), 0)))?.fault).toBe('content');
    expect(asked('POST', /threads$/u)).toBe(1);
  });
});

describe('the post that a sink made before a restart', () => {
  const forumOfGuild = () => {
    const channel = discord.addGuild({ channels: [{ name: 'jobs', type: 'forum' }] }).channel('jobs').id;
    const first = sampleDelivery(channel, { parts: 2, edition: 'one', slot: Date.now() - 20 * MINUTE });
    return { channel, first, second: { ...first, part: 1, postings: [samplePosting(2)] } };
  };
  /** Posts whose first messages were read, in this order. */
  const read = () =>
    discord.requests.flatMap(({ method, path }) => {
      const [, post, message] = /^\/channels\/(\d+)\/messages\/(\d+)$/u.exec(path) ?? [];
      return method === 'GET' && post && post === message ? [post] : [];
    });
  const listed = (list: 'active' | 'archived', threads: unknown) => {
    const path =
      list === 'active' ? 'GET /guilds/:id/threads/active' : 'GET /channels/:id/threads/archived/public';
    discord.faults.next(path, { kind: 'status', status: 200, body: { threads } as never });
  };
  const newPosts = () => asked('POST', /threads$/u);

  test('is found among the posts that Discord closed', async () => {
    const { channel, first, second } = forumOfGuild();
    await deliverTo(sink, first);
    const mine = discord.allMessages()[0]?.channelId ?? '';
    listed('active', []);
    listed('archived', [{ id: mine, parent_id: channel }]);
    expect(await deliverTo(newSink(), second)).toBeUndefined();
    expect(newPosts()).toBe(1);
    expect(discord.messages(mine)).toHaveLength(2);
  });

  test('is looked for in this forum alone, from five minutes before the slot', async () => {
    const { channel, first, second } = forumOfGuild();
    const since = first.slot - 5 * MINUTE;
    listed('active', [
      { id: idAt(since + 2_000), parent_id: '1' },
      { id: idAt(since), parent_id: channel },
      { id: idAt(since - 1), parent_id: channel },
    ]);
    await deliverTo(sink, second);
    expect(read()).toEqual([idAt(since)]);
    expect(newPosts()).toBe(1);
  });

  test('is none of another author, if Discord names one', async () => {
    const { channel, second } = forumOfGuild();
    const at = Date.now();
    listed('active', [
      { id: idAt(at), parent_id: channel, owner_id: '1' },
      { id: idAt(at + 1), parent_id: channel, owner_id: discord.botId },
      { id: idAt(at + 2), parent_id: channel },
    ]);
    await deliverTo(sink, second);
    expect(read()).toEqual([idAt(at + 1), idAt(at + 2)]);
  });

  test('is looked for first among posts with its name, and then from the oldest on', async () => {
    const { channel, first, second } = forumOfGuild();
    await deliverTo(sink, first);
    const made = discord.requests.find(({ path }) => path.endsWith('/threads'));
    const name = (made?.body as { name?: string } | undefined)?.name;
    const at = Date.now();
    const post = (ms: number, named?: string) => ({ id: idAt(at + ms), parent_id: channel, name: named });
    listed('active', [post(3, 'Other'), post(4, name), post(1, 'Other'), post(2, name)]);
    listed('archived', []);
    await deliverTo(newSink(), second);
    expect(read()).toEqual([2, 4, 1, 3].map((ms) => idAt(at + ms)));
  });

  test('is among the first fifty', async () => {
    const { channel, second } = forumOfGuild();
    const at = Date.now();
    listed(
      'active',
      Array.from({ length: 52 }, (_, n) => ({ id: idAt(at + n), parent_id: channel })),
    );
    await deliverTo(sink, second);
    expect(read()).toHaveLength(50);
  });

  test('is replaced if Discord does not list it', async () => {
    const { second } = forumOfGuild();
    const body = { code: 50001, message: 'Missing Access' };
    discord.faults.next('GET /guilds/:id/threads/active', { kind: 'status', status: 403, body });
    listed('archived', undefined);
    expect(await deliverTo(sink, second)).toBeUndefined();
    expect(newPosts()).toBe(1);
  });

  test('is none of another edition', async () => {
    const { first, second } = forumOfGuild();
    await deliverTo(sink, { ...first, edition: 'two' });
    expect(await deliverTo(newSink(), second)).toBeUndefined();
    expect(newPosts()).toBe(2);
  });
});
