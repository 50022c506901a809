// `jobcrier subscriptions reconcile`: applies config/subscriptions.yaml now. A running service is notified of every
// change.
import { reconcile } from '../../pipeline/reconcile.js';
import { massRemoval, noEntries } from '../../subscriptions-file.js';
import { counted } from '../io.js';
import { readFileEntries, warnOfFolder, withStores } from '../session.js';
/** Resolves with exit code 1 when the file was not applied in full: it is absent, empty, or would remove too many. */
export async function reconcileCommand({ allowRemoval = false, json }, context) {
    const { io, clock } = context;
    warnOfFolder('CONFIG_DIR', context);
    const { file, text, entries } = await readFileEntries(context.config(), context);
    return withStores(context, entries ? 'create' : 'look', async ({ stores }) => {
        const known = await stores.subscriptions.idsFromFile();
        const report = entries
            ? await reconcile(stores, entries, { now: clock.now(), allowRemoval })
            : { added: [], changed: [], removed: [], kept: known, heldBack: [] };
        const { added, changed, removed, kept, heldBack } = report;
        if (json)
            io.json(report);
        else {
            for (const [what, ids] of Object.entries({ added, changed, removed, kept }))
                io.print(`${what}: ${ids.length === 0 ? 'none' : ids.join(', ')}`);
            if (removed.length > 0)
                io.say(`${counted(removed.length, 'subscription')} removed; what is put back within 7 days goes on where it stood.`);
        }
        const problem = !entries
            ? noEntries(file, text, known.length)
            : heldBack.length > 0
                ? massRemoval(file, heldBack.length, known.length)
                : undefined;
        if (problem)
            io.say(`warning: ${problem}.`);
        return problem ? 1 : 0;
    });
}
//# sourceMappingURL=reconcile.js.map