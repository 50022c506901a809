// The shades made from an operator's colour: whatever the colour, text in them is readable.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast, shadesOf, TEXT_CONTRAST } from '../../src/domain/color.js';
import { runs } from '../helpers/runs.js';

const WHITE = '#ffffff';
/** Colours that the setting accepts. */
const dark = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)
  .filter((color) => contrast(WHITE, color) >= TEXT_CONTRAST);

test('a contrast is that of WCAG, in either order', () => {
  expect(contrast(WHITE, '#000000')).toBeCloseTo(21, 5);
  expect(contrast('#777777', WHITE)).toBeCloseTo(4.48, 2);
  expect(contrast('#3f4fd6', '#3f4fd6')).toBe(1);
});

test('white text is readable on the grounds, and text in ink on its tint and on every ground of mails and pages', () => {
  fc.assert(
    fc.property(dark, (color) => {
      const shades = shadesOf(color);
      expect(shades.accent).toBe(color);
      const pairs: readonly (readonly [string, string])[] = [
        [WHITE, shades.accent],
        [WHITE, shades['accent-dark']],
        ...[WHITE, '#f2f3f7', '#f6f7fa', shades['accent-tint']].map(
          (ground) => [shades['accent-ink'], ground] as const,
        ),
        ...['#101317', '#1a1e24', '#232831', shades['accent-tint-dark']].map(
          (ground) => [shades['accent-ink-dark'], ground] as const,
        ),
        // The text beside a link in the box that says how many more there are.
        ['#1c2029', shades['accent-tint']],
        ['#e9ebef', shades['accent-tint-dark']],
      ];
      for (const [text, ground] of pairs)
        expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(TEXT_CONTRAST);
      // Bars of the chart and buttons (WCAG 2.2, 1.4.11).
      for (const ground of [WHITE, '#1a1e24'])
        expect(contrast(shades['accent-dark'], ground)).toBeGreaterThanOrEqual(3);
    }),
    { numRuns: runs(500) },
  );
});
