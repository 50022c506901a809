// Views of the operator's pages, except the long lists. They turn the service's reports into the fields that the
// templates print, and make no decisions.
import type { ListPage, Overview, WaitingReport } from '../ports/admin-service.js';
import type { LogLine } from '../ports/system.js';
import { type AdminFrame, counted, frameView, moment, span } from './admin-frame.js';
import { badge, waitingRow } from './admin-lists.js';

export function signInView(
  frame: AdminFrame,
  {
    wait,
    tried,
    foreign = false,
  }: { readonly wait: number; readonly tried: boolean; readonly foreign?: boolean },
) {
  const fault =
    wait > 0
      ? `Too many wrong tokens. Try again in ${span(wait * 1000)}.`
      : foreign
        ? 'That form did not come from a page of this session, so nothing was done. Sign in and try again.'
        : tried
          ? 'That is not the token in ADMIN_TOKEN.'
          : null;
  return { ...frameView(frame, 'Sign in'), fault };
}

interface PartView {
  readonly name: string;
  readonly ok: boolean;
  readonly says: string;
}

function partsView(
  parts: Readonly<Record<string, { readonly ok: boolean; readonly [more: string]: unknown }>>,
): PartView[] {
  const says = (name: string, part: { readonly ok: boolean; readonly [more: string]: unknown }) => {
    if (typeof part.why === 'string') return part.why;
    // A smaller lag is a poll that is running.
    if (name === 'scheduler' && Number(part.lagMs) >= 30_000) return `${span(Number(part.lagMs))} behind`;
    if (name === 'discord') return String(part.state ?? '');
    return part.ok ? 'works' : 'does not work';
  };
  // The page shows the size of the outbox separately.
  return Object.entries(parts)
    .filter(([name]) => name !== 'outbox')
    .map(([name, part]) => ({ name, ok: part.ok, says: says(name, part) }));
}

export function overviewView(
  frame: AdminFrame,
  of: {
    /** Undefined while the store can't be read. */
    readonly figures?: { readonly overview: Overview; readonly stuck: ListPage<WaitingReport> } | undefined;
    readonly report: { readonly ok: boolean; readonly parts: Parameters<typeof partsView>[0] };
    readonly recent: readonly LogLine[];
  },
) {
  const { figures, report, recent } = of;
  return {
    ...frameView(frame, 'Overview'),
    ready: report.ok,
    parts: partsView(report.parts),
    recent: recent.slice(0, 5).map((line) => logRow(line, frame.now)),
    ...(figures ? { hasFigures: true, ...figuresView(frame, figures) } : { hasFigures: false }),
  };
}

function figuresView(
  frame: AdminFrame,
  { overview, stuck }: { readonly overview: Overview; readonly stuck: ListPage<WaitingReport> },
) {
  const { now } = frame;
  const { days } = overview;
  const chart = (title: string, name: 'postings' | 'delivered'): Bars & { id: string; title: string } => ({
    id: name,
    title,
    ...barsOf(days.map((one) => ({ day: one.day, value: one[name] }))),
  });
  const all = Object.values(overview.subscriptions).reduce((sum, count) => sum + count, 0);
  return {
    outbox: overview.outbox.toLocaleString('en'),
    oldest: moment(overview.oldest, now),
    edition: moment(overview.edition, now),
    subscriptions: all.toLocaleString('en'),
    accounts: counted(overview.accounts, 'account'),
    states: Object.entries(overview.subscriptions)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => ({
        ...badge(state),
        count: count.toLocaleString('en'),
        url: `${frame.root}/admin/subscriptions?state=${state}`,
      })),
    queues: overview.queues.map(({ queue, jobs }) => ({
      name: queue === 'poll' ? 'Polls' : `To ${queue.replace('deliver:', '')}`,
      jobs: jobs.toLocaleString('en'),
    })),
    waiting: overview.queues.reduce((sum, { waiting }) => sum + waiting, 0).toLocaleString('en'),
    oldestLane: moment(oldestOf(overview.queues), now),
    processes: overview.processes
      .toSorted((a, b) => (a.role === b.role ? a.since - b.since : a.role < b.role ? -1 : 1))
      .map(({ role, host, pid, since, turns }) => ({
        role,
        where: `${host}, process ${pid}`,
        since: moment(since, now),
        turns: role === 'control' ? '–' : turns.toLocaleString('en'),
      })),
    charts: [chart('New postings that matched', 'postings'), chart('Postings delivered', 'delivered')],
    days: [...days].reverse().map((one) => ({
      day: dayLabel(one.day),
      postings: one.postings.toLocaleString('en'),
      delivered: one.delivered.toLocaleString('en'),
      failed: one.failed.toLocaleString('en'),
    })),
    pauses: overview.pauses.map(({ sink, place, until, why }) => ({
      what: place ? `${sink} to ${place}` : `${sink} to everyone`,
      until: moment(until, now),
      why,
    })),
    parked: counted(overview.parked, 'destination'),
    isStuck: overview.parked > 0,
    stuck: stuck.rows.slice(0, 5).map((row) => waitingRow(row, now)),
  };
}

function oldestOf(queues: Overview['queues']): number | undefined {
  const times = queues.flatMap(({ since }) => since ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

export function logView(
  frame: AdminFrame,
  {
    lines,
    level,
    levels,
  }: {
    readonly lines: readonly LogLine[];
    readonly level: string | null;
    readonly levels: readonly string[];
  },
) {
  return {
    ...frameView(frame, 'Log'),
    level,
    levels: levels.map((name) => ({ name, on: name === level })),
    rows: lines.map((line) => logRow(line, frame.now)),
  };
}

function logRow({ at, level, message, fields }: LogLine, now: number) {
  return {
    at: moment(Date.parse(at), now),
    level,
    tone: level === 'warn' ? 'warn' : 'bad',
    message,
    fields: Object.entries(fields).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
  };
}

// A bar chart of the days of a month, as numbers that a template draws. The page also shows the figures as a table,
// for readers who can't see the drawing.

/** One day's figure. */
interface DayValue {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly value: number;
}

/** Sizes in the units of the view box. */
interface Bars {
  readonly width: number;
  readonly height: number;
  readonly bars: readonly {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    /** The tooltip. */
    readonly says: string;
  }[];
  /** Describes the whole chart in a sentence. */
  readonly says: string;
  readonly total: string;
  readonly from: string;
  readonly to: string;
  readonly most: string;
}

const WIDTH = 600;
const HEIGHT = 120;
const GAP = 4;

/** `23 Nov` */
function dayLabel(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  return `${at.getUTCDate()} ${at.toLocaleString('en', { month: 'short', timeZone: 'UTC' })}`;
}

/** A day with the value 0 has a bar of height 0. Every other bar is high enough to see. */
function barsOf(days: readonly DayValue[]): Bars {
  const most = Math.max(0, ...days.map((one) => one.value));
  const step = WIDTH / Math.max(1, days.length);
  const total = days.reduce((sum, one) => sum + one.value, 0);
  const peak = days.find((one) => one.value === most);
  const bars = days.map(({ day, value }, index) => {
    const height = value === 0 ? 0 : Math.max(3, Math.round((value / most) * HEIGHT));
    return {
      x: Math.round(index * step + GAP / 2),
      y: HEIGHT - height,
      width: Math.max(1, Math.round(step - GAP)),
      height,
      says: `${dayLabel(day)}: ${value.toLocaleString('en')}`,
    };
  });
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  return {
    width: WIDTH,
    height: HEIGHT,
    bars,
    total: total.toLocaleString('en'),
    from: first ? dayLabel(first) : '',
    to: last ? dayLabel(last) : '',
    most: most.toLocaleString('en'),
    says:
      total === 0 || !peak
        ? `Nothing in the last ${days.length} days.`
        : `${total.toLocaleString('en')} in ${days.length} days; most on ${dayLabel(peak.day)}, ${most.toLocaleString('en')}.`,
  };
}
