// Who holds a lease, told so exactly that another process on the same machine can see whether that holder still
// lives. A process id alone does not: ids are reused, and in two containers both are process 1.
import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Role } from '../domain/role.js';

/** `boot`, `pidSpace` and `started` are empty where the system does not tell (anything but Linux). */
export interface ProcessIdentity {
  readonly host: string;
  readonly boot: string;
  /** The namespace that the process id is counted in: process 1 of another container is another process. */
  readonly pidSpace: string;
  readonly pid: number;
  /** Clock ticks after boot; with the id it names a process for good. */
  readonly started: string;
  /** Of this lease object, so that two in one process are told apart. */
  readonly nonce: string;
  /** Milliseconds since the epoch, for people. */
  readonly since: number;
  /** Only where processes share the store, over a queue. */
  readonly role?: Role;
  /** Turns taken so far, told by those that share the store. */
  readonly turns?: number;
}

export async function identifyProcess(now: number): Promise<ProcessIdentity> {
  const text = (path: string) => readFile(path, 'utf8').then(trim, () => '');
  return {
    host: hostname(),
    boot: await text('/proc/sys/kernel/random/boot_id'),
    pidSpace: await readlink('/proc/self/ns/pid').catch(() => ''),
    pid: process.pid,
    started: (await startOf(process.pid)) ?? '',
    nonce: randomBytes(6).toString('hex'),
    since: now,
  };
}

/** True only when that process has certainly ended; another host's or container's can't be judged from here. */
export async function isDead(other: ProcessIdentity, self: ProcessIdentity): Promise<boolean> {
  if (other.host !== self.host || other.boot !== self.boot || other.pidSpace !== self.pidSpace) return false;
  if (self.started !== '') return (await startOf(other.pid)) !== other.started;
  try {
    process.kill(other.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

export function describeHolder(holder: string): string {
  const other = readIdentity(holder);
  if (!other) return 'another process';
  return `process ${other.pid} on ${other.host} (since ${new Date(other.since).toISOString()})`;
}

export function readIdentity(holder: string): ProcessIdentity | undefined {
  try {
    const value = JSON.parse(holder) as Partial<ProcessIdentity>;
    return typeof value.pid === 'number' && typeof value.since === 'number'
      ? (value as ProcessIdentity)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Start of a running process; undefined when there is none, or only its unreaped remains (proc(5), stat). */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name in parentheses may hold anything, so fields are counted from behind it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return fields[19];
}

function trim(text: string): string {
  return text.trim();
}
