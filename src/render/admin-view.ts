// Views of the operator's pages, except the long lists. They turn the service's reports into the fields that the
// templates print, and make no decisions.
import type { CheckResult, State } from '../domain/finding.js';
import type { ListPage, Overview, PlaceReport } from '../ports/admin-service.js';
import type { LogLine } from '../ports/system.js';
import { type AdminFrame, frameView, moment, span } from './admin-frame.js';
import { badge, waitingRow } from './admin-lists.js';
import { dateFormat } from './dates.js';
import { sinkName } from './describe.js';
import { type Texts, textsFor } from './texts.js';

export function signInView(
  frame: AdminFrame,
  {
    wait,
    tried,
    foreign = false,
  }: { readonly wait: number; readonly tried: boolean; readonly foreign?: boolean },
) {
  const texts = textsFor(frame.locale);
  const { signIn } = texts.page.admin;
  const fault =
    wait > 0
      ? signIn.wait({ span: span(wait * 1000, texts) })
      : foreign
        ? signIn.foreign
        : tried
          ? signIn.wrong
          : null;
  return { ...frameView(frame, signIn.title), fault };
}

const SEVERITY: readonly State[] = ['fail', 'warn', 'ok', 'off'];
const TONES: Readonly<Record<State, string>> = { fail: 'bad', warn: 'warn', ok: 'good', off: '' };

/** The findings of the checks, problems first. `results`: in the language of the page. */
export function checksView(frame: AdminFrame, results: readonly CheckResult[]) {
  const { tabs, checks } = textsFor(frame.locale).page.admin;
  const problems = results.filter(({ state }) => state === 'fail').length;
  return {
    ...frameView(frame, tabs.checks),
    summary: problems === 0 ? checks.none : checks.problems({ count: problems }),
    rows: results
      .toSorted((a, b) => SEVERITY.indexOf(a.state) - SEVERITY.indexOf(b.state))
      .map(({ check, state, says, fix }) => ({
        check,
        tone: TONES[state],
        state: checks.states[state],
        says,
        fix: fix ?? null,
      })),
  };
}

interface PartView {
  readonly name: string;
  readonly ok: boolean;
  readonly says: string;
}

type Parts = Readonly<Record<string, { readonly ok: boolean; readonly [more: string]: unknown }>>;

function partsView(parts: Parts, { now, locale }: AdminFrame): PartView[] {
  const texts = textsFor(locale);
  const { part: names, partState } = texts.page.admin;
  const says = (name: string, part: Parts[string]) => {
    if (typeof part.why === 'string') return part.why;
    // A smaller lag is a poll that is running.
    const lagMs = Number(part.lagMs);
    if (name === 'scheduler' && lagMs >= 30_000) return partState.behind({ span: span(lagMs, texts) });
    if (name === 'backup') return moment(now - Number(part.ageSeconds) * 1000, now, texts)?.text ?? '';
    if (name === 'discord') return discordWords(part.state, texts);
    return part.ok ? partState.works : partState.broken;
  };
  const shown = Object.entries(parts)
    // The page shows the size of the outbox separately.
    .filter(([name]) => name !== 'outbox')
    .map(([name, part]) => ({
      name: Object.hasOwn(names, name) ? names[name as keyof typeof names] : name,
      ok: part.ok,
      says: says(name, part),
    }));
  const isBackedUp = 'backup' in parts;
  return isBackedUp ? shown : [...shown, { name: names.backup, ok: true, says: partState.noBackup }];
}

function discordWords(state: unknown, { page }: Texts): string {
  const { stopped, connecting, connected, refused, broken } = page.admin.partState;
  const words: Readonly<Record<string, string>> = { stopped, connecting, ready: connected, refused };
  return words[String(state)] ?? broken;
}

export function overviewView(
  frame: AdminFrame,
  of: {
    /** Undefined while the store can't be read. */
    readonly figures?: { readonly overview: Overview; readonly stuck: ListPage<PlaceReport> } | undefined;
    readonly report: { readonly ok: boolean; readonly parts: Parts };
    readonly recent: readonly LogLine[];
  },
) {
  const { figures, report, recent } = of;
  return {
    ...frameView(frame, textsFor(frame.locale).page.admin.tabs.overview),
    ready: report.ok,
    parts: partsView(report.parts, frame),
    recent: recent.slice(0, 5).map((line) => logRow(line, frame)),
    ...(figures ? { hasFigures: true, ...figuresView(frame, figures) } : { hasFigures: false }),
  };
}

function figuresView(
  frame: AdminFrame,
  { overview, stuck }: { readonly overview: Overview; readonly stuck: ListPage<PlaceReport> },
) {
  const { now } = frame;
  const { days } = overview;
  const texts = textsFor(frame.locale);
  const { chart: charts, count, overview: words } = texts.page.admin;
  const number = (value: number) => value.toLocaleString(texts.intl);
  const at = (time: number | undefined) => moment(time, now, texts);
  const chart = (name: 'postings' | 'delivered'): Bars & { id: string; title: string } => ({
    id: name,
    title: charts[name],
    ...barsOf(
      days.map((one) => ({ day: one.day, value: one[name] })),
      texts,
    ),
  });
  const all = Object.values(overview.subscriptions).reduce((sum, some) => sum + some, 0);
  const parked = count.destinations({ count: overview.parked });
  return {
    outbox: number(overview.outbox),
    oldest: at(overview.oldest),
    edition: at(overview.edition),
    subscriptions: number(all),
    accounts: words.ofAccounts({ accounts: count.accounts({ count: overview.accounts }) }),
    states: (Object.keys(overview.subscriptions) as (keyof Overview['subscriptions'])[])
      .filter((state) => overview.subscriptions[state] > 0)
      .map((state) => ({
        ...badge(state, texts),
        count: number(overview.subscriptions[state]),
        url: `${frame.root}/admin/subscriptions?state=${state}`,
      })),
    queues: overview.queues.map(({ queue, jobs }) => ({
      name:
        queue === 'poll' ? words.polls : words.to({ sink: sinkName(queue.replace('deliver:', ''), texts) }),
      jobs: number(jobs),
    })),
    waiting: number(overview.queues.reduce((sum, { waiting }) => sum + waiting, 0)),
    oldestLane: at(oldestOf(overview.queues)),
    processes: overview.processes
      .toSorted((a, b) => (a.role === b.role ? a.since - b.since : a.role < b.role ? -1 : 1))
      .map(({ role, host, pid, since, turns }) => ({
        role,
        where: words.process({ host, pid: String(pid) }),
        since: at(since),
        turns: role === 'control' ? '–' : number(turns),
      })),
    charts: [chart('postings'), chart('delivered')],
    days: [...days].reverse().map((one) => ({
      day: dayLabel(one.day, texts),
      postings: number(one.postings),
      delivered: number(one.delivered),
      failed: number(one.failed),
    })),
    pauses: overview.pauses.map(({ sink: name, place, until, why }) => {
      const sink = sinkName(name, texts);
      return {
        what: place ? words.someone({ sink, place }) : words.everyone({ sink }),
        until: at(until),
        why,
      };
    }),
    parked,
    stuckTitle: words.stuck({ destinations: parked }),
    isStuck: overview.parked > 0,
    stuck: stuck.rows.slice(0, 5).map((row) => waitingRow(row, frame)),
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
    ...frameView(frame, textsFor(frame.locale).page.admin.tabs.log),
    level,
    levels: levels.map((name) => ({ name, on: name === level })),
    newest: textsFor(frame.locale).page.admin.log.newest({ count: lines.length }),
    rows: lines.map((line) => logRow(line, frame)),
  };
}

function logRow({ at, level, message, fields }: LogLine, { now, locale }: AdminFrame) {
  return {
    at: moment(Date.parse(at), now, textsFor(locale)),
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
function dayLabel(day: string, { intl }: Texts): string {
  return dateFormat(intl, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    Date.parse(`${day}T00:00:00Z`),
  );
}

/** A day with the value 0 has a bar of height 0. Every other bar is high enough to see. */
function barsOf(days: readonly DayValue[], texts: Texts): Bars {
  const { chart } = texts.page.admin;
  const number = (value: number) => value.toLocaleString(texts.intl);
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
      says: `${dayLabel(day, texts)}: ${number(value)}`,
    };
  });
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  return {
    width: WIDTH,
    height: HEIGHT,
    bars,
    total: number(total),
    from: first ? dayLabel(first, texts) : '',
    to: last ? dayLabel(last, texts) : '',
    most: chart.most({ count: number(most) }),
    says:
      total === 0 || !peak
        ? chart.nothing({ days: days.length })
        : chart.says({
            total: number(total),
            days: days.length,
            day: dayLabel(peak.day, texts),
            most: number(most),
          }),
  };
}
