// The last day to apply, as a posting's own text says it. Only a full date right after words that mean a deadline is read,
// so a posting without such words has none. Nothing is concluded from other dates.
import { oneLine, plainText } from './text.js';

/** `day`: the last day to apply, YYYY-MM-DD. `words`: what the posting says, word for word, on one line. */
export interface ApplyBy {
  readonly day: string;
  readonly words: string;
}

/** How the words before a date limit it. `isBefore`: the date itself is too late. */
interface Cue {
  readonly words: RegExp;
  readonly isBefore?: true;
  /** Dates with dots have the day first, as in "03.04.2026". */
  readonly isGerman?: true;
}

const alternatives = (lines: readonly string[]) => `(?:${lines.join('|')})`;

const APPLY = alternatives([
  'apply(?: online| now| here| directly)?',
  '(?:submit|send)(?: us| in)? your (?:application|cv|r[eé]sum[eé])(?: to us)?',
  'applications? (?:must|should|need to|has to|have to) be (?:received|submitted|sent)',
  'applications? (?:(?:is|are|will be) )?(?:accepted|due|open)',
  '(?:position|vacancy|role|job|posting) is open',
]);
const CLOSES = alternatives([
  'applications? (?:period )?(?:closes?|is closing|are closing|ends?|will close|will end|(?:is|are) due)',
  '(?:position|vacancy|role|job|posting) (?:closes|is closing|will close)',
]);
// A closing date or a deadline alone may be that of a project, so it is read only where it begins a line.
const DEADLINE = alternatives([
  'applications? (?:closing date|deadline|due date)',
  '(?:closing date|deadline|last (?:day|date)|due date) (?:for (?:the |your )?applications?|to apply|for applying|of applications?)',
  '(?<=^|\\n)(?:closing date|deadline|closes)',
]);
const BEWIRB = alternatives([
  'bewirb dich(?: bitte| gern(?:e)?| jetzt| online| bei uns)?',
  'bewerben sie sich(?: bitte| gern(?:e)?| jetzt| online| bei uns)?',
  'bewerbung(?:en|sunterlagen)?(?: bitte| gern(?:e)?| sind| werden| online| nur| an uns| (?:nehmen|nimmt) wir){0,2}',
]);
const FRIST =
  '(?:bewerbungsschluss|bewerbungsfrist|bewerbungsende|(?:ende|ablauf) der bewerbungsfrist|einsendeschluss)(?: ist| endet| läuft)?';
const POSTULA = alternatives([
  '(?:postula|postúlate|aplica|inscríbete|solicita|solicítalo)(?: ya| ahora| en línea)?',
  '(?:envía|manda)(?:nos)? tu (?:cv|currículum|candidatura|solicitud|postulación)',
  '(?:solicitudes|candidaturas|postulaciones|inscripciones)(?: abiertas| se aceptan| se reciben)?',
]);
const SOLICITUD =
  '(?:(?:la )?(?:presentación|recepción|envío) de )?(?:las )?(?:solicitud|solicitudes|candidaturas?|postulación|postulaciones|inscripción|inscripciones|convocatoria|aplicar|postular|postularse|inscribirse)';
const CIERRE = alternatives([
  `(?:fecha límite|fecha de cierre|fecha tope|último día)(?: (?:de|para)(?: la| las)? ${SOLICITUD})`,
  `(?<=^|\\n)(?:fecha límite|fecha de cierre)`,
  `(?:plazo|cierre)(?: de| para)(?: la| las)? ${SOLICITUD}`,
]);
const BIS = 'bis (?:spätestens |einschließlich |inklusive )?(?:zum |am )?';
const HASTA = '(?:hasta|a más tardar)(?: el)?(?: día)? ';
const IS = '(?: is| es)?(?: on| am| el)?(?: ?[:–—-])? ?';

/** The words before a date. A pattern ends where its date has to begin. */
const CUES: readonly Cue[] = [
  { words: cue(`${APPLY} (?:by|until|through|no later than|on or before)(?: the)? `) },
  { words: cue(`${APPLY} before(?: the)? `), isBefore: true },
  { words: cue(`${CLOSES}(?: on| by)?(?: ?:)? `) },
  { words: cue(`${DEADLINE}${IS}`) },
  { words: cue(`${BEWIRB} ${BIS}`), isGerman: true },
  { words: cue(`${BEWIRB} vor dem `), isBefore: true, isGerman: true },
  { words: cue(`${FRIST}(?: am| zum| bis zum| bis)?(?: ?[:–—-])? ?`), isGerman: true },
  { words: cue(`${POSTULA} ${HASTA}`) },
  { words: cue(`${POSTULA} antes del?(?: día)? `), isBefore: true },
  { words: cue(`${CIERRE}${IS}`) },
  { words: cue(`${CIERRE}:? ${HASTA}`) },
];

/** White space may be a line break, as between a heading and its text. */
function cue(pattern: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}-])${pattern.replaceAll(' ', '\\s')}`, 'giu');
}

/** A text without a year has no full date. This check costs a hundredth of reading the text. */
const YEAR = /20\d\d/u;

const WEEKDAY = '(?:(?<weekday>\\p{L}{2,10})[.,]{0,2} (?:the |den |dem )?)?';
const MONTH = '(?<month>\\p{L}{3,10})\\.?';
const DATES: readonly RegExp[] = [
  /(?<year>20\d\d)-(?<m>\d\d)-(?<d>\d\d)/u,
  /(?<a>\d\d?)(?<sign>[./-])(?<b>\d\d?)\k<sign>(?<year>20\d\d)/u,
  new RegExp(
    `(?<d>\\d\\d?)(?:st|nd|rd|th|\\.|º)? (?:of |de )?${MONTH},? (?:de |del )?(?<year>20\\d\\d)`,
    'iu',
  ),
  new RegExp(`${MONTH} (?<d>\\d\\d?)(?:st|nd|rd|th)?,? (?<year>20\\d\\d)`, 'iu'),
].map(({ source }) => new RegExp(`^${WEEKDAY}${source}(?![\\p{L}\\p{N}])`.replaceAll(' ', '\\s'), 'iu'));

/** Words in a sentence that make its date another one than the last day: a first round, or a day that was moved. */
const OTHER =
  /\b(?:priority|prioriti[sz]ed|early|first|former|extended|vorrangig|bevorzugt|zuerst|verlängert|ursprünglich|prioridad|preferente|primer[ao]?|ampliad[ao]|prorrogad[ao])\b/iu;

/** The names of months and weekdays, Sunday first; a shorter form is the beginning of a name. */
const MONTHS = [
  'january januar jänner enero',
  'february februar febrero',
  'march märz marzo',
  'april abril',
  'may mai mayo',
  'june juni junio',
  'july juli julio',
  'august agosto',
  'september septiembre',
  'october oktober octubre',
  'november noviembre',
  'december dezember diciembre',
];
const WEEKDAYS = [
  'sunday sonntag domingo',
  'monday montag lunes',
  'tuesday dienstag martes',
  'wednesday mittwoch miércoles',
  'thursday donnerstag jueves',
  'friday freitag viernes',
  'saturday samstag sonnabend sábado',
];

function isShortFor(names: string | undefined, word: string): boolean {
  return names?.split(' ').some((name) => name.startsWith(word.toLowerCase())) ?? false;
}

/** 1 to 12; 0 for a word that is no month. */
function monthOf(word: string): number {
  return MONTHS.findIndex((names) => isShortFor(names, word)) + 1;
}

/**
 * Finds the last day to apply in a description (HTML or text). `postedAt`: the posting's day; a deadline before it is not
 * read. Undefined without one, if the date is not complete, if its day and month may be meant the other way round, if a
 * weekday contradicts it, if its sentence names another date, and if the text names two different days.
 */
export function readApplyBy(html: string | undefined, postedAt?: string): ApplyBy | undefined {
  if (!html || !YEAR.test(html)) return undefined;
  const text = plainText(html);
  const found = new Map<string, { readonly at: number; readonly words: string }>();
  for (const { words, isBefore, isGerman } of CUES)
    for (const match of text.matchAll(words)) {
      const start = match.index + match[0].length;
      const date = dateAt(text.slice(start, start + 300), isGerman ?? false);
      if (date === 'unclear' || (date && OTHER.test(lead(text, match.index)))) return undefined;
      if (!date) continue;
      const day = isBefore ? new Date(Date.parse(date.day) - DAY).toISOString().slice(0, 10) : date.day;
      const one = { at: match.index, words: oneLine(text.slice(match.index, start + date.length)) };
      const former = found.get(day);
      if (!former || former.at > one.at) found.set(day, one);
    }
  const [only, ...others] = found;
  if (!only || others.length > 0) return undefined;
  const [day, { words }] = only;
  return postedAt !== undefined && day < postedAt ? undefined : { day, words };
}

const DAY = 86_400_000;

/** The words of the same sentence before a place, of the last 40 characters. */
function lead(text: string, at: number): string {
  return (
    text
      .slice(Math.max(0, at - 40), at)
      .split(/[.!?;\n]/u)
      .at(-1) ?? ''
  );
}

/**
 * The date with which a text begins. `unclear`: it may be another day, its sentence names another year or another date, or
 * says that it is not the last day. Undefined without a date.
 */
function dateAt(
  text: string,
  isGerman: boolean,
): { readonly day: string; readonly length: number } | 'unclear' | undefined {
  const match = matchAt(text);
  if (!match) return undefined;
  const [{ length }] = match;
  const rest = text.slice(length);
  const [sentence = ''] = /^[.!?;]/u.test(rest) ? [] : rest.split(/(?<!\d)[.!?;](?:\s|$)|\n/u);
  if (YEAR.test(sentence) || OTHER.test(sentence)) return 'unclear';
  const day = dayOf(match.groups ?? {}, isGerman);
  return day === undefined ? 'unclear' : { day, length };
}

function matchAt(text: string): RegExpExecArray | undefined {
  for (const pattern of DATES) {
    const match = pattern.exec(text);
    const { month } = match?.groups ?? {};
    if (match && (month === undefined || monthOf(month) > 0)) return match;
  }
  return undefined;
}

/** YYYY-MM-DD; undefined for a day that does not exist, is not the weekday named, or may be another day. */
function dayOf(parts: Readonly<Record<string, string | undefined>>, isGerman: boolean): string | undefined {
  const { year, weekday, month, sign } = parts;
  let m = month === undefined ? Number(parts.m) : monthOf(month);
  let d = Number(parts.d);
  if (sign !== undefined) {
    const [a, b] = [Number(parts.a), Number(parts.b)];
    const isDayFirst = a > 12 || a === b || (isGerman && sign === '.');
    if (!isDayFirst && b <= 12) return undefined;
    [d, m] = isDayFirst ? [a, b] : [b, a];
  }
  const day = `${year}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day)) return undefined;
  return weekday === undefined || isShortFor(WEEKDAYS[new Date(at).getUTCDay()], weekday) ? day : undefined;
}
