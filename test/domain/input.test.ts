// What people give is read strictly, and a fault shows what was given unless that may be a secret.
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { brief, faultOf, fields, oneOf, read, shown, TEXT, text, whole } from '../../src/domain/input.js';

/** The fault of a value; undefined when it is taken. */
function faultIn(schema: v.GenericSchema, value: unknown, what = 'field'): string | undefined {
  const { issues } = v.safeParse(schema, value);
  return issues?.map((issue) => faultOf(issue, what).says).join('\n');
}

describe('a value in a fault', () => {
  test.each([
    ['two plain words', '"two plain words"'],
    ['Frankfurt am Main', '"Frankfurt am Main"'],
    ['abc1234', '"abc1234"'],
    ['abc12345', 'a text of 8 characters'],
    ['*/5 * * * *', '"*/5 * * * *"'],
    ['abcdefghijklmnop', 'a text of 16 characters'],
    [['a', 'b'], 'a list of 2'],
    [{ a: 1 }, 'a group of fields'],
    [null, 'null'],
    [undefined, 'undefined'],
    [7, '7'],
    [true, 'true'],
  ])('%j is shown as %s', (value, as) => {
    expect(shown(value)).toBe(as);
  });

  test('plain words are hidden where only numbers and names are expected, if they are long', () => {
    expect(brief('correct horse battery')).toBe('a text of 21 characters');
    expect(brief('monthly')).toBe('"monthly"');
    expect(brief('12:30, 14:00')).toBe('"12:30, 14:00"');
  });
});

describe('a whole number', () => {
  test.each([
    [1, 1],
    [100, 100],
    ['1', 1],
    [' 42 ', 42],
    ['  7', 7],
    ['8  ', 8],
    ['007', 7],
  ])('%j is read as %i', (given, number) => {
    expect(read(whole(1, 100), given, 'n')).toBe(number);
  });

  test.each([0, 101, 1.5, '0', '101', '1.5', '4x', 'x4', '4 2', '', '-3', null, Number.NaN])(
    '%j is refused',
    (given) => {
      expect(faultIn(whole(1, 100), given)).toMatch(/^field: wanted a whole number from 1 to 100, got /u);
    },
  );

  test('one with too many digits is refused, because a number can not hold it exactly', () => {
    expect(faultIn(whole(0, Number.MAX_SAFE_INTEGER), '1234567890123')).toContain('wanted a whole number');
    expect(read(whole(0, Number.MAX_SAFE_INTEGER), '123456789012', 'n')).toBe(123_456_789_012);
  });
});

test('one of some words is read in any case', () => {
  const schema = oneOf(['daily', 'weekly']);
  expect(read(schema, 'Daily', 'every')).toBe('daily');
  expect(faultIn(schema, 'monthly', 'every')).toBe('every: wanted one of daily, weekly, got "monthly".');
});

test('a text is trimmed, and neither empty nor a number', () => {
  expect(read(TEXT, '  a b ', 'name')).toBe('a b');
  expect(faultIn(TEXT, '   ', 'name')).toBe('name: wanted text, got "".');
  expect(faultIn(TEXT, 123, 'name')).toBe('name: wanted text, in quotes when it is digits alone, got 123.');
});

test('a text that a function does not know is a fault with its words', () => {
  const schema = text((given) => (given === 'yes' ? 1 : undefined), 'the word yes');
  expect(read(schema, 'yes', 'answer')).toBe(1);
  expect(faultIn(schema, 'no', 'answer')).toBe('answer: wanted the word yes, got "no".');
  expect(faultIn(schema, 3, 'answer')).toBe('answer: wanted the word yes, got 3.');
});

describe('a group of fields', () => {
  const schema = fields(
    'entry',
    { name: TEXT, cap: v.optional(whole(1, 9)), schedule: v.optional(TEXT) },
    'entry: wanted a name.',
  );

  test('is read by name, and an empty or missing field counts as left out', () => {
    expect(read(schema, { name: 'a', cap: '3' }, 'entry')).toEqual({ name: 'a', cap: 3 });
    for (const cap of [null, undefined, ''])
      expect(read(schema, { name: 'a', cap }, 'entry')).toEqual({ name: 'a' });
    expect(faultIn(schema, { name: '', cap: 1 })).toBe('entry: name is missing.');
    expect(faultIn(schema, { name: 'a', cap: 0 })).toBe('cap: wanted a whole number from 1 to 9, got 0.');
  });

  test.each([[[]], ['text'], [null], [5]])('is not %j', (value) => {
    expect(faultIn(schema, value)).toBe('entry: wanted a name.');
  });

  test('with an unknown field names the one that was meant', () => {
    expect(faultIn(schema, { name: 'a', schedul: 'x' })).toBe(
      'entry: "schedul" is not a field; did you mean schedule?',
    );
    expect(faultIn(schema, { name: 'a', shedulx: 'x' })).toContain('did you mean schedule?');
    expect(faultIn(schema, { name: 'a', cup: 'x' })).toContain('did you mean cap?');
    expect(faultIn(schema, { name: 'a', cu: 'x' })).toBe(
      'entry: "cu" is not a field; wanted one of name, cap, schedule.',
    );
    expect(faultIn(schema, { name: 'a', other: '' })).toContain('"other" is not a field');
  });

  test('reports all faults at once, each with its place', () => {
    expect(faultIn(schema, { cap: 10, nam: 1 })?.split('\n').toSorted()).toEqual([
      'cap: wanted a whole number from 1 to 9, got 10.',
      'entry: "nam" is not a field; did you mean name?',
      'entry: name is missing.',
    ]);
    const { issues } = v.safeParse(schema, { name: 'a', schedul: 'x' });
    expect(issues?.map((issue) => faultOf(issue, 'entry').path)).toEqual([['schedul']]);
  });
});

describe('the words of a fault', () => {
  const issueOf = (message: string, ...keys: (string | number)[]) =>
    ({ message, input: 'given', path: keys.map((key) => ({ key, value: `value of ${key}` })) }) as never;

  test.each<[string, (string | number)[], string]>([
    ['sink: is not known.', ['destinations', 0], 'sink: is not known.'],
    ['There are too many.', ['tags'], 'tags: There are too many.'],
    ['Is that all?', ['tags'], 'tags: Is that all?'],
    ['v1.0 or later', ['tags'], 'tags: wanted v1.0 or later, got "value of tags".'],
    ['a number', ['list', 2], 'list: wanted a number, got a text of 10 characters.'],
    ['a time', ['cron'], 'schedule: wanted a time, got "value of cron".'],
    ['a time', ['quiet', 'from'], 'quiet from: wanted a time, got "value of from".'],
    ['a time', ['quiet', 'to'], 'quiet to: wanted a time, got "value of to".'],
    ['a time', [], 'start: wanted a time, got "given".'],
  ])('%j at %j', (message, keys, says) => {
    expect(faultOf(issueOf(message, ...keys), 'start')).toEqual({ path: keys, says });
  });
});
