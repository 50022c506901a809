// The shipped program with every sink, between real services: the board with a front before it, a channel and a
// person of the local Discord, a mail server with a login, a webhook receiver, and its own pages.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Email } from 'postal-mime';
import type { Job } from '../../src/board/job.js';
import { startBoard, type TestBoard, type TestToken } from './board.js';
import { type Discord, startDiscord } from './discord/start-discord.js';
import type { DiscordUser } from './discord/user-actions.js';
import type { GuildHandle } from './discord/world.js';
import { type Front, startFront } from './front.js';
import { parseMail } from './mail.js';
import { type Program, startProgram, workFolder } from './process.js';
import { linkOn, PAGES, pageLinks } from './reader-house.js';
import { type SmtpStand, startSmtp } from './smtp.js';
import { until } from './until.js';
import { type Receiver, startReceiver } from './webhook-receiver.js';

export const READERS = { now: 'now@example.org', weekly: 'weekly@example.org' } as const;

/** A week of two seconds. */
const WEEKLY = '{ weekly: monday, at: "09:00", cron: "*/2 * * * * *" }';

interface Started {
  readonly args: readonly string[];
  readonly program: Program;
}

export interface FullHouse {
  readonly board: TestBoard;
  /** A server before the board, whose answers the program gets. */
  readonly front: Front;
  readonly receiver: Receiver;
  readonly discord: Discord;
  readonly guild: GuildHandle;
  /** A person who may manage the guild's channels. */
  readonly user: DiscordUser;
  readonly smtp: SmtpStand;
  readonly dir: string;
  /** Everything that was started, oldest first. */
  readonly started: readonly Started[];
  start(args: readonly string[], more?: { env?: Record<string, string>; input?: string }): Program;
  /** Runs a command to its end; its output as one text. */
  command(
    args: readonly string[],
    more?: { env?: Record<string, string>; input?: string },
  ): Promise<{ readonly code: number | string; readonly text: string }>;
  /** Stops with SIGTERM; returns the exit code. */
  stop(program: Program): Promise<number | string>;
  mails(reader?: keyof typeof READERS): Promise<readonly Email[]>;
  /** A page of a running service: a path, or a link of a mail. */
  visit(program: Program, link: string, init?: RequestInit): Promise<Response>;
  /** The pages of the newest weekly mail: the edition in the browser and its reader's feed. */
  readerPages(program: Program): Promise<{ readonly edition: string; readonly feed: string }>;
  /** The operator's pages, signed in. */
  adminPages(program: Program, token: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface FullHouseOptions {
  readonly tokens: readonly TestToken[];
  readonly jobs: readonly Job[];
  /** The token of the subscription `all`; of everything when left out. */
  readonly filter?: object;
  /** Lines of further destinations of the subscription `all`. */
  readonly extra?: readonly string[];
  readonly env?: Record<string, string>;
  readonly mailPassword?: string;
}

/** The subscription `all` belongs to the operator, whose token is the first. */
export async function openFullHouse(options: FullHouseOptions): Promise<FullHouse> {
  const { tokens, jobs, mailPassword = 'secret' } = options;
  const board = await startBoard({ jobs, tokens });
  const front = await startFront(board.url);
  const receiver = await startReceiver();
  const discord = await startDiscord({ rateWindowMs: 200 });
  const smtp = await startSmtp({ login: true });
  const { dir, remove } = await workFolder();
  const user = discord.addUser();
  const guild = discord.addGuild({
    channels: [{ name: 'jobs' }, { name: 'digests' }],
    roles: [{ name: 'readers' }],
    members: [{ user, permissions: ['MANAGE_CHANNELS'] }],
  });
  const destinations = [
    '- { sink: console, cadence: immediate }',
    `- { sink: webhook, target: "${receiver.url}", cadence: immediate }`,
    `- { sink: discord, target: "${guild.channel('jobs').id}", cadence: immediate }`,
    `- { sink: discord, target: "${guild.channel('digests').id}", cadence: ${WEEKLY} }`,
    `- { sink: discord, target: "dm:${user.id}", cadence: immediate }`,
    `- { sink: email, target: ${READERS.now}, consented: true, cadence: immediate }`,
    `- { sink: email, target: ${READERS.weekly}, consented: true, cadence: ${WEEKLY} }`,
    ...(options.extra ?? []),
  ];
  await mkdir(join(dir, 'config'));
  await writeFile(
    join(dir, 'config', 'subscriptions.yaml'),
    `- id: all\n  filter: ${JSON.stringify(options.filter ?? {})}\n  schedule: "* * * * * *"\n  destinations:\n    ${destinations.join('\n    ')}\n`,
  );
  const settings = {
    JOBS_API_URL: front.url,
    JOBS_API_TOKEN: board.token,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    SMTP_URL: smtp.url.replace(':secret@', `:${encodeURIComponent(mailPassword)}@`),
    MAIL_FROM: 'Jobs <jobs@crier.example.org>',
    PUBLIC_URL: PAGES,
    HTTP_PORT: '0',
    MIN_POLL_SECONDS: '1',
    API_SPACING_MS: '5',
    LIVE_SCHEDULE: '* * * * * *',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...options.env,
  };
  const started: Started[] = [];

  const house: FullHouse = {
    board,
    front,
    receiver,
    discord,
    guild,
    user,
    smtp,
    dir,
    started,
    start(args, { env, input } = {}) {
      const program = startProgram(args, {
        cwd: dir,
        env: { ...settings, ...env },
        ...(input === undefined ? {} : { input }),
      });
      started.push({ args, program });
      return program;
    },
    async command(args, more) {
      const program = house.start(args, more);
      const code = await program.ended;
      return { code, text: [...program.stdout, ...program.stderr].join('\n') };
    },
    async stop(program) {
      program.kill('SIGTERM');
      return program.ended;
    },
    async mails(reader) {
      const wanted = smtp.mails.filter(({ to }) => !reader || to.includes(READERS[reader]));
      return Promise.all(wanted.map(({ raw }) => parseMail(raw)));
    },
    async visit(program, link, init) {
      const line = () => program.json().find(({ msg }) => msg === 'web pages are up');
      await program.until('the pages', () => line() !== undefined);
      return fetch(`${line()?.url}${link.replace(PAGES, '')}`, { redirect: 'manual', ...init });
    },
    async readerPages(program) {
      const mail = (await house.mails('weekly')).at(-1);
      const { editions = '', preferences = '' } = mail ? pageLinks(mail) : {};
      // An edition is stored after it is settled, a moment after its mail arrived.
      const edition = await until(
        async () => {
          const answer = await house.visit(program, editions);
          return answer.status === 200 ? answer.text() : undefined;
        },
        { what: 'the edition in the browser' },
      );
      const path = linkOn(await (await house.visit(program, preferences)).text(), 'feed');
      // The feed of the reader also lists it a moment later: each posting of the edition is in it.
      const listed = edition.match(/class="posting"/gu)?.length ?? 0;
      const items = (text: string) => text.match(/<item>/gu)?.length ?? 0;
      const feed = await until(
        async () => {
          const text = await (await house.visit(program, path)).text();
          return items(text) >= Math.max(1, listed) ? text : undefined;
        },
        { what: 'the reader feed' },
      );
      return { edition, feed };
    },
    async adminPages(program, token) {
      const body = new URLSearchParams({ token });
      const entry = await house.visit(program, '/admin/sign-in', { method: 'POST', body });
      const cookie = (entry.headers.get('set-cookie') ?? '').split(';')[0] as string;
      const names = ['', '/subscriptions', '/deliveries', '/accounts', '/log'];
      const page = async (name: string) =>
        (await house.visit(program, `/admin${name}`, { headers: { cookie } })).text();
      return Promise.all(names.map(page));
    },
    async close() {
      for (const { program } of started) program.kill('SIGKILL');
      await Promise.all(started.map(({ program }) => program.ended));
      await Promise.all([receiver, discord, smtp, front, board].map((side) => side.close()));
      await remove();
    },
  };
  return house;
}
