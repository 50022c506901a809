// Makes store and service follow config/subscriptions.yaml, at the start and on SIGHUP.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.js';
import { UserError } from './domain/errors.js';
import type { Pipeline } from './pipeline/context.js';
import { applyChange, reconcile } from './pipeline/roster.js';
import type { Scheduler } from './pipeline/scheduler.js';
import { parseSubscriptions } from './subscriptions-file.js';
import { entryContext } from './wiring/sinks.js';

/** Reads config/subscriptions.yaml (or `given`), when there is one, and makes store and service follow it. */
export async function takeFile(
  p: Pipeline,
  scheduler: Scheduler,
  config: Config,
  given?: string,
): Promise<void> {
  const text =
    given ?? (await readFile(join(config.dirs.config, 'subscriptions.yaml'), 'utf8').catch(absent));
  const entries =
    text === undefined ? [] : parseSubscriptions(text, entryContext(p.sinks, config, 'file', p.clock.now()));
  for (const change of await reconcile(p, entries)) await applyChange(p, scheduler, change);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw new UserError(`config/subscriptions.yaml can't be read (${error.code}).`, 2);
}
