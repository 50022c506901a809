// Builds the web server: the pages, health, metrics and the operator's page.

import type { Hono } from 'hono';
import type { Config } from '../config.js';
import { defined } from '../domain/defined.js';
import type { CheckResult } from '../domain/finding.js';
import { OPERATOR } from '../domain/subscription.js';
import type { Pipeline } from '../pipeline/context.js';
import type { EntryService } from '../ports/admin-service.js';
import type { LinkBook } from '../ports/mail-service.js';
import type { Services } from '../ports/services.js';
import type { Log, LogControl } from '../ports/system.js';
import type { Templates } from '../render/templates.js';
import { parseMailbox } from '../sinks/email/address.js';
import type { EmailSink } from '../sinks/email/sink.js';
import {
  entryContext,
  importEntries,
  parseSubscriptions,
  renderSubscriptions,
} from '../subscriptions-file.js';
import { hasBackups } from '../upkeep.js';
import { adminPages } from '../web/admin/pages.js';
import { agentRoutes } from '../web/agents/routes.js';
import type { Health } from '../web/health.js';
import { createLimiter, type Limiter } from '../web/limiter.js';
import type { MetricsBook } from '../web/metrics.js';
import { createHealthWeb, createWeb, type Web } from '../web/web.js';
import { addGauges, addSharedGauges, type FigureSources, healthParts, workerHealth } from './figures.js';

export interface PageParts extends FigureSources {
  readonly services: Services;
  readonly links: LinkBook;
  readonly book: MetricsBook;
  readonly templates: () => Promise<Templates>;
  readonly log: Log & LogControl;
  /** The checks of `jobcrier doctor`. */
  readonly checks?: (locale: string) => Promise<readonly CheckResult[]>;
}

/** Builds the web server with everything it serves. */
export function createPages(parts: PageParts): Web {
  const { config, p, services, links, book, log, version, templates } = parts;
  const { bounceSecret, publicUrl, http, sourceName: source } = config;
  const email = p.sinks.get('email') as Partial<EmailSink> | undefined;
  const { takeBounce } = email ?? {};
  const role = config.queueUrl ? config.role : undefined;
  const health: Health = { version, role, metrics: book.read, ...healthParts(parts) };
  addGauges(book, parts, health);
  const limiter = createLimiter(p.clock);
  const admin = adminRoutes(config, p, templates, health, { ...parts, limiter });
  const { trustedProxies } = config;
  const agents = (app: Hono) =>
    agentRoutes(app, { services, source, publicUrl, trustedProxies, limiter, clock: p.clock, log, version });
  return createWeb({
    ...http,
    publicUrl,
    trustedProxies,
    contact: config.mail && parseMailbox(config.mail.from).address,
    // One more, because the backup of the day itself may be made before the deletion.
    backupDays: hasBackups(config) ? config.backupKeep + 1 : undefined,
    source,
    services,
    links,
    templates,
    health,
    start: {
      sinks: [...p.sinks.values()].filter((sink) => sink.audience !== 'machines').map(({ name }) => name),
      invite: () => parts.bot?.invite(),
    },
    clock: p.clock,
    log,
    routes: admin ? [admin, agents] : [agents],
    ...defined({
      bounces: bounceSecret && takeBounce ? { secret: bounceSecret, take: takeBounce } : undefined,
    }),
  });
}

/** Builds the web server of a worker, which serves only health and metrics. */
export function createWorkerPages(parts: PageParts): Web {
  const { config, book, log, version } = parts;
  const { role } = config;
  const health: Health = { version, role, metrics: book.read, ...workerHealth(parts) };
  addSharedGauges(book, parts, health);
  return createHealthWeb({ ...config.http, log, health });
}

/** The operator's pages; undefined without ADMIN_TOKEN. */
function adminRoutes(
  config: Config,
  p: Pipeline,
  templates: () => Promise<Templates>,
  health: Health,
  {
    admin: services,
    log,
    limiter,
    checks,
  }: Pick<PageParts, 'admin' | 'log' | 'checks'> & { readonly limiter: Limiter },
): ((app: Hono) => void) | undefined {
  const { adminToken: token, publicUrl, trustedProxies, sourceName: source } = config;
  if (!token) return undefined;
  const { clock } = p;
  const entries = entryService(config, p);
  return (app) =>
    adminPages(app, {
      token,
      publicUrl,
      trustedProxies,
      limiter,
      source,
      services,
      entries,
      templates,
      health,
      clock,
      log,
      ...defined({ checks }),
    });
}

/** Begins the name that stands for a stored target, because a target may be an address or hold a key. */
const KEPT = 'stored:';

function entryService(config: Config, { stores, sinks, clock }: Pipeline): EntryService {
  const own = () => stores.subscriptions.byAccount(OPERATOR);
  return {
    async import(text, dry) {
      const now = clock.now();
      const places = (await own()).flatMap(({ destinations }) => destinations);
      const known = new Map(places.map(({ id, sink, target }) => [`${sink} ${KEPT}${id}`, target]));
      const context = entryContext(sinks, config, 'cli', now);
      const parseTarget: typeof context.parseTarget = (sink, target) =>
        context.parseTarget(sink, known.get(`${sink} ${target}`) ?? target);
      const entries = parseSubscriptions(text, { ...context, parseTarget }) ?? [];
      const filters = entries.map(({ account, filter }) => ({ account, filter }));
      return { ...(await importEntries(stores, entries, now, { dry })), filters };
    },
    async export(id) {
      const subscription = (await own()).find((one) => one.id === id);
      if (!subscription || subscription.origin === 'file') return undefined;
      const destinations = subscription.destinations.map((one) =>
        one.target === '' || sinks.get(one.sink)?.isShared?.(one.target)
          ? one
          : { ...one, target: `${KEPT}${one.id}` },
      );
      return renderSubscriptions([{ ...subscription, destinations }]);
    },
  };
}
