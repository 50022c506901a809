// What every operator's page has around its content, and how these pages show times: relative, with the exact time
// in the tooltip.
import { type Texts, textsFor } from './texts.js';

type AdminTab = 'overview' | 'subscriptions' | 'deliveries' | 'accounts' | 'checks' | 'log' | 'sign-in';

/** What the pages can say after a form was posted. */
export type AdminNotice = keyof Texts['page']['admin']['notices'];

/** Comes from the code that handles the request. Times in milliseconds since the epoch. */
export interface AdminFrame {
  readonly tab: AdminTab;
  /** The reader's language, such as `de`. */
  readonly locale: string;
  /** Relative path to the parent of /admin. */
  readonly root: '.' | '..';
  /** Empty for a page without forms. */
  readonly csrf: string;
  readonly version: string;
  readonly source: string;
  readonly now: number;
  readonly startedAt: number;
  readonly notice: AdminNotice | undefined;
  readonly hasChecks: boolean;
}

/** A time as text, and its exact form for machines and for the tooltip. */
export interface Moment {
  readonly iso: string;
  readonly text: string;
}

const TABS = {
  overview: 'admin',
  subscriptions: 'admin/subscriptions',
  deliveries: 'admin/deliveries',
  accounts: 'admin/accounts',
  checks: 'admin/checks',
  log: 'admin/log',
} as const;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span in milliseconds as a number of its largest unit. */
function inUnits(ms: number): readonly [count: number, unit: 'second' | 'minute' | 'hour' | 'day'] {
  if (ms < MINUTE) return [Math.max(0, Math.round(ms / 1000)), 'second'];
  if (ms < HOUR) return [Math.round(ms / MINUTE), 'minute'];
  if (ms < 2 * DAY) return [Math.round(ms / HOUR), 'hour'];
  return [Math.round(ms / DAY), 'day'];
}

/** A span as its largest unit, such as `45 sec`, `12 min`, `9 days`. */
export function span(ms: number, { intl }: Texts): string {
  const [count, unit] = inUnits(ms);
  return new Intl.NumberFormat(intl, { style: 'unit', unit, unitDisplay: 'short' }).format(count);
}

/** Kept, because creating one costs more than using it fifty times. */
const relative = new Map<string, Intl.RelativeTimeFormat>();

function relativeFormat(intl: string): Intl.RelativeTimeFormat {
  const format = relative.get(intl) ?? new Intl.RelativeTimeFormat(intl, { style: 'short', numeric: 'auto' });
  relative.set(intl, format);
  return format;
}

/** Null for a missing or infinite time. */
export function moment(at: number | undefined, now: number, { intl }: Texts): Moment | null {
  if (at === undefined || !Number.isFinite(at)) return null;
  const [count, unit] = inUnits(Math.abs(at - now));
  const format = relativeFormat(intl);
  return { iso: new Date(at).toISOString(), text: format.format(at > now ? count : -count, unit) };
}

/** The fields that the layout prints, and the texts of all the operator's pages as `w`. */
export function frameView(frame: AdminFrame, title: string) {
  const { root, csrf, version, source, notice, now, startedAt, tab, locale } = frame;
  const texts = textsFor(locale);
  const { admin } = texts.page;
  return {
    lang: texts.intl,
    title,
    w: admin,
    root,
    csrf,
    version: admin.version({ version }),
    source,
    notice: notice ? admin.notices[notice] : null,
    now: {
      iso: new Date(now).toISOString(),
      text: `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    },
    started: moment(startedAt, now, texts),
    tabs:
      tab === 'sign-in'
        ? []
        : (Object.keys(TABS) as (keyof typeof TABS)[])
            .filter((name) => name !== 'checks' || frame.hasChecks)
            .map((name) => ({
              label: admin.tabs[name],
              url: `${root}/${TABS[name]}`,
              on: name === tab,
            })),
  };
}
