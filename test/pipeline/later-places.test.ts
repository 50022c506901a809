// A place that appears later for a job whose card is in a Discord channel: the card gets it, and no second card is posted.
// With the real sink and the local Discord. The process ends at any moment: no place is lost, and none is posted twice.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { DeliveryError } from '../../src/domain/errors.js';
import type { Step } from '../../src/pipeline/context.js';
import type { Sink } from '../../src/ports/sink.js';
import { forgetCards } from '../../src/sinks/discord/places.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { bodyOf, cardsIn } from '../helpers/discord-cards.js';
import { deliverTo, discordSink, sampleDelivery, samplePosting } from '../helpers/discord-delivery.js';
import { DAY, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { later } from '../helpers/later.js';
import { type MemoryTable, memoryTable } from '../helpers/memory-table.js';

let discord: Discord;
let lab: Lab;
let channel: string;
let table: MemoryTable;
let sink: Sink;

beforeEach(async () => {
  discord = await startDiscord();
  channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs').id;
  const now = () => lab.clock.now();
  table = memoryTable({ now });
  const made = discordSink(discord, { table, now });
  const { rest } = made;
  sink = made.sink;
  lab = await openLab({ jobs: [], sinks: [sink] });
  later(
    discord.close,
    () => rest.close(),
    () => lab.close(),
  );
  await lab.add({ schedule: '0 0 1 1 *', destinations: [{ sink: 'discord', target: channel }] });
  await lab.poll();
});

const inPlace = (id: number, location: string, fields: Job = {}) =>
  job(id, { title: 'Rust Engineer', company: 'Cobalt', location, ...fields });
const link = (id: number) => `https://board.example/r/j${id}__p`;

async function appear(...jobs: readonly Job[]): Promise<void> {
  lab.clock.advance(MINUTE);
  await lab.post(...jobs);
  await lab.poll();
}

const cards = () => discord.messages(channel).map((message) => cardsIn(message));
const also = () => cards().map((all) => all.map(({ text }) => /^also: .*$/mu.exec(text)?.[0]));
const edits = () => discord.requests.filter(({ method }) => method === 'PATCH').length;
const states = async (...ids: number[]) =>
  Promise.all(ids.map(async (id) => (await lab.why(String(id))).destinations[0]?.state));
/** How many messages have each link. */
const shown = (...ids: number[]) =>
  ids.map((id) => discord.messages(channel).filter((one) => bodyOf(one).includes(link(id))).length);

describe('a later place', () => {
  test('is added to the card, one after the other, and each posting is settled', async () => {
    await appear(inPlace(1, 'Berlin'), job(2));
    const [before] = discord.messages(channel);
    const controls = JSON.stringify(before?.components).match(/"custom_id":"[^"]*"/gu);
    await appear(inPlace(3, 'Lisbon, Portugal', { title: 'Rust Engineer (Lisbon)' }));
    await appear(inPlace(4, 'Porto'), inPlace(5, 'Oslo'));
    expect(also()).toEqual([
      [`also: [Lisbon, Portugal](<${link(3)}>); [Oslo](<${link(5)}>), [Porto](<${link(4)}>)`, undefined],
    ]);
    expect(cards()[0]?.map(({ url }) => url)).toEqual([link(1), link(2)]);
    const [message] = discord.messages(channel);
    expect(JSON.stringify(message?.components).match(/"custom_id":"[^"]*"/gu)).toEqual(controls);
    expect(await states(1, 2, 3, 4, 5)).toEqual(Array(5).fill('sent'));
    expect([edits(), discord.violations]).toEqual([2, []]);
  });

  test('is added beside other news, which gets its own message', async () => {
    await appear(inPlace(1, 'Berlin'));
    await appear(inPlace(2, 'Lisbon'), job(3));
    expect(also()).toEqual([[`also: [Lisbon](<${link(2)}>)`], [undefined]]);
    expect(shown(1, 2, 3)).toEqual([1, 1, 1]);
  });

  test('is added to a card that is the second of its message', async () => {
    await appear(job(1), inPlace(2, 'Berlin'));
    await appear(inPlace(3, 'Lisbon'));
    expect(also()).toEqual([[undefined, `also: [Lisbon](<${link(3)}>)`]]);
  });

  test.each([
    ['another title', inPlace(2, 'Lisbon', { title: 'Senior Rust Engineer' })],
    ['another pay', inPlace(2, 'Lisbon', { salary: '$1' })],
    ['the same place', inPlace(2, 'Berlin, Germany')],
  ])('is a new card with %s', async (_what, one) => {
    await appear(inPlace(1, 'Berlin'));
    await appear(one);
    expect([shown(1, 2), cards().length, edits()]).toEqual([[1, 1], 2, 0]);
  });

  test('is a new card two weeks later', async () => {
    await appear(inPlace(1, 'Berlin'));
    lab.clock.advance(14 * DAY);
    await appear(inPlace(2, 'Lisbon'));
    expect([cards().length, edits()]).toEqual([2, 0]);
  });

  test('is a new card for another account, and for an edition that was cut before the card was posted', async () => {
    const postings = ['Berlin', 'Lisbon'].map((location, n) => samplePosting(n, { title: 'Dev', location }));
    const [first = [], second = []] = postings.map((posting) => [posting]);
    const slot = lab.clock.now();
    const given = { slot: slot - 1, edition: 'first', postings: first };
    expect(await deliverTo(sink, sampleDelivery(channel, given))).toBeUndefined();
    for (const more of [{ account: 'discord:1', slot: slot + 1 }, { slot }]) {
      const edition = `second ${more.slot}`;
      const next = sampleDelivery(channel, { ...more, edition, postings: second });
      expect(await deliverTo(sink, next)).toBeUndefined();
    }
    expect([cards().length, edits()]).toEqual([3, 0]);
  });

  test('stays within ten places', { tags: 'long' }, async () => {
    await appear(inPlace(1, 'City 1'));
    for (let n = 2; n <= 12; n++) await appear(inPlace(n, `City ${n}`));
    expect(cards().map(([card]) => card?.text.match(/City/gu)?.length)).toEqual([10, 2]);
    expect([await states(10, 11, 12), discord.violations]).toEqual([['sent', 'sent', 'sent'], []]);
  });
});

describe('a card that can not be edited', () => {
  test('because its message was deleted: the place is a new card, which gets the next one', async () => {
    await appear(inPlace(1, 'Berlin'));
    for (const message of discord.allMessages()) message.deleted = true;
    await appear(inPlace(2, 'Lisbon'));
    await appear(inPlace(3, 'Porto'));
    expect(also()).toEqual([[`also: [Porto](<${link(3)}>)`]]);
    expect([shown(1, 2, 3), await states(1, 2, 3)]).toEqual([
      [0, 1, 1],
      ['sent', 'sent', 'sent'],
    ]);
  });

  test.each([
    [403, 50013],
    [404, 10008],
    [400, 50083],
    [400, 50035],
  ])('because Discord answers %i with code %i: the place is a new card', async (status, code) => {
    await appear(inPlace(1, 'Berlin'));
    discord.faults.next(/^PATCH /u, { kind: 'status', status, body: { code, message: 'no' } });
    await appear(inPlace(2, 'Lisbon'));
    expect(cards().map((all) => all.map(({ url }) => url))).toEqual([[link(1)], [link(2)]]);
    expect(await states(1, 2)).toEqual(['sent', 'sent']);
  });

  test.each([
    ['before it was edited', { kind: 'drop' }],
    ['after it was edited', { kind: 'drop-after-store' }],
  ] as const)('because the connection broke %s: it is tried again', async (_when, fault) => {
    await appear(inPlace(1, 'Berlin'));
    discord.faults.next(/^PATCH /u, fault, 4);
    await appear(inPlace(2, 'Lisbon'), job(3));
    discord.faults.clear();
    for (let n = 0; n < 6; n++) await lab.advance(5 * MINUTE);
    expect(also()).toEqual([[`also: [Lisbon](<${link(2)}>)`], [undefined]]);
    expect([shown(1, 2, 3), await states(1, 2, 3)]).toEqual([
      [1, 1, 1],
      ['sent', 'sent', 'sent'],
    ]);
  });
});

test('a card whose edit would break a link rule is left as it is, and the place is a new card', async () => {
  const dev = (n: number, location: string) => samplePosting(n, { title: 'Dev', location });
  const slot = lab.clock.now();
  const first = sampleDelivery(channel, { slot, edition: 'first', postings: [dev(1, 'Berlin')] });
  const next = sampleDelivery(channel, { slot: slot + 1, edition: 'next', postings: [dev(2, 'Lisbon')] });
  expect(await deliverTo(sink, first)).toBeUndefined();
  const checked: string[] = [];
  await sink.deliver(next, channel, {
    signal: new AbortController().signal,
    guard({ body }, keys) {
      checked.push(body);
      if (keys) throw new DeliveryError('program', 'held back');
    },
  });
  expect(checked.map((body) => body.includes('also: [Lisbon'))).toEqual([true, false]);
  expect([cards().length, edits()]).toEqual([2, 0]);
});

test('a card that could not be edited is not edited by the next attempt, whose first message may have arrived', async () => {
  await appear(inPlace(1, 'Berlin'));
  discord.faults.next(/^PATCH /u, { kind: 'status', status: 403, body: { code: 50013, message: 'no' } });
  discord.faults.next(/^POST .*messages/u, { kind: 'drop-after-store' }, 4);
  await appear(inPlace(2, 'Lisbon'));
  discord.faults.clear();
  for (let n = 0; n < 6; n++) await lab.advance(5 * MINUTE);
  expect([shown(1, 2), await states(1, 2), edits()]).toEqual([[1, 1], ['sent', 'sent'], 1]);
});

const STEPS: readonly Step[] = [
  'poll.recorded',
  'dispatch.cut',
  'dispatch.sending',
  'dispatch.sent',
  'dispatch.settled',
];

describe('after a kill', () => {
  test.each(STEPS)('at %s the card has each place once', { tags: 'long' }, async (step) => {
    await appear(inPlace(1, 'Berlin'));
    lab.crashAt(step);
    await appear(inPlace(2, 'Lisbon'), job(3)).catch(() => undefined);
    await lab.restart();
    await lab.poll();
    for (let n = 0; n < 3; n++) await lab.advance(5 * MINUTE);
    expect(also()).toEqual([[`also: [Lisbon](<${link(2)}>)`], [undefined]]);
    expect([shown(1, 2, 3), await states(1, 2, 3)]).toEqual([
      [1, 1, 1],
      ['sent', 'sent', 'sent'],
    ]);
    expect([edits(), discord.violations]).toEqual([1, []]);
  });

  test('between the edit and its record the edit is found', async () => {
    await appear(inPlace(1, 'Berlin'));
    const before = [...(await rows())];
    lab.crashAt('dispatch.sent');
    await appear(inPlace(2, 'Lisbon')).catch(() => undefined);
    // As if the process had ended before it wrote the record.
    for (const [key, value] of before) await table.set(key, value);
    await lab.restart();
    await lab.poll();
    expect(also()).toEqual([[`also: [Lisbon](<${link(2)}>)`]]);
    expect([edits(), await states(1, 2)]).toEqual([1, ['sent', 'sent']]);
  });

  test('of a message that was edited and then deleted the place is not posted again', async () => {
    await appear(inPlace(1, 'Berlin'));
    lab.crashAt('dispatch.sent');
    await appear(inPlace(2, 'Lisbon')).catch(() => undefined);
    for (const message of discord.allMessages()) message.deleted = true;
    await lab.restart();
    await lab.poll();
    expect([cards(), await states(1, 2)]).toEqual([[], ['sent', 'sent']]);
  });

  async function rows(): Promise<(readonly [string, unknown])[]> {
    const all: (readonly [string, unknown])[] = [];
    for await (const row of table.entries('discord:card:')) all.push(row);
    return all;
  }
});

test('what is stored of a card names neither a link, a title nor a company, and goes with its account', async () => {
  await appear(inPlace(1, 'Berlin'));
  const kept = table.dump();
  expect(kept).toContain('berlin');
  expect(kept).not.toMatch(/https?:|cobalt|rust/iu);
  await forgetCards(table, 'discord:1');
  expect(table.dump()).toBe(kept);
  await forgetCards(table, 'operator');
  expect(table.dump()).not.toContain('berlin');
});
