// The service as an operator starts it: settings, a subscriptions file, a board whose file grows, and signals.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { later } from '../helpers/later.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { type Receiver, startReceiver } from '../helpers/webhook-receiver.js';

const job = (id: number) => ({
  id: String(id),
  title: `Rust Engineer ${id}`,
  company: `Firm ${id}`,
  tags: ['rust'],
  postedAt: '2026-11-20',
  apply_url: `https://jobs.example/r/x${id}?a=1&b=2`,
  url: `https://jobs.example/${id}`,
});

interface House {
  board: TestBoard;
  receiver: Receiver;
  dir: string;
  run(env?: Record<string, string>): Program;
}

async function house(extra = ''): Promise<House> {
  const board = await startBoard({ jobs: [job(1), job(2)] });
  const receiver = await startReceiver();
  const { dir, remove } = await workFolder();
  later(
    remove,
    () => receiver.close(),
    () => board.close(),
  );
  await mkdir(join(dir, 'config'));
  await writeFile(
    join(dir, 'config', 'subscriptions.yaml'),
    `- id: rust
  filter: { tags: [rust] }
  schedule: "* * * * * *"
  destinations:
    - { sink: console, cadence: immediate }
    - { sink: webhook, target: "${receiver.url}", cadence: immediate }
${extra}`,
  );
  const run = (env: Record<string, string> = {}) => {
    const program = startProgram(['run'], {
      cwd: dir,
      env: {
        JOBS_API_URL: board.url,
        JOBS_API_TOKEN: board.token,
        MIN_POLL_SECONDS: '1',
        API_SPACING_MS: '10',
        HTTP_PORT: '0',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        ...env,
      },
    });
    later(async () => {
      program.kill('SIGKILL');
      await program.ended;
    });
    return program;
  };
  return { board, receiver, dir, run };
}

const editions = (program: Program) => program.json().filter((line) => line.event === 'edition');
const titles = (receiver: Receiver) =>
  receiver.received.flatMap((one) => one.body.data.postings.map((posting) => posting.title));
const baseline = (program: Program) =>
  program.until('the baseline', () => program.stdout.some((line) => line.includes('"baseline":true')));

test('a posting added to the board reaches console and webhook once, byte for byte, and SIGTERM ends with 0', async () => {
  const { board, receiver, run } = await house();
  const program = run();
  await baseline(program);
  await board.addJob(job(3));
  await program.until('the edition on the console', () => editions(program).length > 0);
  await program.until('the webhook', () => receiver.received.length > 0);
  await board.addJob(job(4));
  await program.until('the second edition', () => receiver.received.length > 1);
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(titles(receiver)).toEqual(['Rust Engineer 3', 'Rust Engineer 4']);
  const [first] = editions(program) as {
    postings: { applyUrl: string; matched: string[] }[];
    subscription: string;
  }[];
  expect(first).toMatchObject({
    subscription: 'rust',
    postings: [{ applyUrl: 'https://jobs.example/r/x3?a=1&b=2', matched: ['rust'] }],
  });
});

test('after a kill and a start, everything that came meanwhile arrives once', { tags: 'long' }, async () => {
  const { board, receiver, run } = await house();
  const first = run();
  await baseline(first);
  await board.addJob(job(3));
  await first.until('the first webhook', () => receiver.received.length > 0);
  first.kill('SIGKILL');
  await first.ended;
  await board.addJob(job(4));
  const second = run();
  await second.until('the second webhook', () => titles(receiver).includes('Rust Engineer 4'));
  second.kill();
  expect(await second.ended).toBe(0);
  const ids = new Set(receiver.received.map((one) => one.id));
  // The first one may have been killed between sending and settling: then it came again under the same id.
  expect(
    [...ids].map((id) => receiver.received.find((one) => one.id === id)?.body.data.postings[0]?.title),
  ).toEqual(['Rust Engineer 3', 'Rust Engineer 4']);
});

test('refuses a second process on the same store with a clear message', async () => {
  const { run } = await house();
  const first = run();
  await baseline(first);
  const second = run();
  expect(await second.ended).toBe(1);
  expect(second.stderr.join('\n')).toMatch(/in use/u);
  expect(first.child.exitCode).toBeNull();
});

test('reads the subscriptions file again on SIGHUP: new entries start, removed ones end', {
  tags: 'long',
}, async () => {
  const { board, receiver, dir, run } = await house();
  const program = run();
  await baseline(program);
  await writeFile(
    join(dir, 'config', 'subscriptions.yaml'),
    `- id: other
  filter: { include: [engineer] }
  schedule: "* * * * * *"
  destinations: [{ sink: webhook, target: "${receiver.url}", cadence: immediate }]
`,
  );
  program.kill('SIGHUP');
  await program.until('the new subscription', () =>
    program.stdout.some((line) => line.includes('"subscription":"other"')),
  );
  await board.addJob(job(5));
  await program.until('the webhook', () => receiver.received.length > 0);
  expect(receiver.received[0]?.body.data.subscription).toBe('other');
  expect(editions(program)).toEqual([]);
});

test('prints the token in no line', { tags: 'long' }, async () => {
  const { board, run } = await house();
  const program = run({ LOG_LEVEL: 'trace' });
  await baseline(program);
  await board.setTokens([{ token: 'another-token' }]);
  await program.until('the rejection', () => program.stdout.some((line) => line.includes('owner notice')));
  program.kill();
  await program.ended;
  expect([...program.stdout, ...program.stderr].join('\n')).not.toContain(board.token);
});
