import { reasonOf } from '../domain/errors.js';
/** Milliseconds. Shorter than callers wait for an answer. */
const PATIENCE = 3000;
async function ask(part) {
    let timer;
    const late = new Promise((resolve) => {
        timer = setTimeout(() => resolve({ ok: false, why: `no answer within ${PATIENCE} ms` }), PATIENCE);
    });
    try {
        return await Promise.race([(async () => part())(), late]);
    }
    catch (error) {
        return { ok: false, why: reasonOf(error) };
    }
    finally {
        clearTimeout(timer);
    }
}
/** Checks all parts at the same time. `ok` is false if one of `parts` is not ok. */
export async function healthOf({ parts, others = {}, version, role }) {
    const entries = Object.entries({ ...parts, ...others });
    const reports = await Promise.all(entries.map(async ([name, part]) => [name, await ask(part)]));
    const ok = reports.every(([name, report]) => report.ok || !(name in parts));
    return { ok, version, ...(role ? { role } : {}), parts: Object.fromEntries(reports) };
}
/** Checks a part at most once in `ms`, because a real probe costs a write. Other calls share its answer. */
export function keptFor(ms, part) {
    let kept;
    return () => {
        const now = performance.now();
        if (!kept || now - kept.at >= ms)
            kept = { at: now, report: ask(part) };
        return kept.report;
    };
}
export function healthRoutes(app, health) {
    app.get('/healthz', (c) => c.json({ ok: true, version: health.version }));
    app.get('/readyz', async (c) => {
        const report = await healthOf(health);
        return c.json(report, report.ok ? 200 : 503);
    });
    const { metrics } = health;
    if (metrics)
        app.get('/metrics', async (c) => {
            const { text, contentType } = await metrics();
            return c.body(text, 200, { 'Content-Type': contentType });
        });
}
//# sourceMappingURL=health.js.map