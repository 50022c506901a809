import { displayCountry } from '../domain/countries.js';
import { COUNTRY_ROWS } from '../domain/country-data.js';
import { renderPay } from '../domain/pay.js';
import { displayTag } from '../domain/tags.js';
import { dateFormat } from './dates.js';
import { textsFor } from './language/index.js';
const DAY = 24 * 3_600_000;
/** "Solidity or Rust, remote, in Germany, from $80k, without intern". */
export function describeFilter(filter, locale) {
    const texts = textsFor(locale);
    const words = texts.describe;
    const quoted = (list) => oneOf(list.map((word) => (word.includes(' ') ? words.quoted(word) : word)), texts);
    const parts = [
        filter.tags.length > 0 ? describeTags(filter.tags, locale) : words.everything,
        filter.remote && words.remote,
        filter.country && words.country(countryName(filter.country, texts)),
        filter.include.length > 0 && words.include(quoted(filter.include)),
        filter.minSalary !== undefined &&
            words.minSalary(renderPay({ min: filter.minSalary, max: filter.minSalary, currency: 'USD' })),
        filter.minSalary !== undefined && filter.payUnknown === 'drop' && words.payKnown,
        filter.exclude.length > 0 && words.exclude(quoted(filter.exclude)),
    ];
    return parts.filter(Boolean).join(', ');
}
/** "Solidity or Rust". */
export function describeTags(tags, locale) {
    return oneOf(tags.map((tag) => capital(displayTag(tag))), textsFor(locale));
}
/** "weekly on Monday 09:00 Europe/Berlin". */
export function describeCadence(cadence, locale) {
    const { every, timezone, cron, at = '09:00', day = 'monday' } = cadence;
    const words = textsFor(locale).describe;
    if (cron)
        return words.cron(cron, timezone);
    if (every === 'immediate')
        return words.immediate;
    if (every === 'hourly')
        return words.hourly;
    return every === 'daily' ? words.daily(at, timezone) : words.weekly(words.days[day], at, timezone);
}
/**
 * The days from `from` to `to` in the reader's zone: "16–22 Nov". The day of the slot belongs to the next period, so
 * that the periods of a digest do not overlap. A period shorter than a day names the days it touches. Milliseconds
 * since the epoch.
 */
export function periodOf(from, to, timezone, locale) {
    // A day has 23 hours when the clocks go forward. Anything shorter is not a whole day.
    const last = Math.max(from, to - from >= DAY - 3_600_000 ? to - DAY : to - 1);
    return rangeOf(from, last, timezone, textsFor(locale).intl);
}
const ranges = new Map();
/** Cached, because the digests of a week cover the same days, and a range takes a hundred times as long as a date. */
function rangeOf(from, last, timezone, intl) {
    const day = dateFormat('en-CA', { timeZone: timezone });
    const key = `${intl} ${day.format(from)} ${day.format(last)}`;
    const known = ranges.get(key);
    if (known !== undefined)
        return known;
    if (ranges.size > 500)
        ranges.clear();
    const format = dateFormat(intl, { day: 'numeric', month: 'short', timeZone: timezone });
    // ICU versions put different spaces around the dash. Between two bare numbers it has none.
    const range = format
        .formatRange(from, last)
        .replace(/[\u2009\u202f]/gu, ' ')
        .replace(/^(\d+\.?) – (?=\d+\.? )(?!.* – )/u, '$1–');
    ranges.set(key, range);
    return range;
}
/** The country's name in the reader's language. Intl looks it up by its two-letter code. */
export function countryName(slug, texts) {
    const code = COUNTRY_ROWS.find((row) => row[0] === slug)?.[1];
    if (!code || texts.intl.startsWith('en'))
        return displayCountry(slug);
    return new Intl.DisplayNames(texts.intl, { type: 'region' }).of(code) ?? displayCountry(slug);
}
function oneOf(words, texts) {
    return listOf(words, texts.intl, 'disjunction');
}
function capital(text) {
    return text.slice(0, 1).toUpperCase() + text.slice(1);
}
// "a, b or c" in a reader's language. Making a formatter costs more than using it fifty times.
const made = new Map();
/** Words as a list. `intl`: the locale of a language, of which there are few. */
export function listOf(words, intl, type) {
    const key = `${intl} ${type}`;
    const format = made.get(key) ?? new Intl.ListFormat(intl, { type });
    made.set(key, format);
    return format.format(words);
}
//# sourceMappingURL=describe.js.map