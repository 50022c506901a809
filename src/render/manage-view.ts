// The pages with all subscriptions of a person as data: the list, and one of them with its preview and its history. No
// target is on them, because it may be an address or hold a key.
import { defined } from '../domain/defined.js';
import { isPaused } from '../domain/subscription.js';
import type { PreviewReport, StuckPlace, SubscriptionReport } from '../ports/services.js';
import type { PlaceName } from '../ports/sink.js';
import type { HistoryEvent } from '../ports/stores.js';
import { type Moment, moment } from './admin-frame.js';
import { previewView } from './admin-subscription.js';
import { plainCommands } from './commands.js';
import { dateFormat, dayInWords } from './dates.js';
import { describeCadence, describeFilter, sinkName } from './describe.js';
import { fixWords } from './notice.js';
import { rightsOf } from './preferences-view.js';
import { type Texts, textsFor } from './texts.js';

/** What the pages of a session have in common. `now` in milliseconds since the epoch. */
export interface ManageFrame {
  readonly locale: string;
  /** Of the person, for days. */
  readonly timezone: string;
  readonly source: string;
  /** Path of PUBLIC_URL, without a slash at its end. */
  readonly base: string;
  readonly csrf: string;
  readonly now: number;
  /** What a form has just done. */
  readonly done:
    | 'pausedDone'
    | 'resumedDone'
    | 'movedDone'
    | 'removedDone'
    | 'remindersOnDone'
    | 'remindersOffDone'
    | 'accessRevokedDone'
    | undefined;
}

/** A subscription with the known names of its destinations, in their order. */
export interface NamedReport {
  readonly report: SubscriptionReport;
  readonly names: readonly PlaceName[];
}

/** Events of a history that are shown. */
const EVENTS = 20;

/** What the pages of a session have in common, as data. */
export function frameView({ base, csrf, source, done }: ManageFrame, texts: Texts) {
  const { manage, service } = texts.page;
  return {
    lang: texts.intl,
    service: service({ source }),
    csrf,
    done: done ? manage[done] : null,
    self: `${base}/manage`,
  };
}

/** "Discord: #jobs, Rust Berlin" */
function placeWords(sink: string, { channel, server }: PlaceName, texts: Texts): string {
  const name = [channel && `#${channel}`, server].filter(Boolean).join(', ');
  return [sinkName(sink, texts), name].filter(Boolean).join(': ');
}

/** What has to be done, in the reader's language; without a known fix, the reason in English. */
function causeWords({ fix, why }: Pick<StuckPlace, 'fix' | 'why'>, texts: Texts): string {
  return plainCommands(fixWords(fix, texts) ?? why, texts);
}

function subscriptionRow({ report, names }: NamedReport, { base, locale }: ManageFrame) {
  const { subscription, state, stuck } = report;
  const { id, destinations, filter, pausedUntil } = subscription;
  const texts = textsFor(locale);
  const { manage, preferences } = texts.page;
  const may = rightsOf(subscription);
  const runs = state === 'parked' || state === 'waiting';
  return {
    id,
    about: describeFilter(filter, locale),
    state:
      state === 'paused' && pausedUntil !== undefined
        ? preferences.pausedUntil({
            date: dayInWords(pausedUntil, subscription.schedule.timezone, texts.intl),
          })
        : plainCommands(manage.state[state], texts),
    why: runs ? [...new Set(stuck.map((place) => causeWords(place, texts)))] : [],
    places: destinations.map(({ id: destination, sink, cadence }, index) => {
      const where = placeWords(sink, names[index] ?? {}, texts);
      return {
        words: `${where}, ${describeCadence(cadence, locale)}`,
        edit: may.edit
          ? { label: manage.edit({ where }), url: `${base}/manage/edit/${id}/${destination}` }
          : null,
      };
    }),
    mayPause: may.pause,
    isPaused: isPaused(subscription),
    url: `${base}/manage/show/${id}`,
  };
}

export function manageView(reports: readonly NamedReport[], frame: ManageFrame, feed: string) {
  const texts = textsFor(frame.locale);
  const { manage } = texts.page;
  return {
    ...frameView(frame, texts),
    title: manage.title,
    jobs: `${frame.base}/manage/jobs`,
    access: `${frame.base}/manage/access`,
    none: reports.length === 0 ? plainCommands(manage.none, texts) : null,
    rows: reports.map((one) => subscriptionRow(one, frame)),
    feed,
  };
}

/**
 * `preview`: undefined if it was not asked for, or what to tell the person instead. `editionUrl` returns the page of an
 * edition.
 */
export function managedView(
  named: NamedReport,
  frame: ManageFrame,
  of: {
    readonly events: readonly HistoryEvent[];
    readonly preview: PreviewReport | string | undefined;
    readonly editionUrl: (edition: string) => string;
    /** The address of the public archive; null without one. */
    readonly archive: string | null;
  },
) {
  const { locale, now, base } = frame;
  const { report } = named;
  const { subscription, nextPollAt, nextEditionAt: edition, polledAt, owed, state } = report;
  const texts = textsFor(locale);
  const { events, preview } = of;
  const shown = preview !== undefined && typeof preview !== 'string' ? preview : undefined;
  const runs = state === 'active' || state === 'parked' || state === 'waiting';
  return {
    ...frameView(frame, texts),
    title: describeFilter(subscription.filter, locale),
    all: `${base}/manage`,
    one: subscriptionRow(named, frame),
    next: runs ? moment(nextPollAt, now, texts) : null,
    digest: runs ? moment(edition, now, texts) : null,
    last: moment(polledAt, now, texts),
    archive: of.archive,
    owed: owed > 0 ? owed.toLocaleString(texts.intl) : null,
    // Without a working token there is nothing to ask the jobs API with.
    previewUrl:
      state === 'no-token' || state === 'token-rejected'
        ? null
        : `${base}/manage/show/${subscription.id}?preview=now`,
    failed: typeof preview === 'string' ? preview : null,
    preview: shown ? previewView(shown, frame) : null,
    weeks: shown ? weeksView(shown.weeks, texts) : null,
    noWeeks: shown ? noWeeksText(shown.weeks, texts) : null,
    events: events.slice(0, EVENTS).map((event) => eventView(event, named, frame, of.editionUrl)),
  };
}

/** A step of the history, with its exact time in the zone of the subscription. */
function eventView(
  event: HistoryEvent,
  { report: { subscription } }: NamedReport,
  { locale }: ManageFrame,
  editionUrl: (edition: string) => string,
) {
  const texts = textsFor(locale);
  const { at, kind, count = 0, fix, why, edition } = event;
  const { history } = texts.bot;
  const words =
    kind === 'sent' || kind === 'expired' ? history[kind]({ count }) : (history[kind] ?? history.unnamed);
  const time = dateFormat(texts.intl, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: subscription.schedule.timezone,
  });
  const when: Moment = { iso: new Date(at).toISOString(), text: time.format(at) };
  return {
    at: when,
    words,
    why: why === undefined ? null : causeWords({ why, ...defined({ fix }) }, texts),
    url: kind === 'sent' && edition ? editionUrl(edition) : null,
  };
}

const BAR_HEIGHT = 40;

/** What stands in place of a chart that would be empty. */
function noWeeksText(weeks: readonly number[], { bot, page }: Texts): string | null {
  if (weeks.length === 0) return bot.preview.noHistory;
  return Math.max(...weeks) === 0 ? page.manage.noMatches : null;
}

/** Bars for the weeks, oldest first, as numbers that a template draws. Null if there is nothing to draw. */
function weeksView(weeks: readonly number[], { intl, page }: Texts) {
  const most = Math.max(0, ...weeks);
  if (most === 0) return null;
  const step = 100 / weeks.length;
  return {
    says: `${page.manage.weeks}: ${weeks.map((count) => count.toLocaleString(intl)).join(', ')}`,
    height: BAR_HEIGHT,
    bars: weeks.map((count, index) => {
      const height = Math.max(1, Math.round((count / most) * BAR_HEIGHT));
      return {
        count: count.toLocaleString(intl),
        x: Number((index * step).toFixed(1)),
        y: BAR_HEIGHT - height,
        width: Number((step - 3).toFixed(1)),
        height,
      };
    }),
  };
}
