// Ledgers as rows, on each database: what a change reads and writes, what is known of a place, and the migration of a
// store of the former version.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_WISHES } from '../../src/domain/fit.js';
import {
  EMPTY_LEDGER,
  finish,
  type Ledger,
  type Owed,
  type RecordOptions,
  record,
} from '../../src/domain/ledger.js';
import { wantedToMove, withDestinations } from '../../src/domain/moving.js';
import { cut, settlePart } from '../../src/domain/outbox.js';
import { park } from '../../src/domain/parking.js';
import type { ListedPosting } from '../../src/domain/recognise.js';
import { type Done, linkMark, type Seen } from '../../src/domain/seen.js';
import type { LedgerStore, Wanted } from '../../src/ports/stores.js';
import type { Clock } from '../../src/ports/system.js';
import { createArchive } from '../../src/store/archive.js';
import { type Backend, type Entry, KV_TABLES } from '../../src/store/backend.js';
import { createLedgerStore } from '../../src/store/ledgers.js';
import { knownVersion } from '../../src/store/schema.js';
import { finding } from '../helpers/postings.js';
import { putLedger } from '../helpers/put.js';
import { DATABASES, daily, type RunningDatabase } from './databases.js';
import { collect, NOW, openTestStores } from './fixtures.js';

/** The ledgers of a backend that a process without a lease has opened. */
const ledgerStore = (backend: Pick<Backend, 'kvTables' | 'commit'>, clock: Clock) =>
  createLedgerStore(
    backend,
    clock,
    { fence: () => undefined },
    createArchive(backend.kvTables.history, clock),
  );

const ASKED = ['rust|||100'];
const options = (more: Partial<RecordOptions> = {}): RecordOptions => ({
  now: NOW,
  asked: ASKED,
  answered: ASKED,
  destinations: ['a'],
  newest: 0,
  reposts: false,
  ...more,
});
const found = (id: string): ListedPosting =>
  finding(id, { applyUrl: `https://acme.example/jobs/${id}` }, { by: ['rust|||1'] });

for (const database of DATABASES) {
  const name = database.missing ? `${database.name} (skipped: ${database.missing})` : database.name;
  describe.skipIf(database.missing !== undefined)(`ledgers on ${name}`, daily(database), () => {
    let running: RunningDatabase;
    beforeAll(async () => {
      running = await database.start();
    });
    afterAll(() => running?.stop());

    async function open() {
      const url = await running.freshUrl();
      const stores = await openTestStores(url);
      return { url, stores, ledgers: stores.ledgers, kvTables: stores.backend.kvTables };
    }

    /** Polls like the pipeline: reads only what must be known of these postings. */
    async function poll(
      ledgers: LedgerStore,
      ids: readonly string[],
      more: Partial<RecordOptions> = {},
      id = 's',
    ) {
      const findings = ids.map(found);
      const keys = findings.flatMap((one) => one.keys);
      const wanted = ({ recent }: Ledger): Wanted => ({ keys, entries: Object.values(recent).flat() });
      const opened = await ledgers.open(id, wanted);
      const recorded = record(opened.ledger, findings, options(more));
      expect(await opened.commit(recorded.ledger)).toBe(true);
      return recorded;
    }

    async function change(ledgers: LedgerStore, edit: (ledger: Ledger) => Ledger, id = 's') {
      const opened = await ledgers.open(id);
      return opened.commit(edit(opened.ledger));
    }

    const cutAll = (ledger: Ledger) =>
      cut(ledger, {
        subscription: 's',
        destination: 'a',
        cadence: { every: 'immediate', timezone: 'UTC' },
        slot: NOW,
        now: NOW,
        cap: 100,
        over: 'page',
        wishes: NO_WISHES,
        pack: (owed) => [owed],
      });

    test('finds seen postings by every key, however many there are', async () => {
      const { ledgers } = await open();
      await poll(
        ledgers,
        Array.from({ length: 300 }, (_, n) => String(n)),
      );
      const again = await poll(ledgers, ['7', '299', 'new'], { now: NOW + 1 });
      expect(again.fresh.map(({ posting }) => posting.id)).toEqual(['new']);
      const { seenCount, outbox, seen } = (await ledgers.read('s')) as Ledger;
      expect([seenCount, outbox.length, Object.keys(seen).length]).toEqual([301, 1, 301]);
      const opened = await ledgers.open('s', () => ({ keys: ['id:7'] }));
      expect(Object.keys(opened.ledger.seen)).toEqual(['id:7']);
      expect((await ledgers.owed('s'))?.seen).toEqual({});
    });

    test('recognizes a posting without its id by its link', async () => {
      const { ledgers } = await open();
      await poll(ledgers, ['1']);
      const [, ...weaker] = found('1').keys;
      expect(weaker.length).toBeGreaterThan(0);
      const opened = await ledgers.open('s', () => ({ keys: weaker }));
      expect(Object.keys(opened.ledger.seen)).toEqual(['id:1']);
    });

    test('refuses one of two simultaneous changes, with all its rows', async () => {
      const { ledgers } = await open();
      await poll(ledgers, ['1']);
      const [one, two] = [await ledgers.open('s'), await ledgers.open('s')];
      const plus = (ledger: Ledger, id: string) => record(ledger, [found(id)], options()).ledger;
      expect(await one.commit(plus(one.ledger, '2'))).toBe(true);
      expect(await two.commit(plus(two.ledger, '3'))).toBe(false);
      expect(Object.keys(((await ledgers.read('s')) as Ledger).seen)).toEqual(['id:1', 'id:2']);
    });

    test('stores outcomes by posting and destination, and can remove them', async () => {
      const { ledgers } = await open();
      await poll(ledgers, ['0']);
      await poll(ledgers, ['1', '2'], { destinations: ['a', 'b'] });
      const sent: Done = { at: NOW, how: 'sent' };
      await change(ledgers, (ledger) => finish(ledger, 'a', ['id:1'], sent));
      await change(ledgers, (ledger) => finish(ledger, 'b', ['id:1'], { at: NOW, how: 'dropped', why: 'x' }));
      const link = linkMark(found('1').posting.applyUrl);
      const both = { a: { ...sent, link }, b: { at: NOW, how: 'dropped', why: 'x' } };
      expect(await ledgers.outcomesOf('s', 'id:1')).toEqual(both);
      expect(((await ledgers.read('s')) as Ledger).done).toEqual({ 'id:1': both });
      const wanted = () => ({ outcomes: { keys: ['id:1', 'id:2'], destinations: ['b', 'c'] } });
      expect((await ledgers.open('s', wanted)).ledger.done).toEqual({ 'id:1': { b: both.b } });
      await change(ledgers, (ledger) => ({ ...ledger, done: { 'id:1': { b: undefined } } }));
      expect(await ledgers.outcomesOf('s', 'id:1')).toEqual({ a: both.a });
    });

    test('knows what is being sent and what was delivered at a place, by which subscription and with which link', async () => {
      const { ledgers, stores } = await open();
      await poll(ledgers, ['0']);
      await poll(ledgers, ['1', '2']);
      await change(ledgers, cutAll);
      const link = (id: string) => linkMark(found(id).posting.applyUrl);
      const at = (place: string) => ledgers.deliveredAt(place, ['id:0', 'id:1', 'id:2']);
      expect(await at('a')).toEqual(
        new Map(
          ['1', '2'].map((id) => [`id:${id}`, [{ subscription: 's', how: 'underway', link: link(id) }]]),
        ),
      );
      const [edition] = ((await ledgers.owed('s')) as Ledger).editions;
      await change(ledgers, (ledger) => settlePart(ledger, edition?.id ?? '', NOW));
      await change(ledgers, (ledger) => record(ledger, [found('1')], options({ newest: 1 })).ledger, 't');
      await change(ledgers, cutAll, 't');
      expect((await at('a')).get('id:1')).toEqual([
        { subscription: 's', how: 'sent', link: link('1') },
        { subscription: 't', how: 'underway', link: link('1') },
      ]);
      expect(await at('b')).toEqual(new Map());
      await ledgers.remove('s');
      expect((await at('a')).get('id:1')).toEqual([{ subscription: 't', how: 'underway', link: link('1') }]);
      expect((await at('a')).has('id:2')).toBe(false);
      stores.clock.at += 91 * 86_400_000;
      await stores.purge();
      expect(await at('a')).toEqual(new Map());
    });

    test('over its limit the oldest are deleted with their keys and outcomes, but none that is listed or waiting', async () => {
      const { ledgers, kvTables } = await open();
      for (let n = 0; n < 30; n++) await poll(ledgers, [String(n)], { now: NOW + n });
      const keys = Array.from({ length: 28 }, (_, n) => `id:${n + 1}`).filter((key) => key !== 'id:3');
      await change(ledgers, (ledger) => finish(ledger, 'a', keys, { at: NOW, how: 'sent' }));
      await ledgers.trim('s', 10);
      const { seen, seenCount, done } = (await ledgers.read('s')) as Ledger;
      // The third is waiting, the thirtieth is listed and waiting.
      expect(Object.keys(seen)).toEqual(['id:3', ...Array.from({ length: 9 }, (_, n) => `id:${n + 21}`)]);
      expect(seenCount).toBe(10);
      expect(Object.keys(done)).toHaveLength(8);
      const rows = await kvTables.seen.page({}, 1000);
      expect(rows.filter(([, text]) => text.includes('id:5"'))).toEqual([]);
      expect(
        (await poll(ledgers, ['29', '20'], { now: NOW + 99 })).fresh.map((one) => one.posting.id),
      ).toEqual(['20']);
    });

    test('trimming keeps what another process records meanwhile', async () => {
      const { stores, ledgers } = await open();
      for (let n = 0; n < 30; n++) await poll(ledgers, [String(n)], { now: NOW + n });
      const { backend } = stores;
      // The other process records right after the seen postings were read.
      const page: typeof backend.kvTables.seen.page = async (...range) => {
        const rows = await backend.kvTables.seen.page(...range);
        if (((await ledgers.owed('s')) as Ledger).editions.length === 0) await change(ledgers, cutAll);
        return rows;
      };
      const kvTables = { ...backend.kvTables, seen: { ...backend.kvTables.seen, page } };
      await ledgerStore({ ...backend, kvTables }, stores.clock).trim('s', 10);
      expect((await ledgers.owed('s'))?.editions).toHaveLength(1);
      expect(Object.keys(((await ledgers.read('s')) as Ledger).seen)).toHaveLength(30);
    });

    test('a removed ledger leaves no row in any table', async () => {
      const { ledgers, kvTables } = await open();
      await poll(ledgers, ['0']);
      await poll(ledgers, ['1']);
      await poll(ledgers, ['2'], { now: NOW + 86_400_000 });
      await change(ledgers, cutAll);
      expect(await kvTables.history.page({}, 10)).toHaveLength(1);
      await ledgers.remove('s');
      const rows = await Promise.all(
        KV_TABLES.filter((one) => one !== 'meta').map((one) => kvTables[one].page({}, 10)),
      );
      expect(rows.flat()).toEqual([]);
      expect(await ledgers.read('s')).toBeUndefined();
    });

    test('finds the oldest first, and everything on request', async () => {
      const { ledgers } = await open();
      for (const [id, at] of [
        ['3', NOW + 3],
        ['1', NOW + 1],
        ['2', NOW + 2],
      ] as const)
        await poll(ledgers, [id], { now: at });
      const seen = async (wanted: Wanted) => Object.keys((await ledgers.open('s', () => wanted)).ledger.seen);
      expect(await seen({ keys: ['id:3', 'id:2', 'id:1'] })).toEqual(['id:1', 'id:2', 'id:3']);
      expect(await seen({ entries: ['id:2', 'id:1', 'unknown'] })).toEqual(['id:1', 'id:2']);
      expect(await seen({ all: true })).toEqual(['id:1', 'id:2', 'id:3']);
      expect(await seen({})).toEqual([]);
    });

    test('knows whether it is new', async () => {
      const { ledgers } = await open();
      expect((await ledgers.open('s')).isNew).toBe(true);
      await poll(ledgers, ['1']);
      expect((await ledgers.open('s')).isNew).toBe(false);
    });

    test('is written only for the version of its subscription', async () => {
      const { ledgers, kvTables } = await open();
      await kvTables.subscriptions.set('s', { value: 'any' });
      const { version } = await kvTables.subscriptions.read('s');
      const commit = async (subscriptionVersion: number) => {
        const opened = await ledgers.open('s');
        return opened.commit({ ...opened.ledger, polledAt: NOW }, { subscriptionVersion });
      };
      expect(await commit(version + 1)).toBe(false);
      expect(await ledgers.read('s')).toBeUndefined();
      expect(await commit(version)).toBe(true);
      expect((await ledgers.read('s'))?.polledAt).toBe(NOW);
    });

    test('gives the times of the last matches', async () => {
      const { ledgers } = await open();
      for (const [id, matchedAt] of [
        ['s', 5],
        ['t', 7],
      ] as const)
        await putLedger(ledgers, id, { matchedAt });
      expect(await collect(ledgers.matchedTimes())).toEqual([
        ['s', 5],
        ['t', 7],
      ]);
    });

    test('without a match has no time of one', async () => {
      const { ledgers } = await open();
      await poll(ledgers, ['1']);
      expect(await collect(ledgers.matchedTimes())).toEqual([]);
    });

    describe('names under which postings are found', () => {
      const see = (ledger: Ledger, entries: Readonly<Record<string, Partial<Seen>>>): Ledger => {
        const added = Object.entries(entries).map(([key, entry]): [string, Seen] => [
          key,
          { at: NOW, fate: 'filtered', ...entry },
        ]);
        return { ...ledger, seen: { ...ledger.seen, ...Object.fromEntries(added) } };
      };
      const listOf = async (kvTables: Awaited<ReturnType<typeof open>>['kvTables'], name: string) =>
        (await kvTables.seen.get(`s:${name}`))?.value;

      test('list each key once, in order, whether they were read or not', async () => {
        const { ledgers, kvTables } = await open();
        await change(ledgers, (ledger) => see(ledger, { 'id:1': { like: 'x' }, 'id:2': { like: 'x' } }));
        expect(await listOf(kvTables, '=x')).toEqual(['id:1', 'id:2']);
        // Not read before.
        await change(ledgers, (ledger) => see(ledger, { 'id:3': { like: 'x' } }));
        expect(await listOf(kvTables, '=x')).toEqual(['id:1', 'id:2', 'id:3']);
        const opened = await ledgers.open('s', () => ({ likes: ['x', 'y'] }));
        expect(Object.keys(opened.ledger.seen)).toEqual(['id:1', 'id:2', 'id:3']);
        expect(
          await opened.commit(see(opened.ledger, { 'id:4': { like: 'x' }, 'id:5': { like: 'y' } })),
        ).toBe(true);
        expect(await listOf(kvTables, '=x')).toEqual(['id:1', 'id:2', 'id:3', 'id:4']);
        expect(await listOf(kvTables, '=y')).toEqual(['id:5']);
      });

      test('are written only when a posting gets one', async () => {
        const { ledgers, kvTables } = await open();
        await change(ledgers, (ledger) => see(ledger, { 'id:1': { like: 'x', alias: ['a'] } }));
        const versions = async () =>
          new Map(
            [...(await kvTables.seen.readMany(['s:id:1', 's:=x', 's:>a', 's:>b']))].map(
              ([key, { version }]) => [key, version],
            ),
          );
        const before = await versions();
        const opened = await ledgers.open('s', () => ({ all: true }));
        expect(await opened.commit(see(opened.ledger, { 'id:1': { like: 'x', alias: ['a', 'b'] } }))).toBe(
          true,
        );
        const after = await versions();
        expect([after.get('s:=x'), after.get('s:>a')]).toEqual([before.get('s:=x'), before.get('s:>a')]);
        expect(after.get('s:id:1')).not.toBe(before.get('s:id:1'));
        expect(await listOf(kvTables, '>b')).toEqual(['id:1']);
        // A change of something else writes none of them.
        const next = await ledgers.open('s', () => ({ all: true }));
        expect(await next.commit({ ...next.ledger, polledAt: NOW })).toBe(true);
        expect(await versions()).toEqual(after);
      });

      test('list the newest fifty', async () => {
        const { ledgers, kvTables } = await open();
        const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`id:${n}`, { like: 'x' }]));
        await change(ledgers, (ledger) => see(ledger, many));
        expect(await listOf(kvTables, '=x')).toEqual(Object.keys(many).slice(10));
      });

      test('lose the keys that are trimmed, and are deleted with the last one', async () => {
        const { ledgers, kvTables } = await open();
        await change(ledgers, (ledger) =>
          see(ledger, {
            'id:1': { at: NOW, like: 'x', alias: ['old'] },
            'id:2': { at: NOW + 1, like: 'x', alias: ['older'] },
            'id:3': { at: NOW + 2, like: 'x', alias: ['new'] },
          }),
        );
        await ledgers.trim('s', 2);
        expect(await listOf(kvTables, '=x')).toEqual(['id:2', 'id:3']);
        expect(await listOf(kvTables, '>old')).toBeUndefined();
        expect([await listOf(kvTables, '>older'), await listOf(kvTables, '>new')]).toEqual([
          ['id:2'],
          ['id:3'],
        ]);
      });
    });

    test('subscriptions do not see each other, whatever their names', async () => {
      const { ledgers } = await open();
      const ids = ['s', 'sa', 's:a', 's:', 's;'];
      for (const [n, id] of ids.entries())
        await change(
          ledgers,
          (ledger) => record(ledger, [found(String(n))], options({ newest: 1 })).ledger,
          id,
        );
      for (const [n, id] of ids.entries())
        await change(ledgers, (ledger) => finish(ledger, 'a', [`id:${n}`], { at: NOW, how: 'sent' }), id);
      const keys = async (id: string) => {
        const { seen, done } = (await ledgers.read(id)) as Ledger;
        return [...Object.keys(seen), ...Object.keys(done)];
      };
      for (const [n, id] of ids.entries()) expect(await keys(id)).toEqual([`id:${n}`, `id:${n}`]);
      await ledgers.trim('s', 0);
      await ledgers.remove('s:');
      for (const [n, id] of ids.entries())
        if (id !== 's' && id !== 's:') expect(await keys(id)).toEqual([`id:${n}`, `id:${n}`]);
    });

    test('trimming a ledger that does not exist creates none', async () => {
      const { ledgers } = await open();
      await ledgers.trim('s', 1);
      expect(await ledgers.read('s')).toBeUndefined();
    });

    test('shows what each subscription owes, where, and what is parked', async () => {
      const { ledgers } = await open();
      const waiting = { destination: 'a', postings: 2, oldest: NOW };
      const owes = async () => ({
        s: (await ledgers.backlogs(['s', 'unknown'])).get('s'),
        all: await collect(ledgers.allBacklogs()),
        a: await ledgers.waitingAt('a'),
        b: await ledgers.waitingAt('b'),
        parked: await ledgers.parked(),
      });
      const nothing = { s: undefined, all: [], a: [], b: [], parked: [] };
      expect(await owes()).toEqual(nothing);
      await poll(ledgers, ['0']);
      expect(await ledgers.backlogs(['s'])).toEqual(new Map());
      await poll(ledgers, ['1', '2']);
      const first = { postings: 2, places: [waiting], oldest: NOW };
      expect(await owes()).toEqual({ ...nothing, s: first, all: [['s', first]], a: ['s'] });
      // Parked, with the same postings.
      await change(ledgers, (ledger) => park(ledger, 'a', { why: 'gone' }, NOW, undefined));
      expect(await owes()).toMatchObject({
        s: { places: [{ destination: 'a', parked: {} }] },
        a: ['s'],
        parked: ['s'],
      });
      await change(ledgers, (ledger) => ({ ...ledger, parked: {} }));
      expect(await owes()).toEqual({ ...nothing, s: first, all: [['s', first]], a: ['s'] });
      await change(ledgers, (ledger) => finish(ledger, 'a', ['id:1', 'id:2'], { at: NOW, how: 'sent' }));
      expect(await owes()).toEqual(nothing);
    });

    test('an index row that need not change is not written', async () => {
      const { ledgers, kvTables } = await open();
      await poll(ledgers, ['0']);
      await poll(ledgers, ['1', '2']);
      const versions = async () =>
        [...(await kvTables.lookups.readMany(['owes:s', 'waits:a:s']))].map(([key, { version }]) => [
          key,
          version,
        ]);
      const before = await versions();
      expect(before).toHaveLength(2);
      await change(ledgers, (ledger) => ({ ...ledger, polledAt: NOW + 1 }));
      await change(ledgers, (ledger) => ({ ...ledger, outbox: [...ledger.outbox] }));
      expect(await versions()).toEqual(before);
      await poll(ledgers, ['3']);
      await change(ledgers, (ledger) => finish(ledger, 'a', ['id:1'], { at: NOW, how: 'sent' }));
      expect(await versions()).toEqual(before);
      await change(ledgers, (ledger) => finish(ledger, 'a', ['id:2', 'id:3'], { at: NOW, how: 'sent' }));
      expect(await versions()).toEqual([]);
    });

    test('a place keeps what is still being sent, what was sent or told, and forgets what was dropped', async () => {
      const { ledgers, stores } = await open();
      await poll(ledgers, ['0']);
      await poll(ledgers, ['1', '2', '3', '4']);
      await change(ledgers, (ledger) =>
        cut(ledger, {
          subscription: 's',
          destination: 'a',
          cadence: { every: 'immediate', timezone: 'UTC' },
          slot: NOW,
          now: NOW,
          cap: 100,
          over: 'page',
          wishes: NO_WISHES,
          pack: (owed) => owed.map((one) => [one]),
        }),
      );
      const [edition] = ((await ledgers.owed('s')) as Ledger).editions;
      const sent = edition?.parts[0]?.[0] as string;
      await change(ledgers, (ledger) => settlePart(ledger, edition?.id ?? '', NOW));
      const at = async () =>
        new Map(
          [...(await ledgers.deliveredAt('a', ['id:1', 'id:2', 'id:3', 'id:4']))].map(([key, [one]]) => [
            key,
            one,
          ]),
        );
      const one = await at();
      expect(one.get(sent)).toMatchObject({ subscription: 's', how: 'sent' });
      expect(
        [...one.values()].map(({ how } = { subscription: '', how: 'sent', link: '' }) => how).toSorted(),
      ).toEqual(['sent', 'underway', 'underway', 'underway']);
      // The others end in three ways.
      const [told, dropped, undone] = [...one.keys()].filter((key) => key !== sent) as [
        string,
        string,
        string,
      ];
      await change(ledgers, (ledger) => ({
        ...ledger,
        editions: [],
        done: {
          ...ledger.done,
          [told]: { a: { at: NOW, how: 'more', link: 'its link' } },
          [dropped]: { a: { at: NOW, how: 'dropped' } },
        },
      }));
      const two = await at();
      expect(two.get(told)).toEqual({ subscription: 's', how: 'more', link: 'its link' });
      expect([two.has(dropped), two.has(undone), two.get(sent)?.how]).toEqual([false, false, 'sent']);
      // Kept for 90 days.
      stores.clock.at += 89 * 86_400_000;
      await stores.purge();
      expect(await at()).toEqual(two);
    });

    test('editions count as being sent without any outcome', async () => {
      const { ledgers } = await open();
      await poll(ledgers, ['0']);
      await poll(ledgers, ['1']);
      await change(ledgers, cutAll);
      const { editions } = (await ledgers.owed('s')) as Ledger;
      const here = async () => (await ledgers.deliveredAt('a', ['id:1'])).get('id:1');
      await change(ledgers, (ledger) => ({ ...ledger, editions: [] }));
      expect(await here()).toBeUndefined();
      await change(ledgers, (ledger) => ({ ...ledger, editions }));
      expect(await here()).toMatchObject([{ how: 'underway', link: linkMark(found('1').posting.applyUrl) }]);
    });

    test('an edition that waited for longer than the index keeps its postings can be given up', async () => {
      const { stores, ledgers, kvTables } = await open();
      await poll(ledgers, ['0']);
      await poll(ledgers, ['1']);
      await change(ledgers, cutAll);
      stores.clock.at += 91 * 86_400_000;
      await stores.purge();
      expect(await kvTables.delivered.page({}, 10)).toEqual([]);
      expect(await change(ledgers, (ledger) => ({ ...ledger, editions: [], outbox: [] }))).toBe(true);
      await poll(ledgers, ['2']);
      const { editions, outbox } = (await ledgers.owed('s')) as Ledger;
      expect([editions, outbox.map(({ posting }) => posting.id)]).toEqual([[], ['2']]);
    });

    describe('an outbox that is longer than a ledger keeps in its row', () => {
      const SIX = ['1', '2', '3', '4', '5', '6'];

      async function six() {
        const { stores, ledgers, kvTables } = await open();
        await poll(ledgers, ['0']);
        await poll(ledgers, SIX);
        const rows = async () => {
          const keys = (await kvTables.owed.page({}, 10)).map(([key]) => key);
          const found = await kvTables.owed.readMany(keys);
          return [...found.values()].map(({ entry, version }) => {
            const { posting } = (entry as Entry).value as Owed;
            return { id: posting.id ?? '', version };
          });
        };
        const keys = async () => (await rows()).map(({ id }) => id).toSorted();
        const waiting = async () => ((await ledgers.owed('s')) as Ledger).outbox;
        return { stores, ledgers, kvTables, rows, keys, waiting };
      }

      test('has a row for each posting, and is read whole', async () => {
        const { ledgers, kvTables, keys, waiting } = await six();
        expect(await keys()).toEqual(SIX);
        expect(JSON.stringify((await kvTables.ledgers.read('s')).entry)).not.toContain('acme.example');
        const owed = await waiting();
        expect(owed.map(({ posting }) => posting)).toEqual(
          SIX.toReversed().map((id) => expect.objectContaining({ id, applyUrl: found(id).posting.applyUrl })),
        );
        expect((await ledgers.open('s')).ledger.outbox).toEqual(owed);
        expect((await ledgers.read('s'))?.outbox).toEqual(owed);
      });

      test('gets further postings from a poll that reads only how much waits, and the others are not written again', async () => {
        const { ledgers, rows, keys, waiting } = await six();
        const [before, versions] = [await waiting(), await rows()];
        const unread = {
          postings: 6,
          oldest: NOW,
          places: [{ destination: 'a', postings: 6, oldest: NOW }],
        };
        const opened = await ledgers.open('s', (ledger) => {
          expect(ledger).toMatchObject({ outbox: [], unread });
          return { keys: found('7').keys, owed: 'count' };
        });
        expect(opened.ledger).toMatchObject({ outbox: [], unread });
        expect(await opened.commit(record(opened.ledger, [found('7')], options()).ledger)).toBe(true);
        const after = await waiting();
        expect(after.slice(0, 6)).toEqual(before);
        expect(after[6]?.posting).toMatchObject({ applyUrl: found('7').posting.applyUrl });
        expect((await rows()).filter(({ id }) => id !== '7')).toEqual(versions);
        expect(await keys()).toEqual([...SIX, '7']);
        expect((await ledgers.backlogs(['s'])).get('s')).toMatchObject({
          postings: 7,
          places: [{ destination: 'a', postings: 7 }],
        });
      });

      test('is not written when something else changes', async () => {
        const { ledgers, rows, waiting } = await six();
        const [before, versions] = [await waiting(), await rows()];
        for (const wanted of [{}, { owed: 'count' }] as const) {
          const opened = await ledgers.open('s', () => wanted);
          expect(await opened.commit({ ...opened.ledger, polledAt: NOW + 1 })).toBe(true);
        }
        expect(await waiting()).toEqual(before);
        expect(await rows()).toEqual(versions);
      });

      test('must be read before something is done with what waits', async () => {
        const { ledgers, waiting } = await six();
        const before = await waiting();
        for (const edit of [
          cutAll,
          (ledger: Ledger) => finish(ledger, 'a', ['id:3'], { at: NOW, how: 'sent' }),
        ]) {
          const { ledger, commit } = await ledgers.open('s', () => ({ owed: 'count' }));
          const { outbox } = record(ledger, [found('8')], options()).ledger;
          await expect(commit(edit({ ...ledger, outbox }))).rejects.toThrow('s: postings that wait');
        }
        expect(await waiting()).toEqual(before);
      });

      test('is moved with its outcomes', async () => {
        const { ledgers } = await six();
        await change(ledgers, (ledger) => ({ ...ledger, done: { 'id:2': { b: { at: NOW, how: 'sent' } } } }));
        const opened = await ledgers.open('s', (ledger) => wantedToMove(ledger, ['b']));
        expect(await opened.commit(withDestinations(opened.ledger, ['b'], NOW))).toBe(true);
        const { outbox, done } = (await ledgers.read('s')) as Ledger;
        expect(outbox.map(({ posting, to }) => [posting.key, to])).toEqual(
          ['6', '5', '4', '3', '1'].map((id) => [`id:${id}`, ['b']]),
        );
        expect(done['id:2']).toMatchObject({ a: { how: 'moved' }, b: { how: 'sent' } });
      });

      test('keeps a posting that replaces another in its place', async () => {
        const { ledgers, keys, waiting } = await six();
        const { title: former, ...rest } = found('3').posting;
        const replaced = (owed: Owed) =>
          owed.posting.key === 'id:3' ? { ...owed, posting: { ...rest, title: `New ${former}` } } : owed;
        await change(ledgers, (ledger) => ({ ...ledger, outbox: ledger.outbox.map(replaced) }));
        const titles = (await waiting()).map((owed) => owed.posting.title);
        expect(titles).toEqual(
          ['6', '5', '4', '3', '2', '1'].map((id) => `${id === '3' ? 'New ' : ''}${found(id).posting.title}`),
        );
        expect(await keys()).toEqual(SIX);
      });

      test('keeps two entries of one posting apart', async () => {
        const { ledgers, waiting } = await six();
        const [first] = (await waiting()) as [Owed];
        await change(ledgers, (ledger) => ({
          ...ledger,
          outbox: [...ledger.outbox, { ...first, at: NOW + 1 }],
        }));
        const later = (owed: Owed) => ({ ...owed, at: owed.at + 10 });
        await change(ledgers, (ledger) => ({ ...ledger, outbox: ledger.outbox.map(later) }));
        expect((await waiting()).map(({ at }) => at - NOW)).toEqual([10, 10, 10, 10, 10, 10, 11]);
      });

      test('keeps changed postings, and deletes the rows of those that are done', async () => {
        const { ledgers, kvTables, keys, waiting } = await six();
        const done = ['id:2', 'id:3', 'id:4', 'id:5'];
        const send = (ids: readonly string[]) =>
          change(ledgers, (ledger) => finish(ledger, 'a', ids, { at: NOW, how: 'sent' }));
        await send(done);
        expect(await keys()).toEqual(['1', '6']);
        const named = (title: string) => (ledger: Ledger) => ({
          ...ledger,
          outbox: ledger.outbox.map((owed) => ({ ...owed, posting: { ...owed.posting, title } })),
        });
        await change(ledgers, named('two'));
        expect((await waiting()).map(({ posting }) => posting.title)).toEqual(['two', 'two']);
        expect(await keys()).toEqual(['1', '6']);
        await send(['id:1']);
        await change(ledgers, named('one'));
        expect((await waiting()).map(({ posting }) => posting.title)).toEqual(['one']);
        expect(await keys()).toEqual(['6']);
        await poll(ledgers, ['7']);
        expect((await waiting()).map(({ posting }) => posting.key)).toEqual(['id:6', 'id:7']);
        await send(['id:6', 'id:7']);
        expect(await keys()).toEqual([]);
        await poll(ledgers, ['8']);
        expect(await kvTables.owed.page({}, 10)).toEqual([]);
        expect((await waiting()).map(({ posting }) => posting.key)).toEqual(['id:8']);
      });

      test('is claimed and settled with its links', async () => {
        const { ledgers, keys } = await six();
        await change(ledgers, cutAll);
        const mark = linkMark(found('4').posting.applyUrl);
        expect((await ledgers.deliveredAt('a', ['id:4'])).get('id:4')).toMatchObject([
          { how: 'underway', link: mark },
        ]);
        const edition = ((await ledgers.owed('s')) as Ledger).editions[0]?.id as string;
        await change(ledgers, (ledger) => settlePart(ledger, edition, NOW));
        expect((await ledgers.deliveredAt('a', ['id:4'])).get('id:4')).toMatchObject([
          { how: 'sent', link: mark },
        ]);
        expect(await ledgers.outcomesOf('s', 'id:4')).toMatchObject({ a: { how: 'sent', link: mark } });
        expect(await keys()).toEqual([]);
      });

      test('is read again when another process sends of it in between, and refused when a row is missing', async () => {
        const { stores, ledgers, kvTables } = await six();
        let meanwhile = async () => {};
        const owed = {
          ...kvTables.owed,
          async page(...range: Parameters<typeof kvTables.owed.page>) {
            const work = meanwhile;
            meanwhile = async () => {};
            await work();
            return kvTables.owed.page(...range);
          },
        };
        const backend = { ...stores.backend, kvTables: { ...kvTables, owed } };
        const slow = ledgerStore(backend, { now: () => NOW });
        const send = (id: string) => async () =>
          void (await change(ledgers, (ledger) =>
            finish(ledger, 'a', [`id:${id}`], { at: NOW, how: 'sent' }),
          ));
        meanwhile = send('1');
        expect((await slow.owed('s'))?.outbox).toHaveLength(5);
        meanwhile = send('2');
        expect((await slow.open('s')).ledger.outbox).toHaveLength(4);
        await kvTables.owed.delete('s:0000000003');
        for (const read of [ledgers.owed, ledgers.open, ledgers.read])
          await expect(read('s')).rejects.toMatchObject({
            name: 'StoreError',
            fault: 'corrupt',
            message: expect.stringContaining('a posting that waits is missing'),
          });
      });

      test('keeps its postings when the seen set is trimmed, and is removed with the ledger', async () => {
        const { ledgers, kvTables, waiting } = await six();
        const before = await waiting();
        await ledgers.trim('s', 1);
        expect(await waiting()).toEqual(before);
        await ledgers.remove('s');
        expect(await kvTables.owed.page({}, 10)).toEqual([]);
      });
    });

    test('migrates a store of version 5: what was kept beside ledgers is in them, what waits is rows', async () => {
      const { url, stores, ledgers, kvTables } = await open();
      await poll(ledgers, ['0']);
      await poll(ledgers, ['1', '2', '3']);
      await poll(ledgers, ['4'], {}, 't');
      await poll(ledgers, ['5'], {}, 't');
      await change(ledgers, (ledger) => ({ ...ledger, heard: { rust: 'b' } }), 't');
      const [before, other] = [await ledgers.read('s'), await ledgers.read('t')];
      // As that version stored it: the ledger lists what waits, and postings may be rows.
      const listed = async (id: string, rowsOf: (key: string) => boolean) => {
        const {
          seen: _seen,
          done: _done,
          matches: _matches,
          outbox,
          ...rest
        } = (await ledgers.read(id)) as Ledger;
        const entries = await Promise.all(
          outbox.map(async (owed, index) => {
            const { posting, ...of } = owed;
            const key = `${id}:${posting.key}`;
            await kvTables.owed.delete(`${id}:${String(index).padStart(10, '0')}`);
            if (!rowsOf(posting.key)) return owed;
            await kvTables.owed.set(key, { value: posting });
            return { ...of, row: posting.key };
          }),
        );
        await kvTables.ledgers.set(id, { value: { ...rest, outbox: entries } });
      };
      await listed('s', (key) => key !== 'id:2');
      await listed('t', () => true);
      const hour = NOW - (NOW % 3_600_000);
      const counted = { since: NOW - 9, whole: true, hours: [] };
      await kvTables.polls.set('s', { value: { heard: { rust: 'a' }, watch: { rust: 7 }, matchedAt: 5 } });
      await kvTables.polls.set('t', { value: { heard: { rust: 'former' }, matchedAt: 3 } });
      await kvTables.history.set('matches:s', { value: counted });
      await kvTables.history.set('matches:s:2026-01-01', { value: [[hour, 2]] });
      await kvTables.meta.set('schema', { value: { version: 5 } });
      await stores.close();

      // A migration that was interrupted runs again.
      for (const version of [5, undefined]) {
        const next = await openTestStores(url);
        const known = { heard: { rust: 'a' }, toldGaps: { rust: 7 }, matchedAt: 5, matches: counted };
        expect(await next.ledgers.read('s')).toEqual({ ...before, ...known });
        expect(await next.ledgers.read('t')).toEqual({ ...other, matches: undefined });
        expect(await next.ledgers.matches('s')).toEqual({ ...counted, hours: [[hour, 2]] });
        const { owed, polls, history } = next.backend.kvTables;
        expect((await owed.page({}, 10)).map(([key]) => key)).toEqual(
          ['0', '1', '2'].map((number) => `s:${number.padStart(10, '0')}`),
        );
        expect(await polls.page({}, 10)).toEqual([]);
        expect((await history.page({}, 10)).map(([key]) => key)).toEqual(['matches:s:2026-01-01']);
        if (version) await next.backend.kvTables.meta.set('schema', { value: { version } });
        await next.close();
      }
    });

    test('a change writes the same number of rows with 20 or with 2,000 seen postings', {
      tags: 'long',
    }, async () => {
      const { ledgers, kvTables } = await open();
      const written = async (work: () => Promise<unknown>) => {
        const versions = async () =>
          new Map(
            (
              await Promise.all(
                (['ledgers', 'seen', 'outcomes', 'delivered'] as const).map(async (table) => {
                  const keys = (await kvTables[table].page({}, 50_000)).map(([key]) => key);
                  const rows = await kvTables[table].readMany(keys);
                  return [...rows].map(([key, { version }]) => [`${table} ${key}`, version] as const);
                }),
              )
            ).flat(),
          );
        const before = await versions();
        await work();
        return [...(await versions())].filter(([key, version]) => before.get(key) !== version).length;
      };
      const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => String(from + n));
      await poll(ledgers, ids(0, 20));
      const few = await written(() => poll(ledgers, ['a1']));
      await poll(ledgers, ids(100, 2000));
      expect(await written(() => poll(ledgers, ['b1']))).toBe(few);
      expect(few).toBeLessThanOrEqual(2 + found('a1').keys.length);
    });

    test('migrates a store of version 2: no posting is new again, and none that waits is lost', async () => {
      const { url, stores, ledgers, kvTables } = await open();
      await poll(ledgers, ['0', '1', '2']);
      await poll(ledgers, ['3', '4', '5'], { destinations: ['a', 'b'] });
      await change(ledgers, (ledger) => finish(ledger, 'a', ['id:3'], { at: NOW, how: 'sent' }));
      await change(ledgers, cutAll);
      await change(ledgers, (ledger) => park(ledger, 'b', { why: 'gone' }, NOW, undefined));
      const before = (await ledgers.read('s')) as Ledger;
      // As the former version stored it: one record for everything, and a day of the archive in one row.
      const { done, seenCount: _count, ...rest } = before;
      const seen = Object.fromEntries(
        Object.entries(before.seen).map(([key, entry]): [string, Seen & { done?: object }] => [
          key,
          { ...entry, ...(done[key] ? { done: done[key] } : {}) },
        ]),
      );
      await ledgers.remove('s');
      await kvTables.ledgers.set('s', { value: { ...rest, seen } });
      await kvTables.ledgers.set('empty', { value: { ...EMPTY_LEDGER, done: undefined, seen: {} } });
      const archived = ['x', 'y'].map((key) => ({ at: NOW, subscription: 's', posting: found(key).posting }));
      const day = new Date(NOW).toISOString().slice(0, 10);
      await kvTables.history.set(`days:alice:${day}`, { expires: NOW + 86_400_000, value: archived });
      await kvTables.meta.set('schema', { value: { version: 2 } });
      await stores.close();

      const next = await openTestStores(url);
      const after = (await next.ledgers.read('s')) as Ledger;
      const nothingKnown = { heard: {}, toldGaps: {} };
      expect(after).toEqual({ ...before, ...nothingKnown, seenCount: 6 });
      const link = (id: string) => linkMark(found(id).posting.applyUrl);
      expect(await next.ledgers.deliveredAt('a', ['id:0', 'id:3', 'id:4'])).toEqual(
        new Map([
          ['id:3', [{ subscription: 's', how: 'sent', link: link('3') }]],
          ['id:4', [{ subscription: 's', how: 'underway', link: link('4') }]],
        ]),
      );
      expect((await poll(next.ledgers, ['0', '3', '5', 'new'], { now: NOW + 9 })).fresh).toHaveLength(1);
      expect(await next.history.archived('alice', 1, NOW)).toHaveLength(2);
      expect((await next.backend.kvTables.meta.get('schema'))?.value).toEqual({ version: knownVersion() });
    });
  });
}
