// The operator's pages: what runs, what waits, what failed, and what to do about it. Rendered on the server, without
// scripts. Links are relative, so that they work on the port itself and below any path of a proxy.

import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { defined } from '../../domain/defined.js';
import { reasonOf, StoreError } from '../../domain/errors.js';
import type { Secret } from '../../domain/secret.js';
import type { AdminService, ListQuery } from '../../ports/admin-service.js';
import type { Clock, Log, LogControl } from '../../ports/system.js';
import type { AdminFrame } from '../../render/admin-frame.js';
import { accountsView, subscriptionsView, waitingView } from '../../render/admin-lists.js';
import { logView, overviewView, signInView } from '../../render/admin-view.js';
import type { Templates } from '../../render/templates.js';
import { readForm } from '../context.js';
import { type Health, healthOf } from '../health.js';
import type { Limiter } from '../limiter.js';
import { createGate, type Refusal, type Visitor } from './gate.js';

export interface AdminOptions {
  readonly token: Secret;
  readonly publicUrl?: string | undefined;
  /** Addresses and networks whose X-Forwarded-For and -Proto count. */
  readonly trustedProxies: readonly string[];
  readonly limiter: Limiter;
  /** The board's name. */
  readonly source: string;
  readonly services: AdminService;
  readonly templates: () => Promise<Templates>;
  readonly health: Health;
  readonly clock: Clock;
  readonly log: Log & LogControl;
}

const LARGEST_FORM = 16_000;
const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;

/** The message on the page after a form, by the `done` parameter of the redirect. */
const NOTICES: Readonly<Record<string, string>> = {
  retried: 'The destination is active again, and its waiting postings are being sent.',
  gone: 'That destination no longer exists.',
  level: 'The log level is changed until the next start.',
};

export function adminPages(app: Hono, options: AdminOptions): void {
  const { services, templates, health, clock, log, source } = options;
  const gate = createGate(options);
  const startedAt = clock.now();

  function frame(c: Context, visitor: Visitor | undefined, tab: AdminFrame['tab']): AdminFrame {
    return {
      tab,
      // Relative to the current URL: /admin is one level up from /admin/log.
      root: c.req.path.endsWith('/admin') ? '.' : '..',
      csrf: visitor?.csrf ?? '',
      version: health.version,
      source,
      now: clock.now(),
      startedAt,
      notice: NOTICES[c.req.query('done') ?? ''] ?? null,
    };
  }

  const show = async (c: Context, name: string, view: object, status: 200 | 401 | 403 | 429 = 200) =>
    c.html((await templates()).page(name, 'en', view), status);

  function signIn(c: Context, { wait }: Refusal, tried: boolean): Promise<Response> {
    if (wait > 0) c.header('Retry-After', String(wait));
    else if (c.req.header('Authorization')) c.header('WWW-Authenticate', 'Bearer realm="jobcrier"');
    const view = signInView(frame(c, undefined, 'sign-in'), { wait, tried });
    return show(c, 'admin-sign-in', view, wait > 0 ? 429 : 401);
  }

  function get(path: string, answer: (c: Context, visitor: Visitor) => Promise<Response> | Response): void {
    app.get(path, async (c) => {
      const visitor = await gate.visitor(c);
      if ('wait' in visitor) return signIn(c, visitor, c.req.header('Authorization') !== undefined);
      return answer(c, visitor);
    });
  }

  function post(
    path: string,
    act: (form: (name: string) => string, c: Context) => Promise<string> | string,
  ): void {
    app.post(path, async (c) => {
      const visitor = await gate.visitor(c);
      if ('wait' in visitor) return signIn(c, visitor, c.req.header('Authorization') !== undefined);
      const posted = await readForm(c);
      const form = (name: string) => {
        const value = posted[name];
        return typeof value === 'string' ? value : '';
      };
      if (!gate.ownForm(c, visitor, form('csrf'))) {
        const view = signInView(frame(c, undefined, 'sign-in'), { wait: 0, tried: false, foreign: true });
        return show(c, 'admin-sign-in', view, 403);
      }
      return c.redirect(await act(form, c), 303);
    });
  }

  app.use('/admin/*', bodyLimit({ maxSize: LARGEST_FORM }));
  app.get('/assets/admin.css', async (c) =>
    c.body((await templates()).file('page/admin.css') ?? '', 200, {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': 'public, max-age=300',
    }),
  );
  app.get('/admin/', (c) => c.redirect('../admin', 301));

  app.post('/admin/sign-in', async (c) => {
    const { token } = await readForm(c);
    if (!gate.ownPage(c)) return signIn(c, { wait: 0 }, false);
    const passed = await gate.signIn(c, typeof token === 'string' ? token.trim() : '');
    return passed === true ? c.redirect('../admin', 303) : signIn(c, passed, true);
  });
  post('/admin/sign-out', async (_form, c) => {
    await gate.signOut(c);
    return '../admin';
  });

  get('/admin', async (c, visitor) => {
    const report = await healthOf(health);
    const recent = log.recent?.() ?? [];
    const figures = await figuresOf(services, log);
    return show(c, 'admin', overviewView(frame(c, visitor, 'overview'), { figures, report, recent }));
  });
  get('/admin/subscriptions', async (c, visitor) => {
    const query = queryOf(c);
    const list = await services.subscriptions(query);
    return show(c, 'admin-subscriptions', subscriptionsView(frame(c, visitor, 'subscriptions'), list, query));
  });
  get('/admin/deliveries', async (c, visitor) => {
    const query = queryOf(c);
    const list = await services.waiting(query);
    return show(c, 'admin-deliveries', waitingView(frame(c, visitor, 'deliveries'), list, query));
  });
  get('/admin/accounts', async (c, visitor) => {
    const query = queryOf(c);
    const list = await services.accounts(query);
    return show(c, 'admin-accounts', accountsView(frame(c, visitor, 'accounts'), list, query));
  });
  get('/admin/log', (c, visitor) => {
    const level = log.level ?? null;
    const view = logView(frame(c, visitor, 'log'), { lines: log.recent?.() ?? [], level, levels: LEVELS });
    return show(c, 'admin-log', view);
  });

  post('/admin/retry', async (form) => {
    const done = await services.retry(form('subscription'), form('destination'));
    return `deliveries?done=${done ? 'retried' : 'gone'}`;
  });
  post('/admin/log-level', (form) => {
    const level = LEVELS.find((one) => one === form('level'));
    if (!level || log.level === undefined) return 'log';
    log.level = level;
    log.info({ now: level }, 'log level changed');
    return 'log?done=level';
  });
}

/** Undefined while the store can't be read, so that the rest of the page is still shown. */
async function figuresOf(services: AdminService, log: Log) {
  try {
    return { overview: await services.overview(), stuck: await services.waiting({ state: 'parked' }) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.warn({ reason: reasonOf(error) }, 'figures for the operator page could not be read');
    return undefined;
  }
}

function queryOf(c: Context): ListQuery {
  const filter = (c.req.query('filter') ?? '').trim().slice(0, 200);
  const state = (c.req.query('state') ?? '').slice(0, 40);
  const page = Number(c.req.query('page') ?? '1');
  return {
    ...defined({ filter: filter || undefined, state: state || undefined }),
    page: Number.isSafeInteger(page) ? page : 1,
  };
}
