// Mails of the real program: killed between sending and settling, and down at a slot.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { parseMail } from '../helpers/mail.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { rustJob } from '../helpers/reader-house.js';
import { type SmtpStand, startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

// Several starts of the whole program, one after the other, on any machine.
vi.setConfig({ testTimeout: 120_000 });

let board: TestBoard;
let smtp: SmtpStand;
let folder: { dir: string; remove(): Promise<void> };
const running: Program[] = [];

beforeEach(async () => {
  board = await startBoard({ jobs: [rustJob(1)] });
  smtp = await startSmtp();
  folder = await workFolder();
});

afterEach(async () => {
  for (const program of running.splice(0)) {
    program.kill('SIGKILL');
    await program.ended;
  }
  await smtp.close();
  await board.close();
  await folder.remove();
});

async function house(cadence: string): Promise<(env?: Record<string, string>) => Program> {
  await mkdir(join(folder.dir, 'config'));
  await writeFile(
    join(folder.dir, 'config', 'subscriptions.yaml'),
    `- id: rust
  filter: { tags: [rust] }
  schedule: "* * * * * *"
  destinations:
    - { sink: email, target: reader@example.org, consented: true, cadence: ${cadence} }
`,
  );
  return (env = {}) => {
    const program = startProgram(['run'], {
      cwd: folder.dir,
      env: {
        JOBS_API_URL: board.url,
        JOBS_API_TOKEN: board.token,
        MIN_POLL_SECONDS: '1',
        API_SPACING_MS: '10',
        HTTP_PORT: '0',
        SMTP_URL: smtp.url,
        MAIL_FROM: 'digest@crier.example.org',
        PUBLIC_URL: 'https://crier.example.org',
        ...env,
      },
    });
    running.push(program);
    return program;
  };
}

const baseline = (program: Program) =>
  program.until('the baseline', () => program.stdout.some((line) => line.includes('"baseline":true')));

test('killed between sending and settling: sends the mail again under the same Message-ID, and not a third time', async () => {
  const run = await house('immediate');
  const first = run({ JOBCRIER_CRASH_AT: 'dispatch.sent' });
  await baseline(first);
  await board.addJob(rustJob(2));
  await first.ended;
  expect(smtp.mails).toHaveLength(1);
  const second = run();
  await until(() => smtp.mails.length === 2, { what: 'the repeat', timeoutMs: 30_000 });
  await board.addJob(rustJob(3));
  await until(() => smtp.mails.length === 3, { what: 'the next mail', timeoutMs: 30_000 });
  second.kill();
  expect(await second.ended).toBe(0);
  const mails = await Promise.all(smtp.mails.map(({ raw }) => parseMail(raw)));
  expect(mails[0]?.messageId).toBe(mails[1]?.messageId);
  expect(mails[0]?.html).toBe(mails[1]?.html);
  expect(mails[2]?.messageId).not.toBe(mails[0]?.messageId);
  expect(mails[2]?.subject).toBe('Rust Engineer 3 at Firm 3, $100k–140k');
});

test('sends one digest for the slots that were missed while the service was down', async () => {
  const run = await house('{ weekly: monday, at: "09:00", cron: "*/3 * * * * *" }');
  const first = run();
  await baseline(first);
  first.kill();
  expect(await first.ended).toBe(0);
  // The service records what waits, is stopped before the slot, and the slots pass.
  const second = run({ JOBCRIER_CRASH_AT: 'poll.recorded' });
  await board.addJob(rustJob(2));
  await second.ended;
  expect(smtp.mails).toEqual([]);
  await board.addJob(rustJob(3));
  const missed = Date.now() + 7_000;
  await until(() => Date.now() > missed, { what: 'two slots', timeoutMs: 10_000 });
  const third = run();
  await until(() => smtp.mails.length > 0, { what: 'the digest', timeoutMs: 30_000 });
  await board.addJob(rustJob(4));
  await until(async () => (await bodies()).includes('Rust Engineer 4'), {
    what: 'the next',
    timeoutMs: 30_000,
  });
  third.kill();
  expect(await third.ended).toBe(0);
  const text = await bodies();
  for (const n of [2, 3, 4]) expect(text.split(`Rust Engineer ${n}\n`)).toHaveLength(2);
  // One for what was missed (a second one if the last poll came after the slot), one for what came then; never one
  // per slot.
  expect(smtp.mails.length).toBeLessThanOrEqual(3);
});

async function bodies(): Promise<string> {
  const mails = await Promise.all(smtp.mails.map(({ raw }) => parseMail(raw)));
  return mails.map((mail) => (mail.text ?? '').replaceAll('\r\n', '\n')).join('\n');
}
