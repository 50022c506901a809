import { bodyLimit } from 'hono/body-limit';
import { reasonOf, StoreError } from '../../domain/errors.js';
import { accountsView, subscriptionsView, waitingView } from '../../render/admin-lists.js';
import { logView, overviewView, signInView } from '../../render/admin-view.js';
import { readForm } from '../context.js';
import { healthOf } from '../health.js';
import { createGate } from './gate.js';
const LARGEST_FORM = 16_000;
const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'];
/** The message on the page after a form, by the `done` parameter of the redirect. */
const NOTICES = {
    retried: 'The destination is free, and what waits for it is being sent.',
    gone: 'That destination is no longer there.',
    level: 'The log level is changed until the next start.',
};
export function adminPages(app, options) {
    const { services, templates, health, clock, log, source } = options;
    const gate = createGate(options);
    const startedAt = clock.now();
    function frame(c, visitor, tab) {
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
    const show = async (c, name, view, status = 200) => c.html((await templates()).page(name, 'en', view), status);
    function signIn(c, { wait }, tried) {
        if (wait > 0)
            c.header('Retry-After', String(wait));
        else if (c.req.header('Authorization'))
            c.header('WWW-Authenticate', 'Bearer realm="jobcrier"');
        const view = signInView(frame(c, undefined, 'sign-in'), { wait, tried });
        return show(c, 'admin-sign-in', view, wait > 0 ? 429 : 401);
    }
    function get(path, answer) {
        app.get(path, async (c) => {
            const visitor = gate.visitor(c);
            if ('wait' in visitor)
                return signIn(c, visitor, c.req.header('Authorization') !== undefined);
            return answer(c, visitor);
        });
    }
    function post(path, act) {
        app.post(path, async (c) => {
            const visitor = gate.visitor(c);
            if ('wait' in visitor)
                return signIn(c, visitor, c.req.header('Authorization') !== undefined);
            const posted = await readForm(c);
            const form = (name) => {
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
    app.get('/assets/admin.css', async (c) => c.body((await templates()).file('page/admin.css') ?? '', 200, {
        'Content-Type': 'text/css; charset=utf-8',
        'Cache-Control': 'public, max-age=300',
    }));
    app.get('/admin/', (c) => c.redirect('../admin', 301));
    app.post('/admin/sign-in', async (c) => {
        const { token } = await readForm(c);
        if (!gate.ownPage(c))
            return signIn(c, { wait: 0 }, false);
        const passed = gate.signIn(c, typeof token === 'string' ? token.trim() : '');
        return passed === true ? c.redirect('../admin', 303) : signIn(c, passed, true);
    });
    post('/admin/sign-out', (_form, c) => {
        gate.signOut(c);
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
        if (!level || log.level === undefined)
            return 'log';
        log.level = level;
        log.info({ now: level }, 'log level changed');
        return 'log?done=level';
    });
}
/** Undefined while the store can't be read, so that the rest of the page is still shown. */
async function figuresOf(services, log) {
    try {
        return { overview: await services.overview(), stuck: await services.waiting({ state: 'parked' }) };
    }
    catch (error) {
        if (!(error instanceof StoreError))
            throw error;
        log.warn({ reason: reasonOf(error) }, 'figures for the operator page could not be read');
        return undefined;
    }
}
function queryOf(c) {
    const filter = (c.req.query('filter') ?? '').trim().slice(0, 200);
    const state = (c.req.query('state') ?? '').slice(0, 40);
    const page = Number(c.req.query('page') ?? '1');
    return {
        ...(filter ? { filter } : {}),
        ...(state ? { state } : {}),
        page: Number.isSafeInteger(page) ? page : 1,
    };
}
//# sourceMappingURL=pages.js.map