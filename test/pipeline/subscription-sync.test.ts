// Stored records, the subscriptions file, and what runs: each change in one is applied to the next.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import {
  isPaused,
  parseSubscription,
  pausedFrom,
  resumedFrom,
  type Subscription,
} from '../../src/domain/subscription.js';
import { type Reconciled, reconcile } from '../../src/pipeline/reconcile.js';
import { followAccount, followChanges, forgetGone } from '../../src/pipeline/subscription-sync.js';
import { DAY, HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

function entry(id: string, more: Record<string, unknown> = {}): Subscription {
  return parseSubscription(
    { id, destinations: [{ sink: 'capture', target: id }], ...more },
    {
      origin: 'file',
      now: lab.clock.now(),
      liveSchedule: '0 * * * *',
      defaultTimezone: 'UTC',
      parseTarget: (_sink, target) => String(target),
    },
  );
}

/** What a start, and each SIGHUP, does with the file. */
async function takeFile(...entries: Subscription[]): Promise<string[]> {
  const { added, changed, removed } = await reconciled(entries);
  return [...added, ...changed, ...removed];
}

async function reconciled(entries: Subscription[], allowRemoval = false): Promise<Reconciled> {
  const report = await reconcile(lab.stores, entries, { now: lab.clock.now(), allowRemoval });
  await followChanges(lab.p, lab.scheduler);
  await lab.settled();
  return report;
}

async function allIds(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of lab.stores.subscriptions.list()) ids.push(id);
  return ids.toSorted();
}

const stored = async (id: string) => (await lab.stores.subscriptions.get(id)) as Subscription;

test('makes no further request for a new token that was already applied', async () => {
  await lab.add({ id: 'a1', account: 'alice' });
  await put(lab.stores.accounts, { id: 'alice', token: secret('alice-token-0001'), createdAt: 0 });
  await followAccount(lab.p, lab.scheduler, 'alice');
  await lab.settled();
  const asked = lab.front.asked.length;
  await followChanges(lab.p, lab.scheduler);
  await followAccount(lab.p, lab.scheduler, 'alice');
  await lab.settled();
  expect(lab.front.asked).toHaveLength(asked);
});

test('requests once what several subscriptions need with a new token', async () => {
  for (let n = 0; n < 8; n++) await lab.add({ id: `a${n}`, account: 'alice' });
  await put(lab.stores.accounts, { id: 'alice', token: secret('alice-token-0001'), createdAt: 0 });
  await followAccount(lab.p, lab.scheduler, 'alice');
  await lab.settled();
  expect(lab.front.asked.filter(({ token }) => token === 'alice-token-0001')).toHaveLength(1);
});

describe('the file', () => {
  test('adds, changes and removes its own entries, and no others', async () => {
    await lab.add({ id: 'by-command' });
    expect(await takeFile(entry('a'), entry('b'))).toEqual(['a', 'b']);
    expect(await takeFile(entry('a'), entry('b'))).toEqual([]);
    await lab.poll('b');
    expect(await takeFile(entry('a', { filter: { tags: ['rust'] } }))).toEqual(['a', 'b']);
    expect(await allIds()).toEqual(['a', 'by-command']);
    expect((await stored('a')).filter.tags).toEqual(['rust']);
  });

  test('keeps what a removed entry saw and has waiting for seven days, and continues when the entry is back', async () => {
    const weekly = { destinations: [{ sink: 'capture', target: 'b', cadence: { weekly: 'monday' } }] };
    await takeFile(entry('a'), entry('b', weekly));
    await lab.poll('b');
    await lab.post(job(2));
    await lab.poll('b');
    const before = await lab.stores.ledgers.read('b');
    expect(before?.outbox).toHaveLength(1);
    expect(await takeFile(entry('a'))).toEqual(['b']);
    expect(lab.logs.filter(({ message }) => message.startsWith('subscription removed'))).toMatchObject([
      { fields: { subscription: 'b' } },
    ]);
    await lab.post(job(3));
    await lab.restart();
    await lab.advance(6 * DAY);
    await forgetGone(lab.p);
    expect(await lab.stores.ledgers.read('b')).toEqual(before);
    expect(await takeFile(entry('a'), entry('b', weekly))).toEqual(['b']);
    await lab.advance(HOUR);
    await lab.advance(8 * DAY);
    await lab.advance(8 * DAY);
    expect(lab.sink.got('b').toSorted()).toEqual(['2', '3']);
  });

  test('leaves nothing of a removed entry after seven days, and the same entry starts again', async () => {
    await takeFile(entry('a'), entry('b'));
    await lab.poll('b');
    await takeFile(entry('a'));
    await lab.advance(8 * DAY);
    await forgetGone(lab.p);
    expect(await lab.stores.ledgers.read('b')).toBeUndefined();
    await lab.post(job(2));
    await takeFile(entry('a'), entry('b'));
    await lab.advance(HOUR);
    expect(lab.sink.got('b')).toEqual([]);
  });

  test('starts again with another account, without what waited for the former one', async () => {
    await takeFile(entry('a'), entry('b', { account: 'alice' }));
    await lab.poll('b');
    await lab.post(job(2));
    await takeFile(entry('a'));
    await takeFile(entry('a'), entry('b', { account: 'bob' }));
    await lab.advance(HOUR);
    expect(lab.sink.got('b')).toEqual([]);
  });

  test('sends what waited to the new place when an entry comes back with another one', async () => {
    const to = (target: string) => ({
      destinations: [{ sink: 'capture', target, cadence: { weekly: 'monday' } }],
    });
    await takeFile(entry('a'), entry('b', to('old')));
    await lab.poll('b');
    await lab.post(job(2));
    await lab.poll('b');
    await takeFile(entry('a'));
    await takeFile(entry('a'), entry('b', to('new')));
    await lab.advance(HOUR);
    await lab.advance(8 * DAY);
    expect([lab.sink.got('old'), lab.sink.got('new')]).toEqual([[], ['2']]);
  });

  test('removes more than five and more than a third of its entries only when allowed, and applies the rest', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);
    const entries = (of: readonly string[]) => of.map((id) => entry(id));
    await takeFile(...entries(ids(12)));
    // Five may be removed, and so may six of nineteen.
    expect(await reconciled(entries(ids(7)))).toMatchObject({
      removed: ids(12).slice(7).toSorted(),
      heldBack: [],
    });
    await takeFile(...entries(ids(18)));
    expect((await reconciled(entries(ids(12)))).removed).toHaveLength(6);
    const six = await reconciled([...entries(ids(6)), entry('new')]);
    expect(six).toEqual({
      added: ['new'],
      changed: [],
      removed: [],
      kept: [...ids(6), ...ids(12).slice(6).toSorted()],
      heldBack: ids(12).slice(6).toSorted(),
    });
    expect(await reconciled([])).toMatchObject({ removed: [], heldBack: ['new', ...ids(12)].toSorted() });
    expect((await reconciled([], true)).removed).toHaveLength(13);
    expect(await allIds()).toEqual([]);
  });

  test('does not take over an id created by a command', async () => {
    await lab.add({ id: 'a' });
    await expect(takeFile(entry('a'))).rejects.toThrow('already used by a subscription made by command');
  });

  test('neither takes over nor reverts what a command of another process has just written', async () => {
    const elsewhere = lab.stores.subscriptions;
    await put(elsewhere, { ...entry('a'), origin: 'cli' });
    await expect(takeFile(entry('a'))).rejects.toThrow('already used by a subscription made by command');
    await takeFile(entry('b'));
    await put(elsewhere, pausedFrom(await stored('b'), lab.clock.now()));
    await takeFile(entry('b', { newest: 1 }));
    expect(isPaused(await stored('b'))).toBe(true);
  });

  test('keeps the age, and reads the same from the store', async () => {
    await takeFile(entry('a', { locale: 'de', paused: true }));
    const { createdAt } = await stored('a');
    lab.clock.advance(HOUR);
    await lab.restart();
    expect(await takeFile(entry('a', { locale: 'de', paused: true }))).toEqual([]);
    expect((await stored('a')).createdAt).toBe(createdAt);
  });

  test('does not undo a pause or a resume made by a command', async () => {
    await takeFile(entry('a'));
    await lab.change('a', (before) => pausedFrom(before, lab.clock.now()));
    lab.clock.advance(HOUR);
    await takeFile(entry('a', { newest: 1 }));
    expect(isPaused(await stored('a'))).toBe(true);
    await lab.change('a', (before) => resumedFrom(before, lab.clock.now()));
    await takeFile(entry('a'));
    expect(isPaused(await stored('a'))).toBe(false);
  });

  test('pauses an entry that says so, and resumes one that no longer does', async () => {
    await takeFile(entry('a'));
    await lab.change('a', (before) => resumedFrom(pausedFrom(before, lab.clock.now()), lab.clock.now()));
    lab.clock.advance(HOUR);
    await takeFile(entry('a', { paused: true }));
    expect(isPaused(await stored('a'))).toBe(true);
    await lab.change('a', (before) => resumedFrom(before, lab.clock.now()));
    lab.clock.advance(HOUR);
    // The file still says so, but a command has resumed it since.
    await takeFile(entry('a', { paused: true }));
    expect(isPaused(await stored('a'))).toBe(false);
    await lab.change('a', (before) => pausedFrom(before, lab.clock.now()));
    lab.clock.advance(HOUR);
    await takeFile(entry('a'));
    expect(isPaused(await stored('a'))).toBe(false);
  });

  test('treats a pause in the file like any other: nothing of it is sent', async () => {
    await takeFile(entry('a'));
    await lab.poll('a');
    lab.clock.advance(HOUR);
    await takeFile(entry('a', { paused: true }));
    await lab.post(job(2));
    await lab.advance(HOUR);
    await takeFile(entry('a'));
    await lab.advance(0);
    await lab.post(job(3));
    await lab.advance(HOUR);
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['3']);
  });
});

describe('removing a record', () => {
  test('removes all its data', async () => {
    await lab.add({});
    await lab.poll();
    await lab.post(job(2));
    await lab.poll();
    const edition = lab.sink.messages[0]?.edition ?? '';
    await lab.change('s', () => undefined);
    expect(await lab.stores.ledgers.read('s')).toBeUndefined();
    expect(await lab.stores.history.events('s')).toEqual([]);
    expect(await lab.stores.history.edition(edition)).toBeUndefined();
    expect(await lab.stores.history.archived('operator', 90, lab.clock.now())).toEqual([]);
  });

  test('removes all its data during a poll and a delivery', async () => {
    await lab.add({});
    await lab.poll();
    await lab.post(job(2));
    const releases = [lab.sink.hold('one'), lab.front.hold()];
    lab.clock.advance(HOUR);
    const polled = lab.scheduler.pollNow('s');
    const removed = lab.change('s', () => undefined);
    for (const release of releases) release();
    await polled;
    await removed;
    await lab.settled();
    expect(await lab.stores.ledgers.read('s')).toBeUndefined();
    expect(await lab.stores.history.events('s')).toEqual([]);
  });
});

describe('a record that is removed while the service is down', () => {
  const naming = async () =>
    (await lab.rows()).filter((row) => /^(?:subscriptions|ledgers|polls|history|notices) /u.test(row));

  test('leaves nothing after the next start, and the others continue', async () => {
    await lab.add({});
    await lab.add({ id: 'stays', account: 'alice', destinations: [{ sink: 'capture', target: 'two' }] });
    for (const id of ['s', 'stays']) await lab.poll(id);
    await lab.post(job(2));
    for (const id of ['s', 'stays']) await lab.poll(id);
    await lab.stores.subscriptions.remove('s');
    await lab.restart();
    expect((await naming()).filter((row) => !/stays|alice/u.test(row))).toEqual([]);
    await lab.post(job(3));
    await lab.poll('stays');
    expect(lab.sink.got('two')).toEqual(['2', '3']);
  });

  test('leaves nothing if it only had a rejected token, or the ledger of its first poll', async () => {
    lab.front.answer({ status: 401 });
    await lab.add({});
    expect(await lab.poll()).toMatchObject({ outcome: 'rejected' });
    lab.front.answer(undefined);
    await lab.add({ id: 't', account: 'alice' });
    lab.crashAt('poll.recorded');
    await lab.poll('t').catch(() => undefined);
    expect(await lab.stores.ledgers.read('t')).toBeDefined();
    for (const id of ['s', 't']) await lab.stores.subscriptions.remove(id);
    await lab.restart();
    // The rejected token belongs to the account, so its row stays.
    expect((await naming()).filter((row) => !row.startsWith('notices token:'))).toEqual([]);
  });
});

test('can remove a subscription again after the store failed during the removal', async () => {
  await lab.add({ account: 'alice' });
  await lab.poll();
  for (const what of ['misc.set', 'subscriptions.remove']) {
    lab.broken.set(what, new Error('no room'));
    await expect(lab.services.remove({ account: 'alice' }, 's')).rejects.toThrow('no room');
    expect((await lab.services.subscription({ account: 'alice' }, 's')).nextPollAt).toBeDefined();
    lab.broken.clear();
  }
  await lab.services.remove({ account: 'alice' }, 's');
  await expect(lab.services.subscription({ account: 'alice' }, 's')).rejects.toThrow('no such subscription');
});

test('keeps a pause made by another process when the copy in memory is edited', async () => {
  await lab.add({ account: 'alice' });
  const { subscriptions } = lab.stores;
  await subscriptions.update('s', (before) => before && pausedFrom(before, lab.clock.now()));
  // The running service has not been notified.
  await lab.services.edit({ account: 'alice' }, 's', { locale: 'de' });
  expect(await subscriptions.get('s')).toMatchObject({ locale: 'de', pausedAt: lab.clock.now() });
});

test('does not restore what another process removed when the copy in memory is paused or edited', async () => {
  await lab.add({ account: 'alice' });
  const alice = { account: 'alice' };
  await lab.stores.subscriptions.remove('s');
  for (const press of [
    () => lab.services.pause(alice, 's'),
    () => lab.services.resume(alice, 's'),
    () => lab.services.edit(alice, 's', { locale: 'de' }),
  ])
    await expect(press()).rejects.toThrow('no such subscription');
  expect(await lab.stores.subscriptions.get('s')).toBeUndefined();
});
