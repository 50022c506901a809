// `jobcrier health`: asks the running service whether it is alive; for containers without curl.
import { UserError } from '../domain/errors.js';
/** With the start of the program, this stays within the five seconds that the image's HEALTHCHECK waits. */
const PATIENCE_MS = 3_500;
/** The host to connect to: an address that means "all interfaces" is only for listening. */
function askable(host) {
    if (host === '0.0.0.0')
        return '127.0.0.1';
    if (host === '::')
        return '[::1]';
    return host.includes(':') ? `[${host}]` : host;
}
/** Resolves with 0 when the service answers with success, else with 1. Throws a UserError when it does not answer. */
export const healthCommand = async ({ ready, json }, context) => {
    const { host, port } = context.config().http;
    if (port === 0)
        throw new UserError('HTTP_PORT: is 0, so the service has a port nobody knows; give it a fixed one.', 2);
    const { io } = context;
    const path = ready ? '/readyz' : '/healthz';
    let answer;
    try {
        const url = `http://${askable(host)}:${port}${path}`;
        answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' });
    }
    catch {
        throw new UserError(`Nothing answers at ${host}:${port}. Is "jobcrier run" running with the same HTTP_HOST and HTTP_PORT?`);
    }
    const said = await answer.json().catch(() => undefined);
    if (json)
        io.json(said ?? { ok: answer.ok });
    else
        for (const line of linesOf(said, answer.ok, ready ? 'ready' : 'alive'))
            io.print(line);
    return answer.ok ? 0 : 1;
};
function linesOf(said, ok, word) {
    const parts = said?.parts ?? {};
    const faulty = Object.entries(parts).filter(([, part]) => !part.ok);
    return [
        ok ? word : `not ${word}`,
        ...faulty.map(([name, part]) => `${name}: ${part.why ?? 'does not work'}`),
    ];
}
//# sourceMappingURL=health.js.map