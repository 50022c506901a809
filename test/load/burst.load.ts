// A burst of 500 new postings for 50 channels (LOAD_CHANNELS) of the local Discord, through the shipped program:
// people who use the bot meanwhile are answered in time, no limit of Discord is reached, and every channel gets all
// its postings.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startBoard } from '../helpers/board.js';
import { jobOf, linkOf } from '../helpers/bot-house.js';
import type { InteractionHandle } from '../helpers/discord/interaction-handle.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { controlsIn, type DiscordUser } from '../helpers/discord/user-actions.js';
import type { GuildHandle } from '../helpers/discord/world.js';
import { linksIn } from '../helpers/discord-cards.js';
import { later } from '../helpers/later.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { until } from '../helpers/until.js';
import { sized } from './figures.js';
import { metricsOf, peakMemory, readFigures } from './probe.js';
import { readLedgers } from './store-check.js';

const CHANNELS = sized('LOAD_CHANNELS', { long: 50, short: 20 });
/** One manager per 25 channels: the limit of an account. */
const MANAGERS = 2;
/** The most tags that a filter may name: each has a separate listing, and one poll reads them all. */
const TAGS = ['rust', 'solidity', 'golang', 'react', 'defi', 'design', 'devops', 'nft', 'dao', 'solana'];
const EACH = 50;
const POSTINGS = TAGS.length * EACH;
/** The cap of an immediate edition (limits.immediateCap). */
const CAP = 100;
/** Discord's: an interaction that is acknowledged later has failed. */
const ANSWER_MS = 3000;
/** Several times as long as it takes on a busy machine. */
const PATIENCE_MS = 300_000;
const OLD = 1000;

/** Two old ones per tag stay in the listing, so that a burst is no gap. */
const old = TAGS.flatMap((tag, index) => [0, 1].map((n) => jobOf(OLD + index * 2 + n, { tags: [tag] })));
/** Newest first, the tags in turn. */
const news = Array.from({ length: POSTINGS }, (_, index) => ({
  number: 2 * OLD + POSTINGS - index,
  tag: TAGS[index % TAGS.length] as string,
}));

interface Place {
  readonly manager: DiscordUser;
  readonly guild: GuildHandle;
  readonly channels: readonly { readonly id: string }[];
}

async function house() {
  const discord = await startDiscord();
  later(() => discord.close());
  const tokens = Array.from({ length: MANAGERS }, (_, index) => ({ token: `token-of-manager-${index}` }));
  const board = await startBoard({ jobs: old, tokens });
  later(() => board.close());
  const { dir, remove } = await workFolder();
  later(remove);
  const places = tokens.map((_, index): Place => {
    const manager = discord.addUser({ username: `manager-${index}` });
    const names = Array.from({ length: CHANNELS / MANAGERS }, (_, n) => ({ name: `jobs-${n}` }));
    const members = [{ user: manager, permissions: ['MANAGE_CHANNELS' as const] }];
    const guild = discord.addGuild({ channels: [{ name: 'general' }, ...names], members });
    return { manager, guild, channels: names.map(({ name }) => guild.channel(name)) };
  });
  const program = startProgram(['run'], {
    cwd: dir,
    env: {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      JOBS_API_URL: board.url,
      PUBLIC_URL: 'https://crier.example.org',
      MIN_POLL_SECONDS: '3',
      LIVE_SCHEDULE: '*/3 * * * * *',
      API_SPACING_MS: '1',
      HTTP_PORT: '0',
    },
  });
  later(async () => {
    program.kill('SIGKILL');
    await program.ended;
  });
  await program.until('the bot', () => program.json().some(({ msg }) => msg === 'commands registered'));
  for (const [index, { token }] of tokens.entries()) {
    const { manager, guild } = places[index] as Place;
    const modal = await manager.slash('/token set', {}, { guild }).modal();
    const reply = await manager.submit(modal, { token }).reply();
    expect(reply.text).toMatch(/stored encrypted/u);
  }
  for (const { manager, guild, channels } of places)
    for (const channel of channels) {
      const reply = await manager
        .slash('/jobs subscribe', { tags: TAGS.join(', '), channel }, { guild })
        .reply();
      expect(reply.text).toMatch(/Understood/u);
    }
  return { discord, board, dir, places, program };
}

/** The requests during the burst, in turn: lists, a form, choices while typing, a menu under a card that arrived. */
function asker(discord: Discord, places: readonly Place[]) {
  const asked: InteractionHandle[] = [];
  let turn = 0;
  function ask(): void {
    const { manager, guild, channels } = places[turn % places.length] as Place;
    const card = discord.messages(channels[turn % channels.length]?.id ?? '').at(-1);
    const kinds = [
      () => manager.slash('/jobs list', {}, { guild }),
      () => manager.slash('/token status', {}, { guild }),
      () => manager.slash('/jobs saved', {}, { guild }),
      () => (card ? pick(manager, card) : manager.slash('/help', {}, { guild })),
    ];
    asked.push((kinds[Math.floor(turn / places.length) % kinds.length] as () => InteractionHandle)());
    turn++;
  }
  return { ask, asked };
}

function pick(user: DiscordUser, card: MessageRecord): InteractionHandle {
  const menu = controlsIn(card.components).find(({ style }) => style !== 5);
  const [option] = (menu?.options ?? []) as { value: string }[];
  return option
    ? user.select(card, String(menu?.custom_id), [option.value])
    : user.press(card, String(menu?.custom_id));
}

/** What a channel shows: links in order, how many were counted as more, and how many each edition shows. */
function shownIn(discord: Discord, channel: { id: string }) {
  const links: string[] = [];
  const editions = new Map<string, number>();
  let more = 0;
  for (const message of discord.messages(channel.id)) {
    const own = linksIn(message);
    links.push(...own);
    more += Number(/and (\d+) more/u.exec(message.text)?.[1] ?? 0);
    const edition = /m:\w+:([^:]+):/u.exec(JSON.stringify(message.components))?.[1] ?? '';
    editions.set(edition, (editions.get(edition) ?? 0) + own.length);
  }
  return { links, more, editions: [...editions.values()] };
}

/** The web pages that a channel's messages link to for what is over the cap, as one text. */
async function pagesOf(discord: Discord, channel: { id: string }, metrics: string): Promise<string> {
  const addresses = discord
    .messages(channel.id)
    .flatMap(({ text }) => /more\]\(<(\S+)>\)/u.exec(text)?.[1] ?? []);
  const texts = addresses.map(async (address) => {
    const answer = await fetch(new URL(new URL(address).pathname, metrics));
    return answer.text();
  });
  return (await Promise.all(texts)).join('\n');
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

async function stop(program: Program): Promise<void> {
  program.kill();
  expect(await program.ended).toBe(0);
}

test(`${POSTINGS} postings for ${CHANNELS} channels: answers in time, no limit reached, all delivered or counted`, async () => {
  const { discord, board, dir, places, program } = await house();
  const url = await metricsOf(program);
  const pid = program.child.pid as number;
  const channels = places.flatMap((place) => place.channels);
  await until(
    async () => (await readFigures(url))('jobcrier_polls_total', 'outcome="baseline"') === CHANNELS,
    { timeoutMs: 60_000, what: 'all baselines' },
  );
  const before = await peakMemory(pid);
  const started = Date.now();
  await board.setJobs([...news.map(({ number, tag }) => jobOf(number, { tags: [tag] })), ...old]);
  const { ask, asked } = asker(discord, places);
  const complete = () =>
    channels.every((channel) => {
      const { links, more } = shownIn(discord, channel);
      return links.length + more >= POSTINGS;
    });
  while (!complete()) {
    if (program.child.exitCode !== null) throw new Error(program.stderr.slice(-20).join('\n'));
    if (Date.now() - started > PATIENCE_MS) throw new Error('channels still wait for postings');
    ask();
    await sleep(150);
  }
  const seconds = (Date.now() - started) / 1000;
  const answers = await Promise.all(
    asked.map(async (one) => {
      const reply = await one.reply(10_000).catch(() => undefined);
      return { name: one.record.name, ackMs: one.ackMs ?? Number.POSITIVE_INFINITY, text: reply?.text };
    }),
  );
  await until(async () => (await readFigures(url))('jobcrier_outbox_size') === 0, {
    timeoutMs: 60_000,
    what: 'the last settling',
  });
  const peak = await peakMemory(pid);
  const pages = await Promise.all(channels.map((channel) => pagesOf(discord, channel, url)));
  await stop(program);

  const acks = answers.map(({ ackMs }) => ackMs);
  console.table({
    'delivered after, s': seconds.toFixed(1),
    messages: channels.reduce((sum, { id }) => sum + discord.messages(id).length, 0),
    interactions: asked.length,
    'answered, median ms': percentile(acks, 0.5),
    'answered, p95 ms': percentile(acks, 0.95),
    'answered, most ms': Math.max(...acks),
    'memory before, MB': (before / 2 ** 20).toFixed(0),
    'memory peak, MB': (peak / 2 ** 20).toFixed(0),
  });
  expect(answers.filter(({ ackMs, text }) => ackMs >= ANSWER_MS || !text)).toEqual([]);
  expect(discord.violations).toEqual([]);
  expect(discord.naturalRateLimits).toBe(0);

  const wanted = new Map(news.map((one) => [linkOf(one.number), one]));
  const ledgers = await readLedgers(join(dir, 'data', 'jobcrier.sqlite'));
  expect(ledgers.length).toBe(CHANNELS);
  for (const [index, channel] of channels.entries()) {
    const { links, more, editions } = shownIn(discord, channel);
    expect(links.length + more).toBe(POSTINGS);
    // Postings without a card are on the page that the last message links to.
    const page = pages[index] ?? '';
    const hidden = news.filter(({ number }) => !links.includes(linkOf(number)));
    expect(hidden.filter(({ number }) => !page.includes(`Rust Engineer ${number}`))).toEqual([]);
    expect(new Set(links).size).toBe(links.length);
    expect(links.filter((link) => !wanted.has(link))).toEqual([]);
    expect(Math.max(...editions)).toBeLessThanOrEqual(CAP);
    // Oldest first within each listing.
    for (const tag of TAGS) {
      const numbers = links.flatMap((link) =>
        wanted.get(link)?.tag === tag ? [wanted.get(link)?.number] : [],
      );
      expect(numbers).toEqual(numbers.toSorted((a, b) => Number(a) - Number(b)));
    }
  }
  for (const { seen, done: outcomes, outbox, editions } of ledgers) {
    expect([outbox, editions]).toEqual([[], []]);
    const done = Object.entries(seen).filter(([, { fate }]) => fate === 'matched');
    expect(done.length).toBe(POSTINGS);
    expect(done.filter(([key]) => Object.values(outcomes[key] ?? {}).length !== 1)).toEqual([]);
  }
});
