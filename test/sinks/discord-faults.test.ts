// Errors on the way to Discord: in the end, each part of an edition is exactly one message there.
import { describe, expect, test } from 'vitest';
import { createDiscordRest } from '../../src/discord/rest.js';
import { postingRef } from '../../src/domain/edition.js';
import { secret } from '../../src/domain/secret.js';
import type { Delivery } from '../../src/ports/sink.js';
import type { Log } from '../../src/ports/system.js';
import type { Fault } from '../helpers/discord/faults.js';
import { post } from '../helpers/discord/raw-api.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { Settings } from '../helpers/discord/types.js';
import { linksIn, titlesIn } from '../helpers/discord-cards.js';
import {
  deliverTo,
  discordSink,
  sampleDelivery,
  samplePosting,
  silent,
} from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';

async function start(settings: Partial<Settings> = {}): Promise<Discord> {
  const discord = await startDiscord(settings);
  later(() => discord.close());
  return discord;
}

function sinkFor(discord: Discord, options: Parameters<typeof discordSink>[1] = {}) {
  const made = discordSink(discord, { timeoutMs: 10_000, ...options });
  later(() => made.rest.close());
  return made.sink;
}

function textChannel(discord: Discord, name = 'jobs') {
  return discord.addGuild({ channels: [{ name }] }).channel(name);
}

const LOST: [string, Fault][] = [
  ['500 before it is stored', { kind: 'status', status: 500 }],
  ['502 of a proxy', { kind: 'status', status: 502, body: {} }],
  ['500 after it is stored', { kind: '500-after-store' }],
  ['no answer, not stored', { kind: 'hang' }],
  ['no answer, stored', { kind: 'hang-after-store' }],
  ['a dropped socket, not stored', { kind: 'drop' }],
  ['a reset socket, not stored', { kind: 'drop', reset: true }],
  ['a dropped socket, stored', { kind: 'drop-after-store' }],
  ['a reset socket, stored', { kind: 'drop-after-store', reset: true }],
];

describe.each(LOST)('%s', (_name, fault) => {
  const options = fault.kind.startsWith('hang') ? { timeoutMs: 1_000 } : {};

  test('is an outage after one request, and the next attempt leaves one message', async () => {
    const discord = await start();
    const channel = textChannel(discord);
    const sink = sinkFor(discord, options);
    const order = discord.faults.next('POST /channels/:id/messages', fault);
    const delivery = sampleDelivery(channel.id);
    expect((await deliverTo(sink, delivery))?.fault).toBe('outage');
    expect(order.hits).toBe(1);
    expect(discord.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(await deliverTo(sink, { ...delivery, attempt: 2 })).toBeUndefined();
    expect(discord.messages(channel.id)).toHaveLength(1);
    expect(discord.violations).toEqual([]);
  });

  test('leaves one message after a restart', { tags: 'long' }, async () => {
    const discord = await start();
    const channel = textChannel(discord);
    discord.faults.next('POST /channels/:id/messages', fault);
    const delivery = sampleDelivery(channel.id);
    await deliverTo(sinkFor(discord, options), delivery);
    expect(await deliverTo(sinkFor(discord), { ...delivery, attempt: 2 })).toBeUndefined();
    expect(discord.messages(channel.id)).toHaveLength(1);
  });

  test.each([
    ['of cards', 2],
    ['with a list', 6],
  ])('leaves one message %s when Discord has forgotten the nonce', { tags: 'long' }, async (_what, count) => {
    const discord = await start({ nonceWindowMs: -1 });
    const channel = textChannel(discord);
    let shift = 0;
    const sink = sinkFor(discord, { ...options, now: () => Date.now() + shift });
    discord.faults.next('POST /channels/:id/messages', fault);
    const postings = Array.from({ length: count }, (_, n) => samplePosting(n));
    const delivery = sampleDelivery(channel.id, { postings });
    await deliverTo(sink, delivery);
    shift = 180_000;
    expect(await deliverTo(sink, { ...delivery, attempt: 2 })).toBeUndefined();
    expect(discord.messages(channel.id)).toHaveLength(1);
  });

  test('leaves one post in a forum, which has no nonce', { tags: 'long' }, async () => {
    const discord = await start();
    const forum = discord.addGuild({ channels: [{ name: 'jobs', type: 'forum' }] }).channel('jobs');
    discord.faults.next('POST /channels/:id/threads', fault);
    const delivery = sampleDelivery(forum.id);
    expect((await deliverTo(sinkFor(discord, options), delivery))?.fault).toBe('outage');
    expect(await deliverTo(sinkFor(discord), { ...delivery, attempt: 2 })).toBeUndefined();
    const posts = discord.allMessages().filter((message) => message.id === message.channelId);
    expect(posts).toHaveLength(1);
    expect(discord.violations).toEqual([]);
  });
});

test('searches the messages of the channel page by page after a restart long after the slot', async () => {
  const discord = await start({ nonceWindowMs: -1, rateWindowMs: 1, globalPerSecond: 10_000 });
  const channel = textChannel(discord);
  const sink = sinkFor(discord);
  const delivery = sampleDelivery(channel.id, { slot: Date.now() - 180_000 });
  await deliverTo(sink, delivery);
  const bodies = Array.from({ length: 130 }, (_, n) => ({
    content: `chatter ${n}`,
    allowed_mentions: { parse: [] },
  }));
  const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
  for (const body of bodies)
    await until(async () => {
      const url = `${discord.apiUrl}/v10/channels/${channel.id}/messages`;
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).ok;
    });
  expect(await deliverTo(sinkFor(discord), { ...delivery, attempt: 2 })).toBeUndefined();
  expect(discord.messages(channel.id).flatMap(linksIn)).toHaveLength(1);
});

describe('a message that version 0.1 sent and whose answer was lost', () => {
  const item = { type: 2, style: 2, label: 'Save' };
  test.each<[string, number, (edition: string, ref: string) => object]>([
    ['one posting', 1, (edition, ref) => ({ ...item, custom_id: `m:save:${edition}:${ref}` })],
    [
      'several postings',
      3,
      (edition, ref) => ({
        type: 3,
        custom_id: `m:pick:${edition}:0`,
        options: [{ label: 'One', value: ref }],
      }),
    ],
  ])('is found by its buttons, with %s', async (_what, count, control) => {
    const discord = await start();
    const channel = textChannel(discord);
    const postings = Array.from({ length: count }, (_, n) => samplePosting(n));
    const delivery = sampleDelivery(channel.id, { postings, slot: Date.now() - 180_000, attempt: 2 });
    const row = { type: 1, components: [control(delivery.edition, postingRef('id:0'))] };
    await post(discord, channel.id, { embeds: [{ title: 'Senior Rust Engineer 0' }], components: [row] });
    expect(await deliverTo(sinkFor(discord), delivery)).toBeUndefined();
    expect(discord.messages(channel.id)).toHaveLength(1);
    // Another part of the edition is another message.
    const next = { ...delivery, part: 1, postings: [samplePosting(9)] };
    expect(await deliverTo(sinkFor(discord), next)).toBeUndefined();
    expect(discord.messages(channel.id)).toHaveLength(2);
  });
});

test('counts a message as delivered that someone deleted before its retry', async () => {
  const discord = await start();
  const channel = textChannel(discord);
  const sink = sinkFor(discord);
  discord.faults.next('POST /channels/:id/messages', { kind: '500-after-store' });
  const delivery = sampleDelivery(channel.id);
  await deliverTo(sink, delivery);
  for (const message of discord.messages(channel.id)) message.deleted = true;
  expect(await deliverTo(sink, { ...delivery, attempt: 2 })).toBeUndefined();
  expect(discord.messages(channel.id)).toEqual([]);
});

describe('429', () => {
  test('waits for a short one, and loses nothing', async () => {
    const discord = await start();
    const channel = textChannel(discord);
    discord.faults.next('POST /channels/:id/messages', { kind: '429', retryAfter: 0.1 }, 2);
    expect(await deliverTo(sinkFor(discord), sampleDelivery(channel.id))).toBeUndefined();
    expect(discord.messages(channel.id)).toHaveLength(1);
  });

  test('returns a long one with its time, and makes no request on that route until then', async () => {
    const discord = await start();
    const channel = textChannel(discord);
    const sink = sinkFor(discord);
    discord.faults.next('POST /channels/:id/messages', { kind: '429', retryAfter: 600 });
    const first = await deliverTo(sink, sampleDelivery(channel.id));
    expect(first).toMatchObject({ fault: 'outage', retryAfterMs: 600_000 });
    const second = await deliverTo(sink, sampleDelivery(channel.id, { postings: [samplePosting(2)] }));
    expect(second?.fault).toBe('outage');
    expect(second?.retryAfterMs).toBeGreaterThan(590_000);
    expect(discord.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    // Another channel is not affected.
    const other = textChannel(discord, 'other');
    expect(await deliverTo(sink, sampleDelivery(other.id))).toBeUndefined();
  });

  test('a global one stops every route', async () => {
    const discord = await start();
    const sink = sinkFor(discord);
    discord.faults.next('POST /channels/:id/messages', { kind: '429', retryAfter: 60, global: true });
    await deliverTo(sink, sampleDelivery(textChannel(discord).id));
    const asked = discord.requests.length;
    expect((await deliverTo(sink, sampleDelivery(textChannel(discord, 'other').id)))?.fault).toBe('outage');
    expect(discord.requests).toHaveLength(asked);
  });
});

describe('401', () => {
  test('is an outage, is logged once, and stops further requests', async () => {
    const discord = await start();
    const channel = textChannel(discord);
    const errors: string[] = [];
    const log: Log = { ...silent, error: (_fields, message) => errors.push(message) };
    const sink = sinkFor({ ...discord, token: `${discord.token}x` } as Discord, { log });
    for (const n of [1, 2, 3])
      expect(
        (await deliverTo(sink, sampleDelivery(channel.id, { postings: [samplePosting(n)] })))?.fault,
      ).toBe('outage');
    expect(discord.invalidRequests).toBe(1);
    expect(errors).toEqual([expect.stringContaining('token')]);
  });

  test('keeps the token and sends again once it is accepted', async () => {
    const discord = await start();
    const channel = textChannel(discord);
    const sink = sinkFor(discord, { tokenPauseMs: 20 });
    discord.faults.next('POST /channels/:id/messages', { kind: 'status', status: 401 });
    expect((await deliverTo(sink, sampleDelivery(channel.id)))?.fault).toBe('outage');
    await until(async () => !(await deliverTo(sink, sampleDelivery(channel.id, { attempt: 2 }))));
    expect(discord.messages(channel.id)).toHaveLength(1);
  });
});

describe('a place that refuses', () => {
  const refusals: [
    string,
    (discord: Discord, channel: { id: string; guildId: string | null }) => void,
    number,
  ][] = [
    ['may not be seen', (discord, channel) => discord.setPermissions(channel.id, 'bot', []), 50001],
    [
      'may not be written to',
      (discord, channel) => discord.setPermissions(channel.id, 'bot', ['VIEW_CHANNEL']),
      50013,
    ],
    ['was deleted', (discord, channel) => discord.deleteChannel(channel.id), 10003],
    ['lost the bot', (discord, channel) => discord.removeGuild(channel.guildId ?? ''), 50001],
  ];

  test.each(refusals)(
    'because it %s is a fault for its owner, in words without codes',
    async (_name, spoil, code) => {
      const discord = await start();
      const channel = textChannel(discord);
      spoil(discord, channel);
      const error = await deliverTo(sinkFor(discord), sampleDelivery(channel.id));
      expect(error?.fault).toBe('target');
      expect(error?.message).toContain(String(code));
      expect(error?.forOwner).toMatch(/^[A-Z].*(?:resume|edit).*\.$/u);
    },
  );

  test('is asked once for all subscriptions that post there, and is asked again after its owner has acted', async () => {
    const discord = await start();
    const channel = textChannel(discord);
    const sink = sinkFor(discord);
    discord.setPermissions(channel.id, 'bot', ['VIEW_CHANNEL']);
    const of = (subscription: string) => sampleDelivery(channel.id, { subscription });
    for (const subscription of ['a', 'b', 'c'])
      expect((await deliverTo(sink, of(subscription)))?.fault).toBe('target');
    expect(discord.invalidRequests).toBe(1);
    discord.setPermissions(channel.id, 'bot', null);
    expect(await deliverTo(sink, of('b'))).toBeUndefined();
    expect(
      await deliverTo(sink, { ...of('d'), postings: [samplePosting(4)], edition: 'another' }),
    ).toBeUndefined();
    expect(discord.violations).toEqual([]);
  });

  test('does not affect other places', async () => {
    const discord = await start();
    const [gone, fine] = [textChannel(discord, 'gone'), textChannel(discord, 'fine')];
    const sink = sinkFor(discord);
    discord.deleteChannel(gone.id);
    const results = await Promise.all([gone, fine].map(({ id }) => deliverTo(sink, sampleDelivery(id))));
    expect(results.map((error) => error?.fault)).toEqual(['target', undefined]);
  });
});

test('treats a refused message as a fault of its content, and names the fields in the log', async () => {
  const discord = await start();
  const channel = textChannel(discord);
  const body = {
    code: 50035,
    message: 'Invalid Form Body',
    errors: { components: { 0: { accessory: { url: { _errors: [{}] } } } } },
  };
  discord.faults.next('POST /channels/:id/messages', { kind: 'status', status: 400, body });
  const error = await deliverTo(sinkFor(discord), sampleDelivery(channel.id));
  expect(error).toMatchObject({
    fault: 'content',
    message: expect.stringContaining('components.0.accessory.url'),
  });
});

test('parks nothing after a page that is not from Discord', async () => {
  const discord = await start();
  const channel = textChannel(discord);
  discord.faults.next('GET /channels/:id', { kind: 'status', status: 403, body: {} });
  expect((await deliverTo(sinkFor(discord), sampleDelivery(channel.id)))?.fault).toBe('outage');
});

test('reports an outage without address and token when nothing listens', async () => {
  const discord = await start();
  const sink = sinkFor({ ...discord, apiUrl: 'http://127.0.0.1:9/api' } as Discord);
  const error = await deliverTo(sink, sampleDelivery('123456789012345678'));
  expect(error?.fault).toBe('outage');
  expect(error?.message).not.toMatch(/127\.0\.0\.1|http/u);
  expect(error?.message).not.toContain(discord.token);
});

test('an abort ends a hanging attempt immediately, as an outage', async () => {
  const discord = await start();
  const channel = textChannel(discord);
  const sink = sinkFor(discord, { timeoutMs: 20_000 });
  discord.faults.next('POST /channels/:id/messages', { kind: 'hang' });
  const abort = new AbortController();
  const [hanging, waiting] = [1, 2].map((n) =>
    deliverTo(sink, sampleDelivery(channel.id, { postings: [samplePosting(n)] }), abort.signal),
  );
  await discord.until(() => discord.requests.some(({ status }) => status === 'hang'), 'the hanging request');
  abort.abort();
  expect((await hanging)?.fault).toBe('outage');
  expect((await waiting)?.fault).toBe('outage');
});

test('sends a burst of 100 postings over 5 channels in the order of each channel and without reaching a limit', {
  tags: 'long',
}, async () => {
  const discord = await start({ rateWindowMs: 300 });
  const channels = Array.from({ length: 5 }, (_, n) => textChannel(discord, `jobs-${n}`));
  const sink = sinkFor(discord);
  const work: Promise<unknown>[] = [];
  for (let n = 0; n < 20; n++)
    for (const { id } of channels)
      work.push(deliverTo(sink, sampleDelivery(id, { subscription: `s${n}`, postings: [samplePosting(n)] })));
  expect((await Promise.all(work)).filter(Boolean)).toEqual([]);
  for (const { id } of channels)
    expect(discord.messages(id).flatMap(titlesIn)).toEqual(
      Array.from({ length: 20 }, (_, n) => `Senior Rust Engineer ${n}`),
    );
  expect(discord.naturalRateLimits).toBe(0);
  expect(discord.violations).toEqual([]);
});

test('shows the guard every body before it is sent, so that the guard can withhold it', async () => {
  const discord = await start();
  const guild = discord.addGuild({ channels: [{ name: 'jobs' }, { name: 'forum', type: 'forum' }] });
  const sink = sinkFor(discord);
  for (const name of ['jobs', 'forum']) {
    const delivery: Delivery = sampleDelivery(guild.channel(name).id);
    const bodies: string[] = [];
    const guard = ({ format, body, note }: { format: string; body: string; note?: string }) => {
      expect(format).toBe('json');
      expect(body).toContain(note);
      bodies.push(body);
      throw new Error('held back');
    };
    const context = { signal: new AbortController().signal, guard };
    await expect(sink.deliver(delivery, delivery.destination.target, context)).rejects.toThrow('held back');
    expect(bodies).toHaveLength(1);
  }
  expect(discord.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('sends a file with a message', async () => {
  const discord = await start();
  const channel = textChannel(discord);
  const rest = createDiscordRest({ token: secret(discord.token), apiUrl: discord.apiUrl, log: silent });
  later(() => rest.close());
  await rest.request('POST', `/channels/${channel.id}/messages`, {
    body: {
      content: 'your data',
      allowed_mentions: { parse: [] },
      attachments: [{ id: 0, filename: 'data.json' }],
    },
    files: [{ name: 'data.json', data: Buffer.from('{"a":1}'), type: 'application/json' }],
  });
  expect(discord.messages(channel.id)[0]?.files[0]).toMatchObject({
    name: 'data.json',
    data: Buffer.from('{"a":1}'),
  });
});
