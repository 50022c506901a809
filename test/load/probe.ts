// Measures the running service from outside: memory after a full collection (through the inspector, so that
// uncollected garbage does not look like a leak), open handles, and the size of the store's files.
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { Program } from '../helpers/process.js';
import { until } from '../helpers/until.js';

/** Makes a program open its inspector on a free port of 127.0.0.1. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

export interface Inspector {
  /** Collects all garbage and waits for it. */
  collect(): Promise<void>;
  /** A program under inspection waits for this before it ends. */
  close(): void;
}

/** Connects to a program started with {@link INSPECTED}. */
export async function inspect(program: Program): Promise<Inspector> {
  const address = () => /Debugger listening on (ws:\S+)/u.exec(program.stderr.join('\n'))?.[1];
  await program.until('the inspector', () => address() !== undefined);
  const socket = new WebSocket(String(address()));
  const answered = new Set<number>();
  socket.on('message', (data) => answered.add(JSON.parse(String(data)).id));
  await new Promise((resolve, reject) => socket.once('open', resolve).on('error', reject));
  let last = 0;
  return {
    async collect() {
      const id = ++last;
      socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
      await until(() => answered.delete(id), { timeoutMs: 60_000, what: 'the collection of garbage' });
    },
    close: () => socket.close(),
  };
}

/** The address of the program's metrics, after its pages have started. */
export async function metricsOf(program: Program): Promise<string> {
  const up = () => program.json().find(({ msg }) => msg === 'web pages are up');
  await program.until('the pages', () => up() !== undefined);
  return `${String(up()?.url)}/metrics`;
}

/** Reads metrics by name; those with labels as their sum, or as the sum of the lines that contain `label`. */
export type Figures = (name: string, label?: string) => number;

export async function readFigures(url: string): Promise<Figures> {
  const answer = await fetch(url);
  const lines = (await answer.text()).split('\n');
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return (name, label = '') =>
    lines
      .filter((line) => line.startsWith(`${name} `) || (line.startsWith(`${name}{`) && line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** Open handles of a process: each as its number and what the kernel calls it, so a socket differs from the next one. */
export async function openHandles(pid: number): Promise<ReadonlySet<string>> {
  const dir = `/proc/${pid}/fd`;
  const names = await readdir(dir);
  // One that was closed since the folder was read has no link.
  const handles = names.map((name) =>
    readlink(join(dir, name)).then(
      (link) => `${name} ${link}`,
      () => undefined,
    ),
  );
  return new Set((await Promise.all(handles)).filter((handle) => handle !== undefined));
}

/** Highest resident memory so far, in bytes. */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/mu.exec(status)?.[1]) * 1024;
}

/** The kernel counts CPU time in steps of this, milliseconds (USER_HZ). */
const TICK_MS = 10;

/** CPU time of a process so far, milliseconds. */
export async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** CPU time of a process and of all that it started, those that ended included; milliseconds. */
export async function cpuOfAll(pid: number): Promise<number> {
  const stat = async (of: string) =>
    (await readFile(`/proc/${of}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ') ?? [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  let ticks = 0;
  for (const one of pids) {
    const fields = await stat(one);
    if (one !== String(pid) && fields[1] !== String(pid)) continue;
    const times = one === String(pid) ? fields.slice(11, 15) : fields.slice(11, 13);
    ticks += times.reduce((sum, field) => sum + Number(field), 0);
  }
  return ticks * TICK_MS;
}

/** In bytes; 0 for a missing file. */
export function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
