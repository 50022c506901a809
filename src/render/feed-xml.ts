// Editions as RSS 2.0: those of a reader who prefers a feed reader to a mailbox, or those of a public archive.
import type { EditionPosting } from '../domain/edition.js';
import type { EditionRecord } from '../ports/stores.js';
import { cardView } from './card-view.js';
import { viewPosting } from './posting-view.js';
import { textsFor } from './texts.js';

export interface FeedItem {
  readonly posting: EditionPosting;
  readonly record: EditionRecord;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes for XML, and removes characters that XML 1.0 does not allow. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/gu, (sign) => ENTITIES[sign] as string);
}

/** Feed readers treat a description as HTML, so plain text is also escaped as HTML. */
function html(text: string): string {
  return xml(xml(text).replaceAll('\n', '<br>\n'));
}

/** Some readers treat a title as HTML, others as plain text. In neither may it hold a tag or show an escape. */
function title(text: string): string {
  return xml(text.replaceAll('<', '‹').replaceAll('>', '›'));
}

/** Returns every text of a feed, unescaped as a feed reader sees it, to check the finished bytes. */
export function feedTexts(feed: string): readonly string[] {
  const signs = new Map(Object.entries(ENTITIES).map(([sign, entity]) => [entity, sign]));
  return [...feed.matchAll(/>([^<]+)</gu)].map(([, text = '']) =>
    text.replace(/&(?:amp|lt|gt|quot);/gu, (entity) => signs.get(entity) ?? entity),
  );
}

/**
 * Renders the items in the given order, newest edition first. The same items always give the same bytes, or readers
 * would announce each item again when its age changes. `self`: the feed's own public address. Every `link` decodes to
 * exactly the apply link; a posting without one has none.
 */
export function renderFeed(
  items: readonly FeedItem[],
  of: {
    locale: string;
    source: string;
    title: string;
    home: string | undefined;
    self: string | undefined;
  },
): string {
  const texts = textsFor(of.locale);
  const { locale, source, self } = of;
  const lines = items.map(({ posting, record, at }) => {
    const { timezone } = record.destination.cadence;
    const shown = { locale, source, now: at, timezone, absolute: true };
    const card = cardView(viewPosting(posting, shown), texts, true);
    const text = [card.meta, card.pay, card.details, card.snippet, card.remark].filter(Boolean).join('\n');
    return [
      '<item>',
      `<title>${title(card.title)}</title>`,
      ...(card.link ? [`<link>${xml(card.link)}</link>`] : []),
      `<guid isPermaLink="false">${xml(`${record.subscription}/${posting.key}`)}</guid>`,
      `<pubDate>${new Date(at).toUTCString()}</pubDate>`,
      `<description>${html(text)}</description>`,
      '</item>',
    ].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
    '<channel>',
    `<title>${xml(of.title)}</title>`,
    `<link>${xml(of.home ?? 'https://localhost')}</link>`,
    `<description>${xml(texts.card.note)}</description>`,
    // RSS Advisory Board, Best Practices: a feed names its own address.
    ...(self ? [`<atom:link href="${xml(self)}" rel="self" type="application/rss+xml"/>`] : []),
    `<language>${texts.intl}</language>`,
    ...lines,
    '</channel>',
    '</rss>',
    '',
  ].join('\n');
}
