// The files that a process has loaded, as the process itself reports at its end (NODE_V8_COVERAGE).
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Loaded {
  /** Names of packages. */
  readonly packages: ReadonlySet<string>;
  /** Files of the program below dist/, without their ending: `cli/run`. */
  readonly files: ReadonlySet<string>;
}

/**
 * Environment that makes a process record what it loads, and a function that reads it after the process has ended
 * normally.
 */
export async function recordLoaded(
  dir: string,
): Promise<{ readonly env: Record<string, string>; read(): Promise<Loaded> }> {
  const records = join(dir, 'loaded');
  await mkdir(records, { recursive: true });
  return {
    env: { NODE_V8_COVERAGE: records },
    async read() {
      const packages = new Set<string>();
      const files = new Set<string>();
      for (const name of await readdir(records)) {
        const { result } = JSON.parse(await readFile(join(records, name), 'utf8')) as {
          result: readonly { readonly url: string }[];
        };
        for (const { url } of result) {
          const packaged = /^file:.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(url)?.[1];
          if (packaged) packages.add(packaged);
          const own = /^file:.*\/dist\/(.+)\.js$/u.exec(url)?.[1];
          if (own && !packaged) files.add(own);
        }
      }
      return { packages, files };
    },
  };
}
