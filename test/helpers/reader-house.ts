// The whole service in the test's process, for readers of mails who follow their links: a board, a mail server, a
// store in a temporary folder, and one account with a working token.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Email } from 'postal-mime';
import { type App, createApp } from '../../src/app.js';
import type { Job } from '../../src/board/job.js';
import { loadConfig } from '../../src/config.js';
import { secret } from '../../src/domain/secret.js';
import { startBoard, type TestBoard } from './board.js';
import { keptLog, parseMail } from './mail.js';
import { ONLY_ON_REQUEST, pollAll } from './polled.js';
import { type SmtpStand, startSmtp } from './smtp.js';
import { until } from './until.js';

export interface Reader {
  readonly account: string;
  readonly address: string;
}

export const READER: Reader = { account: 'discord:1001', address: 'reader@example.org' };
/** The address in the links of mails; requests to it go to the real address of the service. */
export const PAGES = 'https://crier.example.org';

export function rustJob(n: number, fields: Partial<Job> = {}): Job {
  return {
    id: String(n),
    title: `Rust Engineer ${n}`,
    company: `Firm ${n}`,
    location: 'Berlin, Germany',
    remote: true,
    tags: ['rust'],
    salary: '$100k - 140k',
    postedAt: '2026-11-20',
    apply_url: `https://jobs.example/r/x${n}__me?a=1&b=2&c=%C3%BC`,
    url: `https://jobs.example/${n}`,
    ...fields,
  };
}

export interface ReaderHouse {
  readonly app: App;
  readonly board: TestBoard;
  readonly smtp: SmtpStand;
  readonly log: ReturnType<typeof keptLog>;
  /** Everything that the service stores is below it. */
  readonly dir: string;
  /** Moves the service's clock. */
  advance(ms: number): void;
  /** The address of a link of a mail, or of a path, in this test. */
  at(link: string): string;
  /** A request as a browser sends it; redirects are not followed. */
  visit(link: string, init?: RequestInit): Promise<Response>;
  /** Presses a button: posts fields to a link. */
  press(link: string, fields?: Record<string, string | readonly string[]>): Promise<Response>;
  /** All mails, or those to one address. */
  mails(to?: string): Promise<readonly Email[]>;
  /** The newest of {@link mails}, once there are at least `count`. */
  mail(count: number, to?: string): Promise<Email>;
  /** Everything stored that concerns a reader, as one text. */
  state(): Promise<string>;
  /** A job on the board, and a poll that sees it. */
  announce(job: Job): Promise<void>;
  /** Polls, and waits until all mails that follow are sent. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** `subscriptions`: the operator's file; `env`: further settings. */
export async function openReaderHouse(
  options: { subscriptions?: string; env?: Record<string, string> } = {},
): Promise<ReaderHouse> {
  const board = await startBoard({ jobs: [rustJob(1), rustJob(2)] });
  const smtp = await startSmtp();
  const dir = await mkdtemp(join(tmpdir(), 'crier-reader-'));
  const log = keptLog();
  await mkdir(join(dir, 'config'));
  if (options.subscriptions)
    await writeFile(join(dir, 'config', 'subscriptions.yaml'), options.subscriptions);
  let offset = 0;
  const config = loadConfig({
    env: {
      JOBS_API_URL: board.url,
      JOBS_API_TOKEN: board.token,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Job crier <digest@crier.example.org>',
      PUBLIC_URL: PAGES,
      HTTP_PORT: '0',
      MIN_POLL_SECONDS: '1',
      API_SPACING_MS: '5',
      SOURCE_NAME: 'Example Jobs',
      BOUNCE_SECRET: 'bounce-secret',
      BACKUP_KEEP: '0',
      ...options.env,
    },
    cwd: dir,
    programDir: fileURLToPath(new URL('../..', import.meta.url)),
  });
  const app = await createApp(config, {
    log,
    stdout: process.stderr as NodeJS.WriteStream,
    clock: { now: () => Date.now() + offset },
    gathers: false,
  });
  await app.start();
  await app.services.setToken(READER.account, secret(board.token));

  const at = (link: string) => app.web.url() + link.replace(PAGES, '');
  const accepted = (to?: string) => smtp.mails.filter((mail) => to === undefined || mail.to.includes(to));
  const mails = (to?: string) => Promise.all(accepted(to).map(({ raw }) => parseMail(raw)));
  async function poll(): Promise<void> {
    // No answer of before serves any more.
    offset += 1000;
    await pollAll(app);
  }
  return {
    app,
    board,
    smtp,
    log,
    dir,
    at,
    mails,
    advance(ms) {
      offset += ms;
    },
    visit: (link, init) => fetch(at(link), { redirect: 'manual', ...init }),
    press(link, fields = {}) {
      const body = new URLSearchParams();
      for (const [name, value] of Object.entries(fields))
        for (const one of typeof value === 'string' ? [value] : value) body.append(name, one);
      return fetch(at(link), { method: 'POST', body, redirect: 'manual' });
    },
    async mail(count, to) {
      await until(() => accepted(to).length >= count, { what: `mail number ${count}`, timeoutMs: 20_000 });
      return (await mails(to)).at(-1) as Email;
    },
    async state() {
      const { accounts, subscriptions, misc } = app.pipeline.stores;
      const all: unknown[] = [];
      for await (const account of accounts.list()) all.push(account);
      for await (const subscription of subscriptions.list()) all.push(subscription);
      // The service stores the time now and then, so that it notices a clock that is set back.
      for await (const entry of misc.entries()) if (entry[0] !== 'clock') all.push(entry);
      return JSON.stringify(all.map((one) => JSON.stringify(one)).sort());
    },
    async announce(job) {
      await board.addJob(job);
      await poll();
    },
    async settled() {
      await poll();
      const { lanes } = app.pipeline.stores;
      await until(async () => (await lanes.load('deliver:email')).due === 0, {
        what: 'all mails to be sent',
      });
    },
    async close() {
      await app.stop();
      await smtp.close();
      await board.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

let readers = 0;

/** A reader with a working token whom no other test knows, so that tests can share a house. */
export async function newReader({ app, board }: ReaderHouse): Promise<Reader> {
  readers++;
  const reader = { account: `discord:${2000 + readers}`, address: `reader-${readers}@example.org` };
  await app.services.setToken(reader.account, secret(board.token));
  return reader;
}

/** Gives an account a confirmed address and a subscription to it, as Discord's commands would. */
export async function subscribeReader(
  house: ReaderHouse,
  more: { cadence?: unknown; filter?: unknown; reader?: Reader } = {},
): Promise<string> {
  const { account, address } = more.reader ?? READER;
  const caller = { account, locale: 'en' };
  await house.app.services.mail?.setAddress(account, address, 'en');
  await house.press(confirmLink(await house.mail(1, address)));
  const { report } = await house.app.services.subscribe(caller, {
    filter: more.filter ?? { tags: ['rust'] },
    schedule: ONLY_ON_REQUEST,
    timezone: 'Europe/Berlin',
    destination: { sink: 'email', target: address, cadence: more.cadence ?? 'immediate' },
  });
  return report.subscription.id;
}

export function confirmLink(mail: Email): string {
  return new RegExp(`${PAGES}/confirm/[\\w-]+`, 'u').exec(mail.text ?? '')?.[0] ?? '';
}

/** The links of a mail's pages by their first path segment, and the one of its list header. */
export function pageLinks(mail: Email): Record<string, string> {
  const found = [...(mail.html ?? '').matchAll(/href="([^"]+)"/gu)].map((match) =>
    (match[1] as string).replaceAll('&amp;', '&'),
  );
  const pages = found.filter((link) => link.startsWith(PAGES));
  return Object.fromEntries(
    pages.map((link) => [link.slice(PAGES.length + 1).split('/')[0] as string, link]),
  );
}

/** The address of a page's form or link of a kind. */
export function linkOn(html: string, path: string): string {
  return new RegExp(`(?:action|href)="(/${path}/[^"]+)"`, 'u').exec(html)?.[1] ?? '';
}
