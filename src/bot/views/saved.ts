// What somebody marked, newest first. The apply link goes along where it is theirs, with the note it needs.
import type { MarkedPosting } from '../../ports/desk.js';
import { digestLine } from '../../render/discord/digest-line.js';
import type { Texts } from '../../render/language/en.js';
import { textsFor } from '../../render/language/index.js';
import type { Answer, Ask, Bench } from '../ask.js';
import { pageButtons, pageOf } from './list.js';
import { relative } from './subscription.js';

const PER_PAGE = 8;
/** Of an embed's description, 4,096. */
const ROOM = 3_900;

interface Line {
  readonly mark: MarkedPosting;
  readonly words: string;
}

/** Page `page` (0-based; one past the end is the last). Links are long and never cut, so a page holds what fits. */
export function savedPage(marks: readonly MarkedPosting[], page: number, ask: Ask, bench: Bench): Answer {
  const texts = textsFor(ask.locale);
  const { saved } = texts.bot;
  if (marks.length === 0) return { text: saved.none };
  const all = paged(marks.map((mark) => ({ mark, words: lineOf(mark, ask, bench, texts) })));
  const { at, pages } = pageOf(all.length, page, 1);
  const shown = all[at] ?? [];
  const linked = shown.some(({ mark }) => mark.posting.applyUrl);
  const footer = [pages > 1 && texts.bot.jobs.page(at + 1, pages), linked && texts.card.note];
  const words = footer.filter(Boolean).join(' · ');
  return {
    embeds: [
      {
        title: saved.title(marks.length),
        description: shown.map((line) => line.words).join('\n'),
        ...(words ? { footer: { text: words } } : {}),
      },
    ],
    components: pageButtons('saved', at, pages, ask, texts),
    postings: shown.map(({ mark }) => mark.posting),
  };
}

function lineOf({ posting, mark, at }: MarkedPosting, ask: Ask, bench: Bench, texts: Texts): string {
  const { saved } = texts.bot;
  const options = { locale: ask.locale, source: bench.source, now: bench.clock.now() };
  const words = digestLine({ ...posting, matched: [] }, options);
  // A link belongs to the account that was sent it, so it is not kept from other people's cards.
  const shown = posting.applyUrl ? words : words.replace(`⚠️ ${texts.card.noLink}`, saved.noLink);
  return `${shown}\n  -# ${saved.states[mark]} ${relative(at)}`;
}

function paged(lines: readonly Line[]): readonly (readonly Line[])[] {
  const pages: Line[][] = [];
  let used = 0;
  for (const line of lines) {
    const page = pages.at(-1);
    if (page && page.length < PER_PAGE && used + line.words.length < ROOM) page.push(line);
    else pages.push([line]);
    used = (page === pages.at(-1) ? used : 0) + line.words.length + 1;
  }
  return pages;
}
