// What every user of a Linux machine can see of a process: its command line, its children, and theirs.
import { readdirSync, readFileSync } from 'node:fs';

export interface Seen {
  readonly pid: number;
  readonly commandLine: string;
  readonly environment: string;
}

/** Empty for a process that has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

export function commandLineOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`);
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The children of a process and theirs, at this moment. */
export function childrenOf(pid: number): readonly Seen[] {
  const pids = tasksOf(pid).flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );
  return pids.flatMap((child) => [
    { pid: child, commandLine: commandLineOf(child), environment: read(`/proc/${child}/environ`) },
    ...childrenOf(child),
  ]);
}
