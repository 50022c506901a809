// The whole service in the test's process, for its operator: a board, a webhook receiver, the real log, and the pages
// behind ADMIN_TOKEN.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type App, createApp } from '../../src/app.js';
import { createContext } from '../../src/cli/context.js';
import { serviceChecks } from '../../src/cli/doctor/doctor.js';
import { createIo } from '../../src/cli/io.js';
import { loadConfig } from '../../src/config.js';
import { type AppLog, createLog } from '../../src/log.js';
import { startBoard, type TestBoard } from './board.js';
import { pollAll } from './polled.js';
import { rustJob } from './reader-house.js';
import { type Receiver, startReceiver } from './webhook-receiver.js';

export const ADMIN_TOKEN = 'operators-own-secret-0123456789';

export interface OperatorHouse {
  readonly app: App;
  readonly board: TestBoard;
  readonly receiver: Receiver;
  readonly log: AppLog;
  /** Lines the log wrote. */
  readonly lines: string[];
  advance(ms: number): void;
  /** Polls every subscription now. */
  poll(): Promise<void>;
  visit(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a form. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** Signs in; returns the cookie as a request sends it. */
  signIn(): Promise<string>;
  /** A page after signing in. */
  page(path: string, cookie: string): Promise<string>;
  close(): Promise<void>;
}

/** Subscriptions: `hook` to the receiver; `subscriptions` adds entries of the file's form. */
export async function openOperatorHouse(
  options: { subscriptions?: string; env?: Record<string, string> } = {},
): Promise<OperatorHouse> {
  const board = await startBoard({ jobs: [rustJob(1), rustJob(2)] });
  const receiver = await startReceiver();
  const dir = await mkdtemp(join(tmpdir(), 'crier-operator-'));
  await mkdir(join(dir, 'config'));
  await writeFile(
    join(dir, 'config', 'subscriptions.yaml'),
    `- id: hook
  filter: { tags: [rust] }
  schedule: "* * * * * *"
  destinations: [{ sink: webhook, target: "${receiver.url}", cadence: immediate }]
${options.subscriptions ?? ''}`,
  );
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ level: 'info', destination, version: '9.9.9' });
  let offset = 0;
  const surroundings = {
    env: {
      JOBS_API_URL: board.url,
      JOBS_API_TOKEN: board.token,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ADMIN_TOKEN,
      HTTP_PORT: '0',
      MIN_POLL_SECONDS: '1',
      API_SPACING_MS: '5',
      SOURCE_NAME: 'Example Jobs',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      BACKUP_KEEP: '0',
      ...options.env,
    },
    cwd: dir,
    programDir: fileURLToPath(new URL('../..', import.meta.url)),
  };
  const config = loadConfig(surroundings);
  const context = await createContext({
    ...surroundings,
    io: createIo(process),
    signal: new AbortController().signal,
    version: '9.9.9',
  });
  const app = await createApp(config, {
    log,
    stdout: process.stderr as NodeJS.WriteStream,
    clock: { now: () => Date.now() + offset },
    gathers: false,
    version: '9.9.9',
    checks: serviceChecks(context),
  });
  await app.start();

  const visit: OperatorHouse['visit'] = (path, init) =>
    fetch(app.web.url() + path, { redirect: 'manual', ...init });
  const post: OperatorHouse['post'] = (path, fields, headers = {}) =>
    visit(path, { method: 'POST', body: new URLSearchParams(fields), headers });

  return {
    app,
    board,
    receiver,
    log,
    lines,
    visit,
    post,
    advance(ms) {
      offset += ms;
    },
    async poll() {
      // No answer of before serves any more.
      offset += 1000;
      await pollAll(app);
    },
    async signIn() {
      const answer = await post('/admin/sign-in', { token: ADMIN_TOKEN });
      return (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
    },
    page: async (path, cookie) => (await visit(path, { headers: { cookie } })).text(),
    async close() {
      await app.stop();
      await receiver.close();
      await board.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The CSRF token in every form of a page. */
export function csrfOf(page: string): string {
  return /name="csrf" value="([^"]+)"/u.exec(page)?.[1] ?? '';
}
