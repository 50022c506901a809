// The files of the board change while it runs: edited, replaced, half written, malformed. Readers never notice the
// last two.
import { mkdtemp, rename, rm, symlink, truncate, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { createBoard } from '../../src/board/server.js';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { until } from '../helpers/until.js';

let board: TestBoard;
let folder: string | undefined;
afterEach(async () => {
  await board?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
  folder = undefined;
});

async function served(): Promise<unknown[]> {
  const response = await fetch(board.address('/api/v1', { limit: '100' }));
  expect(response.status).toBe(200);
  return ((await response.json()) as [string, string, Job[]])[2].map((job) => job.id);
}

const warnings = () => board.logs.filter((line) => line.level === 'warn');

describe('a change', () => {
  test('is served by the next request, also one of equal length right after another', async () => {
    board = await startBoard({ jobs: [{ id: 'a' }] });
    for (const id of ['b', 'c', 'd', 'e', 'f']) {
      await writeFile(board.jobsFile, JSON.stringify([{ id }]));
      expect(await served()).toEqual([id]);
    }
  });

  test('is read when the file is replaced by another, even one with an older date', async () => {
    board = await startBoard({ jobs: [{ id: 'a' }] });
    const next = join(dirname(board.jobsFile), 'next.json');
    await writeFile(next, '[{"id":"b"}]');
    await utimes(next, 1000, 1000);
    await rename(next, board.jobsFile);
    expect(await served()).toEqual(['b']);
  });

  test('is read by the watch, without a request', async () => {
    board = await startBoard({ jobs: [{ id: 'a' }] });
    await writeFile(board.jobsFile, '[{"id":"b"},{"id":"c"}]');
    const line = await until(() => board.logs.find((log) => log.message === 'jobs file read'), {
      what: 'the log line',
    });
    expect(line).toMatchObject({ level: 'info', jobs: 2 });
  });

  test('of the tokens file applies immediately, and a used-up quota stays used up', async () => {
    const rateLimit = { requests: 1, windowSeconds: 600 };
    board = await startBoard({ jobs: [], tokens: [{ token: 'a', rateLimit }] });
    const status = async (token: string) => (await fetch(`${board.url}/api/v1?token=${token}`)).status;
    expect([await status('a'), await status('a'), await status('b')]).toEqual([200, 429, 401]);
    await writeFile(
      board.tokensFile,
      JSON.stringify([
        { token: 'a', permissions: ['jobs:read'], rateLimit },
        { token: 'b', permissions: ['jobs:read'] },
      ]),
    );
    expect([await status('a'), await status('b')]).toEqual([429, 200]);
    await board.setTokens([{ token: 'b' }]);
    expect([await status('a'), await status('b')]).toEqual([401, 200]);
  });

  test('is noticed through a switched link, as with mounted volumes', async () => {
    board = await startBoard({ jobs: [{ id: 'a' }] });
    const home = dirname(board.jobsFile);
    await writeFile(join(home, 'v2.json'), '[{"id":"v2"}]');
    await symlink('v2.json', join(home, 'link'));
    await rename(join(home, 'link'), board.jobsFile);
    expect(await served()).toEqual(['v2']);
  });
});

describe('a malformed edit', () => {
  test.each([
    ['cut off', '[{"id":"b"', 'line 1, column 11: the file ends too early'],
    ['wrong', '[{"id":"b"},\n  {"id" "c"}]', 'line 2, column 9'],
    ['no array', '{"id":"b"}', 'must be a JSON array of jobs'],
    ['an array of something else', '[{"id":"b"}, 7]', 'job 2 must be an object'],
    ['empty', '', 'the file is empty'],
  ])('(%s) keeps the last good listing and is reported once', async (_, content, fault) => {
    board = await startBoard({ jobs: [{ id: 'a' }] });
    await writeFile(board.jobsFile, content);
    for (let i = 0; i < 3; i++) expect(await served()).toEqual(['a']);
    await until(() => warnings().length > 0, { what: 'the warning' });
    await board.reload();
    expect(await served()).toEqual(['a']);
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toMatchObject({ file: board.jobsFile, fault: expect.stringContaining(fault) });
    await board.setJobs([{ id: 'fixed' }]);
    expect(await served()).toEqual(['fixed']);
  });

  test('is reported again if it is malformed in another way; the old content is valid again', async () => {
    board = await startBoard({ jobs: [{ id: 'a' }] });
    for (const content of ['[', '[[', '[{"id":"a"}]', '[']) {
      await writeFile(board.jobsFile, content);
      await board.reload();
      await board.reload();
    }
    expect(warnings()).toHaveLength(3);
    expect(await served()).toEqual(['a']);
  });

  test('of the tokens file keeps the tokens and quotes none', async () => {
    board = await startBoard({ jobs: [] });
    for (const content of [
      '[{"token":xsecret-secret-secret-secret-secret"}]',
      '[{"token":"secret","permissions":"jobs:read"}]',
    ]) {
      await writeFile(board.tokensFile, content);
      await board.reload();
      expect(await served()).toEqual([]);
    }
    expect(warnings().map((line) => line.fault)).toEqual([
      'not valid JSON at line 1, column 11',
      'token 1: "permissions" must be a list',
    ]);
    expect(JSON.stringify(board.logs)).not.toContain('secret');
  });

  test('a missing file keeps the listing, and it may come back', async () => {
    board = await startBoard({ jobs: [{ id: 'a' }] });
    await unlink(board.jobsFile);
    expect(await served()).toEqual(['a']);
    await board.reload();
    expect(warnings().map((line) => line.fault)).toEqual(['no such file']);
    await writeFile(board.jobsFile, '[{"id":"back"}]');
    expect(await served()).toEqual(['back']);
  });

  test('a slow writer that empties the file first causes no error', async () => {
    board = await startBoard({ jobs: [{ id: 'a' }] });
    await truncate(board.jobsFile);
    expect(await served()).toEqual(['a']);
    await writeFile(board.jobsFile, '[{"id":"b"');
    expect(await served()).toEqual(['a']);
    await writeFile(board.jobsFile, '[{"id":"b"}]');
    expect(await served()).toEqual(['b']);
    await board.reload();
    expect(warnings()).toEqual([]);
  });
});

describe('at the start', () => {
  const log = { debug() {}, info() {}, warn() {}, error() {} };

  test.each([
    ['tokens.json', '[]', undefined, /tokens\.json: no such file/],
    ['jobs.json', undefined, '[]', /jobs\.json: no such file/],
    ['jobs.json', '[{', '[]', /jobs\.json: not valid JSON at line 1, column 3: the file ends too early/],
    ['jobs.json', '[1]', '[]', /jobs\.json: job 1 must be an object/],
    ['both', '[1]', undefined, /jobs\.json: job 1 must be an object\n.*tokens\.json: no such file/],
    ['tokens.json', '[]', '{}', /tokens\.json: must be a JSON array of tokens/],
    ['tokens.json', '[]', '["a"]', /token 1 must be an object/],
    ['tokens.json', '[]', '[{"permissions":[]}]', /token 1 has no "token" text/],
    ['tokens.json', '[]', '[{"token":"a","expiresAt":"soon"}]', /"expiresAt" must be an ISO 8601 time/],
    [
      'tokens.json',
      '[]',
      '[{"token":"a","rateLimit":{"requests":-1,"windowSeconds":1}}]',
      /"rateLimit" must be/,
    ],
    ['tokens.json', '[]', '[{"token":"a","rateLimit":60}]', /"rateLimit" must be/],
    ['tokens.json', '[]', '[{"token":"a","partner":"a&b"}]', /"partner" may hold only/],
  ])('a fault of %s stops it (jobs %s, tokens %s)', async (_, jobs, tokens, message) => {
    folder = await mkdtemp(join(tmpdir(), 'jobcrier-files-'));
    if (jobs !== undefined) await writeFile(join(folder, 'jobs.json'), jobs);
    if (tokens !== undefined) await writeFile(join(folder, 'tokens.json'), tokens);
    const options = { jobsFile: join(folder, 'jobs.json'), tokensFile: join(folder, 'tokens.json') };
    const start = createBoard({ ...options, host: '127.0.0.1', port: 0, log });
    await expect(start).rejects.toThrow(message);
    await expect(start).rejects.toHaveProperty('name', 'BoardFileError');
    board = await startBoard({ jobs: [] });
  });

  test('accepts a byte order mark', async () => {
    board = await startBoard({ jobs: [] });
    await writeFile(board.jobsFile, '\ufeff[{"id":"a"}]');
    expect(await served()).toEqual(['a']);
  });

  test('a port in use is an error, and nothing stays open', async () => {
    board = await startBoard({ jobs: [] });
    const { port } = new URL(board.url);
    await expect(startBoard({ jobs: [], port: Number(port) })).rejects.toHaveProperty('code', 'EADDRINUSE');
  });
});
