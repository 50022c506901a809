// What runs here: the first question of every bug report.
import { arch, platform, release } from 'node:os';
import { type Check, fail, ok, warn } from './check.js';

/** Least version by package.json's engines. */
const LEAST = [20, 19] as const;

export const versionsCheck: Check = {
  name: 'versions',
  async run({ context }) {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const here = `jobcrier ${context.version}, Node ${process.versions.node}, ICU ${process.versions.icu}, ${platform()} ${release()} ${arch()}`;
    if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1]))
      return [fail(here, `use Node ${LEAST.join('.')} or newer`)];
    // Odd versions get no care beyond half a year.
    if (major % 2 === 1)
      return [warn(here, 'use an even version of Node: odd ones are soon without security fixes')];
    return [ok(here)];
  },
};
