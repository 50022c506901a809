// Time zones as people name them: a city, an abbreviation, an IANA name in any case. A digest that comes at the wrong
// hour is worse than a question, so what is not plain is asked back.
import { isTimezone } from '../../domain/schedule.js';
import type { Choice } from '../ask.js';

/** Newer spellings that an older ICU accepts but does not list. */
const RENAMED = ['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Yangon', 'Asia/Ho_Chi_Minh', 'Europe/Kyiv'];

const ZONES: readonly string[] = [...new Set([...Intl.supportedValuesOf('timeZone'), ...RENAMED])].filter(
  isTimezone,
);

/** What abbreviations mean to those who type them: the zone with its daylight saving, not a fixed offset. */
const SHORT: Readonly<Record<string, string>> = {
  utc: 'UTC',
  gmt: 'UTC',
  z: 'UTC',
  bst: 'Europe/London',
  wet: 'Europe/Lisbon',
  cet: 'Europe/Berlin',
  cest: 'Europe/Berlin',
  mez: 'Europe/Berlin',
  mesz: 'Europe/Berlin',
  eet: 'Europe/Helsinki',
  msk: 'Europe/Moscow',
  ist: 'Asia/Kolkata',
  sgt: 'Asia/Singapore',
  hkt: 'Asia/Hong_Kong',
  jst: 'Asia/Tokyo',
  kst: 'Asia/Seoul',
  et: 'America/New_York',
  est: 'America/New_York',
  edt: 'America/New_York',
  ct: 'America/Chicago',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  mst: 'America/Denver',
  mdt: 'America/Denver',
  pt: 'America/Los_Angeles',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  brt: 'America/Sao_Paulo',
  aest: 'Australia/Sydney',
};

const COMMON = (
  'UTC Europe/London Europe/Berlin Europe/Paris Europe/Madrid Europe/Lisbon Europe/Zurich Europe/Warsaw Europe/Kyiv ' +
  'Europe/Istanbul America/New_York America/Chicago America/Denver America/Los_Angeles America/Toronto ' +
  'America/Mexico_City America/Argentina/Buenos_Aires America/Sao_Paulo Africa/Lagos Asia/Dubai Asia/Kolkata ' +
  'Asia/Singapore Asia/Hong_Kong Asia/Tokyo Australia/Sydney'
).split(' ');

const OF_LANGUAGE: Readonly<Record<string, readonly string[]>> = {
  de: ['Europe/Berlin', 'Europe/Vienna', 'Europe/Zurich'],
  es: ['Europe/Madrid', 'America/Mexico_City', 'America/Argentina/Buenos_Aires', 'America/Bogota'],
  'en-GB': ['Europe/London'],
  fr: ['Europe/Paris'],
  'pt-BR': ['America/Sao_Paulo'],
  ja: ['Asia/Tokyo'],
};

function plain(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}+-]+/gu, ' ')
    .trim();
}

function cityOf(zone: string): string {
  return plain(zone.split('/').at(-1) ?? zone);
}

/** The zone somebody plainly means, or undefined. */
export function resolveZone(text: string): string | undefined {
  const wanted = plain(text);
  if (wanted === '') return undefined;
  const short = SHORT[wanted];
  if (short) return short;
  const exact = ZONES.find((zone) => plain(zone) === wanted);
  if (exact) return exact;
  const cities = ZONES.filter((zone) => cityOf(zone) === wanted);
  return cities.length === 1 ? cities[0] : undefined;
}

/** Up to `n` zones that hold what was typed, those beginning with it first; before typing, the usual ones. */
export function nearestZones(text: string, n: number, first: readonly string[] = []): string[] {
  const wanted = plain(text);
  if (wanted === '') return [...new Set([...first, ...COMMON])].slice(0, n);
  const meant = resolveZone(text);
  const ranked = [
    ...(meant ? [meant] : []),
    ...ZONES.filter((zone) => cityOf(zone).startsWith(wanted)),
    ...ZONES.filter((zone) => plain(zone).includes(wanted)),
  ];
  if (ranked.length === 0 && wanted.length > 3) return nearestZones(wanted.slice(0, 3), n);
  return [...new Set(ranked)].slice(0, n);
}

/** What the reader's language makes likely; nothing for English, which is spoken everywhere. */
export function likelyZones(locale: string): readonly string[] {
  return OF_LANGUAGE[locale] ?? OF_LANGUAGE[locale.slice(0, 2)] ?? [];
}

/** "Europe/Berlin (14:05)". */
export function zoneLabel(zone: string, now: number): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  return `${zone} (${time.format(now)})`;
}

export function zoneChoices(typed: string, first: readonly string[], now: number): Choice[] {
  return nearestZones(typed, 25, first).map((zone) => ({ name: zoneLabel(zone, now), value: zone }));
}
