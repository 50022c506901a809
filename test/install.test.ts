// What npm's prepare leaves of an install: everything that runs, without what a compiler left, and, in an install
// only for running, without files that are never read.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PREPARE = fileURLToPath(new URL('../scripts/prepare.mjs', import.meta.url));

/** The files of an install after prepare has run in it. */
async function prepared(files: readonly string[]): Promise<readonly string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-install-'));
  try {
    for (const file of files) {
      await mkdir(dirname(join(dir, file)), { recursive: true });
      await writeFile(join(dir, file), '');
    }
    const { status, stderr } = spawnSync(process.execPath, [PREPARE], { cwd: dir, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const left = await readdir(dir, { recursive: true, withFileTypes: true });
    return left
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
      .toSorted();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const RUNS = ['LICENSE.md', 'data.json', 'index.js', 'index.mjs', 'lib/map.js', 'package.json'].map(
  (name) => `node_modules/one/${name}`,
);
const UNREAD = ['README.md', 'index.d.ts', 'index.d.mts', 'index.js.map'].map(
  (name) => `node_modules/one/${name}`,
);
const BINDING = 'node_modules/sqlite3/build/Release/node_sqlite3.node';
const OBJECTS = [
  'Release/obj.target/a.o',
  'Release/obj/gen/sqlite3.c',
  'Release/.deps/a.d',
  'Release/sqlite3.a',
].map((name) => `node_modules/sqlite3/build/${name}`);

test('an install for running keeps everything that runs, and licences', async () => {
  expect(await prepared([...RUNS, ...UNREAD])).toEqual(RUNS);
});

test('an install for development keeps all files of its packages', async () => {
  const all = [...RUNS, ...UNREAD, 'node_modules/typescript-compiler/package.json'];
  expect(await prepared(all)).toEqual(all.toSorted());
});

test('a compiled binding keeps only itself, and another one keeps all its files', async () => {
  const develops = 'node_modules/typescript-compiler/package.json';
  expect(await prepared([BINDING, ...OBJECTS, develops])).toEqual([BINDING, develops]);
  expect(await prepared([...OBJECTS, develops])).toEqual([...OBJECTS, develops].toSorted());
});

test('does nothing without any package', async () => {
  expect(await prepared(['package.json'])).toEqual(['package.json']);
});
