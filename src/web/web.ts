// The web server: the pages behind the links of mails, the reports of relays, and the endpoints for machines. It uses
// the rest of the program only through the services.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { matchedRoutes } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';
import { timeout } from 'hono/timeout';
import { reasonOf, UserError } from '../domain/errors.js';
import type { LinkBook } from '../ports/mail-service.js';
import type { Services } from '../ports/services.js';
import type { Clock, Log } from '../ports/system.js';
import type { Templates } from '../render/templates.js';
import { accessPages } from './access-pages.js';
import { archivePages } from './archive-pages.js';
import { type BounceIntake, bounceRoute } from './bounces.js';
import { consentPages } from './consent-pages.js';
import { isIncomplete, SCRIPTED, trouble, type WebContext, wrongLink } from './context.js';
import { editionPages } from './edition-pages.js';
import { feedbackPages } from './feedback-pages.js';
import { type Health, healthRoutes } from './health.js';
import { jobsPages } from './jobs-pages.js';
import { managePages } from './manage-pages.js';
import { preferencesPages } from './preferences-pages.js';
import { createSessionGate } from './session-gate.js';
import { type StartPage, startPage } from './start-page.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly log: Log;
}

export interface WebOptions extends ListenOptions {
  readonly publicUrl?: string | undefined;
  /** The address mails come from, where readers reach the operator. */
  readonly contact?: string | undefined;
  /** Days until a daily backup of the service is deleted; absent without backups. */
  readonly backupDays?: number | undefined;
  /** Addresses and networks whose X-Forwarded-For and -Proto count. */
  readonly trustedProxies: readonly string[];
  readonly services: Services;
  readonly links: LinkBook;
  readonly templates: () => Promise<Templates>;
  /** The board's name. */
  readonly source: string;
  readonly health: Health;
  /** The page at `/`, which is shown only with a public address. */
  readonly start?: StartPage | undefined;
  /** Without it, reports of relays are not accepted. */
  readonly bounces?: BounceIntake | undefined;
  /** Further pages, such as the operator's. */
  readonly routes?: readonly ((app: Hono) => void)[];
  readonly clock: Clock;
}

export interface Web {
  start(): Promise<void>;
  /** Waits for running requests, at most three seconds. */
  stop(): Promise<void>;
  /** Where it listens, once started. */
  url(): string;
  /** Answers a request without the network, for other parts of the program. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
}

const LARGEST_FORM = 64_000;
/** A page that takes longer fails, so that a hanging store does not pile up requests. */
const LONGEST_MS = 20_000;
/** How long `stop` waits before it closes the remaining connections. */
const GRACE_MS = 3_000;

/**
 * True when the sender closed the connection or stopped sending before the request was complete. Anyone can do that
 * any number of times, so it must not fill the log.
 */
function neverArrived(c: Context, error: Error): boolean {
  if (!isIncomplete(c)) return false;
  return c.env.incoming.destroyed || error instanceof HTTPException;
}

/** The error for a server that can't listen. A name without an address is not repeated: it may be a misplaced secret. */
function listenFault(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const { code = '' } = error;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new UserError(`HTTP_HOST: the name given has no address (${code}); choose one of this machine.`);
  if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') return error;
  return new UserError(`HTTP_HOST, HTTP_PORT: can't listen on ${host}:${port} (${code}); choose another.`);
}

export function createWeb(options: WebOptions): Web {
  const { log, publicUrl, services, templates } = options;
  const base = publicUrl ? new URL(publicUrl).pathname.replace(/\/$/u, '') : '';
  const w: WebContext = { ...options, base };
  const app = new Hono();

  app.use(timeout(LONGEST_MS));
  app.use(scripted, protection(publicUrl?.startsWith('https:') ?? false), unkept);
  for (const path of [
    '/confirm/*',
    '/unsubscribe/*',
    '/resubscribe/*',
    '/preferences/*',
    '/manage/*',
    '/feedback/*',
  ])
    app.use(path, bodyLimit({ maxSize: LARGEST_FORM }));
  healthRoutes(app, options.health);
  const asset =
    (name: string, type: string): Handler =>
    async (c) =>
      c.body((await templates()).file(name) ?? '', 200, {
        'Content-Type': `${type}; charset=utf-8`,
        'Cache-Control': 'public, max-age=300',
      });
  app.get('/assets/page.css', asset('page/page.css', 'text/css'));
  app.get('/assets/page.js', asset('page/page.js', 'text/javascript'));
  consentPages(app, w);
  const gate = createSessionGate(services, publicUrl, options.trustedProxies);
  preferencesPages(app, w, gate);
  jobsPages(app, w, gate);
  accessPages(app, w, gate);
  managePages(app, w, gate);
  editionPages(app, w);
  archivePages(app, w);
  feedbackPages(app, w);
  if (publicUrl && options.start) startPage(app, w, options.health, options.start);
  if (options.bounces) bounceRoute(app, options.bounces, options.clock, log);
  for (const mount of options.routes ?? []) mount(app);
  app.notFound((c) => wrongLink(c, w));
  app.onError((error, c) => {
    if (error instanceof HTTPException && error.status !== 504) return error.getResponse();
    // The URL contains a token, so only the pattern of its path is logged.
    const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path;
    const fields = { method: c.req.method, route, reason: reasonOf(error) };
    if (neverArrived(c, error)) log.debug(fields, 'request broken off by its sender');
    else log.error(fields, 'page failed');
    return trouble(c, w);
  });

  return serve(app, options);
}

/** Health and metrics only, for a process that serves no pages. */
export function createHealthWeb(options: ListenOptions & { readonly health: Health }): Web {
  const app = new Hono();
  app.use(timeout(LONGEST_MS));
  healthRoutes(app, options.health);
  return serve(app, options);
}

/** Serves an app with the time limits of every server. */
export function serve(app: Hono, { host, port, log }: ListenOptions): Web {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  server.headersTimeout = 15_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 5_000;

  return {
    fetch: app.fetch,
    url() {
      const { address, port, family } = server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => reject(listenFault(error, host, port)));
        server.listen(port, host, () => {
          log.info({ url: `http://${host}:${(server.address() as AddressInfo).port}` }, 'web pages are up');
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

// The headers of every answer. The URLs of pages are secret, so they must not be cached, indexed or sent as referrer.
// The pages need nothing from other hosts, and no scripts except one, so both are forbidden.

/** `https`: the pages are public over TLS, and browsers must keep using TLS. */
export const protection = (https: boolean) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    permissionsPolicy: { camera: [], geolocation: [], microphone: [] },
    strictTransportSecurity: https && 'max-age=31536000',
    xFrameOptions: 'DENY',
  });

/** A page with a script may run the service's own, which may make requests to this service. */
const scripted: MiddlewareHandler = async (c, next) => {
  await next();
  const policy = c.res.headers.get('Content-Security-Policy');
  if (c.get(SCRIPTED))
    c.res.headers.set('Content-Security-Policy', `${policy}; script-src 'self'; connect-src 'self'`);
};

/** The only answers that may be kept or indexed say so themselves. */
export const unkept: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store');
  if (!c.res.headers.has('X-Robots-Tag')) c.res.headers.set('X-Robots-Tag', 'noindex');
};
