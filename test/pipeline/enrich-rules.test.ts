// The rules of a request for fields. Each test calls it directly with postings that wait, so that no other turn runs.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { accountHash } from '../../src/domain/account.js';
import { deliveryPlan } from '../../src/domain/delivery.js';
import { POLL_QUEUE, requestsOf } from '../../src/domain/request.js';
import { secret } from '../../src/domain/secret.js';
import type { Subscription } from '../../src/domain/subscription.js';
import type { Pipeline, Step } from '../../src/pipeline/context.js';
import { enrichFields, enrichNow, enrichPlans, forgetRefusal } from '../../src/pipeline/enrich.js';
import { HOUR, job, type Lab, type LabOptions, MINUTE, openLab } from '../helpers/lab.js';
import { TOKENS } from '../helpers/lab-life.js';

const SPACING_MS = 700;
const PATIENCE_MS = 10_000;

let lab: Lab;
/** Queues that the engine was told to look at. */
let looked: string[];
async function open(options: LabOptions = {}): Promise<void> {
  looked = [];
  lab = await openLab({ jobs: [job(1), job(2)], ...options });
}
beforeEach(async () => {
  // A wait before the next try has no jitter.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  await open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await lab.close();
});

/** Stores a subscription and waits for its first poll. */
async function add(entry: Record<string, unknown> = {}): Promise<Subscription> {
  const subscription = await lab.add(entry);
  await lab.settled();
  lab.front.asked.length = 0;
  return subscription;
}

/** Puts job 1 or 2 in the outbox. It waits for fields until `ms` from now; not at all when left out. */
async function owe({ id, destinations }: Subscription, n: number, ms?: number, subject = '||') {
  const at = lab.clock.now();
  const owed = {
    posting: { key: `k${n}`, title: `Job ${n}`, applyUrl: job(n).apply_url as string },
    matched: [],
    at,
    to: destinations.map((one) => one.id),
    ...(ms === undefined ? {} : { awaits: { subject, until: at + ms } }),
  };
  await lab.p.ledgers.update(id, (before) => ({
    ledger: { ...before, outbox: [...before.outbox, owed] },
    result: undefined,
  }));
}

/** The company of each posting in the outbox, or that it still waits. */
async function outbox(id = 's'): Promise<readonly string[]> {
  const { outbox = [] } = (await lab.stores.ledgers.owed(id)) ?? {};
  return outbox.map(({ awaits, posting }) => (awaits ? 'waits' : (posting.company ?? 'none')));
}

/** The pipeline with a spacing, and with an engine that makes no delivery. */
function pipeline(): Pipeline {
  const { settings, engine } = lab.p;
  return {
    ...lab.p,
    settings: { ...settings, spacingMs: SPACING_MS },
    engine: { ...engine, look: (queue) => void looked.push(queue) },
  };
}

function fields({
  attempt = 1,
  signal = new AbortController().signal,
  account = 'operator',
  p = pipeline(),
} = {}) {
  return enrichFields(p, { lane: accountHash(account), subject: '||' }, { attempt, signal });
}

const asked = () => lab.front.asked.length;
const lines = () => lab.logs.filter(({ message }) => message === 'fields were not added');

describe('a ledger plans a request', () => {
  test.each([
    ['for a posting that waits', true, [1]],
    ['for a posting that waits beside one whose time is over', true, [0, 1]],
    ['for no posting whose time is over', false, [0]],
  ])('%s', async (_what, isPlanned, times) => {
    const subscription = await add({ filter: { tags: ['defi', 'rust'] } });
    const { lane, subject } = requestsOf(subscription)[1] ?? {};
    for (const [index, ms] of times.entries()) await owe(subscription, index + 1, ms, subject);
    const at = lab.clock.now();
    expect(enrichPlans(subscription, await lab.p.ledgers.read('s'), at)).toEqual(
      isPlanned ? [{ queue: POLL_QUEUE, lane, unit: `e|${subject}`, at }] : [],
    );
  });
});

describe('a request that is answered', () => {
  test('adds the fields, makes the delivery due, and lets the lane rest', async () => {
    await owe(await add(), 2, MINUTE);
    expect(await fields()).toEqual({ rest: SPACING_MS });
    expect(await outbox()).toEqual(['Company 2']);
    expect(looked).toEqual(['deliver:capture']);
    expect(lines()).toEqual([]);
  });

  test('asks the API although the cache has an answer', async () => {
    await lab.close();
    await open({ cacheMs: HOUR });
    const subscription = await add();
    for (const n of [1, 2]) {
      await owe(subscription, n, MINUTE);
      await fields();
    }
    expect(asked()).toBe(2);
  });

  test.each<[Step, string]>([
    ['enrich.fetched', 'waits'],
    ['enrich.recorded', 'Company 2'],
  ])('reaches the step %s', async (step, left) => {
    await owe(await add(), 2, MINUTE);
    lab.crashAt(step);
    await expect(fields()).rejects.toThrow(step);
    expect(await outbox()).toEqual([left]);
  });
});

describe('a request is made', () => {
  test('as long as one posting waits', async () => {
    const a = await add({ id: 'a' });
    await owe(await add({ id: 'b' }), 1, 0);
    await owe(a, 1, 0);
    await owe(a, 2, 1);
    await fields();
    expect(asked()).toBe(1);
    expect(await outbox('a')).toEqual(['Company 1', 'Company 2']);
    expect(await outbox('b')).toEqual(['Company 1']);
  });

  test('before the minute is over, not at its end', async () => {
    await owe(await add(), 2, 0);
    await fields();
    expect(asked()).toBe(0);
    expect(await outbox()).toEqual(['none']);
  });

  test('for the subscriptions that wait, with their limit', async () => {
    const a = await add({ id: 'a', filter: { limit: 2 } });
    const b = await add({ id: 'b', filter: { limit: 5 } });
    await add({ id: 'c', filter: { limit: 7 } });
    await owe(a, 2, MINUTE);
    await owe(b, 2);
    const p = pipeline();
    const opened: string[] = [];
    const read = (id: string) => {
      opened.push(id);
      return lab.p.ledgers.read(id);
    };
    await fields({ p: { ...p, ledgers: { ...p.ledgers, read } } });
    expect(lab.front.asked).toMatchObject([{ query: { limit: '2' } }]);
    expect(opened.toSorted()).toEqual(['a', 'b']);
  });

  test('for all postings there are when one of the subscriptions has a gap', async () => {
    for (const id of ['a', 'b']) await owe(await add({ id, filter: { limit: 2 } }), 2, MINUTE);
    await lab.p.ledgers.update('b', (before) => ({
      ledger: { ...before, gaps: { '||': lab.clock.now() } },
      result: undefined,
    }));
    await fields();
    expect(lab.front.asked).toMatchObject([{ query: { limit: '100' } }]);
  });

  test.each([
    ['missing', 'carol'],
    ['rejected', 'alice'],
  ])('by no account whose token is %s', async (_state, account) => {
    await owe(await add({ account }), 2, MINUTE);
    if (account === 'alice') await lab.p.tokens.reject(account, secret(TOKENS.alice), 'no');
    await fields({ account });
    expect(asked()).toBe(0);
    expect(await outbox()).toEqual(['none']);
  });
});

describe('a request that fails', () => {
  const AFTER = { rest: SPACING_MS };
  const away = { status: 503 };

  test.each([
    ['is made again after a second', 1, MINUTE, 1000],
    ['is made again as often as the settings say', 3, MINUTE, 4000],
    ['is not made once more', 4, MINUTE, undefined],
    ['is made again before the minute is over', 1, 1001, 1000],
    ['is not made again when the minute is over', 1, 1000, undefined],
  ])('%s', async (_what, attempt, ms, again) => {
    await owe(await add(), 2, ms);
    lab.front.answer(away);
    expect(await fields({ attempt })).toEqual(again ? { again, ...AFTER } : AFTER);
    expect(asked()).toBe(1);
    expect(await outbox()).toEqual([again ? 'waits' : 'none']);
    expect(lines()).toHaveLength(again ? 0 : 1);
  });

  test.each([
    ['404', 'refused', { status: 404 }, SPACING_MS],
    ['429', 'throttled', { status: 429 }, 1000],
    ['429 and Retry-After', 'throttled', { status: 429, headers: { 'retry-after': '900' } }, 900_000],
  ])('with %s is not made again, and the lane rests', async (_what, fault, answer, rest) => {
    await owe(await add(), 2, MINUTE);
    lab.front.answer(answer);
    expect(await fields()).toEqual({ rest });
    expect(await outbox()).toEqual(['none']);
    const line = { level: 'info', fields: { request: '||', fault, reason: expect.stringMatching(/./u) } };
    expect(lines()).toMatchObject([line]);
  });

  test('because the process ends is made again at once', async () => {
    await owe(await add(), 2, MINUTE);
    expect(await fields({ signal: AbortSignal.abort() })).toEqual({ again: 0, deferred: true });
    expect(await outbox()).toEqual(['waits']);
    expect(lines()).toEqual([]);
  });

  test('because of the store is no failure of the API', async () => {
    const subscription = await add();
    await owe(subscription, 2, MINUTE);
    lab.broken.set('misc.get', new Error('no store'));
    await expect(fields()).rejects.toThrow('no store');
    await expect(enrichNow(pipeline(), subscription, PATIENCE_MS)).rejects.toThrow('no store');
    expect(await outbox()).toEqual(['waits']);
  });

  test.each([
    ['401', 'not made', { status: 401 }],
    ['404', 'not made', { status: 404 }],
    ['no JSON', 'not made', { status: 200, body: '<html></html>' }],
    ['503', 'made', away],
    ['429', 'made', { status: 429 }],
  ])('with %s: the next one is %s', async (_what, next, answer) => {
    const subscription = await add();
    lab.front.answer(answer);
    for (const n of [1, 2]) {
      await owe(subscription, n, MINUTE);
      await fields({ attempt: 4 });
    }
    expect(asked()).toBe(next === 'made' ? 2 : 1);
    expect(await outbox()).toEqual(['none', 'none']);
  });

  test('is remembered for its account, until that is forgotten', async () => {
    const accounts = ['alice', 'bob'];
    const all = await Promise.all(accounts.map((account) => lab.add({ id: account, account })));
    await lab.settled();
    lab.front.answer({ status: 403 });
    lab.front.asked.length = 0;
    const both = async () => {
      for (const one of all) {
        await owe(one, 2, MINUTE);
        await fields({ account: one.account });
      }
      return lab.front.asked.splice(0).map(({ token }) => token);
    };
    expect(await both()).toEqual([TOKENS.alice, TOKENS.bob]);
    expect(await both()).toEqual([]);
    await forgetRefusal(lab.p, 'bob');
    expect(await both()).toEqual([TOKENS.bob]);
  });
});

describe('the delivery of postings that have their fields', () => {
  test.each([
    ['is due now when it is planned for a second after the minute', MINUTE + 1000, ['deliver:capture']],
    ['waits when it is planned for a later time', MINUTE + 1001, []],
  ])('%s', async (_what, ms, queues) => {
    const subscription = await add();
    await owe(subscription, 2, MINUTE);
    const at = lab.clock.now() + ms;
    const plan = deliveryPlan(subscription, subscription.destinations[0] as never, at);
    await lab.stores.lanes.plan([plan]);
    await fields();
    expect(looked).toEqual(queues);
    expect(await lab.stores.lanes.dueAt(plan)).toBe(queues.length > 0 ? lab.clock.now() : at);
  });

  test.each([
    ['to a digest waits for its slot', {}, []],
    ['to a digest with strong matches is due', { immediateFit: 1 }, ['deliver:capture']],
  ])('%s', async (_what, more, queues) => {
    const digest = { sink: 'capture', target: 'daily', cadence: { daily: '09:00' }, ...more };
    const filter = { terms: ['rather tag: rust'] };
    await owe(await add({ filter, destinations: [digest] }), 2, MINUTE);
    await fields();
    expect(looked).toEqual(queues);
    expect(await outbox()).toEqual(['Company 2']);
  });
});

describe('a request by hand', () => {
  const lane = accountHash('operator');

  test('is made for what waits', async () => {
    const subscription = await add();
    await owe(subscription, 1);
    await owe(subscription, 2, MINUTE);
    await enrichNow(pipeline(), subscription, PATIENCE_MS);
    expect(await outbox()).toEqual(['none', 'Company 2']);
  });

  test('takes no turn when nothing waits', async () => {
    const subscription = await add();
    await owe(subscription, 1);
    await enrichNow(pipeline(), subscription, PATIENCE_MS);
    expect(await lab.stores.lanes.rests()).toEqual([]);
  });

  test.each([
    [503, SPACING_MS],
    [429, 10_000],
  ])('is made once when the API answers with %s', async (status, rest) => {
    const subscription = await add();
    await owe(subscription, 2, MINUTE);
    lab.front.answer({ status });
    await enrichNow(pipeline(), subscription, PATIENCE_MS);
    expect(asked()).toBe(1);
    expect(await outbox()).toEqual(['none']);
    const until = lab.clock.now() + rest;
    expect(await lab.stores.lanes.rests()).toEqual([{ queue: POLL_QUEUE, lane, until }]);
  });

  test('is not made while the lane rests for too long, and postings are sent as they are', async () => {
    const subscription = await add();
    await owe(subscription, 2, MINUTE);
    const until = lab.clock.now() + PATIENCE_MS + 1;
    await lab.stores.lanes.rest([{ queue: POLL_QUEUE, lane, until }]);
    await enrichNow(pipeline(), subscription, PATIENCE_MS);
    expect(asked()).toBe(0);
    expect(await outbox()).toEqual(['none']);
    expect(looked).toEqual(['deliver:capture']);
  });
});
