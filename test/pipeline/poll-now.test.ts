// A poll outside the schedule: which requests it makes, what it returns when some of them fail, and what it leaves to
// later polls.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountHash } from '../../src/domain/account.js';
import { FeedError, StoreError } from '../../src/domain/errors.js';
import { POLL_QUEUE, requestUnit } from '../../src/domain/request.js';
import type { Subscription } from '../../src/domain/subscription.js';
import type { PollResult } from '../../src/pipeline/poll-result.js';
import { requestJob } from '../../src/pipeline/requests.js';
import { createScheduler } from '../../src/pipeline/scheduler.js';
import type { Answer } from '../helpers/front.js';
import { HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { until } from '../helpers/until.js';

const YEARLY = '0 0 1 1 *';
const DOWN: Answer = { status: 503 };
const REFUSED: Answer = { status: 404 };
const REJECTED: Answer = { status: 403 };
/** The API names a wait of no time, so the lane does not rest. */
const THROTTLED: Answer = { status: 429, headers: { 'retry-after': '0' } };
const ALL = ['rust', 'defi', 'dao'];
const RUST = { lane: accountHash('operator'), subject: 'rust||' };
const DEFI = { ...RUST, subject: 'defi||' };
const MISSING = async () => ({ state: 'missing' }) as const;

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

const asked = () => lab.front.asked.map(({ query }) => query.tag);
/** Adds a subscription whose requests have been answered once. */
async function polled(...tags: string[]): Promise<void> {
  await lab.add({ filter: { tags }, schedule: YEARLY });
  await lab.advance(0);
  lab.front.asked.length = 0;
}
const pollNow = (signal?: AbortSignal) => lab.scheduler.pollNow('s', signal);
const errors = () => lab.logs.filter(({ level }) => level === 'error');
/** Matches a text by its beginning and a later part. */
const text = (start: string, part: string): string => expect.stringMatching(`^${start}.*${part}`);

describe('a poll of three tags', () => {
  test.each<[string, Record<string, Answer>, PollResult, string[]]>([
    ['no news', {}, { outcome: 'unchanged' }, ALL],
    [
      'a failure',
      { rust: REFUSED },
      { outcome: 'partial', why: text('1 of 3 requests failed: ', '404') },
      ALL,
    ],
    [
      'failures around an answer',
      { rust: REFUSED, dao: REFUSED },
      { outcome: 'partial', why: text('2 of 3 requests failed: ', '404') },
      ALL,
    ],
    [
      'two failures first',
      { rust: REFUSED, defi: REFUSED },
      { outcome: 'failed', why: text('', '404') },
      ['rust', 'defi'],
    ],
    [
      'a rejection after an answer and a failure',
      { defi: REFUSED, dao: REJECTED },
      { outcome: 'rejected', why: text('', '403') },
      ALL,
    ],
    [
      'a 429 after an answer',
      { defi: THROTTLED },
      { outcome: 'throttled', why: text('', '429') },
      ['rust', 'defi'],
    ],
    [
      'a 429 after a failure',
      { rust: REFUSED, defi: THROTTLED },
      { outcome: 'throttled', why: text('', '429') },
      ['rust', 'defi'],
    ],
  ])('with %s', async (_what, answers, result, made) => {
    await polled(...ALL);
    for (const [tag, answer] of Object.entries(answers)) lab.front.answer(answer, tag);
    expect(await pollNow()).toEqual(result);
    expect(asked()).toEqual(made);
  });

  test('makes no further request when the person gives up during one', async () => {
    await polled(...ALL);
    const release = lab.front.hold();
    const gaveUp = new AbortController();
    const poll = expect(pollNow(gaveUp.signal)).rejects.toBe('gave up');
    await until(() => asked().length === 1);
    gaveUp.abort('gave up');
    await poll;
    release();
    expect([asked(), errors()]).toEqual([['rust'], []]);
  });

  test('makes no request with a rejected token', async () => {
    await polled(...ALL);
    lab.front.answer(REJECTED);
    await pollNow();
    expect(await pollNow()).toEqual({ outcome: 'rejected' });
    expect(asked()).toEqual(['rust']);
  });

  test('leaves out a request that waits after a failure until it is due, and then makes it last', async () => {
    await polled(...ALL);
    lab.front.answer(REFUSED, 'rust');
    await pollNow();
    lab.front.answer(undefined, 'rust');
    lab.front.asked.length = 0;
    expect(await pollNow()).toEqual({ outcome: 'unchanged' });
    expect(asked()).toEqual(['defi', 'dao']);
    const dueAt = (await lab.p.engine.dueAt(requestJob(RUST))) as number;
    // Only this scheduler has the later time. With the lab's clock the engine could make the request before this poll.
    const clock = { ...lab.clock, now: () => dueAt };
    const scheduler = createScheduler(
      { ...lab.p, clock },
      () => undefined,
      async () => undefined,
    );
    await scheduler.pollNow('s');
    expect(asked().slice(2)).toEqual(['defi', 'dao', 'rust']);
  });
});

describe('a poll of one request', () => {
  beforeEach(() => polled());

  test('tries four times, with growing waits', async () => {
    lab.front.answer(DOWN);
    const waits: number[] = [];
    const scheduler = createScheduler(
      lab.p,
      () => undefined,
      async (ms) => void waits.push(ms),
    );
    expect(await scheduler.pollNow('s')).toEqual({ outcome: 'failed', why: text('', '503') });
    expect(asked()).toHaveLength(4);
    // 1, 2 and 4 seconds, more or less.
    expect(waits.map((ms) => 2 ** Math.round(Math.log2(ms / 1000)))).toEqual([1, 2, 4]);
  });

  test('tries once while a person waits', async () => {
    lab.front.answer(DOWN);
    expect(await pollNow(new AbortController().signal)).toEqual({ outcome: 'failed', why: text('', '503') });
    expect(asked()).toHaveLength(1);
  });

  test('makes the request although it waits after a failure', async () => {
    lab.front.answer(REFUSED);
    await pollNow();
    lab.front.answer(undefined);
    expect(await pollNow()).toEqual({ outcome: 'unchanged' });
    expect(asked()).toHaveLength(2);
  });

  test('does not wait for a token that rests for long', async () => {
    lab.front.answer({ status: 429, headers: { 'retry-after': '1800' } });
    await pollNow();
    expect(await pollNow()).toEqual({
      outcome: 'throttled',
      why: 'The jobs API asked this token to wait.',
    });
    expect(asked()).toHaveLength(1);
  });

  test('ends when the person gives up while another request of the account is open', async () => {
    const release = lab.front.hold();
    await lab.add({ id: 'other', filter: { tags: ['rust'] } });
    lab.p.engine.look(POLL_QUEUE);
    await until(() => asked().length === 1);
    const gaveUp = new AbortController();
    const poll = expect(pollNow(gaveUp.signal)).rejects.toThrow();
    gaveUp.abort();
    await poll;
    release();
    expect(errors()).toEqual([]);
  });

  test('ends when the person gives up', async () => {
    const gaveUp = new AbortController();
    const release = lab.front.hold();
    const poll = pollNow(gaveUp.signal);
    await until(() => asked().length === 1);
    gaveUp.abort();
    release();
    expect(await poll).toEqual({ outcome: 'stopped', why: expect.any(String) });
  });

  test('that a person gave up hides no bug', async () => {
    const bug = new TypeError('a bug');
    const gaveUp = new AbortController();
    lab.p.step = () => {
      gaveUp.abort();
      throw bug;
    };
    await expect(pollNow(gaveUp.signal)).rejects.toBe(bug);
    expect(errors()).toMatchObject([{ message: 'poll failed because of a bug', fields: { err: bug } }]);
  });

  test('leaves the answer to the queue when the person gives up after it came', async () => {
    await lab.post(job(2));
    const gaveUp = new AbortController();
    lab.p.step = (step) => step === 'poll.answered' && gaveUp.abort();
    await expect(pollNow(gaveUp.signal)).rejects.toThrow();
    expect(errors()).toEqual([]);
    const seen = async () => Object.keys((await lab.stores.ledgers.read('s'))?.seen ?? {});
    await lab.advance(9_999);
    expect(await seen()).toEqual(['id:1']);
    await lab.advance(1);
    expect(await seen()).toEqual(expect.arrayContaining(['id:1', 'id:2']));
  });

  test('rejects with the error of the store', async () => {
    const fault = new StoreError('full', 'no room left');
    lab.broken.set('lanes.take', fault);
    await expect(pollNow()).rejects.toBe(fault);
  });

  test.each([
    ['before the request', { outcome: 'stopped', why: "the account's token is missing" }, 0],
    ['after the answer', { outcome: 'stopped' }, 1],
  ] as const)('stops when the token is removed %s', async (when, result, requests) => {
    const { tokens } = lab.p;
    const { of } = tokens;
    if (when === 'after the answer')
      lab.p.step = (step) => {
        if (step === 'poll.answered') tokens.of = MISSING;
      };
    else
      tokens.of = (account) => {
        tokens.of = MISSING;
        return of(account);
      };
    expect(await pollNow()).toEqual(result);
    expect(asked()).toHaveLength(requests);
  });
});

describe('the kept answers', () => {
  beforeEach(() => polled('rust', 'defi'));

  test('are not read again when their version is recorded', async () => {
    await lab.post(job(2));
    // The cache no longer has the answers by then.
    lab.clock.advance(2 * HOUR);
    expect(await pollNow()).toEqual({ outcome: 'recorded', matched: 1 });
    await lab.settled();
    expect(asked()).toEqual(['rust', 'defi']);
  });

  test('are requested again when they are not listings', async () => {
    await lab.post(job(2));
    const { recall } = lab.p.feed;
    const unreadable = async () => {
      Object.assign(lab.p.feed, { recall });
      throw new FeedError('malformed', 'not a listing');
    };
    Object.assign(lab.p.feed, { recall: unreadable });
    expect(await pollNow()).toEqual({ outcome: 'stopped' });
    await lab.settled();
    expect(asked()).toEqual(['rust', 'defi', 'rust', 'defi']);
    expect(lab.sink.got()).toEqual(['2']);
  });
});

describe('the plan of a subscription', () => {
  beforeEach(() => polled('rust', 'defi'));

  test('makes all its requests due now, and the engine looks for them', async () => {
    const looked: string[] = [];
    lab.p.engine.look = (queue) => void looked.push(queue);
    await lab.scheduler.plan([(await lab.stores.subscriptions.get('s')) as Subscription]);
    for (const request of [RUST, DEFI])
      expect(await lab.p.engine.dueAt(requestJob(request))).toBe(lab.clock.now());
    expect(looked).toEqual([POLL_QUEUE]);
  });

  test('has the time of its earliest request', async () => {
    const at = lab.clock.now() + 1000;
    await lab.stores.lanes.plan([{ ...requestUnit(DEFI), at }]);
    expect(await lab.nextPollAt('s')).toBe(at);
  });
});
