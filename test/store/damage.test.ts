// A damaged store is found before anything is started, kept aside once, and answered with the newest good backup.
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { backupStore, inspectBackup } from '../../src/store/backup.js';
import { backupFile, backupsDir, listBackups, rotateBackups } from '../../src/store/backups-dir.js';
import { isDamaged, refuseDamaged } from '../../src/store/damage.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { NOW, openTestStores, tempDir } from './fixtures.js';

const DAY = 86_400_000;
let dir: string;
let file: string;
let backups: string;
beforeEach(async () => {
  dir = await tempDir();
  file = join(dir, 'store.sqlite');
  backups = backupsDir(dir);
  await (await openTestStores(`sqlite://${file}`)).close();
});

/** Overwrites a page in the middle of a SQLite file. */
async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes.fill(0xff, 8192, 12_288);
  await writeFile(path, bytes);
}
const backup = (daysAgo: number) => backupFile(backups, NOW - daysAgo * DAY);

test('a whole store is not damaged, one with a broken page is', async () => {
  expect(await withFile(file, isDamaged)).toBe(false);
  await damage(file);
  expect(await withFile(file, isDamaged).catch(() => true)).toBe(true);
  await expect(inspectBackup(file)).rejects.toMatchObject({ fault: 'corrupt' });
});

describe('a damaged store', () => {
  beforeEach(async () => {
    for (const daysAgo of [3, 2, 1]) await backupStore(`sqlite://${file}`, backup(daysAgo));
    await damage(backup(1));
    await writeFile(file, 'nonsense');
    await writeFile(`${file}-wal`, 'its log');
    await utimes(file, NOW / 1000, NOW / 1000);
  });
  const aside = async () => (await readdir(dir)).filter((name) => name.includes('corrupt')).toSorted();

  test('is kept aside under the time of its last write, once, with its log, for its owner only', async () => {
    const kept = `${file}.corrupt-2026-03-02T12-00-00Z`;
    const error = await refuseDamaged(file, backups);
    expect(error).toMatchObject({
      fault: 'corrupt',
      message: `The store ${file} is damaged, so nothing was started. A copy of it is at ${kept}. Restore the newest good backup with \`jobcrier restore ${backup(2)}\`.`,
    });
    expect(await aside()).toEqual([basename(kept), `${basename(kept)}-wal`]);
    expect(await readFile(kept, 'utf8')).toBe('nonsense');
    expect(await readFile(`${kept}-wal`, 'utf8')).toBe('its log');
    for (const path of [kept, `${kept}-wal`]) expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(`${kept}-wal`, 'first copy');
    expect((await refuseDamaged(file, backups)).message).toBe(error.message);
    expect(await readFile(`${kept}-wal`, 'utf8')).toBe('first copy');
    expect(await aside()).toHaveLength(2);
  });

  test('without a good backup, and one that can not be copied, is answered with what to do', async () => {
    const none = join(dir, 'none');
    expect((await refuseDamaged(join(dir, 'gone.sqlite'), none)).message).toBe(
      `The store ${join(dir, 'gone.sqlite')} is damaged, so nothing was started. There is no good backup in ${none}; restore one from elsewhere, or move the file away to start with an empty store (everything is then recorded as seen again, nothing is sent twice).`,
    );
    for (const daysAgo of [2, 3]) await damage(backup(daysAgo));
    expect((await refuseDamaged(file, backups)).message).toContain(`There is no good backup in ${backups};`);
  });
});

describe('daily backups', () => {
  beforeEach(() => mkdir(backups));

  test('of a clock that was ahead count as the oldest', async () => {
    for (const daysAgo of [-2, -1, 0, 1]) await writeFile(backup(daysAgo), '');
    expect(await rotateBackups(backups, 3, NOW)).toEqual([backup(-1)]);
    expect(await listBackups(backups)).toEqual([backup(-2), backup(0), backup(1)]);
    expect(await rotateBackups(backups, 2, NOW)).toEqual([backup(-2)]);
    expect(await rotateBackups(backups, -1, NOW)).toEqual([backup(0), backup(1)]);
  });

  test('are found by their names only, in the folder of the data', async () => {
    expect(backups).toBe(join(dir, 'backups'));
    const names = [
      'jobcrier-2026-03-02T12-00-00Z.sqlite',
      'jobcrier-2026-03-02T12-00-00Z.sqlite.7.part',
      'x-jobcrier-2026-03-02T12-00-00Z.sqlite',
      'jobcrier-mine.sqlite',
    ];
    for (const name of names) await writeFile(join(backups, name), '');
    expect((await listBackups(backups)).map((one) => basename(one))).toEqual([names[0]]);
    expect(await listBackups(join(dir, 'none'))).toEqual([]);
    // Not a draft of a backup.
    await writeFile(join(backups, 'notes.part'), '');
    for (const name of await readdir(backups)) await utimes(join(backups, name), 0, 0);
    expect(await rotateBackups(backups, 1, NOW)).toEqual([join(backups, names[1] ?? '')]);
  });
});

test('a backup that would replace the store, or of no store, is refused', async () => {
  const url = `sqlite://${file}`;
  for (const target of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`])
    await expect(backupStore(url, target)).rejects.toMatchObject({
      exitCode: 2,
      message: 'The backup would replace the store itself; name another file.',
    });
  await expect(backupStore(`sqlite://${file}.none`, join(dir, 'x'))).rejects.toThrow(
    `There is no store at ${file}.none to back up.`,
  );
});
