// A store that does not exist yet, a path that can't be a store, and configured folders that are missing: each is
// reported by the commands that use it, and by no others.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliFolder } from '../helpers/cli.js';

describe('a store that does not exist yet', () => {
  test.each([
    ['subscriptions list', 0],
    ['subscriptions list --json', 0],
    ['subscriptions export', 0],
    ['token status --account operator', 0],
    ['subscriptions pause a', 1],
    ['why --subscription a --posting 1', 1],
  ] as const)('%s names the path it tried', async (line, code) => {
    const { dir, run } = await cliFolder();
    const ran = await run(line.split(' '), { env: { STORE_URL: 'sqlite://typo/jobs.sqlite' } });
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(`There is no store yet at ${join(dir, 'typo/jobs.sqlite')};`);
  });

  test('is not reported for a store without subscriptions', async () => {
    const { run } = await cliFolder();
    await run(['subscriptions', 'add', '--id', 'a', '--to', 'console']);
    await run(['subscriptions', 'remove', 'a']);
    expect(await run(['subscriptions', 'list'])).toMatchObject({
      code: 0,
      err: 'There is no subscription yet; "jobcrier subscriptions add" makes one.',
    });
  });
});

describe("a path that can't be a store", () => {
  const cases = [
    ['below a file', 'a-file/jobs.sqlite', /a-file\/jobs\.sqlite: a part of its path is a file/u],
    ['a folder', 'a-folder', /a-folder: it is a folder/u],
    ['with a name too long', `${'x'.repeat(300)}.sqlite`, /x\.sqlite: a name in its path is too long/u],
  ] as const;
  const KERNELS = [
    ['in a folder of the kernel', '/proc/x/y.sqlite', /\/proc\/x\/y\.sqlite: \/proc belongs to the kernel/u],
  ] as const;

  test.each([
    ...cases,
    // Only Linux has it.
    ...(process.platform === 'linux' ? KERNELS : []),
  ])(
    '%s: every command reports it, and doctor too',
    { tags: 'long', timeout: 300_000 },
    async (_name, path, says) => {
      const { dir, run } = await cliFolder();
      await writeFile(join(dir, 'a-file'), 'x');
      await mkdir(join(dir, 'a-folder'));
      const env = { STORE_URL: `sqlite://${path}` };
      for (const line of ['subscriptions list', 'token status --account operator', 'subscriptions pause a']) {
        const { code, err, out } = await run(line.split(' '), { env });
        expect([line, code, out]).toEqual([line, 2, '']);
        expect(err).toMatch(says);
        expect(err).toMatch(/^There can't be a store at /u);
      }
      const { code, json } = await run(['doctor', '--json'], { env });
      expect(code).toBe(1);
      expect(json<{ findings: unknown[] }>().findings).toContainEqual(
        expect.objectContaining({ check: 'store', state: 'fail', says: expect.stringMatching(says) }),
      );
    },
  );
});

describe('configured folders that are missing', () => {
  const env = {
    JOBS_API_URL: 'http://127.0.0.1:1',
    CONFIG_DIR: '/nowhere/config',
    TEMPLATES_DIR: '/nowhere/too',
  };
  const warned = (err: string) =>
    [...err.matchAll(/warning: (CONFIG|TEMPLATES)_DIR:/gu)].map(([, name]) => name);

  test.each([
    ['subscriptions list', []],
    ['subscriptions add --id a --to console', []],
    ['token status --account operator', []],
    ['config dump', []],
    ['health', []],
    ['backup copy.sqlite', []],
    ['poll', ['CONFIG', 'TEMPLATES']],
    ['subscriptions reconcile', ['CONFIG']],
    ['mail lint', ['TEMPLATES']],
  ] as const)('%s warns of those it reads', async (line, names) => {
    const { run } = await cliFolder(env);
    expect(warned((await run(line.split(' '))).err)).toEqual(names);
  });

  test('are shown by doctor', { tags: 'long', timeout: 300_000 }, async () => {
    const { run } = await cliFolder(env);
    const { out } = await run(['doctor']);
    expect(out).toMatch(/CONFIG_DIR: there is no folder/u);
  });
});
