// Renders a notice in its owner's language. The pipeline writes one English sentence and the data behind it. This
// file builds the text for people from the kind and the data, with commands as `{/jobs list}`.
import { attributionFaults, type Output } from '../domain/attribution.js';
import type { FixName } from '../domain/errors.js';
import type { Posting } from '../domain/posting.js';
import type { Reminder } from '../domain/reminders.js';
import { ellipsis } from '../domain/text.js';
import type { Notice } from '../ports/notice.js';
import { plainCommands } from './commands.js';
import { dayInWords } from './dates.js';
import { sinkName } from './describe.js';
import { plain } from './discord/escape.js';
import { type Texts, textsFor } from './texts.js';

const ABOUT_MAX = 200;

/** Returns one or two sentences. Returns `notice.text` where the texts have none. */
export function renderNotice(notice: Notice, locale: string | undefined): string {
  const texts = textsFor(locale);
  // For a case without its own text, the receiving service's words are more precise than a general text.
  const isPrecise = notice.kind === 'posting' || (notice.kind === 'destination' && !notice.data?.fix);
  const place = placeOf(notice);
  if (isPrecise && texts.intl.startsWith('en')) return led(place, notice.text);
  const words = translated(notice, texts);
  const about = notice.data?.about;
  if (words === undefined) return led(place, notice.text);
  return led([...(typeof about === 'string' ? [ellipsis(about, ABOUT_MAX)] : []), ...place], words);
}

/** The channel and the server by name, as far as they are known. */
function placeOf({ data = {} }: Notice): readonly string[] {
  const { channel, server } = data;
  return [
    ...(typeof channel === 'string' ? [`#${ellipsis(channel, 100)}`] : []),
    ...(typeof server === 'string' ? [ellipsis(server, 100)] : []),
  ];
}

function led(heads: readonly string[], words: string): string {
  return heads.length > 0 ? `${heads.join(' · ')}: ${words}` : words;
}

/** Throws an Error if a message breaks a link rule of the posting that the notice reminds of. */
export function checkLinks({ reminder }: Notice, output: Output): void {
  const faults = reminder ? attributionFaults(output, [reminder.posting]) : [];
  if (faults.length > 0) throw new Error(`held back: ${faults.join('; ')}`);
}

/** Names of fixes that the texts have. */
export type Fix = keyof Texts['notice']['fix'];

/** What has to be done, in words; undefined for a fix that the texts do not have. */
export function fixWords(fix: FixName | undefined, { notice }: Texts): string | undefined {
  return fix !== undefined && Object.hasOwn(notice.fix, fix) ? notice.fix[fix as Fix] : undefined;
}

/** A fix for a `DeliveryError`: its name, and its English sentence for readers without a translation. */
export function fixOf(fix: Fix): { readonly fix: FixName; readonly forOwner: string } {
  const texts = textsFor('en');
  return { fix, forOwner: plainCommands(texts.notice.fix[fix], texts) };
}

function translated(of: Notice, texts: Texts): string | undefined {
  const { kind, data = {}, reminder } = of;
  const { notice, intl } = texts;
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : undefined);
  const count = (name: string) => (typeof data[name] === 'number' ? data[name] : undefined);
  const sink = text('sink');
  const place = sink && sinkName(sink, texts);
  const days = count('days');
  const lost = count('count');
  const source = text('source');
  const fix = fixWords(text('fix'), texts);
  if (kind === 'token' && source !== undefined) return notice.token({ source });
  if (kind === 'destination' && fix !== undefined) return fix;
  if (kind === 'destination' && place !== undefined) return notice.destination({ sink: place });
  if (kind === 'posting' && place !== undefined) return notice.posting({ sink: place });
  if (kind === 'expired' && place !== undefined && lost !== undefined)
    return notice.expired({ count: lost, sink: place });
  if (kind === 'left' && lost !== undefined && days !== undefined) return notice.left({ count: lost, days });
  if (kind === 'gap') {
    const tags = text('tags') ?? '';
    return notice.gap({ tags, some: tags ? 'yes' : 'no' });
  }
  if (kind === 'keys') return notice.keys;
  if (kind === 'silence' && days !== undefined) return notice.silence({ days });
  if (reminder) return reminderWords(reminder, texts);
  const requests = count('requests');
  const minutes = count('minutes');
  if (kind === 'load' && requests !== undefined && minutes !== undefined)
    return notice.load({ requests, interval: intervalIn(intl, minutes) });
  return undefined;
}

/** The posting of a reminder: its title and company. */
export function jobName({ title, company }: Posting, { card }: Texts): string {
  const name = plain(title ?? '', 150) || card.noTitle;
  return company ? `${name} (${plain(company, 60)})` : name;
}

function reminderWords({ kind, posting, at, timezone }: Reminder, texts: Texts): string | undefined {
  const { notice, intl } = texts;
  const { applyBy } = posting;
  const job = jobName(posting, texts);
  if (kind === 'reply') return notice.reply({ job, day: dayInWords(at, timezone, intl) });
  if (!applyBy) return undefined;
  const day = dayInWords(Date.parse(applyBy.day), 'UTC', intl);
  return notice.deadline({ job, day, words: plain(applyBy.words, 200) });
}

function intervalIn(language: string, minutes: number): string {
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
