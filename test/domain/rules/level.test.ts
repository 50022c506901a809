// Levels are read from titles, and the words for them have other meanings too.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LEVELS, levelsOf } from '../../../src/domain/rules/level.js';

const LINES = readFileSync(new URL('titles.txt', import.meta.url), 'utf8').split('\n');
const TITLES = LINES.filter((line) => line !== '' && !line.startsWith('#')).map((line) => {
  const [title = '', levels = ''] = line.split('=>');
  return [title.trim(), levels.trim()] as const;
});

describe('levels of titles', () => {
  test.each(TITLES)('%s: %s', (title, levels) => {
    expect(levelsOf(title).join(', ')).toBe(levels);
  });

  test('every level is in the list', () => {
    const found = new Set(TITLES.flatMap(([, levels]) => levels.split(', ')));
    for (const level of LEVELS) expect(found).toContain(level);
  });

  test('a very long title is read quickly', () => {
    for (const part of ['staff - ', 'chief a ', 'senior/', 'lead - ', 'staff engineer, ', 'to '])
      expect(levelsOf(part.repeat(20_000)).length).toBeLessThan(LEVELS.length);
  });
});
