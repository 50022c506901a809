// The duties nobody should have to think of: a backup a day, and the end of subscriptions whose server is gone.
import { mkdir, stat } from 'node:fs/promises';
import type { Config } from './config.js';
import type { Pipeline } from './pipeline/context.js';
import { forgetGone } from './pipeline/roster.js';
import type { Scheduler } from './pipeline/scheduler.js';
import { deleteDeparted } from './pipeline/servers.js';
import type { Duty } from './service.js';
import { backupStore } from './store/backup.js';
import { backupFile, backupsDir, listBackups, rotateBackups } from './store/backups-dir.js';

const DAY_MS = 86_400_000;

/**
 * When the newest backup was made, milliseconds since the epoch; undefined without one. One from after `now` was made
 * by a clock that has been set back since: it says nothing about how old the backups are.
 */
export async function newestBackupAt(dataDir: string, now: number): Promise<number | undefined> {
  for (const file of await listBackups(backupsDir(dataDir))) {
    const { mtimeMs } = await stat(file);
    if (mtimeMs <= now) return mtimeMs;
  }
  return undefined;
}

/** Backups are SQLite's business alone: other stores have tools of their own. */
export function upkeepDuties(config: Config, p: Pipeline, scheduler: Scheduler): readonly Duty[] {
  const { backupKeep, dirs, store } = config;
  const backup: Duty = {
    name: 'backup',
    everySeconds: 600,
    async run() {
      const now = p.clock.now();
      if (now - ((await newestBackupAt(dirs.data, now)) ?? 0) < DAY_MS) return;
      const dir = backupsDir(dirs.data);
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const { rows } = await backupStore(store.url, backupFile(dir, now));
      const deleted = await rotateBackups(dir, backupKeep, now);
      p.log.info({ subscriptions: rows.subscriptions, deleted: deleted.length }, 'backup made');
    },
  };
  const departed: Duty = {
    name: 'departed',
    everySeconds: 3600,
    async run() {
      await deleteDeparted(p, scheduler);
      await forgetGone(p, scheduler);
    },
  };
  return backupKeep > 0 && store.url.startsWith('sqlite:') ? [backup, departed] : [departed];
}
