// Deliveries under SIGKILL: the real process dies at every named step and at random moments while postings arrive. In
// the end each was delivered to every place, and no reader sees one twice. CRASHES sets the number of random kills, of which
// each house takes about a hundred, beside the others.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Step } from '../../src/pipeline/context.js';
import { startBoard } from '../helpers/board.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { titlesIn as shownTitles } from '../helpers/discord-cards.js';
import { startFront } from '../helpers/front.js';
import { later } from '../helpers/later.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { startSmtp } from '../helpers/smtp.js';
import { startReceiver } from '../helpers/webhook-receiver.js';

const STEPS = {
  'poll.fetched': true,
  'poll.recorded': true,
  'poll.answered': true,
  'enrich.fetched': true,
  'enrich.recorded': true,
  'dispatch.cut': true,
  'dispatch.sending': true,
  'dispatch.sent': true,
  'dispatch.settled': true,
} satisfies Record<Step, true>;
const RANDOM = Number(process.env.CRASHES ?? 20);
const HOUSES = Math.max(1, Math.round(RANDOM / 100));

const job = (id: number) => ({
  id: String(id),
  title: `Position ${id}`,
  company: `Firm ${id}`,
  postedAt: '2026-11-20',
  apply_url: `https://jobs.example/r/x${id}?ref=${id}`,
});

/** Deterministic, so that a failing run can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Titles that were delivered, and those that a reader would see twice. */
interface Outcome {
  readonly delivered: string[];
  readonly twice: string[];
}

/** `seen`: each arrival as its title and the id by which a receiver recognizes repeats. */
function outcomeOf(seen: readonly (readonly [title: string, id: string])[]): Outcome {
  const ids = new Map<string, Set<string>>();
  for (const [title, id] of seen) ids.set(title, (ids.get(title) ?? new Set()).add(id));
  const twice = [...ids].filter(([, set]) => set.size > 1).map(([title]) => title);
  return { delivered: [...ids.keys()].sort(), twice };
}

const titlesIn = (text: string) => [...new Set(text.match(/Position \d+/gu) ?? [])];

/**
 * The service with three recipients: a webhook, a channel of the local Discord, and a mail server. Its feed leaves out fields,
 * so that it asks for the JSON form too.
 */
async function arena() {
  const board = await startBoard({ jobs: [job(1)] });
  const front = await startFront(board.url);
  front.isBare = true;
  const receiver = await startReceiver();
  const discord = await startDiscord({ rateWindowMs: 200 });
  const smtp = await startSmtp();
  const { dir, remove } = await workFolder();
  later(
    remove,
    () => receiver.close(),
    () => discord.close(),
    () => smtp.close(),
    () => front.close(),
    () => board.close(),
  );
  const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
  await mkdir(join(dir, 'config'));
  await writeFile(
    join(dir, 'config', 'subscriptions.yaml'),
    `- id: all
  schedule: "* * * * * *"
  destinations:
    - { sink: webhook, target: "${receiver.url}", cadence: immediate }
    - { sink: discord, target: "${channel.id}", cadence: immediate }
    - { sink: email, target: reader@example.org, consented: true, cadence: immediate }
`,
  );
  const run = (crashAt?: string): Program => {
    const program = startProgram(['run'], {
      cwd: dir,
      env: {
        JOBS_API_URL: front.url,
        JOBS_API_TOKEN: board.token,
        MIN_POLL_SECONDS: '1',
        API_SPACING_MS: '5',
        HTTP_PORT: '0',
        WEBHOOK_ALLOW_PRIVATE: 'true',
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        SMTP_URL: smtp.url,
        MAIL_FROM: 'Jobs <jobs@example.org>',
        ...(crashAt ? { JOBCRIER_CRASH_AT: crashAt } : {}),
      },
    });
    later(async () => {
      program.kill('SIGKILL');
      await program.ended;
    });
    return program;
  };
  const outcomes = (): Record<'webhook' | 'discord' | 'mail', Outcome> => ({
    webhook: outcomeOf(
      receiver.received.flatMap(({ id, raw }) => titlesIn(raw).map((title) => [title, id] as const)),
    ),
    // A Discord message has no id for repeats, so each message counts.
    discord: outcomeOf(
      discord
        .messages(channel.id)
        .flatMap((message) => shownTitles(message).map((title) => [title, message.id] as const)),
    ),
    mail: outcomeOf(
      smtp.mails.flatMap(({ raw }) => {
        const text = raw.toString();
        const id = /^Message-ID: (.+)$/imu.exec(text)?.[1] ?? '';
        return titlesIn(text).map((title) => [title, id] as const);
      }),
    ),
  });
  return { board, discord, run, outcomes };
}

const expected = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `Position ${from + i}`).sort();

const perSide = (outcome: Outcome) => ({ webhook: outcome, discord: outcome, mail: outcome });

type House = Awaited<ReturnType<typeof arena>>;

const running = (program: Program) => program.stdout.some((line) => line.includes('"running"'));

async function baseline(house: House): Promise<void> {
  const first = house.run();
  await first.until('the baseline', () => first.stdout.some((line) => line.includes('"baseline":true')));
  first.kill();
  await first.ended;
}

async function settleDown(house: House, last: number): Promise<void> {
  const program = house.run();
  // Everything may have arrived already; a program that does not listen for signals yet can't be stopped cleanly.
  await program.until('the start', () => running(program));
  const complete = () =>
    Object.values(house.outcomes()).every(({ delivered }) => delivered.length >= last - 1);
  await program.until(`position ${last} everywhere`, complete, 60_000);
  program.kill();
  expect(await program.ended).toBe(0);
}

test('loses nothing and shows nothing twice after a kill at each named step', {
  timeout: 600_000,
}, async () => {
  const house = await arena();
  await baseline(house);
  let last = 1;
  for (const step of Object.keys(STEPS)) {
    await house.board.addJob(job(++last));
    const doomed = house.run(step);
    expect(await doomed.ended, step).toBe('SIGKILL');
  }
  await settleDown(house, last);
  expect(house.outcomes()).toEqual(perSide({ delivered: expected(2, last), twice: [] }));
});

const TIMEOUT = 120_000 + RANDOM * 10_000;

/** What `kills` kills at random moments left in one house: lost and repeated by recipient. */
async function killAtRandom(kills: number, seed: number) {
  const house = await arena();
  await baseline(house);
  const chance = random(seed);
  let last = 1;
  for (let killed = 0; killed < kills; killed++) {
    const doomed = house.run();
    await house.board.addJob(job(++last));
    await doomed.until('the start', () => running(doomed));
    // The moment is the point of the test, not a wait: anywhere in a poll, in a delivery or in between.
    await new Promise((resolve) => setTimeout(resolve, chance() * 1500));
    doomed.kill('SIGKILL');
    await doomed.ended;
  }
  await settleDown(house, last);
  const sides = Object.entries(house.outcomes());
  const lost = sides.flatMap(([side, { delivered }]) =>
    expected(2, last)
      .filter((title) => !delivered.includes(title))
      .map((title) => `${side}: ${title}`),
  );
  const twice = sides.flatMap(([side, outcome]) => outcome.twice.map((title) => `${side}: ${title}`));
  return { kills, lost, twice, violations: house.discord.violations };
}

test(`killed ${RANDOM} times at random, nothing is lost and nothing is seen twice`, {
  timeout: TIMEOUT,
}, async () => {
  const kills = (house: number) =>
    Math.floor(((house + 1) * RANDOM) / HOUSES) - Math.floor((house * RANDOM) / HOUSES);
  const all = await Promise.all(
    Array.from({ length: HOUSES }, (_, house) => killAtRandom(kills(house), 20261121 + house)),
  );
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0);
  console.log(
    `crash suite: ${sum((one) => one.kills)} kills in ${HOUSES} houses, ${sum(({ lost }) => lost.length)} lost, ${sum(({ twice }) => twice.length)} duplicated`,
  );
  for (const { lost, twice, violations } of all)
    expect({ lost, twice, violations }).toEqual({ lost: [], twice: [], violations: [] });
});
