// `token set|status|remove`: a token is read only from standard input, is tested once, and is never shown again.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { cliFolder } from '../helpers/cli.js';
import { startProgram } from '../helpers/process.js';

const CANARY = 'canary9f8e7d6c5b4a';
let board: TestBoard | undefined;
afterEach(async () => {
  await board?.close();
  board = undefined;
});

async function boardWith(token: string): Promise<TestBoard> {
  board = await startBoard({ jobs: [], tokens: [{ token }] });
  return board;
}

describe('token set', () => {
  it('stores an accepted token, shows four characters, and leaves it readable nowhere', async () => {
    const { url } = await boardWith(CANARY);
    const { run, dir } = await cliFolder({ JOBS_API_URL: url });
    const set = await run(['token', 'set', '--account', 'discord:42'], { input: `${CANARY}\n` });
    expect(set).toMatchObject({ code: 0, out: '' });
    expect(set.err).toMatch(/Stored the token of discord:42; the jobs API accepts it\. It ends in 5b4a\./);
    const status = await run(['token', 'status', '--account', 'discord:42', '--json']);
    expect(status.json()).toEqual({ account: 'discord:42', state: 'ok', lastFour: '5b4a', from: 'store' });
    expect(set.err + status.out + status.err).not.toContain(CANARY);
    for (const name of await readdir(join(dir, 'data')))
      expect((await readFile(join(dir, 'data', name))).includes(CANARY), name).toBe(false);
    expect(await run(['token', 'remove', '--account', 'discord:42'])).toMatchObject({ code: 0 });
    expect((await run(['token', 'status', '--account', 'discord:42', '--json'])).json()).toMatchObject({
      state: 'missing',
    });
    expect(await run(['token', 'remove', '--account', 'discord:42'])).toMatchObject({ code: 1 });
  });

  it('stores nothing when the API refuses it, except with --no-check', async () => {
    const { url } = await boardWith('another-token');
    const { run } = await cliFolder({ JOBS_API_URL: url });
    const refused = await run(['token', 'set', '--account', 'a'], { input: CANARY });
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/does not accept this token.*Nothing was stored/);
    expect(refused.err).not.toContain(CANARY);
    expect((await run(['token', 'status', '--account', 'a', '--json'])).json()).toMatchObject({
      state: 'missing',
    });
    expect(await run(['token', 'set', '--account', 'a', '--no-check'], { input: CANARY })).toMatchObject({
      code: 0,
    });
    expect((await run(['token', 'status', '--account', 'a', '--json'])).json()).toMatchObject({
      state: 'ok',
    });
  });

  it('keeps a token that could not be tested, and says so', async () => {
    // Not the jobs API: it answers, but neither with postings nor with a refusal of the token.
    const server = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
    const { run } = await cliFolder({
      JOBS_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    const { code, err } = await run(['token', 'set', '--account', 'a'], { input: CANARY });
    server.close();
    expect(code).toBe(0);
    expect(err).toMatch(/warning: the token could not be tried/);
    expect(err).toMatch(/untried/);
  });

  it('accepts no token as an argument, and does not repeat one', async () => {
    const { run } = await cliFolder();
    const { code, out, err } = await run(['token', 'set', '--account', 'a', CANARY]);
    expect(code).toBe(2);
    expect(out + err).not.toContain(CANARY);
  });

  it('does not appear in a process list while it waits and works', { tags: 'long' }, async () => {
    const { dir } = await cliFolder();
    const program = startProgram(['token', 'set', '--account', 'a'], { cwd: dir, keepStdin: true });
    program.child.stdin?.write(`${CANARY}\n`);
    const of = async (name: string) => readFile(`/proc/${program.child.pid}/${name}`, 'utf8');
    expect((await of('cmdline')) + (await of('environ'))).not.toContain(CANARY);
    program.child.stdin?.end();
    expect(await program.ended).toBe(0);
  });

  it.each([
    ['', /No token was given/],
    ['two words', /not an API token/],
    ['x'.repeat(600), /not an API token/],
  ])('refuses %j', async (input, says) => {
    const { run } = await cliFolder();
    const { code, err } = await run(['token', 'set', '--account', 'a'], { input });
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });

  it('distinguishes a token without its key from no token, and can remove it', async () => {
    const { run } = await cliFolder({ SECRET_KEY: randomBytes(32).toString('base64') });
    await run(['token', 'set', '--account', 'a', '--no-check'], { input: CANARY });
    const other = { env: { SECRET_KEY: randomBytes(32).toString('base64') } };
    const status = await run(['token', 'status', '--account', 'a'], other);
    expect(status.out).toMatch(/can't be read, its key is not in SECRET_KEY/u);
    expect((await run(['token', 'status', '--account', 'a', '--json'], other)).json()).toEqual({
      account: 'a',
      state: 'unreadable',
    });
    expect(await run(['token', 'remove', '--account', 'a'], other)).toMatchObject({ code: 0 });
    expect((await run(['token', 'status', '--account', 'a', '--json'])).json()).toMatchObject({
      state: 'missing',
    });
  });

  it('says that JOBS_API_TOKEN takes precedence for the operator', async () => {
    const { run } = await cliFolder({ JOBS_API_TOKEN: 'from-environment-1234' });
    const { err } = await run(['token', 'set', '--account', 'operator'], { input: CANARY });
    expect(err).toMatch(/warning: JOBS_API_TOKEN is set and is used for this account/);
    const status = await run(['token', 'status', '--account', 'operator']);
    expect(status.out).toBe('operator: token ends in 1234, from JOBS_API_TOKEN');
  });
});
