// What people can do with their subscriptions, by every way in, and what they can't do with those of others.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { type RequestRef, requestsOf, requestUnit } from '../../src/domain/request.js';
import type { Subscription } from '../../src/domain/subscription.js';
import type { Draft } from '../../src/ports/services.js';
import type { WelcomeContext } from '../../src/ports/sink.js';
import { createCaptureSink } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { until } from '../helpers/until.js';

let lab: Lab;
const alice = { account: 'alice' };
const bob = { account: 'bob' };
const draft = (more: Partial<Draft> = {}): Draft => ({
  filter: { tags: ['rust'] },
  destination: { sink: 'capture', target: 'one' },
  ...more,
});
/** The places that got a welcome, and how the next one fails. */
const welcomed: (Pick<WelcomeContext, 'about' | 'locale'> & { readonly target: string })[] = [];
let unwelcome: Error | undefined;
const greeter = {
  ...createCaptureSink('greeter'),
  async welcome({ target }: { target: string }, { about, locale }: WelcomeContext) {
    if (unwelcome) throw unwelcome;
    welcomed.push({ target, about, locale });
  },
};
beforeEach(async () => {
  welcomed.length = 0;
  unwelcome = undefined;
  lab = await openLab({ jobs: [job(1), job(2, { title: 'Intern' })], sinks: [greeter] });
});
afterEach(() => lab.close());

/** A subscription of Alice. */
async function subscribed(more: Partial<Draft> = {}, caller: { account: string } = alice): Promise<string> {
  const { report } = await lab.services.subscribe(caller, draft(more));
  return report.subscription.id;
}

describe('subscribing', () => {
  test('tests the token, records the baseline and reports what matches now', async () => {
    await lab.post(job(9));
    const { report, matchesNow } = await lab.services.subscribe(
      { ...alice, locale: 'de' },
      draft({
        filter: { tags: ['rust'], exclude: ['intern'] },
        schedule: 'hourly',
        timezone: 'Europe/Berlin',
      }),
    );
    expect(matchesNow).toBe(2);
    expect(report).toMatchObject({
      state: 'active',
      owed: 0,
      outcome: 'recorded',
      polledAt: lab.clock.now(),
    });
    expect(report.subscription).toMatchObject({
      account: 'alice',
      origin: 'discord',
      locale: 'de',
      schedule: { cron: '0 * * * *', timezone: 'Europe/Berlin' },
      destinations: [{ cadence: { every: 'immediate', timezone: 'Europe/Berlin' } }],
    });
    expect(report.nextPollAt).toBeGreaterThan(lab.clock.now());
    expect(lab.front.asked).toHaveLength(1);
    await lab.advance(1000);
    expect(lab.front.asked).toHaveLength(1);
    await lab.post(job(3));
    await lab.advance(2 * HOUR);
    expect(lab.sink.got()).toEqual(['3']);
  });

  test('leaves the first requests to the caller who waits for them', async () => {
    const release = lab.front.hold();
    const subscribing = lab.services.subscribe(alice, draft({ filter: { tags: ['rust', 'defi'] } }));
    await until(() => lab.front.asked.length === 1, { what: 'the first of two requests' });
    const [one] = await lab.stores.subscriptions.byAccount('alice');
    const [, second] = requestsOf(one as Subscription);
    expect(await lab.stores.lanes.dueAt(requestUnit(second as RequestRef))).toBeGreaterThan(lab.clock.now());
    release();
    await subscribing;
    expect(lab.front.asked).toHaveLength(2);
  });

  test('returns the existing subscription for the same filter and place', async () => {
    const id = await subscribed({ filter: { tags: ['rust'], include: ['Zero Knowledge', 'b'] } });
    const again = await lab.services.subscribe(
      alice,
      draft({ filter: { tags: ['rust'], include: ['b', 'zero knowledge'] }, schedule: 'hourly' }),
    );
    expect(again.matchesNow).toBeUndefined();
    expect(again.report.subscription.id).toBe(id);
    expect(await lab.services.subscriptions(alice)).toHaveLength(1);
    // Another place, another filter or another account is another subscription.
    const elsewhere = { sink: 'capture', target: 'two' };
    await subscribed({
      filter: { tags: ['rust'], include: ['b', 'zero knowledge'] },
      destination: elsewhere,
    });
    await subscribed({ filter: { tags: ['rust'] } });
    await subscribed({ filter: { tags: ['rust'] } }, bob);
    expect(await lab.services.subscriptions(alice)).toHaveLength(3);
  });

  test('creates one of a burst of the same, and no more than the limits allow', async () => {
    const same = await Promise.all(Array.from({ length: 5 }, () => lab.services.subscribe(alice, draft())));
    expect(new Set(same.map(({ report }) => report.subscription.id)).size).toBe(1);
    expect(same.filter(({ matchesNow }) => matchesNow !== undefined)).toHaveLength(1);
    const many = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) =>
        lab.services.subscribe(bob, draft({ destination: { sink: 'capture', target: `place-${n}` } })),
      ),
    );
    expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await lab.services.subscriptions(bob)).toHaveLength(3);
  });

  test('stores nothing when there are faults, and names them all', async () => {
    const wrong = draft({
      filter: { tags: ['solidty'], limit: 0 },
      schedule: 'now and then',
      timezone: 'Mars/X',
      destination: { sink: 'pigeon', target: '' },
    });
    const error = await lab.services.subscribe(alice, wrong).catch((one: Error) => one);
    expect((error as Error).message.split('\n')).toHaveLength(5);
    expect(await lab.services.subscriptions(alice)).toEqual([]);
    expect(lab.front.asked).toEqual([]);
  });

  test.each<[string, () => Promise<void> | void, RegExp]>([
    ['without a token', () => lab.stores.accounts.remove('alice'), /^You have no API token yet/u],
    [
      'with a token the board refuses',
      () => lab.front.answer({ status: 401 }),
      /does not accept your token/u,
    ],
    [
      'while the board is away',
      () => lab.front.answer({ status: 500 }),
      /does not answer right now.*Nothing was stored/u,
    ],
    [
      'while the board asks for a pause',
      () => lab.front.answer({ status: 429, headers: { 'retry-after': '99' } }),
      /asks for a pause.*Nothing was stored/u,
    ],
  ])('%s: reports it and stores nothing', async (_case, given, text) => {
    await given();
    await expect(lab.services.subscribe(alice, draft())).rejects.toThrow(text);
    expect((await lab.rows()).filter((row) => /^(?:subscriptions|ledgers|polls) /u.test(row))).toEqual([]);
  });

  test('does not request again with a token that is known to be refused', async () => {
    lab.front.answer({ status: 401 });
    await lab.services.subscribe(alice, draft()).catch(() => undefined);
    await expect(lab.services.subscribe(alice, draft())).rejects.toThrow('no longer accepts your token');
    expect(lab.front.asked).toHaveLength(1);
  });

  test('has limits, by person and by server', async () => {
    for (const target of ['a', 'b', 'c']) await subscribed({ destination: { sink: 'capture', target } });
    await expect(subscribed()).rejects.toThrow('You have 3 subscriptions');
    const at = (target: string) => ({ guild: 'g', destination: { sink: 'capture', target } });
    await subscribed(at('a'), bob);
    await subscribed(at('b'), bob);
    await expect(subscribed(at('c'), bob)).rejects.toMatchObject({
      message: expect.stringContaining('This server has 2 subscriptions'),
      fault: { name: 'capServer', count: 2 },
    });
    // Refused before anything is sent.
    const greeted = { guild: 'g', destination: { sink: 'greeter', target: 'c' } };
    await expect(subscribed(greeted)).rejects.toMatchObject({ fault: { name: 'capAccount', count: 3 } });
    await expect(subscribed(greeted, bob)).rejects.toThrow('This server has');
    expect(welcomed).toEqual([]);
  });

  test('welcomes a new place once, in its language', async () => {
    const destination = { sink: 'greeter', target: 'one' };
    const id = await subscribed({ destination, locale: 'de' });
    await lab.services.edit(alice, id, { destination: { ...destination, cadence: 'daily' } });
    expect(welcomed).toEqual([{ target: 'one', about: `about ${id}`, locale: 'de' }]);
    await lab.services.edit(alice, id, { destination: { ...destination, target: 'two' } });
    expect(welcomed.slice(1)).toEqual([{ target: 'two', about: `about ${id}`, locale: 'de' }]);
    await subscribed({ destination: { ...destination, target: 'three' } });
    expect(welcomed[2]).toMatchObject({ target: 'three', locale: 'en' });
  });

  test.each([
    [new DeliveryError('target', 'no'), 'dmClosed'],
    [new DeliveryError('target', 'no', { fix: 'noSharedServer' }), 'dmNoServer'],
  ])("stores nothing for a place that can't be written to: %s, %s", async (error, name) => {
    unwelcome = error;
    await expect(subscribed({ destination: { sink: 'greeter', target: 'one' } })).rejects.toMatchObject({
      message: expect.stringContaining('Nothing was stored'),
      fault: { name },
    });
    expect(await lab.services.subscriptions(alice)).toEqual([]);
  });

  test("keeps a place that only can't be reached now", async () => {
    unwelcome = new DeliveryError('outage', 'later');
    await subscribed({ destination: { sink: 'greeter', target: 'one' } });
    expect(await lab.services.subscriptions(alice)).toHaveLength(1);
    expect(lab.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'a new place could not be tried' }),
    );
  });
});

describe('editing', () => {
  test('changes the given fields and keeps the rest; a new tag gets its own baseline', async () => {
    const id = await subscribed({ schedule: 'hourly' });
    await lab.post(job(3, { tags: ['defi'] }));
    const report = await lab.services.edit(alice, id, { filter: { tags: ['rust', 'defi'] } });
    expect(report.subscription).toMatchObject({
      schedule: { cron: '0 * * * *' },
      account: 'alice',
      origin: 'discord',
    });
    await lab.advance(0);
    expect(lab.sink.got()).toEqual([]);
    await lab.post(job(4, { tags: ['defi'] }));
    await lab.advance(2 * HOUR);
    expect(lab.sink.got()).toEqual(['4']);
  });

  test('keeps age, pause and server; the place changes to another zone only if none was set for it', async () => {
    const id = await subscribed({
      guild: 'g',
      destination: { sink: 'capture', target: 'one', cadence: 'daily' },
    });
    await lab.services.pause(alice, id);
    lab.clock.advance(DAY);
    const { subscription } = await lab.services.edit(alice, id, { timezone: 'Asia/Tokyo' });
    expect(subscription).toMatchObject({ guild: 'g', schedule: { timezone: 'Asia/Tokyo' } });
    expect(subscription.pausedAt).toBeDefined();
    expect(subscription.createdAt).toBeLessThan(lab.clock.now());
    expect(subscription.destinations[0]?.cadence).toMatchObject({ every: 'daily', timezone: 'Asia/Tokyo' });
    const own = {
      sink: 'capture',
      target: 'one',
      cadence: 'daily',
      timezone: 'Europe/Berlin',
      quiet: { from: '22:00', to: '07:00' },
    };
    await lab.services.edit(alice, id, { destination: own });
    const moved = await lab.services.edit(alice, id, { timezone: 'UTC', locale: 'es' });
    expect(moved.subscription.destinations[0]).toMatchObject({
      cadence: { timezone: 'Europe/Berlin' },
      quiet: { from: '22:00', timezone: 'Europe/Berlin' },
    });
    expect(moved.subscription.locale).toBe('es');
  });

  test('changes one of several destinations by its id; a missing one is an error', async () => {
    await lab.add({
      id: 'x',
      account: 'alice',
      destinations: ['a', 'b'].map((target) => ({ sink: 'capture', target })),
    });
    const [first] = (await lab.stores.subscriptions.get('x'))?.destinations ?? [];
    const destination = { sink: 'capture', target: 'c', cadence: 'hourly' };
    const { subscription } = await lab.services.edit(alice, 'x', {
      destination,
      destinationId: first?.id ?? '',
    });
    expect(subscription.destinations.map(({ target }) => target)).toEqual(['c', 'b']);
    await expect(lab.services.edit(alice, 'x', { destination, destinationId: 'gone' })).rejects.toThrow(
      'no longer exists',
    );
  });

  test('changes nothing when there are faults', async () => {
    const id = await subscribed();
    await expect(lab.services.edit(alice, id, { filter: { tags: ['solidty'] } })).rejects.toThrow(
      'did you mean solidity',
    );
    expect((await lab.services.subscription(alice, id)).subscription.filter.tags).toEqual(['rust']);
  });
});

describe('pausing and removing', () => {
  test('a resumed one is polled at once, and what was posted during the pause is not delivered', async () => {
    const id = await subscribed();
    await lab.services.pause(alice, id);
    await lab.post(job(3));
    const asked = lab.front.asked.length;
    expect((await lab.services.resume(alice, id)).state).toBe('active');
    expect(lab.front.asked).toHaveLength(asked + 1);
    await lab.services.resume(alice, id);
    expect(lab.front.asked).toHaveLength(asked + 1);
    await lab.post(job(4));
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['4']);
  });

  test('a removed one comes back as it was, for those who may change it', async () => {
    const id = await subscribed({ guild: 'g', schedule: 'hourly' });
    await lab.services.remove(alice, id);
    expect(await lab.services.subscriptions(alice)).toEqual([]);
    for (const caller of [bob, { ...bob, manages: 'another' }])
      await expect(lab.services.restore(caller, id)).rejects.toThrow('no such subscription');
    await expect(lab.services.restore(alice, 'nothing')).rejects.toThrow('no such subscription');
    const { subscription } = await lab.services.restore({ ...bob, manages: 'g' }, id);
    expect(subscription).toMatchObject({ id, account: 'alice', schedule: { cron: '0 * * * *' } });
    await expect(lab.services.restore(alice, id)).rejects.toThrow('no such subscription');
  });

  test('one that left its server with the bot resumes where it is moved to', async () => {
    const id = await subscribed({ guild: 'g' });
    const now = lab.clock.now();
    await lab.change(id, (before) => ({ ...before, pausedAt: now, leftGuildAt: now }));
    expect((await lab.services.edit(alice, id, { reposts: true })).state).toBe('paused');
    const { state, subscription } = await lab.services.edit(alice, id, { guild: 'another' });
    expect([state, subscription.guild, subscription.reposts]).toEqual(['active', 'another', true]);
    expect((await lab.services.edit(alice, id, { schedule: 'daily' })).subscription.reposts).toBe(true);
  });

  test('what was found lately is listed, the newest first; a manager sees that of the subscription only', async () => {
    const id = await subscribed({ guild: 'g', filter: { tags: ['rust'] } });
    lab.clock.advance(HOUR);
    await subscribed({ filter: { tags: ['defi'] }, destination: { sink: 'capture', target: 'two' } });
    await lab.post(job(3), job(4, { tags: ['defi'], title: 'DeFi', company: 'Acme' }));
    await lab.advance(2 * HOUR);
    const mine = await lab.services.recent(alice, id);
    expect(mine).toEqual(await lab.services.recent(alice));
    expect(mine.map(({ key }) => key)).toEqual(['id:4', 'id:3', 'id:2', 'id:1']);
    expect(mine).toContainEqual({ key: 'id:4', title: 'DeFi', company: 'Acme' });
    const managed = await lab.services.recent({ ...bob, manages: 'g' }, id);
    expect(managed.map(({ key }) => key)).toEqual(['id:3', 'id:2', 'id:1']);
    expect(await lab.services.recent(bob)).toEqual([]);
    await expect(lab.services.recent(bob, id)).rejects.toThrow('no such subscription');
    const own = await subscribed({}, bob);
    const all = await lab.services.subscriptions({ ...bob, manages: 'g' });
    expect(all.map(({ subscription }) => subscription.id)).toEqual([id, own]);
  });
});

describe('rights', () => {
  test("another person's subscription is answered as not existing, whatever is tried", async () => {
    const id = await subscribed({ guild: 'g' });
    const tries = (caller: { account: string; manages?: string }) => [
      lab.services.subscription(caller, id),
      lab.services.edit(caller, id, { schedule: 'daily' }),
      lab.services.pause(caller, id),
      lab.services.resume(caller, id),
      lab.services.remove(caller, id),
      lab.services.why(caller, id, '1'),
      lab.services.history(caller, id),
      lab.services.sendTest(caller, id),
    ];
    for (const caller of [bob, { ...bob, manages: 'another' }])
      for (const result of await Promise.allSettled(tries(caller)))
        expect(result).toMatchObject({
          status: 'rejected',
          reason: { message: 'There is no such subscription of yours. /jobs list shows the ones you have.' },
        });
    await expect(lab.services.pause(alice, 'nothing')).rejects.toThrow(
      'There is no such subscription of yours.',
    );
    expect(await lab.services.subscriptions(bob)).toEqual([]);
    expect((await lab.services.subscription(alice, id)).state).toBe('active');
  });

  test('a subscription in no server is refused to a person who manages no server', async () => {
    const id = await subscribed();
    await expect(lab.services.edit(bob, id, { schedule: 'daily' })).rejects.toThrow('no such subscription');
    await expect(lab.services.remove(bob, id)).rejects.toThrow('no such subscription');
    const { state, subscription } = await lab.services.subscription(alice, id);
    expect([state, subscription.account]).toEqual(['active', 'alice']);
  });

  test('managers of the server may change a subscription, but not move it out of the server', async () => {
    const id = await subscribed({ guild: 'g' });
    const manager = { ...bob, manages: 'g' };
    expect((await lab.services.subscriptions(manager)).map(({ subscription }) => subscription.id)).toEqual([
      id,
    ]);
    expect((await lab.services.edit(manager, id, { schedule: 'daily' })).subscription.account).toBe('alice');
    for (const guild of [null, 'another'])
      await expect(lab.services.edit(manager, id, { guild })).rejects.toMatchObject({
        message: expect.stringContaining('Only its owner'),
        fault: { name: 'ownersMove' },
      });
    expect((await lab.services.edit(manager, id, { guild: 'g' })).subscription.guild).toBe('g');
    expect((await lab.services.edit(alice, id, { guild: null })).subscription.guild).toBeUndefined();
    await expect(lab.services.pause(manager, id)).rejects.toThrow('no such subscription');
  });

  test('a subscription of the file is changed in the file, and can be paused anywhere', async () => {
    await lab.add({ id: 'f', account: 'alice' });
    await lab.change('f', (before) => ({ ...before, origin: 'file' }));
    await expect(lab.services.edit(alice, 'f', {})).rejects.toThrow("operator's subscriptions file");
    await expect(lab.services.remove(alice, 'f')).rejects.toThrow("operator's subscriptions file");
    expect((await lab.services.pause(alice, 'f')).state).toBe('paused');
  });
});
