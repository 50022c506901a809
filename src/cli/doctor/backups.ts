// Checks whether the daily backups are made. It looks at their files, because the service may not be running.
import { stat } from 'node:fs/promises';
import { backupsDir } from '../../store/backups-dir.js';
import { newestBackupAt } from '../../upkeep.js';
import { type Check, off, ok, warn } from './check.js';
import { existing, whyNotWritten } from './disk.js';
import { sqliteFile } from './store.js';

const HOUR_MS = 3_600_000;
/** Two hours more than the time between two backups, which the service makes every 24 hours. */
const LATE_MS = 26 * HOUR_MS;

export const backupsCheck: Check = {
  name: 'backups',
  async run({ config, context }) {
    const file = sqliteFile(config);
    if (!file) return [off('the store is no SQLite file: back it up with its own tools')];
    if (config.backupKeep === 0) return [off('BACKUP_KEEP is 0, so none are made')];
    const dir = backupsDir(config.dirs.data);
    const refused = await whyNotWritten(
      await existing(dir),
      `make ${dir} a folder that this user can write; until then no backup is made`,
    );
    if (refused) return [refused];
    const now = context.clock.now();
    const at = await newestBackupAt(config.dirs.data, now);
    if (at === undefined) {
      const since = (await stat(file).catch(() => undefined))?.birthtimeMs ?? now;
      if (now - since < HOUR_MS)
        return [ok('none yet; the service makes one at its start and then every day')];
      return [warn(`there is none in ${dir}`, 'start the service; look for "duty failed" in its log')];
    }
    const hours = Math.floor((now - at) / HOUR_MS);
    if (now - at > LATE_MS)
      return [
        warn(
          `the newest is ${hours} hours old`,
          'see that the service runs, and look for "duty failed" in its log',
        ),
      ];
    return [ok(`the newest is ${hours === 0 ? 'less than an hour' : `${hours} h`} old`)];
  },
};
