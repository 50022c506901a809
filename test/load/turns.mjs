// A process that takes turns of the queue `work`, which do nothing. Arguments: store address, secret key, Redis
// address (empty: the engine of one process), slots, how long a turn lasts, and when its unit is due again, in ms.
// Each message is answered with what happened since the last one: the number of turns, and by how many milliseconds
// each was late, by the first letters of its lane.
import { setTimeout as sleep } from 'node:timers/promises';
import { createBullEngine } from '../../dist/engine/bullmq.js';
import { createLaneEngine } from '../../dist/engine/lane-engine.js';
import { openStores } from '../../dist/store/index.js';
import { parseSecretKeys } from '../../dist/store/secret-keys.js';

const [storeUrl, key, redisUrl, slots, lastsMs, againMs] = process.argv.slice(2);
const clock = { now: () => Date.now() };
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const { lanes, close } = await openStores({
  url: storeUrl,
  dataDir: '/nonexistent',
  keys: parseSecretKeys(key, 'SECRET_KEY'),
  log,
  clock,
});

let turns = 0;
let late = {};
function note(turn) {
  const kind = /^[a-z]+/u.exec(turn.lane)?.[0] ?? '';
  late[kind] ??= [];
  late[kind].push(Date.now() - turn.dueAt);
  return turn;
}
const watched = {
  ...lanes,
  async claim(...args) {
    return (await lanes.claim(...args)).map(note);
  },
  async claimLane(...args) {
    const claim = await lanes.claimLane(...args);
    return claim && 'epoch' in claim ? note(claim) : claim;
  },
};

const deps = { lanes: watched, clock, log };
const engine = redisUrl ? createBullEngine({ ...deps, url: redisUrl }) : createLaneEngine(deps);
engine.work('work', Number(slots), async () => {
  turns++;
  if (Number(lastsMs) > 0) await sleep(Number(lastsMs));
  return { again: Number(againMs), succeeded: true };
});

process.on('message', () => {
  process.send({ turns, late });
  turns = 0;
  late = {};
});
process.on('SIGTERM', async () => {
  await engine.drain(5_000);
  await close();
  process.exit(0);
});
process.send('ready');
