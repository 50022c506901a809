// Copies of a SQLite file, and what the backend does to its file besides reading and writing rows.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StoreError, UserError } from '../../src/domain/errors.js';
import { openSqlite, type SqliteOptions } from '../../src/store/sqlite/backend.js';
import { COMPANIONS, copyStore, exists, sync, withFile } from '../../src/store/sqlite/files.js';
import { later } from '../helpers/later.js';
import { tempDir, testClock } from './fixtures.js';

async function storeFile() {
  const dir = await tempDir();
  const file = join(dir, 'store.sqlite');
  await withFile(file, async (run) => {
    await run('CREATE TABLE notes (text)');
    await run("INSERT INTO notes VALUES ('one')");
  });
  return { dir, file };
}

const notesIn = (file: string) =>
  withFile(file, async (run) => (await run('SELECT text FROM notes')).map(({ text }) => text));
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

async function backendAt(file: string, options: Partial<SqliteOptions> = {}) {
  const backend = await openSqlite({
    file,
    clock: testClock(),
    backups: `${file}.backups`,
    gathers: false,
    pragmas: ['busy_timeout = 50'],
    ...options,
  });
  later(() => backend.close());
  return backend;
}

describe('a copy', () => {
  test('has the content, in a folder that is made for it, for its owner only', async () => {
    const { dir, file } = await storeFile();
    const target = join(dir, 'new', 'folder', 'copy.sqlite');
    expect(await exists(target)).toBe(false);
    expect(await withFile(file, (run) => copyStore(run, target, async () => 'checked'))).toBe('checked');
    expect(await exists(target)).toBe(true);
    expect(await notesIn(target)).toEqual(['one']);
    expect([
      await modeOf(target),
      await modeOf(join(dir, 'new')),
      await readdir(join(dir, 'new/folder')),
    ]).toEqual(['600', '700', ['copy.sqlite']]);
  });

  test('replaces an older one of that name, and removes what an interrupted one left', async () => {
    const { dir, file } = await storeFile();
    const left = ['copy.1.part', 'copy.22.part-journal', 'copy.22.part-wal', 'copy.22.part-shm'];
    const others = [
      'copy',
      'copy.part',
      'copy.x.part',
      'copy.1.part.sqlite',
      'copy.1.part-other',
      'copy.bak.1.part',
      'other.1.part',
      'a.copy.1.part',
      'cope.1.part',
    ];
    const folder = join(dir, 'copies');
    await mkdir(folder);
    for (const name of [...left, ...others]) await writeFile(join(folder, name), 'older');
    await withFile(file, (run) => copyStore(run, join(folder, 'copy')));
    expect((await readdir(folder)).sort()).toEqual(others.toSorted());
    expect(await notesIn(join(folder, 'copy'))).toEqual(['one']);
    expect(await readFile(join(folder, 'copy.part'), 'utf8')).toBe('older');
  });

  test('that is refused leaves nothing, and does not change an older one', async () => {
    const { dir, file } = await storeFile();
    const target = join(dir, 'copies', 'copy.sqlite');
    const refused = new UserError('refused');
    const copy = () => withFile(file, (run) => copyStore(run, target, () => Promise.reject(refused)));
    await expect(copy()).rejects.toBe(refused);
    expect(await readdir(join(dir, 'copies'))).toEqual([]);
    await writeFile(target, 'older');
    await expect(copy()).rejects.toBe(refused);
    expect([await readdir(join(dir, 'copies')), await readFile(target, 'utf8')]).toEqual([
      ['copy.sqlite'],
      'older',
    ]);
  });

  test('that has no place says so, with the name that a person gave', async () => {
    const { dir, file } = await storeFile();
    await withFile(file, async (run) => {
      await expect(copyStore(run, join(file, 'copy'), undefined, './copy')).rejects.toMatchObject({
        name: 'UserError',
        message: expect.stringMatching(/^Can't write \.\/copy: /u),
      });
      await mkdir(join(dir, 'folder'));
      await expect(copyStore(run, join(dir, 'folder'), undefined, 'folder')).rejects.toMatchObject({
        name: 'UserError',
        message: expect.stringMatching(/^Can't write folder: /u),
      });
    });
    expect((await readdir(dir)).sort()).toEqual(['folder', 'store.sqlite']);
  });

  test('for which the disk is too small says so', async () => {
    const { dir, file } = await storeFile();
    const full = () => Promise.reject(new StoreError('full', 'no space'));
    await expect(copyStore(full, join(dir, 'copy'), undefined, './copy')).rejects.toMatchObject({
      name: 'UserError',
      message: "Can't write ./copy: no space is left on its disk.",
    });
    const locked = () => Promise.reject(new StoreError('locked', 'in use'));
    await expect(copyStore(locked, join(dir, 'copy'))).rejects.toMatchObject({ fault: 'locked' });
    expect(await readdir(dir)).toEqual(['store.sqlite']);
    await sync(file);
    await expect(sync(join(dir, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('the files beside a store that is open are those that a restore moves with it', async () => {
  const { dir, file } = await storeFile();
  const beside = async () =>
    (await readdir(dir)).map((name) => name.slice('store.sqlite'.length)).filter((ending) => ending !== '');
  const seen: string[] = [];
  await withFile(file, async (run) => {
    await run('BEGIN IMMEDIATE');
    await run("INSERT INTO notes VALUES ('two')");
    seen.push(...(await beside()));
    await run('ROLLBACK');
    await run('PRAGMA journal_mode = WAL');
    await run("INSERT INTO notes VALUES ('three')");
    seen.push(...(await beside()));
  });
  expect(seen.sort()).toEqual(COMPANIONS.toSorted());
});

describe('the backend', () => {
  test('empties its log, unless another program still reads from it', async () => {
    const { dir, file } = await storeFile();
    const backend = await backendAt(file);
    const logSize = async () => (await stat(join(dir, 'store.sqlite-wal'))).size;
    await backend.kvTables.meta.set('a', { value: 'text' });
    expect(await logSize()).toBeGreaterThan(0);
    await backend.wipe?.();
    expect(await logSize()).toBe(0);
    await withFile(file, async (run) => {
      await run('BEGIN');
      await run('SELECT count(*) FROM meta');
      await backend.kvTables.meta.set('a', { value: 'other' });
      await expect(backend.wipe?.()).rejects.toMatchObject({
        fault: 'locked',
        message: expect.stringContaining('another process reads the store'),
      });
      await run('COMMIT');
    });
    await backend.wipe?.();
    expect(await logSize()).toBe(0);
  });

  test('keeps the journal mode of a file that is only looked at', async () => {
    const { file } = await storeFile();
    const modeOfJournal = () =>
      withFile(file, async (run) => (await run('PRAGMA journal_mode'))[0]?.journal_mode);
    await (await backendAt(file, { look: true })).close();
    expect(await modeOfJournal()).toBe('delete');
    await (await backendAt(file)).close();
    expect(await modeOfJournal()).toBe('wal');
  });

  test('says that a file is damaged only if it is', async () => {
    const { dir, file } = await storeFile();
    await expect(backendAt(file, { pragmas: ['no pragma'] })).rejects.toMatchObject({ fault: 'unavailable' });
    await expect(backendAt(dir)).rejects.toMatchObject({ fault: 'unavailable' });
    await writeFile(file, 'no database '.repeat(200));
    await expect(backendAt(file)).rejects.toMatchObject({ fault: 'corrupt' });
  });

  test.each(['accounts', 'notices'] as const)(
    'writes what waits for others when it is closed: %s',
    async (table) => {
      const { file } = await storeFile();
      const backend = await backendAt(file, { gathers: true });
      const commit = (key: string) => backend.commit({ writes: [{ table, key, entry: { value: key } }] });
      // After a batch of several, the next one waits.
      await Promise.all([commit('a'), commit('b')]);
      await Promise.all([commit('c'), commit('d'), backend.close()]);
      const again = await backendAt(file);
      expect((await again.kvTables[table].page({}, 10)).map(([key]) => key)).toEqual(['a', 'b', 'c', 'd']);
    },
  );

  test('tries a write without writing', async () => {
    const { file } = await storeFile();
    const backend = await backendAt(file);
    await backend.tryWrite();
    await withFile(file, async (run) => {
      await run('BEGIN IMMEDIATE');
      await expect(backend.tryWrite()).rejects.toMatchObject({ fault: 'locked' });
      await run('ROLLBACK');
    });
    // The tried transaction is over.
    await backend.tryWrite();
    await backend.kvTables.meta.set('a', { value: 1 });
    expect((await backend.kvTables.meta.get('a'))?.value).toBe(1);
  });

  test('adds the columns that tables of version 3 lack, and removes what only older versions use', async () => {
    const { file } = await storeFile();
    await withFile(file, async (run) => {
      await run('CREATE TABLE meta (key VARCHAR(255) PRIMARY KEY, value TEXT)');
      await run("INSERT INTO meta VALUES ('a', '{\"value\":1}')");
      await run('CREATE TABLE requests (key TEXT)');
      await run(
        'CREATE TABLE unit (queue TEXT, lane TEXT, id TEXT, due_at BIGINT, attempts INTEGER DEFAULT 0, since BIGINT, PRIMARY KEY (queue, lane, id))',
      );
    });
    const backend = await backendAt(file);
    const columns = (table: string) =>
      withFile(file, async (run) =>
        (await run(`SELECT name FROM pragma_table_info('${table}')`)).map(({ name }) => name),
      );
    await backend.addColumns();
    await backend.addColumns();
    expect(await columns('meta')).toEqual(['key', 'value', 'version']);
    expect(await columns('unit')).toEqual(expect.arrayContaining(['since', 'again_at', 'state', 'version']));
    expect(await columns('requests')).toEqual(['key']);
    await backend.dropFormer();
    await backend.dropFormer();
    expect(await columns('unit')).not.toContain('since');
    expect(await columns('requests')).toEqual([]);
    const { entry, version } = await backend.kvTables.meta.read('a');
    expect(entry?.value).toBe(1);
    expect(await backend.kvTables.meta.replace('a', version, { value: 2 })).toBe(true);
  });

  test('makes the tables that a file lacks', async () => {
    const { file } = await storeFile();
    await withFile(file, (run) =>
      run('CREATE TABLE meta (key VARCHAR(255) PRIMARY KEY, value TEXT, version BIGINT)'),
    );
    const backend = await backendAt(file);
    await backend.kvTables.accounts.set('a', { value: 1 });
    expect((await backend.kvTables.accounts.get('a'))?.value).toBe(1);
  });

  test('copies the store without one of its notes', async () => {
    const { dir, file } = await storeFile();
    const backend = await backendAt(file);
    await backend.kvTables.meta.set('a', { value: 1 });
    await backend.kvTables.meta.set('b', { value: 2 });
    expect(await backend.copies?.has('bak')).toBe(false);
    expect(await backend.copies?.make('bak', 'b')).toBe(`${file}.bak`);
    expect(await backend.copies?.has('bak')).toBe(true);
    const copy = await backendAt(join(dir, 'store.sqlite.bak'));
    expect((await copy.kvTables.meta.page({}, 10)).map(([key]) => key)).toEqual(['a']);
  });
});
