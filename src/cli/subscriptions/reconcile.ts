// `jobcrier subscriptions reconcile`: applies config/subscriptions.yaml now. A running service is notified of every
// change.
import { reconcile } from '../../pipeline/reconcile.js';
import { massRemoval, noEntries } from '../../subscriptions-file.js';
import type { CommandContext } from '../context.js';
import { counted } from '../io.js';
import { readFileEntries, warnOfFolder, withStores } from '../session.js';

export interface ReconcileOptions {
  readonly allowRemoval?: boolean;
  readonly json?: boolean;
}

/** Resolves with exit code 1 when the file was not applied in full: it is absent, empty, or would remove too many. */
export async function reconcileCommand(
  { allowRemoval = false, json }: ReconcileOptions,
  context: CommandContext,
): Promise<0 | 1> {
  const { io, clock } = context;
  warnOfFolder('CONFIG_DIR', context);
  const { file, text, entries } = await readFileEntries(context.config(), context);
  return withStores(context, entries ? 'create' : 'look', async ({ stores }) => {
    const known = await stores.subscriptions.idsFromFile();
    const report = entries
      ? await reconcile(stores, entries, { now: clock.now(), allowRemoval })
      : { added: [], changed: [], removed: [], kept: known, heldBack: [] };
    const { added, changed, removed, kept, heldBack } = report;
    if (json) io.json(report);
    else {
      for (const [what, ids] of Object.entries({ added, changed, removed, kept }))
        io.print(`${what}: ${ids.length === 0 ? 'none' : ids.join(', ')}`);
      if (removed.length > 0)
        io.say(
          `${counted(removed.length, 'subscription')} removed; an entry that you put back within 7 days continues where it stopped.`,
        );
    }
    const problem = !entries
      ? noEntries(file, text, known.length)
      : heldBack.length > 0
        ? massRemoval(file, heldBack.length, known.length)
        : undefined;
    if (problem) io.say(`warning: ${problem}.`);
    return problem ? 1 : 0;
  });
}
