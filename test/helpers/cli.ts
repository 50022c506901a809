// One command of the real program, run to its end.
import { afterEach } from 'vitest';
import { startProgram, workFolder } from './process.js';

interface Ran {
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
  /** Standard output as JSON. */
  json<T>(): T;
}

export interface Folder {
  readonly dir: string;
  run(args: readonly string[], more?: { env?: Record<string, string>; input?: string }): Promise<Ran>;
}

const folders: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of folders.splice(0)) await remove();
});

/** A working folder that is removed after the test; `env` goes to every command run in it. */
export async function cliFolder(env: Record<string, string> = {}): Promise<Folder> {
  const { dir, remove } = await workFolder();
  folders.push(remove);
  return {
    dir,
    async run(args, more = {}) {
      const { stdout, stderr, ended } = startProgram(args, {
        cwd: dir,
        env: { ...env, ...more.env },
        ...(more.input === undefined ? {} : { input: more.input }),
      });
      const code = await ended;
      const out = stdout.join('\n');
      return { code, out, err: stderr.join('\n'), json: () => JSON.parse(out) };
    },
  };
}
