// A notice in its owner's language. The pipeline writes one English sentence and the data behind it; other languages
// are put together here from the kind and that data.
import type { Notice } from '../ports/notice.js';
import type { Texts } from './language/en.js';
import { textsFor } from './language/index.js';

/** Plain text of one or two sentences; `notice.text` where no translation fits. */
export function renderNotice(notice: Notice, locale: string | undefined): string {
  const texts = textsFor(locale);
  // What the far side said is in the English sentence alone, and worth more to whoever reads English.
  const precise = notice.kind === 'destination' || notice.kind === 'posting';
  if (precise && texts.intl.startsWith('en')) return notice.text;
  return translated(notice, texts) ?? notice.text;
}

function translated({ kind, data = {} }: Notice, { notice, bot }: Texts): string | undefined {
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : undefined);
  const count = (name: string) => (typeof data[name] === 'number' ? data[name] : undefined);
  const sink = text('sink');
  const place = sink === 'email' ? bot.commands.choices.email : sink === 'discord' ? 'Discord' : sink;
  const days = count('days');
  const lost = count('count');
  const source = text('source');
  if (kind === 'token' && source !== undefined) return notice.token(source);
  if (kind === 'destination' && place !== undefined) return notice.destination(place);
  if (kind === 'posting' && place !== undefined) return notice.posting(place);
  if (kind === 'expired' && place !== undefined && lost !== undefined) return notice.expired(lost, place);
  if (kind === 'left' && lost !== undefined && days !== undefined) return notice.left(lost, days);
  if (kind === 'gap') return notice.gap;
  if (kind === 'silence' && days !== undefined) return notice.silence(days);
  return undefined;
}
