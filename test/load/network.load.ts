// The network between two processes or services is cut and healed, while two controls and two workers announce postings to
// Discord: connections are reset, or what is sent arrives when the cut is over, or never. Nothing is lost, recorded twice or
// shown twice; no two requests of a token overlap or come too close; a process that was cut off writes nothing after another
// one took over its work, and works again within 30 seconds. LOAD=short cuts twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { titlesIn } from '../helpers/discord-cards.js';
import type { Program } from '../helpers/process.js';
import { until } from '../helpers/until.js';
import { type Cut, startTcpProxy, type TcpProxy } from '../store/tcp-proxy.js';
import { type Crew, createCrew, faultsIn, recordedBy, tookOver } from './crew.js';
import { type Figure, IS_SHORT, judge, never } from './figures.js';
import { type Listings, startListings } from './listings.js';
import { fillStore, openSharedHouse, SHARED_MISSING, type SharedHouse } from './shared-house.js';

const ROLES = ['control', 'control', 'worker', 'worker'] as const;
const CHANNELS = 20;
const POLL_MS = 4_000;
const SPACING_MS = 20;
/** Of an answer of the API, so that there is often a request open. */
const LATENCY_MS = 30;
const FIRST = 5;
/** Longer than a lane is held (12 s), than the control's lease (15 s) and than a request may take (15 s). */
const CUT_MS = 25_000;
/** What is promised. */
const BACK_S = 30;
/** What a worker says when a request was answered, and when Discord has an edition. */
const POLLED = /"outcome":"(?:answered|unchanged)".*"request done"/u;
const DELIVERED = /"edition delivered"/u;

const SERVICES = ['PostgreSQL', 'Redis', 'the jobs API', 'Discord'] as const;
type Service = (typeof SERVICES)[number];
type Ways = Readonly<Record<Service, TcpProxy>>;

interface Case {
  readonly role: 'control' | 'worker';
  readonly service: Service;
  readonly cut: Cut;
}

/** A request that arrives late would be the network's fault, so the API's way has no such cut. */
const cutsOf = (service: Service): readonly Cut[] =>
  service === 'the jobs API' ? ['reset', 'lost'] : ['reset', 'late', 'lost'];
const all: readonly Case[] = (
  [
    ['worker', SERVICES],
    ['control', ['PostgreSQL', 'Redis']],
  ] as const
).flatMap(([role, services]) =>
  services.flatMap((service) => cutsOf(service).map((cut) => ({ role, service, cut }))),
);
const SHORT = ['worker PostgreSQL late', 'worker Redis lost'];
const cases = IS_SHORT
  ? all.filter(({ role, service, cut }) => SHORT.includes(`${role} ${service} ${cut}`))
  : all;

describe.skipIf(SHARED_MISSING)(
  `a cut network${SHARED_MISSING ? ` (skipped: ${SHARED_MISSING})` : ''}`,
  () => {
    let discord: Discord;
    let listings: Listings;
    let house: SharedHouse;
    let crew: Crew;
    let channels: readonly string[];
    const ways: Ways[] = [];
    const news: number[] = [];

    beforeAll(async () => {
      discord = await startDiscord();
      const names = Array.from({ length: CHANNELS }, (_, n) => ({ name: `jobs-${n}` }));
      const guild = discord.addGuild({ channels: names });
      channels = names.map(({ name }) => guild.channel(name).id);
      listings = await startListings({ postings: FIRST, most: 100, bytes: 400 });
      house = await openSharedHouse({
        env: { API_SPACING_MS: String(SPACING_MS), DISCORD_TOKEN: discord.token, LOG_LEVEL: 'debug' },
      });
      await fillStore(
        house.storeUrl,
        house.dir,
        channels.map((target, n) => ({
          id: `s${n}`,
          account: `a${n}`,
          filter: { limit: 100 },
          schedule: `*/${POLL_MS / 1000} * * * * *`,
          destinations: [{ sink: 'discord', target, cadence: 'immediate' }],
        })),
      );
      const addresses = {
        PostgreSQL: house.storeUrl,
        Redis: house.redis.url,
        'the jobs API': listings.url,
        Discord: discord.apiUrl,
      };
      for (const _ of ROLES) {
        const each = SERVICES.map(async (service) => {
          const port = Number(new URL(addresses[service]).port);
          return [service, await startTcpProxy(port)] as const;
        });
        ways.push(Object.fromEntries(await Promise.all(each)) as unknown as Ways);
      }
      await listings.tell({ watch: SPACING_MS, delayMs: LATENCY_MS });
      crew = createCrew(ROLES, (role, at) => {
        const through = (service: Service) => {
          const address = new URL(addresses[service]);
          address.port = String(ways[at]?.[service].port);
          return address.href.replace(/\/$/u, '');
        };
        const env = {
          STORE_URL: through('PostgreSQL'),
          QUEUE_URL: through('Redis'),
          JOBS_API_URL: through('the jobs API'),
          DISCORD_API_URL: through('Discord'),
        };
        return house.launch(role, { env });
      });
      const baselines = () =>
        crew.all.flatMap((one) => one.json()).filter(({ baseline }) => baseline === true);
      await until(() => baselines().length >= CHANNELS, { what: 'all baselines', timeoutMs: 60_000 });
      // A process that is new gets next to nothing of what Discord allows, until all have counted it.
      await sleep(10_000);
    }, 300_000);
    afterAll(async () => {
      await crew?.stop();
      await house?.close();
      for (const one of ways) for (const proxy of Object.values(one)) await proxy.close();
      listings?.stop();
      await discord?.close();
    }, 120_000);

    /** The numbers of the postings in each message of each channel, in order. */
    function shown(): readonly Messages[] {
      const found = new Map<string, number[][]>(channels.map((id) => [id, []]));
      for (const message of discord.allMessages())
        found.get(message.channelId)?.push(titlesIn(message).map(numberIn));
      return [...found.values()];
    }

    /** Publishes a posting; resolves with the seconds until every channel shows it. */
    async function publish(): Promise<number> {
      const { newest } = await listings.tell({ new: 1 });
      news.push(newest);
      const published = performance.now();
      await until(
        async () => {
          await sleep(200);
          return shown().every((messages) => messages.flat().includes(newest));
        },
        { what: `posting ${newest} everywhere`, timeoutMs: 60_000 },
      );
      return (performance.now() - published) / 1000;
    }

    /** Where the active control runs. */
    async function activeControl(): Promise<number> {
      return until(
        async () => {
          const states = await Promise.all(crew.now.slice(0, 2).map(stateOf));
          const at = states.indexOf('active');
          // One of the two, and the other stands by; as text, because the first place is 0.
          return at >= 0 && states.includes('standby') ? String(at) : undefined;
        },
        { what: 'an active control and one that stands by', timeoutMs: BACK_S * 1000 },
      ).then(Number);
    }

    test.for(cases)('$role, $service, $cut', { timeout: 600_000 }, async ({ role, service, cut }) => {
      const at = role === 'worker' ? 2 : await activeControl();
      const program = crew.now[at] as Program;
      const endedBefore = crew.ended.length;
      await listings.tell({ watch: SPACING_MS });
      await until(async () => (await listings.tell()).distinct === CHANNELS, { what: 'every request' });
      await listings.tell({ late: { token: POLL_MS } });

      // The process waits for answers that hold news when it is cut off.
      await listings.tell({ delayMs: 1_000 });
      await sleep(500);
      const during = publish();
      during.catch(() => undefined);
      await sleep(500);
      const heal = (ways[at] as Ways)[service].cut(cut);
      await listings.tell({ delayMs: LATENCY_MS });
      await sleep(CUT_MS);
      const lines = program.stdout.length;
      heal();
      const healed = performance.now();
      const next = publish();
      next.catch(() => undefined);
      const works = service === 'Discord' ? DELIVERED : POLLED;
      if (role === 'control') await activeControl();
      else
        await until(
          async () =>
            program.stdout.slice(lines).some((line) => works.test(line)) &&
            (await stateOf(program)) === 'active',
          { what: 'the worker to work again', timeoutMs: BACK_S * 1000 },
        );
      const backS = (performance.now() - healed) / 1000;
      const figures: Figure[] = [
        { what: 'works again after', is: backS, unit: 's', most: BACK_S, failsAbove: BACK_S },
        { what: 'a posting of the last moment, everywhere after', is: await during, unit: 's' },
        { what: 'a posting after the cut, everywhere after', is: await next, unit: 's', most: BACK_S },
      ];
      // What arrives late has arrived, and every request has seen the last posting.
      await sleep(2 * POLL_MS);
      const report = await listings.tell();
      const latest = Object.values(report.late).reduce((a, b) => Math.max(a, b), 0) / 1000;
      const messages = shown();
      const faults = await faultsIn(
        house,
        channels.map((_, n) => ({ id: `s${n}`, seen: FIRST + news.length, done: news.length, owed: 0 })),
      );
      // Only a control that lost its lease may end.
      const ended = crew.ended
        .slice(endedBefore)
        .filter((one) => one.role === 'worker' || service !== 'PostgreSQL');
      const twice = [...recordedBy(crew.all)].filter(([, count]) => count > news.length);
      if (faults.length + ended.length + discord.violations.length > 0)
        console.log({ faults, ended, violations: discord.violations.slice(0, 10) });
      judge(`${role} and ${service}, ${cut} for ${CUT_MS / 1000} s`, [
        ...figures,
        { what: 'the latest request', is: latest, unit: 's', most: BACK_S },
        { what: 'turns that were refused', is: tookOver(program) },
        never(
          'postings that a channel was not shown',
          sum(messages, (one) => news.length - new Set(one.flat()).size),
        ),
        never(
          'postings shown twice',
          sum(messages, (one) => one.flat().length - new Set(one.flat()).size),
        ),
        never(
          'channels with postings out of order',
          sum(messages, (one) => Number(!isInOrder(one))),
        ),
        never('subscriptions that recorded a posting twice', twice.length),
        never('ledgers that are wrong', faults.length),
        never('two requests of a token at once', report.overlaps),
        never('two requests of a token closer than spacing', report.close),
        never('processes that ended by themselves', ended.length),
        never('rules of Discord that were broken', discord.violations.length),
      ]);
    });
  },
);

/** The numbers of the postings in each message of a channel. */
type Messages = readonly (readonly number[])[];

const numberIn = (title: string) => Number(/Position (\d+)/u.exec(title)?.[1]);
const isInOrder = (messages: Messages) =>
  messages.every((one, index) => index === 0 || Math.min(...one) > Math.max(...(messages[index - 1] ?? [])));
const sum = <T>(list: readonly T[], of: (one: T) => number) =>
  list.reduce((total, one) => total + of(one), 0);

/** What a process says of itself: it works, it stands by, or something of it is away. */
async function stateOf(program: Program): Promise<'active' | 'standby' | 'away'> {
  // A control that took over has other pages than it had before.
  const url = program.json().findLast((line) => line.msg === 'web pages are up')?.url;
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) });
    if (answer.status === 200) return 'active';
    return (await answer.text()).includes('another process is the active control') ? 'standby' : 'away';
  } catch {
    return 'away';
  }
}
