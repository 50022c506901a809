// How often a destination gets an edition, and when its quiet hours are.

import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import {
  CADENCE,
  cadenceEntry,
  dueSlot,
  lastWeek,
  localDay,
  nextDayAt,
  nextEditionAt,
  QUIET,
  quietUntil,
  staysQuiet,
} from '../../src/domain/cadence.js';
import { UserError } from '../../src/domain/errors.js';
import { read } from '../../src/domain/input.js';

const BERLIN = 'Europe/Berlin';
const iso = (time: number | undefined) => time && new Date(time).toISOString().slice(0, 16);
const at = (text: string) => Date.parse(text);
const parseCadence = (value: unknown, timezone: string) => ({
  timezone,
  ...read(v.optional(CADENCE, 'immediate'), value, 'cadence'),
});
const parseQuietHours = (value: unknown, timezone: string) => ({
  timezone,
  ...read(QUIET, value, 'quiet hours'),
});

function faultsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('a cadence', () => {
  test.each<[unknown, object]>([
    [undefined, { every: 'immediate' }],
    ['immediate', { every: 'immediate' }],
    ['hourly', { every: 'hourly' }],
    ['daily', { every: 'daily', at: '09:00' }],
    ['weekly', { every: 'weekly', day: 'monday', at: '09:00' }],
    [{ hourly: true }, { every: 'hourly' }],
    [
      { hourly: true, cron: '*/5 * * * *' },
      { every: 'hourly', cron: '*/5 * * * *' },
    ],
    [{ daily: '7:05' }, { every: 'daily', at: '07:05' }],
    [{ daily: ' 7:05 ' }, { every: 'daily', at: '07:05' }],
    [
      { weekly: 'Friday', at: '18:30' },
      { every: 'weekly', day: 'friday', at: '18:30' },
    ],
    [{ weekly: 'sunday' }, { every: 'weekly', day: 'sunday', at: '09:00' }],
    [
      { weekly: 'monday', cron: '*/1 * * * *' },
      { every: 'weekly', day: 'monday', at: '09:00', cron: '*/1 * * * *' },
    ],
  ])('%j', (value, expected) => {
    const cadence = parseCadence(value, BERLIN);
    expect(cadence).toEqual({ timezone: BERLIN, ...expected });
    expect(parseCadence(cadenceEntry(cadence), cadence.timezone)).toEqual(cadence);
  });

  test('can have its own zone', () => {
    expect(parseCadence({ daily: '09:00', timezone: 'Asia/Kathmandu' }, BERLIN).timezone).toBe(
      'Asia/Kathmandu',
    );
  });

  test.each<[unknown, RegExp[]]>([
    ['monthly', [/^cadence: "monthly" is not known; wanted immediate,/u]],
    ['constructor', [/^cadence:/u]],
    [7, [/^cadence: 7/u]],
    [{}, [/^cadence: a group of fields is not known/u]],
    [{ daily: '25:00' }, [/^daily: "25:00" is not a time of day/u]],
    [{ daily: '09:000' }, [/^daily: "09:000" is not a time of day/u]],
    [{ daily: '09:00', at: '10:00' }, [/^at: can only be used with weekly/u]],
    [{ hourly: false }, [/^hourly: wanted true, got false/u]],
    [{ daily: 9 }, [/^daily: 9 is not a time of day/u]],
    [{ daily: '09:00', weekly: 'monday' }, [/^cadence:/u]],
    [
      { weekly: 'someday', at: 'noon', cron: '* * *', timezone: 'Mars/X', day: 1 },
      [
        /^weekly: "someday"/u,
        /^at: "noon"/u,
        /^timezone: "Mars\/X"/u,
        /^schedule:/u,
        /"day" is not a field/u,
      ],
    ],
  ])('%j is refused with all its faults', (value, faults) => {
    expect(faultsOf(() => parseCadence(value, BERLIN))).toEqual(
      faults.map((fault) => expect.stringMatching(fault)),
    );
  });

  test.each([{ hourly: true }, { daily: '09:00' }, { weekly: 'monday' }])(
    '%j in an unknown zone is refused when it is read, not at its slot',
    (form) => {
      for (const timezone of ['Mars/Olympus', 5])
        expect(faultsOf(() => parseCadence({ ...form, timezone }, BERLIN))).toEqual([
          expect.stringMatching(/^timezone: (?:"Mars\/Olympus"|5) is not known/u),
        ]);
    },
  );
});

describe('the next edition', () => {
  const next = (form: unknown, after: string, timezone = BERLIN) =>
    iso(nextEditionAt(parseCadence(form, timezone), at(after)));

  test('immediate is now', () => {
    expect(next('immediate', '2026-11-21T10:10Z')).toBe('2026-11-21T10:10');
  });

  test('slots are local to the reader', () => {
    expect(next('hourly', '2026-11-21T10:10Z')).toBe('2026-11-21T11:00');
    expect(next('hourly', '2026-11-21T10:10Z', 'Asia/Kathmandu')).toBe('2026-11-21T10:15');
    expect(next({ daily: '09:00' }, '2026-11-21T08:00Z')).toBe('2026-11-22T08:00');
    expect(next({ weekly: 'monday', at: '09:00' }, '2026-11-21T10:10Z')).toBe('2026-11-23T08:00');
    expect(next({ weekly: 'sunday' }, '2026-11-21T10:10Z')).toBe('2026-11-22T08:00');
  });

  test('slots of a cron expression replace those of the cadence', () => {
    expect(next({ weekly: 'monday', cron: '*/5 * * * *' }, '2026-11-21T10:11Z')).toBe('2026-11-21T10:15');
  });

  test('a stored weekly cadence without a day and a time is due on Monday at midnight', () => {
    const cadence = { every: 'weekly', timezone: BERLIN } as const;
    expect(iso(nextEditionAt(cadence, at('2026-11-21T10:10Z')))).toBe('2026-11-22T23:00');
  });

  test("nine o'clock stays nine o'clock when daylight saving begins or ends", () => {
    expect(next({ weekly: 'monday', at: '09:00' }, '2026-03-23T12:00Z')).toBe('2026-03-30T07:00');
    expect(next({ weekly: 'monday', at: '09:00' }, '2026-10-19T12:00Z')).toBe('2026-10-26T08:00');
  });
});

describe('pending postings are due', () => {
  // A daily edition at nine in Berlin, which is eight in UTC.
  test.each<[string, string, string, string, string]>([
    ['at the next slot', '2026-11-20T08:00Z', '2026-11-20T10:00Z', '2026-11-20T12:00Z', '2026-11-21T08:00'],
    [
      'at the slot after the posting',
      '2026-11-16T08:00Z',
      '2026-11-20T08:30Z',
      '2026-11-20T12:00Z',
      '2026-11-21T08:00',
    ],
    [
      'at the latest of the slots that were missed',
      '2026-11-17T08:00Z',
      '2026-11-17T09:00Z',
      '2026-11-20T12:00Z',
      '2026-11-20T08:00',
    ],
    [
      'in the minute of the slot, after others were missed',
      '2026-11-17T08:00Z',
      '2026-11-17T09:00Z',
      '2026-11-20T08:00Z',
      '2026-11-20T08:00',
    ],
    [
      'at the next slot, if the last edition is in the future',
      '2026-12-24T08:00Z',
      '2026-11-20T10:00Z',
      '2026-11-20T12:00Z',
      '2026-11-21T08:00',
    ],
  ])('%s', (_when, lastEdition, oldest, now, due) => {
    const daily = parseCadence({ daily: '09:00' }, BERLIN);
    expect(iso(dueSlot(daily, at(lastEdition), at(oldest), at(now)))).toBe(due);
  });

  test('now, if the cadence is immediate', () => {
    const now = at('2026-11-20T12:00Z');
    expect(dueSlot(parseCadence('immediate', BERLIN), now - 5, now - 9, now)).toBe(now);
  });
});

test('days are those of the reader', () => {
  expect(localDay(BERLIN, at('2026-11-21T22:59Z'))).toBe('2026-11-21');
  expect(localDay(BERLIN, at('2026-11-21T23:00Z'))).toBe('2026-11-22');
  expect(localDay('America/New_York', at('2026-11-21T23:00Z'))).toBe('2026-11-21');
  expect(iso(nextDayAt(BERLIN, at('2026-11-21T22:59Z')))).toBe('2026-11-21T23:00');
  expect(iso(nextDayAt('America/New_York', at('2026-11-21T22:59Z')))).toBe('2026-11-22T05:00');
});

test('quiet hours apply to editions whose hour the reader did not choose', () => {
  const all = ['immediate', 'hourly', 'daily', 'weekly'] as const;
  expect(all.map(staysQuiet)).toEqual([true, true, false, false]);
});

describe('quiet hours', () => {
  const night = parseQuietHours({ from: '22:00', to: '7:00' }, BERLIN);
  const until = (from: string, to: string, now: string, timezone = BERLIN) =>
    iso(quietUntil(parseQuietHours({ from, to }, timezone), at(now)));

  test('cover midnight', () => {
    expect(night).toEqual({ from: '22:00', to: '07:00', timezone: BERLIN });
    expect(iso(quietUntil(night, at('2026-11-21T20:59Z')))).toBeUndefined();
    expect(iso(quietUntil(night, at('2026-11-21T21:00Z')))).toBe('2026-11-22T06:00');
    expect(iso(quietUntil(night, at('2026-11-22T05:59:59Z')))).toBe('2026-11-22T06:00');
    expect(iso(quietUntil(night, at('2026-11-22T06:00Z')))).toBeUndefined();
  });

  test('within a day, and up to midnight', () => {
    expect(until('12:00', '13:30', '2026-11-21T10:59Z')).toBeUndefined();
    expect(until('12:00', '13:30', '2026-11-21T11:00Z')).toBe('2026-11-21T12:30');
    expect(until('12:00', '13:30', '2026-11-21T12:29:59Z')).toBe('2026-11-21T12:30');
    expect(until('12:00', '13:30', '2026-11-21T12:30Z')).toBeUndefined();
    expect(until('12:00', '13:30', '2026-11-21T13:00Z')).toBeUndefined();
    expect(until('20:00', '00:00', '2026-11-21T22:30Z')).toBe('2026-11-21T23:00');
    expect(until('20:00', '00:00', '2026-11-21T23:00Z')).toBeUndefined();
  });

  test('cover a night that is an hour shorter or longer', () => {
    expect(until('22:00', '07:00', '2026-03-28T22:00Z')).toBe('2026-03-29T05:00');
    expect(until('22:00', '07:00', '2026-10-24T22:00Z')).toBe('2026-10-25T06:00');
  });

  test('that end in the skipped hour end right after it', () => {
    expect(until('22:00', '02:30', '2026-03-29T00:50Z')).toBe('2026-03-29T01:00');
  });

  test('that end in the repeated hour end in the round in which they are asked for, not a day later', () => {
    expect(until('22:00', '02:30', '2026-10-24T23:50Z')).toBe('2026-10-25T00:30');
    expect(until('22:00', '02:30', '2026-10-25T00:10Z')).toBe('2026-10-25T00:30');
    expect(until('22:00', '02:30', '2026-10-25T00:40Z')).toBeUndefined();
    expect(until('22:00', '02:30', '2026-10-25T01:10Z')).toBe('2026-10-25T01:30');
    expect(until('22:00', '01:45', '2026-04-04T15:10Z', 'Australia/Lord_Howe')).toBe('2026-04-04T15:15');
    // The only zone whose clock goes back by two hours.
    expect(until('22:00', '02:30', '2026-10-25T01:10Z', 'Antarctica/Troll')).toBe('2026-10-25T02:30');
  });

  test('end within a day, at any time of a year in several zones', { tags: 'long' }, () => {
    for (const timezone of [BERLIN, 'Australia/Lord_Howe', 'America/Santiago']) {
      const quiet = parseQuietHours({ from: '21:30', to: '02:15' }, timezone);
      for (let now = at('2026-01-01T00:07Z'); now < at('2027-01-01T00:00Z'); now += 97 * 60_000) {
        const end = quietUntil(quiet, now);
        if (end === undefined) continue;
        expect(end).toBeGreaterThan(now);
        expect(end - now).toBeLessThanOrEqual(6.5 * 3_600_000);
        // In the repeated hour, the first round may end in the second.
        expect(quietUntil(quiet, end) ?? end).toBeLessThanOrEqual(end + 1.5 * 3_600_000);
      }
    }
  });

  test('are none if left out', () => {
    expect(quietUntil(undefined, 0)).toBeUndefined();
  });

  test.each<[unknown, number]>([
    [{ from: '22:00' }, 1],
    [{ from: '9', to: '25:00' }, 2],
    [{ from: '09:00', to: '9:00' }, 1],
    [{ from: '09:00', to: '10:00', tz: 'UTC' }, 1],
    ['at night', 1],
  ])('%j is refused', (value, count) => {
    const faults = faultsOf(() => parseQuietHours(value, BERLIN));
    expect(faults).toHaveLength(count);
    for (const fault of faults) expect(fault).toMatch(/^quiet /u);
  });
});

describe('the last week of a weekly cadence', () => {
  const weekly = parseCadence({ weekly: 'monday', at: '09:00' }, BERLIN);
  const week = (now: string) => Object.values(lastWeek(weekly, at(now)) ?? {}).map(iso);

  test.each([
    ['2026-11-23T08:00Z', ['2026-11-16T08:00', '2026-11-23T08:00']],
    ['2026-11-23T07:59Z', ['2026-11-09T08:00', '2026-11-16T08:00']],
    // The clocks go back on 25 October, and forward on 29 March.
    ['2026-10-26T12:00Z', ['2026-10-19T07:00', '2026-10-26T08:00']],
    ['2026-03-30T07:00Z', ['2026-03-23T08:00', '2026-03-30T07:00']],
  ])('at %s', (now, slots) => {
    expect(week(now)).toEqual(slots);
  });

  test('other cadences have none', () => {
    for (const cadence of [
      'immediate',
      'hourly',
      { daily: '09:00' },
      { weekly: 'monday', cron: '* * * * *' },
    ])
      expect(lastWeek(parseCadence(cadence, BERLIN), at('2026-11-23T08:00Z'))).toBeUndefined();
  });
});
