// What every database must do. Each runs the same tests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/domain/errors.js';
import { requestsOf, requestUnit } from '../../src/domain/request.js';
import { secret } from '../../src/domain/secret.js';
import type { Marks, NewToken, SubscriptionChange, UpdateOptions } from '../../src/ports/stores.js';
import { KV_TABLES } from '../../src/store/backend.js';
import { rotateKeys } from '../../src/store/rotate-keys.js';
import { put, putFound, putLedger, putMatches, putPoll } from '../helpers/put.js';
import { until } from '../helpers/until.js';
import { DATABASES, type RunningDatabase } from './databases.js';
import {
  collect,
  destination,
  edition,
  keysIn,
  keysOf,
  keyText,
  ledger,
  NOW,
  openTestStores,
  posting,
  subscription,
  testClock,
} from './fixtures.js';

const DAY = 86_400_000;

for (const database of DATABASES) {
  const name = database.missing ? `${database.name} (skipped: ${database.missing})` : database.name;
  describe.skipIf(database.missing !== undefined)(`a store on ${name}`, () => {
    let running: RunningDatabase;
    beforeAll(async () => {
      running = await database.start();
    });
    afterAll(() => running?.stop());

    const fresh = async (more: Parameters<typeof openTestStores>[1] = {}) => {
      const url = await running.freshUrl();
      return { url, stores: await openTestStores(url, more) };
    };

    test('keeps what was written, also for the next process', async () => {
      const { url, stores } = await fresh();
      const one = subscription('one', {
        destinations: [destination('email', 'a@b.example'), destination('discord', '42')],
      });
      await put(stores.subscriptions, one);
      await putLedger(stores.ledgers, 'one', ledger(['a', 'https://x.example/?q=ü:b']));
      await put(stores.accounts, {
        id: 'discord:1',
        token: secret('token-of-one'),
        email: { address: 'one@reader.example', consent: 'yes' },
        createdAt: NOW,
      });
      await stores.close();
      const again = await openTestStores(url);
      expect(await again.subscriptions.get('one')).toEqual(one);
      expect(await again.ledgers.read('one')).toEqual(ledger(['a', 'https://x.example/?q=ü:b']));
      const account = await again.accounts.get('discord:1');
      expect(account?.token?.reveal()).toBe('token-of-one');
      expect(account?.email).toEqual({ address: 'one@reader.example', consent: 'yes' });
      const { hasToken, ...listed } = (await collect(again.accounts.list()))[0]!;
      expect(hasToken).toBe(true);
      expect(listed).toEqual({ id: 'discord:1', email: account?.email, createdAt: NOW });
    });

    test('returns undefined for a missing row, and can remove it without an error', async () => {
      const { stores } = await fresh();
      expect(await stores.accounts.get('nobody')).toBeUndefined();
      expect(await stores.ledgers.read('nobody')).toBeUndefined();
      await stores.accounts.remove('nobody');
      await stores.subscriptions.remove('nobody');
      await stores.ledgers.remove('nobody');
      expect(await collect(stores.subscriptions.list())).toEqual([]);
    });

    test('separates the tables: the same key in each, and removing it from one leaves the others', async () => {
      const { stores } = await fresh();
      for (const table of KV_TABLES) await stores.backend.kvTables[table].set('same', { value: table });
      await stores.backend.kvTables.cache.delete('same');
      for (const table of KV_TABLES.filter((one) => one !== 'cache'))
        expect((await stores.backend.kvTables[table].get('same'))?.value).toBe(table);
      expect(await stores.cache.get('same')).toBeUndefined();
    });

    test('throws when a write fails, and does not return false', async () => {
      const { stores } = await fresh();
      await stores.close();
      await expect(stores.marks.set('a', {} as Marks)).rejects.toBeInstanceOf(StoreError);
      await expect(putLedger(stores.ledgers, 'a', ledger([]))).rejects.toBeInstanceOf(StoreError);
      await expect(stores.ledgers.read('a')).rejects.toBeInstanceOf(StoreError);
      await expect(stores.ledgers.remove('a')).rejects.toBeInstanceOf(StoreError);
      await expect(stores.probe()).rejects.toBeInstanceOf(StoreError);
    });

    test('returns values as they were written, whatever they contain', async () => {
      const { stores } = await fresh();
      const odd = {
        text: ':base64:AAAA',
        colon: ':x',
        zero: 'a\u0000b',
        lone: '\ud800',
        nested: [{ id: ':y' }],
        no: null,
      };
      await stores.cache.set('odd', odd);
      await stores.misc.set("a'b%_*?[x]:é", odd);
      expect(await stores.cache.get('odd')).toEqual(odd);
      expect(await collect(stores.misc.entries())).toEqual([["a'b%_*?[x]:é", odd]]);
    });

    test('expires rows by the clock of the program, and purges only expired ones', async () => {
      const clock = testClock(Date.now());
      const { stores } = await fresh({ clock });
      await stores.cache.set('short', 1, 60_000);
      await stores.cache.set('long', 2, 600_000);
      await stores.cache.set('endless', 3);
      await stores.cache.set('renewed', 4, 60_000);
      clock.at += 60_001;
      await stores.cache.set('renewed', 5);
      expect(await stores.cache.get('short')).toBeUndefined();
      expect((await collect(stores.cache.entries())).map(([key]) => key)).toEqual([
        'endless',
        'long',
        'renewed',
      ]);
      expect(await stores.purge()).toBe(1);
      const left = await stores.backend.kvTables.cache.page({}, 10);
      expect(left.map(([key]) => key)).toEqual(['endless', 'long', 'renewed']);
      expect(await stores.purge()).toBe(0);
    });

    test('purges thousands in limited steps', { tags: 'long' }, async () => {
      const clock = testClock(Date.now());
      const { stores } = await fresh({ clock });
      const set = (index: number) => stores.cache.set(`k${index}`, index, index % 3 === 0 ? 600_000 : 60_000);
      for (let from = 0; from < 2500; from += 50)
        await Promise.all(Array.from({ length: 50 }, (_, index) => set(from + index)));
      clock.at += 60_001;
      expect(await stores.purge()).toBe(1666);
      expect(await stores.backend.kvTables.cache.page({}, 5000)).toHaveLength(834);
    });

    test('finds keys by their first characters, several at the same time, also keys that only this process sees', async () => {
      const { url, stores } = await fresh();
      const { lookups } = stores.backend.kvTables;
      for (const key of ['a:2', 'a:1', 'a;', 'a', 'b:1', 'ab:1']) await lookups.set(key, { value: 1 });
      const all = (table: typeof lookups) =>
        Promise.all(['a:', 'b:', 'c:'].map((prefix) => table.keysUnder(prefix)));
      expect(await all(lookups)).toEqual([['a:1', 'a:2'], ['b:1'], []]);
      const looking = (await openTestStores(url, { look: true })).backend.kvTables.lookups;
      await looking.set('c:1', { value: 1 });
      await looking.delete('a:1');
      expect(await all(looking)).toEqual([['a:2'], ['b:1'], ['c:1']]);
    });

    test('lists page by page in byte order, each row once, also while rows are added and removed', {
      tags: 'long',
    }, async () => {
      const { stores } = await fresh();
      const ids = Array.from({ length: 1250 }, (_, index) => `s${index}`).concat(
        'S1',
        's.1',
        's-1',
        's_1',
        'é',
      );
      // A few at a time, as the program writes them: a slow server could not take them all within its time limit.
      for (let from = 0; from < ids.length; from += 50)
        await Promise.all(
          ids.slice(from, from + 50).map((id) => put(stores.subscriptions, subscription(id))),
        );
      const seen: string[] = [];
      for await (const one of stores.subscriptions.list()) {
        if (seen.length === 0) {
          await stores.subscriptions.remove('s999');
          await put(stores.subscriptions, subscription('~late'));
        }
        seen.push(one.id);
      }
      // Rows that were already read may still be returned; none is skipped or returned twice.
      const expected = [...ids.filter((id) => id !== 's999'), '~late'].sort((a, b) =>
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      );
      expect(seen.filter((id) => id !== 's999')).toEqual(expected);
    });

    test('writes of one key take effect in order', async () => {
      const { stores } = await fresh();
      for (let round = 0; round < 5; round++)
        await Promise.all(
          Array.from({ length: 50 }, (_, index) => stores.cache.set('one', `${round}-${index}`)),
        );
      if (database.name !== 'postgres') expect(await stores.cache.get('one')).toBe('4-49');
      await stores.cache.set('one', 'last');
      expect(await stores.cache.get('one')).toBe('last');
    });

    test('keeps the last 50 events, newest first, also with several writers', async () => {
      const { stores } = await fresh();
      await Promise.all(
        Array.from({ length: 60 }, (_, at) => stores.history.note('one', { at, kind: 'sent', count: at })),
      );
      expect((await stores.history.events('one')).map(({ at }) => at)).toEqual(
        Array.from({ length: 50 }, (_, index) => 59 - index),
      );
      expect(await stores.history.events('two')).toEqual([]);
    });

    test('keeps an edition for 35 days', async () => {
      const { stores } = await fresh();
      const record = edition('e1');
      await stores.history.keepEdition(record);
      stores.clock.at += 34 * DAY;
      expect(await stores.history.edition('e1')).toEqual(record);
      stores.clock.at += 2 * DAY;
      expect(await stores.history.edition('e1')).toBeUndefined();
    });

    test('archives the postings of polls: once each, oldest first, within the requested days', async () => {
      const { stores } = await fresh();
      const found = (at: number, key: string) => ({ at, subscription: 'one', posting: posting(key) });
      await putFound(stores.ledgers, 'discord:1', [
        found(NOW, 'b'),
        found(NOW - 3 * DAY, 'a'),
        found(NOW, 'b'),
      ]);
      await putFound(stores.ledgers, 'discord:1', [found(NOW + 5, 'b')]);
      await putFound(stores.ledgers, 'discord:12', [found(NOW, 'other')]);
      const keys = (list: readonly { posting: { key: string } }[]) => list.map((one) => one.posting.key);
      expect(keys(await stores.history.archived('discord:1', 30, NOW))).toEqual(['a', 'b']);
      expect(keys(await stores.history.archived('discord:1', 2, NOW))).toEqual(['b']);
      const flood = Array.from({ length: 700 }, (_, index) => found(NOW + DAY, `f${index}`));
      await putFound(stores.ledgers, 'discord:1', flood);
      expect(await stores.history.archived('discord:1', 1, NOW + DAY)).toHaveLength(701);
    });

    test('archives what two subscriptions of an account found together, once each and until both are forgotten', async () => {
      const { stores } = await fresh();
      const { history } = stores;
      const found = (at: number, subscription: string, key: string) => ({
        at,
        subscription,
        posting: posting(key),
      });
      await putFound(stores.ledgers, 'discord:1', [found(NOW - 1, 'two', 'b'), found(NOW - 1, 'two', 'c')]);
      await putFound(
        stores.ledgers,
        'discord:1',
        ['a', 'b', 'c'].map((key) => found(NOW - 2, 'one', key)),
      );
      const all = async () =>
        (await history.archived('discord:1', 30, NOW)).map((one) => `${one.posting.key} ${NOW - one.at}`);
      expect((await all()).toSorted()).toEqual(['a 2', 'b 2', 'c 2']);
      await history.forgetSubscription('one');
      expect((await all()).toSorted()).toEqual(['b 1', 'c 1']);
      await history.forgetSubscription('two');
      expect(await all()).toEqual([]);
    });

    test('counts the matches of a subscription by the hour, for 90 days, starting with its first poll', async () => {
      const { stores } = await fresh();
      const { ledgers } = stores;
      const hour = NOW - (NOW % (DAY / 24));
      const count = (now: number, many: number, isFirst = false) =>
        putMatches(ledgers, 'one', { now, count: many, isFirst });
      expect(await ledgers.matches('one')).toBeUndefined();
      await count(hour + 5, 40, true);
      expect(await ledgers.matches('one')).toEqual({ since: hour + 5, whole: true, hours: [] });
      await Promise.all([count(hour + 10, 2), count(hour + 20, 3)]);
      await count(hour + 80 * DAY, 1);
      expect((await ledgers.matches('one'))?.hours).toEqual([
        [hour, 5],
        [hour + 80 * DAY, 1],
      ]);
      await count(hour + 91 * DAY, 7);
      expect((await ledgers.matches('one'))?.hours).toEqual([
        [hour + 80 * DAY, 1],
        [hour + 91 * DAY, 7],
      ]);
      await count(hour + 92 * DAY, 40, true);
      const again = { since: hour + 92 * DAY, whole: true, hours: [] };
      expect(await ledgers.matches('one'), 'a new first poll').toEqual(again);
      // A subscription that is older than the counts.
      await putMatches(ledgers, 'old', { now: NOW, count: 2, isFirst: false });
      expect(await ledgers.matches('old')).toEqual({ since: NOW, whole: false, hours: [[hour, 2]] });
    });

    test('finds what a subscription archived although the first commit of it came too late', async () => {
      const { stores } = await fresh();
      const { ledgers, history } = stores;
      const found = { account: 'discord:1', at: NOW, postings: [posting('a'), posting('b')] };
      const [first, late] = [await ledgers.open('one'), await ledgers.open('one')];
      expect(await first.commit({ ...first.ledger })).toBe(true);
      expect(await late.commit({ ...late.ledger }, { found })).toBe(false);
      expect(await history.archived('discord:1', 1, NOW)).toEqual([]);
      await putPoll(ledgers, 'one', found);
      expect(await history.archived('discord:1', 1, NOW)).toHaveLength(2);
      await history.forgetSubscription('one');
      expect(await history.archived('discord:1', 1, NOW)).toEqual([]);
    });

    test('removes the events of an account whose subscription found nothing yet', async () => {
      const { stores } = await fresh();
      const { history } = stores;
      for (const [account, id] of [
        ['discord:1', 'quiet'],
        ['discord:12', 'theirs'],
      ] as const) {
        await putPoll(stores.ledgers, id, { account, at: NOW, postings: [] });
        await history.note(id, { at: NOW, kind: 'baseline', count: 0 });
      }
      await history.forgetAccount('discord:1');
      expect(await history.events('quiet')).toEqual([]);
      expect(await history.events('theirs')).toHaveLength(1);
    });

    test('removes a subscription and an account wherever they are named', async () => {
      const { stores } = await fresh();
      const { history } = stores;
      for (const [id, account] of [
        ['gone', 'discord:1'],
        ['stays', 'discord:1'],
        ['theirs', 'discord:12'],
      ] as const) {
        await history.note(id, { at: NOW, kind: 'sent', edition: `e-${id}` });
        await history.keepEdition(edition(`e-${id}`, { subscription: id, account }));
        await putFound(stores.ledgers, account, [{ at: NOW, subscription: id, posting: posting(`p-${id}`) }]);
      }
      const rows = async () =>
        (await stores.backend.kvTables.history.page({}, 1000)).map(([key, text]) => key + text);
      await history.forgetSubscription('gone');
      expect((await rows()).filter((row) => row.includes('gone'))).toEqual([]);
      expect(await history.edition('e-stays')).toBeDefined();
      expect(await history.archived('discord:1', 30, NOW)).toHaveLength(1);
      await history.forgetAccount('discord:1');
      const left = await rows();
      expect(left.filter((row) => row.includes('stays') || /discord(:|%3A)1[^2]/u.test(row))).toEqual([]);
      expect(await history.edition('e-theirs')).toBeDefined();
      expect(await history.events('theirs')).toHaveLength(1);
      expect(await history.archived('discord:12', 30, NOW)).toHaveLength(1);
    });

    test('records a change of a subscription until it is applied, with its former state', async () => {
      const { url, stores: service } = await fresh();
      const command = await openTestStores(url);
      const { subscriptions } = service;
      await put(command.subscriptions, subscription('one'));
      expect(await subscriptions.changed(10)).toEqual(['one']);
      const added = (await subscriptions.changeOf('one')) as SubscriptionChange;
      expect(added.former).toBeUndefined();
      // Changed again before the first change was applied: its former state is still that of the first change.
      await put(command.subscriptions, subscription('one', { newest: 3 }));
      expect(await subscriptions.settle(added)).toBe(false);
      const both = (await subscriptions.changeOf('one')) as SubscriptionChange;
      expect(both.former).toBeUndefined();
      expect(await subscriptions.settle(both)).toBe(true);
      expect(await subscriptions.changed(10)).toEqual([]);
      await put(command.subscriptions, subscription('two'));
      await command.subscriptions.remove('one');
      expect(await subscriptions.changed(10)).toEqual(['one', 'two']);
      expect(await subscriptions.changed(10, 'one')).toEqual(['two']);
      const removed = await subscriptions.changeOf('one');
      expect(removed?.former).toMatchObject({ id: 'one', newest: 3 });
      // Nothing changed, so there is nothing to apply.
      await subscriptions.update('two', (before) => before);
      expect(await subscriptions.changed(10, 'two')).toEqual([]);
    });

    test('records a new token until it is applied, and no other change of the account', async () => {
      const { stores } = await fresh();
      const { accounts } = stores;
      await put(accounts, { id: 'discord:1', createdAt: NOW });
      expect(await accounts.withNewToken()).toEqual([]);
      await put(accounts, { id: 'discord:1', createdAt: NOW, token: secret('one') });
      expect(await accounts.withNewToken()).toEqual(['discord:1']);
      const noted = await accounts.newToken('discord:1');
      await accounts.update('discord:1', (before) => before && { ...before, token: secret('one') });
      await accounts.settleToken(noted as NewToken);
      // Set again meanwhile, so it is still to be applied.
      const again = await accounts.newToken('discord:1');
      await accounts.settleToken(again as NewToken);
      await accounts.update('discord:1', (before) => before && { ...before, locale: 'de' });
      expect(await accounts.withNewToken()).toEqual([]);
      expect(await accounts.newToken('discord:1')).toBeUndefined();
    });

    test('first requests are due immediately, or later where the caller makes them itself', async () => {
      const { stores } = await fresh();
      const dueAfter = async (id: string, options?: UpdateOptions) => {
        const one = { ...subscription(id), account: id };
        await stores.subscriptions.update(id, () => one, options);
        const [request] = requestsOf(one);
        if (!request) throw new Error('no request');
        return (await stores.lanes.dueAt(requestUnit(request))) ?? 0;
      };
      expect(await dueAfter('at-once')).toBe(NOW);
      expect(await dueAfter('later', { firstAskMs: 10_000 })).toBe(NOW + 10_000);
    });

    test('writes a changed record only over the version that was read', async () => {
      const { stores } = await fresh();
      const table = stores.backend.kvTables.accounts;
      await table.set('a', { value: 1 });
      const { version } = await table.read('a');
      expect(await table.replace('a', version, { value: 2 })).toBe(true);
      expect(await table.replace('a', version, { value: 3 })).toBe(false);
      expect(await table.replace('b', version, { value: 3 })).toBe(false);
      expect((await table.get('a'))?.value).toBe(2);
      expect(await table.replace('a', version, null)).toBe(false);
      expect(await table.replace('a', (await table.read('a')).version, null)).toBe(true);
      expect(await table.read('a')).toEqual({ version: 0 });
    });

    test('encrypts every secret with the first key, also when interrupted and started again', async () => {
      const [old, next] = [keyText(), keyText()];
      const { url, stores } = await fresh({ keys: keysOf(old) });
      for (let index = 0; index < 120; index++)
        await put(stores.accounts, { id: `a${index}`, token: secret(`token-${index}`), createdAt: NOW });
      await put(stores.accounts, { id: 'mail', email: { address: 'x@y.example' }, createdAt: NOW });
      await put(
        stores.subscriptions,
        subscription('one', { destinations: [destination('email', 'x@y.example')] }),
      );
      await stores.history.keepEdition(edition('e1'));
      await stores.misc.set('confirm:1', { address: 'x@y.example' }, 86_400_000);
      await stores.close();

      const both = await openTestStores(url, { keys: keysOf(next, old) });
      const { kvTables } = both.backend;
      let left = 40;
      const accounts: typeof kvTables.accounts = {
        ...kvTables.accounts,
        async replace(...row) {
          if (left-- === 0) throw new StoreError('unavailable', 'pulled the plug');
          return kvTables.accounts.replace(...row);
        },
      };
      const broken = { ...both, backend: { ...both.backend, kvTables: { ...kvTables, accounts } } };
      await expect(rotateKeys(broken)).rejects.toThrow('pulled the plug');
      expect(await rotateKeys(both)).toEqual({ rotated: 84, current: 40, unreadable: 0 });
      expect(await rotateKeys(both)).toEqual({ rotated: 0, current: 124, unreadable: 0 });
      await both.close();

      const after = await openTestStores(url, { keys: keysOf(next) });
      expect((await after.accounts.get('a7'))?.token?.reveal()).toBe('token-7');
      expect((await after.accounts.get('mail'))?.email?.address).toBe('x@y.example');
      expect((await after.subscriptions.get('one'))?.destinations[0]?.target).toBe('x@y.example');
      expect((await after.history.edition('e1'))?.destination.target).toBe('edition-reader@canary.example');
      expect(await after.misc.get('confirm:1')).toEqual({ address: 'x@y.example' });
      after.clock.at += 86_400_001;
      expect(await after.misc.get('confirm:1')).toBeUndefined();
    });

    test('a secret that is changed while it moves to the first key stays changed, and moves', async () => {
      const [old, next] = [keyText(), keyText()];
      const { url, stores } = await fresh({ keys: keysOf(old) });
      await put(stores.accounts, { id: 'a', token: secret('former-token'), createdAt: NOW });
      const both = await openTestStores(url, { keys: keysOf(next, old) });
      const { kvTables } = both.backend;
      let isFirst = true;
      const accounts: typeof kvTables.accounts = {
        ...kvTables.accounts,
        async replace(...row) {
          // A process that has not got the new key yet is faster.
          if (isFirst) await put(stores.accounts, { id: 'a', token: secret('newer-token'), createdAt: NOW });
          isFirst = false;
          return kvTables.accounts.replace(...row);
        },
      };
      const raced = { ...both, backend: { ...both.backend, kvTables: { ...kvTables, accounts } } };
      expect(await rotateKeys(raced)).toEqual({ rotated: 1, current: 0, unreadable: 0 });
      const after = await openTestStores(url, { keys: keysOf(next) });
      expect((await after.accounts.get('a'))?.token?.reveal()).toBe('newer-token');
    });

    test('reports an outage of the server, continues otherwise, and recovers without help', async ({
      skip,
    }) => {
      const { stores } = await fresh();
      const { outage } = running;
      if (!outage) return skip('there is no server');
      await stores.probe();
      await outage.begin();
      const away = { name: 'StoreError', fault: 'unavailable' };
      await expect(putLedger(stores.ledgers, 'one', ledger(['a']))).rejects.toMatchObject(away);
      await expect(collect(stores.subscriptions.list())).rejects.toMatchObject(away);
      await expect(stores.probe()).rejects.toMatchObject(away);
      await expect(stores.lease.acquire()).rejects.toMatchObject(away);
      await outage.finish();
      await until(() => stores.probe().then(() => true), { what: 'the store to work again' });
      await putLedger(stores.ledgers, 'one', ledger(['b']));
      expect(keysIn(await stores.ledgers.read('one'))).toEqual(['b']);
    });

    test('many probes at the same time do not affect each other, and leave no rows', async () => {
      const { stores } = await fresh();
      await Promise.all(Array.from({ length: 20 }, () => stores.probe()));
      expect((await collect(stores.meta.entries('probe:'))).length).toBe(0);
    });

    test('has one holder at a time, and each next one has a higher number', async () => {
      const { url, stores: first } = await fresh();
      const second = await openTestStores(url);
      expect(await first.lease.acquire()).toEqual({ fence: 1 });
      expect(await first.lease.acquire()).toEqual({ fence: 1 });
      const refused = await second.lease.acquire();
      expect(refused).toEqual({ holder: expect.stringContaining(`process ${process.pid} on `) });
      expect(await second.lease.held()).toBe(false);
      expect(await first.lease.held()).toBe(true);
      await first.lease.release();
      expect(await first.lease.held()).toBe(false);
      expect(await second.lease.acquire()).toEqual({ fence: 2 });
      expect(await first.lease.renew()).toBe(false);
    });

    test('gives the lease to one of many that ask at the same time', async () => {
      const { url } = await fresh();
      const all = await Promise.all(Array.from({ length: 5 }, () => openTestStores(url)));
      const answers = await Promise.all(all.map((one) => one.lease.acquire()));
      expect(answers.filter((one) => 'fence' in one)).toHaveLength(1);
    });

    test('refuses ledger writes of a holder that was replaced, however late they come', async () => {
      const { url, stores: sleeper } = await fresh({ lease: { ttlMs: 1 } });
      await sleeper.lease.acquire();
      await putLedger(sleeper.ledgers, 'one', ledger(['mine']));
      sleeper.clock.at += 10;
      const next = await openTestStores(url, { clock: sleeper.clock });
      await expect.poll(async () => 'fence' in (await next.lease.acquire())).toBe(true);
      await putLedger(next.ledgers, 'one', ledger(['theirs']));
      await expect(putLedger(sleeper.ledgers, 'one', ledger(['stale']))).rejects.toMatchObject({
        fault: 'lost',
      });
      expect(keysIn(await next.ledgers.read('one'))).toEqual(['theirs']);
      expect(await sleeper.lease.held()).toBe(false);
    });
  });
}
