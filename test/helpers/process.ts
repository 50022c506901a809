// The real program as a child process: its output line by line, its end, and signals.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bound } from './bound.js';
import { until } from './until.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface Program {
  readonly child: ChildProcess;
  readonly stdout: string[];
  readonly stderr: string[];
  /** Standard output lines that are JSON objects. */
  json(): Record<string, unknown>[];
  until(what: string, condition: () => boolean, timeoutMs?: number): Promise<void>;
  kill(signal?: NodeJS.Signals): void;
  /** Exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
}

/** A folder that is the working directory of the program, without any settings of the machine. */
export async function workFolder(): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-e2e-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Starts `dist/main.js` with only the given environment (and PATH). */
export function startProgram(
  args: readonly string[],
  options: {
    cwd: string;
    env?: Record<string, string>;
    input?: string;
    keepStdin?: boolean;
    /** Another build. */
    main?: string;
  },
): Program {
  const child = spawn(...bound(process.execPath, [options.main ?? MAIN, ...args]), {
    cwd: options.cwd,
    env: { PATH: process.env.PATH ?? '', HOME: options.cwd, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command may end before it has read everything.
  child.stdin?.on('error', () => undefined);
  if (options.input !== undefined) child.stdin?.write(options.input);
  if (!options.keepStdin) child.stdin?.end();
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  let over = false;
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      over = true;
      resolve(code ?? signal ?? 'unknown');
    });
  });
  return {
    child,
    stdout,
    stderr,
    json: () => stdout.flatMap(parsed),
    async until(what, condition, timeoutMs = 20_000) {
      try {
        await until(() => condition() || over, { timeoutMs, what });
      } catch (error) {
        throw new Error(`${error}\n${tail(stdout)}\n${tail(stderr)}`);
      }
      if (!condition())
        throw new Error(`the program ended before: ${what}\n${tail(stdout)}\n${tail(stderr)}`);
    },
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    ended,
  };
}

function tail(lines: readonly string[]): string {
  return lines.slice(-15).join('\n');
}

function parsed(line: string): Record<string, unknown>[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line)];
  } catch {
    // A line cut in half by SIGKILL.
    return [];
  }
}

function collect(stream: NodeJS.ReadableStream | null): string[] {
  const lines: string[] = [];
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  stream?.on('end', () => {
    if (rest !== '') lines.push(rest);
  });
  return lines;
}
