// What every command gets besides its options: the terminal, the settings, a log, and the stop signal. Settings are read
// on demand, because some commands must work without any.
import { secretsOf } from '../config/secrets.js';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
export async function createContext(parts) {
    const { io, env, cwd, programDir, version } = parts;
    const hasTerminal = io.stdout.isTTY || io.stderr.isTTY;
    const prettyStream = hasTerminal ? (await import('pino-pretty')).default : undefined;
    let loaded;
    return {
        ...parts,
        clock: { now: () => Date.now() },
        config(role = 'all', more = {}) {
            if (loaded)
                return loaded;
            loaded = loadConfig({ env, cwd, programDir, role, ...more });
            const { warnings, missingFolders } = loaded;
            for (const warning of warnings)
                if (!missingFolders.includes(warning))
                    io.say(`warning: ${warning}`);
            return loaded;
        },
        log(to, wanted = loaded?.logLevel ?? 'info', config = loaded) {
            const destination = io[to];
            const pretty = destination.isTTY ? prettyStream : undefined;
            const colors = pretty !== undefined && !env.NO_COLOR;
            const secrets = config ? secretsOf(config) : [];
            return createLog({ level: wanted, destination, pretty, colors, version, secrets });
        },
    };
}
//# sourceMappingURL=context.js.map