// Quiet hours, and clocks that jump.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';

let lab: Lab;
// The clock of the lab starts on Monday, 23 November 2026, 08:00 UTC.
const MONDAY = Date.UTC(2026, 10, 23, 9);
beforeEach(async () => {
  lab = await openLab();
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

const _slots = (target = 'one') =>
  lab.sink.messages
    .filter((one) => one.destination.target === target)
    .map(({ slot }) => new Date(slot).toISOString().slice(0, 16));

describe('quiet hours', () => {
  const quiet = { quiet: { from: '22:00', to: '07:00' } };
  const NIGHT = Date.UTC(2026, 10, 23, 23);

  test('delay immediate news until the morning, and send them together', async () => {
    await begin(quiet);
    await news(2);
    await runUntil(NIGHT);
    await news(3);
    await news(4);
    expect(lab.sink.got()).toEqual(['2']);
    await runUntil(NIGHT + 8 * HOUR - 1, HOUR);
    expect(lab.sink.got()).toEqual(['2']);
    await lab.advance(1);
    expect(lab.sink.messages).toHaveLength(2);
    expect(lab.sink.got()).toEqual(['2', '3', '4']);
  });

  test('delay a retry of the evening, too', async () => {
    await begin(quiet);
    await runUntil(NIGHT - HOUR - 2 * MINUTE);
    lab.sink.script('one', outage(10 * MINUTE));
    await news(2);
    await runUntil(NIGHT + 7 * HOUR, HOUR);
    expect(lab.sink.calls).toHaveLength(1);
    await runUntil(NIGHT + 8 * HOUR, HOUR);
    expect(lab.sink.got()).toEqual(['2']);
  });

  test('delay hourly editions: those of the night are one in the morning', async () => {
    await begin({ ...quiet, cadence: 'hourly' });
    await runUntil(NIGHT);
    await news(2);
    await runUntil(NIGHT + 3 * HOUR, HOUR);
    await news(3);
    await runUntil(NIGHT + 8 * HOUR - 1, HOUR);
    expect(lab.sink.got()).toEqual([]);
    await lab.advance(1);
    expect(lab.sink.messages).toHaveLength(1);
    expect(lab.sink.got()).toEqual(['2', '3']);
  });

  test('do not delay digests', async () => {
    await begin({ ...quiet, cadence: { daily: '23:30' } });
    await news(2);
    await runUntil(NIGHT + HOUR / 2);
    expect(lab.sink.got()).toEqual(['2']);
  });
});

describe('a clock that jumps', () => {
  test('back: does not repeat the digest, and polls and retries do not wait for the old time', async () => {
    await begin({ cadence: { weekly: 'monday', at: '09:00' } }, { target: 'two' });
    await lab.change('s', (before) => ({ ...before, schedule: { cron: '0 * * * *', timezone: 'UTC' } }));
    await news(2);
    await runUntil(MONDAY);
    lab.sink.script('two', outage(HOUR));
    await news(3);
    await lab.advance(-3 * DAY);
    expect(lab.sink.got('two')).toEqual(['2', '3']);
    await lab.post(job(4));
    await lab.advance(HOUR + 5 * MINUTE);
    expect(lab.sink.got('two')).toEqual(['2', '3', '4']);
    // The slot that comes a second time had its digest.
    await runUntil(MONDAY + 7 * DAY - 1);
    expect(lab.sink.got('one')).toEqual(['2']);
    await lab.advance(1);
    expect(lab.sink.got('one')).toEqual(['2', '3', '4']);
  });

  test('forward by more than a year: makes one poll, sends one digest and expires nothing', async () => {
    await begin({ cadence: { weekly: 'monday', at: '09:00' } }, { target: 'two' });
    lab.sink.script('two', outage());
    await news(2);
    await lab.post(job(3));
    await lab.advance(400 * DAY);
    await lab.settled();
    expect(lab.sink.got('two')).toEqual(['2', '3']);
    expect(lab.sink.messages.filter((one) => one.destination.target === 'one')).toHaveLength(1);
    expect(lab.notices).toEqual([]);
  });

  test('far forward and back again: sends digests and retries by the new time, and nothing twice', async () => {
    await begin({ cadence: { weekly: 'monday', at: '09:00' } }, { target: 'two' });
    await lab.advance(400 * DAY);
    await news(2);
    await lab.advance(7 * DAY);
    expect(lab.sink.got('one')).toEqual(['2']);
    lab.sink.script('two', outage(HOUR));
    await news(3);
    await lab.advance(-407 * DAY);
    await lab.advance(MINUTE);
    expect(lab.sink.got('two')).toEqual(['2', '3']);
    await news(4);
    await lab.advance(7 * DAY);
    expect(lab.sink.got('one')).toEqual(['2', '3', '4']);
    expect(lab.sink.messages.filter((one) => one.destination.target === 'one')).toHaveLength(2);
  });
});
