// Backups while the store is written to, and restores that stop no running process.
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { backupStore } from '../../src/store/backup.js';
import { backupFile, listBackups, rotateBackups } from '../../src/store/backups-dir.js';
import { identifyProcess } from '../../src/store/process-identity.js';
import { restoreStore } from '../../src/store/restore.js';
import { knownVersion } from '../../src/store/schema.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { put, putLedger } from '../helpers/put.js';
import { keysIn, ledger, NOW, openTestStores, subscription, tempDir } from './fixtures.js';

/** Later than every backup that these tests make. */
const LATER = NOW + 30 * 86_400_000;

async function place() {
  const dir = await tempDir();
  const file = join(dir, 'store.sqlite');
  return { dir, file, url: `sqlite://${file}`, backup: join(dir, 'copies', 'one.sqlite') };
}

describe('a backup', () => {
  test('is complete and consistent while the store is written to', async () => {
    const { url, backup, dir } = await place();
    const stores = await openTestStores(url);
    await put(stores.accounts, { id: 'discord:1', token: secret('token-one'), createdAt: NOW });
    let count = 0;
    let writing = true;
    // `a` is always written before `b` of the same number, so a copy of one moment never has a later `b`.
    const writer = (async () => {
      for (; writing; count++) {
        await putLedger(stores.ledgers, 'a', ledger([String(count)]));
        await putLedger(stores.ledgers, 'b', ledger([String(count)]));
      }
    })();
    for (let round = 0; round < 5; round++) {
      const report = await backupStore(url, backup);
      expect(report).toMatchObject({ version: knownVersion(), rows: { accounts: 1, subscriptions: 0 } });
      const copy = await openTestStores(`sqlite://${backup}`);
      const [a, b] = [await copy.ledgers.read('a'), await copy.ledgers.read('b')];
      const [last, before] = [Number(keysIn(a)[0] ?? -1), Number(keysIn(b)[0] ?? -1)];
      expect([last, last - 1]).toContain(before);
      expect((await copy.accounts.get('discord:1'))?.token?.reveal()).toBe('token-one');
      await copy.close();
    }
    writing = false;
    await writer;
    expect(count).toBeGreaterThan(1);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(backup))).toEqual(['one.sqlite']);
    expect((await stat(dirname(backup))).mode & 0o777).toBe(0o700);
    expect((await readdir(dir)).sort()).toEqual([
      'copies',
      'store.sqlite',
      'store.sqlite-shm',
      'store.sqlite-wal',
    ]);
  });

  test('never replaces the store itself, under any of its names', async () => {
    const { url, file, dir } = await place();
    await (await openTestStores(url)).close();
    await symlink(dir, `${dir}-link`);
    try {
      for (const target of [
        file,
        `${file}-wal`,
        join(dir, 'x', '..', 'store.sqlite'),
        `${dir}-link/store.sqlite`,
      ])
        await expect(backupStore(url, target)).rejects.toMatchObject({ name: 'UserError' });
    } finally {
      await rm(`${dir}-link`);
    }
  });

  test('does not change an older one if it fails', async () => {
    const { url, backup, dir } = await place();
    await (await openTestStores(url)).close();
    await backupStore(url, backup);
    const before = await readFile(backup);
    await expect(backupStore(`sqlite://${dir}/none.sqlite`, backup)).rejects.toThrow(/no store/u);
    await writeFile(join(dir, 'bad.sqlite'), 'nonsense '.repeat(999));
    await expect(backupStore(`sqlite://${dir}/bad.sqlite`, backup)).rejects.toMatchObject({
      fault: 'corrupt',
    });
    expect(before.equals(await readFile(backup))).toBe(true);
    expect(await readdir(dirname(backup))).toEqual(['one.sqlite']);
  });

  test('of another database is an error that names the right tool', async () => {
    await expect(backupStore('postgres://u:canary@h/db', '/tmp/x')).rejects.toThrow(
      /^(?!.*canary).*pg_dump/u,
    );
    await expect(restoreStore('/tmp/x', 'postgres://h/db')).rejects.toThrow(/pg_restore/u);
  });

  test('of each day is kept for the configured number of days, and other files are not touched', async () => {
    const dir = join(await tempDir(), 'backups');
    await mkdir(dir);
    const files = Array.from({ length: 10 }, (_, day) => backupFile(dir, NOW + day * 86_400_000));
    for (const file of [...files, join(dir, 'mine.sqlite')]) await writeFile(file, '');
    expect(await listBackups(dir)).toEqual([...files].reverse());
    expect(await rotateBackups(dir, 7, LATER)).toEqual([...files.slice(0, 3)].reverse());
    expect(await readdir(dir)).toHaveLength(8);
    const [stale, young] = ['1', '2'].map((pid) => `${files[9]}.${pid}.part`) as [string, string];
    for (const draft of [stale, young]) await writeFile(draft, '');
    await utimes(stale, 0, 0);
    expect(await rotateBackups(dir, 7, LATER)).toEqual([stale]);
    await rm(young);
    expect(await rotateBackups(dir, 0, LATER)).toHaveLength(7);
    expect(await readdir(dir)).toEqual(['mine.sqlite']);
    expect(await rotateBackups(join(dir, 'none'), 7, LATER)).toEqual([]);
  });
});

describe('a restore', () => {
  test('restores the contents of the backup and keeps the former store', async () => {
    const { url, backup, file } = await place();
    const first = await openTestStores(url);
    await put(first.subscriptions, subscription('old'));
    await first.lease.acquire();
    await backupStore(url, backup);
    await first.subscriptions.remove('old');
    await put(first.subscriptions, subscription('new'));
    await first.lease.release();
    for (let fence = 2; fence < 5; fence++) {
      expect(await first.lease.acquire()).toEqual({ fence });
      await first.lease.release();
    }
    await first.close();
    const report = await restoreStore(backup, url, NOW);
    expect(report).toMatchObject({ version: knownVersion(), rows: { subscriptions: 1 } });
    const restored = await openTestStores(url);
    expect(await restored.subscriptions.get('old')).toEqual(subscription('old'));
    expect(await restored.subscriptions.get('new')).toBeUndefined();
    // Higher than that of any holder of the replaced store.
    expect(await restored.lease.acquire()).toEqual({ fence: 6 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const kept = await openTestStores(`sqlite://${report.keptAside}`);
    expect(await kept.subscriptions.get('new')).toBeDefined();
    // The backup can be used again.
    expect(await openTestStores(`sqlite://${backup}`)).toBeDefined();
  });

  test('works without a store, and with one that is too damaged to read', async () => {
    const { url, backup, file, dir } = await place();
    const first = await openTestStores(url);
    await put(first.subscriptions, subscription('old'));
    await first.close();
    await backupStore(url, backup);
    for (const wreck of ['nonsense '.repeat(1000), '']) {
      await writeFile(file, wreck);
      await writeFile(`${file}-wal`, 'a log of another life');
      const { keptAside } = await restoreStore(backup, url);
      if (wreck !== '') expect(await readFile(keptAside!, 'utf8')).toBe(wreck);
      const again = await openTestStores(url);
      expect(await again.subscriptions.get('old')).toBeDefined();
      await again.close();
      await rm(keptAside!);
    }
    const elsewhere = `sqlite://${dir}/else/where.sqlite`;
    expect(await restoreStore(backup, elsewhere)).not.toHaveProperty('keptAside');
    expect(await (await openTestStores(elsewhere)).subscriptions.get('old')).toBeDefined();
  });

  test('refuses a file that is no backup, damaged, newer or the store itself, and changes nothing', async () => {
    const { url, backup, file, dir } = await place();
    const stores = await openTestStores(url);
    await put(stores.subscriptions, subscription('here'));
    await stores.backend.kvTables.meta.set('schema', { value: { version: 99 } });
    await backupStore(url, backup);
    await stores.backend.kvTables.meta.set('schema', { value: { version: 1 } });
    await stores.close();
    const before = await readFile(file);
    await writeFile(join(dir, 'text'), 'nonsense '.repeat(1000));
    await writeFile(join(dir, 'empty'), '');
    await link(file, join(dir, 'same'));
    await expect(restoreStore(backup, url)).rejects.toMatchObject({
      fault: 'newer',
      message: expect.stringContaining(`the backup is of version 99, this program knows ${knownVersion()}`),
    });
    await expect(restoreStore(join(dir, 'text'), url)).rejects.toMatchObject({ fault: 'corrupt' });
    await expect(restoreStore(join(dir, 'empty'), url)).rejects.toThrow(/not a store/u);
    await expect(restoreStore(join(dir, 'none'), url)).rejects.toThrow(/no file/u);
    for (const same of [file, join(dir, 'same')])
      await expect(restoreStore(same, url)).rejects.toThrow(/the store itself/u);
    expect(before.equals(await readFile(file))).toBe(true);
  });

  test('makes files and folders that only their owner can read, whatever the backup allows', async () => {
    const { url, backup, dir } = await place();
    await (await openTestStores(url)).close();
    await backupStore(url, backup);
    await chmod(backup, 0o644);
    await restoreStore(backup, `sqlite://${dir}/else/where.sqlite`);
    expect((await stat(join(dir, 'else/where.sqlite'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dir, 'else'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(dir, 'else'))).toEqual(['where.sqlite']);
  });

  test('leaves no files when it is refused', async () => {
    const { url, dir } = await place();
    await (await openTestStores(url)).close();
    await writeFile(join(dir, 'text'), 'nonsense '.repeat(1000));
    const before = (await readdir(dir)).toSorted();
    await expect(restoreStore(join(dir, 'text'), url)).rejects.toMatchObject({ fault: 'corrupt' });
    expect((await readdir(dir)).filter((name) => !before.includes(name))).toEqual([]);
  });

  test('keeps the log of a damaged store beside the kept file, and not beside the restored one', async () => {
    const { url, backup, file } = await place();
    await (await openTestStores(url)).close();
    await backupStore(url, backup);
    await writeFile(file, 'nonsense '.repeat(1000));
    await writeFile(`${file}-wal`, 'a log of another life');
    const { keptAside } = await restoreStore(backup, url);
    expect(await readFile(`${keptAside}-wal`, 'utf8')).toBe('a log of another life');
    await expect(stat(`${file}-wal`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('is refused while this process uses the store, whether it holds the lease or only has the store open', async () => {
    const { url, backup, file } = await place();
    const stores = await openTestStores(url);
    await backupStore(url, backup);
    await expect(restoreStore(backup, url, NOW)).rejects.toMatchObject({
      message: 'The store is in use by another process. Stop it before a restore.',
    });
    await stores.lease.acquire();
    await expect(restoreStore(backup, url, NOW)).rejects.toThrow(
      new RegExp(`^The store is in use by process ${process.pid} on .*\\. Stop it before a restore\\.$`, 'u'),
    );
    await stores.lease.release();
    await stores.close();
    expect(await readdir(dirname(file))).toEqual(['copies', 'store.sqlite']);
    expect(await restoreStore(backup, url, NOW)).toHaveProperty('keptAside');
  });

  test.for([
    ['that has ended', { started: '1' }, 60_000, true],
    ['of another machine', { host: 'elsewhere' }, 60_000, false],
    ['of another machine whose lease is over', { host: 'elsewhere' }, 0, true],
  ] as const)('after a crash depends on the holder: one %s', async ([, differs, lifeMs, isRestored]) => {
    const { url, backup, file } = await place();
    await (await openTestStores(url)).close();
    await backupStore(url, backup);
    const holder = JSON.stringify({ ...(await identifyProcess(NOW)), ...differs });
    await withFile(file, (run) =>
      run(
        `INSERT INTO lease (name, fence, holder, expires) VALUES ('service', 41, $1, $2)
         ON CONFLICT (name) DO UPDATE SET fence = 41, holder = $1, expires = $2`,
        [holder, NOW + lifeMs],
      ),
    );
    const restored = restoreStore(backup, url, NOW);
    if (!isRestored) return expect(restored).rejects.toThrow(/in use by process \d+ on elsewhere/u);
    await restored;
    expect(await (await openTestStores(url)).lease.acquire()).toEqual({ fence: 43 });
  });

  test('replaces a store that lost a table', async () => {
    const { url, backup, file } = await place();
    await (await openTestStores(url)).close();
    await backupStore(url, backup);
    await withFile(file, (run) => run('DROP TABLE lease'));
    expect(await restoreStore(backup, url, NOW)).toHaveProperty('keptAside');
    expect(await (await openTestStores(url)).lease.acquire()).toEqual({ fence: 2 });
  });

  test('names what it restored from and where the former store is', async () => {
    const { url, backup, file, dir } = await place();
    await (await openTestStores(url)).close();
    await backupStore(url, backup);
    expect((await restoreStore(backup, url, NOW)).keptAside).toBe(
      `${file}.before-restore-2026-03-02T12-00-00Z`,
    );
    await writeFile(join(dir, 'text'), 'nonsense '.repeat(1000));
    await mkdir(join(dir, 'folder'));
    for (const [name, error] of [
      ['none', { exitCode: 2, message: `There is no file ${join(dir, 'none')}.` }],
      ['folder', { exitCode: 2, message: `Can't read ${join(dir, 'folder')}: it is not a file.` }],
      [
        'text',
        {
          fault: 'corrupt',
          message: `${join(dir, 'text')} is damaged or not a copy of a store, so nothing was changed; name another file. The daily ones are in DATA_DIR/backups.`,
        },
      ],
      ['store.sqlite', { exitCode: 2, message: 'That file is the store itself; name a backup.' }],
    ] as const)
      await expect(restoreStore(join(dir, name), url, NOW)).rejects.toMatchObject(error);
  });
});
