// Updates the store from config/subscriptions.yaml, at the start and on SIGHUP. The service then follows the store.
import type { Config } from './config.js';
import type { Pipeline } from './pipeline/context.js';
import { type Reconciled, reconcile } from './pipeline/reconcile.js';
import { massRemoval, noEntries, parseSubscriptions, readSubscriptionsFile } from './subscriptions-file.js';
import { entryContext } from './wiring/sinks.js';

/** What changed in the store. `problem`: why the file was not applied in full, in words. */
export interface FileReport extends Reconciled {
  readonly problem?: string;
}

/**
 * Reads config/subscriptions.yaml (or `given`) and updates the store from it. A file that is absent or empty changes
 * nothing: its former subscriptions continue. Throws a UserError (exit 2) when the file can't be read or has faults.
 */
export async function takeFile(p: Pipeline, config: Config, given?: string): Promise<FileReport> {
  const known = await p.stores.subscriptions.idsFromFile();
  const { file, text } = await readSubscriptionsFile(config.dirs.config);
  const said = given ?? text;
  const now = p.clock.now();
  const entries =
    said === undefined
      ? undefined
      : parseSubscriptions(said, entryContext(p.sinks, config, 'file', now), file);
  if (!entries) {
    const problem = known.length > 0 ? noEntries(file, said, known.length) : undefined;
    if (problem) p.log.warn({ kept: known.length }, problem);
    return {
      added: [],
      changed: [],
      removed: [],
      kept: known,
      heldBack: [],
      ...(problem ? { problem } : {}),
    };
  }
  const report = await reconcile(p.stores, entries, { now });
  const { added, changed, removed, kept, heldBack } = report;
  if (known.length > 0 || entries.length > 0)
    p.log.info({ added, changed, removed, kept: kept.length }, 'subscriptions file taken up');
  if (heldBack.length === 0) return report;
  const problem = massRemoval(file, heldBack.length, kept.length + changed.length);
  p.log.warn({ heldBack }, problem);
  return { ...report, problem };
}
