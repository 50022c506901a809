// Many postings as a list grouped by tag, in as many embeds of one message as it needs: a digest, or a burst of an
// immediate delivery.
import { defined } from '../../domain/defined.js';
import type { EditionPosting } from '../../domain/edition.js';
import { ranked } from '../../domain/ranking.js';
import { cardsOf } from '../../domain/same-job.js';
import { displayTag } from '../../domain/tags.js';
import type { Delivery } from '../../ports/sink.js';
import { periodOf } from '../describe.js';
import { groupPostings } from '../digest-groups.js';
import { totalOf } from '../digest-view.js';
import { isBare, type ViewOptions, viewPosting } from '../posting-view.js';
import { type Texts, textsFor } from '../texts.js';
import { alsoLine, footer } from './card.js';
import { escaped, linkable, linkWords, maskable, plain } from './escape.js';
import { type Embed, embedsSize, firstFitting, LIMITS } from './payload.js';

const COLOR = 0x2f6f9e;

interface Group {
  readonly name: string;
  readonly postings: readonly EditionPosting[];
}

/** The embeds of a list: the subject, the period, a list per tag, "and N more", the source. */
export function digestEmbeds(delivery: Delivery): readonly Embed[] {
  return firstFitting(
    [
      () => laidOut(delivery, { grouped: true, brief: false }),
      () => laidOut(delivery, { grouped: false, brief: false }),
      () => laidOut(delivery, { grouped: false, brief: true }),
      ...(delivery.postings.length <= LIMITS.embeds ? [() => bare(delivery)] : []),
    ],
    (layOut) => layOut(),
    (embeds) => embedsSize(embeds) <= LIMITS.allEmbeds,
  );
}

function laidOut(delivery: Delivery, how: { grouped: boolean; brief: boolean }): readonly Embed[] {
  const { locale, about } = delivery;
  const texts = textsFor(locale);
  const options = { ...lineOptions(delivery), brief: how.brief };
  const cards = cardsOf(delivery.postings);
  const groups = how.grouped
    ? groupsOf(ranked(cards, delivery.slot), texts)
    : [{ name: '', postings: cards }];
  const lines = groups.flatMap((group) => [
    ...(groups.length > 1 ? [`**${escaped(group.name, 45)}**`] : []),
    ...group.postings.map((posting) => digestLine(posting, options)),
  ]);
  const pages = paged([head(delivery, texts), ...lines, ...moreLine(delivery)]);
  return withFooter(
    pages.map((description, index) => ({
      ...defined({ title: index === 0 ? escaped(about, 200) || texts.describe.everything : undefined }),
      description,
      color: COLOR,
    })),
    delivery,
  );
}

/**
 * One embed per posting, with the link in its title. Only for a part that version 0.1 packed: it put up to ten
 * postings into a message and did not count their links.
 */
function bare(delivery: Delivery): readonly Embed[] {
  const { postings } = delivery;
  const options = { ...lineOptions(delivery), brief: true };
  const embeds = postings.map((posting, index): Embed => {
    const { title, applyUrl } = viewPosting(posting, { ...options, snippet: 0 });
    const linked = applyUrl !== undefined && linkable(applyUrl);
    const description = [
      ...(linked ? [] : [digestLine(posting, options)]),
      ...(index === postings.length - 1 ? moreLine(delivery) : []),
    ].join('\n');
    return {
      ...(linked ? { title: escaped(title, LIMITS.title) || '—', url: applyUrl } : {}),
      ...defined({ description: description || undefined }),
      color: COLOR,
    };
  });
  return withFooter(embeds, delivery);
}

function withFooter(embeds: readonly Embed[], { locale, source, postings }: Delivery): readonly Embed[] {
  const text = footer(plain(source, 100), postings, textsFor(locale).card);
  return embeds.map((embed, index) => (index === embeds.length - 1 ? { ...embed, footer: { text } } : embed));
}

function lineOptions({ locale, source, slot, destination }: Delivery): LineOptions {
  return { locale, source: plain(source, 100), now: slot, timezone: destination.cadence.timezone };
}

/** The groups of a list. Each has all its postings here, because a Discord message can't fold any of them. */
function groupsOf(cards: readonly EditionPosting[], texts: Texts): readonly Group[] {
  return groupPostings(cards).map(({ tag, postings, rest }) => {
    return {
      name: tag ? displayTag(tag) : texts.card.otherTags,
      postings: [...postings, ...rest.flatMap((company) => company.postings)],
    };
  });
}

function head(delivery: Delivery, texts: Texts): string {
  const { from, slot, part, parts, postings, destination, locale } = delivery;
  const period = periodOf(from, slot, destination.cadence.timezone, locale);
  const count = [
    texts.card.postings({ count: totalOf(delivery) }),
    ...(parts > 1 ? [texts.card.part({ number: part + 1, of: parts })] : []),
  ].join(' · ');
  const twice = postings.filter((posting) => posting.twice).length;
  return [
    `-# ${period} · ${count}`,
    ...(twice > 0 ? [`-# 👥 ${texts.card.someTwice({ count: twice })}`] : []),
  ].join('\n');
}

/** "and N more" with the address of their page, at most 450 characters; nothing when there are no more. */
export function moreLine({ more, moreUrl, locale }: Delivery): readonly string[] {
  if (more === 0) return [];
  const words = textsFor(locale).card.more({ count: more });
  return [moreUrl && moreUrl.length <= 400 && maskable(moreUrl) ? `[${words}](<${moreUrl}>)` : words];
}

/** Joins lines into as few descriptions as possible. A line is never split. */
function paged(lines: readonly string[]): readonly string[] {
  const pages: string[] = [];
  let page = '';
  for (const line of lines) {
    if (page !== '' && page.length + 1 + line.length > LIMITS.description) {
      pages.push(page);
      page = '';
    }
    page = page === '' ? line : `${page}\n${line}`;
  }
  return [...pages, page];
}

// One posting as one line of a digest. The title is a masked link if that keeps every byte of the link. Otherwise
// the bare link follows.

/** Of a posting that has neither company, place nor pay; in UTF-16 units. */
const SNIPPET = 100;

/** `brief`: title, company and link only, to save space. */
interface LineOptions extends ViewOptions {
  readonly brief?: boolean;
}

/** At most about 3,000 characters, most of them in links. Never throws. */
export function digestLine(posting: EditionPosting, options: LineOptions): string {
  const snippet = isBare(posting) && !options.brief ? SNIPPET : 0;
  const view = viewPosting(posting, { ...options, maxTags: 0, snippet, reasons: false });
  const title = linkWords(view.title, 110) || '—';
  const link = view.applyUrl;
  const masked = link !== undefined && maskable(link);
  const rest = [
    view.company && escaped(view.company, 60),
    !options.brief && view.place && escaped(view.place, 60),
    !options.brief && view.pay && escaped(view.pay, 90),
    view.snippet && escaped(view.snippet, SNIPPET),
    !options.brief && view.applyBy && `📅 ${escaped(view.applyBy, 160)}`,
    view.noLink && `⚠️ ${view.noLink}`,
    link !== undefined && !masked && `<${link}>`,
    alsoLine(view, textsFor(options.locale).card),
  ].filter(Boolean);
  return [`- ${masked ? `[${title}](<${link}>)` : `**${title}**`}`, ...rest].join(' · ');
}
