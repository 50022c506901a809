// `jobcrier store copy`: copies the store to another database and compares both.
import { StoreError, throwFaults, UserError } from '../domain/errors.js';
import { copyStore, sourceOf } from '../store/copy.js';
import { openBackend, storeExists } from '../store/index.js';
import { isRedisUrl, parseStoreUrl, placeOfStore, storeFileFaults } from '../store/store-url.js';
import { counted } from './io.js';
const DOING = { copy: 'Copying', compare: 'Comparing', upgrade: 'Bringing the copy up to date' };
export async function storeCopyCommand({ to, json }, context) {
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
            tell(io, await withSpinner(io, (onProgress) => copyStore(from, target, { source, log, clock, onProgress })), json);
        }
        finally {
            await target.close();
        }
    }
    finally {
        await from.close();
    }
}
async function openSource(where) {
    if (!isRedisUrl(where.url))
        return sourceOf(await openBackend(where));
    return (await import('../store/redis-source.js')).openRedisSource(where.url);
}
async function openTarget(where) {
    try {
        return await openBackend(where);
    }
    catch (error) {
        throw error instanceof StoreError ? new StoreError(error.fault, `--to: ${error.message}`) : error;
    }
}
async function withSpinner(io, work) {
    const spinner = io.spinner(DOING.copy);
    try {
        const copied = await work((step, table, rows) => {
            const many = rows === undefined ? '' : `: ${counted(rows, 'row')}`;
            spinner.update(table ? `${DOING[step]} ${table}${many}` : DOING[step]);
        });
        spinner.success('Copied and compared');
        return copied;
    }
    catch (error) {
        spinner.error(error instanceof UserError ? 'Not copied' : 'Not copied to the end; run it again and it goes on');
        throw error;
    }
}
function tell(io, { tables, planned, from, to }, json) {
    const rows = tables.reduce((sum, one) => sum + one.source, 0);
    if (json) {
        io.json({ rows, planned, schema: { from, to }, tables });
        return;
    }
    const shown = tables.filter(({ source, written }) => source > 0 || written > 0);
    const row = (table, ...counts) => {
        const [source, target, written] = counts.map(String);
        return { table, source, target, written };
    };
    const sum = (what) => shown.reduce((all, one) => all + one[what], 0);
    io.table([
        ...shown.map(({ table, source, target, written }) => row(table, source, target, written)),
        row('all', sum('source'), sum('target'), sum('written')),
    ], '');
    io.say(`Both stores hold the same ${counted(rows, 'row')}.`);
    if (planned > 0)
        io.say(`Polls and deliveries stay planned as they were (${planned}).`);
    if (from < to)
        io.say(`The copy was then brought up to date (version ${from} to ${to}); the store it came from is as it was.`);
    io.say('Set STORE_URL to the new store and start the service. SECRET_KEY (or DATA_DIR/secret.key) stays the same: without it what is sealed in the store can not be read.');
}
//# sourceMappingURL=store-copy.js.map