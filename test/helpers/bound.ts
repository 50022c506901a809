// Child processes that do not outlive the process of the test, however it ends.
import { existsSync } from 'node:fs';

/** Of util-linux. Without it, a test run that is killed leaves its child processes behind. */
const SETPRIV = '/usr/bin/setpriv';
const isThere = existsSync(SETPRIV);

/**
 * The first two arguments of `spawn` for a child that the kernel kills when the process that started it ends. The child has
 * the process id, the command line and the environment that it would have otherwise.
 */
export function bound(command: string, args: readonly string[]): [string, readonly string[]] {
  return isThere ? [SETPRIV, ['--pdeathsig', 'KILL', command, ...args]] : [command, args];
}
