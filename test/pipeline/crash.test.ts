// The process ends at every step, or the store fails: nothing is lost, and a repeated message has the same id.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/domain/errors.js';
import type { Step } from '../../src/pipeline/context.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { until } from '../helpers/until.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab({ size: 2 });
  await lab.add({ filter: { tags: ['rust', 'defi'] } });
  await lab.poll();
});
afterEach(() => lab.close());

const STEPS: readonly Step[] = [
  'poll.fetched',
  'poll.recorded',
  'poll.answered',
  'dispatch.cut',
  'dispatch.sending',
  'dispatch.sent',
  'dispatch.settled',
];

describe('after a kill', () => {
  async function killedAt(step: Step, nth: number): Promise<void> {
    const [a, b, c] = ['2026-11-20', '2026-11-21', '2026-11-22'].map((postedAt) => ({ postedAt }));
    await lab.post(job(2, a), job(3, { ...b, tags: ['defi'] }), job(4, c));
    lab.crashAt(step, nth);
    await lab.poll().catch(() => undefined);
    await lab.post(job(5, { postedAt: '2026-11-23' }));
    await lab.poll().catch(() => undefined);
    await lab.restart();
    await lab.poll();
    await lab.advance(HOUR);
    expect(lab.sink.got().toSorted()).toEqual(['2', '3', '4', '5']);
    // A repeated message has the same content under the same id.
    const said = new Map<string, string>();
    for (const { edition, part, postings } of lab.sink.calls) {
      const id = `${edition} ${part}`;
      const text = JSON.stringify(postings);
      expect(said.get(id) ?? text).toBe(text);
      said.set(id, text);
    }
    // Only the one message that was being sent may be repeated.
    expect(lab.sink.calls.length - said.size).toBeLessThanOrEqual(1);
  }

  test.each(STEPS)('at %s', (step) => killedAt(step, 1));
  test.each(STEPS)('at %s, the second time', { tags: 'long' }, (step) => killedAt(step, 2));

  test('right after the commit, the archive has what was found', async () => {
    await lab.post(job(2), job(3));
    lab.crashAt('poll.recorded');
    await lab.poll().catch(() => undefined);
    const found = await lab.stores.history.archived('operator', 1, lab.clock.now());
    const keys = found.map(({ posting }) => posting.key);
    expect(keys).toEqual(expect.arrayContaining(['id:2', 'id:3']));
  });

  test('makes the next poll the baseline after a kill during the baseline', async () => {
    for (const step of ['poll.fetched', 'poll.recorded'] as const) {
      await lab.add({ id: step, destinations: [{ sink: 'capture', target: step }] });
      lab.crashAt(step);
      await lab.poll(step).catch(() => undefined);
      await lab.restart();
      await lab.poll(step);
      expect(lab.sink.got(step)).toEqual([]);
      await lab.post(job(step));
      await lab.poll(step);
      expect(lab.sink.got(step)).toEqual([step]);
    }
  });
});

describe('a failing store', () => {
  const full = new StoreError('full', 'no room left');

  test.each([
    ['ledgers.commit', undefined],
    ['ledgers.open', undefined],
    // After a day without a match, what was heard is written after the postings and the notices.
    ['ledgers.commit', 'poll.recorded'],
    ['ledgers.open', 'poll.recorded'],
  ])(
    'pauses polling at %s (after %s), loses and repeats nothing, and resumes without help',
    async (what, after) => {
      lab.clock.advance(DAY);
      await lab.post(job(2));
      if (after) lab.p.step = (reached) => void (reached === after && lab.broken.set(what, full));
      else lab.broken.set(what, full);
      lab.broken.set('probe', full);
      await expect(lab.poll()).rejects.toThrow('no room left');
      expect((await lab.scheduler.health()).storeFault).toBe('no room left');
      const asked = lab.front.asked.length;
      for (let n = 0; n < 5; n++) await lab.advance(10 * MINUTE);
      expect(lab.front.asked).toHaveLength(asked);
      expect(lab.sink.got()).toEqual([]);
      await expect(lab.scheduler.pollNow('s')).rejects.toThrow('no room left');
      expect(lab.front.asked).toHaveLength(asked);
      lab.p.step = () => undefined;
      lab.broken.clear();
      await lab.advance(MINUTE);
      await lab.advance(MINUTE);
      expect((await lab.scheduler.health()).storeFault).toBeUndefined();
      expect(lab.sink.got()).toEqual(['2']);
    },
  );

  test('checks only once whether the store works again when several polls come together', async () => {
    lab.broken.set('ledgers.commit', full);
    await lab.post(job(2));
    await expect(lab.poll()).rejects.toThrow('no room left');
    lab.broken.clear();
    lab.clock.advance(MINUTE);
    await Promise.all(Array.from({ length: 5 }, () => lab.scheduler.pollNow('s')));
    expect(lab.logs.filter(({ message }) => message.startsWith('store works again'))).toHaveLength(1);
  });

  test("delivers a posting once although the history can't be written", async () => {
    lab.broken.set('history.note', full);
    await lab.post(job(2));
    await lab.poll().catch(() => undefined);
    await lab.settled();
    expect(lab.sink.got()).toEqual(['2']);
    const logged = lab.logs.map(({ message }) => message);
    expect(logged).toContain('history line lost');
    expect(logged).not.toContain('job failed');
    lab.broken.clear();
    await lab.advance(HOUR);
    expect(lab.sink.calls).toHaveLength(1);
  });

  test('settles a message that was being sent once the store works again, and does not send it twice', async () => {
    const release = lab.sink.hold('one');
    await lab.post(job(2));
    lab.clock.advance(MINUTE);
    await lab.scheduler.pollNow('s');
    await until(() => lab.sink.calls.length === 1);
    lab.broken.set('ledgers.commit', full);
    release();
    await until(() => lab.logs.some(({ message }) => message === 'settling failed'));
    lab.broken.clear();
    await lab.settled();
    expect((await lab.why('2')).destinations[0]?.state).toBe('sent');
    expect(lab.sink.calls).toHaveLength(1);
  });

  test('does not send a message before the store has recorded it', async () => {
    lab.broken.set('history.keepEdition', full);
    await lab.post(job(2));
    await lab.poll().catch(() => undefined);
    expect(lab.sink.calls).toEqual([]);
    lab.broken.clear();
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['2']);
  });
});

describe('the lease', () => {
  test('writes and sends nothing more, and ends the service, when another process takes the lease', async () => {
    await lab.post(job(2));
    // As another process does: takes the row with a higher fence.
    await lab.stores.lease.release();
    await expect(lab.poll()).rejects.toThrow('Another process holds the store');
    expect(lab.lost).toBe(true);
    await lab.advance(HOUR);
    expect(lab.sink.calls).toEqual([]);
    expect((await lab.why('2')).fate).toBe('unseen');
  });

  test('does not send the second message when the lease is lost between two', async () => {
    const release = lab.sink.hold('one');
    await lab.post(job(2), job(3), job(4));
    lab.clock.advance(MINUTE);
    await lab.scheduler.pollNow('s');
    await until(() => lab.sink.calls.length === 1);
    await lab.stores.lease.release();
    release();
    await lab.settled();
    await lab.advance(HOUR);
    expect(lab.sink.calls).toHaveLength(1);
    await lab.stores.lease.acquire();
    await lab.restart();
    await lab.advance(HOUR);
    // The first one is repeated: when its answer came, nothing could be written any more.
    expect(lab.sink.calls.map(({ part }) => part)).toEqual([0, 0, 1]);
    expect(lab.sink.got()).toEqual(['2', '3', '4']);
  });
});
