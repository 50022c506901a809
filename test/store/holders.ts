// Real processes that hold a lease: the built store, run by plain Node.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bound } from '../helpers/bound.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';

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

export async function startHolder(url: string, key: string, ttlMs: number): Promise<Holder> {
  const script = fileURLToPath(new URL('holder.mjs', import.meta.url));
  const child = spawn(...bound(process.execPath, [script, url, key, String(ttlMs)]), {
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
