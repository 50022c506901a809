// Shows the versions of jobcrier, Node and the system, which every bug report needs, and checks the version of Node.
import { arch, platform, release } from 'node:os';
import { type Check, fail, ok, warn } from './check.js';

/** The oldest version that package.json's engines allows. */
const LEAST = [20, 19] as const;

export const versionsCheck: Check = {
  name: 'versions',
  async run({ context }) {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const here = `jobcrier ${context.version}, Node ${process.versions.node}, ICU ${process.versions.icu}, ${platform()} ${release()} ${arch()}`;
    if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1]))
      return [fail(here, `use Node ${LEAST.join('.')} or newer`)];
    // Odd versions get fixes for about half a year only.
    if (major % 2 === 1)
      return [warn(here, 'use an even version of Node: odd ones are soon without security fixes')];
    return [ok(here)];
  },
};
