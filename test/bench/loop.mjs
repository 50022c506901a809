// How long the event loop delays other work while 200 listings of 100 postings change together.
import { pathToFileURL } from 'node:url';
import { createHouse, EVERY_5_S, median } from './service.mjs';

const ACCOUNTS = 200;
const POSTINGS = 100;
const ROUNDS = 9;
const WARM = 5;

export async function rows() {
  const house = await createHouse();
  const { asked, quietAfter } = house;
  try {
    await asked({ postings: POSTINGS });
    await house.seed(0, ACCOUNTS, EVERY_5_S, 0, POSTINGS);
    const service = house.startWatched();
    await quietAfter(ACCOUNTS);
    const rounds = [];
    for (let round = -WARM; round < ROUNDS; round++) {
      const start = await asked({ new: POSTINGS });
      await service.delays();
      await quietAfter(start + ACCOUNTS);
      const delays = await service.delays();
      if (round >= 0) rounds.push(delays);
    }
    const ms = (pick) => `${median(rounds.map(pick)).toFixed(0)} ms`;
    return [
      {
        what: `event loop, ${ACCOUNTS} listings of ${POSTINGS} all new, p99`,
        ours: ms(({ p99 }) => p99),
        yardstick: '',
        ratio: '',
        spread: `most ${ms(({ max }) => max)}`,
        goal: '20 ms',
      },
    ];
  } finally {
    await house.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.table(await rows());
