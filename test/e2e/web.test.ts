// What programs request from the real process: alive, ready while the store works and not while it does not, correct
// metrics, the health command, and a port in use.

import { mkdir, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { KeyvSqlite } from '@keyv/sqlite';
import { expect, test } from 'vitest';
import { METRICS } from '../../src/web/metrics.js';
import { startBoard } from '../helpers/board.js';
import { later } from '../helpers/later.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { rustJob } from '../helpers/reader-house.js';
import { until } from '../helpers/until.js';
import { startReceiver } from '../helpers/webhook-receiver.js';

async function house() {
  const board = await startBoard({ jobs: [rustJob(1), rustJob(2)] });
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
  destinations: [{ sink: webhook, target: "${receiver.url}", cadence: immediate }]
`,
  );
  const env = {
    JOBS_API_URL: board.url,
    JOBS_API_TOKEN: board.token,
    MIN_POLL_SECONDS: '1',
    API_SPACING_MS: '10',
    HTTP_PORT: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  const start = (more: Record<string, string> = {}, args: readonly string[] = ['run']) => {
    const program = startProgram(args, { cwd: dir, env: { ...env, ...more } });
    later(async () => {
      program.kill('SIGKILL');
      await program.ended;
    });
    return program;
  };
  return { board, receiver, dir, start };
}

/** Where it listens, according to its log. */
async function addressOf(program: Program): Promise<string> {
  const line = () => program.json().find((one) => one.msg === 'web pages are up');
  await program.until('the address', () => line() !== undefined);
  return String(line()?.url);
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/** A connection of another program that blocks every writer until the returned function is called. */
async function lock(file: string): Promise<() => Promise<void>> {
  const db = new KeyvSqlite({ uri: `sqlite://${file}`, table: 'meta', busyTimeout: 20_000 });
  await db.query('BEGIN IMMEDIATE');
  let isOpen = true;
  const release = async () => {
    if (!isOpen) return;
    isOpen = false;
    await db.query('ROLLBACK');
    await db.close();
  };
  later(release);
  return release;
}

test('ready while the store accepts writes, not ready while it does not, ready again; alive all the time', async () => {
  const { dir, start } = await house();
  const url = await addressOf(start());
  const ready = async () => (await fetch(`${url}/readyz`)).status;
  await until(async () => (await ready()) === 200, { what: 'readiness', timeoutMs: 20_000 });
  const release = await lock(join(dir, 'data', 'jobcrier.sqlite'));
  const asked = async () =>
    (await (await fetch(`${url}/readyz`)).json()) as { parts: { store: { ok: boolean; why: string } } };
  // The scheduler may notice first, while the result of the store check is still cached.
  const report = await until(async () => ((await asked()).parts.store.ok ? undefined : asked()), {
    what: 'the failure to be told',
    timeoutMs: 30_000,
  });
  expect(report).toMatchObject({ ok: false, parts: { store: { ok: false } } });
  expect(await ready()).toBe(503);
  expect(report.parts.store.why).not.toMatch(/\.sqlite|\//iu);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^jobcrier_store_up 0$/mu);
  await release();
  await until(async () => (await ready()) === 200, { what: 'readiness again', timeoutMs: 30_000 });
}, 360_000);

test('metrics of what it did, and none without a table entry', async () => {
  const { board, receiver, start } = await house();
  const program = start();
  const url = await addressOf(program);
  const figures = async () => (await fetch(`${url}/metrics`)).text();
  await until(async () => /^jobcrier_polls_total\{outcome="baseline"\} 1$/mu.test(await figures()), {
    what: 'the baseline',
    timeoutMs: 20_000,
  });
  await board.addJob(rustJob(3));
  await until(() => receiver.received.length === 1, { what: 'the delivery', timeoutMs: 20_000 });
  const wanted = [
    /^jobcrier_postings_new_total 3$/mu,
    /^jobcrier_postings_matched_total 1$/mu,
    /^jobcrier_postings_delivered_total\{sink="webhook"\} 1$/mu,
    /^jobcrier_deliveries_total\{sink="webhook",outcome="sent"\} 1$/mu,
    /^jobcrier_delivery_duration_seconds_count\{sink="webhook"\} 1$/mu,
    /^jobcrier_outbox_size 0$/mu,
    /^jobcrier_oldest_undelivered_seconds 0$/mu,
    /^jobcrier_subscriptions\{state="active"\} 1$/mu,
    /^jobcrier_store_up 1$/mu,
    /^jobcrier_info\{version="\d+\.\d+\.\d+",role="all"\} 1$/mu,
    /^jobcrier_process_resident_memory_bytes \d+/mu,
  ];
  const text = await until(
    async () => {
      const now = await figures();
      return wanted.every((one) => one.test(now)) ? now : '';
    },
    { what: 'all figures', timeoutMs: 20_000 },
  );
  // Metrics of several processes are not shown by a single one; roles.test.ts checks them.
  const shared = ['processes', 'queue_up'];
  for (const name of Object.keys(METRICS))
    if (shared.includes(name)) expect(text).not.toMatch(new RegExp(`^jobcrier_${name}\\b`, 'mu'));
    else expect(text).toContain(`jobcrier_${name}`);
  program.kill();
  expect(await program.ended).toBe(0);
  expect(program.stdout.join('\n')).not.toContain('figure without an entry');
}, 180_000);

test('the health command distinguishes alive from ready, and from no service', async () => {
  const { start } = await house();
  const port = { HTTP_HOST: '0.0.0.0', HTTP_PORT: await freePort() };
  const before = start(port, ['health']);
  expect(await before.ended).toBe(1);
  expect(before.stderr.join('\n')).toContain('Nothing answers at 0.0.0.0');
  await addressOf(start(port));
  const alive = start(port, ['health']);
  expect([await alive.ended, alive.stdout]).toEqual([0, ['alive']]);
  const ready = start(port, ['health', '--ready', '--json']);
  expect(await ready.ended).toBe(0);
  expect(ready.json()[0]).toMatchObject({
    ok: true,
    parts: { store: { ok: true }, scheduler: { ok: true } },
  });
  const unknown = start({}, ['health']);
  expect(await unknown.ended).toBe(2);
}, 180_000);

test('the health command names the part that is not ready', async () => {
  const { start } = await house();
  const parts = { store: { ok: false, why: 'no room on the disk' }, scheduler: { ok: true } };
  const service = createWebServer((_request, response) => {
    response.writeHead(503, { 'Content-Type': 'application/json' }).end(JSON.stringify({ ok: false, parts }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  later(() => service.close());
  const { port } = service.address() as AddressInfo;
  const asked = start({ HTTP_PORT: String(port) }, ['health', '--ready']);
  expect(await asked.ended).toBe(1);
  expect(asked.stdout).toEqual(['not ready', 'store: no room on the disk']);
});

test('a port in use is reported by the name of its setting, before the first poll', async () => {
  const { board, start } = await house();
  const port = { HTTP_PORT: await freePort() };
  await addressOf(start(port));
  await until(() => board.requests.length > 0, { what: 'a poll', timeoutMs: 20_000 });
  const second = start({ ...port, DATA_DIR: 'other' });
  expect(await second.ended).toBe(1);
  expect(second.stderr.join('\n')).toMatch(/HTTP_PORT.*choose another/u);
  expect(second.stdout.join('\n')).not.toContain('poll recorded');
}, 180_000);
