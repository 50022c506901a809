import { medianPay, renderPay } from '../domain/pay.js';
import { displayTag } from '../domain/tags.js';
import { ellipsis, oneLine, withoutAddresses, withoutLinks } from '../domain/text.js';
import { cardView } from './card-view.js';
import { CHART_SIZE } from './chart.js';
import { dateFormat } from './dates.js';
import { describeCadence, listOf, periodOf } from './describe.js';
import { groupPostings } from './digest-groups.js';
import { textsFor } from './language/index.js';
import { viewPosting } from './posting-view.js';
/** Fewer samples do not represent the rest. */
const LEAST_SAMPLES = 5;
/** An immediate mail shows descriptions up to this number of postings. A digest is for skimming and has none. */
const FULL = 5;
/** Text by strangers on one line, in which nothing becomes a link. */
function inert(text) {
    return withoutLinks(oneLine(withoutAddresses(text)));
}
function capital(text) {
    return text.slice(0, 1).toUpperCase() + text.slice(1);
}
/**
 * "37 new, 12 remote, median disclosed pay $140k / year"; a figure of under five samples is left out. `postings`: all
 * that `total` counts.
 */
export function summaryLine(postings, total, locale) {
    const texts = textsFor(locale);
    const verdicts = postings.filter((posting) => posting.remote !== undefined);
    const remote = verdicts.filter((posting) => posting.remote).length;
    const pay = medianPay(postings.map((posting) => posting.pay));
    return [
        texts.mail.newCount(total),
        verdicts.length >= LEAST_SAMPLES && remote > 0 ? texts.mail.remoteCount(remote) : '',
        pay ? texts.mail.medianPay(renderPay(pay, texts.card)) : '',
    ]
        .filter(Boolean)
        .join(', ');
}
/** 40 to 110 characters, so that a mailbox shows a full line, and not the first words of the layout. */
function preheader(cards, source, texts) {
    const titles = cards.slice(0, 3).map((one) => ellipsis(inert(one.title ?? texts.card.noTitle), 60));
    const text = texts.mail.among(listOf(titles, texts.intl, 'unit'));
    return ellipsis(text.length >= 40 ? text : `${text} ${texts.mail.fill(source)}`, 110);
}
function chartView(options, timezone, texts) {
    const weeks = options.weeks ?? [];
    if (weeks.length === 0)
        return null;
    const day = dateFormat(texts.intl, { day: 'numeric', month: 'short', timeZone: timezone });
    const counts = weeks.map((week) => week.count);
    return {
        title: texts.mail.chartTitle,
        alt: texts.mail.chartAlt(texts.mail.chartTitle, counts.join(', ')),
        ...CHART_SIZE,
        counts,
        first: texts.mail.weekFrom(day.format(weeks[0]?.from)),
        last: texts.mail.lastWeek,
        src: options.chartSrc ?? '',
    };
}
/** Number of postings in the whole edition, the same in each of its parts. */
export function totalOf({ all, postings, more }) {
    return all?.length ?? postings.length + more;
}
function subjectOf(delivery, period, texts) {
    const { mail, card } = texts;
    const total = totalOf(delivery);
    const about = ellipsis(oneLine(delivery.about), 80);
    const [only] = delivery.postings;
    if (delivery.every !== 'immediate')
        return mail.digestSubject(card.postings(total), about, period);
    if (total !== 1 || !only)
        return mail.alertSubject(card.postings(total), about);
    // No mail program makes links in a subject, and an invisible character would force the subject to be encoded.
    const title = ellipsis(oneLine(withoutAddresses(only.title ?? '')) || card.noTitle, 80);
    const company = ellipsis(oneLine(withoutAddresses(only.company ?? '')), 40);
    return company ? mail.alertSubjectOne(title, company) : mail.alertSubjectBare(title);
}
/** The view of one delivery. Pure; every posting of the delivery is in it exactly once. */
export function digestView(delivery, options) {
    const { postings, more, locale, source, every } = delivery;
    const texts = textsFor(locale);
    const { timezone } = delivery.destination.cadence;
    const period = periodOf(delivery.from, delivery.slot, timezone, locale);
    const part = delivery.parts > 1 ? texts.card.part(delivery.part + 1, delivery.parts) : null;
    const subject = subjectOf(delivery, period, texts);
    const full = every === 'immediate' && postings.length <= FULL;
    const shown = { locale, source, timezone, now: options.now, ...(full ? {} : { snippet: 0 }) };
    const show = (list) => list.map((one) => cardView(viewPosting(one, shown), full, texts));
    const groups = groupPostings(postings, options.now);
    const about = oneLine(delivery.about);
    const total = totalOf(delivery);
    const summary = summaryLine(delivery.all ?? postings, total, locale);
    return {
        lang: texts.intl,
        subject: part ? texts.mail.partSubject(subject, part) : subject,
        preheader: preheader(groups.flatMap((group) => group.postings), source, texts),
        title: texts.card.postings(total),
        about,
        period: every === 'immediate' ? null : period,
        part,
        summary: summary === texts.mail.newCount(total) ? null : summary,
        groups: groups.map((group) => ({
            title: group.tag ? capital(displayTag(group.tag)) : groups.length > 1 ? texts.mail.otherGroup : null,
            count: group.postings.length + group.rest.reduce((sum, one) => sum + one.postings.length, 0),
            cards: show(group.postings),
            rest: group.rest.map((one) => ({
                title: texts.mail.moreFrom(ellipsis(inert(one.company), 100)),
                cards: show(one.postings),
            })),
        })),
        chart: chartView(options, timezone, texts),
        rest: more > 0 ? { text: texts.card.more(more), url: options.links.browser } : null,
        links: options.links,
        why: texts.mail.whyThis(about, describeCadence(delivery.destination.cadence, locale)),
        note: texts.card.note,
        via: texts.card.via(source),
    };
}
//# sourceMappingURL=digest-view.js.map