// `jobcrier demo`: runs the whole program on sample data, without settings and with loopback as the only network. It has
// a board whose file keeps growing, the service, cards on the console, and a weekly digest whose week lasts a minute.

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../app.js';
import { createBoard } from '../board/server.js';
import { type Config, loadConfig } from '../config.js';
import { defined } from '../domain/defined.js';
import { UserError } from '../domain/errors.js';
import { withFileFaults } from '../domain/file-fault.js';
import type { Sink } from '../ports/sink.js';
import type { Templates } from '../render/templates.js';
import { parseAddress } from '../sinks/email/address.js';
import { composeEdition } from '../sinks/email/compose.js';
import { toEml } from '../sinks/email/message.js';
import { openTemplates } from '../wiring/templates.js';
import type { Command, CommandContext } from './context.js';

/** The file that a demo writes first, by which its folder is recognised. */
const MARK = 'tokens.json';
const FIRST_MS = 4_000;
const EVERY_MS = 6_000;
/** Number of new postings that come quickly. Later ones come slowly, so that a demo left running does not fill the disk. */
const QUICK = 30;

/** Runs until Ctrl-C, then resolves with 0. Leaves only the folder `demo` in DATA_DIR. */
export const demoCommand: Command<object> = async (_options, context) => {
  const { io, signal, cwd, env } = context;
  const dir = resolve(cwd, env.DATA_DIR?.trim() || 'data', 'demo');
  await withFileFaults('write', dir, async () => {
    await refuseOthers(dir);
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true });
  });
  const jobsFile = join(dir, 'jobs.json');
  const tokensFile = join(dir, MARK);
  const token = `demo-${randomBytes(12).toString('hex')}`;
  await writeFile(tokensFile, JSON.stringify([{ token, permissions: ['jobs:read'], partner: 'demo' }]), {
    mode: 0o600,
  });
  const arrivals = await prepareArrivals(join(context.programDir, 'config'), jobsFile, context.clock.now());
  // Logs only warnings, because the demo shows its output on the console.
  const log = context.log('stderr', 'warn');
  const board = await createBoard({ jobsFile, tokensFile, host: '127.0.0.1', port: 0, log });
  const config = demoConfig(context, dir, board.url, token);
  const mailbox = createMailbox({
    templates: await openTemplates(config, log),
    dir: join(dir, 'mail'),
    written: (subject, files) => {
      io.say(`\n✉  Weekly digest written: “${subject}”`);
      for (const file of files) io.say(`   ${relative(cwd, file)}`);
      io.say('');
    },
  });
  const app = await createApp(config, {
    log,
    stdout: io.stdout,
    subscriptions: subscriptionsOf(context.clock.now()),
    sinks: [mailbox],
  });
  try {
    await app.start();
    io.say(
      `A jobs board with ${arrivals.count} postings runs at ${board.url}; new ones arrive every few seconds.`,
    );
    io.say(
      'Cards appear below as they come; in about a minute the weekly digest follows. Ctrl-C ends the demo.\n',
    );
    await keepPosting(arrivals, signal);
  } finally {
    await app.stop();
    await board.close();
  }
  io.say(`\nEnded. The digests and the demo's store are in ${relative(cwd, dir)}.`);
  return 0;
};

/** Throws a UserError (exit 2) when the folder is not a demo's: the demo empties its folder at the start. */
async function refuseOthers(dir: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0 || names.includes(MARK)) return;
  throw new UserError(
    `${dir} holds files that are not from a demo, so it is not changed; rename it, or set DATA_DIR to another folder.`,
    2,
  );
}

/** The settings of the demo. Of the environment only DATA_DIR is used. */
function demoConfig(context: CommandContext, dir: string, url: string, token: string): Config {
  return loadConfig({
    env: {
      JOBS_API_URL: url,
      JOBS_API_TOKEN: token,
      SECRET_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: dir,
      CONFIG_DIR: join(dir, 'config'),
      TEMPLATES_DIR: join(dir, 'templates'),
      MIN_POLL_SECONDS: '2',
      API_SPACING_MS: '100',
      SOURCE_NAME: 'the demo board',
      HTTP_PORT: '0',
      BACKUP_KEEP: '0',
    },
    cwd: dir,
    programDir: context.programDir,
  });
}

/** Two subscriptions as YAML; the digest's week ends once a minute. `now` is in milliseconds since the epoch. */
function subscriptionsOf(now: number): string {
  const second = new Date(now + 55_000).getSeconds();
  return `
- id: engineering
  filter: { tags: [rust, solidity, zero-knowledge, front-end, devops, backend, defi] }
  schedule: "*/2 * * * * *"
  destinations:
    - { sink: console, cadence: immediate }
- id: weekly
  schedule: "*/3 * * * * *"
  destinations:
    - { sink: email, target: you@example.org, consented: true, cadence: { weekly: monday, at: "09:00", cron: "${second} * * * * *" } }
`;
}

async function keepPosting(arrivals: Arrivals, signal: AbortSignal): Promise<void> {
  for (let told = 0; !signal.aborted; told++) {
    const ms = told === 0 ? FIRST_MS : told < QUICK ? EVERY_MS : EVERY_MS * 10;
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await arrivals.next();
  }
}

// The demo's new postings. The sample jobs are moved to today's date; the first few are held back and then added to the
// board's file one by one.

type Job = Record<string, unknown>;

interface Arrivals {
  /** Jobs on the board from the start. */
  readonly count: number;
  /** Adds one more job on top of the file. */
  next(): Promise<void>;
}

const HELD_BACK = 15;
const LEVELS = ['Senior', 'Staff', 'Lead', 'Principal', 'Interim', 'Deputy'];

/** Moves the dates of a job, in each form that the sample uses, by `shiftMs` milliseconds. */
function redated(job: Job, shiftMs: number): Job {
  const day = (value: string) =>
    new Date(Date.parse(`${value}T00:00:00Z`) + shiftMs).toISOString().slice(0, 10);
  const { postedAt, date, date_epoch } = job;
  return {
    ...job,
    ...defined({
      postedAt: typeof postedAt === 'string' ? day(postedAt) : undefined,
      date: typeof date === 'string' ? new Date(Date.parse(date) + shiftMs).toUTCString() : undefined,
      date_epoch: typeof date_epoch === 'number' ? date_epoch + Math.round(shiftMs / 1000) : undefined,
    }),
  };
}

function newestDay(jobs: readonly Job[]): number {
  const days = jobs.map((job) =>
    typeof job.postedAt === 'string' ? Date.parse(`${job.postedAt}T00:00:00Z`) : 0,
  );
  return Math.max(...days);
}

/** Writes `file` from the program's sample jobs. `now` is in milliseconds since the epoch. */
async function prepareArrivals(sampleDir: string, file: string, now: number): Promise<Arrivals> {
  const sample = JSON.parse(await readFile(join(sampleDir, 'sample-jobs.json'), 'utf8')) as Job[];
  const today = Math.floor(now / 86_400_000) * 86_400_000;
  const jobs = sample.map((job) => redated(job, today - newestDay(sample)));
  // New postings come in the order of the sample file; its first one is easy to understand.
  const news = jobs.slice(0, HELD_BACK);
  let onBoard = jobs.slice(HELD_BACK);
  let told = 0;

  async function write(): Promise<void> {
    // Renames a complete file, so that readers see the old file or the new one, never a part.
    await writeFile(`${file}.new`, JSON.stringify(onBoard));
    await rename(`${file}.new`, file);
  }

  await write();
  return {
    count: onBoard.length,
    async next() {
      const job = news[told % news.length] as Job;
      const round = Math.floor(told / news.length);
      told++;
      const again = round === 0 ? job : renewed(job, round, told);
      onBoard = [again, ...onBoard];
      await write();
    },
  };
}

/** Changes a job for another round through the sample: same company, new id, new title. */
function renewed(job: Job, round: number, told: number): Job {
  const level = LEVELS[(round - 1) % LEVELS.length];
  const id = String(900_000 + told);
  const code = [...Buffer.from(id).toString('base64')].reverse().join('');
  const { apply_url, url, title } = job;
  return {
    ...job,
    id,
    title: `${level} ${String(title).replace(/^(?:Senior|Lead|Junior) /u, '')}`,
    ...defined({
      apply_url: typeof apply_url === 'string' ? apply_url.replace(/\/r\/.*?__/u, `/r/${code}__`) : undefined,
      url: typeof url === 'string' ? url.replace(/\d+$/u, id) : undefined,
    }),
  };
}

// The demo's e-mail sink: composes mails as the real one does, but writes them to a folder where you can open them.

export interface MailboxOptions {
  readonly dir: string;
  readonly templates: Templates;
  readonly written: (subject: string, files: readonly string[]) => void;
}

/** A sink named `email` that writes `<n>-digest.eml` and `<n>-digest.html` into `dir`, then calls `written`. */
function createMailbox({ dir, templates, written }: MailboxOptions): Sink {
  let count = 0;
  return {
    name: 'email',
    parseTarget: parseAddress,
    async deliver(delivery, _target, { guard }) {
      const mail = await composeEdition(delivery, {
        templates,
        from: 'jobcrier demo <demo@example.org>',
        guard,
      });
      await mkdir(dir, { recursive: true });
      const base = join(dir, `${++count}-digest`);
      await writeFile(`${base}.eml`, await toEml(mail));
      await writeFile(`${base}.html`, mail.html);
      written(mail.subject, [`${base}.eml`, `${base}.html`]);
    },
  };
}
