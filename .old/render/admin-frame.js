// What every page of the operator's has around its content, and how times are written there: as people say them,
// with the exact time beneath.
const TABS = [
    ['overview', 'Overview', 'admin'],
    ['subscriptions', 'Subscriptions', 'admin/subscriptions'],
    ['deliveries', 'Deliveries', 'admin/deliveries'],
    ['accounts', 'Accounts', 'admin/accounts'],
    ['log', 'Log', 'admin/log'],
];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A span as its largest unit: `45 s`, `12 min`, `3 h`, `9 days`. */
export function span(ms) {
    if (ms < MINUTE)
        return `${Math.max(0, Math.round(ms / 1000))} s`;
    if (ms < HOUR)
        return `${Math.round(ms / MINUTE)} min`;
    if (ms < 2 * DAY)
        return `${Math.round(ms / HOUR)} h`;
    return `${Math.round(ms / DAY)} days`;
}
/** Null for a time there is none of, or that will never come. */
export function moment(at, now) {
    if (at === undefined || !Number.isFinite(at))
        return null;
    const text = Math.abs(at - now) < 1000 ? 'now' : at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`;
    return { iso: new Date(at).toISOString(), text };
}
/** A count with its word: `1 posting`, `2 postings`. */
export function counted(count, word) {
    return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
/** What the layout shows. */
export function frameView(frame, title) {
    const { root, csrf, version, source, notice, now, startedAt, tab } = frame;
    return {
        lang: 'en',
        title,
        root,
        csrf,
        version,
        source,
        notice,
        now: {
            iso: new Date(now).toISOString(),
            text: `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
        },
        started: moment(startedAt, now),
        tabs: tab === 'sign-in'
            ? []
            : TABS.map(([name, label, path]) => ({ label, url: `${root}/${path}`, on: name === tab })),
    };
}
//# sourceMappingURL=admin-frame.js.map