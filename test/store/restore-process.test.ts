// A restore stops no running process, and works once the process has ended. Needs the build.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backupStore } from '../../src/store/backup.js';
import { restoreStore } from '../../src/store/restore.js';
import { keyText, openTestStores, tempDir } from './fixtures.js';
import { startHolder } from './holders.js';

test('a restore is refused while a process holds the lease, and while it only has the store open', async () => {
  const dir = await tempDir();
  const [url, backup] = [`sqlite://${join(dir, 'store.sqlite')}`, join(dir, 'copies', 'one.sqlite')];
  const holder = await startHolder(url, keyText(), 60_000);
  await backupStore(url, backup);
  await expect(restoreStore(backup, url)).rejects.toThrow(/in use by another process/u);
  await holder.ask('acquire');
  await expect(restoreStore(backup, url)).rejects.toThrow(`in use by process ${holder.pid}`);
  expect(await holder.ask('write')).toBe('written');
  await holder.end('SIGKILL');
  expect(await restoreStore(backup, url)).toHaveProperty('keptAside');
  expect(await (await openTestStores(url)).ledgers.read('one')).toBeUndefined();
});
