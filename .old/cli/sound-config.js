// Checks settings, folders, modules of sinks and the subscriptions file together, and reports all faults together, so
// that you don't have to start again for each one.
import { folderFaults } from '../config/folders.js';
import { loadConfig, requirements } from '../config.js';
import { reasonOf, UserError } from '../domain/errors.js';
import { parseSubscriptions, readSubscriptionsFile } from '../subscriptions-file.js';
import { NO_METRICS } from '../wiring/store.js';
/** Checks everything and returns the settings. Throws one {@link UserError} (exit 2) with a line per fault. */
export async function soundConfig(context, { command, role = 'all', strict = false, log: logOf }) {
    const [{ closeSinks, moduleSinks }, { sinkSettings }, { createFigures }] = await Promise.all([
        import('../sinks/index.js'),
        import('../wiring/sinks.js'),
        import('../wiring/counters.js'),
    ]);
    const { env, cwd, programDir, clock } = context;
    const config = loadConfig({ env, cwd, programDir, role, tolerant: true });
    const faults = [
        ...config.faults,
        ...requirements(config, command).filter((fault) => !isTold(fault, config.faults)),
        ...(await folderFaults(config.dirs.data, config.store.url)),
        ...(strict ? config.missingFolders : []),
    ];
    // Silent when a setting is faulty: it may hold a secret that the log does not know.
    const log = config.faults.length > 0 ? context.log('stderr', 'silent') : logOf(config);
    const figures = createFigures(log, clock);
    const sinks = await moduleSinks(sinkSettings(config), { log, clock, metrics: figures.dailyStats.metrics }, faults);
    try {
        const found = await fileEntries(config, sinks, faults, context);
        if (found && faults.length === 0) {
            for (const warning of config.missingFolders)
                context.io.say(`warning: ${warning}`);
            return { config: context.config(role), log, sinks: [...sinks.values()], figures, found };
        }
        throw new UserError([...faults, ...config.misspelt.map((warning) => `warning: ${warning}`)].join('\n'), 2);
    }
    catch (error) {
        await closeSinks(sinks.values());
        throw error;
    }
}
/** Whether a fault of the same setting is reported already: a faulty setting is not also reported as missing. */
function isTold(fault, told) {
    const name = fault.slice(0, fault.indexOf(':') + 1);
    return told.some((one) => one.startsWith(name));
}
/** Reads the subscriptions file. Returns undefined when it has faults, each added to `faults` as a line. */
async function fileEntries(config, modules, faults, { log, clock, io }) {
    const [{ builtInSinks, closeSinks }, { entryContext, sinkSettings }] = await Promise.all([
        import('../sinks/index.js'),
        import('../wiring/sinks.js'),
    ]);
    // These sinks only check targets; the service makes the ones that deliver, with its store.
    const deps = { log: log('stderr', 'silent'), clock, metrics: NO_METRICS, stdout: io.stdout };
    const builtIn = await builtInSinks(sinkSettings(config), deps);
    const sinks = new Map([...builtIn, ...modules]);
    const reading = entryContext(sinks, config, 'file', clock.now());
    const isExcused = excuse(sinks, [...config.faults, ...faults]);
    const parseTarget = (sink, target) => isExcused(sink) ? String(target) : reading.parseTarget(sink, target);
    try {
        const { file, text } = await readSubscriptionsFile(config.dirs.config);
        const entries = text === undefined ? undefined : parseSubscriptions(text, { ...reading, parseTarget }, file);
        return { file, text, entries };
    }
    catch (error) {
        if (!(error instanceof UserError))
            throw error;
        faults.push(...reasonOf(error).split('\n'));
        return undefined;
    }
    finally {
        await closeSinks(builtIn.values());
    }
}
/** Returns whether a sink is off because of a fault reported already; targets of such a sink are not reported too. */
function excuse(sinks, told) {
    const settings = {
        email: /^(?:SMTP_|MAIL_|DKIM_)/u,
        discord: /^DISCORD_/u,
    };
    return (sink) => !sinks.has(sink) && told.some((fault) => (settings[sink] ?? /^SINKS/u).test(fault));
}
//# sourceMappingURL=sound-config.js.map