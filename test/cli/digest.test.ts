// `digest` shows the next edition with real postings for any destination, and changes nothing.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBoard } from '../helpers/board.js';
import { appears, cliFolder } from '../helpers/cli.js';
import { startFront } from '../helpers/front.js';
import { later } from '../helpers/later.js';
import { headerOf, parseMail } from '../helpers/mail.js';
import { rustJob } from '../helpers/reader-house.js';

const WEEKLY = 'cadence: { weekly: monday, at: "09:00" }';

/** A folder whose subscription `a` has one posting waiting. `isBare`: the feed has only title, link and description. */
async function owing(destination: string, isBare = false) {
  const board = await startBoard({ jobs: [rustJob(1)] });
  later(() => board.close());
  const front = await startFront(board.url);
  later(() => front.close());
  front.isBare = isBare;
  const folder = await cliFolder({
    JOBS_API_URL: front.url,
    JOBS_API_TOKEN: board.token,
    MIN_POLL_SECONDS: '1',
    API_SPACING_MS: '0',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Crier <crier@example.org>',
    PUBLIC_URL: 'https://crier.example.org',
  });
  await mkdir(join(folder.dir, 'config'));
  await writeFile(
    join(folder.dir, 'config', 'subscriptions.yaml'),
    `- { id: a, filter: { tags: [rust] }, timezone: UTC, destinations: [{ ${destination}, ${WEEKLY} }] }\n`,
  );
  expect(await folder.run(['poll'])).toMatchObject({ code: 0 });
  await appears(board, folder, rustJob(2));
  expect(await folder.run(['poll'])).toMatchObject({ code: 0 });
  return folder;
}

it('writes the next mail, and the posting still waits', { tags: 'long', timeout: 360_000 }, async () => {
  const { dir, run } = await owing('sink: email, target: me@example.org, consented: true');
  const out = join(dir, 'out');
  for (let n = 0; n < 2; n++) {
    const { code, json } = await run(['digest', '--subscription', 'a', '--out', out, '--json']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ subscription: 'a', postings: 1 });
  }
  expect((await readdir(out)).sort()).toEqual(['a.eml', 'a.html', 'a.txt']);
  const mail = await parseMail(await readFile(join(out, 'a.eml')));
  expect(mail.to).toMatchObject([{ address: 'me@example.org' }]);
  expect(mail.subject).toBe('Rust Engineer 2 at Firm 2, $100k–140k');
  expect(mail.text?.split(/\r?\n/u)).toContain(rustJob(2).apply_url);
  expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  // The pages are named, and no link in a file that is passed on works for its finder.
  const pages = [...(mail.html ?? '').matchAll(/href="(https:\/\/crier[^"]+)"/gu)].map(([, link]) => link);
  expect(pages).toEqual(
    [
      'feedback/sample?do=saved',
      'feedback/sample?do=dismissed',
      'feedback/sample?do=like',
      'preferences/sample#every',
      'unsubscribe/sample',
      'preferences/sample',
      'editions/sample',
    ].map((page) => `https://crier.example.org/${page}`),
  );
});

it('shows the next edition of a channel as a mail', { tags: 'long', timeout: 360_000 }, async () => {
  const { dir, run } = await owing('sink: console');
  const { code, out } = await run(['digest', '--subscription', 'a']);
  expect(code).toBe(0);
  expect(out).toContain('Subject: Rust Engineer 2 at Firm 2, $100k–140k');
  expect(out).toContain(rustJob(2).apply_url as string);
  const preview = ['mail', 'preview', '--out', join(dir, 'out'), '--kind', 'digest'];
  const { json } = await run([...preview, '--subscription', 'a', '--json']);
  expect(json<{ files: string[] }>().files).toHaveLength(3);
});

it('has the fields that the feed leaves out, because `poll` asks for them', { tags: 'long' }, async () => {
  const { dir, run } = await owing('sink: email, target: me@example.org, consented: true', true);
  expect(await run(['digest', '--subscription', 'a', '--out', join(dir, 'out')])).toMatchObject({ code: 0 });
  const mail = await parseMail(await readFile(join(dir, 'out', 'a.eml')));
  expect(mail.subject).toBe('Rust Engineer 2 at Firm 2, $100k–140k');
  expect(mail.html).toContain('Firm 2');
  expect(mail.text?.split(/\r?\n/u)).toContain(rustJob(2).apply_url);
});
