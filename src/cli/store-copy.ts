// `jobcrier store copy`: copies the store to another database and compares both.
import { StoreError, throwFaults, UserError } from '../domain/errors.js';
import type { Backend } from '../store/backend.js';
import { type Copied, type CopyOptions, type CopySource, copyStore, sourceOf } from '../store/copy.js';
import { openBackend, storeExists } from '../store/index.js';
import { isRedisUrl, parseStoreUrl, placeOfStore, storeFileFaults } from '../store/store-url.js';
import type { CommandContext } from './context.js';
import { counted, type Io } from './io.js';

interface StoreCopyOptions {
  /** The address of the other store, in the form of STORE_URL. */
  readonly to: string;
  readonly json?: boolean;
}

const DOING = { copy: 'Copying', compare: 'Comparing', upgrade: 'Bringing the copy up to date' };

export async function storeCopyCommand(
  { to, json }: StoreCopyOptions,
  context: CommandContext,
): Promise<void> {
  const { io, clock } = context;
  const { store, dirs } = context.config('all', { formerStore: true });
  const log = context.log('stderr', 'warn');
  parseStoreUrl(to, '--to');
  throwFaults(storeFileFaults(to).map((fault) => `--to: ${fault}`));
  const source = placeOfStore(store.url);
  if (source === placeOfStore(to))
    throw new UserError('--to names the store of STORE_URL itself; name another one.', 2);
  if (!isRedisUrl(store.url) && !(await storeExists(store.url)))
    throw new UserError('There is no store at STORE_URL, so there is nothing to copy.', 2);
  const where = { dataDir: dirs.data, clock };
  const from = await openSource({ ...where, url: store.url });
  try {
    const target = await openTarget({ ...where, url: to });
    try {
      tell(
        io,
        await withSpinner(io, (onProgress) => copyStore(from, target, { source, log, clock, onProgress })),
        json,
      );
    } finally {
      await target.close();
    }
  } finally {
    await from.close();
  }
}

type Where = Parameters<typeof openBackend>[0];

async function openSource(where: Where): Promise<CopySource> {
  if (!isRedisUrl(where.url)) return sourceOf(await openBackend(where));
  return (await import('../store/redis-source.js')).openRedisSource(where.url);
}

async function openTarget(where: Where): Promise<Backend> {
  try {
    return await openBackend(where);
  } catch (error) {
    throw error instanceof StoreError ? new StoreError(error.fault, `--to: ${error.message}`) : error;
  }
}

async function withSpinner(
  io: Io,
  work: (onProgress: NonNullable<CopyOptions['onProgress']>) => Promise<Copied>,
): Promise<Copied> {
  const spinner = io.spinner(DOING.copy);
  try {
    const copied = await work((step, table, rows) => {
      const many = rows === undefined ? '' : `: ${counted(rows, 'row')}`;
      spinner.update(table ? `${DOING[step]} ${table}${many}` : DOING[step]);
    });
    spinner.success('Copied and compared');
    return copied;
  } catch (error) {
    spinner.error(
      error instanceof UserError
        ? 'Not copied'
        : 'The copy is not complete; run the command again to continue it',
    );
    throw error;
  }
}

function tell(io: Io, { tables, planned, from, to }: Copied, json: boolean | undefined): void {
  const rows = tables.reduce((sum, one) => sum + one.source, 0);
  if (json) {
    io.json({ rows, planned, schema: { from, to }, tables });
    return;
  }
  const shown = tables.filter(({ source, written }) => source > 0 || written > 0);
  const row = (table: string, ...counts: readonly number[]) => {
    const [source, target, written] = counts.map(String);
    return { table, source, target, written } as Record<string, string>;
  };
  const sum = (what: 'source' | 'target' | 'written') => shown.reduce((all, one) => all + one[what], 0);
  io.table(
    [
      ...shown.map(({ table, source, target, written }) => row(table, source, target, written)),
      row('all', sum('source'), sum('target'), sum('written')),
    ],
    '',
  );
  io.say(`Both stores hold the same ${counted(rows, 'row')}.`);
  if (planned > 0) io.say(`Polls and deliveries stay planned as they were (${planned}).`);
  if (from < to)
    io.say(
      `The copy was then brought up to date (version ${from} to ${to}); the store it came from is not changed.`,
    );
  io.say(
    "Set STORE_URL to the new store and start the service. SECRET_KEY (or DATA_DIR/secret.key) stays the same: without it the encrypted values in the store can't be read.",
  );
}
