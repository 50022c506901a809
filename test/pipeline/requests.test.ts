// One request: how it ends, when it is made next, what is kept for its next turn, and what is counted and logged.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountHash } from '../../src/domain/account.js';
import { MAX_LIMIT } from '../../src/domain/filter.js';
import {
  POLL_QUEUE,
  planRequest,
  type RequestRef,
  recordUnit,
  requestUnit,
} from '../../src/domain/request.js';
import { secret } from '../../src/domain/secret.js';
import { pollRequest, type RequestTurn, watchRequests } from '../../src/pipeline/requests.js';
import type { RequestState } from '../../src/ports/stores.js';
import { DAY, HOUR, job, type Lab, type LabOptions, MINUTE, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';
import { until } from '../helpers/until.js';

let lab: Lab;
const LANE = accountHash('operator');
const RUST: RequestRef = { lane: LANE, subject: 'rust||' };
const DEFI: RequestRef = { lane: LANE, subject: 'defi||' };
const ALL: RequestRef = { lane: LANE, subject: '||' };
const { signal } = new AbortController();
const to = (target: string) => [{ sink: 'capture', target }];

const open = async (options: LabOptions = {}) => {
  lab = await openLab({ jobs: [job(1), job(2)], ...options });
};
beforeEach(() => open());
afterEach(() => lab.close());

const make = (request: RequestRef = ALL, turn: Partial<RequestTurn> = {}) =>
  pollRequest(lab.p, request, { attempt: 1, signal, state: null, ...turn });
async function stateOf(request: RequestRef = ALL): Promise<RequestState> {
  const [kept] = await lab.stores.lanes.states([requestUnit(request)]);
  return (kept?.state ?? {}) as RequestState;
}
/** The state of a request that was answered, with changes. */
const stateWith = async (more: Partial<RequestState>, request: RequestRef = ALL) => ({
  ...(await stateOf(request)),
  ...more,
});
const counted = () =>
  lab.figures.filter(([name]) => name === 'polls_total').map(([, labels]) => labels.outcome);
const message = (text: string) => lab.logs.filter((one) => one.message === text);

describe('a request', () => {
  test('that is answered keeps its plan, version and times for the next turn', async () => {
    await lab.add({ schedule: '0 * * * *' });
    const { result, outcome } = await make();
    const now = lab.clock.now();
    expect(result).toEqual({ outcome: 'answered' });
    expect(outcome).toEqual({
      again: expect.any(Number),
      succeeded: true,
      rest: 0,
      state: {
        plan: planRequest('||', [(await lab.stores.subscriptions.get('s')) as never]),
        validator: expect.objectContaining({ hash: expect.any(String) }),
        answeredAt: now,
      },
    });
    lab.clock.advance(MINUTE);
    const next = await make(ALL, { state: outcome?.state });
    expect(next.result).toEqual({ outcome: 'unchanged' });
    expect(next.outcome?.state).toMatchObject({ answeredAt: now + MINUTE, formerlyAt: now });
  });

  test('counts how it ended and how long it took, unless the answer is counted where it is recorded', async () => {
    await lab.add({});
    const release = lab.front.hold();
    const made = make();
    await until(() => lab.front.asked.length === 1);
    lab.clock.advance(1500);
    release();
    const { outcome } = await made;
    expect(counted()).toEqual(['baseline']);
    expect(lab.figures.find(([name]) => name === 'poll_duration_seconds')).toEqual([
      'poll_duration_seconds',
      {},
      1.5,
    ]);
    await make(ALL, { state: outcome?.state });
    expect(counted()).toEqual(['baseline', 'unchanged']);
    lab.front.answer({ status: 503 });
    await make(ALL, { state: outcome?.state, attempt: 1 });
    await make(ALL, { state: outcome?.state, attempt: 4 });
    await make(DEFI);
    expect(counted()).toEqual(['baseline', 'unchanged', 'failed']);
    expect(message('request done')[0]).toMatchObject({
      level: 'debug',
      fields: { account: 'operator', request: '||', outcome: 'answered', seconds: 1.5 },
    });
  });

  test('rests afterwards for as long as the settings say', async () => {
    await lab.close();
    await open({ settings: { spacingMs: 700 } });
    await lab.add({});
    expect((await make()).outcome).toMatchObject({ rest: 700 });
  });

  test('that no subscription needs is not made', async () => {
    expect(await make()).toEqual({
      result: { outcome: 'idle', why: 'no subscription needs it any more' },
      outcome: undefined,
    });
    expect(lab.front.asked).toEqual([]);
  });

  test('waits while its account has no token', async () => {
    await lab.add({ account: 'carol' });
    const { result, outcome } = await make({ lane: accountHash('carol'), subject: '||' });
    expect(result).toEqual({ outcome: 'idle', why: "the account's token is missing" });
    expect(outcome).toEqual({ again: Number.POSITIVE_INFINITY, succeeded: true });
    expect(lab.front.asked).toEqual([]);
  });

  test('asks the API, not the cache, right after the end of a pause', async () => {
    await lab.close();
    await open({ cacheMs: 10 * MINUTE });
    await lab.add({});
    await lab.settled();
    await make();
    await make();
    expect(lab.front.asked).toHaveLength(1);
    await lab.change('s', (one) => ({ ...one, pausedAt: lab.clock.now() - 5, resumedAt: lab.clock.now() }));
    const asked = lab.front.asked.length;
    lab.clock.advance(MINUTE);
    await make();
    expect(lab.front.asked).toHaveLength(asked);
    await lab.change('s', (one) => ({ ...one, resumedAt: lab.clock.now() }));
    await lab.add({ id: 'other', destinations: to('other') });
    await lab.settled();
    const before = lab.front.asked.length;
    lab.clock.advance(MINUTE - 1);
    await make();
    expect(lab.front.asked).toHaveLength(before + 1);
  });

  test('throws when the store fails, so that its turn is not taken as done', async () => {
    await lab.add({});
    lab.broken.set('ledgers.open', new Error('the disk is full'));
    await expect(make()).rejects.toThrow('the disk is full');
  });

  test('is made again at once when its subscription changed while the answer was recorded', async () => {
    await lab.add({});
    const { open: openLedger } = lab.stores.ledgers;
    Object.assign(lab.stores.ledgers, {
      async open(...args: Parameters<typeof openLedger>) {
        const opened = await openLedger(...args);
        Object.assign(lab.stores.ledgers, { open: openLedger });
        await lab.stores.subscriptions.remove('s');
        return opened;
      },
    });
    const { result, outcome } = await make();
    expect(result).toEqual({ outcome: 'answered' });
    expect(outcome).toEqual({ again: 0, succeeded: true, rest: 0 });
    expect(counted()).toEqual(['stopped']);
  });

  test('is recorded by neither paused subscriptions nor those of other accounts', async () => {
    for (const [id, account] of [
      ['s', 'operator'],
      ['paused', 'operator'],
      ['moved', 'operator'],
    ] as const)
      await lab.add({ id, account, schedule: '0 0 1 1 *', destinations: to(id) });
    await lab.advance(0);
    const state = await stateOf();
    expect(state.plan?.needs?.toSorted()).toEqual(['moved', 'paused', 's']);
    await lab.stores.subscriptions.update('paused', (one) => one && { ...one, pausedAt: lab.clock.now() });
    await lab.stores.subscriptions.update('moved', (one) => one && { ...one, account: 'alice' });
    await lab.post(job(3));
    await make(ALL, { state });
    const seen = async (id: string) => Object.keys((await lab.stores.ledgers.read(id))?.seen ?? {});
    expect(await seen('s')).toContain('id:3');
    for (const id of ['paused', 'moved']) expect(await seen(id)).not.toContain('id:3');
  });
});

describe('a request that fails', () => {
  beforeEach(async () => {
    await lab.add({ schedule: '*/10 * * * *' });
    await lab.advance(0);
    lab.logs.length = 0;
  });

  test('is tried again after 1, 2 and 4 seconds, more or less', async () => {
    lab.front.answer({ status: 503 });
    for (const [attempt, ms] of [
      [1, 1000],
      [2, 2000],
      [3, 4000],
    ] as const) {
      const { result, outcome } = await make(ALL, { attempt, state: await stateOf() });
      expect(result).toEqual({ outcome: 'failed', why: expect.stringContaining('503'), retried: true });
      expect(outcome).toEqual({ again: expect.any(Number), rest: 0 });
      expect(outcome?.again).toBeGreaterThanOrEqual(0.8 * ms);
      expect(outcome?.again).toBeLessThanOrEqual(1.2 * ms);
    }
    expect(message('request failed, trying again').map(({ fields }) => fields)).toEqual(
      [1, 2, 3].map((attempt) => ({ lane: LANE, request: '||', fault: 'unavailable', status: 503, attempt })),
    );
    expect(message('poll failed')).toEqual([]);
  });

  test('counts as failed after the last try, or after the first if a person waits', async () => {
    await lab.add({ id: 'other', destinations: to('other') });
    await lab.advance(0);
    const state = { ...(await stateOf()), failures: 2 };
    lab.front.answer({ status: 503 });
    lab.logs.length = 0;
    const last = await make(ALL, { attempt: 4, state });
    expect(last.result).toEqual({ outcome: 'failed', why: expect.stringContaining('503') });
    expect(last.outcome).toMatchObject({
      succeeded: true,
      state: { ...state, failures: 3, outcome: 'unavailable', why: last.result.why },
    });
    expect(last.outcome?.again).toBeGreaterThan(30 * MINUTE);
    expect(message('poll failed')).toMatchObject([
      {
        level: 'warn',
        fields: {
          account: 'operator',
          request: '||',
          subscription: expect.stringMatching(/^(?:s|other)$/u),
          others: 1,
          fault: 'unavailable',
          status: 503,
          failures: 3,
          reason: last.result.why,
        },
      },
    ]);
    const once = await make(ALL, { attempt: 1, once: true, state });
    expect(once.result).not.toHaveProperty('retried');
    expect(once.outcome).toMatchObject({ succeeded: true });
  });

  test('names no others when one subscription needs it', async () => {
    lab.front.answer({ status: 503 });
    await make(ALL, { attempt: 4, state: await stateOf() });
    expect(message('poll failed')[0]?.fields).not.toHaveProperty('others');
    await lab.stores.subscriptions.remove('s');
    await make(ALL, { attempt: 4, state: await stateWith({ plan: (await stateOf()).plan as never }) });
  });

  test.each([
    ['a bad request', { status: 404 }, 'refused'],
    ['half a feed', { status: 200, body: '<rss><channel><item>' }, 'malformed'],
  ] as const)('is not tried again at once after %s', async (_what, answer, fault) => {
    lab.front.answer(answer);
    const { result, outcome } = await make(ALL, { state: await stateOf() });
    expect(result).toEqual({ outcome: 'failed', why: expect.any(String) });
    expect(outcome).toMatchObject({ again: 20 * MINUTE, state: { failures: 1, outcome: fault } });
  });

  test('waits at least the shortest interval', async () => {
    await lab.close();
    await open({ settings: { minPollMs: 2 * HOUR } });
    await lab.add({});
    lab.front.answer({ status: 404 });
    expect((await make()).outcome).toMatchObject({ again: 2 * HOUR });
  });

  test('makes its token rest as long as the API asks', async () => {
    const state = await stateOf();
    lab.front.answer({ status: 429, headers: { 'retry-after': '1800' } });
    const { result, outcome } = await make(ALL, { state });
    expect(result).toEqual({ outcome: 'throttled', why: expect.stringContaining('429') });
    expect(outcome).toEqual({
      again: 30 * MINUTE,
      succeeded: true,
      rest: 30 * MINUTE,
      state: { ...state, outcome: 'throttled', why: result.why },
    });
    lab.clock.advance(30 * MINUTE);
    lab.front.answer({ status: 429, headers: { 'retry-after': '2' } });
    expect((await make(ALL, { state })).outcome).toMatchObject({ again: MINUTE, rest: 2000 });
  });

  test('makes its token rest between its tries when the API throttles without a time, and for a minute after them', async () => {
    const state = await stateOf();
    lab.front.answer({ status: 429 });
    const first = await make(ALL, { state });
    expect(first.result).toMatchObject({ outcome: 'failed', retried: true });
    expect(first.outcome?.rest).toBe(first.outcome?.again);
    expect(first.outcome?.again).toBeGreaterThanOrEqual(800);
    const last = await make(ALL, { state, attempt: 4 });
    expect(last.result).toEqual({ outcome: 'throttled', why: expect.stringContaining('429') });
    expect(last.outcome).toEqual({
      again: MINUTE,
      succeeded: true,
      rest: MINUTE,
      state: { ...state, outcome: 'throttled', why: last.result.why },
    });
    expect(message('poll failed')).toEqual([]);
  });

  test('counts as stopped when the process ends', async () => {
    const { result, outcome } = await make(ALL, { signal: AbortSignal.abort(), state: await stateOf() });
    expect(result).toMatchObject({ outcome: 'stopped' });
    expect(outcome).toEqual({ again: 0, deferred: true, rest: 0 });
    expect(message('poll failed')).toEqual([]);
  });
});

describe('a token that is refused', () => {
  test('is noted at each subscription, and its owner is told once how to continue', async () => {
    await lab.add({ id: 'a', account: 'alice', destinations: to('a') });
    await lab.add({ id: 'b', account: 'alice', destinations: to('b') });
    lab.front.answer({ status: 401 });
    const request = { lane: accountHash('alice'), subject: '||' };
    const { result, outcome } = await make(request);
    expect(result).toEqual({ outcome: 'rejected', why: expect.stringContaining('401') });
    expect(outcome).toEqual({ again: Number.POSITIVE_INFINITY, succeeded: true, rest: 0 });
    for (const id of ['a', 'b'])
      expect(await lab.p.history.events(id)).toMatchObject([
        { kind: 'rejected', why: result.why, at: lab.clock.now() },
      ]);
    expect(lab.notices).toMatchObject([
      {
        kind: 'token',
        subject: 'alice',
        account: 'alice',
        subscription: expect.stringMatching(/^[ab]$/u),
        text: expect.stringMatching(/no longer accepts your token .*401.*Example Jobs.*\/token set/u),
        data: { source: 'Example Jobs' },
      },
    ]);
    expect((await make(request)).result).toEqual({ outcome: 'idle', why: "the account's token is rejected" });
  });

  test('counts as stopped when the account has another one by then, or none', async () => {
    await lab.add({ account: 'alice' });
    const request = { lane: accountHash('alice'), subject: '||' };
    lab.front.answer({ status: 401 });
    const stopped = {
      result: { outcome: 'stopped', why: 'the token changed meanwhile' },
      outcome: { again: 0, deferred: true, rest: 0 },
    };
    for (const change of [
      () => put(lab.stores.accounts, { id: 'alice', token: secret('alice-token-0002'), createdAt: 0 }),
      () => lab.stores.accounts.update('alice', (one) => one && { id: one.id, createdAt: one.createdAt }),
    ]) {
      const release = lab.front.hold();
      const asked = lab.front.asked.length;
      const made = make(request);
      await until(() => lab.front.asked.length > asked);
      await change();
      release();
      expect(await made).toEqual(stopped);
    }
    expect(lab.notices).toEqual([]);
  });
});

describe('the next time', () => {
  beforeEach(async () => {
    await lab.add({ schedule: '0 * * * *' });
    await lab.advance(0);
  });

  test('follows the most frequent schedule', async () => {
    await lab.add({ id: 'often', schedule: '*/5 * * * *', destinations: to('often') });
    await lab.add({ id: 'daily', schedule: '0 0 * * *', destinations: to('daily') });
    const { outcome } = await make();
    expect(outcome?.again).toBeGreaterThan(0);
    expect(outcome?.again).toBeLessThanOrEqual(6 * MINUTE);
  });

  test('is half an interval away, with the highest limit, until a gap is no longer watched', async () => {
    const now = lab.clock.now();
    const watched = await make(ALL, { state: await stateWith({ watchUntil: now + 1 }) });
    expect(lab.front.asked.at(-1)?.query.limit).toBe(String(MAX_LIMIT));
    expect(watched.outcome).toMatchObject({ state: { watchUntil: now + 1 } });
    expect(watched.outcome?.again).toBeLessThanOrEqual(HOUR / 2);
    expect(watched.outcome?.again).toBeGreaterThan(0);
    const over = await make(ALL, { state: await stateWith({ watchUntil: now }) });
    expect(over.outcome?.state).not.toHaveProperty('watchUntil');
  });

  test('is not sooner than the shortest interval while a gap is watched', async () => {
    await lab.close();
    await open({ settings: { minPollMs: 40 * MINUTE } });
    await lab.add({ schedule: '0 0 * * *' });
    await lab.advance(0);
    const state = await stateWith({ watchUntil: lab.clock.now() + DAY });
    const [plan] = [state.plan as NonNullable<RequestState['plan']>];
    const hourly = { ...plan, schedules: [{ ...plan.schedules[0], cron: '0 * * * *' }] };
    const { outcome } = await make(ALL, { state: { ...state, plan: hourly as typeof plan } });
    expect(outcome?.again).toBeGreaterThanOrEqual(40 * MINUTE);
  });

  test('is made sooner for the requests of a subscription in which a gap was found', async () => {
    const subscription = await lab.stores.subscriptions.get('s');
    if (!subscription) throw new Error('it is not stored');
    const now = lab.clock.now();
    const planned = await lab.nextPollAt('s');
    for (const watch of [{}, { '||': now }, { other: now + DAY }]) {
      await watchRequests(lab.p, subscription, watch);
      expect([await lab.nextPollAt('s'), (await stateOf()).watchUntil]).toEqual([planned, undefined]);
    }
    await watchRequests(lab.p, subscription, { '||': now + DAY });
    expect((await stateOf()).watchUntil).toBe(now + DAY);
    expect(await lab.nextPollAt('s')).toBe(Math.min(planned ?? 0, now + HOUR / 2));
    lab.clock.advance(-HOUR);
    const before = await lab.nextPollAt('s');
    await watchRequests(lab.p, subscription, { '||': now + DAY });
    expect(await lab.nextPollAt('s')).toBe(before);
  });

  test('is not changed for a request that is not planned', async () => {
    const subscription = await lab.stores.subscriptions.get('s');
    if (!subscription) throw new Error('it is not stored');
    const watch = { '||': lab.clock.now() + DAY };
    await lab.stores.lanes.keep([{ ...requestUnit(ALL), state: null }]);
    await watchRequests(lab.p, subscription, watch);
    expect(await stateOf()).toEqual({});
    await lab.stores.lanes.drop([requestUnit(ALL)]);
    await watchRequests(lab.p, subscription, watch);
    expect(await lab.nextPollAt('s')).toBeUndefined();
  });

  test('comes too late for an account with more requests than fit, and its owner is told', async () => {
    await lab.close();
    await open({ settings: { spacingMs: 40 * MINUTE } });
    await lab.add({ filter: { tags: ['rust', 'defi'] }, schedule: '0 * * * *' });
    await make(RUST);
    const plan = planRequest('rust||', [(await lab.stores.subscriptions.get('s')) as never]);
    const late = (ms: number) => make(RUST, { state: { plan, answeredAt: lab.clock.now() - ms } as never });
    await late(2 * HOUR);
    expect(lab.notices).toEqual([]);
    await late(2 * HOUR + 1);
    expect(lab.notices).toMatchObject([{ kind: 'load', account: 'operator', data: { requests: 2 } }]);
  });
});

describe('the answers for a subscription with two tags', () => {
  const RECORD = { queue: POLL_QUEUE, lane: LANE, unit: recordUnit('s') };
  const recordedAt = () => lab.stores.lanes.dueAt(RECORD);
  const seen = async () => Object.keys((await lab.stores.ledgers.read('s'))?.seen ?? {});

  beforeEach(async () => {
    await lab.add({ filter: { tags: ['rust', 'defi'] }, schedule: '0 0 1 1 *' });
  });

  test('are recorded together when both are due, with the answer of the first', async () => {
    await make(RUST);
    expect(await recordedAt()).toBe(lab.clock.now());
    expect(await seen()).toEqual([]);
    // The first answer waits, so the second one does too, whatever else is due.
    await lab.stores.lanes.drop([requestUnit(RUST)]);
    await make(DEFI);
    expect(await seen()).toEqual([]);
  });

  test('are recorded at once when the other is not due', async () => {
    await lab.advance(0);
    expect(await recordedAt()).toBeUndefined();
    await lab.post(job(3));
    await make(RUST, { state: await stateOf(RUST) });
    expect(await recordedAt()).toBeUndefined();
    expect(await seen()).toContain('id:3');
  });

  test('are recorded at once when the other is not planned', async () => {
    await lab.stores.lanes.drop([requestUnit(DEFI)]);
    await make(RUST);
    expect(await seen()).toContain('id:1');
  });

  test('wait ten seconds for a poll that makes all requests itself', async () => {
    await lab.advance(0);
    await lab.post(job(3));
    await make(RUST, { state: await stateOf(RUST), held: 's' });
    expect(await recordedAt()).toBe(lab.clock.now() + 10_000);
    expect(await seen()).not.toContain('id:3');
    await lab.add({ id: 'one', filter: { tags: ['rust'] }, destinations: to('one') });
    await make(RUST, { held: 's' });
    expect(await lab.stores.ledgers.read('one')).toBeDefined();
  });
});
