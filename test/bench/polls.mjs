// The cost of a poll: CPU of the whole service for each poll, compared with bare GETs of the same bodies in the same
// seconds. The service is the shipped program; each account has one subscription, polled every 5 seconds. While the
// service rests between two rounds, the yardstick makes as many requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { cpuOf, createHouse, EVERY_5_S, helper, median, ONCE } from './service.mjs';

/** Rounds that count, and warm-up rounds before them: V8 compiles for a dozen rounds. */
const ROUNDS = 7;
const WARM = 14;

/** Rows of the table, for so many accounts. */
export async function rows({ accounts = 1000 } = {}) {
  const regular = await withService(accounts, async (service) => {
    await service.add(EVERY_5_S);
    return [
      await service.measure('poll, unchanged', '1.5'),
      await service.measure('poll, 1 of 20 is new', '4', () => service.asked({ new: 1 })),
      await service.measure('poll, unchanged by ETag', '', () => service.asked({ etag: true })),
    ];
  });
  // Each first poll needs an account that was not polled before, so the store fills up.
  const [first, ...beside] = await withService(accounts, async (service) => {
    const firstPoll = await service.measure('first poll', '4 ms', () => service.add(ONCE));
    const others = `with ${service.added()} others polled before`;
    await service.add(EVERY_5_S);
    return [
      firstPoll,
      await service.measure(`poll, unchanged, ${others}`, ''),
      await service.measure(`poll, 1 of 20 is new, ${others}`, '', () => service.asked({ new: 1 })),
    ];
  });
  return [first, ...regular, ...beside];
}

/** Starts the service with an empty store, and lets `work` measure it. */
async function withService(accounts, work) {
  const house = await createHouse();
  const { asked, quietAfter } = house;
  const yardstick = helper('yardstick.mjs');
  const bare = async () => (await yardstick.ask({ url: house.url, count: accounts })).cpuMs;
  let added = 0;
  try {
    const { pid } = house.start();
    await sleep(5_000);
    for (let round = 0; round < WARM; round++) await bare();
    return await work({
      asked,
      /** The number of accounts so far. */
      added: () => added,
      /** Adds `accounts` accounts and waits for their first polls. */
      async add(schedule) {
        const before = await asked();
        await house.seed(added, accounts, schedule);
        added += accounts;
        await quietAfter(before + accounts);
      },
      /** `prepare` runs before each round; a round ends when each account was polled once. */
      async measure(what, goal, prepare = () => undefined) {
        const figures = [];
        for (let round = -WARM; round < ROUNDS; round++) {
          const before = cpuOf(pid);
          const start = await asked();
          await prepare();
          await quietAfter(start + accounts);
          const made = (await asked()) - start;
          const each = (cpuOf(pid) - before) / made;
          const least = await bare();
          if (round >= 0) figures.push({ each, least, ratio: each / least });
        }
        const ratios = figures.map(({ ratio }) => ratio);
        return {
          what,
          ours: `${median(figures.map(({ each }) => each)).toFixed(3)} ms`,
          yardstick: `${median(figures.map(({ least }) => least)).toFixed(3)} ms`,
          ratio: median(ratios).toFixed(2),
          spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
          goal,
        };
      },
    });
  } finally {
    yardstick.child.kill();
    await house.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const accounts of process.argv.slice(2).map(Number).filter(Boolean))
    console.table(await rows({ accounts }));
