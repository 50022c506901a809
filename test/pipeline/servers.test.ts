// The bot leaves a server: its subscriptions stop and their owners are notified, they resume when the bot is back,
// and they are deleted after the stated time. Subscriptions of other servers or of none continue.
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

test('stops the subscriptions of a server that the bot left, says when they end, and notifies each owner once', async () => {
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

test('resumes them with what is new when the bot is back, except those that their owner had paused', async () => {
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
  // Another departure is reported again.
  await lab.services.leftGuild('g');
  expect(lab.notices.filter((one) => one.kind === 'left' && one.account === 'alice')).toHaveLength(2);
});

test('changes nothing when the bot is in a server whose subscriptions run', async () => {
  const before = await lab.rows();
  await lab.services.inGuild('g');
  await lab.services.inGuild('nowhere');
  expect(await lab.rows()).toEqual(before);
});

test('clears the date of deletion when the owner resumes a subscription or moves it elsewhere', async () => {
  await lab.services.leftGuild('g');
  expect((await lab.services.resume(alice, 'quiet')).deletedAt).toBeUndefined();
  const destination = { sink: 'capture', target: 'home', cadence: 'immediate' };
  const moved = await lab.services.edit(alice, 's', { destination, guild: null });
  expect(moved).toMatchObject({ state: 'active' });
  expect(moved.deletedAt).toBeUndefined();
});

test('deletes them with all their data after the stated time, and not a day earlier', async () => {
  await lab.services.leftGuild('g');
  lab.clock.advance(30 * DAY);
  await deleteDeparted(lab.p);
  expect(Object.keys(await states())).toHaveLength(4);
  lab.clock.advance(1000);
  await deleteDeparted(lab.p);
  expect(
    lab.logs
      .filter(({ message }) => message === 'subscription of a server left long ago deleted')
      .map(({ fields }) => (fields as { subscription: string }).subscription)
      .toSorted(),
  ).toEqual(['quiet', 's', 'theirs']);
  expect(await states()).toEqual({ other: 'active', private: 'active' });
  expect(await states('bob')).toEqual({});
  expect((await lab.rows()).filter((row) => /\b(?:s|quiet|theirs)\b/u.test(row.split(' ')[1] ?? ''))).toEqual(
    [],
  );
});
