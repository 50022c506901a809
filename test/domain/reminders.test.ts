// When a person is reminded: three days before the last day to apply, and seven days after they applied.
import { describe, expect, test } from 'vitest';
import { dueReminder, nextMorning, reminded, remindLater } from '../../src/domain/reminders.js';
import { type Marked, moved } from '../../src/domain/stages.js';

const DAY = 86_400_000;
const at = (text: string) => Date.parse(text);
const saved = (marked: Partial<Marked> = {}) => ({
  mark: 'saved' as const,
  at: at('2026-11-01T12:00Z'),
  posting: { key: 'id:1', applyBy: { day: '2026-11-30', words: 'Apply by 30 November 2026' } },
  ...marked,
});
const applied = (marked: Partial<Marked> = {}) => saved({ mark: 'applied', ...marked });

describe('the deadline of a saved posting', () => {
  test.each([
    ['2026-11-26T23:59Z', 'UTC', undefined],
    ['2026-11-27T00:00Z', 'UTC', 'deadline'],
    ['2026-11-30T23:59Z', 'UTC', 'deadline'],
    ['2026-12-01T00:00Z', 'UTC', undefined],
    ['2026-11-26T23:30Z', 'Europe/Berlin', 'deadline'],
    ['2026-11-27T04:30Z', 'America/New_York', undefined],
    ['2026-12-01T04:30Z', 'America/New_York', 'deadline'],
  ])('at %s in %s: %s', (now, timezone, kind) => {
    expect(dueReminder(saved(), timezone, at(now))).toBe(kind);
  });

  test('is told once, and not for a posting without one', () => {
    const now = at('2026-11-28T09:00Z');
    expect(dueReminder(reminded(saved(), now), 'UTC', now + DAY)).toBeUndefined();
    expect(dueReminder({ ...saved(), posting: { key: 'id:1' } }, 'UTC', now)).toBeUndefined();
    for (const mark of ['applied', 'interview', 'offer', 'closed', 'dismissed'] as const)
      expect(dueReminder(saved({ mark, at: now - DAY }), 'UTC', now)).toBeUndefined();
  });

  test('counts over the end of a month', () => {
    const posting = { key: 'id:1', applyBy: { day: '2026-03-02', words: '' } };
    expect(dueReminder({ ...saved(), posting }, 'UTC', at('2026-02-27T00:00Z'))).toBe('deadline');
    expect(dueReminder({ ...saved(), posting }, 'UTC', at('2026-02-26T23:00Z'))).toBeUndefined();
  });
});

describe('an application without an answer', () => {
  const from = at('2026-11-08T12:00Z');

  test.each([
    [-1, undefined],
    [0, 'reply'],
    [7 * DAY - 1, 'reply'],
    [7 * DAY, undefined],
  ])('%i ms after its seventh day: %s', (after, kind) => {
    expect(dueReminder(applied(), 'UTC', from + after)).toBe(kind);
  });

  test('is asked about once, and again a week after the person wants that', () => {
    const asked = reminded(applied(), from);
    expect(dueReminder(asked, 'UTC', from + DAY)).toBeUndefined();
    const later = remindLater(asked, from + DAY);
    expect(dueReminder(later, 'UTC', from + 8 * DAY - 1)).toBeUndefined();
    expect(dueReminder(later, 'UTC', from + 8 * DAY)).toBe('reply');
    expect(dueReminder(reminded(later, from + 8 * DAY), 'UTC', from + 9 * DAY)).toBeUndefined();
  });

  test('a mark that is set again changes nothing, and another stage starts again', () => {
    const asked = reminded(applied(), from);
    expect(dueReminder({ ...asked, ...moved(asked, 'applied', from) }, 'UTC', from + 1)).toBeUndefined();
    const back = moved(moved(asked, 'saved', from), 'applied', from);
    expect(dueReminder({ ...back, posting: asked.posting }, 'UTC', from + 7 * DAY)).toBe('reply');
  });
});

test('the next morning is nine o’clock where the person is, also when the clocks change', () => {
  const next = (zone: string, after: string) => new Date(nextMorning(zone, at(after))).toISOString();
  expect(next('Europe/Berlin', '2026-11-24T07:59:59Z')).toBe('2026-11-24T08:00:00.000Z');
  expect(next('Europe/Berlin', '2026-11-24T08:00:00Z')).toBe('2026-11-25T08:00:00.000Z');
  expect(next('Europe/Berlin', '2026-03-28T09:00:00Z')).toBe('2026-03-29T07:00:00.000Z');
  expect(next('Asia/Kolkata', '2026-11-24T04:00:00Z')).toBe('2026-11-25T03:30:00.000Z');
});
