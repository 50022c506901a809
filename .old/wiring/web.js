import { parseMailbox } from '../sinks/email/address.js';
import { adminPages } from '../web/admin/pages.js';
import { createHealthWeb, createWeb } from '../web/web.js';
import { addGauges, addSharedGauges, healthParts, workerHealth } from './figures.js';
/** Builds the web server with everything it serves. */
export function createPages(parts) {
    const { config, p, services, links, book, log, version, templates } = parts;
    const { bounceSecret, publicUrl, http, sourceName: source } = config;
    const email = p.sinks.get('email');
    const { takeBounce } = email ?? {};
    const role = config.queueUrl ? config.role : undefined;
    const health = { version, role, metrics: book.read, ...healthParts(parts) };
    addGauges(book, parts, health);
    const admin = adminRoutes(config, p, templates, health, parts);
    return createWeb({
        ...http,
        publicUrl,
        contact: config.mail && parseMailbox(config.mail.from).address,
        source,
        services,
        links,
        templates,
        health,
        clock: p.clock,
        log,
        ...(bounceSecret && takeBounce ? { bounces: { secret: bounceSecret, take: takeBounce } } : {}),
        ...(admin ? { routes: [admin] } : {}),
    });
}
/** Builds the web server of a worker, which serves only health and metrics. */
export function createWorkerPages(parts) {
    const { config, book, log, version } = parts;
    const { role } = config;
    const health = { version, role, metrics: book.read, ...workerHealth(parts) };
    addSharedGauges(book, parts, health);
    return createHealthWeb({ ...config.http, log, health });
}
/** The operator's pages; undefined without ADMIN_TOKEN. */
function adminRoutes({ adminToken: token, publicUrl, trustedProxies, sourceName: source }, { clock }, templates, health, { admin: services, log }) {
    if (!token)
        return undefined;
    return (app) => adminPages(app, { token, publicUrl, trustedProxies, source, services, templates, health, clock, log });
}
//# sourceMappingURL=web.js.map