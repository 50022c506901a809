// A webhook that refuses one posting, and one that is down for hours: the cause decides whether an attempt is
// counted. The clock is moved, because the waits between attempts grow to an hour.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { baseline, type FaultHouse, faultHouse, faultJob } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { type MovedClock, movedClock } from '../helpers/moved-clock.js';
import type { Program } from '../helpers/process.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const TIMEOUT = { timeout: 270_000 };

/** A webhook; `refusal` returns the status for a body, or undefined for 204. */
async function startPicky(refusal: (body: string) => number | undefined) {
  const picky = { url: '', bodies: [] as string[], accepted: [] as string[] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const status = refusal(body);
      picky.bodies.push(body);
      if (!status) picky.accepted.push(...(body.match(/Position \d+/gu) ?? []));
      response.writeHead(status ?? 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  picky.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/picky`;
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return picky;
}

interface Setting {
  readonly house: FaultHouse;
  readonly clock: MovedClock;
  readonly program: Program;
}

/** The program with a second webhook, after its baseline. */
async function settingOf(url: string): Promise<Setting> {
  const house = await faultHouse({ extra: [`- { sink: webhook, target: "${url}", cadence: immediate }`] });
  const clock = movedClock(house.dir);
  const program = house.run(clock.env);
  await baseline(program);
  return { house, clock, program };
}

/** Posts, and waits until the webhook that works has it. */
async function post({ house, program }: Setting, ...ids: readonly number[]): Promise<void> {
  for (const id of ids) await house.board.addJob(faultJob(id));
  const there = () => ids.every((id) => house.titles().includes(`Position ${id}`));
  await program.until(`postings ${ids}`, there, 30_000);
}

/** Attempts whose failure was recorded; after that the clock may be moved. */
const failures = ({ program }: Setting) =>
  program.json().filter(({ msg }) => msg === 'delivery failed').length;

const notices = ({ program }: Setting) => program.json().filter(({ msg }) => msg === 'owner notice');

async function fateOf({ house, clock }: Setting, id: number): Promise<string> {
  const asked = await house.command(
    ['why', '--subscription', 'all', '--posting', `id:${id}`, '--json'],
    clock.env,
  );
  return asked.text;
}

test(
  'a posting that the recipient refuses is set aside after five attempts with a reason, and its owner is notified once',
  TIMEOUT,
  async () => {
    const picky = await startPicky((body) => (body.includes('Position 3"') ? 422 : undefined));
    const setting = await settingOf(picky.url);
    const { clock, program } = setting;
    await post(setting, 2);
    const alone = () =>
      picky.bodies.filter((body) => body.includes('Position 3"') && !body.includes('Position 4'));
    await post(setting, 3);
    await program.until('the first attempt', () => failures(setting) === 1);
    let id = 3;
    for (const [tries, wait] of [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE].entries()) {
      expect(notices(setting)).toEqual([]);
      await clock.move(wait);
      await post(setting, ++id);
      await program.until(`attempt ${tries + 2}`, () => failures(setting) === tries + 2, 30_000);
    }
    await program.until('the others', () => picky.accepted.includes(`Position ${id}`));
    expect(alone()).toHaveLength(5);
    expect(picky.accepted.filter((title, index, all) => all.indexOf(title) === index)).toEqual(
      [2, 4, 5, 6, 7].map((one) => `Position ${one}`),
    );
    await program.until('the notice', () => notices(setting).length > 0);
    expect(notices(setting)).toMatchObject([
      { kind: 'posting', notice: expect.stringMatching(/five attempts/u) },
    ]);
    const fate = await fateOf(setting, 3);
    expect(fate).toMatch(/"parked"/u);
    expect(fate).toMatch(/422/u);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

test(
  'an outage counts no attempt: after seven of them the posting is still sent, once and in order',
  TIMEOUT,
  async () => {
    let isAway = false;
    const picky = await startPicky(() => (isAway ? 503 : undefined));
    const setting = await settingOf(picky.url);
    const { clock, program } = setting;
    await post(setting, 2);
    await program.until('the first', () => picky.accepted.length === 1);
    isAway = true;
    await post(setting, 3);
    await program.until('the first outage', () => failures(setting) === 1);
    let id = 3;
    for (const minutes of [0.1, 0.5, 2, 10, 30, 60]) {
      const tried = failures(setting);
      await clock.move(minutes * MINUTE);
      await post(setting, ++id);
      await program.until(`the attempt after ${minutes} minutes`, () => failures(setting) > tried, 30_000);
    }
    expect(picky.accepted).toEqual(['Position 2']);
    isAway = false;
    await clock.move(60 * MINUTE);
    await post(setting, ++id);
    await program.until('all of them', () => picky.accepted.length === id - 1);
    expect(picky.accepted).toEqual(Array.from({ length: id - 1 }, (_, n) => `Position ${n + 2}`));
    expect(notices(setting)).toEqual([]);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);
