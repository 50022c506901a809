// The cost of a poll: CPU of the whole service for each poll, compared with bare GETs of the same bodies in the same
// seconds. The service is the shipped program; each account has one subscription, polled every 5 seconds. While the
// service rests between two rounds, the yardstick makes as many requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { cpuOf, createHouse, EVERY_5_S, helper, median, ONCE } from './service.mjs';

/** Rounds that count, and warm-up rounds before them: V8 compiles for a dozen rounds. */
const ROUNDS = 7;
const WARM = 14;

/** Rows of the table for so many accounts. `idle`: subscriptions in the store that are not polled. */
export async function rows({ accounts = 1000, idle = 0 } = {}) {
  const house = await createHouse();
  const { asked, quietAfter } = house;
  const yardstick = helper('yardstick.mjs');
  const bare = async () => (await yardstick.ask({ url: house.url, count: accounts })).cpuMs;
  try {
    if (idle > 0) await house.seed(1_000_000, idle, ONCE, 7 * 86_400_000);
    const service = house.start();
    await sleep(5_000);
    for (let round = 0; round < WARM; round++) await bare();
    const found = [];
    /** `prepare` runs before each round; a round ends when each account was polled once. */
    async function measure(what, goal, prepare) {
      const figures = [];
      for (let round = -WARM; round < ROUNDS; round++) {
        const before = cpuOf(service.pid);
        const start = await asked();
        await prepare();
        await quietAfter(start + accounts);
        const made = (await asked()) - start;
        const each = (cpuOf(service.pid) - before) / made;
        const least = await bare();
        if (round >= 0) figures.push({ each, least, ratio: each / least });
      }
      const ratios = figures.map(({ ratio }) => ratio);
      found.push({
        what,
        ours: `${median(figures.map(({ each }) => each)).toFixed(2)} ms`,
        yardstick: `${median(figures.map(({ least }) => least)).toFixed(2)} ms`,
        ratio: median(ratios).toFixed(2),
        spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
        goal,
      });
    }
    let seeded = 0;
    const take = async (schedule) => {
      await house.seed(seeded, accounts, schedule);
      seeded += accounts;
    };
    await measure('first poll', '4 ms', () => take(ONCE));
    await take(EVERY_5_S);
    await quietAfter((await asked()) + accounts);
    await measure('poll, unchanged', '1.5', () => undefined);
    await measure('poll, 1 of 20 is new', '4', () => asked({ new: 1 }));
    await measure('poll, unchanged by ETag', '', () => asked({ etag: true }));
    return found;
  } finally {
    yardstick.child.kill();
    await house.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const accounts of process.argv.slice(2).map(Number).filter(Boolean))
    console.table(await rows({ accounts }));
