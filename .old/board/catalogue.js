import { countriesOf, isRemote, postedTime, tagsOf } from './job.js';
import { renderJobJson } from './json-file.js';
import { namesOwner } from './owner-link.js';
import { renderItem } from './rss.js';
/** Orders and indexes jobs. Newest first; equal and missing dates keep the order of the file, missing ones last. */
export function createCatalogue(jobs) {
    const entries = jobs
        .map((job) => ({ job, time: postedTime(job) ?? Number.NEGATIVE_INFINITY }))
        .sort((a, b) => (a.time === b.time ? 0 : b.time - a.time))
        .map(({ job }) => createEntry(job));
    return {
        entries,
        byTag: listsBy(entries, (entry) => entry.tags),
        byCountry: listsBy(entries, (entry) => entry.countries),
        remote: entries.filter((entry) => entry.remote),
        namesOwner: jobs.some(namesOwner),
    };
}
/** The most recent entries a query asks for. */
export function selectEntries(catalogue, query) {
    if (query.nothing)
        return [];
    const { tag, country, remoteOnly } = query;
    const lists = [catalogue.entries];
    if (tag !== undefined)
        lists.push(catalogue.byTag.get(tag) ?? []);
    if (country !== undefined)
        lists.push(catalogue.byCountry.get(country) ?? []);
    if (remoteOnly)
        lists.push(catalogue.remote);
    const shortest = lists.reduce((a, b) => (b.length < a.length ? b : a));
    const found = [];
    for (const entry of shortest) {
        if (found.length === query.limit)
            break;
        if (tag !== undefined && !entry.tags.has(tag))
            continue;
        if (country !== undefined && !entry.countries.has(country))
            continue;
        if (remoteOnly && !entry.remote)
            continue;
        found.push(entry);
    }
    return found;
}
/** An entry's text in one format, split for the token's owner (see owner-link). Rendered once per catalogue. */
export function fragmentOf(entry, format, withDescription) {
    const key = `${format} ${withDescription}`;
    const known = entry.fragments.get(key);
    if (known !== undefined)
        return known;
    const render = format === 'json' ? renderJobJson : renderItem;
    const fragment = render(entry.job, withDescription);
    entry.fragments.set(key, fragment);
    return fragment;
}
function createEntry(job) {
    return {
        job,
        tags: new Set(tagsOf(job).map((tag) => tag.trim().toLowerCase())),
        countries: new Set(countriesOf(job)),
        remote: isRemote(job),
        fragments: new Map(),
    };
}
function listsBy(entries, keysOf) {
    const lists = new Map();
    for (const entry of entries) {
        for (const key of keysOf(entry)) {
            const list = lists.get(key);
            if (list === undefined)
                lists.set(key, [entry]);
            else
                list.push(entry);
        }
    }
    return lists;
}
//# sourceMappingURL=catalogue.js.map