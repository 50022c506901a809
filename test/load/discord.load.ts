// Editions for many channels of the local Discord by four workers: none of Discord's limits is reached, all processes
// together stay below its limit per second, and each channel gets everything in order. LOAD_PLACES and LOAD_EDITIONS
// set how many.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { titlesIn } from '../helpers/discord-cards.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';
import { judge, never, sized } from './figures.js';
import { startListings } from './listings.js';
import { fillStore, openSharedHouse, SHARED_MISSING } from './shared-house.js';

const CHANNELS = sized('LOAD_PLACES', { long: 500, short: 40 });
const EDITIONS = sized('LOAD_EDITIONS', { long: 20, short: 5 });
const WORKERS = 4;
/** Subscriptions of an account: they share its request. */
const EACH = 25;
const PER_SECOND = 50;

/** The highest number of requests within any second. */
function mostInASecond(discord: Discord): number {
  const times = discord.requests
    .filter(({ path }) => !path.startsWith('/interactions') && !path.startsWith('/webhooks'))
    .map(({ at }) => at)
    .toSorted((a, b) => a - b);
  let [most, from] = [0, 0];
  for (const [index, at] of times.entries()) {
    while ((times[from] as number) <= at - 1000) from++;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

const skipped = SHARED_MISSING ? ` (skipped: ${SHARED_MISSING})` : '';

test.skipIf(SHARED_MISSING)(
  `${CHANNELS} channels, ${EDITIONS} editions each${skipped}`,
  {
    timeout: 1_800_000,
  },
  async () => {
    const discord = await startDiscord();
    later(() => discord.close());
    const names = Array.from({ length: CHANNELS }, (_, n) => ({ name: `jobs-${n}` }));
    const guild = discord.addGuild({ channels: names });
    const channels = names.map(({ name }) => guild.channel(name).id);
    const listings = await startListings({ postings: 5, most: 100, bytes: 400 });
    later(listings.stop);
    const house = await openSharedHouse({
      env: {
        JOBS_API_URL: listings.url,
        API_SPACING_MS: '20',
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
      },
    });
    later(house.close);
    await fillStore(
      house.storeUrl,
      house.dir,
      channels.map((target, n) => ({
        id: `s${n}`,
        account: `a${Math.floor(n / EACH)}`,
        filter: { limit: 100 },
        schedule: '*/2 * * * * *',
        destinations: [{ sink: 'discord', target, cadence: 'immediate' }],
      })),
    );
    await listings.tell({ watch: 20 });
    await house.start('control');
    const workers = await Promise.all(Array.from({ length: WORKERS }, () => house.start('worker')));
    await until(
      () =>
        workers.flatMap((one) => one.json()).filter(({ baseline }) => baseline === true).length >= CHANNELS,
      { what: 'all baselines', timeoutMs: 60_000 },
    );
    // A new process may use very little of Discord's limit, until all have counted it.
    await sleep(10_000);
    /** What each channel shows, in order. */
    const shown = () => {
      const all = new Map(channels.map((id) => [id, [] as MessageRecord[]]));
      for (const message of discord.allMessages()) all.get(message.channelId)?.push(message);
      return all;
    };
    const news: string[] = [];
    const began = performance.now();
    for (let edition = 1; edition <= EDITIONS; edition++) {
      news.push(`Position ${(await listings.tell({ new: 1 })).newest}`);
      await until(
        async () => {
          await sleep(200);
          return [...shown().values()].every((messages) => messages.length >= edition);
        },
        { what: `edition ${edition} everywhere`, timeoutMs: 120_000 },
      );
    }
    const seconds = (performance.now() - began) / 1000;
    const numberOf = (title: unknown) => Number(/Position (\d+)/u.exec(String(title))?.[1]);
    const wanted = news.map(numberOf);
    const last = [...shown().values()];
    const messages = last.flat().length;
    const wrong = { missing: 0, twice: 0, disordered: 0 };
    for (const channel of last) {
      const numbers = channel.flatMap(titlesIn).map(numberOf);
      wrong.missing += wanted.filter((one) => !numbers.includes(one)).length;
      wrong.twice += numbers.length - new Set(numbers).size;
      if (numbers.some((one, index) => index > 0 && one < (numbers[index - 1] as number))) wrong.disordered++;
    }
    if (discord.violations.length > 0) console.log(discord.violations.slice(0, 20));
    judge(`${CHANNELS} channels × ${EDITIONS} editions, ${WORKERS} workers`, [
      { what: 'messages', is: messages },
      { what: 'messages a second', is: messages / seconds },
      {
        what: 'requests in any second, most',
        is: mostInASecond(discord),
        most: PER_SECOND,
        failsAbove: PER_SECOND,
      },
      never('429 that no test ordered', discord.naturalRateLimits),
      never('rules of Discord that were broken', discord.violations.length),
      never('requests that count towards a ban', discord.invalidRequests),
      never('postings that did not come', wrong.missing),
      never('postings that came twice', wrong.twice),
      never('channels with postings out of order', wrong.disordered),
      { what: 'messages of a channel', is: messages / CHANNELS, least: EDITIONS },
    ]);
  },
);
