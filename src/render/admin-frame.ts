// What every operator's page has around its content, and how these pages show times: relative, with the exact time
// in the tooltip.

type AdminTab = 'overview' | 'subscriptions' | 'deliveries' | 'accounts' | 'log' | 'sign-in';

/** Comes from the code that handles the request. Times in milliseconds since the epoch. */
export interface AdminFrame {
  readonly tab: AdminTab;
  /** Relative path to the parent of /admin. */
  readonly root: '.' | '..';
  /** Empty for a page without forms. */
  readonly csrf: string;
  readonly version: string;
  readonly source: string;
  readonly now: number;
  readonly startedAt: number;
  readonly notice: string | null;
}

/** A time as text, and its exact form for machines and for the tooltip. */
export interface Moment {
  readonly iso: string;
  readonly text: string;
}

const TABS: readonly (readonly [AdminTab, string, string])[] = [
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
export function span(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} days`;
}

/** Null for a missing or infinite time. */
export function moment(at: number | undefined, now: number): Moment | null {
  if (at === undefined || !Number.isFinite(at)) return null;
  const text =
    Math.abs(at - now) < 1000 ? 'now' : at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`;
  return { iso: new Date(at).toISOString(), text };
}

/** A count with its word: `1 posting`, `2 postings`. */
export function counted(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

/** The fields that the layout prints. */
export function frameView(frame: AdminFrame, title: string) {
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
    tabs:
      tab === 'sign-in'
        ? []
        : TABS.map(([name, label, path]) => ({ label, url: `${root}/${path}`, on: name === tab })),
  };
}
