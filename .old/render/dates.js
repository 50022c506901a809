// Making a date formatter costs more than rendering a posting, and a digest needs the same few a hundred times.
const made = new Map();
/** A formatter that is made once. Zones and locales are few; the bound is against hostile variety alone. */
export function dateFormat(intl, options) {
    const key = `${intl} ${JSON.stringify(options)}`;
    const known = made.get(key);
    if (known)
        return known;
    if (made.size > 500)
        made.clear();
    const format = new Intl.DateTimeFormat(intl, options);
    made.set(key, format);
    return format;
}
let latest = { timezone: '', at: Number.NaN, day: '' };
/** The calendar day in a zone, YYYY-MM-DD; `at` in milliseconds since the epoch. */
export function dayIn(timezone, at) {
    if (latest.at === at && latest.timezone === timezone)
        return latest.day;
    // en-CA writes YYYY-MM-DD.
    latest = { timezone, at, day: dateFormat('en-CA', { timeZone: timezone }).format(at) };
    return latest.day;
}
//# sourceMappingURL=dates.js.map