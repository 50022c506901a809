// A real board on a free port of 127.0.0.1 with its own files in a temporary folder, for every test that needs the
// jobs API.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '../../src/board/job.js';
import { createBoard } from '../../src/board/server.js';

export interface TestToken {
  token: string;
  permissions?: string[];
  expiresAt?: string;
  rateLimit?: { requests: number; windowSeconds: number };
  partner?: string;
}

interface BoardRequest {
  method: string;
  /** `/api/v1`, `/api/v1.xml` or `other`; never the query. */
  path: string;
  status: number;
}

interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  [field: string]: unknown;
}

export interface TestBoard {
  /** Base address, without a path. */
  url: string;
  /** The first token of the list; `test-token` unless tokens were given. */
  token: string;
  jobsFile: string;
  tokensFile: string;
  /** Every request answered so far, oldest first. */
  requests: BoardRequest[];
  logs: LogLine[];
  /** The address of a listing with token and parameters. */
  address(path: '/api/v1' | '/api/v1.xml', params?: Record<string, string>): string;
  /** Each resolves when the change is served. */
  setJobs(jobs: readonly Job[]): Promise<void>;
  /** Puts the job first in the file, so that it is the newest of its day. */
  addJob(job: Job): Promise<void>;
  setTokens(tokens: readonly TestToken[]): Promise<void>;
  reload(): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_TOKENS: readonly TestToken[] = [{ token: 'test-token', permissions: ['jobs:read'] }];

/** Starts a board. `clock` (milliseconds) decides on expiry and quota; a token without permissions gets `jobs:read`. */
export async function startBoard(options: {
  jobs: readonly Job[];
  tokens?: readonly TestToken[];
  clock?: { now(): number };
  port?: number;
}): Promise<TestBoard> {
  const folder = await mkdtemp(join(tmpdir(), 'jobcrier-board-'));
  const jobsFile = join(folder, 'jobs.json');
  const tokensFile = join(folder, 'tokens.json');
  const requests: BoardRequest[] = [];
  const logs: LogLine[] = [];
  const { tokens = DEFAULT_TOKENS, clock, port = 0 } = options;
  let jobs = options.jobs;

  const note = (level: LogLine['level']) => (fields: object, message: string) => {
    logs.push({ ...fields, level, message });
  };
  const log = {
    // The board logs its answered requests at this level, and nothing else.
    debug: (fields: object) => {
      requests.push(fields as BoardRequest);
    },
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  };

  const writeTokens = (list: readonly TestToken[]) =>
    writeFile(tokensFile, JSON.stringify(list.map((entry) => ({ permissions: ['jobs:read'], ...entry }))));
  await writeFile(jobsFile, JSON.stringify(jobs));
  await writeTokens(tokens);
  const board = await createBoard({
    jobsFile,
    tokensFile,
    host: '127.0.0.1',
    port,
    log,
    ...(clock && { clock }),
  });

  async function setJobs(next: readonly Job[]): Promise<void> {
    jobs = next;
    await writeFile(jobsFile, JSON.stringify(jobs));
    await board.reload();
  }

  async function setTokens(next: readonly TestToken[]): Promise<void> {
    await writeTokens(next);
    await board.reload();
  }

  async function close(): Promise<void> {
    await board.close();
    await rm(folder, { recursive: true, force: true });
  }

  const token = tokens[0]?.token ?? '';
  return {
    url: board.url,
    token,
    jobsFile,
    tokensFile,
    requests,
    logs,
    address: (path, params = {}) => `${board.url}${path}?${new URLSearchParams({ token, ...params })}`,
    setJobs,
    addJob: (job) => setJobs([job, ...jobs]),
    setTokens,
    reload: () => board.reload(),
    close,
  };
}
