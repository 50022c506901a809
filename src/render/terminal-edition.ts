// An edition as people read it in a terminal: a heading, a card per posting, and the apply link whole on a line
// of its own, so that it can be opened or copied as it is at any width.
import { createColors } from 'picocolors';
import type { EditionPosting } from '../domain/edition.js';
import { oneLine } from '../domain/text.js';
import type { Texts } from './language/en.js';
import { textsFor } from './language/index.js';
import { type PostingView, viewPosting } from './posting-view.js';
import { columnsOf, wrap } from './terminal.js';

/** What of a delivery is shown; `now` in milliseconds since the epoch, `columns` of the terminal. */
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

/** The text of an edition, ending in a blank line. Escape sequences in it are its own: colours, when asked for. */
export function renderTerminalEdition(edition: TerminalEdition): string {
  const texts = textsFor(edition.locale);
  const paint = createColors(edition.color);
  // One column stays free: some terminals break a line that fills them all.
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
  const count = words.postings(edition.postings.length + edition.more);
  const title = `${count} ${words.via(oneLine(edition.source))}`;
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
  const notes = [view.age && words.posted(view.age), view.seenBefore, view.why && words.matched(view.why)];
  const lines = [
    ...wrap(view.title, room).map(paint.bold),
    ...flow(facts, ' · ', room),
    ...flow(
      tags.map((tag) => [`#${tag.replaceAll(' ', '-')}`, paint.magenta]),
      ' ',
      room,
    ),
    ...(view.snippet ? atMost(wrap(view.snippet, room), SNIPPET_LINES) : []),
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
  const more = edition.more > 0 ? words.more(edition.more) : undefined;
  return [
    ...(more ? [edition.moreUrl ? `${more}: ${edition.moreUrl}` : more, ''] : []),
    ...wrap(words.note, width).map(paint.dim),
  ];
}

type Part = readonly [text: string | undefined, color: (text: string) => string];

/** Parts on as few lines as they fit on, broken between parts first; absent ones leave no gap. */
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
