// A server the bot leaves: its subscriptions stop with a word to their owners, go on at its return, and end after the
// stated time; those of other servers and of nobody's go on all the while.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteDeparted } from '../../src/pipeline/servers.js';
import { DAY, job, type Lab, openLab } from '../helpers/lab.js';

let lab: Lab;
const alice = { account: 'alice' };
beforeEach(async () => {
  lab = await openLab();
  for (const [id, account, guild] of [
    ['s', 'alice', 'g'],
    ['quiet', 'alice', 'g'],
    ['theirs', 'bob', 'g'],
    ['other', 'alice', 'h'],
    ['private', 'alice', undefined],
  ] as const) {
    await lab.add({ id, account, destinations: [{ sink: 'capture', target: id }] });
    await lab.change(id, (before) => (guild ? { ...before, guild } : before));
    await lab.poll(id);
  }
  await lab.services.pause(alice, 'quiet');
});
afterEach(() => lab.close());

const states = async (account = 'alice') =>
  Object.fromEntries(
    (await lab.services.subscriptions({ account })).map((one) => [one.subscription.id, one.state]),
  );

test('stops them, says when they end, and tells each owner once', async () => {
  await lab.services.leftGuild('g');
  expect(await states()).toEqual({ s: 'paused', quiet: 'paused', other: 'active', private: 'active' });
  expect(await states('bob')).toEqual({ theirs: 'paused' });
  expect((await lab.services.subscription(alice, 's')).deletedAt).toBe(lab.clock.now() + 30 * DAY);
  expect((await lab.services.subscription(alice, 'other')).deletedAt).toBeUndefined();
  const told = () => lab.notices.filter((notice) => notice.kind === 'left');
  expect(told().map(({ account, data }) => [account, data])).toEqual([
    ['alice', { count: 2, days: 30 }],
    ['bob', { count: 1, days: 30 }],
  ]);
  lab.clock.advance(DAY);
  await lab.services.leftGuild('g');
  expect(told()).toHaveLength(2);
  expect((await lab.services.subscription(alice, 's')).deletedAt).toBe(lab.clock.now() + 29 * DAY);
  expect(await lab.services.servers()).toEqual([
    { guild: 'g', left: true },
    { guild: 'h', left: false },
  ]);
});

test('at its return they go on with what is new, but what its owner had paused stays so', async () => {
  await lab.services.leftGuild('g');
  await lab.post(job(2));
  await lab.advance(DAY);
  await lab.services.inGuild('g');
  expect(await states()).toEqual({ s: 'active', quiet: 'paused', other: 'active', private: 'active' });
  expect((await lab.services.subscription(alice, 'quiet')).deletedAt).toBeUndefined();
  await lab.poll();
  await lab.post(job(3));
  await lab.poll();
  expect(lab.sink.got('s')).toEqual(['3']);
  // Being left once more is news again.
  await lab.services.leftGuild('g');
  expect(lab.notices.filter((one) => one.kind === 'left' && one.account === 'alice')).toHaveLength(2);
});

test('to be in a server changes nothing where nothing had stopped', async () => {
  const before = await lab.rows();
  await lab.services.inGuild('g');
  await lab.services.inGuild('nowhere');
  expect(await lab.rows()).toEqual(before);
});

test('resumed or moved elsewhere by its owner, it waits for nothing', async () => {
  await lab.services.leftGuild('g');
  expect((await lab.services.resume(alice, 'quiet')).deletedAt).toBeUndefined();
  const destination = { sink: 'capture', target: 'home', cadence: 'immediate' };
  const moved = await lab.services.edit(alice, 's', { destination, guild: null });
  expect(moved).toMatchObject({ state: 'active' });
  expect(moved.deletedAt).toBeUndefined();
});

test('after the stated time they are deleted with everything of them, and not a day before', async () => {
  await lab.services.leftGuild('g');
  lab.clock.advance(30 * DAY);
  await deleteDeparted(lab.p);
  expect(Object.keys(await states())).toHaveLength(4);
  lab.clock.advance(1000);
  await deleteDeparted(lab.p);
  expect(await states()).toEqual({ other: 'active', private: 'active' });
  expect(await states('bob')).toEqual({});
  expect((await lab.rows()).filter((row) => /\b(?:s|quiet|theirs)\b/u.test(row.split(' ')[1] ?? ''))).toEqual(
    [],
  );
});
