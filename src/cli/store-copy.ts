// `jobcrier store copy`.

import { UserError } from '../domain/errors.js';
import { copyStore } from '../store/copy.js';
import { openBackend, storeExists } from '../store/index.js';
import type { CommandContext } from './context.js';
import { counted } from './io.js';

interface CopyOptions {
  /** In the form of STORE_URL. */
  readonly to: string;
  readonly json?: boolean;
}

export async function storeCopyCommand({ to, json }: CopyOptions, context: CommandContext): Promise<void> {
  const { io, clock } = context;
  const { store, dirs } = context.config();
  const log = context.log('stderr');
  if (!(await storeExists(store.url)))
    throw new UserError('There is no store at STORE_URL, so there is nothing to copy.', 2);
  const spinner = io.spinner('Copying');
  const where = { dataDir: dirs.data, clock };
  const from = await openBackend({ ...where, url: store.url });
  try {
    const target = await openBackend({ ...where, url: to });
    try {
      const tables = await copyStore(from, target, { source: store.url, log, clock });
      const rows = tables.reduce((sum, one) => sum + one.rows, 0);
      spinner.success('Copied and compared');
      if (json) io.json({ tables, rows });
      else {
        io.table(
          tables.map((one) => ({ table: one.table, rows: String(one.rows), copied: String(one.copied) })),
          '',
        );
        io.print(
          `Both stores hold the same ${counted(rows, 'row')}. Set STORE_URL to the new one and start the service.`,
        );
        io.say('SECRET_KEY stays the same: without it the stored tokens can not be read.');
      }
    } finally {
      await target.close();
    }
  } catch (error) {
    spinner.error('Not copied; run it again to go on where it stopped');
    throw error;
  } finally {
    await from.close();
  }
}
