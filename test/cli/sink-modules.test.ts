// A module in SINKS is loaded once per command, uses the log of the command, and is closed at its end, however the
// command ends.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder, type Folder, type How } from '../helpers/cli.js';

const TOKEN = 'token-canary-7f3a91';

interface Traced extends Folder {
  /** What the modules did, in order, since the last call. */
  readonly done: () => Promise<readonly string[]>;
}

async function traced(env: Record<string, string> = {}): Promise<Traced> {
  const folder = await cliFolder({
    JOBS_API_URL: 'http://127.0.0.1:1',
    JOBS_API_TOKEN: TOKEN,
    API_SPACING_MS: '0',
    ...env,
  });
  const trace = join(folder.dir, 'trace');
  await writeFile(trace, '');
  for (const name of ['traced', 'other'])
    await writeFile(
      join(folder.dir, `${name}.mjs`),
      `import { appendFileSync } from 'node:fs';
      const note = (what) => appendFileSync(${JSON.stringify(trace)}, '${name} ' + what + '\\n');
      export const createSink = ({ log, metrics }) => {
        note('made');
        log.warn({ said: ${JSON.stringify(TOKEN)} }, 'hello from ${name}');
        metrics.count('polls', { outcome: 'baseline' });
        return {
          name: '${name}',
          parseTarget: (target) => String(target),
          deliver: async () => {},
          close: process.env.NEVER_CLOSES === '${name}'
            ? () => new Promise(() => { setInterval(() => {}, 1000); })
            : async () => note('closed'),
        };
      };`,
    );
  // A command in the test's process has another working folder than the modules.
  const SINKS = join(folder.dir, 'traced.mjs');
  return {
    ...folder,
    run: (args, how: How = {}) => folder.run(args, { ...how, env: { SINKS, ...how.env } }),
    async done() {
      const lines = (await readFile(trace, 'utf8')).trim().split('\n');
      await writeFile(trace, '');
      return lines;
    },
  };
}

async function withEntries(text: string, env?: Record<string, string>): Promise<Traced> {
  const folder = await traced(env);
  await mkdir(join(folder.dir, 'config'));
  await writeFile(join(folder.dir, 'config', 'subscriptions.yaml'), text);
  return folder;
}

const ENTRY = '- { id: a, destinations: [{ sink: traced, target: x }] }\n';

test('poll loads it once, with its log and without secrets, and closes it', async () => {
  const { run, done } = await withEntries('[]\n');
  const { code, err } = await run(['poll']);
  expect(code).toBe(0);
  expect(await done()).toEqual(['traced made', 'traced closed']);
  expect(err.match(/hello from traced/gu)).toHaveLength(1);
  expect(err).not.toContain(TOKEN);
});

test('config check loads it once', async () => {
  const { run, done } = await withEntries(ENTRY);
  expect(await run(['config', 'check'])).toMatchObject({ code: 0, err: '' });
  expect(await done()).toEqual(['traced made', 'traced closed']);
});

test('refused settings close the modules that were loaded to check them', async () => {
  const { dir, run, done } = await withEntries(ENTRY.replace('id: a', 'id: a, schedule: "* *"'));
  expect(await run(['run'])).toMatchObject({ code: 2 });
  expect(await done()).toEqual(['traced made', 'traced closed']);
  // The other module is correct; only its name is in use.
  const twice = `${join(dir, 'traced.mjs')},${join(dir, 'traced.mjs')}`;
  expect(await run(['run'], { env: { SINKS: twice } })).toMatchObject({ code: 2 });
  expect((await done()).toSorted()).toEqual(['traced closed', 'traced closed', 'traced made', 'traced made']);
});

test('a failed start closes it: a file that is no store, a port in use', async () => {
  const { dir, run, done } = await withEntries(ENTRY);
  await writeFile(join(dir, 'none.sqlite'), 'this is not a database, whatever its name says');
  expect(await run(['run'], { env: { STORE_URL: 'sqlite://none.sqlite' } })).toMatchObject({ code: 1 });
  expect(await done()).toEqual(['traced made', 'traced closed']);
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  try {
    expect((await run(['run'], { env: { HTTP_PORT: String(port) } })).code).not.toBe(0);
  } finally {
    await new Promise((resolve) => taken.close(resolve));
  }
  expect(await done()).toEqual(['traced made', 'traced closed']);
}, 300_000);

test('a module that never finishes closing blocks neither the others nor the end of the command', {
  tags: 'long',
  timeout: 300_000,
}, async () => {
  const { spawn: run, done } = await withEntries('[]\n', {
    SINKS: './traced.mjs,./other.mjs',
    NEVER_CLOSES: 'traced',
  });
  const polled = await run(['poll']);
  expect(polled.code).toBe(0);
  expect(polled.err).toContain('sink left behind');
  expect(await done()).toEqual(['traced made', 'other made', 'other closed']);
  // The lease was released: the next command does not find the store in use.
  expect(await run(['poll'], { env: { NEVER_CLOSES: '' } })).toMatchObject({ code: 0 });
});
