// Times through clock changes of whole and half hours: a slot in the skipped hour comes once right after it, and one
// in the repeated hour once; and a subscription keeps its jitter.
import { describe, expect, test } from 'vitest';
import { read } from '../../src/domain/input.js';
import {
  CRON,
  intervalOf,
  isTimezone,
  nextPoll,
  nextSlot,
  shareOf,
  TIMEZONE,
} from '../../src/domain/schedule.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (iso: string) => Date.parse(iso);
const iso = (time: number) => new Date(time).toISOString().slice(0, 16);

/** Local times as `2026-03-29 02:30`, which sort in order. */
function reader(timezone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return (time) => format.format(time);
}

describe('a schedule', () => {
  test.each(['*/15 * * * *', '0 9 * * 1-5', '*/10 * * * * *', '  0 0 1 * *  '])('%j is accepted', (cron) => {
    expect(read(CRON, cron, 'schedule')).toBe(cron.trim());
  });

  test.each([
    '0 0 9 * * 1 2027',
    '* * * *',
    '@daily',
    '61 * * * *',
    'every day',
    '',
    '0 0 31 2 *',
    undefined,
    5,
    { cron: 'x' },
  ])('%j is refused with what is wanted', (cron) => {
    expect(() => read(CRON, cron, 'schedule')).toThrow(/^schedule: .*5 or 6 fields.*$/u);
  });

  test('an unknown zone is refused', () => {
    expect(() => read(TIMEZONE, 'Mars/Olympus', 'timezone')).toThrow(
      /^timezone: "Mars\/Olympus" is not known/u,
    );
  });

  test.each<[unknown, boolean]>([
    ['Europe/Berlin', true],
    ['UTC', true],
    ['Australia/Lord_Howe', true],
    ['+02:00', false],
    ['Berlin', false],
    ['', false],
    [undefined, false],
    [7, false],
  ])('zone %j: %s', (zone, known) => {
    expect(isTimezone(zone)).toBe(known);
  });
});

describe('clock changes', () => {
  const ZONES = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'America/Santiago',
    'Australia/Lord_Howe',
    'Asia/Beirut',
    'Asia/Kathmandu',
    'Pacific/Chatham',
  ];
  const CLOCKS = ['00:00', '00:30', '01:45', '02:15', '02:30', '03:00', '09:00'];

  test.each(ZONES)(
    'a year of daily slots in %s: one each day, at its time or right after the skipped hour',
    { tags: 'long' },
    (timezone) => {
      const local = reader(timezone);
      for (const clock of CLOCKS) {
        const [hour, minute] = clock.split(':').map(Number);
        const schedule = { cron: `${minute} ${hour} * * *`, timezone };
        const days: string[] = [];
        for (let slot = nextSlot(schedule, at('2026-01-01T12:00Z')); slot <= at('2027-01-01T12:00Z'); ) {
          const day = local(slot).slice(0, 10);
          const wanted = `${day} ${clock}`;
          days.push(day);
          // If it is another time, the clock passed the wanted one in this minute.
          if (local(slot) !== wanted)
            expect([local(slot - MINUTE) < wanted, local(slot) > wanted]).toEqual([true, true]);
          slot = nextSlot(schedule, slot);
        }
        expect(new Set(days).size).toBe(365);
        expect(days).toHaveLength(365);
      }
    },
  );

  test.each([
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', ['2026-10-03T15:30', '2026-10-04T15:15']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z', ['2026-04-04T14:45', '2026-04-05T15:15']],
    ['30 2 * * 0', 'America/New_York', '2026-03-07T12:00Z', ['2026-03-08T07:00', '2026-03-15T06:30']],
  ])('%s in %s', (cron, timezone, from, expected) => {
    const first = nextSlot({ cron, timezone }, at(from));
    expect([iso(first), iso(nextSlot({ cron, timezone }, first))]).toEqual(expected);
  });

  test.each(['Europe/Berlin', 'Australia/Lord_Howe'])(
    'in %s a poll every ten minutes is never skipped',
    (timezone) => {
      const schedule = { cron: '*/10 * * * *', timezone };
      for (const day of ['2026-03-28', '2026-04-04', '2026-10-03', '2026-10-24'])
        for (let slot = at(`${day}T12:00Z`), end = slot + DAY; slot < end; ) {
          const next = nextSlot(schedule, slot);
          expect(next - slot).toBe(10 * MINUTE);
          slot = next;
        }
    },
  );

  test('a slot is strictly after the given moment', () => {
    const schedule = { cron: '0 9 * * *', timezone: 'UTC' };
    expect(iso(nextSlot(schedule, at('2026-11-21T08:59:59.999Z')))).toBe('2026-11-21T09:00');
    expect(iso(nextSlot(schedule, at('2026-11-21T09:00:00.000Z')))).toBe('2026-11-22T09:00');
  });

  test('six fields count seconds', () => {
    const schedule = { cron: '*/20 * * * * *', timezone: 'UTC' };
    expect(nextSlot(schedule, at('2026-11-21T09:00:01Z'))).toBe(at('2026-11-21T09:00:20Z'));
  });
});

test('the interval is the time between the next two slots', () => {
  expect(intervalOf({ cron: '*/15 * * * *', timezone: 'UTC' }, at('2026-11-21T09:03Z'))).toBe(15 * MINUTE);
  expect(intervalOf({ cron: '0 9 * * 1', timezone: 'UTC' }, at('2026-11-21T09:03Z'))).toBe(7 * DAY);
});

describe('the next poll', () => {
  const quarter = { cron: '*/15 * * * *', timezone: 'UTC' };
  const hourly = { cron: '0 * * * *', timezone: 'UTC' };
  const ids = Array.from({ length: 200 }, (_, n) => `subscription-${n}`);
  const now = at('2026-11-21T09:03Z');

  test('is the slot plus a jitter of at most a tenth of the interval and five minutes', () => {
    const lateness = (schedule: typeof quarter) =>
      ids.map((id) => nextPoll(schedule, id, now, 5 * MINUTE) - nextSlot(schedule, now));
    expect(Math.min(...lateness(quarter))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...lateness(quarter))).toBeLessThanOrEqual(1.5 * MINUTE);
    expect(Math.max(...lateness(quarter))).toBeGreaterThan(MINUTE);
    expect(Math.max(...lateness(hourly))).toBeLessThanOrEqual(5 * MINUTE);
    expect(new Set(lateness(quarter)).size).toBeGreaterThan(150);
  });

  test('keeps its jitter, so that polls stay an interval apart', () => {
    for (const id of ids.slice(0, 20)) {
      const first = nextPoll(quarter, id, now, 5 * MINUTE);
      expect(nextPoll(quarter, id, now + MINUTE, 5 * MINUTE)).toBe(first);
      expect(nextPoll(quarter, id, first, 5 * MINUTE) - first).toBe(15 * MINUTE);
    }
    expect(shareOf('a')).toBe(shareOf('a'));
    expect(shareOf('a')).not.toBe(shareOf('b'));
  });

  test('never comes sooner than the shortest interval', () => {
    const everySecond = { cron: '* * * * * *', timezone: 'UTC' };
    for (const id of ids)
      for (const schedule of [everySecond, quarter])
        for (const last of [now, at('2026-11-21T09:14:59Z')])
          expect(nextPoll(schedule, id, last, 5 * MINUTE) - last).toBeGreaterThanOrEqual(5 * MINUTE);
  });

  test('is due now after missed slots, which are one poll', () => {
    const longAgo = at('2026-11-01T00:00Z');
    const next = nextPoll(quarter, 'a', longAgo, 5 * MINUTE);
    expect(next).toBeLessThan(now);
    expect(nextPoll(quarter, 'a', now, 5 * MINUTE)).toBeGreaterThan(now);
  });
});
