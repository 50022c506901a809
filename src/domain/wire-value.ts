// Values as they are received: a number may be text, a date has three forms, a list may be separated by commas. Each
// reader here returns one form or undefined, and never throws.
import { decodeOnce, oneLine, unwrapCdata } from './text.js';

/** Returns trimmed text, or a number as text. Undefined if the text is empty or the value is anything else. */
export function str(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}

/** Returns one clean line, decoded one more time (some titles are encoded twice). */
export function line(value: unknown): string | undefined {
  const text = str(value);
  if (text === undefined) return undefined;
  const clean = oneLine(decodeOnce(unwrapCdata(text)));
  return clean === '' ? undefined : clean;
}

/** Returns a number above zero, also from text. */
export function num(value: unknown): number | undefined {
  const text = str(value);
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

/** Reads true and false as written in JSON, XML or words. */
export function bool(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = str(value)?.toLowerCase();
  if (text === 'true' || text === '1' || text === 'yes') return true;
  if (text === 'false' || text === '0' || text === 'no') return false;
  return undefined;
}

/** Highest number of tags read. No publisher uses more on purpose; a page of tags is an accident or an attack. */
const TAGS_MAX = 50;

/** Returns the lower-case words of an array or a comma-separated list, each once. */
export function list(value: unknown): readonly string[] | undefined {
  const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  const clean = items.map((item) => line(item)?.toLowerCase()).filter((item): item is string => !!item);
  return clean.length === 0 ? undefined : [...new Set(clean)].slice(0, TAGS_MAX);
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/**
 * Returns the calendar day (YYYY-MM-DD) as written, in any of the known forms: ISO, RFC 2822, epoch seconds or
 * milliseconds. Does not convert time zones.
 */
export function calendarDay(value: unknown): string | undefined {
  const text = str(value);
  if (text === undefined) return undefined;
  const iso = /^(\d{4})-(\d{2})-(\d{2})/u.exec(text);
  const rfc = /(\d{1,2})\s+([A-Za-z]{3})[a-z]*\s+(\d{4})/u.exec(text);
  const epoch = /^\d{9,13}$/u.test(text) ? Number(text) * (text.length > 10 ? 1 : 1000) : undefined;
  const month = rfc ? MONTHS.indexOf((rfc[2] as string).toLowerCase()) + 1 : 0;
  const day = iso
    ? iso[0]
    : epoch !== undefined
      ? new Date(epoch).toISOString().slice(0, 10)
      : rfc && month > 0
        ? `${rfc[3]}-${String(month).padStart(2, '0')}-${(rfc[1] as string).padStart(2, '0')}`
        : undefined;
  return day && isDay(day) ? day : undefined;
}

/** A day such as 2026-02-31 is not corrected: it is not a date. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
