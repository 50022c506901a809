// Days to remember as a calendar file (iCalendar, RFC 5545).
import { withoutControls } from '../domain/text.js';

/** An entry for a whole day. `uid` stays the same for the same day to remember, so that an import replaces the former one. */
export interface CalendarDay {
  readonly uid: string;
  /** YYYY-MM-DD, the same in every time zone. */
  readonly day: string;
  readonly title: string;
  readonly about: string;
  /** An http(s) address without white space. It is written byte for byte. */
  readonly url?: string | undefined;
}

/** The octets of a line, without its end (3.1). */
const LINE = 75;

/** Returns the file. `now`: when it was made, milliseconds since the epoch. Each entry reminds at nine, three days before. */
export function calendarFile(days: readonly CalendarDay[], now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/gu, '');
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//jobcrier//jobs//EN',
    ...days.flatMap(({ uid, day, title, about, url }) => [
      'BEGIN:VEVENT',
      `UID:${escaped(uid)}`,
      `DTSTAMP:${stamp}`,
      `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
      `SUMMARY:${escaped(title)}`,
      `DESCRIPTION:${escaped(about)}`,
      ...(url === undefined ? [] : [`URL:${url}`]),
      'TRANSP:TRANSPARENT',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      `DESCRIPTION:${escaped(title)}`,
      'TRIGGER:-P2DT15H',
      'END:VALARM',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** The values in a file as a calendar shows them, one for each line of it. */
export function calendarValues(file: string): readonly string[] {
  const lines = file.replaceAll('\r\n ', '').split('\r\n');
  return lines.map((line) => line.slice(line.indexOf(':') + 1).replace(/\\([\\;,])/gu, '$1'));
}

/** A text value (3.3.11). */
function escaped(text: string): string {
  return withoutControls(text.replace(/\r\n?/gu, '\n'))
    .replace(/[\\;,]/gu, '\\$&')
    .replaceAll('\n', '\\n');
}

/** Breaks a long line into lines of at most {@link LINE} octets, never within a character. */
function folded(line: string): string {
  let text = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE) {
      text += '\r\n ';
      octets = 1;
    }
    text += character;
    octets += size;
  }
  return text;
}
