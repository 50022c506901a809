// Renders postings as cards: each one a box with the text, a button with the apply link, byte for byte, and controls
// below. Text from the posting is escaped and visibly cut, so that no posting can make Discord refuse the message.
import type { EditionPosting } from '../../domain/edition.js';
import type { Posting } from '../../domain/posting.js';
import { commaOf } from '../card-view.js';
import { type PostingView, type ViewOptions, viewPosting } from '../posting-view.js';
import { type Texts, textsFor } from '../texts.js';
import { escaped, linkable, linkWords, maskable, plain } from './escape.js';
import { type ActionRow, type Container, firstFitting, type Layout, LIMITS, textSize } from './payload.js';

const COLOR = 0x2f9e6e;
const TITLE = 256;
/** Two lines beside the button, in UTF-16 units. */
const SNIPPET = 120;

/**
 * Most cards in a message. Discord allows 40 components: each card has up to 7, and the message up to 2 texts above
 * and below.
 */
export const MOST_CARDS = 5;

/** How much of a posting to show. `brief` leaves out the line of tags and reasons. */
interface Thinner {
  readonly snippet: number;
  readonly brief?: boolean;
}

/** From the most to the least. Packing makes the last ones rare. */
const THINNER: readonly [Thinner, ...Thinner[]] = [
  { snippet: SNIPPET },
  { snippet: 80 },
  { snippet: 0 },
  { snippet: 0, brief: true },
];

/** `above` and `below`: lines around the cards. `controls`: the buttons under a card. */
export interface CardsOptions extends Pick<ViewOptions, 'locale' | 'source' | 'now' | 'timezone'> {
  readonly above?: string;
  readonly below?: string;
  readonly controls?: (posting: EditionPosting) => ActionRow;
}

/**
 * At most {@link MOST_CARDS} postings as cards, and a last line with the source and, if there is a link, the note. Never
 * throws. One posting always fits into a message; check several with {@link fitsMessage}.
 */
export function cardLayout(postings: readonly EditionPosting[], options: CardsOptions): Layout {
  const { locale, source, above, below, controls } = options;
  const { card } = textsFor(locale);
  const via = footer(escaped(source, 100), postings, card);
  const last = [below, `-# ${via}`].filter(Boolean).join('\n');
  return firstFitting(
    THINNER,
    (how): Layout => [
      ...(above ? [{ type: 10, content: above } as const] : []),
      ...postings.map((posting) => cardOf(posting, { ...options, ...how }, controls?.(posting))),
      { type: 10, content: last },
    ],
    fitsMessage,
  );
}

/** True for a layout that Discord accepts as one message. */
export function fitsMessage(layout: Layout): boolean {
  return textSize(layout) <= LIMITS.allTexts;
}

function cardOf(posting: EditionPosting, options: CardOptions, controls: ActionRow | undefined): Container {
  const text = { type: 10, content: cardText(posting, options) } as const;
  const url = posting.applyUrl;
  const label = textsFor(options.locale).card.apply;
  const body =
    url !== undefined && isButton(url)
      ? ({ type: 9, components: [text], accessory: { type: 2, style: 5, label, url } } as const)
      : text;
  return { type: 17, accent_color: COLOR, components: controls ? [body, controls] : [body] };
}

/** True for a link that a button keeps byte for byte. Any other is shown in the text. */
export function isButton(link: string): boolean {
  return link.length <= LIMITS.buttonUrl && linkable(link);
}

type CardOptions = ViewOptions & Partial<Thinner>;

/** The text of a card, about 3,000 characters at most, nearly all of them in a link that fits no button. */
export function cardText(posting: EditionPosting, { snippet = SNIPPET, ...options }: CardOptions): string {
  const view = viewPosting(posting, { ...options, source: plain(options.source, 100), snippet });
  const { card } = textsFor(options.locale);
  const link = view.applyUrl;
  return [
    `### ${escaped(view.title, TITLE) || card.noTitle}`,
    facts(view),
    alsoLine(view, card),
    view.snippet ? escaped(view.snippet, snippet) : '',
    view.applyBy ? `📅 ${escaped(view.applyBy, 160)}` : '',
    view.noLink ? `⚠️ ${view.noLink}` : '',
    view.twice ? `-# 👥 ${view.twice}` : '',
    link !== undefined && !isButton(link) ? `${card.apply}: <${link}>` : '',
    options.brief ? '' : small(posting, view, options),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** "also: Berlin, Lisbon", each place a link; empty without other places. At most about 2,500 characters. */
export function alsoLine({ also = [] }: PostingView, { also: label }: Texts['card']): string {
  if (also.length === 0) return '';
  const comma = commaOf(also.map(({ place }) => place));
  const places = also.map(({ place, link }) => {
    const name = linkWords(place, 60) || '—';
    return maskable(link) ? `[${name}](<${link}>)` : `${name}: <${link}>`;
  });
  return `${label} ${places.join(comma)}`;
}

/**
 * The text of a card with more places in its {@link alsoLine}. `hasOthers`: it names other places already. Returns the same
 * text if it has the links of all `postings`.
 */
export function withPlaces(
  text: string,
  postings: readonly EditionPosting[],
  hasOthers: boolean,
  options: Pick<ViewOptions, 'locale' | 'source' | 'now'>,
): string {
  const fresh = postings.filter(({ applyUrl = '' }) => !text.includes(`<${applyUrl}>`));
  if (fresh.length === 0) return text;
  const { card } = textsFor(options.locale);
  const line = alsoLine(viewPosting({ key: '', matched: [], also: fresh }, options), card);
  // After the title and the line of company, place and pay.
  const lines = text.split('\n');
  const former = lines[2];
  if (hasOthers && former?.startsWith(`${card.also} `))
    return lines.with(2, `${former}; ${line.slice(card.also.length + 1)}`).join('\n');
  return lines.toSpliced(2, 0, line).join('\n');
}

/** "via the board", followed by the note if a posting has a link. `source`: escaped for where it is shown. */
export function footer(
  source: string,
  postings: readonly Posting[],
  { via, note }: Pick<Texts['card'], 'via' | 'note'>,
): string {
  return [via({ source }), ...(postings.some((posting) => posting.applyUrl) ? [note] : [])].join(' · ');
}

function facts({ company, place, pay }: PostingView): string {
  return [company && `**${escaped(company, 160)}**`, place && escaped(place, 160), pay && escaped(pay, 200)]
    .filter(Boolean)
    .join(' · ');
}

function small(posting: EditionPosting, view: PostingView, options: CardOptions): string {
  const { card } = textsFor(options.locale);
  const tags = view.tags.map((tag) => `\`${plain(tag.replaceAll('`', "'"), 40)}\``);
  const more = view.moreTags > 0 ? ` +${view.moreTags}` : '';
  const parts = [
    tags.length > 0 ? tags.join(' ') + more : '',
    view.fits ? escaped(view.fits, 160) : '',
    posting.postedAt ? card.posted({ age: since(posting.postedAt, options.now) ?? view.age ?? '' }) : '',
    view.seenBefore ?? '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? `-# ${parts.join(' · ')}` : '';
}

/** Discord's relative time. It stays correct as the message gets older, and is in the reader's language. */
function since(day: string, now: number): string | undefined {
  const noon = Date.parse(`${day}T12:00:00Z`);
  if (Number.isNaN(noon)) return undefined;
  return `<t:${Math.floor(Math.min(noon, now) / 1000)}:R>`;
}
