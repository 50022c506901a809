// The shipped program between services that fail on demand: one house for all tests that inject a fault from outside.
// Each test sets the destinations and the fault.
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Job } from '../../src/board/job.js';
import { startBoard, type TestBoard } from './board.js';
import { type Front, startFront } from './front.js';
import { later } from './later.js';
import { type Program, startProgram, workFolder } from './process.js';
import { type Receiver, startReceiver } from './webhook-receiver.js';

export function faultJob(id: number, more: Partial<Job> = {}): Job {
  return {
    id: String(id),
    title: `Position ${id}`,
    company: `Firm ${id}`,
    postedAt: '2026-11-20',
    apply_url: `https://jobs.example/r/x${id}?a=1&b=${id}`,
    ...more,
  };
}

/** A server that accepts requests and never answers; `asked` counts them. */
export async function startHole(): Promise<{ url: string; readonly asked: number }> {
  const hole = { url: '', asked: 0 };
  const server = createServer((request) => {
    hole.asked++;
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hole.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hole`;
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return hole;
}

export interface FaultHouse {
  readonly board: TestBoard;
  /** A server before the board, whose answers the program gets. */
  readonly front: Front;
  readonly receiver: Receiver;
  readonly dir: string;
  /** `args`: options of `run`. */
  run(env?: Record<string, string>, ...args: string[]): Program;
  /** Runs one command in the same folder with the same settings; `input` on its standard input. */
  command(
    args: readonly string[],
    env?: Record<string, string>,
    input?: string,
  ): Promise<{ code: number | string; text: string }>;
  /** Titles that the webhook accepted; a repeat under the same id counts once. */
  titles(): string[];
  subscriptions(yaml: string): Promise<void>;
}

/** `extra`: lines of further destinations beside the webhook, each beginning with `- {`. */
export async function faultHouse(
  options: {
    token?: string;
    extra?: readonly string[];
    jobs?: readonly Job[];
    env?: Record<string, string>;
  } = {},
): Promise<FaultHouse> {
  const { token = 'test-token', extra = [], jobs = [faultJob(1)] } = options;
  const board = await startBoard({ jobs, tokens: [{ token }] });
  const front = await startFront(board.url);
  const receiver = await startReceiver();
  const { dir, remove } = await workFolder();
  later(remove);
  later(() => board.close());
  later(() => front.close());
  later(() => receiver.close());
  await mkdir(join(dir, 'config'));
  const subscriptions = (yaml: string) => writeFile(join(dir, 'config', 'subscriptions.yaml'), yaml);
  const destinations = [`- { sink: webhook, target: "${receiver.url}", cadence: immediate }`, ...extra];
  await subscriptions(
    `- id: all\n  schedule: "* * * * * *"\n  destinations:\n    ${destinations.join('\n    ')}\n`,
  );
  const settings = {
    JOBS_API_URL: front.url,
    JOBS_API_TOKEN: token,
    MIN_POLL_SECONDS: '1',
    API_SPACING_MS: '5',
    HTTP_PORT: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...options.env,
  };
  return {
    board,
    front,
    receiver,
    dir,
    subscriptions,
    run(env = {}, ...args) {
      const program = startProgram(['run', ...args], { cwd: dir, env: { ...settings, ...env } });
      later(async () => {
        program.kill('SIGCONT');
        program.kill('SIGKILL');
        await program.ended;
      });
      return program;
    },
    async command(args, env = {}, input = '') {
      const program = startProgram(args, { cwd: dir, env: { ...settings, ...env }, input });
      const code = await program.ended;
      return { code, text: [...program.stdout, ...program.stderr].join('\n') };
    },
    titles() {
      const ids = new Map(receiver.received.map((one) => [one.id, one]));
      return [...ids.values()].flatMap((one) => one.body.data.postings.map(({ title = '' }) => title));
    },
  };
}

export const said = (program: Program, text: string) => () =>
  program.stdout.some((line) => line.includes(text));

/** Waits for a start, which takes long on a busy machine. */
export const baseline = (program: Program) =>
  program.until('the baseline', said(program, '"baseline":true'), 40_000);

/** The address of the program's pages. */
export async function pagesOf(program: Program): Promise<string> {
  await program.until('the pages', said(program, 'web pages are up'));
  return String(program.json().find((line) => line.msg === 'web pages are up')?.url);
}
