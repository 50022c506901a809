// What one delivery run returns to the engine, and what it leaves behind: log lines, figures, history and notices. In
// these tests the engine gets no work, so that each run is called by the test.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError, StoreError } from '../../src/domain/errors.js';
import type { Subscription } from '../../src/domain/subscription.js';
import { dispatch, resumeSinks } from '../../src/pipeline/dispatch.js';
import { deliveryJob } from '../../src/pipeline/enqueue-deliveries.js';
import type { Sink } from '../../src/ports/sink.js';
import { type CaptureSink, createCaptureSink, outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';
import { until } from '../helpers/until.js';

const QUIET = { from: '06:00', to: '00:00', timezone: 'UTC' };
const RUNNING = new AbortController().signal;

let lab: Lab;
let sink: CaptureSink;
/** What the sink does besides. */
let more: Partial<Sink>;

beforeEach(async () => {
  sink = createCaptureSink('paper');
  more = {};
  const paper = new Proxy(sink, {
    get: (target, name) => Reflect.get(name in more ? more : target, name),
  });
  lab = await openLab({ sinks: [paper, createCaptureSink('other')] });
  await lab.add({ destinations: [{ sink: 'paper', target: 'x' }] });
  await lab.poll();
});
afterEach(() => lab.close());

/** Records these postings without delivering them: a recipient that is down gets the first one. */
async function owe(...ids: readonly number[]): Promise<void> {
  sink.script('x', outage(10 * MINUTE));
  await lab.post(...ids.map((id) => job(id)));
  await lab.poll();
  await lab.p.engine.drain(0);
  lab.clock.advance(10 * MINUTE);
  for (const list of [lab.logs, lab.figures, sink.calls]) list.length = 0;
}

const stored = async () => (await lab.stores.subscriptions.get('s')) as Subscription;
const change = async (edit: Partial<Subscription>) =>
  put(lab.stores.subscriptions, { ...(await stored()), ...edit });

/** The id of the destination as it was added. */
async function placeId(): Promise<string> {
  return (await stored()).destinations[0]?.id ?? '';
}

async function run(signal = RUNNING, id?: string) {
  const subscription = await stored();
  const [destination] = subscription.destinations;
  if (!destination) throw new Error('no destination');
  const one = deliveryJob(subscription, destination);
  return dispatch(lab.p, id === undefined ? one : { ...one, id }, signal);
}

const lines = (level: string) =>
  lab.logs.filter((one) => one.level === level).map(({ fields, message }) => [message, fields]);
const newest = async () => (await lab.p.history.events('s'))[0];

describe('a run with nothing to send', () => {
  test('is done without a look at the sink for a subscription or destination that is not there', async () => {
    await owe(2);
    const other = { ...(await stored()), id: 'gone' };
    expect(await run(RUNNING, `gone\n${await placeId()}`)).toBeUndefined();
    expect(await dispatch(lab.p, { queue: 'q', group: 'g', id: '' }, RUNNING)).toBeUndefined();
    expect(await run(RUNNING, 's\nnowhere')).toBeUndefined();
    await put(lab.stores.subscriptions, { ...other, pausedAt: lab.clock.now() });
    expect(await run(RUNNING, `gone\n${await placeId()}`)).toBeUndefined();
    expect(sink.calls).toEqual([]);
  });

  test('is done when all is sent, and no later run is asked for', async () => {
    await owe(2);
    expect(await run()).toBeUndefined();
    expect(await run()).toBeUndefined();
    expect(sink.got()).toEqual(['2']);
  });

  test('does not count as an attempt when the service ends', async () => {
    await owe(2);
    const ended = new AbortController();
    ended.abort();
    expect(await run(ended.signal)).toEqual({ again: 0, deferred: true });
    expect(sink.calls).toEqual([]);
  });

  test('moves what waits for a removed destination to the present ones', async () => {
    await owe(2);
    const former = await placeId();
    const [destination] = (await stored()).destinations;
    await change({ destinations: [{ ...destination!, id: 'paper-y', target: 'y' }] });
    expect(await run(RUNNING, `s\n${former}`)).toBeUndefined();
    expect(sink.calls).toEqual([]);
    const ledger = await lab.stores.ledgers.read('s');
    expect(ledger?.outbox.map(({ to }) => to)).toEqual([['paper-y']]);
    await run();
    expect(sink.got('y')).toEqual(['2']);
  });

  test('waits until the time of the next one, without counting it', async () => {
    await owe(2);
    sink.script('x', outage(HOUR));
    expect(await run()).toEqual({ again: HOUR, deferred: true });
    lab.clock.advance(HOUR - 1000);
    expect(await run()).toEqual({ again: 1000, deferred: true, rest: 0 });
    expect(sink.calls).toHaveLength(1);
  });
});

describe('a target that takes nothing more for a while', () => {
  test('lets its group rest after a delivery, and only then', async () => {
    await owe(2);
    more.restMs = () => 4000;
    expect(await run()).toEqual({ rest: 4000 });
    expect(await run()).toBeUndefined();
    expect(sink.got()).toEqual(['2']);
  });

  test('is not delayed by a rest of 0', async () => {
    await owe(2);
    more.restMs = () => 0;
    expect(await run()).toBeUndefined();
  });

  test('rests also when the next message waits for the end of quiet hours', async () => {
    more.pack = (postings) => postings.map((one) => [one]);
    await owe(2, 3);
    const [destination] = (await stored()).destinations;
    more.restMs = () => 3000;
    more.deliver = async (...all) => {
      await sink.deliver(...all);
      await change({ destinations: [{ ...destination!, quiet: QUIET }] });
    };
    const now = lab.clock.now();
    expect(await run()).toEqual({ again: Date.UTC(2026, 10, 24) - now, deferred: true, rest: 3000 });
    expect(sink.got()).toHaveLength(1);
  });
});

describe('a sink that is off', () => {
  beforeEach(async () => {
    await owe(2);
    lab.sinks.delete('paper');
  });

  test('tells the owner which, and that postings wait', async () => {
    expect(await run()).toBeUndefined();
    expect(await run()).toBeUndefined();
    expect(lab.notices).toEqual([
      {
        kind: 'destination',
        subject: `operator:${await placeId()}`,
        account: 'operator',
        subscription: 's',
        destination: await placeId(),
        text: 'The paper sink is off, so nothing is sent there. The operator can turn it on in the settings; postings wait for up to 30 days.',
        data: { sink: 'paper' },
      },
    ]);
  });

  test('has a queue, whose deliveries are due when it is on again, and those of others are not', async () => {
    await run();
    const waiting = await lab.stores.lanes.units('off:paper');
    expect(waiting.map(({ unit }) => unit)).toEqual([`s\n${await placeId()}`]);
    await lab.stores.lanes.drop([{ ...waiting[0]!, queue: 'deliver:paper' }]);
    await resumeSinks(lab.p);
    expect(await lab.stores.lanes.units('off:paper')).toHaveLength(1);
    expect(await lab.stores.lanes.units('deliver:paper')).toEqual([]);
    lab.sinks.set('paper', sink);
    await resumeSinks(lab.p);
    expect(await lab.stores.lanes.units('off:paper')).toEqual([]);
    expect((await lab.stores.lanes.load('deliver:paper')).due).toBe(1);
  });
});

describe('a delivery', () => {
  test('that succeeds is logged and counted, with the time it took', async () => {
    await owe(2, 3);
    const steps: string[] = [];
    lab.p.step = (step) => void steps.push(step);
    more.deliver = async (...all) => {
      lab.clock.advance(2500);
      await sink.deliver(...all);
    };
    expect(await run()).toBeUndefined();
    expect(steps).toEqual(['dispatch.sending', 'dispatch.sent', 'dispatch.settled']);
    expect(lab.figures).toEqual([
      ['delivery_duration_seconds', { sink: 'paper' }, 2.5],
      ['deliveries_total', { sink: 'paper', outcome: 'sent' }, 1],
      ['postings_delivered_total', { sink: 'paper' }, 2],
    ]);
    const { edition } = sink.messages[0]!;
    const destination = await placeId();
    expect(lines('info')).toEqual([
      [
        'edition delivered',
        { subscription: 's', destination, sink: 'paper', edition, part: 0, parts: 1, postings: 2 },
      ],
    ]);
    expect(await newest()).toMatchObject({ kind: 'sent', count: 2, destination, edition });
  });

  test('that fails is logged and counted, and only its first failure is in the history', async () => {
    await owe(2);
    sink.script('x', outage(MINUTE), outage(MINUTE));
    const destination = await placeId();
    const before = (await lab.p.history.events('s')).length;
    expect(await run()).toEqual({ again: MINUTE, deferred: true });
    expect(lab.figures).toEqual([['deliveries_total', { sink: 'paper', outcome: 'failed' }, 1]]);
    expect(lines('warn')).toEqual([
      [
        'delivery failed',
        {
          subscription: 's',
          destination,
          edition: sink.calls[0]?.edition,
          fault: 'outage',
          reason: 'the recipient does not answer',
          attempt: 2,
        },
      ],
    ]);
    // The first one was before.
    expect(await lab.p.history.events('s')).toHaveLength(before);
    expect(await newest()).toMatchObject({ kind: 'failed', why: 'the recipient does not answer' });
  });

  test('that was refused counts as an attempt; a message that is halved has not failed yet', async () => {
    await owe(2, 3);
    sink.script('x', new DeliveryError('content', 'bad'));
    expect(await run()).toEqual({ again: 0 });
    expect(await newest()).toMatchObject({ why: 'the recipient does not answer' });
    sink.script('x', 'well', new DeliveryError('content', 'bad'));
    expect(await run()).toEqual({ again: 0 });
    expect(sink.got()).toHaveLength(1);
    expect(await newest()).toMatchObject({ kind: 'failed', why: 'bad' });
  });

  test('that met the end of the service is not logged as failed, and counts no attempt', async () => {
    await owe(2);
    const ending = new AbortController();
    const release = sink.hold('x');
    const delivery = run(ending.signal);
    await until(() => sink.calls.length === 1);
    ending.abort();
    expect(await delivery).toEqual({ again: 0, deferred: true });
    release();
    expect(lines('warn')).toEqual([]);
    expect((await lab.stores.ledgers.read('s'))?.editions).toMatchObject([{ attempts: 0 }]);
  });

  test('to a destination that was removed meanwhile writes nothing about its failure', async () => {
    await owe(2);
    const before = await lab.stores.ledgers.read('s');
    more.deliver = async () => {
      await lab.stores.subscriptions.remove('s');
      throw outage();
    };
    const events = await lab.p.history.events('s');
    expect(await run()).toBeUndefined();
    expect((await lab.stores.ledgers.read('s'))?.editions).toMatchObject([
      { nextAt: before?.editions[0]?.nextAt },
    ]);
    expect(await lab.p.history.events('s')).toEqual(events);
  });

  test('is delivered although its line of the history can not be stored', async () => {
    await owe(2);
    lab.broken.set('history.note', new StoreError('full', 'no room left'));
    expect(await run()).toBeUndefined();
    expect(lines('warn')).toEqual([['history line lost', { subscription: 's', reason: 'no room left' }]]);
    expect(sink.got()).toEqual(['2']);
  });
});

describe('the record of a delivery that can not be stored', () => {
  const fails = (error: Error) => {
    more.deliver = async (...all) => {
      await sink.deliver(...all);
      lab.broken.set('ledgers.commit', error);
    };
  };

  test('is tried until it is, and logged', async () => {
    await owe(2);
    fails(new StoreError('full', 'no room left'));
    const delivery = run();
    await until(() => lines('error').length > 0);
    lab.broken.clear();
    more = {};
    expect(await delivery).toBeUndefined();
    expect(lines('error')).toEqual([
      ['settling failed', { subscription: 's', edition: sink.calls[0]?.edition, reason: 'no room left' }],
    ]);
    expect(sink.calls).toHaveLength(1);
    expect((await lab.stores.ledgers.read('s'))?.editions).toEqual([]);
  });

  test.each(['lost', 'taken'] as const)('ends the run when the lease is %s', async (fault) => {
    await owe(2);
    fails(new StoreError(fault, 'not ours'));
    await expect(run()).rejects.toThrow('not ours');
    expect(lines('error')).toEqual([]);
  });

  test('is not waited for when the service ends', async () => {
    await owe(2);
    const ending = new AbortController();
    fails(new StoreError('full', 'no room left'));
    const delivery = run(ending.signal);
    await until(() => lines('error').length > 0);
    ending.abort();
    await expect(delivery).rejects.toThrow('no room left');
    expect(lines('error')).toHaveLength(1);
  });
});

describe('an error in the program', () => {
  const notice = () => lab.notices.at(-1);

  test('is told to the operator with the name of the error, cut to 40 characters', async () => {
    await owe(2);
    const error = Object.assign(new Error('secret'), { name: 'N'.repeat(60) });
    sink.script('x', error);
    expect(await run()).toMatchObject({ deferred: true });
    const why = `unexpected failure (${'N'.repeat(40)})`;
    expect(lines('error')).toEqual([
      ['a sink failed with an unexpected error', { sink: 'paper', error }],
      [
        'delivery failed because of an error in the program',
        { subscription: 's', destination: await placeId(), sink: 'paper', reason: why },
      ],
    ]);
    expect(notice()).toEqual({
      kind: 'program',
      subject: `paper: ${why}`,
      account: 'operator',
      text: `Deliveries by paper fail because of an error in the program, a template or a sink module (${why}). Waiting postings are kept and are sent when it is fixed; the log has the details.`,
      forMs: DAY,
    });
  });

  test.each([
    ['a text', 'string'],
    [7, 'number'],
  ])('has the type of a thrown value that is no error: %j', async (thrown, type) => {
    await owe(2);
    more.deliver = async () => {
      throw thrown;
    };
    await run();
    expect(notice()?.subject).toBe(`paper: unexpected failure (${type})`);
  });

  test('has no name when the thrown value can not be read', async () => {
    await owe(2);
    more.deliver = async () => {
      throw new Proxy(
        {},
        {
          get: () => {
            throw new Error('no');
          },
          getPrototypeOf: () => {
            throw new Error('no');
          },
        },
      );
    };
    await run();
    expect(notice()?.subject).toBe('paper: unexpected failure');
    expect(lines('error')[0]).toEqual(['a sink failed with an unexpected error', { sink: 'paper' }]);
  });

  test('is one per sink and reason, and the reason is cut to fit', async () => {
    await owe(2);
    sink.script(
      'x',
      new DeliveryError('program', 'p'.repeat(290)),
      new DeliveryError('program', 'p'.repeat(299)),
    );
    await run();
    expect(notice()?.subject).toBe(`paper: ${'p'.repeat(290)}`);
    lab.clock.advance(HOUR);
    await run();
    expect(notice()?.subject).toBe(`paper: ${'p'.repeat(293)}`);
    expect(lab.notices).toHaveLength(2);
  });
});

describe('the guard of an output', () => {
  const NOTE = 'Use these links exactly as they are.';
  const guarded = (body: (links: readonly string[]) => string, keys?: readonly string[]) => {
    more.deliver = async (delivery, target, context) => {
      const links = delivery.postings.map(({ applyUrl }) => applyUrl ?? '').toSorted();
      context.guard({ format: 'text', body: `${NOTE} ${body(links)}`, note: NOTE }, keys);
      await sink.deliver(delivery, target, context);
    };
  };

  test('names each fault', async () => {
    await owe(2);
    guarded(([link]) => `operator-token-1 ${link}&x=1`);
    await run();
    const reason = lines('warn')[0]?.[1] as { reason: string };
    expect(reason.reason).toMatch(/^held back: [^;]+; .*it contains the API token$/u);
    expect(sink.got()).toEqual([]);
  });

  test('wants the links of all postings, or only those of the postings that are in the output', async () => {
    await owe(2, 3);
    const one = ([first]: readonly string[]) => String(first);
    guarded(one);
    await run();
    expect(lines('warn')[0]?.[1]).toMatchObject({
      reason: 'held back: posting id:3: its apply link is missing or was altered',
    });
    guarded(one, ['id:3']);
    lab.clock.advance(HOUR);
    await run();
    expect(sink.got()).toEqual([]);
    guarded(one, ['id:2']);
    lab.clock.advance(HOUR);
    await run();
    expect(sink.got().toSorted()).toEqual(['2', '3']);
  });
});
