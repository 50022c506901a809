// The calendar file, read by the rules of RFC 5545 from its octets.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutControls } from '../../src/domain/text.js';
import { type CalendarDay, calendarFile } from '../../src/render/calendar.js';
import { anyCharacter } from '../helpers/any-character.js';

const NOW = Date.parse('2026-11-20T09:30:15.250Z');
const LINK = 'https://jobs.example/r/x3__me?a=1&b=2&c=%C3%BC,d;e';

/** The lines of a file after unfolding (3.1), as name with parameters and value. */
function linesOf(file: string): readonly (readonly [string, string])[] {
  return file
    .replaceAll('\r\n ', '')
    .split('\r\n')
    .slice(0, -1)
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1)] as const;
    });
}

/** A text value without its escapes (3.3.11). Throws for one that needs an escape and has none. */
function textOf(value: string): string {
  if (/(?<!\\)(?:\\\\)*[,;]/u.test(value)) throw new Error(`not escaped: ${value}`);
  return value.replace(/\\([\\;,nN])/gu, (_, c: string) => (c.toLowerCase() === 'n' ? '\n' : c));
}

test('has what the standard asks for, and the link byte for byte', () => {
  const file = calendarFile(
    [
      {
        uid: 'a1@jobcrier',
        day: '2026-11-30',
        title: 'Apply; now, C:\\',
        about: 'Firm 3\nBerlin',
        url: LINK,
      },
    ],
    NOW,
  );
  expect(linesOf(file)).toEqual([
    ['BEGIN', 'VCALENDAR'],
    ['VERSION', '2.0'],
    ['PRODID', '-//jobcrier//jobs//EN'],
    ['BEGIN', 'VEVENT'],
    ['UID', 'a1@jobcrier'],
    ['DTSTAMP', '20261120T093015Z'],
    ['DTSTART;VALUE=DATE', '20261130'],
    ['SUMMARY', 'Apply\\; now\\, C:\\\\'],
    ['DESCRIPTION', 'Firm 3\\nBerlin'],
    ['URL', LINK],
    ['TRANSP', 'TRANSPARENT'],
    ['BEGIN', 'VALARM'],
    ['ACTION', 'DISPLAY'],
    ['DESCRIPTION', 'Apply\\; now\\, C:\\\\'],
    ['TRIGGER', '-P2DT15H'],
    ['END', 'VALARM'],
    ['END', 'VEVENT'],
    ['END', 'VCALENDAR'],
  ]);
});

const TEXT = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200, size: 'max' }),
  fc.string({ unit: 'grapheme-ascii', minLength: 150, maxLength: 400, size: 'max' }),
  fc.string({ unit: anyCharacter, maxLength: 120, size: 'max' }),
  fc
    .array(fc.constantFrom('\r\n', '\n', '\r', '\\', ';', ',', ':', 'ü', '👩‍💻', ' ', 'END:VEVENT', 'a'), {
      maxLength: 90,
    })
    .map((parts) => parts.join('')),
);
const DAY: fc.Arbitrary<CalendarDay> = fc.record({
  uid: fc.stringMatching(/^[0-9a-f]{32}@jobcrier$/u),
  day: fc.constantFrom('2026-11-30', '2028-02-29'),
  title: TEXT,
  about: TEXT,
  url: fc.option(
    fc.webUrl({ withQueryParameters: true, withFragments: true }).map((url) => `${url}?é=日本語`),
    { nil: undefined },
  ),
});

test('keeps any text through escaping and folding, in lines of at most 75 octets', () => {
  fc.assert(
    fc.property(fc.array(DAY, { maxLength: 4 }), (days) => {
      const file = calendarFile(days, NOW);
      expect(file.endsWith('END:VCALENDAR\r\n')).toBe(true);
      // Nothing but whole line ends, and no other control character.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
      expect(file.replaceAll('\r\n', '')).not.toMatch(/[\u0000-\u001f\u007f]/u);
      for (const line of file.split('\r\n')) {
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
        expect(Buffer.from(line).toString()).toBe(line);
      }
      const lines = linesOf(file);
      const valuesOf = (name: string) => lines.filter(([one]) => one === name).map(([, value]) => value);
      const clean = (text: string) => withoutControls(text.replace(/\r\n?/gu, '\n'));
      expect(lines.filter(([name, value]) => name === 'BEGIN' && value === 'VEVENT')).toHaveLength(
        days.length,
      );
      expect(valuesOf('UID')).toEqual(days.map(({ uid }) => uid));
      expect(valuesOf('SUMMARY').map(textOf)).toEqual(days.map(({ title }) => clean(title)));
      expect(valuesOf('DESCRIPTION').map(textOf)).toEqual(
        days.flatMap(({ title, about }) => [clean(about), clean(title)]),
      );
      expect(valuesOf('URL')).toEqual(days.flatMap(({ url }) => url ?? []));
    }),
  );
});
