// Renders one posting as one embed. The title has the apply link, byte for byte. Text from the posting is escaped
// and visibly cut, so that no posting can make Discord refuse the message.
import type { EditionPosting } from '../../domain/edition.js';
import { type PostingView, SNIPPET, type ViewOptions, viewPosting } from '../posting-view.js';
import { textsFor } from '../texts.js';
import { embeddable, escaped, plain } from './escape.js';
import { type Embed, LIMITS } from './payload.js';

const COLOR = 0x2f9e6e;

/** `brief` leaves out the line of tags and reasons, to save space. */
export interface CardOptions extends ViewOptions {
  readonly brief?: boolean;
  /** Shown after the source in the footer. */
  readonly note?: string;
}

/** One posting as an embed of at most about 4,500 counted characters. Never throws. */
export function cardEmbed(posting: EditionPosting, options: CardOptions): Embed {
  const view = viewPosting(posting, options);
  const { card } = textsFor(options.locale);
  const link = view.applyUrl;
  const linked = link !== undefined && embeddable(link);
  const lines = [
    facts(view),
    view.snippet ? escaped(view.snippet, options.snippet ?? SNIPPET) : '',
    view.noLink ? `⚠️ ${view.noLink}` : '',
    view.twice ? `-# 👥 ${view.twice}` : '',
    // Discord would refuse the embed for such an address, so the address is on a separate line, unchanged.
    link !== undefined && !linked ? `${card.apply}: <${link}>` : '',
    options.brief ? '' : small(posting, view, options),
  ].filter((line) => line !== '');
  return {
    ...(view.company ? { author: { name: plain(view.company, LIMITS.author) || '—' } } : {}),
    title: escaped(view.title, LIMITS.title) || card.noTitle,
    ...(linked ? { url: link } : {}),
    ...(lines.length > 0 ? { description: lines.join('\n') } : {}),
    color: COLOR,
    footer: { text: footer(options) },
  };
}

/** "via the board", followed by the note if there is one. */
export function footer(options: {
  readonly locale: string;
  readonly source: string;
  readonly note?: string;
}): string {
  const via = textsFor(options.locale).card.via({ source: plain(options.source, 100) });
  return options.note ? `${via} · ${options.note}` : via;
}

function facts(view: PostingView): string {
  return [view.place && `📍 ${escaped(view.place, 160)}`, view.pay && `💰 ${escaped(view.pay, 200)}`]
    .filter(Boolean)
    .join('   ');
}

function small(posting: EditionPosting, view: PostingView, options: CardOptions): string {
  const { card } = textsFor(options.locale);
  const tags = view.tags.map((tag) => `\`${plain(tag.replaceAll('`', "'"), 40)}\``);
  const more = view.moreTags > 0 ? ` +${view.moreTags}` : '';
  const parts = [
    tags.length > 0 ? tags.join(' ') + more : '',
    view.why ? card.matched({ reasons: escaped(view.why, 120) }) : '',
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
