// The mail about a quiet week: each rule has a sentence that says what to change.
import { describe, expect, test } from 'vitest';
import { quietView } from '../../src/render/quiet-view.js';
import { SAMPLE_LINKS, sampleQuietWeek } from '../../src/render/samples.js';
import { LANGUAGES } from '../../src/render/texts.js';

const viewOf = (rule: string, locale = 'en') => {
  const week = sampleQuietWeek(1, locale);
  return quietView({ ...week, misses: week.misses.map((one) => ({ ...one, rule })) }, SAMPLE_LINKS);
};

test.each([
  [
    'exclude: on call',
    'It mentions “on call”. To get postings like it, remove “on call” from “Must not mention”.',
  ],
  [
    'include: zk, protocol',
    'It does not mention zk or protocol. To get postings like it, add a word to “Must mention at least one of”, or leave that field empty.',
  ],
  ['minSalary: 80000', 'It pays less than $80k. To get postings like it, lower the minimum yearly pay.'],
  [
    'minSalary: pay unknown',
    'It names no pay that can be compared. To get postings like it, clear “Leave out postings with no pay”.',
  ],
  [
    'not level: intern',
    'Your rule “not intern” left it out. Without that rule, you would get postings like it.',
  ],
])('%s', (rule, sentence) => {
  expect(viewOf(rule).misses.map(({ why }) => why)).toEqual([sentence]);
});

describe.each(Object.keys(LANGUAGES))('in %s', (locale) => {
  test('each sentence names the field as the preferences page does', () => {
    const { preferences } = LANGUAGES[locale]!.page;
    const why = (rule: string) => viewOf(rule, locale).misses[0]?.why;
    expect(why('exclude: x')).toContain(preferences.exclude);
    expect(why('include: x')).toContain(preferences.include);
  });

  test('without a near miss there is none', () => {
    expect(quietView(sampleQuietWeek(0, locale), SAMPLE_LINKS)).toMatchObject({ near: null, misses: [] });
  });
});
