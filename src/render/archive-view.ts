// The public page with the last editions of a channel: postings by the day on which they were announced. It gives the same
// bytes until there is a new edition, so that browsers and proxies can keep it.
import type { EditionPosting } from '../domain/edition.js';
import type { EditionRecord } from '../ports/stores.js';
import { cardView } from './card-view.js';
import { dayInWords } from './dates.js';
import type { FeedItem } from './feed-xml.js';
import { viewPosting } from './posting-view.js';
import { type Texts, textsFor } from './texts.js';

/** The most postings of a page or a feed. */
const POSTINGS = 200;

/** All postings of editions, newest edition first, each once. */
export function postingsOf(editions: readonly EditionRecord[], most = POSTINGS): readonly FeedItem[] {
  const seen = new Set<string>();
  const isFirst = (record: EditionRecord, { key }: EditionPosting) => {
    const id = `${record.subscription} ${key}`;
    return seen.has(id) ? false : seen.add(id);
  };
  return editions
    .flatMap((record) =>
      [...record.postings, ...record.rest].map((posting) => ({ posting, record, at: record.slot })),
    )
    .filter(({ posting, record }) => isFirst(record, posting))
    .slice(0, most);
}

/** The title of the page and of its feed. */
export function archiveTitle(about: string, source: string, { page }: Texts): string {
  return page.archive.title({ about, source });
}

/** `items`: newest first. `feed`: the address of the feed. */
export function archiveView(
  items: readonly FeedItem[],
  of: { readonly locale: string; readonly source: string; readonly about: string; readonly feed: string },
) {
  const texts = textsFor(of.locale);
  const { locale, source, about, feed } = of;
  const cards = items.map(({ posting, record, at }) => {
    const { timezone } = record.destination.cadence;
    const shown = { locale, source, now: at, timezone, absolute: true };
    return {
      day: dayInWords(at, timezone, texts.intl),
      card: cardView(viewPosting(posting, { ...shown, snippet: 0 }), texts, false),
    };
  });
  const days = [...new Set(cards.map(({ day }) => day))];
  return {
    lang: texts.intl,
    title: archiveTitle(about, source, texts),
    service: texts.page.service({ source }),
    nothing: items.length === 0 ? texts.page.archive.empty : null,
    days: days.map((day) => ({
      title: day,
      cards: cards.filter((one) => one.day === day).map(({ card }) => card),
    })),
    note: texts.card.note,
    feed,
  };
}
