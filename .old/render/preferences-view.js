// The preferences page as data: a form with the current settings, or with the rejected input, and every available
// choice.
import { WEEKDAYS } from '../domain/cadence.js';
import { COUNTRY_SLUGS } from '../domain/countries.js';
import { OPERATOR } from '../domain/subscription.js';
import { displayTag, TAGS } from '../domain/tags.js';
import { dateFormat } from './dates.js';
import { countryName, describeCadence } from './describe.js';
import { LANGUAGES, textsFor } from './language/index.js';
export function rightsOf({ account, origin, destinations }) {
    const personal = account !== OPERATOR;
    const alone = personal || destinations.length === 1;
    return { edit: alone && origin !== 'file', pause: alone, erase: personal, others: personal };
}
/** The form with the current settings of a subscription. */
function formOf({ filter }, { cadence, cap }, locale) {
    return {
        every: cadence.every,
        day: cadence.day ?? 'monday',
        at: cadence.at ?? '09:00',
        timezone: cadence.timezone,
        tags: filter.tags,
        country: filter.country ?? '',
        remote: filter.remote === true,
        include: filter.include.join(', '),
        exclude: filter.exclude.join(', '),
        minSalary: filter.minSalary === undefined ? '' : String(filter.minSalary),
        dropUnknown: filter.payUnknown === 'drop',
        // Empty means the service's default.
        cap: cap === undefined ? '' : String(cap),
        locale,
    };
}
// About four hundred names that never change while the process runs.
let zones;
function zoneNames() {
    zones ??= Intl.supportedValuesOf('timeZone');
    return zones;
}
/** What the page shows. `form`: the input that was rejected with `faults`. */
export function preferencesView(of) {
    const { subscription, destination, locale } = of;
    const texts = textsFor(locale);
    const { preferences: words } = texts.page;
    const form = of.form ?? formOf(subscription, destination, locale);
    const { timezone } = destination.cadence;
    const when = dateFormat(texts.intl, { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
    const silent = of.paused || of.stopped;
    const choose = (on, label) => (value) => ({ value, label: label(value), on: on(value) });
    const countries = COUNTRY_SLUGS.map(choose((slug) => slug === form.country, (slug) => countryName(slug, texts)));
    return {
        lang: texts.intl,
        title: words.title,
        service: texts.page.service(of.source),
        now: words.now(of.about, describeCadence(destination.cadence, locale)),
        next: of.nextEditionAt === undefined || silent
            ? null
            : words.next(`${when.format(of.nextEditionAt)} (${timezone})`),
        saved: of.saved,
        faults: of.faults,
        bad: of.faults.flatMap(({ field }) => field ?? []),
        may: rightsOf(subscription),
        contact: of.contact
            ? {
                address: of.contact,
                url: `mailto:${of.contact}?subject=${encodeURIComponent(words.askSubject(of.about))}`,
            }
            : null,
        paused: of.paused,
        stopped: of.stopped,
        urls: of.urls,
        others: of.others,
        form,
        choices: {
            every: ['immediate', 'hourly', 'daily', 'weekly'].map((every) => ({
                value: every,
                label: words[every],
                on: form.every === every,
            })),
            day: [...WEEKDAYS.slice(1), WEEKDAYS[0]].map((day) => ({
                value: day,
                label: texts.describe.days[day],
                on: form.day === day,
            })),
            zones: zoneNames(),
            tags: TAGS.map(choose((tag) => form.tags.includes(tag), displayTag)),
            countries: countries.sort((a, b) => a.label.localeCompare(b.label, texts.intl)),
            locale: Object.entries(LANGUAGES).map(([code, { intl }]) => ({
                value: code,
                label: new Intl.DisplayNames(intl, { type: 'language' }).of(code) ?? code,
                on: form.locale === code,
            })),
        },
    };
}
//# sourceMappingURL=preferences-view.js.map