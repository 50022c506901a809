// Real processes that hold a lease: the store is compiled once into a temporary folder and run by plain Node.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Compiles the store and `more` files; returns the folder. */
export async function compileStore(...more: readonly string[]): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-compiled-'));
  const out = join(dir, 'src');
  await mkdir(out);
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  const flags =
    '--module nodenext --target es2023 --types node --skipLibCheck --rootDir src --ignoreConfig'.split(' ');
  const args = [...flags, '--outDir', out, 'src/store/index.ts', ...more];
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: ROOT, stdio: 'inherit' });
  return out;
}

export interface Holder {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly lines: Record<string, unknown>[];
  /** Sends a command and waits for its answer. */
  ask(command: string): Promise<unknown>;
  send(command: string): void;
  /** Sends the signal. If the signal ends the process, waits until it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

export async function startHolder(sources: string, url: string, key: string, ttlMs: number): Promise<Holder> {
  const script = fileURLToPath(new URL('holder.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, sources, url, key, String(ttlMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const holder: Holder = {
    pid: child.pid ?? 0,
    child,
    lines,
    send: (command) => void child.stdin.write(`${command}\n`),
    async ask(command) {
      const before = lines.length;
      child.stdin.write(`${command}\n`);
      const answer = await until(() => lines.slice(before).find((line) => command in line), {
        what: `an answer to ${command}`,
      });
      return answer[command];
    },
    async end(signal) {
      child.kill(signal);
      // A stopped process can only be ended by SIGKILL.
      await gone;
    },
  };
  later(() => holder.end('SIGKILL'));
  await until(() => lines.some((line) => 'ready' in line), { what: 'the holder to be ready' });
  return holder;
}
