// One command of the program, run to its end: in the test's own process, which is quick, or as the shipped program.
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Job } from '../../src/board/job.js';
import { createCommandLine } from '../../src/cli/command-line.js';
import { createIo } from '../../src/cli/io.js';
import { withFile } from '../../src/store/sqlite/files.js';
import type { TestBoard } from './board.js';
import { later } from './later.js';
import { startProgram, workFolder } from './process.js';

interface Ran {
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
  /** Standard output as JSON. */
  json<T>(): T;
}

export interface How {
  readonly env?: Record<string, string>;
  /** Standard input; empty when left out. */
  readonly input?: string;
  /** Makes standard input a terminal, at which each answer is typed when its question appears; for `run` only. */
  readonly answers?: readonly (readonly [question: RegExp, answer: string])[];
}

export interface Folder {
  readonly dir: string;
  /** In this process; files named on the command line must be absolute. */
  run(args: readonly string[], how?: How): Promise<Ran>;
  /** As a process, from `dist`. */
  spawn(args: readonly string[], how?: How): Promise<Ran>;
}

function ran(code: number | string, out: string, err: string): Ran {
  return { code, out, err, json: () => JSON.parse(out) };
}

function collector(onText: (text: string) => void = () => undefined): {
  stream: NodeJS.WriteStream;
  text(): string;
} {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      onText(String(chunk));
      done();
    },
  });
  return { stream: stream as NodeJS.WriteStream, text: () => chunks.join('').replace(/\n$/u, '') };
}

/** The standard input of a terminal, and what must be called with everything that appears on the screen. */
function typist(answers: NonNullable<How['answers']>) {
  const keys = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...answers];
  let screen = '';
  const onText = (text: string) => {
    screen += text;
    const [next] = left;
    if (!next?.[0].test(screen)) return;
    left.shift();
    screen = '';
    // Typed after the question was written in full.
    setImmediate(() => keys.write(`${next[1]}\r`));
  };
  return { keys, onText };
}

/** A working folder that is removed after the test; every command in it gets `env`. */
export async function cliFolder(env: Record<string, string> = {}): Promise<Folder> {
  const { dir, remove } = await workFolder();
  later(remove);
  return {
    dir,
    async run(args, { env: more, input = '', answers } = {}) {
      const person = answers && typist(answers);
      const [stdout, stderr] = [collector(), collector(person?.onText)];
      const stdin = (person?.keys ?? Readable.from([input])) as NodeJS.ReadStream;
      const line = createCommandLine({
        io: createIo({ stdin, stdout: stdout.stream, stderr: stderr.stream } as Pick<
          NodeJS.Process,
          'stdin' | 'stdout' | 'stderr'
        >),
        env: { PATH: process.env.PATH, HOME: dir, ...env, ...more },
        cwd: dir,
        stopSignal: () => new AbortController().signal,
      });
      const code = await line.run(args);
      return ran(code, stdout.text(), stderr.text());
    },
    async spawn(args, { env: more, ...rest } = {}) {
      const { stdout, stderr, ended } = startProgram(args, { cwd: dir, env: { ...env, ...more }, ...rest });
      return ran(await ended, stdout.join('\n'), stderr.join('\n'));
    },
  };
}

/** Puts a job on the board, and lets the next poll of a folder ask for it: no earlier answer is cached any more. */
export async function appears(board: TestBoard, { dir }: Pick<Folder, 'dir'>, job: Job): Promise<void> {
  await board.addJob(job);
  await withFile(join(dir, 'data', 'jobcrier.sqlite'), (run) => run('DELETE FROM cache'));
}
