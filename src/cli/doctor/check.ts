// The types of `jobcrier doctor`: a check has a name and returns findings.
import type { Config } from '../../config.js';
import type { Finding } from '../../domain/finding.js';
import type { Log } from '../../ports/system.js';
import type { Texts } from '../../render/texts.js';
import type { OpenStores } from '../../store/index.js';
import type { CommandContext } from '../context.js';

/** What checks work with. In `config` faulty settings count as not set, so that they hide no other problem. */
export interface CheckEnv {
  readonly config: Config;
  readonly context: CommandContext;
  readonly log: Log;
  /** What findings say, in the language of their reader. */
  readonly words: Texts['doctor'];
  /** The store, opened once for all checks and read-only; undefined when there is no store yet or it can't be opened. */
  stores(): Promise<OpenStores | undefined>;
  /** Why the store could not be opened, in words; undefined when it could. */
  storeTrouble(): Promise<string | undefined>;
}

export interface Check {
  readonly name: keyof Texts['doctor']['names'];
  /** `signal` aborts at the check's time limit. A thrown error counts as a failure of the check. */
  run(env: CheckEnv, signal: AbortSignal): Promise<readonly Finding[]>;
}
