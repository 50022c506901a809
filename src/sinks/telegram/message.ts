// A delivery as the message that Telegram gets: cards with a button for each apply link, or the list of a digest.
// Telegram's HTML has few tags, and its limits count the text without them.
import type { EditionPosting } from '../../domain/edition.js';
import type { Posting } from '../../domain/posting.js';
import { cardsOf, onCard } from '../../domain/same-job.js';
import type { Destination } from '../../domain/subscription.js';
import type { Delivery } from '../../ports/sink.js';
import { commaOf } from '../../render/card-view.js';
import { periodOf } from '../../render/describe.js';
import { totalOf } from '../../render/digest-view.js';
import { packPostings } from '../../render/pack.js';
import { isBare, type PostingView, viewPosting } from '../../render/posting-view.js';
import { LANGUAGES, type Texts, textsFor } from '../../render/texts.js';

/** A message: HTML for `parse_mode`, and the buttons under it, one in each row. */
export interface TelegramMessage {
  readonly text: string;
  readonly buttons: readonly { readonly text: string; readonly url: string }[];
}

/** Bot API, sendMessage: characters of a text without its markup. */
const TEXT_MAX = 4096;
/** Room for the period, "and N more", the source and the note. */
const RESERVE = 900;
/** Telegram ignores the markup after the hundredth part of a text with markup. */
const MOST_LINES = 30;
const MOST_MARKED = 94;
const MOST_CARDS = 8;
const PLACE_MAX = 60;
const BUTTON_MAX = 48;
const SNIPPET = 400;
const LINE_SNIPPET = 100;

/** Splits an edition into messages. */
export function packTelegram(
  postings: readonly EditionPosting[],
  { cadence }: Destination,
): readonly (readonly EditionPosting[])[] {
  const isImmediate = cadence.every === 'immediate';
  const part = isImmediate ? cardOf : lineOf;
  const cost = (posting: EditionPosting) =>
    Math.max(
      ...Object.keys(LANGUAGES).map((locale) => {
        const snippet = isImmediate ? 0 : snippetOf(posting);
        const view = viewPosting({ ...posting, matched: [] }, { locale, source: '', now: 0, snippet });
        return lengthOf(part(view, textsFor(locale), '00. '));
      }),
      ((TEXT_MAX - RESERVE) / MOST_MARKED) * onCard(posting).length,
    );
  return packPostings(cardsOf(postings), cost, {
    most: isImmediate ? MOST_CARDS : MOST_LINES,
    budget: TEXT_MAX - RESERVE,
    // The reasons, which only cards show, are not known yet.
    each: isImmediate ? 240 : 10,
  });
}

/** The message of a delivery. The same delivery always gives the same message. `plainLinks`: without buttons. */
export function renderTelegram(delivery: Delivery, plainLinks = false): TelegramMessage {
  return delivery.every === 'immediate' ? cards(delivery, plainLinks) : digest(delivery);
}

function cards(delivery: Delivery, plainLinks: boolean): TelegramMessage {
  const { locale } = delivery;
  const texts = textsFor(locale);
  const leads = cardsOf(delivery.postings);
  const only = leads.length === 1;
  const views = leads.map((posting) => view(posting, delivery, only ? SNIPPET : 0));
  const number = (index: number) => (only ? '' : `${index + 1}. `);
  const blocks = views.map((one, index) =>
    [cardOf(one, texts, number(index), plainLinks), plainLinks && linkOf(one, texts.card.apply)]
      .filter(Boolean)
      .join('\n'),
  );
  const buttons = views.flatMap((one, index) => {
    if (one.applyUrl === undefined || plainLinks) return [];
    const text = only ? texts.card.apply : `${number(index)}${one.title}`.slice(0, BUTTON_MAX);
    const others = (one.also ?? []).map(({ place, link }) => {
      return { text: `${number(index)}${place}`.slice(0, BUTTON_MAX), url: link };
    });
    return [{ text, url: one.applyUrl }, ...others];
  });
  const text = [...blocks, ...more(delivery, texts), foot(delivery, texts)].join('\n\n');
  return { text, buttons };
}

function digest(delivery: Delivery): TelegramMessage {
  const { locale, from, slot, part, parts, about, destination } = delivery;
  const texts = textsFor(locale);
  const lines = cardsOf(delivery.postings).map((posting) =>
    lineOf(view(posting, delivery, snippetOf(posting)), texts),
  );
  const period = periodOf(from, slot, destination.cadence.timezone, locale);
  const head = [
    `<b>${escaped(about || texts.describe.everything, 200)}</b>`,
    [
      period,
      texts.card.postings({ count: totalOf(delivery) }),
      parts > 1 && texts.card.part({ number: part + 1, of: parts }),
    ]
      .filter(Boolean)
      .join(' · '),
  ].join('\n');
  const text = [head, lines.join('\n'), ...more(delivery, texts), foot(delivery, texts)].join('\n\n');
  return { text, buttons: [] };
}

function view(posting: EditionPosting, { locale, source, slot, destination }: Delivery, snippet: number) {
  const { timezone } = destination.cadence;
  return viewPosting(posting, { locale, source, now: slot, timezone, snippet });
}

/** `links`: the other places are links; otherwise the buttons are. */
function cardOf(view: PostingView, { card }: Texts, number = '', links = false): string {
  const small = [
    view.tags.join(', ') + (view.moreTags > 0 ? ` +${view.moreTags}` : ''),
    view.fits,
    view.age && card.posted({ age: view.age }),
    view.seenBefore,
  ].filter(Boolean);
  return [
    `<b>${escaped(`${number}${view.title}`, 220)}</b>`,
    escaped([view.company, view.place].filter(Boolean).join(' · '), 240),
    alsoOf(view, card, links),
    view.pay && `💰 ${escaped(view.pay, 200)}`,
    view.snippet && escaped(view.snippet, SNIPPET),
    view.applyBy && `📅 ${escaped(view.applyBy, 160)}`,
    view.noLink && `⚠️ ${escaped(view.noLink, 200)}`,
    view.twice && `👥 ${escaped(view.twice, 200)}`,
    small.length > 0 && `<i>${escaped(small.join(' · '), 500)}</i>`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** A line of a posting without company, place and pay has the first words of its description. */
const snippetOf = (posting: Posting) => (isBare(posting) ? LINE_SNIPPET : 0);

function lineOf(view: PostingView, { card }: Texts): string {
  const { company, place, pay, applyBy, snippet, noLink } = view;
  const rest = [company, place, pay, applyBy && `📅 ${applyBy}`, snippet, noLink && `⚠️ ${noLink}`].filter(
    Boolean,
  );
  return [
    `• ${linkOf(view) ?? `<b>${escaped(view.title, 110)}</b>`}`,
    escaped(rest.join(' · '), 240),
    alsoOf(view, card, true),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** "also: Berlin, Lisbon"; empty without other places. */
function alsoOf({ also = [] }: PostingView, { also: label }: Texts['card'], links: boolean): string {
  if (also.length === 0) return '';
  const places = also.map(({ place, link }) => {
    const name = escaped(place, PLACE_MAX);
    return links ? `<a href="${inHtml(link)}">${name}</a>` : name;
  });
  return `${label} ${places.join(commaOf(also.map(({ place }) => place)))}`;
}

/** The title, or other words, as a link; undefined without one. The address is the link byte for byte, as HTML. */
function linkOf({ applyUrl, title }: PostingView, words = title): string | undefined {
  if (applyUrl === undefined) return undefined;
  return `<a href="${inHtml(applyUrl)}">${escaped(words, 110)}</a>`;
}

function more({ more: count, moreUrl }: Delivery, { card }: Texts): readonly string[] {
  if (count === 0) return [];
  const words = escaped(card.more({ count }), 100);
  return [moreUrl ? `<a href="${inHtml(moreUrl)}">${words}</a>` : words];
}

function foot({ source, postings }: Delivery, { card }: Texts): string {
  const note = postings.some(({ applyUrl }) => applyUrl !== undefined) ? ` · ${card.note}` : '';
  return `<i>${escaped(card.via({ source }) + note, 400)}</i>`;
}

/** Characters as Telegram counts them: without markup, in UTF-16 units. */
function lengthOf(html: string): number {
  return html.replace(/<[^>]*>/gu, '').replace(/&\w+;/gu, '.').length;
}

/** Bot API, "HTML style": these characters must be character references. */
function inHtml(text: string): string {
  return text.replace(/[&<>"]/gu, (char) => REFERENCES[char] as string);
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * A stranger's words as HTML of at most `max` characters. Telegram makes links of @names, /commands and #tags. An
 * invisible word joiner after the sign prevents that, so that no posting can notify a member or run a command.
 */
function escaped(text: string, max: number): string {
  const cut = text.length > max ? `${text.slice(0, max - 1).replace(/\p{Cs}$/u, '')}…` : text;
  return inHtml(cut.replace(/(?<![\p{L}\p{N}_])[@/#](?=[\p{L}\p{N}_])/gu, '$&\u2060'));
}
