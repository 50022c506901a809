// The RSS form of the listing. The jobs API leaves the elements open, so this is plain RSS 2.0
// plus one namespace that carries a job's own fields under their JSON names.
import { postedTime, tagsOf, textOf } from './job.js';
import { ownerSlots } from './owner-link.js';
/** Namespace of the `job:` elements: `job:company`, `job:location`, `job:salary`, … and one `job:tag` per tag. */
export const JOB_NAMESPACE = 'urn:jobcrier:board:job:1';
const IN_STANDARD_ELEMENTS = new Set(['title', 'description', 'apply_url', 'tags', 'tag']);
const ELEMENT_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
/** One job as an RSS item, split where the token owner's name goes into the link. */
export function renderItem(job, withDescription) {
    return ownerSlots(job, (one) => `<item>${itemElements(one, withDescription).join('')}</item>`);
}
/** The whole feed. `home` is the address of the board, shown as the channel's link. */
export function renderFeed(items, home) {
    return [
        '<?xml version="1.0" encoding="UTF-8"?>',
        `<rss version="2.0" xmlns:job="${JOB_NAMESPACE}"><channel>`,
        '<title>Web3 jobs</title>',
        element('link', home),
        '<description>The most recent web3 job listings.</description>',
        '<ttl>5</ttl>',
        ...items,
        '</channel></rss>',
        '',
    ].join('\n');
}
/** Text as XML content: markup is escaped, and characters that XML can't hold are dropped. */
export function escapeXml(text) {
    return text
        .replace(FORBIDDEN, '')
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('\r', '&#13;');
}
// C0 except tab, line feed and carriage return; DEL and C1; noncharacters; lone surrogates.
const FORBIDDEN = 
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
function itemElements(job, withDescription) {
    const title = textOf(job.title);
    const description = withDescription ? textOf(job.description) : undefined;
    const link = textOf(job.apply_url);
    const guid = textOf(job.id) ?? textOf(job.guid);
    const url = textOf(job.url);
    const posted = postedTime(job);
    const elements = [];
    if (title !== undefined)
        elements.push(element('title', title));
    // A link is sent byte for byte or not at all.
    if (link !== undefined && link.search(FORBIDDEN) < 0)
        elements.push(element('link', link));
    if (description !== undefined)
        elements.push(element('description', description));
    // RSS requires a title or a description in every item.
    if (title === undefined && description === undefined)
        elements.push('<description/>');
    if (guid !== undefined)
        elements.push(`<guid isPermaLink="false">${escapeXml(guid)}</guid>`);
    else if (url !== undefined)
        elements.push(`<guid isPermaLink="false">${escapeXml(url)}</guid>`);
    if (posted !== undefined)
        elements.push(element('pubDate', new Date(posted).toUTCString()));
    const tags = tagsOf(job);
    elements.push(...tags.map((tag) => element('category', tag)));
    elements.push(...ownElements(job), ...tags.map((tag) => element('job:tag', tag)));
    return elements;
}
function ownElements(job) {
    return Object.entries(job)
        .filter(([name]) => !IN_STANDARD_ELEMENTS.has(name) && ELEMENT_NAME.test(name))
        .flatMap(([name, value]) => {
        const text = textOf(value);
        return text === undefined ? [] : [element(`job:${name}`, text)];
    });
}
function element(name, text) {
    return `<${name}>${escapeXml(text)}</${name}>`;
}
//# sourceMappingURL=rss.js.map