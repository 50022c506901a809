import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { matchedRoutes } from 'hono/route';
import { timeout } from 'hono/timeout';
import { reasonOf, UserError } from '../domain/errors.js';
import { bounceRoute } from './bounces.js';
import { consentPages } from './consent-pages.js';
import { isIncomplete, trouble, wrongLink } from './context.js';
import { editionPages } from './edition-pages.js';
import { healthRoutes } from './health.js';
import { preferencesPages } from './preferences-pages.js';
const LARGEST_FORM = 64_000;
/** A page that takes longer fails, so that a hanging store does not pile up requests. */
const LONGEST_MS = 20_000;
/** How long `stop` waits before it closes the remaining connections. */
const GRACE_MS = 3_000;
/**
 * True when the sender closed the connection or stopped sending before the request was complete. Anyone can do that
 * any number of times, so it must not fill the log.
 */
function neverArrived(c, error) {
    if (!isIncomplete(c))
        return false;
    return c.env.incoming.destroyed || error instanceof HTTPException;
}
/** The error for a server that can't listen. A name without an address is not repeated: it may be a misplaced secret. */
function listenFault(error, host, port) {
    const { code = '' } = error;
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
        return new UserError(`HTTP_HOST: the name given has no address (${code}); choose one of this machine.`);
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL')
        return error;
    return new UserError(`HTTP_HOST, HTTP_PORT: can't listen on ${host}:${port} (${code}); choose another.`);
}
export function createWeb(options) {
    const { log, publicUrl, templates } = options;
    const base = publicUrl ? new URL(publicUrl).pathname.replace(/\/$/u, '') : '';
    const w = { ...options, base };
    const app = new Hono();
    app.use(timeout(LONGEST_MS));
    app.use(securityHeaders(publicUrl?.startsWith('https:') ?? false));
    for (const path of ['/confirm/*', '/unsubscribe/*', '/resubscribe/*', '/preferences/*'])
        app.use(path, bodyLimit({ maxSize: LARGEST_FORM }));
    healthRoutes(app, options.health);
    app.get('/assets/page.css', async (c) => c.body((await templates()).file('page/page.css') ?? '', 200, {
        'Content-Type': 'text/css; charset=utf-8',
        'Cache-Control': 'public, max-age=300',
    }));
    consentPages(app, w);
    preferencesPages(app, w);
    editionPages(app, w);
    if (options.bounces)
        bounceRoute(app, options.bounces, options.clock, log);
    for (const mount of options.routes ?? [])
        mount(app);
    app.notFound((c) => wrongLink(c, w));
    app.onError((error, c) => {
        if (error instanceof HTTPException && error.status !== 504)
            return error.getResponse();
        // The URL contains a token, so only the pattern of its path is logged.
        const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path;
        const fields = { method: c.req.method, route, reason: reasonOf(error) };
        if (neverArrived(c, error))
            log.debug(fields, 'request broken off by its sender');
        else
            log.error(fields, 'page failed');
        return trouble(c, w);
    });
    return serve(app, options);
}
/** Health and metrics only, for a process that serves no pages. */
export function createHealthWeb(options) {
    const app = new Hono();
    app.use(timeout(LONGEST_MS));
    healthRoutes(app, options.health);
    return serve(app, options);
}
function serve(app, { host, port, log }) {
    const server = createAdaptorServer({ fetch: app.fetch });
    server.headersTimeout = 15_000;
    server.requestTimeout = 30_000;
    server.keepAliveTimeout = 5_000;
    return {
        fetch: app.fetch,
        url() {
            const { address, port, family } = server.address();
            return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
        },
        start: () => new Promise((resolve, reject) => {
            server.once('error', (error) => reject(listenFault(error, host, port)));
            server.listen(port, host, () => {
                log.info({ url: `http://${host}:${server.address().port}` }, 'web pages are up');
                resolve();
            });
        }),
        stop: () => new Promise((resolve) => {
            if (!server.listening)
                return resolve();
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
// The pages need no scripts and nothing from other hosts, so both are forbidden.
const POLICY = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
].join('; ');
/** `https`: the pages are public over TLS, and browsers must keep using TLS. */
function securityHeaders(https) {
    return async (c, next) => {
        await next();
        const { headers } = c.res;
        const set = (name, value) => {
            if (!headers.has(name))
                headers.set(name, value);
        };
        set('Content-Security-Policy', POLICY);
        set('Cache-Control', 'no-store');
        set('Referrer-Policy', 'no-referrer');
        set('X-Robots-Tag', 'noindex');
        set('X-Content-Type-Options', 'nosniff');
        set('X-Frame-Options', 'DENY');
        set('Cross-Origin-Opener-Policy', 'same-origin');
        set('Cross-Origin-Resource-Policy', 'same-origin');
        set('Permissions-Policy', 'camera=(), geolocation=(), microphone=()');
        if (https)
            set('Strict-Transport-Security', 'max-age=31536000');
    };
}
//# sourceMappingURL=web.js.map