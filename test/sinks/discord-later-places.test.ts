// A further place of a job whose card is in a channel, at the level of the sink. The whole way is in pipeline/later-places.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, Sink } from '../../src/ports/sink.js';
import type { Log } from '../../src/ports/system.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { Json } from '../helpers/discord/types.js';
import { cardsIn } from '../helpers/discord-cards.js';
import { deliverTo, discordSink, sampleDelivery, samplePosting } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { type MemoryTable, memoryTable, type TestClock, testClock } from '../helpers/memory-table.js';

let discord: Discord;
let channel: string;
let clock: TestClock;
let table: MemoryTable;
let sink: Sink;
let logged: [string, unknown, unknown][];

beforeEach(async () => {
  discord = await startDiscord();
  channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs').id;
  clock = testClock(Date.now());
  table = memoryTable(clock);
  logged = [];
  const log = { debug() {}, error() {} } as unknown as Log;
  for (const level of ['info', 'warn'] as const)
    log[level] = ((fields: unknown, text: unknown) => logged.push([level, fields, text])) as Log['info'];
  const made = discordSink(discord, { table, log, now: clock.now });
  sink = made.sink;
  later(
    () => discord.close(),
    () => made.rest.close(),
  );
});

/** One message with the postings of a job in these places. */
async function appear(...places: readonly string[]): Promise<void> {
  await appearAs({}, ...places);
}

async function appearAs(more: Partial<Delivery>, ...places: readonly string[]): Promise<void> {
  clock.advance(60_000);
  const postings = places.map((location, n) => {
    const id = `${clock.now()}${n}`;
    return samplePosting(1, { key: `id:${id}`, id, location, applyUrl: `https://board.example/r/${id}` });
  });
  const given = { slot: clock.now(), edition: `edition ${clock.now()}`, postings, ...more };
  expect(await deliverTo(sink, sampleDelivery(channel, given))).toBeUndefined();
}

const texts = () => discord.messages(channel).flatMap((message) => cardsIn(message).map(({ text }) => text));
const edits = () => discord.requests.filter(({ method }) => method === 'PATCH');
/** What Discord says the first message has now. */
const changed = (change: (components: Json[]) => unknown) => {
  const [message] = discord.messages(channel);
  const components = change(structuredClone(message?.components) as Json[]);
  const body = { id: message?.id ?? '', ...(components ? { components } : {}) } as never;
  discord.faults.next('GET /channels/:id/messages/:message', { kind: 'status', status: 200, body });
};

describe('a further place', () => {
  test('is added up to ten places, and pings no one', async () => {
    await appear('City 1', 'City 2', 'City 3', 'City 4', 'City 5', 'City 6', 'City 7', 'City 8');
    await appear('City 9', 'City 10');
    expect(texts()).toHaveLength(1);
    expect(edits().map(({ body }) => body)).toMatchObject([{ allowed_mentions: { parse: [] } }]);
    await appear('City 11');
    expect(texts().map((text) => text.match(/City/gu)?.length)).toEqual([10, 1]);
  });

  test('is a new card if one of its places is on the card already', async () => {
    await appear('Berlin', 'Porto');
    await appear('Porto', 'Lisbon');
    expect(edits()).toEqual([]);
    expect(texts()).toHaveLength(2);
  });

  test.each<[string, (components: Json[]) => unknown]>([
    ['no parts', () => undefined],
    ['no cards', () => []],
    ['a card with other buttons', (all) => JSON.parse(JSON.stringify(all).replaceAll(':save:', ':other:'))],
    [
      'a card without a text',
      (all) => all.map((part) => ({ ...part, components: [(part.components as Json[])?.at(-1)] })),
    ],
  ])('is a new card when the message has %s', async (_what, change) => {
    await appear('Berlin');
    changed(change);
    await appear('Lisbon');
    expect(edits()).toEqual([]);
    expect(texts()).toHaveLength(2);
  });

  test('is a new card when the message has no room for it', async () => {
    await appear('Berlin');
    changed((all) => [...all, { type: 10, content: 'x'.repeat(3_900) }]);
    await appear('Lisbon');
    expect(edits()).toEqual([]);
    expect(texts()).toHaveLength(2);
  });

  test('is written into the first text of the card, also if the card has no link as a button', async () => {
    await appear('Berlin');
    changed((all) =>
      all.map((part) => {
        if (part.type !== 17) return part;
        const [section, ...others] = part.components as Json[];
        const [text] = (section?.components ?? []) as Json[];
        return { ...part, components: [text, { type: 10, content: 'another' }, ...others] };
      }),
    );
    await appear('Lisbon');
    const [edit] = edits();
    const { components = [] } = (edit?.body ?? {}) as { components?: Json[] };
    const card = (components.find(({ type }) => type === 17)?.components ?? []) as Json[];
    expect(card.map(({ type }) => type)).toEqual([10, 10, 1]);
    expect(card[0]?.content).toContain('also: [Lisbon · Remote]');
    expect(card[1]?.content).toBe('another');
  });

  test('is a new card when Discord refuses the edit, and the log says so', async () => {
    await appear('Berlin');
    const body = { code: 10008, message: 'Unknown Message' };
    discord.faults.next(/^GET \/channels\/\d+\/messages\/\d+$/u, { kind: 'status', status: 404, body });
    await appear('Lisbon');
    expect(texts()).toHaveLength(2);
    expect(logged).toContainEqual([
      'info',
      { channel, code: 10008 },
      'a card could not be edited, a new one is posted',
    ]);
  });
});

test.each<[string, Partial<Delivery>]>([
  ['a digest', { every: 'weekly' }],
  ['a message that says how many more there are', { more: 3 }],
])('%s is sent whole, although the card of a posting is in the channel', async (_what, more) => {
  await appear('Berlin');
  await appearAs(more, 'Lisbon');
  expect(edits()).toEqual([]);
  expect(discord.messages(channel)).toHaveLength(2);
});

test('a message is delivered although its cards could not be recorded', async () => {
  table.set = async () => {
    throw new Error('no room');
  };
  await appear('Berlin');
  await appear('Lisbon');
  expect(texts()).toHaveLength(2);
  expect(logged).toContainEqual([
    'warn',
    { channel, reason: 'no room' },
    'the cards of a message could not be recorded',
  ]);
});
