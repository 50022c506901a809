// Fields that the feed leaves out come from the JSON form of the listing, before postings are sent.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deliveryPlan } from '../../src/domain/delivery.js';
import type { Step } from '../../src/pipeline/context.js';
import { runCycle } from '../../src/pipeline/cycle.js';
import { cardText } from '../../src/render/discord/card.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';

const JSON_PATH = '/api/v1';
const WHOLE = { location: 'Berlin', salary: '$100k – $120k', description: '<p>We write Rust.</p>' };

let lab: Lab;
beforeEach(async () => {
  lab = await openLab({ jobs: [job(1)] });
  lab.front.isBare = true;
});
afterEach(() => lab.close());

const asked = () => lab.board.requests.filter(({ path }) => path === JSON_PATH).length;
const sent = (target?: string) =>
  lab.sink.messages
    .filter((one) => target === undefined || one.destination.target === target)
    .flatMap((one) => one.postings);

/** Polls without waiting for what follows. */
async function pollOnly(): Promise<void> {
  lab.clock.advance(MINUTE);
  await lab.scheduler.pollNow('s');
}

describe('a posting of a feed without fields', () => {
  beforeEach(async () => {
    await lab.add({ filter: { tags: ['rust'] } });
    await lab.poll();
  });

  test('is sent once, with the fields of the JSON form and the link of the feed', async () => {
    await lab.post(job(2, WHOLE));
    await lab.poll();
    expect(sent()).toMatchObject([
      { title: 'Job 2', company: 'Company 2', location: 'Berlin', tags: ['rust'], postedAt: '2026-11-20' },
    ]);
    const [posting] = sent();
    expect(posting?.applyUrl).toBe('https://board.example/r/j2__p');
    expect(posting?.key).toMatch(/^link#/u);
    const card = cardText(posting as never, { locale: 'en', source: 'x', now: lab.clock.now() });
    expect(card).toContain('**Company 2** · Berlin · $100k–120k');
    expect(asked()).toBe(1);
    for (let n = 0; n < 3; n++) await lab.advance(HOUR);
    expect(lab.sink.calls).toHaveLength(1);
    expect(asked()).toBe(1);
  });

  test('shares one request with the other new postings', async () => {
    await lab.post(job(2), job(3), job(4));
    await lab.poll();
    expect(sent().map(({ company }) => company)).toEqual(['Company 2', 'Company 3', 'Company 4']);
    expect(lab.sink.calls).toHaveLength(1);
    expect(asked()).toBe(1);
  });

  test('is sent as it is when the JSON form has two of its name and link, or none', async () => {
    const same = { title: 'Rust Dev', apply_url: 'https://acme.example/careers' };
    await lab.post(job(2, { ...same, company: 'Acme' }), job(3, { ...same, company: 'Other' }));
    await lab.poll();
    expect(sent().length).toBeGreaterThan(0);
    for (const posting of sent()) expect(posting).not.toHaveProperty('company');
  });

  test('is sent within a minute when the JSON form is slow, and does not change afterwards', async () => {
    const release = lab.front.hold(JSON_PATH);
    const before = lab.front.asked.length;
    await lab.post(job(2, WHOLE));
    await pollOnly();
    await until(() => lab.front.asked.length === before + 2, { what: 'the request for JSON' });
    lab.clock.advance(MINUTE - 1);
    lab.p.engine.look('deliver:capture');
    expect(lab.sink.calls).toEqual([]);
    lab.clock.advance(1);
    lab.p.engine.look('deliver:capture');
    await until(() => lab.sink.messages.length === 1, { what: 'the delivery' });
    release();
    await lab.settled();
    await lab.advance(HOUR);
    expect(sent()).toMatchObject([{ title: 'Job 2' }]);
    expect(sent()[0]).not.toHaveProperty('company');
    expect(lab.sink.calls).toHaveLength(1);
  });

  test('does not wait for the minute when its delivery was tried too soon', async () => {
    const release = lab.front.hold(JSON_PATH);
    await lab.post(job(2, WHOLE));
    const { now } = lab.clock;
    let ticks = 0;
    Object.assign(lab.clock, { now: () => now() + ticks++ });
    await pollOnly();
    const subscription = await lab.stores.subscriptions.get('s');
    const [destination] = subscription?.destinations ?? [];
    if (!subscription || !destination) throw new Error('it is not stored');
    const awaited = async () => (await lab.stores.ledgers.owed('s'))?.outbox[0]?.awaits?.until ?? Infinity;
    const delivery = deliveryPlan(subscription, destination, 0);
    // It waits for what was left of the minute when its turn began, counted from the end of its turn.
    await until(async () => ((await lab.stores.lanes.dueAt(delivery)) ?? 0) > (await awaited()));
    release();
    await until(() => sent().length > 0);
    expect(sent()).toMatchObject([{ title: 'Job 2', company: 'Company 2' }]);
  });

  test('that was tried without fields is repeated without them', async () => {
    const release = lab.front.hold(JSON_PATH);
    await lab.post(job(2, WHOLE));
    await pollOnly();
    await until(() => lab.front.asked.length === 3, { what: 'the request for JSON' });
    lab.sink.script('one', 'lost');
    lab.clock.advance(MINUTE);
    lab.p.engine.look('deliver:capture');
    await until(() => lab.sink.calls.length === 1, { what: 'the first attempt' });
    release();
    await lab.settled();
    await lab.advance(HOUR);
    const [first, second] = lab.sink.calls;
    expect(second).toMatchObject({ edition: first?.edition, attempt: 2 });
    expect(second?.postings).toEqual(first?.postings);
    expect(lab.sink.messages).toHaveLength(1);
  });

  test.each([
    ['429', { status: 429, headers: { 'retry-after': '900' } }],
    ['403', { status: 403 }],
    ['404', { status: 404 }],
    ['no JSON', { status: 200, body: '<html></html>' }],
  ])(
    'is sent as it is when the JSON form answers with %s, and the token stays in use',
    async (_what, answer) => {
      lab.front.answer(answer, JSON_PATH);
      await lab.post(job(2));
      await lab.poll();
      expect(sent()).toMatchObject([{ title: 'Job 2' }]);
      await lab.post(job(3));
      await lab.advance(HOUR);
      expect(sent()).toMatchObject([{ title: 'Job 2' }, { title: 'Job 3' }]);
      expect(lab.notices).toEqual([]);
    },
  );

  test('is requested again within the minute when the API fails', async () => {
    lab.front.answer({ status: 503 }, JSON_PATH);
    const before = lab.front.asked.length;
    await lab.post(job(2));
    await lab.poll();
    expect(lab.sink.calls).toEqual([]);
    lab.front.answer(undefined, JSON_PATH);
    await lab.advance(2000);
    expect(sent()).toMatchObject([{ company: 'Company 2' }]);
    expect(lab.front.asked.length - before).toBe(3);
  });

  test('does not ask a path again that refused the token, until the token changes or a day has passed', async () => {
    lab.front.answer({ status: 403 }, JSON_PATH);
    const json = () =>
      lab.front.asked.length - lab.board.requests.filter(({ path }) => path !== JSON_PATH).length;
    await lab.post(job(2));
    await lab.poll();
    await lab.post(job(3));
    await lab.poll();
    expect(json()).toBe(1);
    lab.front.answer(undefined, JSON_PATH);
    await lab.advance(DAY);
    await lab.post(job(4));
    await lab.poll();
    expect(sent().map(({ company }) => company)).toEqual([undefined, undefined, 'Company 4']);
  });

  test('waits while its subscription is paused, and is sent once after it', async () => {
    const release = lab.front.hold(JSON_PATH);
    await lab.post(job(2));
    await pollOnly();
    await until(() => lab.front.asked.length === 3);
    await lab.stores.subscriptions.update('s', (one) => one && { ...one, pausedAt: lab.clock.now() });
    release();
    await lab.settled();
    await lab.advance(HOUR);
    expect(lab.sink.calls).toEqual([]);
    await lab.change('s', ({ pausedAt: _over, ...one }) => ({ ...one, resumedAt: lab.clock.now() }));
    await lab.advance(HOUR);
    expect(sent().map(({ title }) => title)).toEqual(['Job 2']);
    expect(lab.sink.calls).toHaveLength(1);
  });
});

test('a digest has the fields, and an immediate destination of the same subscription too', async () => {
  await lab.add({
    destinations: [
      { sink: 'capture', target: 'now' },
      { sink: 'capture', target: 'daily', cadence: { daily: '09:00' } },
    ],
  });
  await lab.poll();
  await lab.post(job(2, WHOLE));
  await lab.poll();
  expect(sent('now')).toMatchObject([{ company: 'Company 2' }]);
  await lab.advance(DAY);
  expect(sent('daily')).toMatchObject([{ company: 'Company 2', location: 'Berlin' }]);
  expect(asked()).toBe(1);
});

test('a strong match of a digest waits for the fields, too', async () => {
  const weekly = { weekly: 'monday', at: '09:00' };
  await lab.add({
    filter: { tags: ['rust'], terms: ['rather tag: rust'] },
    destinations: [{ sink: 'capture', target: 'one', cadence: weekly, immediateFit: 1 }],
  });
  await lab.poll();
  await lab.post(job(2, WHOLE));
  await lab.poll();
  expect(lab.sink.messages).toMatchObject([{ every: 'immediate', postings: [{ company: 'Company 2' }] }]);
  expect(asked()).toBe(1);
});

test('the filter keeps what it decided', async () => {
  await lab.add({ filter: { minSalary: 100_000, payUnknown: 'drop' } });
  await lab.poll();
  await lab.post(job(2, WHOLE), job(3, { salary: '$50k' }));
  await lab.poll();
  expect(lab.sink.calls).toEqual([]);
  expect(asked()).toBe(0);
});

test('subscriptions that share a request share its JSON form', async () => {
  await lab.add({ id: 'a', destinations: [{ sink: 'capture', target: 'a' }] });
  await lab.add({ id: 'b', destinations: [{ sink: 'capture', target: 'b' }] });
  await lab.settled();
  await lab.post(job(2));
  await lab.advance(HOUR);
  expect([sent('a'), sent('b')]).toMatchObject([[{ company: 'Company 2' }], [{ company: 'Company 2' }]]);
  expect(asked()).toBe(1);
});

test('after a gap, as many postings as there are are asked for', async () => {
  await lab.add({ filter: { limit: 2 } });
  await lab.poll();
  await lab.post(job(2), job(3), job(4));
  await lab.poll();
  expect(asked()).toBe(1);
  expect(lab.front.asked.map(({ query }) => query.limit)).toContain('100');
  expect(sent().map(({ company }) => company)).toEqual(['Company 3', 'Company 4']);
});

test('a subscription that is checked less often gets postings with their fields at its own slot', async () => {
  await lab.add({ id: 'a', destinations: [{ sink: 'capture', target: 'a' }] });
  await lab.add({ id: 'b', schedule: '0 * * * *', destinations: [{ sink: 'capture', target: 'b' }] });
  await lab.settled();
  while (new Date(lab.clock.now()).getUTCMinutes() !== 5) await lab.advance(MINUTE);
  await lab.post(job(2));
  await lab.advance(15 * MINUTE);
  expect([sent('a'), sent('b')]).toMatchObject([[{ company: 'Company 2' }], []]);
  await lab.advance(HOUR);
  expect(sent('b')).toMatchObject([{ company: 'Company 2' }]);
});

test('a cycle by hand sends postings with their fields before it ends', async () => {
  await lab.add({});
  await lab.poll();
  await lab.post(job(2));
  lab.clock.advance(MINUTE);
  await runCycle(lab.p, lab.scheduler, { signal: new AbortController().signal });
  expect(sent()).toMatchObject([{ company: 'Company 2' }]);
});

describe('no further request is made', () => {
  test('for a feed that names companies', async () => {
    lab.front.isBare = false;
    await lab.add({});
    await lab.poll();
    await lab.post(job(2));
    await lab.poll();
    expect(sent()).toMatchObject([{ company: 'Company 2' }]);
    expect(asked()).toBe(0);
  });

  test('by polls that use the JSON form', async () => {
    const other = await openLab({ jobs: [job(1)], settings: { format: 'json' } });
    later(() => other.close());
    await other.add({});
    await other.poll();
    const before = other.board.requests.length;
    await other.post(job(2, { company: undefined }));
    await other.poll();
    expect(other.sink.messages).toHaveLength(1);
    expect(other.board.requests.length - before).toBe(1);
  });

  test('when the minute is over, because the process was down', async () => {
    await lab.add({});
    await lab.poll();
    await lab.post(job(2));
    lab.crashAt('poll.recorded');
    await lab.poll().catch(() => undefined);
    lab.clock.advance(2 * MINUTE);
    await lab.restart();
    expect(sent()).toMatchObject([{ title: 'Job 2' }]);
    expect(asked()).toBe(0);
  });

  test('for postings that are not sent', async () => {
    await lab.add({ filter: { exclude: ['intern'] } });
    await lab.poll();
    await lab.post(job(2, { title: 'Intern' }));
    await lab.poll();
    expect(asked()).toBe(0);
  });
});

describe('after a kill', () => {
  const STEPS: readonly Step[] = [
    'poll.recorded',
    'enrich.fetched',
    'enrich.recorded',
    'dispatch.cut',
    'dispatch.sending',
    'dispatch.sent',
  ];

  test.each(STEPS)(
    'at %s each posting is sent, and a repeated message is the same',
    { tags: 'long' },
    async (step) => {
      await lab.add({});
      await lab.poll();
      await lab.post(job(2, WHOLE));
      lab.crashAt(step);
      await lab.poll().catch(() => undefined);
      await lab.restart();
      await lab.advance(2 * MINUTE);
      await lab.advance(HOUR);
      expect(sent()).toMatchObject([{ title: 'Job 2', company: 'Company 2', location: 'Berlin' }]);
      const texts = new Set(
        lab.sink.calls.map(({ edition, postings }) => JSON.stringify([edition, postings])),
      );
      expect(texts.size).toBe(1);
      expect(lab.sink.calls.length).toBeLessThanOrEqual(step === 'dispatch.sent' ? 2 : 1);
    },
  );
});
