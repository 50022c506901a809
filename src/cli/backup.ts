// `jobcrier backup` and `jobcrier restore`.
import { type BackupReport, backupStore } from '../store/backup.js';
import { restoreStore } from '../store/restore.js';
import { missingKeys } from '../store/secret-keys.js';
import { missingKeysOf } from '../wiring/store.js';
import type { CommandContext } from './context.js';
import { counted } from './io.js';

interface FileOptions {
  readonly file: string;
  readonly json?: boolean;
}

function counts({ rows }: BackupReport): string {
  const { subscriptions = 0, accounts = 0, ledgers = 0 } = rows;
  return [
    counted(subscriptions, 'subscription'),
    counted(accounts, 'account'),
    counted(ledgers, 'ledger'),
  ].join(', ');
}

export async function backupCommand({ file, json }: FileOptions, context: CommandContext): Promise<void> {
  const { store, secretKey, dirs } = context.config();
  const spinner = context.io.spinner('Copying');
  const report = await backupStore(store.url, file).catch((error: unknown) => {
    spinner.error('No copy was made');
    throw error;
  });
  spinner.success('Copied and read back');
  if (json) context.io.json({ file, ...report });
  else {
    context.io.print(`Wrote ${file}: ${counts(report)}.`);
    const key = secretKey ? 'SECRET_KEY' : `${dirs.data}/secret.key`;
    context.io.say(`The stored tokens can only be read with ${key}: keep that in another place.`);
  }
}

export async function restoreCommand({ file, json }: FileOptions, context: CommandContext): Promise<void> {
  const config = context.config();
  const report = await restoreStore(file, config.store.url, context.clock.now());
  if (json) context.io.json({ file, ...report });
  else {
    context.io.print(`Restored ${counts(report)}.`);
    if (report.keptAside) context.io.print(`The former store is kept as ${report.keptAside}.`);
  }
  const missing = await missingKeysOf(config, context.log('stderr', 'silent'), context.clock);
  if (missing.length > 0) context.io.say(`warning: ${missingKeys(missing).message}`);
}
