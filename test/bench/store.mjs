// Whether a poll costs the same with much data: with many idle subscriptions, and with many seen postings.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { cpuOf, createHouse, EVERY_5_S, median, memoryOf, ONCE } from './service.mjs';

const ACCOUNTS = 200;
const ROUNDS = 9;
const WARM = 6;
const RESTING_MS = 7 * 86_400_000;

/** CPU milliseconds per poll, unchanged and with one new posting, in a store that `fill` has prepared. */
async function costs(fill) {
  const house = await createHouse();
  const { asked, quietAfter } = house;
  try {
    await fill(house);
    await house.seed(0, ACCOUNTS, EVERY_5_S);
    const service = house.start();
    await quietAfter(ACCOUNTS);
    await fill.later?.(house);
    const measure = async (prepare) => {
      const figures = [];
      for (let round = -WARM; round < ROUNDS; round++) {
        const [cpu, start] = [cpuOf(service.pid), await asked()];
        await prepare();
        await quietAfter(start + ACCOUNTS);
        if (round >= 0) figures.push((cpuOf(service.pid) - cpu) / ((await asked()) - start));
      }
      return median(figures);
    };
    const unchanged = await measure(() => undefined);
    const changed = await measure(() => asked({ new: 1 }));
    await sleep(2_000);
    return { unchanged, changed, bytes: memoryOf(service.pid) };
  } finally {
    await house.close();
  }
}

/** Rows of the table. `idle`: subscriptions that are not polled; `seen`: postings that each subscription has seen. */
export async function rows({ idle = 100_000, seen = 20_000 } = {}) {
  const few = await costs(() => undefined);
  const many = await costs(async (house) => {
    await house.seed(1_000_000, idle, ONCE, RESTING_MS);
    await house.forgetChanges();
  });
  const known = await costs(
    Object.assign(() => undefined, { later: (house) => house.addSeen(ACCOUNTS, seen) }),
  );
  const row = (what, ours, yardstick, goal) => ({
    what,
    ours: `${ours.toFixed(3)} ms`,
    yardstick: `${yardstick.toFixed(3)} ms`,
    ratio: (ours / yardstick).toFixed(2),
    spread: '',
    goal,
  });
  return [
    row(`unchanged beside ${idle} that rest, to none`, many.unchanged, few.unchanged, '1.1'),
    row(`1 of 20 is new, the same`, many.changed, few.changed, '1.1'),
    row(`unchanged with ${seen} postings seen, to 20`, known.unchanged, few.unchanged, '1.1'),
    row(`1 of 20 is new, the same`, known.changed, few.changed, '1.1'),
    {
      what: 'memory for a subscription that rests',
      ours: `${((many.bytes - few.bytes) / idle).toFixed(0)} bytes`,
      yardstick: '',
      ratio: '',
      spread: '',
      goal: '400 bytes',
    },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.table(await rows());
