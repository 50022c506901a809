// Accounts, subscriptions and their history as they are stored in SQLite: what a change writes, what each index finds,
// and what stays when a key is missing.

import { beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import type { Subscription } from '../../src/domain/subscription.js';
import { createAccountStore } from '../../src/store/accounts.js';
import { createArchive } from '../../src/store/archive.js';
import type { TableName } from '../../src/store/backend.js';
import { createHistory } from '../../src/store/history.js';
import { createSealer } from '../../src/store/sealing.js';
import { createSubscriptionStore } from '../../src/store/subscriptions.js';
import { putFound, putMatches } from '../helpers/put.js';
import {
  collect,
  destination,
  edition,
  KEYS,
  keysOf,
  keyText,
  NOW,
  openTestStores,
  posting,
  subscription,
  type TestStores,
  tempDir,
} from './fixtures.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CHANNEL = '123456789012345678';

let stores: TestStores;
beforeEach(async () => {
  stores = await openTestStores(`sqlite://${await tempDir()}/store.sqlite`);
});

/** A sealer of a process that does not have the key. */
const keyless = () => createSealer(keysOf(keyText()), stores.log);
const own = () => createSealer(KEYS, stores.log);

async function rows(table: TableName, prefix = ''): Promise<Record<string, unknown>> {
  const found = await stores.backend.kvTables[table].page({}, 1000);
  return Object.fromEntries(
    found.filter(([key]) => key.startsWith(prefix)).map(([key, text]) => [key, JSON.parse(text).value]),
  );
}
const keys = async (table: TableName, prefix = '') => Object.keys(await rows(table, prefix)).toSorted();

describe('an account', () => {
  const token = secret('alice-token-0001');
  const email = { address: 'alice@example.org', confirmedAt: 5 };
  const alice = { id: 'alice', createdAt: 1, token, email, locale: 'de' };

  test('whose key is missing can be read except for its secrets, and keeps them when it changes', async () => {
    await stores.accounts.update('alice', () => alice);
    const before = await rows('accounts');
    const blind = createAccountStore(stores.backend, stores.clock, keyless());
    const unreadable = ['token', 'email'];
    expect(await blind.get('alice')).toEqual({ id: 'alice', createdAt: 1, locale: 'de', unreadable });
    expect(await collect(blind.list())).toEqual([
      { id: 'alice', createdAt: 1, locale: 'de', unreadable: ['email'], hasToken: true },
    ]);
    await blind.update('alice', (one) => one && { ...one, locale: 'es' });
    const { token: kept, ...rest } = (await stores.accounts.get('alice'))!;
    expect([kept?.reveal(), rest]).toEqual([
      'alice-token-0001',
      { id: 'alice', createdAt: 1, email, locale: 'es' },
    ]);
    const { token: sealed, email: mail } = before.alice as { token: unknown; email: unknown };
    expect((await rows('accounts')).alice).toMatchObject({ token: sealed, email: mail });
    // A new token replaces the one that can't be read, and the address stays.
    await blind.update('alice', (one) => one && { ...one, token: secret('next'), unreadable: ['email'] });
    expect((await rows('accounts')).alice).toMatchObject({ email: mail });
    expect((await rows('accounts')).alice).not.toMatchObject({ token: sealed });
    await blind.update('alice', () => ({ id: 'alice', createdAt: 1, unreadable: ['email'] }));
    expect((await rows('accounts')).alice).toEqual({ id: 'alice', createdAt: 1, email: mail });
    await blind.update('alice', () => ({ id: 'alice', createdAt: 1, unreadable: ['token'] }));
    expect((await rows('accounts')).alice).toEqual({ id: 'alice', createdAt: 1 });
  });

  test('is listed with whether it has a token, but without it', async () => {
    await stores.accounts.update('alice', () => alice);
    await stores.accounts.update('bob', () => ({ id: 'bob', createdAt: 2 }));
    expect(await collect(stores.accounts.list())).toEqual([
      { id: 'alice', createdAt: 1, email, locale: 'de', hasToken: true },
      { id: 'bob', createdAt: 2, hasToken: false },
    ]);
  });

  test('is not written if nothing changes, and not made by a change of nothing', async () => {
    await stores.accounts.update('alice', () => alice);
    const { version } = await stores.backend.kvTables.accounts.read('alice');
    expect(await stores.accounts.update('alice', (one) => one)).toMatchObject({ id: 'alice', email });
    expect((await stores.backend.kvTables.accounts.read('alice')).version).toBe(version);
    expect(await stores.accounts.update('nemo', (one) => one)).toBeUndefined();
    expect(await keys('accounts')).toEqual(['alice']);
    expect(await stores.accounts.update('alice', () => undefined)).toBeUndefined();
    expect(await keys('accounts')).toEqual([]);
  });

  test('has a note of its new token until that is applied, and is removed with it', async () => {
    await stores.accounts.update('alice', () => alice);
    expect(await rows('lookups', 'token:')).toEqual({ 'token:alice': 'alice' });
    expect(await stores.accounts.withNewToken()).toEqual(['alice']);
    expect(await stores.accounts.newToken('bob')).toBeUndefined();
    const note = (await stores.accounts.newToken('alice'))!;
    await stores.accounts.settleToken({ ...note, version: note.version + 1 });
    expect(await stores.accounts.withNewToken()).toEqual(['alice']);
    await stores.accounts.settleToken(note);
    expect(await stores.accounts.withNewToken()).toEqual([]);
    await stores.accounts.update('alice', (one) => one && { ...one, locale: 'en' });
    expect(await stores.accounts.withNewToken()).toEqual([]);
    await stores.accounts.update('alice', (one) => one && { ...one, token: secret('alice-token-0001') });
    expect(await stores.accounts.withNewToken()).toEqual(['alice']);
    await stores.accounts.remove('alice');
    expect([await keys('accounts'), await keys('lookups')]).toEqual([[], []]);
  });
});

describe('a target', () => {
  const stored = async (id: string) => {
    const { destinations } = (await rows('subscriptions'))[id] as { destinations: { target: unknown }[] };
    return destinations.map(({ target }) => target);
  };

  test('that is a number is stored as it is, and any other sealed', async () => {
    const destinations = [
      destination('discord', CHANNEL),
      destination('email', 'a@example.org'),
      destination('telegram', '-1001'),
    ];
    await stores.subscriptions.update('s', () => subscription('s', { destinations }));
    const [channel, ...others] = await stored('s');
    expect(channel).toBe(CHANNEL);
    for (const one of others) expect(one).toMatchObject({ v: 1, kid: expect.any(String) });
    expect((await stores.subscriptions.get('s'))?.destinations).toEqual(destinations);
  });

  test('whose key is missing is empty, and stays stored when the subscription changes', async () => {
    const destinations = [
      destination('email', 'a@example.org'),
      destination('email', 'bb@example.org'),
      destination('discord', CHANNEL),
    ];
    await stores.subscriptions.update('s', () => subscription('s', { destinations }));
    const before = await stored('s');
    const blind = createSubscriptionStore(stores.backend, stores.clock, keyless());
    const read = (await blind.get('s'))!;
    expect(read.destinations.map(({ target }) => target)).toEqual(['', '', CHANNEL]);
    await blind.update('s', () => ({ ...read, newest: 3, destinations: read.destinations.toReversed() }));
    expect(await stored('s')).toEqual(before.toReversed());
    // A new destination with an empty target has nothing to keep.
    const fresh = { ...destination('console', ''), id: 'console-x' };
    await blind.update('s', () => ({ ...read, destinations: [fresh] }));
    expect(await stored('s')).toEqual(['']);
  });
});

describe('a target that was moved', () => {
  test('is reported once, when it is read', async () => {
    await stores.subscriptions.update('s', () =>
      subscription('s', { destinations: [destination('email', 'a@example.org')] }),
    );
    const { s: stored } = await rows('subscriptions');
    await stores.backend.commit({
      writes: [{ table: 'subscriptions', key: 't', entry: { value: { ...(stored as object), id: 't' } } }],
    });
    const reports = () => stores.log.lines.filter(({ level }) => level === 'error').length;
    const [moved] = (await stores.subscriptions.get('t'))?.destinations ?? [];
    expect([moved?.sink, reports()]).toEqual(['email', 0]);
    expect([moved?.target, moved?.target, reports()]).toEqual(['', '', 1]);
  });
});

describe('a subscription', () => {
  const full = (id: string, more: Partial<Subscription> = {}) =>
    subscription(id, { account: 'alice', guild: 'g', ...more });
  const write = (one: Subscription) => stores.subscriptions.update(one.id, () => one);
  const index = async () => (await keys('lookups')).filter((key) => !/^(?:changed|request):/u.test(key));

  test('has a row in each index that it belongs to, and none in others', async () => {
    await write(subscription('plain', { account: 'alice' }));
    const place = `place:discord-${CHANNEL.length}`;
    expect(await index()).toEqual(['account:alice:plain', `${place}:plain`, 'room:account:alice']);
    expect(await keys('lookups', 'request:')).toHaveLength(1);
    const quiet = { ...destination('email', 'a@example.org'), options: { quietWeek: true } };
    await write(
      full('plain', {
        origin: 'file',
        leftGuildAt: 4,
        pausedUntil: 9,
        destinations: [destination('discord', CHANNEL), quiet, { ...quiet, target: 'b@example.org' }],
      }),
    );
    expect(await index()).toEqual(
      [
        'account:alice:plain',
        'file:plain',
        'left:g:plain',
        `${place}:plain`,
        `place:${quiet.id}:plain`,
        'quiet:plain',
        'room:account:alice',
        'room:server:g',
        'server:g:plain',
        'until:plain',
      ].toSorted(),
    );
    expect(await rows('lookups', 'server:')).toEqual({ 'server:g:plain': 'plain' });
    await stores.subscriptions.remove('plain');
    expect(await index()).toEqual([]);
    expect(await keys('lookups', 'request:')).toEqual([]);
    expect(await keys('subscriptions')).toEqual([]);
  });

  test('is found by account, server, destination, request and by what it waits for', async () => {
    const { subscriptions } = stores;
    await write(full('a', { origin: 'file', pausedUntil: 5 }));
    await write(full('b', { account: 'bob', leftGuildAt: 3 }));
    await write(
      subscription('c', {
        account: 'bob',
        filter: { ...subscription('c').filter, tags: ['rust'] },
        destinations: [{ ...destination('email', 'x'), options: { quietWeek: true } }],
      }),
    );
    const ids = (found: readonly Subscription[]) => found.map(({ id }) => id).toSorted();
    const place = `discord-${CHANNEL.length}`;
    expect(ids(await subscriptions.byAccount('bob'))).toEqual(['b', 'c']);
    expect(ids(await subscriptions.byServer('g'))).toEqual(['a', 'b']);
    expect(ids(await subscriptions.byDestination(place))).toEqual(['a', 'b']);
    expect(ids(await subscriptions.byDestination(place, 'a'))).toEqual(['b']);
    expect([...(await subscriptions.idsFromFile())]).toEqual(['a']);
    expect([...(await subscriptions.idsPausedUntil())]).toEqual(['a']);
    expect([...(await subscriptions.idsLeft())]).toEqual(['b']);
    expect([...(await subscriptions.idsWithQuietWeeks())]).toEqual(['c']);
    expect(ids(await collect(subscriptions.list()))).toEqual(['a', 'b', 'c']);
    expect(await collect(subscriptions.accounts())).toEqual([
      ['alice', 1],
      ['bob', 2],
    ]);
    expect(await subscriptions.servers()).toEqual([{ guild: 'g', left: false }]);
    await write(full('a', { leftGuildAt: 3 }));
    expect(await subscriptions.servers()).toEqual([{ guild: 'g', left: true }]);
    const [request] = (await keys('lookups', 'request:')).filter((key) => key.endsWith(':c'));
    const [, lane = '', subject = ''] = (request ?? '').split(':').map(decodeURIComponent);
    expect(ids(await subscriptions.needing({ lane, subject }))).toEqual(['c']);
    expect(await subscriptions.idsNeeding({ lane, subject })).toEqual(['c']);
    expect((await subscriptions.withVersions(['c', 'gone'])).map((one) => one.subscription.id)).toEqual([
      'c',
    ]);
    expect(ids(await subscriptions.many(['gone', 'a']))).toEqual(['a']);
  });

  test('changes only the rows that differ, and keeps the note of its first state', async () => {
    await write(full('s'));
    const note = (await stores.subscriptions.changeOf('s'))!;
    expect(note).toMatchObject({ id: 's', former: undefined });
    await stores.subscriptions.settle(note);
    expect(await stores.subscriptions.changeOf('s')).toBeUndefined();
    const former = await stores.subscriptions.get('s');
    await write(full('s', { account: 'bob' }));
    await write(full('s', { account: 'carol' }));
    expect(await index()).toContain('account:carol:s');
    expect((await index()).filter((key) => /alice|bob/u.test(key))).toEqual([]);
    expect((await stores.subscriptions.changeOf('s'))?.former).toEqual(former);
    expect(await stores.subscriptions.changed(10)).toEqual(['s']);
    expect(await stores.subscriptions.changed(10, 's')).toEqual([]);
    const before = await stores.backend.kvTables.subscriptions.read('s');
    await stores.subscriptions.update('s', (one) => one);
    expect(await stores.backend.kvTables.subscriptions.read('s')).toEqual(before);
  });

  test('has no secret in the note of a change', async () => {
    const destinations = [destination('email', 'a@example.org'), destination('discord', CHANNEL)];
    await write(full('s', { destinations }));
    await stores.subscriptions.settle((await stores.subscriptions.changeOf('s'))!);
    await write(full('s', { destinations, newest: 5 }));
    const { former } = (await rows('lookups', 'changed:'))['changed:s'] as {
      former: { destinations: object[] };
    };
    expect(former.destinations).toMatchObject([{ target: '' }, { target: CHANNEL }]);
  });

  test('makes its requests due, and its deliveries if its destinations or its pause change', async () => {
    const due = async () => {
      const found: string[] = [];
      for (const queue of ['poll', 'deliver:discord', 'deliver:email'])
        for (const one of await stores.lanes.units(queue))
          found.push(`${queue} ${one.unit.split('\n')[0]} ${((await stores.lanes.dueAt(one)) ?? 0) - NOW}`);
      return found.toSorted();
    };
    const clear = async () => {
      for (const queue of ['poll', 'deliver:discord', 'deliver:email'])
        await stores.lanes.drop(await stores.lanes.units(queue));
    };
    await stores.subscriptions.update('s', () => full('s'), { firstAskMs: 700 });
    const [first, ...others] = await due();
    expect(first).toMatch(/^poll .* 700$/u);
    expect(others).toEqual([]);
    await clear();
    await write(full('s', { newest: 4 }));
    expect(await due()).toEqual([]);
    await write(full('s', { pausedAt: 5 }));
    expect((await due()).filter((one) => one.startsWith('deliver'))).toEqual(['deliver:discord s 0']);
    await clear();
    await write(full('s', { pausedAt: 5, destinations: [destination('email', 'a@example.org')] }));
    expect(await due()).toEqual(['deliver:email s 0']);
    await clear();
    await write(
      full('s', { pausedAt: 5, destinations: [{ ...destination('email', 'a@example.org'), cap: 3 }] }),
    );
    expect(await due()).toEqual([]);
    await stores.subscriptions.remove('s');
    expect(await due()).toEqual([]);
  });

  test('is not added where there is no room, and the room of the last one is cleared', async () => {
    const asked: string[] = [];
    const room = (more: object = {}) => ({
      room: {
        account: 2,
        server: 2,
        full: (side: string) => {
          asked.push(side);
          return new Error(`no room: ${side}`);
        },
        ...more,
      } as never,
    });
    const add = (id: string, account: string, guild?: string, more?: object) =>
      stores.subscriptions.update(
        id,
        () => subscription(id, { account, ...(guild ? { guild } : {}) }),
        room(more),
      );
    await add('a', 'alice', 'g');
    await add('b', 'alice');
    await expect(add('c', 'alice')).rejects.toThrow('no room: account');
    await add('d', 'bob', 'g');
    await expect(add('e', 'carol', 'g')).rejects.toThrow('no room: server');
    expect(await keys('subscriptions')).toEqual(['a', 'b', 'd']);
    // One that is there already needs no room.
    await add('a', 'alice', 'g');
    expect(await keys('lookups', 'room:')).toEqual([
      'room:account:alice',
      'room:account:bob',
      'room:server:g',
    ]);
    await stores.subscriptions.remove('a');
    expect(await keys('lookups', 'room:')).toEqual([
      'room:account:alice',
      'room:account:bob',
      'room:server:g',
    ]);
    await stores.subscriptions.remove('d');
    expect(await keys('lookups', 'room:')).toEqual(['room:account:alice']);
    const others: string[][] = [];
    const beside = (there: readonly Subscription[]) => others.push(there.map(({ id }) => id)) > 99;
    expect(await add('f', 'alice', undefined, { beside })).toBeUndefined();
    expect(others).toEqual([['b']]);
    expect(await keys('subscriptions')).toEqual(['b']);
  });

  test('of many is changed together with the others', async () => {
    for (const id of ['a', 'b', 'c']) await write(full(id));
    await stores.subscriptions.updateAll(['a', 'b', 'gone'], (before, id) =>
      id === 'b' ? before : before && { ...before, newest: 7 },
    );
    expect((await collect(stores.subscriptions.list())).map(({ id, newest }) => [id, newest])).toEqual([
      ['a', 7],
      ['b', 0],
      ['c', 0],
    ]);
    await stores.subscriptions.updateAll([], () => undefined);
  });
});

describe('the history', () => {
  const found = (at: number, key: string, id = 'one') => ({ at, subscription: id, posting: posting(key) });
  const archived = async (days: number, now: number) =>
    (await stores.history.archived('alice', days, now)).map((one) => `${one.posting.key} ${one.at - NOW}`);

  test('shows archived postings in the order of their time, up to now and since the given days', async () => {
    await putFound(stores.ledgers, 'alice', [
      found(NOW + 2, 'later'),
      found(NOW, 'now'),
      found(NOW - DAY, 'edge'),
    ]);
    await putFound(stores.ledgers, 'alice', [found(NOW - DAY - 1, 'before')]);
    expect(await archived(1, NOW)).toEqual([`edge ${-DAY}`, 'now 0']);
    expect(await archived(1, NOW + 2)).toEqual(['now 0', 'later 2']);
    expect(await archived(500, NOW + 2)).toEqual([`before ${-DAY - 1}`, `edge ${-DAY}`, 'now 0', 'later 2']);
    await putFound(stores.ledgers, 'alice', [found(NOW - 91 * DAY, 'old')]);
    expect(await archived(500, NOW)).toHaveLength(3);
  });

  test('shows a posting as it was found first', async () => {
    const first = found(NOW - 5, 'a');
    await putFound(stores.ledgers, 'alice', [first, found(NOW - 5, 'b')]);
    await putFound(stores.ledgers, 'alice', [found(NOW - 9, 'a', 'two'), found(NOW - 9, 'c', 'two')]);
    await putFound(stores.ledgers, 'alice', [found(NOW - 1, 'a', 'three'), found(NOW - 1, 'd', 'three')]);
    expect(await archived(2, NOW)).toEqual(['a -9', 'c -9', 'b -5', 'd -1']);
  });

  test('records only once whose a subscription is, with what it found or with an edition', async () => {
    const { history, ledgers, backend } = stores;
    const owner = async (id: string) => (await backend.kvTables.history.read(`owner:${id}`)).version;
    await putFound(ledgers, 'alice', [found(NOW, 'a')]);
    await history.keepEdition(edition('e2', { account: 'alice', subscription: 'two' }));
    const [one, two] = [await owner('one'), await owner('two')];
    await putFound(ledgers, 'alice', [found(NOW, 'b'), found(NOW, 'c', 'two')]);
    for (const subscription of ['one', 'two'])
      await history.keepEdition(edition('e3', { account: 'alice', subscription }));
    expect([await owner('one'), await owner('two')]).toEqual([one, two]);
    expect(await keys('history', 'owner')).toEqual(['owner:one', 'owner:two']);
  });

  test('deletes a row of several postings with any of their subscriptions', async () => {
    const { history } = stores;
    await putFound(stores.ledgers, 'alice', [found(NOW, 'a'), found(NOW, 'b')]);
    await putFound(stores.ledgers, 'alice', [found(NOW, 'c', 'two')]);
    expect(await keys('history', 'days:')).toHaveLength(2);
    await history.forgetSubscription('never');
    await history.forgetSubscription('one');
    expect(await archived(2, NOW)).toEqual(['c 0']);
    expect(await keys('history', 'own')).toEqual(['owner:two', 'owns:alice:two']);
    // It is known to whom a subscription belongs after it came back.
    await putFound(stores.ledgers, 'alice', [found(NOW, 'd')]);
    expect(await keys('history', 'own')).toHaveLength(4);
    await history.forgetAccount('alice');
    expect(await keys('history')).toEqual([]);
  });

  test('deletes editions with their indexes, and the postings of an account that has no subscription left', async () => {
    const table = stores.backend.kvTables.history;
    const history = createHistory(table, stores.clock, own(), createArchive(table, stores.clock));
    await history.keepEdition(edition('e1', { account: 'alice' }));
    await history.keepEdition(edition('e2', { account: 'alice', subscription: 'two' }));
    expect(await keys('history')).toEqual(
      [
        'by:alice:e1',
        'by:alice:e2',
        'edition:e1',
        'edition:e2',
        'of:one:e1',
        'of:two:e2',
        'owner:one',
        'owner:two',
        'owns:alice:one',
        'owns:alice:two',
      ].toSorted(),
    );
    await history.forgetSubscription('one');
    expect((await keys('history')).filter((key) => key.includes('e1') || key.endsWith('one'))).toEqual([]);
    // An index row without its edition, as a crash may leave it.
    await stores.backend.kvTables.history.set('of:three:gone', { value: 'gone' });
    await history.forgetSubscription('three');
    expect(await keys('history', 'of:three')).toEqual([]);
    await stores.backend.kvTables.history.set('days:alice:2026-03-02:x', { value: found(NOW, 'x') });
    await history.forgetAccount('alice');
    expect(await keys('history')).toEqual([]);
  });

  test('counts matches by the hour, in order; those of past days are rows', async () => {
    const { ledgers } = stores;
    const hour = NOW - (NOW % HOUR);
    const count = (now: number, many: number) =>
      putMatches(ledgers, 'one', { now, count: many, isFirst: false });
    await count(hour - 5 * DAY, 0);
    expect(await ledgers.matches('one')).toEqual({ since: hour - 5 * DAY, whole: false, hours: [] });
    await count(hour - 5 * DAY, 4);
    await count(hour + HOUR + 1, 2);
    // The clock may be set back.
    await count(hour + 2, 1);
    const row = `matches:one:${new Date(hour - 5 * DAY).toISOString().slice(0, 13)}`;
    expect(await keys('history', 'matches:')).toEqual([row]);
    expect((await ledgers.matches('one'))?.hours).toEqual([
      [hour - 5 * DAY, 4],
      [hour, 1],
      [hour + HOUR, 2],
    ]);
    // Ninety days before the newest hour are shown, also of the day on which they began.
    stores.clock.at = hour + 85 * DAY;
    await count(hour + 85 * DAY, 1);
    expect((await ledgers.matches('one'))?.hours.map(([at]) => at)).toEqual([
      hour,
      hour + HOUR,
      hour + 85 * DAY,
    ]);
    expect(await keys('history', 'matches:')).toHaveLength(2);
  });

  test('counts of a day to which the clock was set back do not replace those of that day', async () => {
    const { ledgers } = stores;
    const day = NOW - (NOW % DAY);
    const times = [day, day + DAY, day, day + 2 * DAY, day, day + 3 * DAY];
    for (const now of times) await putMatches(ledgers, 'one', { now, count: 1, isFirst: false });
    expect((await ledgers.matches('one'))?.hours).toEqual([
      [day, 3],
      [day + DAY, 1],
      [day + 2 * DAY, 1],
      [day + 3 * DAY, 1],
    ]);
  });
});
