// The whole path of a weekly digest through the shipped program: an address typed in Discord, the button of the
// confirmation mail, the mail at its slot, a kill at the worst moment, slots that passed while the service was down,
// and one click to unsubscribe.
import { generateKeyPairSync } from 'node:crypto';
import type { Email } from 'postal-mime';
import { expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { startBoard } from '../helpers/board.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { verifyDkim } from '../helpers/dkim.js';
import { later } from '../helpers/later.js';
import { headerOf, parseMail } from '../helpers/mail.js';
import { movedClock } from '../helpers/moved-clock.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { confirmLink, linkOn, PAGES, rustJob } from '../helpers/reader-house.js';
import { startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;
/** 09:00 in Berlin on a Monday of winter time. */
const SLOT = Date.UTC(2026, 10, 30, 8);
const ADDRESS = 'reader@example.org';
const ONE_CLICK = { 'List-Unsubscribe': 'One-Click' };

/** Links that a careless program would decode, encode or shorten. */
const NASTY = [
  'https://jobs.example/r/a__me?a=1&amp;b=2&copy=3',
  'https://jobs.example/r/b__me?q=%C3%BC&r=ü',
  "https://jobs.example/r/c__me?q='x'&y=(z)=",
  `https://jobs.example/r/d__me?long=${'x'.repeat(700)}#frag.`,
];

async function journey() {
  const board = await startBoard({ jobs: [rustJob(1)] });
  const smtp = await startSmtp();
  const discord = await startDiscord();
  const { dir, remove } = await workFolder();
  const user = discord.addUser();
  const guild = discord.addGuild({ channels: [{ name: 'general' }], members: [{ user }] });
  const clock = movedClock(dir);
  clock.set(SLOT - 3 * 24 * HOUR);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  later(
    remove,
    () => board.close(),
    () => smtp.close(),
    () => discord.close(),
  );

  function run(env: Record<string, string> = {}): Program {
    const program = startProgram(['run'], {
      cwd: dir,
      env: {
        JOBS_API_URL: board.url,
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        SMTP_URL: smtp.url,
        MAIL_FROM: 'Job crier <digest@crier.example.org>',
        DKIM_DOMAIN: 'crier.example.org',
        DKIM_SELECTOR: 'jc',
        DKIM_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
        PUBLIC_URL: PAGES,
        SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
        MIN_POLL_SECONDS: '1',
        LIVE_SCHEDULE: '* * * * * *',
        API_SPACING_MS: '5',
        HTTP_PORT: '0',
        ...clock.env,
        ...env,
      },
    });
    later(async () => {
      program.kill('SIGKILL');
      await program.ended;
    });
    return program;
  }

  return {
    board,
    smtp,
    clock,
    publicKey,
    run,
    slash: (command: string, options: Record<string, string> = {}) =>
      user.slash(command, options, { guild }).reply(),
    async setToken() {
      const modal = await user.slash('/token set', {}, { guild }).modal();
      await user.submit(modal, { token: board.token }).reply();
    },
    async visit(program: Program, link: string, init?: RequestInit) {
      const line = () => program.json().find(({ msg }) => msg === 'web pages are up');
      await program.until('the pages', () => line() !== undefined);
      return fetch(`${line()?.url}${link.replace(PAGES, '')}`, { redirect: 'manual', ...init });
    },
    press(program: Program, link: string, fields: Record<string, string> = {}) {
      return this.visit(program, link, { method: 'POST', body: new URLSearchParams(fields) });
    },
    mail: async (index: number) => parseMail(smtp.mails[index]!.raw),
    /** A job on the board, and a poll of the program that has recorded it. */
    async post(program: Program, job: Job) {
      const news = () => program.json().filter((line) => Number(line.matched ?? line.new ?? 0) > 0).length;
      const before = news();
      await board.addJob(job);
      await program.until('the posting to be recorded', () => news() > before);
    },
    async stop(program: Program) {
      program.kill();
      expect(await program.ended).toBe(0);
    },
  };
}

const ready = (program: Program) =>
  program.until('the bot', () => program.json().some((line) => line.msg === 'commands registered'));

function holdsWhole(mail: Email, links: readonly string[]): void {
  const lines = (mail.text ?? '').split(/\r?\n/u);
  for (const link of links) {
    expect(lines).toContain(link);
    expect(mail.html).toContain(
      `href="${link.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')}"`,
    );
  }
}

test('from an address typed in Discord to the digest at its slot, and to the unsubscribe', {
  timeout: 540_000,
}, async () => {
  const j = await journey();
  const first = j.run();
  await ready(first);
  await j.setToken();

  // The confirmation mail, and nothing before its button.
  await j.slash('/email set', { address: ADDRESS });
  await until(() => j.smtp.mails.length === 1, { what: 'the confirm mail' });
  const question = await j.mail(0);
  expect(question.headers.filter(({ key }) => key.startsWith('list-'))).toEqual([]);
  expect(question.html).not.toContain('jobs.example/r/');
  const link = confirmLink(question);
  for (const method of ['GET', 'HEAD', 'GET'])
    expect((await j.visit(first, link, { method })).status).toBe(200);
  expect((await j.slash('/email status')).text).toMatch(/is waiting for confirmation/u);
  expect((await j.press(first, link)).status).toBe(200);
  expect((await j.slash('/email status')).text).toMatch(/is confirmed/u);
  const answer = await j.slash('/jobs subscribe', {
    tags: 'rust',
    deliver: 'email',
    every: 'weekly',
    at: 'monday 9:00',
    timezone: 'Europe/Berlin',
  });
  expect(answer.text).toMatch(/weekly on Monday 09:00 Europe\/Berlin/u);
  await first.until('the baseline', () => first.json().some((line) => line.baseline === true));

  for (const [n, apply_url] of NASTY.entries()) await j.post(first, rustJob(10 + n, { apply_url }));
  await j.stop(first);
  expect(j.smtp.mails).toHaveLength(1);

  // The slot: one mail with everything a digest needs, and each link unchanged.
  j.clock.set(SLOT - 4000);
  const second = j.run();
  await until(() => j.smtp.mails.length === 2, { what: 'the digest', timeoutMs: 30_000 });
  expect(j.clock.now()).toBeGreaterThanOrEqual(SLOT);
  const digest = await j.mail(1);
  const { raw, from, to } = j.smtp.mails[1]!;
  expect(digest.subject).toMatch(/^Rust Engineer 1\d at Firm 1\d, \$100k–140k \+ 3 more$/u);
  expect(to).toEqual([ADDRESS]);
  expect(from).toMatch(/^digest\+b[0-9a-f]{32}@crier\.example\.org$/u);
  expect(digest.messageId).toMatch(/^<[\w-]+\.0@crier\.example\.org>$/u);
  const list = headerOf(digest, 'List-Unsubscribe') ?? '';
  const oneClick = /^<(https:[^>]+)>$/u.exec(list)![1]!;
  expect(headerOf(digest, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  expect(headerOf(digest, 'List-Id')).toMatch(/<[^>]+\.crier\.example\.org>$/u);
  expect(headerOf(digest, 'List-Help')).toMatch(/^<https:/u);
  expect(headerOf(digest, 'Auto-Submitted')).toBe('auto-generated');
  expect(headerOf(digest, 'X-Auto-Response-Suppress')).toBe('All');
  expect(headerOf(digest, 'Feedback-ID')).toBe('weekly:digest:mail:jobcrier');
  for (const name of ['X-Mailgun-Track', 'X-PM-TrackLinks', 'X-SMTPAPI'])
    expect(headerOf(digest, name)).toBeDefined();
  expect(raw.toString('latin1')).toMatch(/^Content-Type: multipart\/alternative;/mu);
  const verdict = verifyDkim(raw, j.publicKey);
  expect(verdict.valid).toBe(true);
  expect(verdict.signed).toEqual(expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post']));
  holdsWhole(digest, NASTY);
  await j.post(second, rustJob(20));
  await j.stop(second);

  // Killed between sending and settling: the same mail again, under the same Message-ID.
  j.clock.set(SLOT + WEEK + 1000);
  expect(await j.run({ JOBCRIER_CRASH_AT: 'dispatch.sent' }).ended).toBe('SIGKILL');
  expect(j.smtp.mails).toHaveLength(3);
  const third = j.run();
  await until(() => j.smtp.mails.length === 4, { what: 'the repeat', timeoutMs: 30_000 });
  const [sent, repeat] = [await j.mail(2), await j.mail(3)];
  expect(repeat.messageId).toBe(sent.messageId);
  expect(repeat.html).toBe(sent.html);
  expect(repeat.messageId).not.toBe(digest.messageId);
  await j.post(third, rustJob(30));
  await j.stop(third);

  // Down for three slots: one digest with what waits.
  j.clock.set(SLOT + 4 * WEEK + HOUR);
  const fourth = j.run();
  await until(() => j.smtp.mails.length === 5, { what: 'the missed digest', timeoutMs: 30_000 });
  const missed = await j.mail(4);
  expect(missed.text).toContain('Rust Engineer 30');
  expect(missed.messageId).not.toBe(repeat.messageId);

  // One click stops it for good: also what is already due, and after a restart.
  await j.post(fourth, rustJob(40));
  const clicked = await j.press(fourth, oneClick, ONE_CLICK);
  const { status, headers } = clicked;
  expect([status, headers.get('location'), headers.get('set-cookie')]).toEqual([200, null, null]);
  const page = await clicked.text();
  await j.stop(fourth);
  j.clock.set(SLOT + 5 * WEEK + HOUR);
  const fifth = j.run();
  await fifth.until('the digest to be held back', () =>
    fifth.json().some((line) => line.reason === 'unsubscribed'),
  );
  await j.post(fifth, rustJob(50));
  expect(j.smtp.mails).toHaveLength(5);

  // The undo on the page of the click reverts it; a later click offers none.
  expect(await (await j.press(fifth, oneClick, ONE_CLICK)).text()).not.toContain('/resubscribe/');
  expect((await j.press(fifth, linkOn(page, 'resubscribe'))).status).toBe(200);
  await until(() => j.smtp.mails.length === 6, { what: 'the digest after the undo', timeoutMs: 30_000 });
  expect((await j.mail(5)).text).toContain('Rust Engineer 40');
  await j.stop(fifth);
});
