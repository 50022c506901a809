// Digests: sent at their slot, once, however much time was missed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCycle } from '../../src/pipeline/cycle.js';
import { outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';

let lab: Lab;
// The clock of the lab starts on Monday, 23 November 2026, 08:00 UTC.
const MONDAY = Date.UTC(2026, 10, 23, 9);
beforeEach(async () => {
  lab = await openLab({ pages: true });
});
afterEach(() => lab.close());

// Most tests poll by hand.
const SELDOM = '0 0 1 1 *';

/** A subscription with these destinations that has had its baseline. */
async function begin(...destinations: Record<string, unknown>[]): Promise<void> {
  const places = destinations.map((one) => ({ sink: 'capture', target: 'one', ...one }));
  await lab.add({ schedule: SELDOM, destinations: places });
  await lab.poll();
}

async function news(...ids: number[]): Promise<void> {
  await lab.post(...ids.map((id) => job(id)));
  await lab.poll();
}

/** Moves the clock on in steps, with its ticks, until a moment. */
async function runUntil(moment: number, step = DAY): Promise<void> {
  while (lab.clock.now() < moment) await lab.advance(Math.min(step, moment - lab.clock.now()));
}

const slots = (target = 'one') =>
  lab.sink.messages
    .filter((one) => one.destination.target === target)
    .map(({ slot }) => new Date(slot).toISOString().slice(0, 16));

describe('a weekly digest', () => {
  const weekly = { cadence: { weekly: 'monday', at: '09:00' } };

  test('waits for its slot and contains what came until then, oldest first', async () => {
    await begin(weekly);
    await news(2);
    await news(3, 4);
    expect(lab.sink.calls).toEqual([]);
    await runUntil(MONDAY - 1);
    expect(lab.sink.calls).toEqual([]);
    await lab.advance(1);
    expect(lab.sink.got()).toEqual(['2', '3', '4']);
    expect(lab.sink.messages[0]).toMatchObject({ every: 'weekly', slot: MONDAY });
    await news(5);
    await runUntil(MONDAY + 7 * DAY - 1);
    expect(lab.sink.messages).toHaveLength(1);
    await lab.advance(1);
    expect(lab.sink.messages[1]).toMatchObject({ from: MONDAY, slot: MONDAY + 7 * DAY });
    expect(lab.sink.got()).toEqual(['2', '3', '4', '5']);
  });

  test('is not sent for a week without news', async () => {
    await begin(weekly);
    await runUntil(MONDAY + 8 * DAY);
    expect(lab.sink.calls).toEqual([]);
  });

  test('is sent once after weeks of downtime, with everything in it', async () => {
    await begin(weekly);
    await news(2);
    lab.clock.advance(60 * DAY);
    await lab.post(job(3));
    await lab.restart();
    await lab.advance(0);
    expect(lab.sink.got()).toEqual(['2']);
    expect(slots()).toEqual(['2027-01-18T09:00']);
    await runUntil(Date.UTC(2027, 0, 25, 9));
    expect(lab.sink.got()).toEqual(['2', '3']);
    expect(lab.sink.messages).toHaveLength(2);
  });

  test('keeps its local time when daylight saving time begins or ends', async () => {
    lab.clock.advance(Date.UTC(2027, 2, 22, 12) - lab.clock.now());
    await begin({ cadence: { weekly: 'monday', at: '09:00', timezone: 'Europe/Berlin' } });
    await news(2);
    await runUntil(Date.UTC(2027, 2, 29, 6));
    await runUntil(Date.UTC(2027, 2, 29, 12), HOUR);
    expect(slots()).toEqual(['2027-03-29T07:00']);
  });

  test('shows fifty postings and counts the rest, unless it has its own cap', async () => {
    await begin(weekly, { ...weekly, target: 'two', cap: 3 });
    await lab.post(...Array.from({ length: 60 }, (_, n) => job(n + 2)));
    await lab.poll();
    await runUntil(MONDAY);
    const counts = lab.sink.messages.map(({ postings, more, all }) => [postings.length, more, all?.length]);
    expect(counts.toSorted()).toEqual([
      [3, 57, 60],
      [50, 10, 60],
    ]);
    for (const { all = [] } of lab.sink.messages) expect(new Set(all.map(({ key }) => key)).size).toBe(60);
  });

  test('is sent late if it failed at its slot, and the next one is on time', async () => {
    await begin(weekly);
    await news(2);
    lab.sink.script('one', outage(DAY));
    await runUntil(MONDAY);
    await news(3);
    await runUntil(MONDAY + DAY + HOUR);
    expect(lab.sink.got()).toEqual(['2']);
    await runUntil(MONDAY + 7 * DAY);
    expect(lab.sink.got()).toEqual(['2', '3']);
  });

  test('keeps its waiting postings when its cadence changes to immediate and back', async () => {
    await begin(weekly);
    await news(2);
    const cadence = (every: 'weekly' | 'immediate') =>
      lab.change('s', (before) => ({
        ...before,
        destinations: before.destinations.map((one) => ({
          ...one,
          cadence: { every, timezone: 'UTC', ...(every === 'weekly' ? { day: 'monday', at: '09:00' } : {}) },
        })),
      }));
    await cadence('immediate');
    expect(lab.sink.got()).toEqual(['2']);
    await cadence('weekly');
    await news(3);
    expect(lab.sink.got()).toEqual(['2']);
    await runUntil(MONDAY);
    expect(lab.sink.got()).toEqual(['2', '3']);
  });

  test('can be read on its page before it is sent', async () => {
    await begin({ ...weekly, cap: 1 });
    await news(2, 3);
    lab.sink.script('one', outage());
    await runUntil(MONDAY);
    const id = lab.sink.calls[0]?.edition ?? '';
    expect(await lab.services.edition(id)).toMatchObject({
      postings: [{ key: 'id:3' }],
      rest: [{ key: 'id:2' }],
      account: 'operator',
    });
    expect(await lab.services.editions('operator', 5)).toEqual([]);
    await lab.advance(MINUTE);
    expect(await lab.services.editions('operator', 5)).toMatchObject([{ id }]);
  });
});

describe('a digest when a timer runs one poll a day or a week', () => {
  /** As the command `poll` does: a separate process, one cycle, then the end. */
  async function byHand(at: number): Promise<void> {
    lab.clock.advance(at - lab.clock.now());
    await lab.restart();
    await runCycle(lab.p, lab.scheduler, { signal: new AbortController().signal });
    await lab.settled();
  }

  test.each([
    ['daily, after its slot', { daily: '09:00' }, DAY, HOUR / 2],
    ['daily, before its slot', { daily: '09:00' }, DAY, -HOUR / 2],
    ['weekly, after its slot', { weekly: 'monday', at: '09:00' }, 7 * DAY, HOUR / 2],
    ['weekly, days after its slot', { weekly: 'monday', at: '09:00' }, 7 * DAY, 3 * DAY],
  ])('is sent every time: %s', { tags: 'long' }, async (_name, cadence, every, offset) => {
    await begin({ cadence });
    const first = MONDAY + 7 * DAY + offset;
    await byHand(first);
    for (let n = 1; n <= 5; n++) {
      await lab.post(job(n + 1));
      await byHand(first + n * every);
      expect(lab.sink.got()).toHaveLength(n);
    }
    expect(new Set(slots()).size).toBe(5);
    await byHand(first + 5 * every + HOUR / 4);
    await lab.post(job(99));
    await byHand(first + 5 * every + HOUR / 3);
    // The slot of this round had its edition.
    expect(lab.sink.got()).toHaveLength(5);
  });

  test('does not send late for a slot that passed without news while the service ran', async () => {
    await begin({ cadence: { weekly: 'monday', at: '09:00' } });
    await runUntil(MONDAY + DAY);
    await news(2);
    await runUntil(MONDAY + 7 * DAY - 1);
    expect(lab.sink.got()).toEqual([]);
    await lab.advance(1);
    expect(lab.sink.got()).toEqual(['2']);
  });
});

describe('other cadences', () => {
  test('send to a daily and an hourly place at the time of each', async () => {
    await begin(
      { target: 'd', cadence: { daily: '12:30' } },
      { target: 'h', cadence: 'hourly' },
      { target: 'i' },
    );
    await news(2);
    expect([lab.sink.got('i'), lab.sink.got('h'), lab.sink.got('d')]).toEqual([['2'], [], []]);
    await runUntil(MONDAY, 10 * MINUTE);
    expect([lab.sink.got('h'), lab.sink.got('d')]).toEqual([['2'], []]);
    await runUntil(MONDAY + 3.5 * HOUR, 10 * MINUTE);
    expect(lab.sink.got('d')).toEqual(['2']);
  });

  test('sends right after the hour that daylight saving skips, and once in the hour that it repeats', {
    tags: 'long',
  }, async () => {
    for (const [now, from, to, slot] of [
      ['2027-03-27T12:00Z', '2027-03-28T00:30Z', '2027-03-28T03:00Z', '2027-03-28T01:00'],
      ['2027-10-30T12:00Z', '2027-10-30T23:30Z', '2027-10-31T03:00Z', '2027-10-31T00:30'],
    ] as const) {
      lab.clock.advance(Date.parse(now) - lab.clock.now());
      const id = now.slice(0, 7);
      const cadence = { daily: '02:30', timezone: 'Europe/Berlin' };
      await lab.add({ id, schedule: SELDOM, destinations: [{ sink: 'capture', target: id, cadence }] });
      await lab.poll(id);
      await lab.post(job(`${id}-1`));
      await lab.poll(id);
      await runUntil(Date.parse(from));
      expect(lab.sink.got(id)).toEqual([]);
      // News that come after the digest of the repeated hour wait for the next day.
      for (let n = 0; lab.clock.now() < Date.parse(to); n++) {
        await lab.post(job(`${id}-x${n}`));
        await lab.poll(id);
        await lab.advance(29 * MINUTE);
      }
      expect(slots(id)).toEqual([slot]);
    }
  });
});

describe('a digest with immediateFit', () => {
  const weekly = { weekly: 'monday', at: '09:00' };
  const senior = (id: number) => job(id, { title: `Senior Engineer ${id}` });

  /** A weekly digest of a subscription that rather wants seniors, after its baseline on Monday, 23 November, 08:00 UTC. */
  async function beginStrong(more: Record<string, unknown> = {}, schedule = SELDOM): Promise<void> {
    await lab.add({
      schedule,
      filter: { terms: ['rather level: senior'] },
      destinations: [{ sink: 'capture', target: 'one', cadence: weekly, immediateFit: 65, ...more }],
    });
    await lab.poll();
  }

  const sent = () => lab.sink.messages.map(({ every, postings }) => [every, postings.map(({ id }) => id)]);

  test('gets strong matches immediately and the rest at its slot, each once', async () => {
    await beginStrong();
    await lab.post(job(2), senior(3), job(4));
    await lab.poll();
    expect(sent()).toEqual([['immediate', ['3']]]);
    await lab.post(senior(5), job(6));
    await lab.poll();
    expect(sent().slice(1)).toEqual([['immediate', ['5']]]);
    await runUntil(MONDAY);
    expect(sent().slice(2)).toEqual([['weekly', ['2', '4', '6']]]);
    await runUntil(MONDAY + 7 * DAY);
    expect(lab.sink.messages).toHaveLength(3);
    expect((await lab.stores.ledgers.read('s'))?.outbox).toEqual([]);
  });

  test('gets strong matches immediately when its own schedule polls, and nothing more', async () => {
    await beginStrong({}, '*/15 * * * *');
    await lab.post(job(2));
    await lab.advance(15 * MINUTE);
    await lab.post(senior(3), job(4));
    await lab.advance(15 * MINUTE);
    expect(sent()).toEqual([['immediate', ['3']]]);
    await lab.post(job(5));
    await lab.advance(15 * MINUTE);
    expect(sent()).toHaveLength(1);
  });

  test('covers the whole week, also if strong matches were sent in between', async () => {
    await beginStrong();
    await news(2);
    await runUntil(MONDAY);
    await lab.advance(DAY);
    await lab.post(senior(3), job(4));
    await lab.poll();
    await runUntil(MONDAY + 7 * DAY);
    expect(sent()).toEqual([
      ['weekly', ['2']],
      ['immediate', ['3']],
      ['weekly', ['4']],
    ]);
    expect(lab.sink.messages[2]).toMatchObject({ from: MONDAY, slot: MONDAY + 7 * DAY });
  });

  test('shows strong matches over the cap on the page of their edition', async () => {
    await beginStrong({ cap: 1 });
    await lab.post(senior(2), senior(3));
    await lab.poll();
    expect(lab.sink.messages).toMatchObject([{ every: 'immediate', more: 1 }]);
    expect((await lab.stores.ledgers.read('s'))?.outbox).toEqual([]);
  });

  test('sends no strong match in quiet hours, but in the digest if that comes first', async () => {
    await beginStrong({ quiet: { from: '07:00', to: '10:00' } });
    await lab.post(senior(2), job(3));
    await lab.poll();
    expect(sent()).toEqual([]);
    await runUntil(MONDAY);
    expect(sent()).toEqual([['weekly', ['2', '3']]]);
  });

  test('sends a strong match when quiet hours end', async () => {
    await beginStrong({ quiet: { from: '07:00', to: '08:30' } });
    await lab.post(senior(2), job(3));
    await lab.poll();
    await lab.advance(31 * MINUTE);
    expect(sent()).toEqual([['immediate', ['2']]]);
    await runUntil(MONDAY);
    expect(sent()).toEqual([
      ['immediate', ['2']],
      ['weekly', ['3']],
    ]);
  });

  test('changes nothing for an immediate destination', async () => {
    await beginStrong({ cadence: 'immediate' });
    await lab.post(senior(2), job(3));
    await lab.poll();
    expect(sent()).toEqual([['immediate', expect.toSatisfy((ids: string[]) => ids.length === 2)]]);
  });
});
