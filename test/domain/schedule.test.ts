// Times through clock changes of whole and half hours: a slot in the skipped hour comes once right after it, and one
// in the repeated hour once; a subscription keeps its jitter; and what many subscriptions share is computed once.
import { Cron, CronPattern } from 'croner';
import { afterEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { read } from '../../src/domain/input.js';
import {
  CRON,
  intervalOf,
  isTimezone,
  nextPoll,
  nextSlot,
  type Schedule,
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
  test.each(['*/15 * * * *', '0 9 * * 1-5', '*/10 * * * * *', '  0 0 1 * *  ', '0  9  * * *'])(
    '%j is accepted',
    (cron) => {
      expect(read(CRON, cron, 'schedule')).toBe(cron.trim());
    },
  );

  test.each<[unknown, string]>([
    ['0 0 9 * * 1 2027', 'is not usable'],
    ['* * * *', 'is not usable'],
    ['@daily', 'is not usable'],
    ['61 * * * *', 'is not usable'],
    ['every day', 'is not usable'],
    ['', 'is not usable'],
    ['0 0 31 2 *', 'never comes'],
    [undefined, 'is not usable'],
    [5, 'is not usable'],
    [{ cron: 'x' }, 'is not usable'],
  ])('%j is refused with the fault and what is wanted', (cron, fault) => {
    expect(() => read(CRON, cron, 'schedule')).toThrow(
      new RegExp(`^schedule: .* ${fault}; wanted a cron expression of 5 or 6 fields .*$`, 'u'),
    );
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
    ['Etc/GMT+5', true],
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

test('a schedule that never comes has no slot and no poll, and counts as daily', () => {
  const never = { cron: '0 0 31 2 *', timezone: 'UTC' };
  const now = at('2026-11-21T09:03Z');
  expect(nextSlot(never, now)).toBe(Number.POSITIVE_INFINITY);
  expect(nextPoll(never, 'a', now, 5 * MINUTE)).toBe(Number.POSITIVE_INFINITY);
  expect(intervalOf(never, now)).toBe(DAY);
});

describe('what many subscriptions share', () => {
  const now = at('2026-11-21T09:03Z');
  const YEAR = 366 * DAY;
  const parses = () => vi.spyOn(CronPattern.prototype as unknown as { parse(): void }, 'parse');
  const lookups = () => vi.spyOn(Cron.prototype, 'nextRun');
  const zones = () => vi.spyOn(Intl, 'DateTimeFormat');
  let last = 0;

  /** A schedule that no test had before. Its slots are a year apart. */
  function another(timezone = 'Pacific/Nauru'): Schedule {
    last++;
    const cron = `${last % 60} ${Math.floor(last / 60) % 24} ${1 + Math.floor(last / 1440)} 7 *`;
    return { cron, timezone };
  }

  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each<[string, () => MockInstance, (one: Schedule, round: number) => unknown]>([
    ['the same slot is not computed', lookups, (one, round) => nextSlot(one, now + round)],
    [
      'the expression is not parsed for later slots',
      parses,
      (one, round) => nextSlot(one, now + round * YEAR),
    ],
    ['an expression is not checked', parses, ({ cron }) => read(CRON, cron, 'schedule')],
    ['a zone is not checked', zones, ({ timezone }) => isTimezone(timezone)],
  ])('costs little when asked for again: %s', (_what, watch, ask) => {
    const shared = Intl.supportedValuesOf('timeZone').slice(0, 10).map(another);
    const work = watch();
    for (let round = 0; round < 10; round++) for (const one of shared) ask(one, round);
    // Once for each of the ten, and once more if what was known was dropped meanwhile.
    expect(work.mock.calls.length).toBeLessThanOrEqual(20);
  });

  /** True if a schedule is parsed again after so many others were asked for. */
  function isDisplaced(others: number, ask: (one: Schedule, later: number) => unknown): boolean {
    const first = another();
    ask(first, 0);
    for (let n = 0; n < others; n++) ask(another(), 0);
    const work = parses();
    ask(first, YEAR);
    return work.mock.calls.length > 0;
  }

  test('takes bounded memory: 300 others displace a parsed expression', () => {
    expect(isDisplaced(300, (one, later) => nextSlot(one, now + later))).toBe(true);
  });

  test.each<[string, (one: Schedule) => unknown]>([
    ['a slot', (one) => nextSlot(one, now)],
    ['a valid expression', ({ cron }) => read(CRON, cron, 'schedule')],
  ])('takes bounded memory: 5,100 others displace %s', { tags: 'long' }, (_what, ask) => {
    expect(isDisplaced(5100, ask)).toBe(true);
  });

  test('takes bounded memory: later slots displace the former slots of a schedule', () => {
    const schedule = { cron: '*/5 * * * *', timezone: 'Pacific/Nauru' };
    let slot = now;
    for (let n = 0; n < 20; n++) slot = nextSlot(schedule, slot);
    const work = lookups();
    nextSlot(schedule, now);
    expect(work).toHaveBeenCalledTimes(1);
  });
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
