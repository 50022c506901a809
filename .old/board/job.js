// A job as the jobs file holds it: any object. These functions find what filters, ordering and the RSS feed need in
// it, under the names of the jobs API and those seen in practice. They never change the object.
import { COUNTRY_SLUG_PATTERN, countryOfLocation, isCountrySlug, resolveCountry, } from '../domain/countries.js';
/** Text of a scalar field; undefined for any other value. */
export function textOf(value) {
    if (typeof value === 'string')
        return value === '' ? undefined : value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
/** The job's tag slugs, including those that are not in the filter tag list. */
export function tagsOf(job) {
    if (!Array.isArray(job.tags))
        return [];
    return job.tags.filter((tag) => typeof tag === 'string' && tag.trim() !== '');
}
/** True only when the job says so: a job without the field is not known to be remote. */
export function isRemote(job) {
    const value = job.remote ?? job.is_remote;
    return value === true || value === 'true';
}
/**
 * The country slugs a job is found under: its own `country`, otherwise the one its location names, otherwise none. An
 * own value that looks like a slug but is in no list is used unchanged.
 */
export function countriesOf(job) {
    const own = textOf(job.country)?.trim();
    if (own === undefined || own === '') {
        const slug = typeof job.location === 'string' ? countryOfLocation(job.location) : undefined;
        return slug === undefined ? [] : [slug];
    }
    const slugs = new Set();
    const resolved = resolveCountry(own)?.slug;
    if (resolved !== undefined)
        slugs.add(resolved);
    const isCode = own.length <= 3;
    if (isCountrySlug(own) || (COUNTRY_SLUG_PATTERN.test(own) && !isCode))
        slugs.add(own);
    return [...slugs];
}
/** When the job was posted, in milliseconds since the epoch; undefined when no field shows it. */
export function postedTime(job) {
    for (const value of [job.postedAt, job.date]) {
        const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
        if (!Number.isNaN(time))
            return time;
    }
    const seconds = textOf(job.date_epoch);
    const time = seconds === undefined ? Number.NaN : Number(seconds) * 1000;
    return Math.abs(time) <= 8.64e15 ? time : undefined;
}
//# sourceMappingURL=job.js.map