// Upkeep duties: a backup a day, and the deletion of subscriptions whose Discord server removed the bot.

import { mkdir, stat } from 'node:fs/promises';
import type { Config } from './config.js';
import { defined } from './domain/defined.js';
import { reasonOf } from './domain/errors.js';
import { withFileFaults } from './domain/file-fault.js';
import type { Pipeline } from './pipeline/context.js';
import { deleteDeparted } from './pipeline/servers.js';
import { forgetGone } from './pipeline/subscription-sync.js';
import type { Duty } from './service.js';
import { backupStore } from './store/backup.js';
import { backupFile, backupsDir, listBackups, rotateBackups } from './store/backups-dir.js';

const DAY_MS = 86_400_000;
/** A day and an hour: the duty runs every ten minutes, and a backup may take a while. */
const LATE_MS = DAY_MS + 3_600_000;

/**
 * When the newest backup was made, in milliseconds since the epoch; undefined without one. Ignores backups dated after
 * `now`: the clock has been set back since, so their dates do not give an age.
 */
export async function newestBackupAt(dataDir: string, now: number): Promise<number | undefined> {
  for (const file of await listBackups(backupsDir(dataDir))) {
    const { mtimeMs } = await stat(file);
    if (mtimeMs <= now) return mtimeMs;
  }
  return undefined;
}

/** The state of the daily backups. `why`: what is wrong, if anything is. */
interface BackupState {
  readonly ok: boolean;
  /** Age of the newest backup in seconds; without one, seconds since the service was started. */
  readonly ageSeconds: number;
  readonly why?: string;
}

export interface DailyBackups {
  readonly duty: Duty;
  state(): Promise<BackupState>;
}

/** False with BACKUP_KEEP=0, and for stores other than SQLite, which have their own tools. */
export function hasBackups({ backupKeep, store }: Pick<Config, 'backupKeep' | 'store'>): boolean {
  return backupKeep > 0 && store.url.startsWith('sqlite:');
}

/** Undefined when no backups are made. */
export function dailyBackups(
  config: Config,
  { clock, log }: Pick<Pipeline, 'clock' | 'log'>,
): DailyBackups | undefined {
  if (!hasBackups(config)) return undefined;
  const { backupKeep, dirs, store } = config;
  const startedAt = clock.now();
  let failure: string | undefined;

  async function makeWhenDue(): Promise<void> {
    const now = clock.now();
    if (now - ((await newestBackupAt(dirs.data, now)) ?? 0) < DAY_MS) return;
    const dir = backupsDir(dirs.data);
    await withFileFaults('write', dir, () => mkdir(dir, { recursive: true, mode: 0o700 }));
    const { rows } = await backupStore(store.url, backupFile(dir, now));
    const deleted = await rotateBackups(dir, backupKeep, now);
    log.info({ subscriptions: rows.subscriptions, deleted: deleted.length }, 'backup made');
  }

  return {
    duty: {
      name: 'backup',
      every: 600,
      slow: true,
      async run() {
        try {
          await makeWhenDue();
          failure = undefined;
        } catch (error) {
          failure = reasonOf(error);
          throw error;
        }
      },
    },
    async state() {
      const now = clock.now();
      const at = await newestBackupAt(dirs.data, now);
      const ageSeconds = Math.max(0, (now - (at ?? startedAt)) / 1000);
      const missing = at === undefined ? 'there is no backup yet' : undefined;
      const late = ageSeconds * 1000 > LATE_MS ? 'the newest backup is more than a day old' : undefined;
      const why = failure ?? missing ?? late;
      return { ok: why === undefined, ageSeconds, ...defined({ why: why || undefined }) };
    },
  };
}

export function upkeepDuties(
  config: Config,
  p: Pipeline,
  backups = dailyBackups(config, p),
): readonly Duty[] {
  const departed: Duty = {
    name: 'departed',
    every: 'hour',
    async run() {
      await deleteDeparted(p);
      await forgetGone(p);
    },
  };
  return backups ? [backups.duty, departed] : [departed];
}
