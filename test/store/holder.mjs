// A process that holds a lease until a command ends it; run by lease-process.test.ts on the compiled store.
// Arguments: folder of the compiled sources, store address, secret key, lease lifetime in ms. Commands come by line.
import { createInterface } from 'node:readline';
import { openStores } from '../../dist/store/index.js';
import { parseSecretKeys } from '../../dist/store/secret-keys.js';

const [url, key, ttlMs] = process.argv.slice(2);

const log = { debug() {}, info() {}, warn() {}, error() {} };
const stores = await openStores({
  url,
  dataDir: '/nonexistent',
  keys: parseSecretKeys(key, 'SECRET_KEY'),
  log,
  clock: { now: () => Date.now() },
  lease: { ttlMs: Number(ttlMs) },
});
const FILTER = { tags: [], include: [], exclude: [], payUnknown: 'keep', limit: 100 };
const SCHEDULE = { cron: '0 * * * *', timezone: 'UTC' };

async function write(id, key) {
  const opened = await stores.ledgers.open(id);
  if (!(await opened.commit({ ...opened.ledger, recent: { q: [key] } }))) throw new Error('conflict');
}
const commands = {
  acquire: () => stores.lease.acquire(),
  held: () => stores.lease.held(),
  renew: () => stores.lease.renew(),
  release: () => stores.lease.release().then(() => true),
  write: () => write('one', 'holder').then(() => 'written'),
  // Writes until it is killed; prints a line before the first write and after each.
  flood: async () => {
    for (let index = 0; ; index++) {
      await write(`flood-${index}`, `${index}`);
      process.stdout.write(`${JSON.stringify({ flood: index })}\n`);
    }
  },
  // A record that other processes also count in, and one that is full at ten.
  count: async () => {
    for (let counted = 0; counted < 150; )
      try {
        await stores.marks.update('count', (before = { n: 0 }) => ({ n: before.n + 1 }));
        counted++;
      } catch (error) {
        // SQLite lets a process wait 2 s for another one's lock. On a busy machine that may be too short.
        if (error.fault !== 'locked') throw error;
      }
    return true;
  },
  take: async () => {
    const taken = await Promise.allSettled(
      Array.from({ length: 60 }, () =>
        stores.misc.update('limit', (before = { n: 0 }) => {
          if (before.n >= 10) throw new Error('full');
          return { n: before.n + 1 };
        }),
      ),
    );
    return taken.filter((one) => one.status === 'fulfilled').length;
  },
  // One account that may have 25 subscriptions, and two Discord servers that may have ten of them.
  fill: async () => {
    const full = (of) => new Error(`full: ${of}`);
    const added = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => {
        const id = `${process.pid}-${index}`;
        const guild = index % 3 === 0 ? {} : { guild: `server-${index % 3}` };
        const made = { id, account: 'burst', ...guild, filter: FILTER, schedule: SCHEDULE, destinations: [] };
        return stores.subscriptions.update(id, () => made, { room: { account: 25, server: 10, full } });
      }),
    );
    return added.filter((one) => one.status === 'fulfilled').length;
  },
  close: () => stores.close().then(() => true),
};

process.stdout.write(`${JSON.stringify({ ready: process.pid })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await commands[line]().catch((error) => ({ fault: error.fault ?? String(error) }));
  process.stdout.write(`${JSON.stringify({ [line]: answer })}\n`);
}
