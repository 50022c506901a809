// The text of a digest or an immediate mail; the templates only arrange it. Every field is present, null where there
// is nothing to show, so that a misspelt name in an edited template is an error. What one part says, no other repeats.
import type { EditionPosting } from '../domain/edition.js';
import { medianPay, shortPay } from '../domain/pay.js';
import { picksOf, ranked } from '../domain/ranking.js';
import { cardsOf } from '../domain/same-job.js';
import { displayTag } from '../domain/tags.js';
import { capitalized, ellipsis, oneLine, withoutAddresses, withoutLinks } from '../domain/text.js';
import type { Delivery } from '../ports/sink.js';
import { type Beside, type CardView, cardView } from './card-view.js';
import { CHART_SIZE, saysSomething, usualCount, type Week } from './chart.js';
import { dateFormat } from './dates.js';
import { describeCadence, periodOf } from './describe.js';
import { type Group, groupPostings, type Section, sectionsOf } from './digest-groups.js';
import { figureOf, isBare, viewPosting } from './posting-view.js';
import { type Texts, textsFor } from './texts.js';

interface GroupView {
  readonly title: string | null;
  readonly count: number;
  readonly cards: readonly CardView[];
  readonly rest: readonly { readonly title: string; readonly cards: readonly CardView[] }[];
}

interface SectionView {
  readonly title: string;
  readonly cards: readonly CardView[];
}

interface ChartView {
  readonly title: string;
  /** "27 this week, usually 14". */
  readonly text: string;
  readonly alt: string;
  readonly width: number;
  readonly height: number;
  /** Oldest first. */
  readonly counts: readonly number[];
  readonly first: string;
  readonly last: string;
  /** Address of the picture: `cid:…` in a mail. */
  readonly src: string;
}

/** Addresses of an edition's pages; null when there are no public pages. */
export interface PageLinks {
  readonly unsubscribe: string | null;
  readonly preferences: string | null;
  readonly browser: string | null;
}

export interface DigestView {
  readonly lang: string;
  readonly subject: string;
  readonly preheader: string;
  /** "New postings, 16–22 Nov"; without a period the same as `title`. */
  readonly headline: string;
  /** "10 new postings". */
  readonly title: string;
  readonly about: string;
  readonly period: string | null;
  readonly part: string | null;
  /** "10 new, 5 remote, median disclosed pay $140k"; "5 of them remote, …" where the chart or the headline names the count. */
  readonly summary: string | null;
  /** The postings that fit best, in full. `title` is null when there are no others. */
  readonly picks: { readonly title: string | null; readonly cards: readonly CardView[] };
  /** All other postings, one row each. */
  readonly sections: readonly SectionView[];
  /** All postings, the picks included, for templates that make no difference. */
  readonly groups: readonly GroupView[];
  readonly chart: ChartView | null;
  readonly rest: { readonly text: string; readonly url: string | null } | null;
  readonly links: PageLinks;
  readonly why: string;
  readonly note: string;
  readonly via: string;
}

/** The input of {@link digestView} besides the delivery. */
export interface DigestOptions {
  readonly now: number;
  readonly links: PageLinks;
  /** Address of the page that saves or hides a posting; left out where a link is not for one reader. */
  readonly feedback?: ((posting: EditionPosting) => string) | undefined;
  readonly weeks?: readonly Week[];
  readonly chartSrc?: string;
}

/** Fewer samples are not representative. */
const LEAST_SAMPLES = 5;
/** About two lines on a computer, in UTF-16 units. */
const PICK_SNIPPET = 120;
/** One line on a computer, in UTF-16 units. */
const ROW_SNIPPET = 80;
/** Mailboxes show about this much of a subject on a computer, in UTF-16 units. */
const SUBJECT = 90;
/** Least room for the title of a posting in a subject. */
const SUBJECT_TITLE = 40;

/** Text from a posting, on one line, in which nothing becomes a link. */
function inert(text: string): string {
  return withoutLinks(oneLine(withoutAddresses(text)));
}

/**
 * "37 new, 12 remote, median disclosed pay $140k". A figure from fewer than five samples is left out. Null when
 * nothing is left. `postings`: all postings of the edition; `total`: their number, left out where it is said already.
 */
export function summaryLine(
  postings: readonly EditionPosting[],
  total: number | undefined,
  locale: string,
): string | null {
  const texts = textsFor(locale);
  const verdicts = postings.filter((posting) => posting.remote !== undefined);
  const remote = verdicts.filter((posting) => posting.remote).length;
  const pay = medianPay(postings.map((posting) => posting.pay));
  const { remoteCount, remoteOf } = texts.mail;
  const parts = [
    total === undefined ? '' : texts.mail.newCount({ count: total }),
    verdicts.length >= LEAST_SAMPLES && remote > 0
      ? (total === undefined ? remoteOf : remoteCount)({ count: remote })
      : '',
    pay ? texts.mail.medianPay({ pay: shortPay(pay, texts.card) }) : '',
  ];
  return parts.filter(Boolean).join(', ') || null;
}

/**
 * The next two titles and the week's figure, or the place and description of the only posting. 40 to 110 characters,
 * so that a mailbox shows a full line of text and not the first words of the layout.
 */
function preheader(
  cards: readonly CardView[],
  figure: string | null,
  source: string,
  { mail }: Texts,
): string {
  const [first, ...others] = cards;
  const parts =
    others.length > 0
      ? [...others.slice(0, 2).map(({ title }) => ellipsis(title, 36)), figure]
      : [first?.place, first?.snippet];
  const text = parts.filter(Boolean).join(' · ');
  return ellipsis(text.length >= 40 ? text : [text, mail.fill({ source })].filter(Boolean).join(' · '), 110);
}

function chartView(options: DigestOptions, timezone: string, texts: Texts): ChartView | null {
  const weeks = options.weeks ?? [];
  if (!saysSomething(weeks)) return null;
  const day = dateFormat(texts.intl, { day: 'numeric', month: 'short', timeZone: timezone });
  const counts = weeks.map((week) => week.count);
  return {
    title: texts.mail.chartTitle,
    text: texts.mail.weekFigure({ count: counts.at(-1) ?? 0, usual: usualCount(weeks) }),
    alt: texts.mail.chartAlt({ title: texts.mail.chartTitle, counts: counts.join(', ') }),
    ...CHART_SIZE,
    counts,
    first: texts.mail.weekFrom({ date: day.format(weeks[0]?.from) }),
    last: texts.mail.lastWeek,
    src: options.chartSrc ?? '',
  };
}

/** Number of postings in the whole edition, the same in each of its parts. */
export function totalOf({ all, postings, more }: Pick<Delivery, 'all' | 'postings' | 'more'>): number {
  return all?.length ?? postings.length + more;
}

/**
 * "Staff Rust Engineer at Cobalt, $170k–210k + 9 more": leads with the best posting, so that it differs each week. One
 * line of about 90 characters at most: first pay and company are left out, then the title is cut at a word.
 */
function subjectOf(
  lead: EditionPosting | undefined,
  total: number,
  part: string | null,
  texts: Texts,
): string {
  const { mail, card } = texts;
  // No mail program makes links in a subject, and an invisible character would force the subject to be encoded.
  const plain = (text: string | undefined) => oneLine(withoutAddresses(text ?? ''));
  const company = ellipsis(plain(lead?.company), 40);
  const pay = lead && figureOf(lead, texts);
  const say = (title: string, facts: { company?: string; pay?: string | undefined }) => {
    const named = facts.company ? mail.subjectAt({ title, company: facts.company }) : title;
    const paid = facts.pay ? mail.subjectPay({ lead: named, pay: facts.pay }) : named;
    const whole = total > 1 ? mail.subjectMore({ lead: paid, count: total - 1 }) : paid;
    return part ? mail.partSubject({ subject: whole, part }) : whole;
  };
  const title = plain(lead?.title) || card.noTitle;
  const roomWith = (facts: Parameters<typeof say>[1]) => SUBJECT - say('', facts).length;
  const wanted = Math.min(title.length, SUBJECT_TITLE);
  const facts = [{ company, pay }, { company }].find((one) => roomWith(one) >= wanted) ?? {};
  return say(ellipsis(title, Math.max(wanted, roomWith(facts))), facts);
}

function sectionTitle({ by, name }: Section, texts: Texts): string {
  if (by === 'tag') return displayTag(name);
  if (by === 'company') return texts.mail.moreFrom({ company: ellipsis(inert(name), 100) });
  if (by === 'rest') return texts.mail.also;
  const day = dateFormat(texts.intl, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  const time = Date.parse(`${name}T00:00:00Z`);
  return capitalized(Number.isNaN(time) ? name : day.format(time));
}

/** Number of postings on these cards. */
function countOf(leads: readonly EditionPosting[]): number {
  return leads.reduce((sum, { also = [] }) => sum + 1 + also.length, 0);
}

/** The card of each leading posting: one in no section is a pick. A card does not repeat the headings above it. */
function cardViews(
  leads: readonly EditionPosting[],
  { locale, source, destination }: Delivery,
  { now, feedback }: Pick<DigestOptions, 'now' | 'feedback'>,
  groups: readonly Group[],
  sections: readonly Section[],
  texts: Texts,
): ReadonlyMap<EditionPosting, CardView> {
  const { timezone } = destination.cadence;
  const tagOf = new Map<EditionPosting, string | undefined>();
  for (const { tag, postings, rest } of groups)
    for (const list of [postings, ...rest.map((one) => one.postings)])
      for (const posting of list) tagOf.set(posting, tag);
  const by = new Map<EditionPosting, Section['by']>();
  for (const section of sections) for (const posting of section.postings) by.set(posting, section.by);
  const cardOf = (posting: EditionPosting, isPick: boolean, beside: Beside): CardView => {
    const snippet = isPick ? PICK_SNIPPET : isBare(posting) ? ROW_SNIPPET : 0;
    const view = viewPosting(posting, { locale, source, timezone, now, snippet, reasons: isPick });
    const others = posting.also?.map((one) => cardOf(one, isPick, beside));
    return cardView(view, texts, isPick, beside, feedback?.(posting), others);
  };
  const cards = new Map<EditionPosting, CardView>();
  for (const lead of leads) {
    const section = by.get(lead);
    const tag = tagOf.get(lead);
    const beside = { tag: tag && displayTag(tag), company: section === 'company', day: section === 'day' };
    cards.set(lead, cardOf(lead, section === undefined, beside));
  }
  return cards;
}

/**
 * The view of one delivery. Pure. Every posting of the delivery is on one card of its picks or sections, and on one of its
 * groups. Counts are of postings.
 */
export function digestView(delivery: Delivery, options: DigestOptions): DigestView {
  const { more, locale, source, every } = delivery;
  const texts = textsFor(locale);
  const { timezone } = delivery.destination.cadence;
  // Chosen as of the slot, so that a page which is opened later has the picks of its mail.
  const { slot } = delivery;
  const period = every === 'immediate' ? null : periodOf(delivery.from, slot, timezone, locale);
  const part = delivery.parts > 1 ? texts.card.part({ number: delivery.part + 1, of: delivery.parts }) : null;
  const postings = ranked(cardsOf(delivery.postings), slot);
  const picks = picksOf(postings);
  const sections = sectionsOf(postings, picks);
  const groups = groupPostings(postings);
  const cards = cardViews(postings, delivery, options, groups, sections, texts);
  const show = (list: readonly EditionPosting[]) => list.map((posting) => cards.get(posting) as CardView);
  const total = totalOf(delivery);
  const title = texts.card.postings({ count: total });
  const chart = chartView(options, timezone, texts);
  const isCounted = chart !== null || period === null;
  const summary = summaryLine(delivery.all ?? delivery.postings, isCounted ? undefined : total, locale);
  const about = oneLine(delivery.about);
  return {
    lang: texts.intl,
    subject: subjectOf(picks[0], total, part, texts),
    preheader: preheader(show(picks.slice(0, 3)), chart?.text ?? summary, source, texts),
    headline: period === null ? title : texts.mail.headline({ count: total, period }),
    title,
    about,
    period,
    part,
    summary,
    picks: { title: sections.length > 0 ? texts.mail.picks : null, cards: show(picks) },
    sections: sections.map((section) => ({
      title: sectionTitle(section, texts),
      cards: show(section.postings),
    })),
    groups: groups.map((group) => ({
      title: group.tag ? displayTag(group.tag) : groups.length > 1 ? texts.mail.otherGroup : null,
      count: [group, ...group.rest].reduce((sum, one) => sum + countOf(one.postings), 0),
      cards: show(group.postings),
      rest: group.rest.map((one) => ({
        title: texts.mail.moreFrom({ company: ellipsis(inert(one.company), 100) }),
        cards: show(one.postings),
      })),
    })),
    chart,
    rest: more > 0 ? { text: texts.card.more({ count: more }), url: options.links.browser } : null,
    links: options.links,
    why: texts.mail.whyThis({ about, cadence: describeCadence(delivery.destination.cadence, locale) }),
    note: texts.card.note,
    via: texts.card.via({ source }),
  };
}

/** The view of the page of an edition. */
export function editionPageView(delivery: Delivery, options: DigestOptions) {
  const view = digestView(delivery, options);
  const { page } = textsFor(delivery.locale);
  return {
    ...view,
    service: page.service({ source: delivery.source }),
    filter: page.edition.filter({ about: view.about }),
  };
}
