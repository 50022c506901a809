// What a poll makes again and again has the same hidden class each time. In Node.js 20, `{ ...a, b }` gives each object a
// separate one if `a` has no `b`, and V8 then reads every property of it the slow way. Node.js 24 does not.
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { EMPTY_LEDGER, type Ledger, record, trimmed } from '../src/domain/ledger.js';
import type { ReadPosting } from '../src/domain/posting.js';
import type { ListedPosting } from '../src/domain/recognise.js';
import { type RequestRef, requestsOf } from '../src/domain/request.js';
import { secret } from '../src/domain/secret.js';
import { openSeen } from '../src/domain/seen.js';
import { readAnswers } from '../src/pipeline/ask.js';
import { pollRequest } from '../src/pipeline/requests.js';
import type { PollRequest } from '../src/ports/feed.js';
import type { Turn } from '../src/ports/lanes.js';
import { openRss } from '../src/sources/jobs-api/rss.js';
import { openLab } from './helpers/lab.js';
import { later } from './helpers/later.js';
import { finding, readPosting } from './helpers/postings.js';
import { put, putLedger } from './helpers/put.js';
import { openTestStores, tempDir } from './store/fixtures.js';

setFlagsFromString('--allow-natives-syntax');
const haveSameClass = runInNewContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean;

/** V8 notes what a function copies only once it ran some dozen times. */
const TIMES = 50;

async function expectOneClass(make: (index: number) => object | Promise<object>): Promise<void> {
  const made: object[] = [];
  for (let index = 0; index < TIMES; index++) made.push(await make(index));
  expect(haveSameClass(made.at(-1) as object, made.at(-2) as object)).toBe(true);
}

const ITEMS = [1, 2].map((n) => `<item><guid>${n}</guid><title>Job ${n}</title></item>`);
const FEED = `<rss><channel>${ITEMS.join('')}</channel></rss>`;

test('a posting of a feed', async () => {
  const listing = openRss({ text: FEED, lossy: false });
  const wanted = new Set(listing.marks.slice(0, 1));
  await expectOneClass(async () => (await listing.read(wanted))[0] as ReadPosting);
});

test('a posting that a filter judged', async () => {
  const filter = { tags: [], include: [], exclude: [], payUnknown: 'keep', limit: 20 } as const;
  const listing = openRss({ text: FEED, lossy: false });
  const answers = {
    listings: [{ query: { limit: 20 }, subject: '||', listing }],
    answered: [],
    unchanged: [],
    unanswered: [],
    full: [],
    versions: {},
  };
  await expectOneClass(async () => (await readAnswers(filter, answers, 0)).postings[0] as ListedPosting);
});

test('a request', async () => {
  const lab = await openLab();
  later(() => lab.close());
  const [request] = requestsOf(await lab.add({})) as [RequestRef];
  await lab.settled();
  const asked = vi.spyOn(lab.p.feed, 'poll');
  const { signal } = new AbortController();
  let state: unknown = null;
  for (let index = 0; index <= TIMES; index++) {
    const { outcome } = await pollRequest(lab.p, request, { attempt: 1, signal, state });
    state = outcome?.state ?? state;
  }
  expect(asked).toHaveBeenCalledTimes(TIMES);
  await expectOneClass((index) => asked.mock.calls[index]?.[0] as PollRequest);
});

test('a posting that is kept, and what is known about it', async () => {
  const fields = { description: 'We build bridges.', title: 'Engineer' };
  await expectOneClass((index) => trimmed(readPosting(String(index), fields).posting));
  await expectOneClass((index) => {
    const seen = openSeen({});
    seen.add(['id:1', `url:https://jobs.example/${index}`], { at: index, fate: 'matched' });
    return seen.entries['id:1'] as object;
  });
});

test('a ledger after a poll, and its row', async () => {
  const { ledgers } = await openTestStores(`sqlite://${join(await tempDir(), 'store.sqlite')}`, {
    gathers: false,
  });
  const asked = ['|||100'];
  const options = { asked, answered: asked, destinations: ['a'], newest: 1, reposts: false };
  const first = record(EMPTY_LEDGER, [finding('1')], { ...options, now: 1 }).ledger;
  await putLedger(ledgers, 's', first);
  const looked: Ledger[] = [];
  await expectOneClass(async () => {
    const { ledger } = await ledgers.open('s', (row) => {
      looked.push(row);
      return { owed: 'count' };
    });
    return ledger;
  });
  await expectOneClass((index) => looked[index] as Ledger);
  await expectOneClass(
    (index) => record(looked[index] as Ledger, [finding('2')], { ...options, now: index }).ledger,
  );
});

test('a turn of a lane, and the account that it is for', async () => {
  const { accounts, lanes } = await openTestStores(`sqlite://${join(await tempDir(), 'store.sqlite')}`, {
    gathers: false,
  });
  await put(accounts, { id: 'a', createdAt: 1, token: secret('token-of-a-1234') });
  await expectOneClass(async () => (await accounts.get('a')) as object);
  await expectOneClass(async (index) => {
    await lanes.plan([{ queue: 'work', lane: 'l', unit: `u${index}`, at: 0 }]);
    const [turn] = await lanes.claim('work', 1);
    await lanes.end(turn as Turn, { attempts: 0 });
    return turn as Turn;
  });
});
