// The set-up page of a first start: when it is served, who gets in, and what its answers become.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createContext } from '../../src/cli/context.js';
import { createIo } from '../../src/cli/io.js';
import { isFirstStart, serveSetup } from '../../src/cli/setup.js';
import { startBoard } from '../helpers/board.js';
import { job } from '../helpers/lab.js';
import { later } from '../helpers/later.js';
import { workFolder } from '../helpers/process.js';
import { until } from '../helpers/until.js';

const TOKEN = 'canary9f8e7d6c5b4a';

/** A command's context in a new folder. `said`: what the terminal shows. */
async function atTerminal(isTTY = true, env: Record<string, string> = {}) {
  const { dir, remove } = await workFolder();
  const stop = new AbortController();
  later(remove, () => stop.abort());
  const said: string[] = [];
  const screen = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        said.push(String(chunk));
        done();
      },
    }),
    { isTTY },
  );
  const streams = { stdin: { isTTY }, stdout: screen, stderr: screen };
  const context = await createContext({
    io: createIo(streams as unknown as Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>),
    signal: stop.signal,
    env,
    cwd: dir,
    programDir: fileURLToPath(new URL('../..', import.meta.url)),
    version: '9.9.9',
  });
  return { dir, context, said, stop };
}

/** The page, served, and a browser that keeps its cookie. */
async function served() {
  const board = await startBoard({
    jobs: [job(1, { title: 'Compiler Engineer' }), job(2, { tags: ['design'] })],
    tokens: [{ token: TOKEN }],
  });
  later(() => board.close());
  const { dir, context, said, stop } = await atTerminal();
  const ended = serveSetup(context, 0).catch((error: unknown) => error);
  const find = (what: RegExp) => what.exec(said.join(''))?.[1] ?? '';
  await until(() => find(/code: (\S+)/u) !== '', { what: 'the code' });
  const [url, code] = [find(/(http:\/\/127\.0\.0\.1:\d+)\//u), find(/code: (\S+)/u)];
  let cookie = '';
  const visit = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(url + path, {
      redirect: 'manual',
      ...init,
      headers: { cookie, ...(init.headers as Record<string, string>) },
    });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    visit(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  const csrf = async () => /name="csrf" value="([^"]+)"/u.exec((await visit('/')).text)?.[1] ?? '';
  const answers = { url: board.url, token: TOKEN, tags: 'rust', destination: 'console' };
  return { dir, said, stop, ended, url, code, visit, post, csrf, answers };
}

describe('a first start', () => {
  test('is one at a terminal, without any setting, .env and subscriptions', async () => {
    const { context, dir } = await atTerminal();
    expect(await isFirstStart(context)).toBe(true);
    expect(await isFirstStart((await atTerminal(false)).context)).toBe(false);
    expect(await isFirstStart((await atTerminal(true, { HTTP_PORT: '8081' })).context)).toBe(false);
    await mkdir(join(dir, 'config'));
    await writeFile(join(dir, 'config/subscriptions.yaml'), '[]\n');
    expect(await isFirstStart(context)).toBe(false);
    const other = await atTerminal();
    await writeFile(join(other.dir, '.env'), '# nothing yet\n');
    expect(await isFirstStart(other.context)).toBe(false);
  });
});

describe('the set-up page', () => {
  test('tests the token, shows the first matches, and writes both files', async () => {
    const { dir, said, ended, code, visit, post, csrf, answers } = await served();
    const first = await visit('/');
    expect(first.status).toBe(401);
    // The name of the program stands there once.
    expect(first.text).not.toContain('<p>jobcrier</p>');
    const opened = await post('/code', { code: code.toLowerCase() });
    expect(opened.status).toBe(303);
    expect(opened.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict/u);
    const form = { ...answers, csrf: await csrf() };
    const refused = await post('/setup', { ...form, token: 'another-token-0001', do: 'check' });
    expect(refused.text).toContain('does not accept this token');
    const check = await post('/setup', { ...form, do: 'check' });
    expect(check.text).toContain('1 posting matches now, of 1 that were checked.');
    expect(check.text).toContain('href="https://board.example/r/j1__p"');
    const wrong = await post('/setup', { ...form, token: '', destination: 'nowhere:1', do: 'save' });
    expect(wrong.text).toContain('Nothing was saved');
    expect(await readdir(dir)).toEqual([]);
    const saved = await post('/setup', { ...form, token: '', do: 'save' });
    expect(saved.text).toContain('The service is starting.');
    expect(await ended).toBe(true);
    expect((await stat(join(dir, '.env'))).mode & 0o777).toBe(0o600);
    expect(parseEnv(await readFile(join(dir, '.env'), 'utf8'))).toMatchObject({
      JOBS_API_URL: answers.url,
      JOBS_API_TOKEN: TOKEN,
    });
    expect(await readFile(join(dir, 'config/subscriptions.yaml'), 'utf8')).toMatch(/tags:\n\s+- rust/u);
    const shown = [refused, check, wrong, saved].map(({ text }) => text).join('') + said.join('');
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain('another-token-0001');
  });

  test('answers only to its own address, without a proxy, and to forms of this session', async () => {
    const { dir, url, code, visit, post, csrf, answers } = await served();
    for (const headers of [
      { host: 'evil.example' },
      { host: `evil.example:${new URL(url).port}` },
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { 'x-forwarded-host': 'localhost' },
      { via: '1.1 proxy' },
    ]) {
      const status = await new Promise((resolve) =>
        get(url, { headers }, (answer) => resolve(answer.resume().statusCode)),
      );
      expect([headers, status]).toEqual([headers, 403]);
    }
    const save = { ...answers, do: 'save' };
    expect((await post('/setup', save)).status).toBe(401);
    expect((await post('/code', { code }, { 'sec-fetch-site': 'cross-site' })).status).toBe(401);
    expect((await post('/code', { code })).status).toBe(303);
    const form = { ...save, csrf: await csrf() };
    expect((await post('/setup', save)).status).toBe(401);
    expect((await post('/setup', form, { 'sec-fetch-site': 'same-site' })).status).toBe(401);
    expect((await post('/setup', form, { cookie: 'jobcrier_setup=guess' })).status).toBe(401);
    // The code opens one session.
    expect((await post('/code', { code }, { cookie: '' })).status).toBe(401);
    expect((await visit('/', { headers: { cookie: '' } })).status).toBe(401);
    expect(await readdir(dir)).toEqual([]);
  });

  test('ends after five wrong codes', async () => {
    const { ended, post } = await served();
    for (let count = 0; count < 5; count++)
      await post('/code', { code: `WRONG-${count}` }).catch(() => undefined);
    expect(await ended).toMatchObject({ exitCode: 2, message: expect.stringContaining('wrong codes') });
  });

  test('ends without a file when it is stopped', async () => {
    const { dir, ended, stop } = await served();
    stop.abort();
    expect(await ended).toBe(false);
    expect(await readdir(dir)).toEqual([]);
  });
});
