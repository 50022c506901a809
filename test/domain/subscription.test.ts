// An entry becomes a subscription or is refused with every fault named; no part of it is ignored silently.
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import {
  backFrom,
  destinationEntry,
  destinationId,
  destinationOfReader,
  isPaused,
  isPauseOver,
  leftFrom,
  OPERATOR,
  parseSubscription,
  pausedFrom,
  readerOf,
  resumedFrom,
  type Subscription,
  type SubscriptionContext,
} from '../../src/domain/subscription.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const context: SubscriptionContext = {
  origin: 'file',
  now: NOW,
  liveSchedule: '*/15 * * * *',
  defaultTimezone: 'UTC',
  parseTarget(sink, target) {
    if (sink !== 'console' && sink !== 'email') throw new UserError(`sink: "${sink}" is not known.`);
    if (sink === 'email' && typeof target !== 'string') throw new UserError('target: wanted an address.');
    return String(target ?? '');
  },
};
const read = (entry: unknown) => parseSubscription(entry, context);
const least = { id: 'a', destinations: [{ sink: 'console' }] };

function faultsOf(entry: unknown): string[] {
  try {
    read(entry);
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n');
    throw error;
  }
  return [];
}

test('accepts the shortest entry', () => {
  expect(read(least)).toEqual({
    id: 'a',
    account: OPERATOR,
    origin: 'file',
    filter: { tags: [], include: [], exclude: [], payUnknown: 'keep', limit: 100 },
    schedule: { cron: '*/15 * * * *', timezone: 'UTC' },
    destinations: [
      {
        id: destinationId('console', ''),
        sink: 'console',
        target: '',
        cadence: { every: 'immediate', timezone: 'UTC' },
      },
    ],
    newest: 0,
    reposts: false,
    createdAt: NOW,
  });
});

test('reports a fault that several destinations share once', () => {
  const cadence = { weekly: 'funday', at: '25:00' };
  const destinations = [
    { sink: 'console', cadence },
    { sink: 'email', target: 'me@example.org', cadence },
  ];
  expect(faultsOf({ ...least, destinations })).toEqual([
    'subscription a: weekly: "funday" is not a day; wanted one such as monday.',
    'subscription a: at: "25:00" is not a time of day; wanted HH:MM such as "09:00".',
  ]);
});

test('refuses an account for which no token could be set', () => {
  expect(read({ ...least, account: 'discord:42' }).account).toBe('discord:42');
  expect(faultsOf({ ...least, account: '../../etc' })).toEqual([
    expect.stringMatching(/account: wanted 1 to 64/u),
  ]);
});

test('accepts an entry with every field', () => {
  const entry = {
    id: 'rust-remote.2',
    account: 'discord:1',
    filter: { tags: ['rust'], country: 'Germany' },
    schedule: 'hourly',
    timezone: 'Europe/Berlin',
    newest: '5',
    reposts: true,
    paused: true,
    locale: 'de',
    destinations: [
      {
        sink: 'email',
        target: 'me@example.org',
        consented: true,
        cadence: { weekly: 'monday', at: '08:30' },
        timezone: 'Asia/Kathmandu',
        quiet: { from: '22:00', to: '07:00' },
        cap: 20,
        options: { mention: '<@&1>', loud: true },
      },
      { sink: 'console', cadence: 'hourly' },
    ],
  };
  expect(read(entry)).toMatchObject({
    account: 'discord:1',
    schedule: { cron: '0 * * * *', timezone: 'Europe/Berlin' },
    newest: 5,
    reposts: true,
    pausedAt: NOW,
    pausedInFile: true,
    locale: 'de',
    destinations: [
      {
        cadence: { every: 'weekly', day: 'monday', at: '08:30', timezone: 'Asia/Kathmandu' },
        quiet: { timezone: 'Asia/Kathmandu' },
        consented: true,
        cap: 20,
        options: { mention: '<@&1>', loud: true },
      },
      { cadence: { every: 'hourly', timezone: 'Europe/Berlin' } },
    ],
  });
});

test('reports every fault of an entry together, with its id first', () => {
  const faults = faultsOf({
    id: 'bad',
    account: 123456789012345680,
    filter: { tags: ['solidty'], limit: 0 },
    schedule: '0 0 1 1 1 1 2027',
    timezone: 'Mars/X',
    newest: 101,
    reposts: 'yes',
    paused: 'no',
    locale: 7,
    when: 'now',
    destinations: [
      { sink: 'pigeon', cadence: 'monthly', cap: 0, consented: 'yes', options: { secret: 5 }, wings: 2 },
      'console',
      { sink: 'console', timezone: 'Mars/Y' },
    ],
  });
  for (const fault of faults) expect(fault).toMatch(/^subscription bad: /u);
  const all = faults.join('\n');
  for (const word of [
    '"when" is not a field',
    'account: wanted text',
    '"solidty"',
    'limit: wanted',
    '"0 0 1 1 1 1 2027"',
    '"Mars/X"',
    'newest: wanted',
    'reposts: wanted true or false',
    'paused: wanted true or false',
    'locale: wanted text',
    'sink: "pigeon" is not known',
    'cadence: "monthly"',
    'cap: wanted',
    'consented: wanted true or false',
    'options: wanted',
    '"wings" is not a field',
    'destination: wanted { sink, target, cadence }',
    '"Mars/Y"',
  ])
    expect(all).toContain(word);
  expect(faults).toHaveLength(18);
});

test.each([[], null, 'a', 5])('%j is not an entry', (entry) => {
  expect(faultsOf(entry)).toEqual([expect.stringMatching(/^subscription \(without id\): wanted an entry/u)]);
});

test.each(['', 'a b', 'x'.repeat(65), undefined, {}, 'a/b'])('id %j is refused', (id) => {
  expect(faultsOf({ ...least, id })).toEqual([expect.stringContaining('id: wanted 1 to 64')]);
});

test('is refused without destinations', () => {
  for (const destinations of [undefined, [], 'console'])
    expect(faultsOf({ id: 'a', destinations })).toEqual([expect.stringContaining('at least one')]);
});

test('refuses the same place twice; a target and its sink are the identity', () => {
  const email = { sink: 'email', target: 'a@example.org' };
  expect(faultsOf({ id: 'a', destinations: [email, { ...email, cadence: 'daily' }] })).toEqual([
    expect.stringContaining('listed twice'),
  ]);
  expect(destinationId('email', 'a')).toBe(destinationId('email', 'a'));
  expect(destinationId('email', 'a')).not.toBe(destinationId('webhook', 'a'));
});

test('checks a zone that comes from outside the entry', () => {
  expect(() => parseSubscription(least, { ...context, defaultTimezone: 'Mars/X' })).toThrow(
    /^subscription a: timezone: "Mars\/X" is not known/u,
  );
});

test('refuses a language without texts, where the language does not come from a device', () => {
  const listed = { ...context, languages: ['en', 'de'] };
  const fault = /^subscription a: locale: wanted one of en, de, got "xx"/u;
  expect(() => parseSubscription({ ...least, locale: 'xx' }, listed)).toThrow(fault);
  expect(parseSubscription({ ...least, locale: 'de-AT' }, listed).locale).toBe('de-AT');
  expect(read({ ...least, locale: 'ja' }).locale).toBe('ja');
});

test('does not report a bug of a sink as a fault of the entry', () => {
  const broken = { ...context, parseTarget: () => JSON.parse('{') };
  expect(() => parseSubscription(least, broken)).toThrow(SyntaxError);
});

describe('pause and resume', () => {
  const active = read(least);

  test('each ends the other, any number of times', () => {
    const paused = pausedFrom(active, NOW);
    expect([isPaused(active), isPaused(paused)]).toEqual([false, true]);
    expect(pausedFrom(paused, NOW + 5)).toBe(paused);
    const resumed = resumedFrom(paused, NOW);
    expect(isPaused(resumed)).toBe(false);
    expect(isPaused(pausedFrom(resumed, NOW))).toBe(true);
  });

  test('also when the clock is set back', () => {
    const resumed = resumedFrom(pausedFrom(active, NOW), NOW - 86_400_000);
    expect(isPaused(resumed)).toBe(false);
    const again = pausedFrom(resumed, NOW - 86_400_000);
    expect(isPaused(again)).toBe(true);
    expect(isPaused(resumedFrom(again, NOW - 86_400_000))).toBe(false);
  });

  test('every resume has a different time, and removes the mark that the server was left', () => {
    const first = resumedFrom({ ...active, leftGuildAt: NOW }, NOW);
    expect(first).not.toHaveProperty('leftGuildAt');
    expect(resumedFrom(first, NOW).resumedAt).not.toBe(first.resumedAt);
  });
});

describe('pauses', () => {
  const active = read(least);
  const LATER = NOW + 60_000;

  test('last from a pause to a resume that is later', () => {
    expect(isPaused({})).toBe(false);
    expect(isPaused({ pausedAt: 1 })).toBe(true);
    expect(isPaused({ pausedAt: 5, resumedAt: 5 })).toBe(false);
    expect(isPaused({ pausedAt: 6, resumedAt: 5 })).toBe(true);
  });

  test('of the same end are one pause', () => {
    const paused = pausedFrom(active, NOW, LATER);
    expect(pausedFrom(paused, NOW + 1, LATER)).toBe(paused);
    expect(pausedFrom(paused, NOW + 1)).toEqual({ ...active, pausedAt: NOW });
  });

  test('with an end are over from then on, unless the bot left the server', () => {
    const paused = pausedFrom(active, NOW, LATER);
    expect(isPauseOver(paused, LATER - 1)).toBe(false);
    expect(isPauseOver(paused, LATER)).toBe(true);
    expect(isPauseOver(pausedFrom(active, NOW), LATER)).toBe(false);
    expect(isPauseOver({ ...paused, resumedAt: LATER }, LATER)).toBe(false);
    expect(isPauseOver(leftFrom(paused, NOW + 1), LATER)).toBe(false);
  });
});

describe('a server that the bot left', () => {
  const active = read(least);

  test('stops its subscription, which resumes when the bot is back', () => {
    const left = leftFrom(active, NOW);
    expect(left).toEqual({ ...active, pausedAt: NOW, leftGuildAt: NOW });
    expect(leftFrom(left, NOW + 5)).toBe(left);
    expect(backFrom(left, NOW + 9)).toEqual({ ...active, pausedAt: NOW, resumedAt: NOW + 9 });
    expect(backFrom(active, NOW)).toBe(active);
  });

  test('leaves a pause of the owner as it is', () => {
    const paused = pausedFrom(active, NOW);
    const left = leftFrom(paused, NOW);
    expect(left).toEqual({ ...paused, leftGuildAt: NOW + 1 });
    expect(leftFrom(paused, NOW + 7).leftGuildAt).toBe(NOW + 7);
    expect(backFrom(left, NOW + 9)).toEqual(paused);
  });
});

describe('the name of a reader', () => {
  test('is the account, or each destination of the operator', () => {
    expect(readerOf('discord:1', 'd')).toBe('discord:1');
    expect(readerOf(OPERATOR, 'd')).toBe('operator/d');
    expect(destinationOfReader('operator/d')).toBe('d');
    expect(destinationOfReader('discord:1')).toBeUndefined();
    expect(destinationOfReader('x/operator/')).toBeUndefined();
  });
});

test('a destination is written as in the subscriptions file, and read as the same', () => {
  const quiet = { from: '22:00', to: '07:00' };
  const [one] = read({
    ...least,
    destinations: [{ sink: 'console', target: 'a', cadence: { daily: '09:00' }, quiet }],
  }).destinations as [Subscription['destinations'][number]];
  const entry = destinationEntry(one);
  expect(entry).toMatchObject({ sink: 'console', target: 'a', timezone: 'UTC', quiet });
  expect(entry).not.toHaveProperty('id');
  expect(read({ ...least, destinations: [entry] }).destinations).toEqual([one]);
  const [plain] = read(least).destinations as [Subscription['destinations'][number]];
  expect(destinationEntry(plain)).not.toHaveProperty('quiet');
});

test('the id of a destination has 12 characters and depends on sink and target', () => {
  expect(destinationId('console', 'a')).toMatch(/^[\w-]{12}$/u);
  expect(destinationId('console', 'a')).not.toBe(destinationId('console', 'b'));
  expect(destinationId('console', 'a')).not.toBe(destinationId('email', 'a'));
});
