// `init` at a terminal: the questions, the test of the token, what matches now, and the two files it writes.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { startBoard } from '../helpers/board.js';
import { cliFolder, type How } from '../helpers/cli.js';
import { job } from '../helpers/lab.js';
import { later } from '../helpers/later.js';

const TOKEN = 'canary9f8e7d6c5b4a';

type Answers = NonNullable<How['answers']>;

async function folder() {
  const board = await startBoard({
    jobs: [job(1, { title: 'Compiler Engineer' }), job(2, { title: 'Designer', tags: ['design'] })],
    tokens: [{ token: TOKEN }],
  });
  later(() => board.close());
  const made = await cliFolder({ API_SPACING_MS: '5' });
  const questions: Answers = [
    [/jobs API.*: /u, board.url],
    [/API token \(not shown\): /u, TOKEN],
    [/Tags.*: /u, 'rust'],
    [/Words.*: /u, ''],
    [/Country.*: /u, ''],
    [/Remote.*\] /u, ''],
    [/Use this filter.*\] /u, ''],
    [/Destination.*: /u, ''],
  ];
  const file = (name: string) => readFile(join(made.dir, name), 'utf8');
  return { ...made, board, questions, file };
}

test('the answers become a .env that only its owner can read, and a first subscription', async () => {
  const { run, dir, board, questions, file } = await folder();
  const { code, out, err } = await run(['init'], { answers: questions });
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(err).toContain('The jobs API accepts this token.');
  expect(err).toContain('1 of 1 postings match now.');
  expect(out).toContain('Compiler Engineer');
  expect(out).toContain('https://board.example/r/j1__p');
  expect(out + err).not.toContain(TOKEN);
  expect((await stat(join(dir, '.env'))).mode & 0o777).toBe(0o600);
  const env = parseEnv(await file('.env'));
  expect(env).toMatchObject({ JOBS_API_URL: board.url, JOBS_API_TOKEN: TOKEN });
  expect(env.ADMIN_TOKEN?.length).toBeGreaterThan(40);
  expect(out + err).not.toContain(env.ADMIN_TOKEN);
  expect((await run(['config', 'check'])).code).toBe(0);
  const poll = await run(['poll', '--json']);
  expect(poll.json()).toMatchObject({ polled: [{ subscription: 'first', outcome: 'baseline' }] });
});

test('a wrong answer is explained and the question asked again, also after a preview that is not wanted', async () => {
  const { run, questions, file } = await folder();
  const [url, token, tags, words, country, remote, use, destination] = questions as unknown as [
    Answers[0],
    Answers[0],
    Answers[0],
    Answers[0],
    Answers[0],
    Answers[0],
    Answers[0],
    Answers[0],
  ];
  const { code, err } = await run(['init'], {
    answers: [
      [url[0], 'nonsense'],
      url,
      [token[0], 'two words'],
      [token[0], 'another-token-0001'],
      token,
      [tags[0], 'no such tag!'],
      [tags[0], 'design'],
      words,
      country,
      remote,
      [use[0], 'n'],
      tags,
      words,
      country,
      remote,
      use,
      [destination[0], 'nowhere:1'],
      destination,
    ],
  });
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(err).toMatch(/JOBS_API_URL: given .*; wanted/u);
  expect(err).toContain('That is not an API token');
  expect(err).toContain('The jobs API does not accept this token');
  expect(err).not.toContain('another-token-0001');
  expect(err).toMatch(/tags/u);
  expect(err).toMatch(/nowhere/u);
  expect(await file('config/subscriptions.yaml')).toMatch(/tags:\n\s+- rust/u);
});

test('a destination that needs a bot asks for its token, and only the last answer counts', async () => {
  const { run, dir, questions, file } = await folder();
  const [ask = /never/u] = questions.at(-1) ?? [];
  const bot = ['MTIzNDU2Nzg5MDEyMzQ1Njc4', 'GabcdE', 'canary0canary1canary2canary3'].join('.');
  const answers: Answers = [
    ...questions.slice(0, -1),
    [ask, 'discord:not-an-id'],
    [/DISCORD_TOKEN.*\(not shown\): /u, 'first'],
    [ask, 'discord:123456789012345678'],
    [/DISCORD_TOKEN.*\(not shown\): /u, bot],
  ];
  const { code, out, err } = await run(['init'], { answers });
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out + err).not.toContain(bot);
  expect(parseEnv(await file('.env')).DISCORD_TOKEN).toBe(bot);
  expect(await readdir(join(dir, 'config'))).toEqual(['subscriptions.yaml']);
});

test('a token for a destination that was corrected is not kept', async () => {
  const { run, questions, file } = await folder();
  const [ask = /never/u] = questions.at(-1) ?? [];
  const answers: Answers = [
    ...questions.slice(0, -1),
    [ask, 'discord:not-an-id'],
    [/DISCORD_TOKEN.*\(not shown\): /u, 'a-wrong-token'],
    [ask, 'console'],
  ];
  expect(await run(['init'], { answers })).toMatchObject({ code: 0 });
  expect(await file('.env')).not.toContain('DISCORD_TOKEN');
});

test('an existing .env is replaced only after a yes, and is kept under another name', async () => {
  const { run, dir, questions, file } = await folder();
  await writeFile(join(dir, '.env'), 'LOG_LEVEL=warn\n');
  const no = await run(['init'], { answers: [[/Replace it.*\] /u, '']] });
  expect(no).toMatchObject({ code: 1 });
  expect(no.err).toContain('Nothing was changed.');
  expect(await file('.env')).toBe('LOG_LEVEL=warn\n');
  expect(await run(['init'], { answers: [[/Replace it.*\] /u, 'y'], ...questions] })).toMatchObject({
    code: 0,
  });
  const [former = ''] = (await readdir(dir)).filter((name) => name.startsWith('.env.'));
  expect(await file(former)).toBe('LOG_LEVEL=warn\n');
  // The subscriptions file of the first run is not written again.
  await writeFile(join(dir, 'config/subscriptions.yaml'), '[]\n');
  const again = await run(['init'], { answers: [[/Replace it.*\] /u, 'y'], ...questions.slice(0, 2)] });
  expect(again).toMatchObject({ code: 0 });
  expect(again.err).toContain('stays as it is');
  expect(await file('config/subscriptions.yaml')).toBe('[]\n');
});

test('Ctrl-C at any question leaves the folder empty', { tags: 'long' }, async () => {
  const { run, dir, questions } = await folder();
  for (let count = 0; count < questions.length; count++) {
    const stop = [questions[count]?.[0] as RegExp, '\x03'] as const;
    const { code, err } = await run(['init'], { answers: [...questions.slice(0, count), stop] });
    expect([count, code, err]).toEqual([count, 1, expect.stringContaining('Cancelled.')]);
    expect(await readdir(dir)).toEqual([]);
  }
});

test('without a terminal it ends with 2, says what to do, and reads nothing', async () => {
  const { run, dir } = await folder();
  const { code, err } = await run(['init'], { input: `https://jobs.example.org\n${TOKEN}\n` });
  expect(code).toBe(2);
  expect(err).toContain('.env.example');
  expect(await readdir(dir)).toEqual([]);
});
