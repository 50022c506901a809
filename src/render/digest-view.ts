// The text of a digest or an immediate mail; the templates only arrange it. Every field is present, null where there
// is nothing to show, so that a misspelt name in an edited template is an error.
import type { EditionPosting } from '../domain/edition.js';
import { medianPay, renderPay } from '../domain/pay.js';
import { displayTag } from '../domain/tags.js';
import { ellipsis, oneLine, withoutAddresses, withoutLinks } from '../domain/text.js';
import type { Delivery } from '../ports/sink.js';
import { type CardView, cardView } from './card-view.js';
import { CHART_SIZE, type Week } from './chart.js';
import { dateFormat } from './dates.js';
import { describeCadence, listOf, periodOf } from './describe.js';
import { groupPostings } from './digest-groups.js';
import { viewPosting } from './posting-view.js';
import { type Texts, textsFor } from './texts.js';

interface GroupView {
  readonly title: string | null;
  readonly count: number;
  readonly cards: readonly CardView[];
  readonly rest: readonly { readonly title: string; readonly cards: readonly CardView[] }[];
}

interface ChartView {
  readonly title: string;
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
  readonly title: string;
  readonly about: string;
  readonly period: string | null;
  readonly part: string | null;
  /** Null where it would only repeat the number of postings. */
  readonly summary: string | null;
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
  readonly weeks?: readonly Week[];
  readonly chartSrc?: string;
}

/** Fewer samples are not representative. */
const LEAST_SAMPLES = 5;
/** An immediate mail shows descriptions up to this number of postings. A digest is for skimming and has none. */
const FULL = 5;

/** Text from a posting, on one line, in which nothing becomes a link. */
function inert(text: string): string {
  return withoutLinks(oneLine(withoutAddresses(text)));
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * "37 new, 12 remote, median disclosed pay $140k / year". A figure from fewer than five samples is left out.
 * `postings`: all postings that `total` counts.
 */
export function summaryLine(postings: readonly EditionPosting[], total: number, locale: string): string {
  const texts = textsFor(locale);
  const verdicts = postings.filter((posting) => posting.remote !== undefined);
  const remote = verdicts.filter((posting) => posting.remote).length;
  const pay = medianPay(postings.map((posting) => posting.pay));
  return [
    texts.mail.newCount({ count: total }),
    verdicts.length >= LEAST_SAMPLES && remote > 0 ? texts.mail.remoteCount({ count: remote }) : '',
    pay ? texts.mail.medianPay({ pay: renderPay(pay, texts.card) }) : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** 40 to 110 characters, so that a mailbox shows a full line of text and not the first words of the layout. */
function preheader(cards: readonly EditionPosting[], source: string, texts: Texts): string {
  const titles = cards.slice(0, 3).map((one) => ellipsis(inert(one.title ?? texts.card.noTitle), 60));
  const text = texts.mail.among({ titles: listOf(titles, texts.intl, 'unit') });
  return ellipsis(text.length >= 40 ? text : `${text} ${texts.mail.fill({ source })}`, 110);
}

function chartView(options: DigestOptions, timezone: string, texts: Texts): ChartView | null {
  const weeks = options.weeks ?? [];
  if (weeks.length === 0) return null;
  const day = dateFormat(texts.intl, { day: 'numeric', month: 'short', timeZone: timezone });
  const counts = weeks.map((week) => week.count);
  return {
    title: texts.mail.chartTitle,
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

function subjectOf(delivery: Delivery, period: string, texts: Texts): string {
  const { mail, card } = texts;
  const total = totalOf(delivery);
  const about = ellipsis(oneLine(delivery.about), 80);
  const [only] = delivery.postings;
  if (delivery.every !== 'immediate')
    return mail.digestSubject({ count: card.postings({ count: total }), about, period });
  if (total !== 1 || !only) return mail.alertSubject({ count: card.postings({ count: total }), about });
  // No mail program makes links in a subject, and an invisible character would force the subject to be encoded.
  const title = ellipsis(oneLine(withoutAddresses(only.title ?? '')) || card.noTitle, 80);
  const company = ellipsis(oneLine(withoutAddresses(only.company ?? '')), 40);
  return company ? mail.alertSubjectOne({ title, company }) : mail.alertSubjectBare({ title });
}

/** The view of one delivery. Pure. Every posting of the delivery is in it exactly once. */
export function digestView(delivery: Delivery, options: DigestOptions): DigestView {
  const { postings, more, locale, source, every } = delivery;
  const texts = textsFor(locale);
  const { timezone } = delivery.destination.cadence;
  const period = periodOf(delivery.from, delivery.slot, timezone, locale);
  const part = delivery.parts > 1 ? texts.card.part({ number: delivery.part + 1, of: delivery.parts }) : null;
  const subject = subjectOf(delivery, period, texts);
  const full = every === 'immediate' && postings.length <= FULL;
  const shown = { locale, source, timezone, now: options.now, ...(full ? {} : { snippet: 0 }) };
  const show = (list: readonly EditionPosting[]) =>
    list.map((one) => cardView(viewPosting(one, shown), full, texts));
  const groups = groupPostings(postings, options.now);
  const about = oneLine(delivery.about);
  const total = totalOf(delivery);
  const summary = summaryLine(delivery.all ?? postings, total, locale);
  return {
    lang: texts.intl,
    subject: part ? texts.mail.partSubject({ subject, part }) : subject,
    preheader: preheader(
      groups.flatMap((group) => group.postings),
      source,
      texts,
    ),
    title: texts.card.postings({ count: total }),
    about,
    period: every === 'immediate' ? null : period,
    part,
    summary: summary === texts.mail.newCount({ count: total }) ? null : summary,
    groups: groups.map((group) => ({
      title: group.tag ? capital(displayTag(group.tag)) : groups.length > 1 ? texts.mail.otherGroup : null,
      count: group.postings.length + group.rest.reduce((sum, one) => sum + one.postings.length, 0),
      cards: show(group.postings),
      rest: group.rest.map((one) => ({
        title: texts.mail.moreFrom({ company: ellipsis(inert(one.company), 100) }),
        cards: show(one.postings),
      })),
    })),
    chart: chartView(options, timezone, texts),
    rest: more > 0 ? { text: texts.card.more({ count: more }), url: options.links.browser } : null,
    links: options.links,
    why: texts.mail.whyThis({ about, cadence: describeCadence(delivery.destination.cadence, locale) }),
    note: texts.card.note,
    via: texts.card.via({ source }),
  };
}
