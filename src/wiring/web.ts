// Builds the web server: the pages, health, metrics and the operator's page.

import type { Hono } from 'hono';
import type { Config } from '../config.js';
import { defined } from '../domain/defined.js';
import type { Pipeline } from '../pipeline/context.js';
import type { AdminService } from '../ports/admin-service.js';
import type { LinkBook } from '../ports/mail-service.js';
import type { Services } from '../ports/services.js';
import type { Log, LogControl } from '../ports/system.js';
import type { Templates } from '../render/templates.js';
import { parseMailbox } from '../sinks/email/address.js';
import type { EmailSink } from '../sinks/email/sink.js';
import { hasBackups } from '../upkeep.js';
import { adminPages } from '../web/admin/pages.js';
import type { Health } from '../web/health.js';
import type { MetricsBook } from '../web/metrics.js';
import { createHealthWeb, createWeb, type Web } from '../web/web.js';
import { addGauges, addSharedGauges, type FigureSources, healthParts, workerHealth } from './figures.js';

export interface PageParts extends FigureSources {
  readonly services: Services;
  readonly links: LinkBook;
  readonly book: MetricsBook;
  readonly templates: () => Promise<Templates>;
  readonly log: Log & LogControl;
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
  const admin = adminRoutes(config, p, templates, health, parts);
  return createWeb({
    ...http,
    publicUrl,
    contact: config.mail && parseMailbox(config.mail.from).address,
    // One more, because the backup of the day itself may be made before the deletion.
    backupDays: hasBackups(config) ? config.backupKeep + 1 : undefined,
    source,
    services,
    links,
    templates,
    health,
    clock: p.clock,
    log,
    ...defined({
      bounces: bounceSecret && takeBounce ? { secret: bounceSecret, take: takeBounce } : undefined,
      routes: admin ? [admin] : undefined,
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
  { adminToken: token, publicUrl, trustedProxies, sourceName: source }: Config,
  { clock }: Pipeline,
  templates: () => Promise<Templates>,
  health: Health,
  { admin: services, log }: { readonly admin: AdminService; readonly log: Log & LogControl },
): ((app: Hono) => void) | undefined {
  if (!token) return undefined;
  return (app) =>
    adminPages(app, { token, publicUrl, trustedProxies, source, services, templates, health, clock, log });
}
