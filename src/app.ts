// The composition root: builds the parts that the settings ask for, connects them, and returns an App that starts and
// stops them. Every part that starts adds an undo step; stopping runs these steps in reverse order.

import { setTimeout as sleep } from 'node:timers/promises';
import { forgetUser } from './bot/runtime/drafts.js';
import type { Config } from './config.js';
import { defined } from './domain/defined.js';
import { reasonOf, throwFaults, UserError } from './domain/errors.js';
import type { CheckResult } from './domain/finding.js';
import { OPERATOR } from './domain/subscription.js';
import type { Pipeline } from './pipeline/context.js';
import { type CycleLine, type CycleOptions, runCycle } from './pipeline/cycle.js';
import type { DailyStats } from './pipeline/daily-stats.js';
import { createScheduler, type Scheduler } from './pipeline/scheduler.js';
import { followChanges, followOperator } from './pipeline/subscription-sync.js';
import type { Engine } from './ports/engine.js';
import type { LinkBook, MailService } from './ports/mail-service.js';
import type { Services } from './ports/services.js';
import type { Sink } from './ports/sink.js';
import type { Stores, Table } from './ports/stores.js';
import type { Clock, Log, LogControl } from './ports/system.js';
import { describeFilter } from './render/describe.js';
import { type Duty, startService, type Undo } from './service.js';
import { createAdminService } from './services/admin.js';
import { createServices, withMail } from './services/index.js';
import { forgetCards } from './sinks/discord/places.js';
import { builtInSinks, closeSinks, moduleSinks } from './sinks/index.js';
import { standBy } from './standby.js';
import type { StoreOptions } from './store/index.js';
import { type FileReport, takeFile } from './subscriptions-file.js';
import { dailyBackups, upkeepDuties } from './upkeep.js';
import type { Web } from './web/web.js';
import { createFigures, type Figures } from './wiring/counters.js';
import { botOf, equalShare, helloButtons, messengersOf, restOf } from './wiring/discord.js';
import { editionAddress, forgetMails, mailDeps, mailServiceOf, openLinkBook } from './wiring/mail.js';
import { crashStep, createPipeline } from './wiring/pipeline.js';
import { serviceSettings } from './wiring/services.js';
import { sinkSettings } from './wiring/sinks.js';
import { openStore, SYSTEM_CLOCK } from './wiring/store.js';
import { hasOwnTemplates, templatesOnDemand } from './wiring/templates.js';
import { createPages, createWorkerPages, type PageParts } from './wiring/web.js';

export interface AppDeps {
  /** SIGUSR2 and the operator's page can change its level, if it has one. */
  readonly log: Log & LogControl;
  readonly stdout: NodeJS.WriteStream;
  readonly clock?: Clock;
  /** Text of subscriptions to use instead of the file's; the demo has its own. */
  readonly subscriptions?: string;
  /**
   * Sinks to use instead of those that SINKS names, such as the ones made when the settings were checked. The app closes
   * them, also when it can't be built.
   */
  readonly sinks?: readonly Sink[];
  /** The figures that the given sinks count with. */
  readonly figures?: Figures;
  /** Reads the store and writes nothing to it; changes stay in memory. */
  readonly dryRun?: boolean;
  /** False: commits do not wait for others, see {@link StoreOptions}. For a service with little to write, in tests. */
  readonly gathers?: boolean;
  /** Shown by health, metrics and the operator's page. */
  readonly version?: string;
  /** Runs the checks of `jobcrier doctor` for the operator's page; without it, the page does not offer them. */
  readonly checks?: (locale: string) => Promise<readonly CheckResult[]>;
  /** Ends the wait of a standby control. */
  readonly signal?: AbortSignal;
}

export interface App {
  readonly pipeline: Pipeline;
  readonly scheduler: Scheduler;
  readonly services: Services;
  /** Pages, health and metrics; they listen after the start. */
  readonly web: Web;
  /** Starts the service, which runs until `stop`. */
  start(): Promise<void>;
  /** Polls the given (or every) subscription once, delivers what is due, and resolves with a line per subscription. */
  cycle(options: CycleOptions): Promise<readonly CycleLine[]>;
  stop(): Promise<void>;
  /** Ends the jobs API requests that people wait for, so that they get an answer now; with a bot, `stop` does this first. */
  endAsks(): void;
  /** Resolves with the reason when the service can't continue. */
  readonly broken: Promise<string>;
}

/**
 * Builds the service from the settings and takes the lease. A second control waits until it gets the lease. Throws a
 * UserError when another process holds the store, and the reason of `signal` when that ended the wait.
 */
export async function createApp(config: Config, deps: AppDeps): Promise<App> {
  const { log, clock = SYSTEM_CLOCK, version = 'unknown' } = deps;
  const { role } = config;
  const isShared = config.queueUrl !== undefined;
  const { book, dailyStats } = deps.figures ?? createFigures(log, clock);
  const { metrics } = dailyStats;
  const undo: Undo[] = [];
  let breakDown: (reason: string) => void = () => undefined;
  const broken = new Promise<string>((resolve) => {
    breakDown = resolve;
  });

  async function stop(): Promise<void> {
    for (const step of undo.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        log.error({ reason: reasonOf(error) }, 'stopping a part failed');
      }
    }
  }

  const made: Sink[] = [...(deps.sinks ?? [])];
  const closeMade = () =>
    closeSinks(made.splice(0), (sink, reason) => log.warn({ sink, reason }, 'sink left behind'));
  undo.push(closeMade);

  try {
    const access = deps.dryRun ? 'read' : 'serve';
    const { stores, secrets } = await openStore(config, log, clock, access, {
      role: isShared ? role : undefined,
      ...defined({ gathers: deps.gathers }),
    });
    undo.push(() => stores.close());
    const alone = await stores.processes.join();
    if (alone) throw inUse(alone);
    undo.push(() => stores.processes.leave());
    const lease = await stores.lease.acquire();
    if ('holder' in lease) {
      if (role !== 'control' || !lease.shares) throw inUse(lease.holder);
      if (!(await standBy(config, stores, { log, version, ...defined({ signal: deps.signal }) })))
        throw deps.signal?.reason;
    }
    undo.push(() => stores.lease.release());
    const links = openLinkBook(config, secrets, stores, clock);
    const share = isShared ? equalShare(stores.processes) : undefined;
    const discordRest = restOf(config, { log, metrics, share });
    if (discordRest) undo.push(() => discordRest.close());
    const templates = templatesOnDemand(config, log);
    // Reports broken templates at the start, not when the first reader opens a page.
    if (hasOwnTemplates(config)) await templates();
    const forMail =
      config.mail &&
      mailDeps(secrets, stores, links, {
        templates: await templates(),
        log,
        clock,
        onAlert: (text) => void tellOperator(p, text),
        onUnsubscribe: (token) => stopStream(links, mail, token),
      });
    const builtIn = await builtInSinks(sinkSettings(config), {
      log,
      clock,
      metrics,
      stdout: deps.stdout,
      ...defined({ mail: forMail }),
      table: stores.misc,
      helloButtons,
      ...defined({ discordRest }),
    });
    made.push(...builtIn.values());
    // Added a second time, so that sinks close before the lease is released and the store closes.
    undo.push(closeMade);
    if (!deps.sinks) {
      const faults: string[] = [];
      made.push(...(await moduleSinks(sinkSettings(config), { log, clock, metrics }, faults)).values());
      throwFaults(faults);
    }
    const extra = made.filter((sink) => builtIn.get(sink.name) !== sink);
    const sinks = new Map([...builtIn, ...extra.map((sink) => [sink.name, sink] as const)]);
    book.know('sink', sinks.keys());
    if (config.discord.token) book.know('name', (await import('./bot/features/index.js')).INTERACTION_NAMES);
    let file: FileReport | undefined;
    const crash = crashStep(process.env.JOBCRIER_CRASH_AT);
    const p = createPipeline(config, {
      stores,
      sinks,
      messengers: messengersOf(config, { stores, log }, discordRest, builtIn.get('email')),
      log,
      clock,
      metrics,
      editionUrl: editionAddress(links),
      ...defined({
        engine: config.queueUrl ? await queueEngine(config.queueUrl, stores, { log, clock }) : undefined,
        step: crash,
      }),
    });
    undo.push(() => p.feed.close());
    const scheduler = createScheduler(
      p,
      () => breakDown('another process took over the store'),
      (ms) => sleep(ms),
    );
    const stopping = new AbortController();
    const forget = [
      forgetMails(stores, links),
      (account: string) => forgetUser(stores.misc, account),
      (account: string) => forgetCards(stores.misc, account),
    ];
    const serviceLimits = { ...serviceSettings(config), stopping: stopping.signal, forget, links };
    const withoutMail = createServices(p, scheduler, serviceLimits, describeFilter);
    const mail = mailServiceOf(builtIn.get('email'), stores, links, { clock, log }, withoutMail);
    const services = withMail(withoutMail, mail);
    const bot = role === 'worker' ? undefined : botOf(config, p, services, discordRest, breakDown);
    const admin = createAdminService(p, scheduler, dailyStats, services);
    const backups = dailyBackups(config, p);
    const reload = { ok: true, at: clock.now() };
    const webParts: PageParts = {
      config,
      p,
      scheduler,
      services,
      links,
      book,
      admin,
      log,
      templates,
      version,
      backups,
      reload,
      bot,
      fileProblem: () => standing(file, p),
      ...defined({ checks: deps.checks }),
    };
    const web = role === 'worker' ? createWorkerPages(webParts) : createPages(webParts);
    const readFile = async () => {
      file = await takeFile(p, config, deps.subscriptions);
    };
    if (role !== 'worker') {
      await readFile();
      await followOperator(p, scheduler);
    }
    return {
      pipeline: p,
      scheduler,
      services,
      web,
      broken,
      stop,
      endAsks: () => stopping.abort(),
      async cycle(options) {
        await followChanges(p, scheduler);
        return runCycle(p, scheduler, options);
      },
      async start() {
        // First, so that a port that is taken stops the start before anything is sent.
        await web.start();
        undo.push(() => web.stop());
        // A service fails now if it can't be loaded. A command that only polls loads it when it sends.
        await discordRest?.library();
        undo.push(() => dailyStats.flush(stores.misc));
        const upkeep = role === 'worker' ? [] : upkeepDuties(config, p, backups);
        const duties = [...(share ? [share.duty] : []), ...upkeep, dailyStatsDuty(dailyStats, stores.misc)];
        undo.push(...(await startService(config, p, scheduler, duties, breakDown)));
        undo.push(onSignals(log, clock, role === 'worker' ? async () => undefined : readFile, reload));
        if (bot) {
          undo.push(() => bot.stop());
          // Runs first at a stop, so that everyone who waits for an answer gets one.
          undo.push(() => stopping.abort());
          await bot.start();
        }
        log.info(
          {
            ...defined({ role: isShared ? role : undefined }),
            sinks: [...sinks.keys()],
          },
          'running',
        );
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function inUse(holder: string): UserError {
  return new UserError(
    `The store is in use by ${holder}. Stop that process first; two would send everything twice.`,
  );
}

/** Loads the queue engine only when it is needed: loading it takes a tenth of a second. */
async function queueEngine(
  url: string,
  { lanes }: Stores,
  { log, clock }: { readonly log: Log; readonly clock: Clock },
): Promise<Engine> {
  const { createBullEngine } = await import('./engine/bullmq.js');
  return createBullEngine({ url, lanes, clock, log });
}

/** The problem of the subscriptions file while it lasts: a command may have removed the held-back subscriptions since. */
async function standing(file: FileReport | undefined, { stores }: Pipeline): Promise<string | undefined> {
  const { problem, heldBack = [] } = file ?? {};
  if (!problem || heldBack.length === 0) return problem;
  return (await stores.subscriptions.many(heldBack)).length > 0 ? problem : undefined;
}

/** Stores the day's figures once a minute; a stop stores them too. */
function dailyStatsDuty(dailyStats: DailyStats, table: Table<unknown>): Duty {
  return { name: 'daily stats', every: 60, run: () => dailyStats.flush(table) };
}

/** Notifies the operator of a problem with the mail stream, at most once a day for each text. */
async function tellOperator({ notices, log }: Pipeline, text: string): Promise<void> {
  try {
    await notices.tell({ kind: 'mail', subject: text, account: OPERATOR, text, forMs: 86_400_000 });
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'notice failed');
  }
}

/** Unsubscribes a reader who asked for it by mail: the mailto of List-Unsubscribe. */
async function stopStream(links: LinkBook, mail: MailService | undefined, token: string): Promise<void> {
  const claim = await links.open('unsubscribe', token);
  if (!mail || !claim?.subscription || !claim.destination) return;
  const { account, subscription, destination } = claim;
  await mail.stop({ account, subscription, destination });
}

/** SIGHUP reads the subscriptions file again; SIGUSR2 switches debug lines on and off. */
function onSignals(
  log: AppDeps['log'],
  clock: Clock,
  readFile: () => Promise<void>,
  reload: { ok: boolean; at: number },
): Undo {
  const usual = log.level;
  const reread = () => {
    readFile().then(
      () => {
        Object.assign(reload, { ok: true, at: clock.now() });
      },
      (error: unknown) => {
        reload.ok = false;
        log.error({ reason: reasonOf(error) }, 'subscriptions file refused, the former entries stay in use');
      },
    );
  };
  const talk = () => {
    log.level = log.level === 'debug' ? (usual ?? 'info') : 'debug';
    log.info({ now: log.level }, 'log level changed');
  };
  process.on('SIGHUP', reread);
  process.on('SIGUSR2', talk);
  return () => {
    process.off('SIGHUP', reread);
    process.off('SIGUSR2', talk);
  };
}
