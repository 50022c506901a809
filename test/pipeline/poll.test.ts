// What a poll leaves besides the postings: counts, log lines, the state of the poll, and the time of each delivery.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountHash } from '../../src/domain/account.js';
import { parseFilter } from '../../src/domain/filter.js';
import { EMPTY_LEDGER, isPauseRecorded } from '../../src/domain/ledger.js';
import { park } from '../../src/domain/parking.js';
import { POLL_QUEUE } from '../../src/domain/request.js';
import { nextSlot } from '../../src/domain/schedule.js';
import type { Destination, Subscription } from '../../src/domain/subscription.js';
import { recordAnswers, rehearse } from '../../src/pipeline/poll.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { until } from '../helpers/until.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab({ jobs: [job(1), job(2)] });
});
afterEach(() => lab.close());

const owner = { account: 'operator' };
const to = (target: string) => [{ sink: 'capture', target }];
const figures = (name: string) =>
  lab.figures.filter(([one]) => one === name).map(([, labels, value]) => [...Object.values(labels), value]);
const recorded = () => lab.logs.filter(({ message }) => message === 'poll recorded');
const ledger = async (id = 's') => (await lab.stores.ledgers.owed(id)) ?? EMPTY_LEDGER;
const matches = async () => (await lab.stores.ledgers.matches('s'))?.hours.map(([, count]) => count);
const archived = async () =>
  (await lab.p.history.archived('operator', 90, lab.clock.now())).map(({ posting }) => posting.id);

/** Adds a subscription with a weekly digest, for which three postings wait. */
async function week(): Promise<Subscription> {
  const cadence = { weekly: 'monday', at: '09:00' };
  const made = await lab.add({ id: 'week', destinations: [{ ...to('week')[0], cadence }] });
  await lab.poll('week');
  await lab.post(job(3), job(4), job(5));
  await lab.poll('week');
  return made;
}

describe('a poll', () => {
  beforeEach(async () => {
    await lab.add({ filter: { include: ['zk'] } });
  });

  test('counts and logs the postings that are new', async () => {
    await lab.poll();
    expect(recorded()).toMatchObject([
      {
        level: 'info',
        fields: {
          subscription: 's',
          new: 2,
          announced: 0,
          matched: 0,
          filtered: 2,
          reposts: 0,
          baseline: true,
        },
      },
    ]);
    lab.figures.length = 0;
    await lab.post(job(3, { title: 'zk 3' }), job(4), job(5, { title: 'zk 5' }), job(6));
    await lab.poll();
    expect(figures('polls_total')).toEqual([['recorded', 1]]);
    expect(figures('postings_new_total')).toEqual([[4]]);
    expect(figures('postings_matched_total')).toEqual([[2]]);
    expect(figures('postings_filtered_total')).toEqual([[2]]);
    expect(recorded().at(-1)).toMatchObject({
      fields: { new: 4, announced: 2, matched: 2, filtered: 2, baseline: false },
    });
    expect(await matches()).toEqual([2]);
    expect((await archived()).toSorted()).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('reads only postings that it does not know', async () => {
    await lab.poll();
    lab.figures.length = 0;
    await lab.post(job(3));
    await lab.poll();
    expect(figures('feed_parsed')).toEqual([['rss', 1]]);
  });

  test('does not read the postings that wait', async () => {
    await week();
    await withFile(lab.storeUrl.replace('sqlite://', ''), (run) =>
      run("DELETE FROM owed WHERE key = 'week:0000000001'"),
    );
    await lab.post(job(6));
    expect(await lab.scheduler.pollNow('week')).toMatchObject({ outcome: 'recorded', matched: 1 });
    await expect(lab.p.ledgers.read('week')).rejects.toThrow('a posting that waits is missing');
  });

  test('reads the postings that wait when their destination was replaced', async () => {
    const made = await week();
    const replaced = made.destinations.map((one) => ({ ...one, id: 'other' }));
    await lab.stores.subscriptions.update('week', (one) => one && { ...one, destinations: replaced });
    await lab.post(job(6));
    await lab.poll('week');
    const { outbox } = await lab.p.ledgers.read('week');
    expect(outbox.map(({ posting, to }) => [posting.id, to])).toEqual(
      ['3', '4', '5', '6'].map((id) => [id, ['other']]),
    );
  });

  test('reads the postings that wait when they expire, after 30 days at a parked destination', async () => {
    const { destinations } = await week();
    const [{ id }] = destinations as [Destination];
    const now = lab.clock.now();
    await lab.p.ledgers.update('week', (before) => ({
      ledger: park(before, id, { why: 'gone' }, now, undefined),
      result: undefined,
    }));
    const waiting = async () => (await ledger('week')).outbox.map(({ posting }) => posting.id);
    lab.clock.advance(29 * DAY);
    await lab.post(job(6));
    await lab.poll('week');
    expect(await waiting()).toEqual(['3', '4', '5', '6']);
    lab.clock.advance(2 * DAY);
    await lab.post(job(7));
    await lab.poll('week');
    expect(await waiting()).toEqual(['6', '7']);
  });

  test('counts its baseline without announcing anything', async () => {
    await lab.post(job(3, { title: 'zk 3' }));
    await lab.poll();
    expect(figures('polls_total')).toEqual([['baseline', 1]]);
    expect(figures('postings_matched_total')).toEqual([[0]]);
    expect((await lab.stores.ledgers.matches('s'))?.whole).toBe(true);
    expect(await matches()).toEqual([]);
  });

  test('leaves nothing of an account that is forgotten after a first poll without postings', async () => {
    await lab.board.setJobs([]);
    await lab.poll();
    expect(await lab.p.history.events('s')).toMatchObject([{ kind: 'baseline', count: 0 }]);
    await lab.p.history.forgetAccount('operator');
    expect(await lab.p.history.events('s')).toEqual([]);
  });

  test('logs and counts nothing for an answer in which postings are only missing', async () => {
    await lab.poll();
    const [before, rows] = [recorded().length, await lab.rows()];
    await lab.board.setJobs([job(2)]);
    expect(await lab.poll()).toMatchObject({ outcome: 'recorded' });
    expect(recorded()).toHaveLength(before);
    const others = (all: readonly string[]) => all.filter((row) => /^(?:archive|counts|history)/u.test(row));
    expect(others(await lab.rows())).toEqual(others(rows));
  });

  test('counts as stopped when the subscription was removed during the request', async () => {
    await lab.poll();
    await lab.post(job(3));
    lab.figures.length = 0;
    const [versioned] = await lab.stores.subscriptions.withVersions(['s']);
    if (!versioned) throw new Error('it is not stored');
    const token = await lab.p.tokens.of('operator');
    if (token.state !== 'ok') throw new Error('there is no token');
    const query = { limit: 100 };
    const how = { account: 'operator', token: token.token, query, format: 'rss' } as const;
    const answer = await lab.p.feed.fetch(how);
    const request = { lane: accountHash('operator'), subject: '||' };
    await lab.stores.subscriptions.remove('s');
    expect(await recordAnswers(lab.p, versioned, token.token, [{ request, query, answer }])).toEqual({
      outcome: 'stopped',
    });
    expect(figures('polls_total')).toEqual([['stopped', 1]]);
    expect(figures('postings_new_total')).toEqual([]);
  });
});

describe('the ledger of a poll', () => {
  test('has the time of the last match, or that of the first poll', async () => {
    await lab.add({ filter: { include: ['zk'] } });
    await lab.poll();
    const first = lab.clock.now();
    expect((await ledger()).matchedAt).toBe(first);
    await lab.post(job(3));
    await lab.poll();
    expect((await ledger()).matchedAt).toBe(first);
    await lab.post(job(4, { title: 'zk 4' }));
    await lab.poll();
    expect((await ledger()).matchedAt).toBe(lab.clock.now());
  });

  test('has the versions of the requests that are still needed', async () => {
    await lab.add({ filter: { tags: ['rust', 'defi'] } });
    await lab.poll();
    const heard = Object.keys((await ledger()).heard ?? {});
    expect(heard.toSorted()).toEqual(['defi||', 'rust||']);
    const { 'rust||': version } = (await ledger()).heard ?? {};
    await lab.change('s', (before) => ({ ...before, filter: parseFilter({ tags: ['rust', 'dao'] }) }));
    lab.front.answer({ status: 503 }, 'rust');
    await lab.poll();
    expect((await ledger()).heard).toEqual({ 'rust||': version, 'dao||': expect.any(String) });
    expect((await ledger()).heard).not.toHaveProperty('defi||');
  });

  test('ends a pause once every request was answered after it', async () => {
    await lab.add({ filter: { tags: ['rust', 'defi'] } });
    await lab.poll();
    await lab.services.pause(owner, 's');
    const { pausedAt = 0 } = (await lab.services.subscription(owner, 's')).subscription;
    expect(isPauseRecorded(await ledger(), pausedAt)).toBe(false);
    lab.clock.advance(MINUTE);
    lab.front.answer({ status: 503 }, 'defi');
    await lab.services.resume(owner, 's');
    await lab.settled();
    await lab.post(job(3));
    await lab.poll();
    expect(isPauseRecorded(await ledger(), pausedAt)).toBe(false);
    lab.front.answer(undefined);
    lab.front.answer(undefined, 'defi');
    await lab.advance(2 * HOUR);
    expect(isPauseRecorded(await ledger(), pausedAt)).toBe(true);
    lab.figures.length = 0;
    expect(await lab.poll()).toMatchObject({ outcome: 'unchanged' });
    expect(figures('polls_total')).not.toContainEqual(['recorded', 1]);
  });
});

describe('a delivery', () => {
  const hourly = '0 * * * *';

  test('starts without a further look when a poll finds something', async () => {
    const { schedule } = await lab.add({ schedule: '*/5 * * * *' });
    await lab.poll();
    await lab.post(job(3));
    lab.clock.advance(nextSlot(schedule, lab.clock.now()) + 5 * MINUTE - lab.clock.now());
    lab.p.engine.look(POLL_QUEUE);
    await until(() => lab.sink.got().length > 0, { what: 'the delivery' });
    expect(lab.sink.got()).toEqual(['3']);
  });

  test('waits for its slot when another subscription makes the request sooner', async () => {
    await lab.add({ id: 'often', schedule: '*/5 * * * *', destinations: to('often') });
    const { schedule } = await lab.add({ id: 'hourly', schedule: hourly, destinations: to('hourly') });
    await lab.advance(0);
    await lab.advance(2 * HOUR);
    await lab.advance(6 * MINUTE);
    await lab.post(job(3));
    const slot = nextSlot(schedule, lab.clock.now());
    await lab.advance(11 * MINUTE);
    expect([lab.sink.got('often'), lab.sink.got('hourly')]).toEqual([['3'], []]);
    await lab.advance(slot - lab.clock.now() - 1);
    expect(lab.sink.got('hourly')).toEqual([]);
    await lab.advance(1);
    expect(lab.sink.got('hourly')).toEqual(['3']);
  });

  test('does not wait when the slot has passed since the request was last answered', async () => {
    await lab.add({ id: 'often', schedule: '*/5 * * * *', destinations: to('often') });
    await lab.add({ id: 'hourly', schedule: hourly, destinations: to('hourly') });
    await lab.advance(0);
    await lab.post(job(3));
    await lab.advance(2 * HOUR);
    expect([lab.sink.got('often'), lab.sink.got('hourly')]).toEqual([['3'], ['3']]);
  });

  test('does not wait when its owner asks for a poll', async () => {
    await lab.add({ schedule: '0 0 1 1 *' });
    await lab.poll();
    await lab.post(job(3));
    await lab.scheduler.pollNow('s');
    await lab.advance(0);
    expect(lab.sink.got()).toEqual(['3']);
  });

  test('does not wait when another subscription makes the request at its slot', async () => {
    await lab.add({ id: 'often', schedule: '*/5 * * * *', destinations: to('often') });
    const { schedule } = await lab.add({ id: 'hourly', schedule: hourly, destinations: to('hourly') });
    const request = { lane: accountHash('operator'), subject: '||' };
    const token = await lab.p.tokens.of('operator');
    if (token.state !== 'ok') throw new Error('there is no token');
    await lab.advance(0);
    await lab.post(job(3));
    const slot = nextSlot(schedule, lab.clock.now());
    const formerlyAt = slot - 5 * MINUTE;
    lab.clock.advance(slot - lab.clock.now());
    const query = { limit: 100 };
    const answer = await lab.p.feed.fetch({
      account: 'operator',
      token: token.token,
      query,
      format: 'rss',
      fresh: true,
    });
    const [versioned] = await lab.stores.subscriptions.withVersions(['hourly']);
    if (!versioned) throw new Error('it is not stored');
    await recordAnswers(lab.p, versioned, token.token, [{ request, query, answer, formerlyAt }]);
    await lab.advance(0);
    expect(lab.sink.got('hourly')).toEqual(['3']);
  });

  test('says since when a posting may have been there, if the service was off', async () => {
    const outbox = async () => (await lab.stores.ledgers.read('s'))?.outbox.map(({ since }) => since);
    const cadence = { weekly: 'monday', at: '09:00' };
    await lab.add({ filter: { tags: ['rust', 'defi'] }, destinations: [{ ...to('one')[0], cadence }] });
    await lab.poll();
    const first = lab.clock.now();
    await lab.post(job(3));
    await lab.poll();
    expect(await outbox()).toEqual([undefined]);
    const last = lab.clock.now();
    lab.clock.advance(MINUTE);
    await lab.restart();
    await lab.post(job(4));
    await lab.poll();
    expect(await outbox()).toEqual([undefined, last]);
    expect(last).toBeGreaterThan(first);
    await lab.post(job(5));
    await lab.poll();
    expect(await outbox()).toEqual([undefined, last, undefined]);
  });

  test('expires after 30 days for a destination whose sink is off, and not for one that gets messages', async () => {
    const cadence = { weekly: 'monday', at: '09:00' };
    const both = [
      { sink: 'capture', target: 'on', cadence },
      { sink: 'capture', target: 'off', cadence },
    ];
    await lab.add({ schedule: hourly, destinations: both });
    await lab.poll();
    await lab.post(job(3));
    await lab.poll();
    const [on, off] = (await lab.stores.subscriptions.get('s'))?.destinations ?? [];
    if (!on || !off) throw new Error('it has no destinations');
    await lab.stores.subscriptions.update(
      's',
      (one) => one && { ...one, destinations: [on, { ...off, sink: 'gone' }] },
    );
    lab.clock.advance(31 * DAY);
    await lab.post(job(4));
    await lab.scheduler.pollNow('s');
    const done = (await lab.stores.ledgers.read('s'))?.done ?? {};
    expect(done['id:3']?.[off.id]).toMatchObject({ how: 'expired' });
    expect(done['id:3']?.[on.id]?.how).not.toBe('expired');
  });
});

describe('the seen postings', () => {
  test('are trimmed when there are more than a fifth above the bound', async () => {
    await lab.add({});
    await lab.poll();
    const trims: number[] = [];
    const { trim } = lab.p.ledgers;
    Object.assign(lab.p.ledgers, {
      trim: (id: string, most: number) => {
        trims.push(most);
        return trim(id, most);
      },
    });
    const has = (seenCount: number) =>
      lab.p.ledgers.update('s', (ledger) => ({ ledger: { ...ledger, seenCount }, result: undefined }));
    await has(1199);
    await lab.post(job(3));
    await lab.poll();
    expect(trims).toEqual([]);
    await lab.post(job(4));
    await lab.poll();
    expect(trims).toEqual([1000]);
  });
});

describe('a rehearsal', () => {
  const { signal } = new AbortController();
  const stored = async () => {
    const one = await lab.stores.subscriptions.get('s');
    if (!one) throw new Error('it is not stored');
    return one;
  };

  test('finds what a poll would find, and stores nothing', async () => {
    await lab.add({ filter: { tags: ['rust', 'defi'] } });
    await lab.poll();
    await lab.post(job(3), job(4, { tags: ['defi'] }));
    const rows = await lab.rows();
    const found = await rehearse(lab.p, await stored(), signal);
    expect(found.counts).toMatchObject({ matched: 2 });
    expect(found.fresh.map(({ posting }) => posting.id).toSorted()).toEqual(['3', '4']);
    expect(found).not.toHaveProperty('why');
    const ledgers = (all: readonly string[]) => all.filter((row) => !row.startsWith('cache'));
    expect(ledgers(await lab.rows())).toEqual(ledgers(rows));
  });

  test('says which part of the requests failed, and fails when all of them do', async () => {
    await lab.add({ filter: { tags: ['rust', 'defi'] } });
    await lab.poll();
    await lab.post(job(3));
    lab.front.answer({ status: 404 }, 'defi');
    const found = await rehearse(lab.p, await stored(), signal);
    expect(found.why).toMatch(/^1 of 2 requests failed: .*404/u);
    expect(found.fresh.map(({ posting }) => posting.id)).toEqual(['3']);
    lab.front.answer({ status: 404 });
    await expect(rehearse(lab.p, await stored(), signal)).rejects.toThrow('404');
    lab.front.answer(undefined);
    await expect(rehearse(lab.p, await stored(), AbortSignal.abort())).rejects.toMatchObject({
      fault: 'aborted',
    });
  });

  test('fails without a token that works', async () => {
    await lab.add({ account: 'carol' });
    const asked = lab.front.asked.length;
    await expect(rehearse(lab.p, await stored(), signal)).rejects.toMatchObject({
      fault: 'rejected',
      message: expect.stringContaining('missing'),
    });
    expect(lab.front.asked).toHaveLength(asked);
  });
});
