// The command `board`: its one line of output, its errors, its end.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { boardCommand } from '../../src/cli/board.js';
import { until } from '../helpers/until.js';

const log = { debug() {}, info() {}, warn() {}, error() {} };
let folder: string;
let options: { jobs: string; tokens: string };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jobcrier-cli-board-'));
  options = { jobs: join(folder, 'jobs.json'), tokens: join(folder, 'tokens.json') };
  await writeFile(options.jobs, '[]');
  await writeFile(options.tokens, '[{"token":"t","permissions":["jobs:read"]}]');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  [true, (line: string) => (JSON.parse(line) as { event: string; url: string }).url],
  [false, (line: string) => /http:\S+/.exec(line)?.[0] ?? ''],
])('prints one line with its address (json: %s), serves, and ends when stopped', async (json, addressIn) => {
  const lines: string[] = [];
  const stop = new AbortController();
  const done = boardCommand(
    { ...options, json },
    { print: (line) => lines.push(line), log, signal: stop.signal },
  );
  await until(() => lines.length > 0, { what: 'the address' });
  const url = addressIn(lines[0] ?? '');
  expect((await fetch(`${url}/api/v1?token=t`)).status).toBe(200);
  stop.abort();
  await done;
  expect(lines).toHaveLength(1);
  await expect(fetch(`${url}/api/v1?token=t`)).rejects.toThrow();
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends it without an error and leaves no listener',
  async (name) => {
    const before = process.listeners(name);
    const lines: string[] = [];
    const done = boardCommand(options, { print: (line) => lines.push(line), log });
    await until(() => lines.length > 0, { what: 'the address' });
    const added = process.listeners(name).filter((listener) => !before.includes(listener));
    expect(added).toHaveLength(1);
    // Called as Node does; a real signal would also end the test runner.
    (added[0] as NodeJS.SignalsListener)(name);
    await done;
    expect(process.listeners(name)).toEqual(before);
  },
);

test('a malformed or missing file is an error that the operator can fix, exit code 2', async () => {
  await writeFile(options.jobs, '{}');
  const io = { print: () => {}, log };
  const start = boardCommand(options, io);
  await expect(start).rejects.toMatchObject({ name: 'UserError', exitCode: 2 });
  await expect(start).rejects.toThrow(/jobs\.json: must be a JSON array of jobs\. Fix/);
  await writeFile(options.jobs, '[]');
  await expect(boardCommand({ ...options, tokens: join(folder, 'none.json') }, io)).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('none.json: no such file'),
  });
});

test('reports a port in use', async () => {
  const lines: string[] = [];
  const stop = new AbortController();
  const io = { print: (line: string) => lines.push(line), log, signal: stop.signal };
  const done = boardCommand({ ...options, json: true }, io);
  await until(() => lines.length > 0, { what: 'the address' });
  const { port } = new URL((JSON.parse(lines[0] ?? '') as { url: string }).url);
  await expect(boardCommand({ ...options, port: Number(port) }, io)).rejects.toThrow(
    /Port \d+ on 127\.0\.0\.1 is taken/,
  );
  stop.abort();
  await done;
});
