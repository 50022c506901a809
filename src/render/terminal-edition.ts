// An edition for a terminal: a heading and a card per posting. The apply link is on its own line and is never
// broken, so that you can open or copy it at any width.
import { createColors } from 'picocolors';
import type { EditionPosting } from '../domain/edition.js';
import { oneLine } from '../domain/text.js';
import { type PostingView, viewPosting } from './posting-view.js';
import { type Texts, textsFor } from './texts.js';

/** The part of a delivery that is shown; `now` in milliseconds since the epoch, `columns` of the terminal. */
export interface TerminalEdition {
  readonly postings: readonly EditionPosting[];
  readonly more: number;
  readonly moreUrl?: string;
  readonly source: string;
  readonly about: string;
  readonly locale: string;
  readonly timezone: string;
  readonly now: number;
  readonly columns: number;
  readonly color: boolean;
}

const NARROWEST = 40;
const WIDEST = 100;
const BAR = '│ ';
const SNIPPET_LINES = 3;

type Paint = ReturnType<typeof createColors>;

/**
 * Returns the text of an edition, ending in a blank line. Its only escape sequences are colours, if `color` is set.
 */
export function renderTerminalEdition(edition: TerminalEdition): string {
  const texts = textsFor(edition.locale);
  const paint = createColors(edition.color);
  // One column stays free, because some terminals break a line that fills all of them.
  const width = Math.max(NARROWEST, Math.min(WIDEST, edition.columns)) - 1;
  const cards = edition.postings.flatMap((posting) => [
    ...card(viewPosting(posting, edition), texts, width, paint),
    '',
  ]);
  const lines = [
    ...heading(edition, texts, width, paint),
    '',
    ...cards,
    ...foot(edition, texts, width, paint),
  ];
  return `${lines.join('\n')}\n\n`;
}

function heading(edition: TerminalEdition, texts: Texts, width: number, paint: Paint): string[] {
  const { card: words } = texts;
  const count = words.postings({ count: edition.postings.length + edition.more });
  const title = `${count} ${words.via({ source: oneLine(edition.source) })}`;
  const rule = '─'.repeat(Math.max(0, width - columnsOf(title) - 4));
  return [
    ...(rule === ''
      ? wrap(title, width).map(paint.bold)
      : [`${paint.dim('──')} ${paint.bold(title)} ${paint.dim(rule)}`]),
    ...wrap(oneLine(edition.about), width).map(paint.dim),
  ];
}

function card(view: PostingView, texts: Texts, width: number, paint: Paint): string[] {
  const { card: words } = texts;
  const room = width - BAR.length;
  const facts: Part[] = [
    [view.company, paint.cyan],
    [view.place, paint.cyan],
    [view.pay, view.payEstimated ? paint.dim : paint.green],
  ];
  const tags = [...view.tags, ...(view.moreTags > 0 ? [`+${view.moreTags}`] : [])];
  const notes = [view.age && words.posted({ age: view.age }), view.seenBefore, view.fits];
  const lines = [
    ...wrap(view.title, room).map(paint.bold),
    ...flow(facts, ' · ', room),
    ...flow(
      tags.map((tag) => [`#${tag.replaceAll(' ', '-')}`, paint.magenta]),
      ' ',
      room,
    ),
    ...(view.snippet ? atMost(wrap(view.snippet, room), SNIPPET_LINES) : []),
    ...(view.applyBy ? wrap(view.applyBy, room).map(paint.yellow) : []),
    ...flow(
      notes.map((note) => [note, paint.dim]),
      ' · ',
      room,
    ),
    ...(view.applyUrl === undefined
      ? wrap(view.noLink ?? '', room).map(paint.yellow)
      : [paint.underline(view.applyUrl)]),
  ];
  return lines.map((line) => paint.dim(BAR) + line);
}

function foot(edition: TerminalEdition, texts: Texts, width: number, paint: Paint): string[] {
  const { card: words } = texts;
  const more = edition.more > 0 ? words.more({ count: edition.more }) : undefined;
  return [
    ...(more ? [edition.moreUrl ? `${more}: ${edition.moreUrl}` : more, ''] : []),
    ...wrap(words.note, width).map(paint.dim),
  ];
}

type Part = readonly [text: string | undefined, color: (text: string) => string];

/** Puts parts on as few lines as possible, and breaks between parts first. Absent parts are left out. */
function flow(parts: readonly Part[], separator: string, width: number): string[] {
  const lines: { plain: string; painted: string }[] = [];
  for (const [text, color] of parts) {
    if (text === undefined || text === '') continue;
    const last = lines.at(-1);
    if (last && columnsOf(last.plain + separator + text) <= width) {
      last.plain += separator + text;
      last.painted += separator + color(text);
    } else {
      lines.push(...wrap(text, width).map((plain) => ({ plain, painted: color(plain) })));
    }
  }
  return lines.map(({ painted }) => painted);
}

function atMost(lines: readonly string[], count: number): string[] {
  const kept = lines.slice(0, count);
  const last = kept.at(-1);
  return lines.length > count && last ? [...kept.slice(0, -1), `${last.replace(/\s*\S+$/u, '')}…`] : kept;
}

// The width of text on a terminal, and where to break it. Wide letters and emoji take two columns; joined and
// combining characters add none.

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;
/** East Asian wide and fullwidth letters (Unicode Standard Annex 11), by block. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;

/** Columns a text without control characters takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of segmenter.segment(text))
    columns += EMOJI.test(segment) || WIDE.test(segment) ? 2 : /^\p{M}+$/u.test(segment) ? 0 : 1;
  return columns;
}

/** Breaks a line into lines of at most `width` columns, between words where it can. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (columnsOf(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = broken(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** Splits a word that is too long for a line. */
function broken(word: string, width: number): string[] {
  const pieces = [''];
  for (const { segment } of segmenter.segment(word)) {
    const last = pieces.at(-1) ?? '';
    if (last !== '' && columnsOf(last + segment) > width) pieces.push(segment);
    else pieces[pieces.length - 1] = last + segment;
  }
  return pieces;
}
