// From the outbox to the delivery: several messages, refusals, and what the guard withholds.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCaptureSink, outage } from '../helpers/capture-sink.js';
import { DAY, job, type Lab, type LabOptions, MINUTE, openLab } from '../helpers/lab.js';

let lab: Lab;
afterEach(() => lab.close());

/** A lab whose subscription has had its baseline. */
async function begin(options: LabOptions = {}, entry: Record<string, unknown> = {}): Promise<void> {
  lab = await openLab(options);
  await lab.add(entry);
  await lab.poll();
}

const jobs = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => job(from + n));
const kinds = () => lab.notices.map(({ kind }) => kind);
const history = async () =>
  (await lab.p.history.events('s')).map(({ kind, count }) =>
    count === undefined ? kind : `${kind} ${count}`,
  );
const how = async (id: string) => (await lab.why(id)).destinations[0]?.state;

describe('an edition of several messages', () => {
  beforeEach(() => begin({ size: 2, pages: true }));

  test('is sent in order, with a number on each message and the count of the rest on the last', async () => {
    await lab.change('s', (before) => ({
      ...before,
      destinations: before.destinations.map((one) => ({ ...one, cap: 5 })),
    }));
    await lab.post(...jobs(2, 9));
    await lab.poll();
    expect(lab.sink.messages.map(({ part, parts, more }) => [part, parts, more])).toEqual([
      [0, 3, 0],
      [1, 3, 0],
      [2, 3, 3],
    ]);
    expect(new Set(lab.sink.messages.map(({ edition }) => edition)).size).toBe(1);
    expect(lab.sink.got()).toEqual(['5', '6', '7', '8', '9']);
    expect((await history())[0]).toBe('sent 8');
  });

  test('continues with the message that failed, also after a restart', async () => {
    lab.sink.script('one', 'well', outage());
    await lab.post(...jobs(2, 6));
    await lab.poll();
    expect(lab.sink.got()).toEqual(['2', '3']);
    await lab.restart();
    expect(lab.sink.got()).toEqual(['2', '3']);
    await lab.advance(5_000);
    expect(lab.sink.got()).toEqual(['2', '3', '4', '5', '6']);
    expect(lab.sink.calls.map(({ part, attempt }) => [part, attempt])).toEqual([
      [0, 1],
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
  });

  test('repeats a message whose answer was lost under the same id, so that the recipient recognizes it', async () => {
    lab.sink.script('one', 'well', 'lost');
    await lab.post(...jobs(2, 5));
    await lab.poll();
    await lab.advance(5_000);
    expect(lab.sink.calls.map(({ edition, part }) => `${edition} ${part}`)).toHaveLength(3);
    expect(lab.sink.calls[1]).toMatchObject({ part: 1, postings: lab.sink.calls[2]?.postings });
    expect(lab.sink.got()).toEqual(['2', '3', '4', '5']);
  });
});

describe('a message refused for its content', () => {
  test('is halved until the refused posting is alone; that one parks after five attempts, and the others are sent', async () => {
    await begin({ settings: { immediateCap: 8 } });
    lab.sink.poison.add('Job 5');
    await lab.post(...jobs(2, 9));
    await lab.poll();
    for (let n = 0; n < 20; n++) await lab.advance(10 * MINUTE);
    expect(lab.sink.got()).toEqual(['2', '3', '4', '6', '7', '8', '9']);
    const alone = lab.sink.calls.filter(
      ({ postings }) => postings.length === 1 && postings[0]?.title === 'Job 5',
    );
    expect(alone.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(await lab.why('5')).toMatchObject({
      destinations: [{ state: 'parked', why: 'this message is not acceptable' }],
    });
    expect(lab.notices).toMatchObject([
      {
        kind: 'posting',
        text: 'A posting could not be sent by capture after five attempts (this message is not acceptable) and was set aside; the others were sent.',
        data: { count: 1, sink: 'capture', about: 'about s' },
      },
    ]);
    expect(lab.figures).toContainEqual(['postings_lost_total', { how: 'posting' }, 1]);
    expect(await history()).toEqual(['parked 1', 'sent 7', 'failed', 'baseline 1']);
  });

  test('delays nothing else: the other postings and later ones are delivered immediately', async () => {
    await begin({ size: 1 });
    lab.sink.poison.add('Job 3');
    await lab.post(...jobs(2, 4));
    await lab.poll();
    expect(lab.sink.got()).toEqual(['2', '4']);
    expect((await lab.why('3')).destinations[0]).toMatchObject({
      state: 'underway',
      attempts: 1,
      why: 'this message is not acceptable',
      nextAt: lab.clock.now() + 5000,
    });
    await lab.post(job(5));
    await lab.poll();
    expect(lab.sink.got()).toEqual(['2', '4', '5']);
    const number = lab.sink.calls.find(({ postings }) => postings[0]?.id === '3');
    lab.sink.poison.clear();
    await lab.advance(10 * MINUTE);
    // Under the name and number it had, so that a recipient that has it recognizes it.
    const { edition, part, parts } = lab.sink.messages.at(-1) ?? {};
    expect([edition, part, parts]).toEqual([number?.edition, number?.part, number?.parts]);
    expect(lab.sink.got()).toEqual(['2', '4', '5', '3']);
    expect(await lab.services.editions('operator', 10)).toHaveLength(2);
    expect((await lab.stores.ledgers.read('s'))?.editions).toEqual([]);
  });

  test('is tried again after a restart, and its attempts continue to count', async () => {
    await begin({ size: 1 });
    lab.sink.poison.add('Job 2');
    await lab.post(job(2));
    await lab.poll();
    await lab.restart();
    for (let n = 0; n < 6; n++) await lab.advance(10 * MINUTE);
    expect(lab.sink.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect((await lab.why('2')).destinations[0]).toMatchObject({ state: 'parked' });
    expect(await lab.services.subscription({ account: 'operator' }, 's')).toMatchObject({ owed: 0 });
  });

  test('notifies the owner once per edition', async () => {
    await begin({ size: 1 });
    for (const title of ['Job 3', 'Job 4', 'Job 6']) lab.sink.poison.add(title);
    await lab.post(...jobs(2, 4));
    await lab.poll();
    for (let n = 0; n < 20; n++) await lab.advance(10 * MINUTE);
    expect(kinds()).toEqual(['posting']);
    await lab.post(job(5), job(6));
    await lab.poll();
    for (let n = 0; n < 20; n++) await lab.advance(10 * MINUTE);
    expect(lab.sink.got()).toEqual(['2', '5']);
    expect(kinds()).toEqual(['posting', 'posting']);
  });

  test('leaves the rest of an edition over its cap for the next one', async () => {
    await begin({ settings: { immediateCap: 1 } });
    lab.sink.poison.add('Job 2');
    await lab.post(job(2), job(3));
    await lab.poll();
    for (let n = 0; n < 20; n++) await lab.advance(10 * MINUTE);
    expect(lab.sink.got()).toEqual(['3']);
    expect([await how('2'), await how('3')]).toEqual(['parked', 'sent']);
  });

  test('reads the name of an error from a sink module, which does not have our error class', async () => {
    await begin();
    const forOwner = 'The room is gone; choose another.';
    const gone = Object.assign(new Error('no room'), { name: 'DeliveryError', fault: 'target', forOwner });
    lab.sink.script('one', gone);
    await lab.post(job(2));
    await lab.poll();
    expect((await lab.why('2')).destinations[0]).toMatchObject({ state: 'parked', why: 'no room' });
    expect(lab.notices).toMatchObject([{ kind: 'destination', text: forOwner }]);
  });

  test('loses nothing when a sink splits its messages wrongly', async () => {
    const odd = createCaptureSink('odd');
    await begin(
      { sinks: [{ ...odd, pack: ([first, ...rest]) => [[], first ? [first, first] : [], rest.slice(1)] }] },
      { destinations: [{ sink: 'odd', target: 'x' }] },
    );
    await lab.post(...jobs(2, 6));
    await lab.poll();
    expect(odd.got().toSorted()).toEqual(['2', '3', '4', '5', '6']);
    expect(odd.got()).toHaveLength(5);
    expect(new Set(odd.messages.map(({ edition }) => edition)).size).toBe(1);
  });

  test('sends postings one by one when a sink fails to split them', async () => {
    const odd = createCaptureSink('odd');
    const pack = () => {
      throw new Error('a bug');
    };
    await begin({ sinks: [{ ...odd, pack }] }, { destinations: [{ sink: 'odd', target: 'x' }] });
    await lab.post(...jobs(2, 4));
    await lab.poll();
    expect(odd.messages.map(({ postings }) => postings.length)).toEqual([1, 1, 1]);
  });
});

describe('a bug in the program', () => {
  const jobsToSend = () => lab.post(job(2), job(3));
  const days = async (count: number) => {
    for (let n = 0; n < count; n++) await lab.advance(DAY);
  };

  test('counts no attempt for an unknown error, alerts the operator once a day, and sends everything once it is fixed', async () => {
    await begin();
    lab.sink.script('one', ...Array.from({ length: 40 }, () => new TypeError('fetch failed: password')));
    await jobsToSend();
    await lab.poll();
    for (let n = 0; n < 20; n++) await lab.advance(10 * MINUTE);
    expect(lab.sink.calls.length).toBeGreaterThan(10);
    // One message, as at first, and never given up.
    expect(new Set(lab.sink.calls.map(({ postings }) => postings.length))).toEqual(new Set([2]));
    expect(lab.notices).toMatchObject([
      {
        kind: 'program',
        account: 'operator',
        text: expect.stringContaining('unexpected failure (TypeError)'),
      },
    ]);
    expect((await lab.why('2')).destinations[0]?.state).not.toBe('parked');
    await days(5);
    expect(lab.notices.length).toBeLessThanOrEqual(6);
    while (lab.sink.messages.length === 0 && lab.sink.calls.length < 60) await lab.advance(10 * MINUTE);
    expect(lab.sink.got()).toEqual(['2', '3']);
    expect([await how('2'), await how('3')]).toEqual(['sent', 'sent']);
    // The error message is logged and appears nowhere else.
    expect(JSON.stringify([lab.notices, await lab.rows()])).not.toContain('password');
    expect(lab.logs.find(({ level }) => level === 'error')?.fields).toMatchObject({
      sink: 'capture',
      error: expect.objectContaining({ message: 'fetch failed: password' }),
    });
  });

  test.each([
    ['nothing', undefined],
    ['a text', 'no'],
    ['null', null],
    ['an object', { fault: 'content' }],
    [
      'an object whose parts throw',
      {
        get name(): string {
          throw new Error('gotcha');
        },
      },
    ],
    [
      'a proxy that refuses all',
      new Proxy(
        {},
        {
          get() {
            throw new Error('gotcha');
          },
          getPrototypeOf() {
            throw new Error('gotcha');
          },
        },
      ),
    ],
  ])('retries after a sink throws %s', async (_what, thrown) => {
    const odd = createCaptureSink('odd');
    let left = 3;
    const deliver: typeof odd.deliver = async (...all) => {
      if (left-- > 0) throw thrown;
      await odd.deliver(...all);
    };
    await begin({ sinks: [{ ...odd, deliver }] }, { destinations: [{ sink: 'odd', target: 'x' }] });
    await jobsToSend();
    await lab.poll();
    for (let n = 0; n < 5; n++) await lab.advance(10 * MINUTE);
    expect(odd.got()).toEqual(['2', '3']);
    expect(odd.calls.map(({ attempt }) => attempt)).toEqual([4]);
    expect(kinds()).toEqual(['program']);
  });

  test('withholds a message that breaks a link rule, for longer than any outage, and counts no attempt for its postings', async () => {
    const careless = createCaptureSink('careless');
    let tail = '&utm_source=crier';
    const deliver: typeof careless.deliver = async (delivery, target, context) => {
      const note = 'Use these links exactly as they are.';
      const body = [note, ...delivery.postings.map(({ applyUrl }) => `${applyUrl}${tail}`)].join('\n');
      context.guard({ format: 'text', body, note });
      await careless.deliver(delivery, target, context);
    };
    await begin({ sinks: [{ ...careless, deliver }] }, { destinations: [{ sink: 'careless', target: 'x' }] });
    await jobsToSend();
    await lab.poll();
    for (let n = 0; n < 30; n++) await lab.advance(10 * MINUTE);
    await days(4);
    expect(careless.messages).toEqual([]);
    expect(kinds()).toContain('program');
    expect(kinds()).not.toContain('posting');
    expect(kinds()).not.toContain('expired');
    tail = '';
    await lab.advance(6 * MINUTE);
    expect(careless.got()).toEqual(['2', '3']);
  });
});
