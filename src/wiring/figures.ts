// The gauges that are looked up on request, under the names of the metrics table, and the parts whose health is
// reported.

import type { Bot } from '../bot/bot.js';
import type { Config } from '../config.js';
import { defined } from '../domain/defined.js';
import { deliveryQueue } from '../domain/delivery.js';
import { POLL_QUEUE } from '../domain/request.js';
import { ROLES } from '../domain/role.js';
import type { Pipeline } from '../pipeline/context.js';
import type { Scheduler } from '../pipeline/scheduler.js';
import type { AdminService } from '../ports/admin-service.js';
import type { LaneStore } from '../ports/lanes.js';
import type { DailyBackups } from '../upkeep.js';
import { type Health, keptFor, type Part } from '../web/health.js';
import type { GaugeValues, MetricsBook } from '../web/metrics.js';

type WaitingLanes = Awaited<ReturnType<LaneStore['waiting']>>;

const PROBE_KEPT_MS = 5_000;
/** The schedule ticks every second; after this long without a tick it counts as stuck. */
const STUCK_MS = 30_000;

export interface FigureSources {
  readonly config: Config;
  readonly p: Pipeline;
  readonly scheduler: Scheduler;
  readonly admin: AdminService;
  readonly bot: Bot | undefined;
  /** Absent when no backups are made. */
  readonly backups?: DailyBackups | undefined;
  /** `ok`: whether the last read of the subscriptions file was applied. `at`: when one last was. */
  readonly reload: { readonly ok: boolean; readonly at: number };
  readonly version: string;
  /** Why the subscriptions file is not applied in full; undefined when it is. */
  readonly fileProblem: () => Promise<string | undefined>;
}

/** The health parts. `parts` (such as store, lease and scheduler) decide whether it is ready; `others` are only shown. */
export function healthParts({
  config,
  p,
  scheduler,
  admin,
  bot,
  backups,
  fileProblem,
}: FigureSources): Required<Pick<Health, 'parts' | 'others'>> {
  const queue = config.queueUrl ? { queue: p.engine.health } : {};
  const age = (at: number | undefined) =>
    at === undefined ? undefined : Math.max(0, Math.round((p.clock.now() - at) / 1000));
  const discord: Part = () => ({ ok: false, state: 'stopped', ...bot?.health() });
  return {
    parts: {
      store: storePart(p),
      // A control still answers people when its queue fails.
      ...(config.role === 'all' ? queue : {}),
      lease: async () =>
        (await p.stores.lease.held()) ? { ok: true } : { ok: false, why: 'another process holds the store' },
      async scheduler() {
        const { storeFault, lagMs, queued, lastTickAt } = await scheduler.health();
        const isStuck = p.clock.now() - lastTickAt > STUCK_MS;
        const why = storeFault ?? (isStuck ? 'the schedule has not moved for half a minute' : undefined);
        return {
          ok: why === undefined,
          lagMs,
          queued,
          lastTickAt: new Date(lastTickAt).toISOString(),
          ...defined({ why: why || undefined }),
        };
      },
    },
    others: {
      ...(config.role === 'all' ? {} : queue),
      async outbox() {
        const { outbox, parked, oldest, edition } = await admin.backlog();
        return {
          ok: true,
          postings: outbox,
          parked,
          oldestSeconds: age(oldest),
          oldestEditionSeconds: age(edition),
        };
      },
      ...defined({ backup: backups ? async () => ({ ...(await backups.state()) }) : undefined }),
      async subscriptionsFile() {
        const why = await fileProblem();
        return { ok: why === undefined, ...defined({ why: why || undefined }) };
      },
      ...defined({ discord: config.discord.token ? discord : undefined }),
    },
  };
}

function storePart(p: Pipeline): Part {
  return keptFor(PROBE_KEPT_MS, async () => {
    await p.stores.probe();
    return { ok: true };
  });
}

/** The health parts of a worker: it works as long as the store takes its writes and the queue answers. */
export function workerHealth({ p }: Pick<FigureSources, 'p'>): Pick<Health, 'parts'> {
  return { parts: { store: storePart(p), queue: p.engine.health } };
}

/** Adds the gauges that every process has. */
export function addSharedGauges(
  book: MetricsBook,
  { config, version }: Pick<FigureSources, 'config' | 'version'>,
  { parts }: Pick<Health, 'parts'>,
): void {
  book.gauge('info', () => [{ labels: { version, role: config.role }, value: 1 }]);
  book.gauge('store_up', async () => ((await parts.store?.())?.ok ? 1 : 0));
  if (config.queueUrl) book.gauge('queue_up', async () => ((await parts.queue?.())?.ok ? 1 : 0));
}

/** Adds all gauges of the metrics table. */
export function addGauges(
  book: MetricsBook,
  sources: FigureSources,
  { parts, others = {} }: Pick<Health, 'parts' | 'others'>,
): void {
  const { p, scheduler, admin, bot, backups, reload } = sources;
  addSharedGauges(book, sources, { parts: { ...others, ...parts } });
  const seconds = (at: number | undefined) =>
    at === undefined ? 0 : Math.max(0, (p.clock.now() - at) / 1000);
  const each = (label: string, values: Iterable<readonly [string, number]>): GaugeValues =>
    [...values].map(([name, value]) => ({ labels: { [label]: name }, value }));

  book.gauge('subscriptions', async () =>
    each('state', Object.entries((await admin.overview()).subscriptions)),
  );
  book.gauge('outbox_size', async () => (await admin.backlog()).outbox);
  book.gauge('destinations_parked', async () => (await admin.backlog()).parked);
  book.gauge('oldest_undelivered_seconds', async () => seconds((await admin.backlog()).oldest));
  book.gauge('oldest_edition_seconds', async () => seconds((await admin.backlog()).edition));
  book.gauge('scheduler_lag_seconds', async () => (await scheduler.health()).lagMs / 1000);
  const deliveries = [...p.sinks.keys()].map(deliveryQueue);
  const byKind = async (of: (waiting: readonly WaitingLanes[]) => number) => {
    const waiting = (queues: readonly string[]) =>
      Promise.all(queues.map((queue) => p.stores.lanes.waiting(queue)));
    return each('kind', [
      ['poll', of(await waiting([POLL_QUEUE]))],
      ['deliver', of(await waiting(deliveries))],
    ]);
  };
  book.gauge('lanes_waiting', () => byKind((all) => all.reduce((sum, { lanes }) => sum + lanes, 0)));
  book.gauge('oldest_due_lane_seconds', () =>
    byKind((all) => Math.max(0, ...all.map(({ since }) => seconds(since)))),
  );
  if (sources.config.queueUrl)
    book.gauge('processes', async () => {
      const all = await p.stores.processes.list();
      return each(
        'role',
        ROLES.map((role) => [role, all.filter((one) => one.role === role).length]),
      );
    });
  book.gauge('queue_jobs', async () => {
    const queues = [POLL_QUEUE, ...deliveries];
    return each(
      'queue',
      await Promise.all(queues.map(async (queue) => [queue, (await p.engine.load(queue)).due] as const)),
    );
  });
  book.gauge('discord_up', () => {
    const state = bot?.health();
    return state && (state.ok ? 1 : 0);
  });
  book.gauge('backup_ok', async () => ((await backups?.state())?.ok === false ? 0 : 1));
  book.gauge('backup_age_seconds', async () => (await backups?.state())?.ageSeconds);
  book.gauge('config_reload_success', () => (reload.ok ? 1 : 0));
  book.gauge('config_reload_success_timestamp_seconds', () => reload.at / 1000);
}
