// Reports of the services: the list, the fate of a posting, and what a filter would find.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { parseFilter } from '../../src/domain/filter.js';
import type { Draft } from '../../src/ports/services.js';
import { createAdminService } from '../../src/services/admin.js';
import { DAY, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';

let lab: Lab;
const alice = { account: 'alice' };
const draft = (more: Partial<Draft> = {}): Draft => ({
  filter: { tags: ['rust'] },
  destination: { sink: 'capture', target: 'one' },
  ...more,
});
beforeEach(async () => {
  lab = await openLab({ jobs: [job(1), job(2, { title: 'Intern' })] });
});
afterEach(() => lab.close());

/** A subscription of Alice. */
async function subscribed(more: Partial<Draft> = {}, caller: { account: string } = alice): Promise<string> {
  const { report } = await lab.services.subscribe(caller, draft(more));
  return report.subscription.id;
}

describe('reports', () => {
  test("list one's own subscriptions, oldest first, each with its state", async () => {
    const first = await subscribed();
    lab.clock.advance(MINUTE);
    const second = await subscribed({
      destination: { sink: 'capture', target: 'two', cadence: { weekly: 'monday' } },
    });
    await lab.services.pause(alice, first);
    const reports = await lab.services.subscriptions(alice);
    expect(reports.map(({ subscription, state }) => [subscription.id, state])).toEqual([
      [first, 'paused'],
      [second, 'active'],
    ]);
    expect(reports[0]).not.toHaveProperty('nextPollAt');
    expect(reports[1]?.nextEditionAt).toBe(Date.UTC(2026, 10, 23, 9));
    await lab.post(job(3), job(4));
    await lab.poll(second);
    expect((await lab.services.subscription(alice, second)).owed).toBe(2);
  });

  test('name a destination that gets nothing, with the reason and the time of the next attempt', async () => {
    const id = await subscribed();
    const now = async () => {
      const { state, stuck } = await lab.services.subscription(alice, id);
      const admin = createAdminService(lab.p, lab.scheduler, { days: () => [] } as never, lab.services);
      const { subscriptions } = await admin.overview();
      // The owner sees the same as the operator's counts and lists.
      expect(subscriptions[state]).toBe(1);
      expect((await admin.subscriptions({ state })).rows.map((row) => row.stuck)).toEqual([stuck]);
      return { state, stuck: stuck.map(({ destination: _one, ...rest }) => rest) };
    };
    expect(await now()).toEqual({ state: 'active', stuck: [] });
    lab.sink.script('one', new DeliveryError('outage', 'server is away', { retryAfterMs: 60 * MINUTE }));
    await lab.post(job(3));
    await lab.poll(id);
    const waiting = await now();
    expect(waiting).toMatchObject({ state: 'waiting', stuck: [{ state: 'waiting', why: 'server is away' }] });
    expect(waiting.stuck[0]?.nextAt).toBeGreaterThan(lab.clock.now());
    lab.sink.script('one', new DeliveryError('target', 'no access'));
    await lab.advance((waiting.stuck[0]?.nextAt ?? 0) - lab.clock.now());
    expect(await now()).toMatchObject({ state: 'parked', stuck: [{ state: 'parked', why: 'no access' }] });
    await lab.services.resume(alice, id);
    await lab.settled();
    expect(await now()).toEqual({ state: 'active', stuck: [] });
    lab.sinks.delete('capture');
    expect(await now()).toMatchObject({ state: 'parked', stuck: [{ state: 'off', fix: 'sinkOff' }] });
    lab.sinks.set('capture', {
      ...lab.sink,
      obstacle: async () => ({ why: 'mail is paused', fix: 'mailPaused', until: lab.clock.now() + MINUTE }),
    });
    expect(await now()).toMatchObject({
      state: 'waiting',
      stuck: [{ fix: 'mailPaused', nextAt: lab.clock.now() + MINUTE }],
    });
  });

  test('have the time of the next digest, the earliest of several, and none without a digest', async () => {
    const report = async (...cadences: readonly object[]) => {
      const destinations = cadences.map((cadence, n) => ({
        sink: 'capture',
        target: `place ${n}`,
        ...cadence,
      }));
      await lab.add({ id: 'digest', account: 'alice', destinations });
      return (await lab.services.subscription(alice, 'digest')).nextEditionAt;
    };
    expect(await report({})).toBeUndefined();
    expect(await report({}, { cadence: { daily: '12:00' } }, { cadence: { daily: '10:00' } })).toBe(
      Date.UTC(2026, 10, 23, 10),
    );
  });

  test('name why nothing comes: the token, or else the first place that gets nothing', async () => {
    const id = await subscribed();
    const why = async () => {
      const { state, why } = await lab.services.subscription(alice, id);
      return [state, why];
    };
    expect(await why()).toEqual(['active', undefined]);
    lab.sink.script('one', new DeliveryError('target', 'no access'));
    await lab.post(job(3));
    await lab.poll(id);
    expect(await why()).toEqual(['parked', 'no access']);
    lab.front.answer({ status: 401 });
    await lab.poll(id);
    expect(await why()).toEqual(['token-rejected', expect.stringContaining('401')]);
  });

  test('show nothing of a removed subscription', async () => {
    const id = await subscribed();
    await lab.services.remove(alice, id);
    await expect(lab.services.subscription(alice, id)).rejects.toThrow('no such subscription');
    expect(await lab.services.subscriptions(alice)).toEqual([]);
  });

  test('explain a posting by key, id or link, and name every state of a destination', async () => {
    const id = await subscribed({ filter: { tags: ['rust'], exclude: ['intern'] } });
    const why = async (text: string) => {
      const { fate, by, destinations } = await lab.services.why(alice, id, text);
      return [fate, by, destinations[0]?.state];
    };
    expect(await why('1')).toEqual(['baseline', undefined, 'none']);
    expect(await why(' id:2 ')).toEqual(['filtered', 'exclude: intern', 'none']);
    expect(await why('nothing')).toEqual(['unseen', undefined, undefined]);
    await lab.post(job(3));
    await lab.poll(id);
    expect(await why('3')).toEqual(['matched', undefined, 'sent']);
    expect(await why('https://board.example/r/j3__p')).toEqual(['matched', undefined, 'sent']);
    await lab.change(id, (before) => ({
      ...before,
      destinations: before.destinations.map((one) => ({
        ...one,
        cadence: { every: 'weekly', day: 'monday', at: '09:00', timezone: 'UTC' },
      })),
    }));
    await lab.post(job(4));
    await lab.poll(id);
    expect(await why('4')).toEqual(['matched', undefined, 'owed']);
    expect(await why('https://board.example/r/j4__p')).toEqual(['matched', undefined, 'owed']);
  });
});

describe('rules', () => {
  const terms = ['level: senior', 'not company: Acme', 'rather region: EU'];

  test('answer one by one for a posting that was filtered out, and for one that was delivered', async () => {
    const id = await subscribed({ filter: { tags: ['rust'], terms } });
    await lab.post(
      job(3, { title: 'Junior Engineer', company: 'Acme', location: 'Remote' }),
      job(4, { title: 'Senior Engineer', company: 'Cobalt', location: 'Berlin' }),
    );
    await lab.poll(id);
    const answers = async (key: string) => {
      const { by, rules = [] } = await lab.services.why(alice, id, key);
      return [by, rules.map(({ rule, isMet, saw }) => [rule, isMet, saw.join()])];
    };
    expect(await answers('3')).toEqual([
      'level: senior',
      [
        ['tags: rust', true, 'rust'],
        ['level: senior', false, 'junior'],
        ['not company: Acme', false, 'Acme'],
        ['rather region: eu', undefined, 'Remote'],
      ],
    ]);
    expect(await answers('4')).toEqual([
      undefined,
      [
        ['tags: rust', true, 'rust'],
        ['level: senior', true, 'senior'],
        ['not company: Acme', true, 'Cobalt'],
        ['rather region: eu', true, 'Berlin'],
      ],
    ]);
    expect(lab.sink.messages.flatMap(({ postings }) => postings.map(({ matched }) => matched))).toEqual([
      ['rust', 'rather region: eu'],
    ]);
  });

  test('judge the time of a posting when it is found', async () => {
    const id = await subscribed({ filter: { terms: ['posted: 7'] } });
    const on = (days: number) => new Date(lab.clock.now() - days * DAY).toISOString().slice(0, 10);
    await lab.post(job(3, { postedAt: on(6) }), job(4, { postedAt: on(9) }));
    await lab.poll(id);
    expect((await lab.services.why(alice, id, '3')).fate).toBe('matched');
    expect(await lab.services.why(alice, id, '4')).toMatchObject({ fate: 'filtered', by: 'posted: 7' });
  });

  test('stay when a person changes other parts of the filter', async () => {
    const id = await subscribed({ filter: { tags: ['rust'], terms } });
    const { subscription } = await lab.services.subscription(alice, id);
    await lab.services.edit(alice, id, { filter: { ...subscription.filter, remote: true } });
    expect((await lab.services.subscription(alice, id)).subscription.filter).toEqual({
      ...subscription.filter,
      remote: true,
    });
  });
});

describe('a preview', () => {
  test('names the rule that leaves nothing over, and how many postings it costs', async () => {
    await lab.post(job(3, { title: 'Junior Engineer' }), job(4, { title: 'Junior Intern', company: 'Acme' }));
    const emptied = async (filter: object) => (await lab.services.preview(alice, filter)).emptiedBy;
    expect(await emptied({ tags: ['rust'], terms: ['words: zebra'] })).toEqual({
      rule: 'words: zebra',
      count: 4,
    });
    expect(await emptied({ terms: ['words: zebra', 'level: senior', 'words: intern'] })).toBeUndefined();
    expect(await emptied({ terms: ['rather words: zebra'] })).toBeUndefined();
    expect(await emptied({})).toBeUndefined();
  });

  test('names the rule of the API that leaves nothing over, by what was found lately', async () => {
    await subscribed({ filter: {} });
    expect(await lab.services.preview(alice, { tags: ['defi'] })).toMatchObject({
      looked: 0,
      emptiedBy: { rule: 'tags: defi', count: 2 },
    });
  });

  test('shows what matches now, what filtered the rest out, and the past weeks', async () => {
    await subscribed({ filter: {} });
    lab.clock.advance(16 * DAY);
    await lab.post(
      job(3, { title: 'Senior' }),
      job(4, { tags: ['defi'] }),
      job(5, { title: 'Another intern' }),
    );
    const [{ subscription } = { subscription: { id: '' } }] = await lab.services.subscriptions(alice);
    await lab.poll(subscription.id);
    const preview = await lab.services.preview(alice, { tags: ['rust'], exclude: ['intern'] });
    expect(preview).toMatchObject({
      about: 'filter rust',
      looked: 4,
      removedBy: [{ rule: 'exclude: intern', count: 2 }],
    });
    expect(preview.matches.map(({ key, matched }) => [key, matched])).toEqual([
      ['id:3', ['rust']],
      ['id:1', ['rust']],
    ]);
    expect(preview.weeks).toEqual([1, 0, 1]);
  });

  test('counts what each rule removes of the postings that are kept, and how many of them name no pay', async () => {
    await lab.post(
      job(3, { salary: '$50k' }),
      job(4, { salary: '$50k', title: 'Intern' }),
      job(5, { salary: '$150k' }),
      job(6, { tags: ['defi'], title: 'Intern' }),
    );
    await subscribed({ filter: {} });
    const rule = { tags: ['rust'], exclude: ['intern'], minSalary: 90_000, payUnknown: 'drop' };
    expect(await lab.services.estimate(alice, rule)).toEqual({
      perWeek: 1,
      unknown: [],
      looked: 5,
      matches: 1,
      removes: [
        { rule: 'minSalary: 90000', count: 4, payUnknown: 2 },
        { rule: 'exclude: intern', count: 2 },
      ],
    });
    expect(await lab.services.estimate(alice, { ...rule, payUnknown: 'keep' })).toMatchObject({
      removes: [
        { rule: 'exclude: intern', count: 2 },
        { rule: 'minSalary: 90000', count: 2 },
      ],
    });
  });

  test('says which rule alone leaves out everything, before it is stored', async () => {
    await lab.post(job(3, { salary: '$50k' }), job(4, { salary: '$60k' }), job(5, { salary: '$70k' }));
    await subscribed({ filter: {} });
    const former = parseFilter({ tags: ['rust'] });
    const next = { tags: ['rust'], minSalary: 150_000, payUnknown: 'drop', exclude: ['intern'] };
    const found = await lab.services.emptied(alice, former, next);
    expect(found).toMatchObject({ matches: 0, emptiedBy: { rule: 'minSalary: 150000' } });
    expect(found?.emptiedBy?.count).toBe(3);
    // What leaves something, and what was empty before, is not asked about.
    expect(await lab.services.emptied(alice, former, { tags: ['rust'] })).toBeUndefined();
    expect(await lab.services.emptied(alice, parseFilter(next), next)).toBeUndefined();
  });

  test('stores no subscription, and uses only the token of the caller', async () => {
    await lab.services.preview(alice, {});
    expect(lab.front.asked.map(({ token }) => token)).toEqual(['alice-token-0001']);
    expect(
      (await lab.rows()).filter((row) => /^(?:subscriptions|ledgers|polls|history) /u.test(row)),
    ).toEqual([]);
    expect((await lab.services.preview(alice, {})).weeks).toEqual([]);
  });

  test.each<[string, () => void | Promise<void>, string]>([
    ['no token', () => lab.stores.accounts.remove('alice'), 'no API token yet'],
    ['a refused token', () => lab.front.answer({ status: 401 }), 'no longer accepts your token'],
    [
      'a pause',
      () => lab.front.answer({ status: 429, headers: { 'retry-after': '99' } }),
      'asks for a pause',
    ],
    ['a board that is away', () => lab.front.answer({ status: 500 }), 'does not answer right now'],
  ])('%s: names the fix', async (_case, given, text) => {
    await given();
    await expect(lab.services.preview(alice, {})).rejects.toThrow(text);
  });

  test('reports all faults of the filter together', async () => {
    await expect(lab.services.preview(alice, { tags: ['x-y'], limit: -1 })).rejects.toThrow(
      /tags:.*\nlimit:/u,
    );
    expect(() => parseFilter({})).not.toThrow();
  });
});
