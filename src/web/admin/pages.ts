// The operator's pages: what runs, what waits, what failed, and what to do about it. Rendered on the server, in the
// language that the browser asks for, without scripts. Links are relative, so that they work on the port itself and below
// any path of a proxy.

import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { attributionFaults, type Linked } from '../../domain/attribution.js';
import { defined } from '../../domain/defined.js';
import { reasonOf, StoreError, UserError } from '../../domain/errors.js';
import type { CheckResult } from '../../domain/finding.js';
import type { Secret } from '../../domain/secret.js';
import type { AdminService, EntryService, ListQuery } from '../../ports/admin-service.js';
import type { Clock, Log, LogControl } from '../../ports/system.js';
import { type EntriesOutcome, entriesView } from '../../render/admin-entries.js';
import type { AdminFrame, AdminNotice } from '../../render/admin-frame.js';
import { accountsView, subscriptionsView, waitingView } from '../../render/admin-lists.js';
import { shownMatches, subscriptionView } from '../../render/admin-subscription.js';
import { checksView, logView, overviewView, signInView } from '../../render/admin-view.js';
import type { Templates } from '../../render/templates.js';
import { preferredLocale, readForm } from '../context.js';
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
  readonly entries: EntryService;
  readonly templates: () => Promise<Templates>;
  readonly health: Health;
  readonly clock: Clock;
  readonly log: Log & LogControl;
  /** The checks of `jobcrier doctor`. Without it there is no page for them. */
  readonly checks?: (locale: string) => Promise<readonly CheckResult[]>;
}

const LARGEST_FORM = 16_000;
/** The form with the text of subscriptions. Larger texts are for `jobcrier subscriptions import`. */
const LARGEST_TEXT = 256_000;
const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;

/** What the text of a new subscription begins with. */
const EXAMPLE = `- id: rust-remote
  filter: { tags: [rust], remote: true }
  timezone: UTC
  destinations:
    - { sink: console, cadence: immediate }
`;

/** What the `done` parameter of the redirect after a form may say. */
const NOTICES: readonly AdminNotice[] = ['retried', 'gone', 'level', 'paused', 'resumed', 'imported'];

export function adminPages(app: Hono, options: AdminOptions): void {
  const { services, entries, templates, health, clock, log, source, checks } = options;
  const gate = createGate(options);
  const startedAt = clock.now();

  function frame(c: Context, visitor: Visitor | undefined, tab: AdminFrame['tab']): AdminFrame {
    return {
      tab,
      locale: preferredLocale(c),
      // Relative to the current URL: /admin is one level up from /admin/log.
      root: c.req.path.endsWith('/admin') ? '.' : '..',
      csrf: visitor?.csrf ?? '',
      version: health.version,
      source,
      now: clock.now(),
      startedAt,
      notice: NOTICES.find((one) => one === c.req.query('done')),
      hasChecks: checks !== undefined,
    };
  }

  /** Throws if the page breaks a rule for the links of the postings on it (jobs API, Link attribution). */
  async function show(
    c: Context,
    name: string,
    view: object,
    status: 200 | 401 | 403 | 429 = 200,
    postings: readonly Linked[] = [],
  ): Promise<Response> {
    const body = (await templates()).page(name, preferredLocale(c), view);
    const faults = attributionFaults({ format: 'html', body }, postings);
    if (faults.length > 0) throw new Error(`the page breaks the link rules: ${faults.join('; ')}`);
    return c.html(body, status);
  }

  function showEntries(c: Context, visitor: Visitor, outcome: EntriesOutcome): Promise<Response> {
    const view = entriesView(frame(c, visitor, 'subscriptions'), outcome);
    return show(c, 'admin-entries', view, 200, outcome.preview ? shownMatches(outcome.preview) : []);
  }

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
    act: (
      form: (name: string) => string,
      c: Context,
      visitor: Visitor,
    ) => Promise<string | Response> | string,
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
      const answer = await act(form, c, visitor);
      return typeof answer === 'string' ? c.redirect(answer, 303) : answer;
    });
  }

  const small = bodyLimit({ maxSize: LARGEST_FORM });
  const large = bodyLimit({ maxSize: LARGEST_TEXT });
  app.use('/admin/*', (c, next) => (c.req.path === '/admin/entries' ? large : small)(c, next));
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
  get('/admin/subscription', async (c, visitor) => {
    const id = c.req.query('id') ?? '';
    const details = await services.subscription(id);
    if (!details) return c.redirect('subscriptions?done=gone', 303);
    const preview =
      c.req.query('preview') === undefined ? undefined : await answered(() => services.preview(id));
    const canEdit = (await entries.export(id)) !== undefined;
    const view = subscriptionView(frame(c, visitor, 'subscriptions'), details, canEdit, preview);
    const postings = preview && preview !== 'failed' ? shownMatches(preview) : [];
    return show(c, 'admin-subscription', view, 200, postings);
  });
  get('/admin/entries', async (c, visitor) => {
    const id = c.req.query('id');
    const text = (id !== undefined && (await entries.export(id))) || EXAMPLE;
    return showEntries(c, visitor, { text });
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
  if (checks)
    get('/admin/checks', async (c, visitor) => {
      const framed = frame(c, visitor, 'checks');
      return show(c, 'admin-checks', checksView(framed, await checks(framed.locale)));
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
  for (const [action, done] of [
    ['pause', 'paused'],
    ['resume', 'resumed'],
  ] as const)
    post(`/admin/${action}`, async (form) => {
      const id = form('subscription');
      if (!(await services[action](id))) return 'subscriptions?done=gone';
      log.info({ subscription: id, by: 'operator' }, `subscription ${done}`);
      return `subscription?${new URLSearchParams({ id, done })}`;
    });
  post('/admin/entries', async (form, c, visitor) => {
    const text = form('text');
    const dry = form('do') !== 'save';
    try {
      const { filters, ...done } = await entries.import(text, dry);
      if (dry) {
        const [only, ...others] = filters;
        const preview =
          only && others.length === 0
            ? await answered(() => services.previewOf(only.account, only.filter))
            : undefined;
        return await showEntries(c, visitor, {
          text,
          checked: done,
          ...defined({ preview: preview === 'failed' ? undefined : preview }),
        });
      }
      log.info({ added: done.added, changed: done.changed, by: 'operator' }, 'subscriptions imported');
      return 'subscriptions?done=imported';
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return showEntries(c, visitor, { text, faults: error.message.split('\n') });
    }
  });
  post('/admin/log-level', (form) => {
    const level = LEVELS.find((one) => one === form('level'));
    if (!level || log.level === undefined) return 'log';
    log.level = level;
    log.info({ now: level }, 'log level changed');
    return 'log?done=level';
  });
}

/** `failed` when the jobs API gave no answer; the page says so. */
async function answered<T>(ask: () => Promise<T>): Promise<T | 'failed'> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UserError) return 'failed';
    throw error;
  }
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
