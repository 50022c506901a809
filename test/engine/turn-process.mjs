// A process that takes turns until it is ended; run by bullmq-faults.test.ts on the built program. Arguments: store
// address, secret key, Redis address, how long a turn lasts and until the next one, in ms.
import { createBullEngine } from '../../dist/engine/bullmq.js';
import { openStores } from '../../dist/store/index.js';
import { parseSecretKeys } from '../../dist/store/secret-keys.js';

const [url, key, redis, lastsMs, againMs] = process.argv.slice(2);

const say = (line) => process.stdout.write(`${JSON.stringify({ ...line, at: Date.now() })}\n`);
const clock = { now: () => Date.now() };
const log = { debug() {}, info() {}, warn: (_, message) => say({ warn: message }), error() {} };
const { lanes, close } = await openStores({
  url,
  dataDir: '/nonexistent',
  keys: parseSecretKeys(key, 'SECRET_KEY'),
  log,
  clock,
});
const engine = createBullEngine({ lanes, clock, log, url: redis });
engine.work('work', 10, async ({ id }) => {
  say({ begin: id });
  await new Promise((resolve) => setTimeout(resolve, Number(lastsMs)));
  say({ end: id });
  return { again: Number(againMs), succeeded: true };
});
process.on('SIGTERM', async () => {
  say({ drained: await engine.drain(10_000) });
  await close();
  process.exit(0);
});
say({ ready: true });
