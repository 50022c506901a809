import { UserError } from '../domain/errors.js';
import { isMassRemoval } from '../pipeline/reconcile.js';
import { massRemoval, noEntries, parseSubscriptions, readSubscriptionsFile } from '../subscriptions-file.js';
import { NO_METRICS, openStore } from '../wiring/store.js';
/** Opens the store for `access`, does the work, and always closes the store. Resolves with the result of `work`. */
export async function withStores(context, access, work) {
    const config = context.config();
    const log = context.log('stderr');
    const { stores, secrets } = await openStore(config, log, context.clock, access);
    try {
        return await work({ config, stores, secrets, log });
    }
    finally {
        await stores.close();
    }
}
/** Calls `work` with the context for reading entries. It makes the sinks that check targets, and closes them afterwards. */
export async function withEntryContext(config, origin, context, work) {
    // Loaded here, because other commands need no sinks and should not wait for them.
    const [{ closeSinks, createSinks }, { entryContext, sinkSettings }] = await Promise.all([
        import('../sinks/index.js'),
        import('../wiring/sinks.js'),
    ]);
    const { clock, io } = context;
    const deps = { log: context.log('stderr'), clock, metrics: NO_METRICS, stdout: io.stdout };
    const sinks = await createSinks(sinkSettings(config), deps);
    try {
        return await work(entryContext(sinks, config, origin, clock.now()));
    }
    finally {
        await closeSinks(sinks.values());
    }
}
/** Reads config/subscriptions.yaml. Throws a UserError (exit 2) with every fault in it. */
export async function readFileEntries(config, context) {
    const { file, text } = await readSubscriptionsFile(config.dirs.config);
    const entries = text === undefined
        ? undefined
        : await withEntryContext(config, 'file', context, (reading) => parseSubscriptions(text, reading, file));
    return { file, text, entries };
}
/** Why the next start would not apply the file in full, in words; undefined when it would. */
export async function fileProblem({ file, text, entries }, stores) {
    const known = await stores.subscriptions.idsFromFile();
    if (!entries)
        return known.length > 0 ? noEntries(file, text, known.length) : undefined;
    const named = new Set(entries.map(({ id }) => id));
    const gone = known.filter((id) => !named.has(id)).length;
    return isMassRemoval(gone, known.length) ? massRemoval(file, gone, known.length) : undefined;
}
/** The hint that there is no store, perhaps because the settings name the wrong place; undefined when there is one. */
export function noStoreYet({ absent }) {
    return (absent &&
        `There is no store yet ${absent}; the first start or "jobcrier subscriptions add" makes it. STORE_URL and DATA_DIR say where it is.`);
}
/** The message for a store without subscriptions. */
export function noneYet(stores) {
    return noStoreYet(stores) ?? 'There is no subscription yet; "jobcrier subscriptions add" makes one.';
}
/** Prints a warning when the setting names a folder that does not exist; for commands that read from that folder. */
export function warnOfFolder(name, context) {
    for (const warning of context.config().missingFolders)
        if (warning.startsWith(`${name}:`))
            context.io.say(`warning: ${warning}`);
}
/** Returns the subscription. Throws a UserError that names the nearest id when there is none. */
export async function mustGet(stores, id) {
    const found = await stores.subscriptions.get(id);
    if (found)
        return found;
    const { closest } = await import('fastest-levenshtein');
    const ids = [];
    for await (const one of stores.subscriptions.list())
        ids.push(one.id);
    const hint = ids.length === 0
        ? `. ${noneYet(stores)}`
        : `; did you mean ${closest(id, ids)}? "jobcrier subscriptions list" shows all.`;
    throw new UserError(`There is no subscription "${id}"${hint}`);
}
//# sourceMappingURL=session.js.map