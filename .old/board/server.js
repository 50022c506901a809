// The jobs listing service: two endpoints for one jobs file, with node:http and nothing else. A request's path,
// method, token, permission and quota are checked, in this order, before its filters are read.
import { createServer } from 'node:http';
import { sendError, sendListing } from './answer.js';
import { createCatalogue } from './catalogue.js';
import { openBoardFiles } from './files.js';
import { createListings } from './listing.js';
import { createQuestions } from './question.js';
import { createQuota, findToken, parseTokens } from './tokens.js';
const PATHS = new Map([
    ['/api/v1', 'json'],
    ['/api/v1.xml', 'rss'],
]);
const PERMISSION = 'jobs:read';
const ALLOWED = ['GET', 'HEAD'];
/** Connections that are still open this long after `close` are closed, milliseconds. */
const CLOSE_GRACE_MS = 2000;
/** Starts the board. Throws a BoardFileError that names file and fault, or the error of listening. */
export async function createBoard(options) {
    const { log, clock = Date } = options;
    const quota = createQuota();
    const questions = createQuestions();
    // Empty until the board listens.
    let home = '';
    let tokens = parseTokens([]);
    let catalogue = createCatalogue([]);
    let listings = createListings(catalogue, { home });
    let version = versionOf(wholeSecond(clock.now()));
    // A change of either file makes a new version: a token's partner is part of the links that are served to it.
    function renew() {
        if (home === '')
            return;
        version = versionOf(Math.max(wholeSecond(clock.now()), version.changedAt + 1000));
    }
    const files = await openBoardFiles({
        jobsFile: options.jobsFile,
        tokensFile: options.tokensFile,
        log,
        onJobs: (next) => {
            catalogue = next;
            listings = createListings(catalogue, { home });
            renew();
        },
        onTokens: (next) => {
            tokens = next;
            quota.keep(next);
            renew();
        },
    });
    async function answer(request, response) {
        const [path, search] = splitTarget(request.url ?? '');
        const format = PATHS.get(path);
        const refuse = (status, message, headers = {}) => sendError(request, response, status, message, { format: format ?? 'json', headers });
        if (format === undefined)
            return refuse(404, 'There is nothing here: jobs are at /api/v1 and /api/v1.xml.');
        if (!ALLOWED.includes(request.method ?? '')) {
            // The client may still be sending a body, which the board does not read.
            return refuse(405, 'This service is read-only: use GET.', {
                Allow: ALLOWED.join(', '),
                Connection: 'close',
            });
        }
        await files.refresh();
        const now = clock.now();
        const question = questions.get(search);
        const token = findToken(tokens, question.token, now);
        if (token === undefined) {
            const challenge = { 'WWW-Authenticate': 'ApiToken realm="jobs", in="query", name="token"' };
            return refuse(401, 'The token is missing, unknown or expired.', challenge);
        }
        if (!token.permissions.includes(PERMISSION)) {
            return refuse(403, `The token lacks the permission ${PERMISSION}.`);
        }
        const headers = {};
        if (token.rateLimit !== undefined) {
            const state = quota.take(token.id, token.rateLimit, now);
            Object.assign(headers, rateLimitHeaders(token.rateLimit, state));
            if (!state.allowed) {
                const message = `Too many requests: try again in ${state.resetSeconds} seconds.`;
                return refuse(429, message, { ...headers, 'Retry-After': String(state.resetSeconds) });
            }
        }
        question.keep();
        const listing = listings.get(format, question.query, token.partner);
        return sendListing(request, response, listing, { format, version, now, headers });
    }
    async function handle(request, response) {
        const [path] = splitTarget(request.url ?? '');
        // Only paths of this service are logged: another one may be a token pasted in the wrong place.
        const about = { method: request.method, path: PATHS.has(path) ? path : 'other' };
        try {
            const status = await answer(request, response);
            log.debug({ ...about, status }, 'request answered');
        }
        catch (error) {
            log.error({ ...about, reason: error instanceof Error ? error.name : 'unknown' }, 'request failed');
            if (response.headersSent)
                response.destroy();
            else
                sendError(request, response, 500, 'Something went wrong here.', { format: 'json' });
        }
    }
    const server = createServer((request, response) => void handle(request, response));
    await new Promise((resolve, reject) => {
        server.once('error', reject).listen(options.port, options.host, resolve);
    }).catch((error) => {
        files.close();
        throw error;
    });
    const { port, family, address } = server.address();
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    home = `${url}/`;
    listings = createListings(catalogue, { home });
    async function close() {
        files.close();
        const closed = new Promise((resolve) => server.close(() => resolve()));
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
        await closed;
        clearTimeout(timer);
    }
    return { url, port, reload: () => files.reload(), close };
}
function versionOf(changedAt) {
    return { changedAt, date: new Date(changedAt).toUTCString() };
}
// HTTP dates have no smaller unit.
function wholeSecond(milliseconds) {
    return Math.floor(milliseconds / 1000) * 1000;
}
// Not `new URL`: it throws on targets that clients may send, and only the two parts are needed.
function splitTarget(target) {
    const at = target.indexOf('?');
    return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}
// draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it.
function rateLimitHeaders(limit, state) {
    return {
        'RateLimit-Policy': `"token";q=${limit.requests};w=${Math.ceil(limit.windowSeconds)}`,
        RateLimit: `"token";r=${state.remaining};t=${state.resetSeconds}`,
    };
}
//# sourceMappingURL=server.js.map