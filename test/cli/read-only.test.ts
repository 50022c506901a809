// Commands that only read change nothing, with right settings and with wrong ones; and a missing subscriptions file
// removes nothing.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KV_TABLES } from '../../src/store/backend.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { appears, cliFolder, type Folder } from '../helpers/cli.js';
import { job } from '../helpers/lab.js';
import { later } from '../helpers/later.js';

/** Command lines; it does not matter whether they find anything to show. */
const LOOKING: readonly (readonly string[])[] = [
  ['subscriptions', 'list', '--json'],
  ['subscriptions', 'export'],
  ['why', '--subscription', 'a', '--posting', '2'],
  ['digest', '--subscription', 'a'],
  ['config', 'check'],
  ['config', 'dump'],
  ['doctor'],
  ['token', 'status', '--account', 'operator'],
  ['mail', 'lint'],
  ['health'],
  ['backup', '../nowhere/at/all/copy.sqlite'],
];

/** Commands that would change something, if there were anything to change. */
const NOTHING_TO_CHANGE: readonly (readonly string[])[] = [
  ['keys', 'rotate'],
  ['subscriptions', 'pause', 'a'],
  ['subscriptions', 'remove', 'a'],
  ['token', 'remove', '--account', 'operator'],
  ['mail', 'allow', 'me@example.org'],
];

async function board(): Promise<TestBoard> {
  const started = await startBoard({ jobs: [job(1)] });
  later(() => started.close());
  return started;
}

function settings({ url, token }: TestBoard): Record<string, string> {
  return { JOBS_API_URL: url, JOBS_API_TOKEN: token, MIN_POLL_SECONDS: '1', API_SPACING_MS: '0' };
}

const entry = (id: string) =>
  `- { id: ${id}, filter: { tags: [rust] }, timezone: UTC, destinations: [{ sink: console, cadence: { weekly: monday } }] }\n`;

/** Names and contents of all files. */
async function listing(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const lines = entries.map(async (one) => {
    const path = join(one.parentPath, one.name);
    const content = one.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : 'folder';
    return `${path} ${content}`;
  });
  return (await Promise.all(lines)).sort();
}

/** Every row of the store. */
async function dump(dir: string): Promise<unknown> {
  return withFile(join(dir, 'data', 'jobcrier.sqlite'), async (run) =>
    Promise.all(KV_TABLES.map((name) => run(`SELECT key, value FROM ${name} ORDER BY key`))),
  );
}

/** A folder whose subscription `a` has posting 2 waiting; the board has 3 too. */
async function owing(): Promise<Folder & { readonly owed: () => Promise<number> }> {
  const api = await board();
  const folder = await cliFolder(settings(api));
  await mkdir(join(folder.dir, 'config'));
  await writeFile(join(folder.dir, 'config', 'subscriptions.yaml'), entry('a'));
  expect(await folder.run(['poll'])).toMatchObject({ code: 0 });
  await appears(api, folder, job(2));
  expect(await folder.run(['poll'])).toMatchObject({ code: 0 });
  await appears(api, folder, job(3));
  const owed = async () =>
    (await folder.run(['subscriptions', 'list', '--json'])).json<{ id: string; owed: number }[]>()[0]?.owed ??
    -1;
  return { ...folder, owed };
}

describe('in an empty folder', () => {
  test.each([...LOOKING, ...NOTHING_TO_CHANGE].map((args) => [args.join(' '), args] as const))(
    '%s leaves the folder empty',
    async (_name, args) => {
      const { dir, run } = await cliFolder({ JOBS_API_URL: 'http://127.0.0.1:1' });
      await run(args);
      expect(await listing(dir)).toEqual([]);
    },
    300_000,
  );

  test('a dry run shows what a first poll finds, and leaves no files', async () => {
    const { dir, run } = await cliFolder(settings(await board()));
    await mkdir(join(dir, 'config'));
    await writeFile(join(dir, 'config', 'subscriptions.yaml'), entry('a'));
    const before = await listing(dir);
    const { code, json } = await run(['poll', '--dry-run', '--json']);
    expect(code).toBe(0);
    expect(json()).toEqual({ polled: [{ subscription: 'a', outcome: 'baseline', new: 0, matched: 1 }] });
    expect(await listing(dir)).toEqual(before);
  }, 300_000);
});

describe('on a store in use', () => {
  test('no command that reads changes a byte, whatever CONFIG_DIR is', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const { dir, run } = await owing();
    const before = await listing(dir);
    for (const [index, args] of LOOKING.filter(([name]) => name !== 'backup').entries()) {
      await run(args, { env: { CONFIG_DIR: index % 2 ? 'config' : '/nowhere/typo' } });
      expect(await listing(dir), args.join(' ')).toEqual(before);
    }
  });

  test('a dry run shows what would be sent, also for new entries, and records nothing', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const { dir, run } = await owing();
    await writeFile(join(dir, 'config', 'subscriptions.yaml'), entry('b'));
    const before = await dump(dir);
    const { json } = await run(['poll', '--dry-run', '--json']);
    expect(json()).toMatchObject({ polled: [{ subscription: 'b', outcome: 'baseline' }] });
    expect(await dump(dir)).toEqual(before);
    const other = await run(['poll', '--dry-run', '--json'], { env: { CONFIG_DIR: '/nowhere/typo' } });
    expect(other.json()).toMatchObject({ polled: [{ subscription: 'a', outcome: 'checked', new: 1 }] });
    expect(await dump(dir)).toEqual(before);
  });
});

describe('a subscriptions file', () => {
  test.each([
    ['that is not there', undefined, 'not there'],
    ['that is empty', '', 'empty'],
    ['of comments alone', '# - id: a\n---\n', 'empty'],
  ])(
    '%s removes nothing, and that is reported',
    { tags: 'long', timeout: 300_000 },
    async (_name, text, says) => {
      const { dir, run, owed } = await owing();
      const file = join(dir, 'config', 'subscriptions.yaml');
      if (text === undefined) await rm(file);
      else await writeFile(file, text);
      const polled = await run(['poll', '--json']);
      expect(polled.json()).toMatchObject({ polled: [{ subscription: 'a', new: 1 }] });
      expect(polled.err).toContain(`subscriptions.yaml is ${says}`);
      expect(await owed()).toBe(2);
      expect((await run(['doctor'])).out).toMatch(
        new RegExp(
          `warn.*subscriptions file: .*is ${says}, so the subscriptions it listed before continue`,
          'u',
        ),
      );
      expect((await run(['config', 'check'])).err).toContain(`is ${says}`);
      const reconciled = await run(['subscriptions', 'reconcile', '--allow-removal', '--json']);
      expect(reconciled).toMatchObject({ code: 1, err: expect.stringContaining(`is ${says}`) });
      expect(reconciled.json()).toMatchObject({ removed: [], kept: ['a'] });
      expect(await owed()).toBe(2);
      await writeFile(file, '[]\n');
      const emptied = await run(['subscriptions', 'reconcile', '--json']);
      expect([emptied.code, emptied.json()]).toMatchObject([0, { removed: ['a'], kept: [] }]);
    },
  );

  test('continues an entry where it stopped, when it was removed and restored while the service was down', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const { dir, run, owed } = await owing();
    const file = join(dir, 'config', 'subscriptions.yaml');
    await writeFile(file, '[]\n');
    expect((await run(['subscriptions', 'reconcile'])).out).toContain('removed: a');
    expect((await run(['subscriptions', 'list', '--json'])).json()).toEqual([]);
    await run(['poll']);
    await writeFile(file, entry('a'));
    expect((await run(['poll', '--json'])).json()).toMatchObject({
      polled: [{ subscription: 'a', outcome: 'recorded', new: 1 }],
    });
    expect(await owed()).toBe(2);
  });

  test('that lost most of its entries removes none until that is allowed', {
    tags: 'long',
    timeout: 300_000,
  }, async () => {
    const { dir, run } = await cliFolder(settings(await board()));
    await mkdir(join(dir, 'config'));
    const file = join(dir, 'config', 'subscriptions.yaml');
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await writeFile(file, ids.map(entry).join(''));
    await run(['subscriptions', 'reconcile']);
    await writeFile(file, entry('a'));
    const polled = await run(['poll', '--json']);
    expect(polled.json<{ polled: unknown[] }>().polled).toHaveLength(8);
    expect(polled.err).toMatch(/7 of 8 subscriptions.*reconcile --allow-removal/u);
    expect((await run(['doctor'])).out).toMatch(/7 of 8 subscriptions/u);
    expect(await run(['subscriptions', 'reconcile'])).toMatchObject({ code: 1 });
    const allowed = await run(['subscriptions', 'reconcile', '--allow-removal', '--json']);
    expect([allowed.code, allowed.json()]).toEqual([
      0,
      { added: [], changed: [], removed: ids.slice(1), kept: ['a'], heldBack: [] },
    ]);
  });
});
