// `jobcrier mcp` beside the running service, asked by the SDK's client over standard input and output.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { assistantOf } from '../helpers/agent.js';
import { startBoard } from '../helpers/board.js';
import { cliFolder } from '../helpers/cli.js';
import { later } from '../helpers/later.js';
import { startProgram } from '../helpers/process.js';
import { rustJob } from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

async function folder() {
  const board = await startBoard({ jobs: [rustJob(1), rustJob(2)] });
  later(() => board.close());
  const env = {
    JOBS_API_URL: board.url,
    JOBS_API_TOKEN: board.token,
    HTTP_PORT: '0',
    MIN_POLL_SECONDS: '1',
    API_SPACING_MS: '5',
    LIVE_SCHEDULE: '* * * * * *',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SOURCE_NAME: 'Example Jobs',
  };
  const { dir, run } = await cliFolder(env);
  expect(
    (await run(['subscriptions', 'add', '--id', 'rust', '--tags', 'rust', '--to', 'console'])).code,
  ).toBe(0);
  expect(
    (await run(['subscriptions', 'add', '--id', 'theirs', '--account', 'bob', '--to', 'console'])).code,
  ).toBe(0);
  return { board, env, dir, run };
}

/** Starts `jobcrier mcp` as an assistant does. */
async function assistant({ dir, env }: { dir: string; env: Record<string, string> }, ...args: string[]) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    cwd: dir,
    env: { PATH: process.env.PATH ?? '', HOME: dir, ...env },
    stderr: 'pipe',
  });
  const errors: string[] = [];
  transport.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  await client.connect(transport as never);
  later(() => client.close());
  return { ...assistantOf(client), errors };
}

test('reads for its account beside the service, and changes what the service then follows', {
  tags: 'long',
}, async () => {
  const house = await folder();
  const service = startProgram(['run'], { cwd: house.dir, env: house.env });
  later(async () => {
    service.kill('SIGTERM');
    await service.ended;
  });
  await service.until('the start', () => service.json().some(({ msg }) => msg === 'running'));
  const { ask, text, client, errors } = await assistant(house, '--account', 'operator', '--write');
  await until(async () => (await ask('search_jobs')).total === 2, { what: 'the postings of the first poll' });

  const link = rustJob(1).apply_url;
  expect(await text('search_jobs', { words: 'Engineer 1' })).toContain(`"applyUrl":"${link}"`);
  expect(await ask('preview_rule', { rule: { tags: ['rust'] } })).toMatchObject({ matches: 2 });
  expect((await ask('list_subscriptions')).subscriptions).toMatchObject([{ id: 'rust' }]);
  await expect(ask('pause_subscription', { id: 'theirs', paused: true })).rejects.toThrow(
    /no such subscription/u,
  );

  const added = await ask('add_subscription', { rule: { include: ['engineer'] }, like: 'rust' });
  expect(added).not.toHaveProperty('matchesNow');
  const { id } = added.subscription as { id: string };
  const polled = async () => {
    const { subscriptions = [] } = await ask('list_subscriptions');
    return subscriptions.find((one) => one.id === id)?.polledAt !== undefined;
  };
  await until(polled, { what: 'a poll of the new subscription by the service', timeoutMs: 60_000 });
  expect((await ask('pause_subscription', { id, paused: true })).subscription?.state).toBe('paused');
  expect((await ask('pause_subscription', { id, paused: false })).subscription?.state).not.toBe('paused');
  expect((await ask('mark_job', { posting: 'id:1', mark: 'saved' })).postings).toMatchObject([
    { applyUrl: link },
  ]);
  expect((await ask('search_jobs', { mark: 'saved' })).total).toBe(1);

  await client.close();
  expect(errors.join('')).not.toMatch(/error|fail/iu);
  expect(service.json().filter(({ level }) => level === 'error')).toEqual([]);
});

test('only reads unless --write is given, and ends when its input ends', { tags: 'long' }, async () => {
  const house = await folder();
  const { client, ask } = await assistant(house, '--account', 'bob');
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('mark_job');
  expect((await ask('list_subscriptions')).subscriptions).toMatchObject([
    { id: 'theirs', state: 'no-token' },
  ]);
  await expect(ask('pause_subscription', { id: 'theirs', paused: true })).rejects.toThrow(/may only read/u);

  const lines = [
    {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    { method: 'tools/call', params: { name: 'weekly_pulse', arguments: {} } },
  ].map((message, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`);
  const program = startProgram(['mcp', '--account', 'bob'], {
    cwd: house.dir,
    env: house.env,
    input: lines.join(''),
  });
  expect(await program.ended).toBe(0);
  // Every line of the output is a message, and the last question was answered.
  expect(program.stdout.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([0, 1]);
});

test('says when there is no store, and makes one only to change something', async () => {
  const { dir, run } = await cliFolder({ JOBS_API_URL: 'http://127.0.0.1:1' });
  const store = join(dir, 'data', 'jobcrier.sqlite');
  expect(await run(['mcp', '--account', 'bob'])).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringMatching(/There is no store yet/u),
  });
  expect(existsSync(store)).toBe(false);
  expect((await run(['mcp', '--account', 'bob', '--write'])).err).not.toMatch(/no store/u);
  expect(existsSync(store)).toBe(true);
});

test('needs an account that can exist', async () => {
  const { run } = await cliFolder({ JOBS_API_URL: 'http://127.0.0.1:1' });
  expect(await run(['mcp'])).toMatchObject({ code: 2, err: expect.stringMatching(/--account <id>/u) });
  expect(await run(['mcp', '--account', 'no such'])).toMatchObject({ code: 2, out: '' });
});
