// A jobs API that is down or slow: how many times it is requested again within a poll, how long a subscription then
// waits, and that a server which sends a byte now and then is treated like one that sends nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultJob } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { tenants } from '../helpers/tenants.js';

const MINUTE = 60_000;
const TIMEOUT = { timeout: 270_000 };
const PAGE = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>Hi</body></html>' };

test(
  'waits 2, 4, 8 … intervals of its subscription after a failed poll, at most an hour',
  TIMEOUT,
  async () => {
    const all = await tenants({ slow: '*/10 * * * *' });
    const { house, tokens, clock } = all;
    // Two minutes after a slot: the next poll comes long after the clock is moved, and not right before.
    clock.set(Math.ceil(Date.now() / (10 * MINUTE)) * 10 * MINUTE + 2 * MINUTE);
    const program = all.run();
    await all.settled(program);
    const failures = () =>
      program.json().filter(({ msg, subscription }) => msg === 'poll failed' && subscription === 'sub-slow');
    // Not a feed, so another attempt would not help: one request per poll.
    house.front.answer(PAGE, tokens.slow);
    await clock.move(12 * MINUTE);
    await program.until('the first failure', () => failures().length === 1);
    let id = 1;
    for (const [index, gap] of [20, 40, 60, 60].entries()) {
      const asked = all.asked('slow');
      await clock.move((gap - 1) * MINUTE);
      await all.post(program, ++id);
      expect(all.asked('slow')).toBe(asked);
      await clock.move(MINUTE + 5_000);
      await program.until(`the poll after ${gap} minutes`, () => failures().length === index + 2);
      expect(all.asked('slow')).toBe(asked + 1);
    }
    house.front.answer(undefined, tokens.slow);
    await clock.move(61 * MINUTE);
    await program.until('everything', () => all.got('slow').length === id - 1);
    expect(all.got('slow')).toEqual(Array.from({ length: id - 1 }, (_, n) => `Position ${n + 2}`));
    // A successful poll ends it: the next one comes at its own interval again.
    await clock.move(12 * MINUTE);
    await all.post(program, ++id);
    await program.until('the next one', () => all.got('slow').includes(`Position ${id}`));
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

type Play = (response: ServerResponse) => void;

/**
 * A server before the API with a different answer for the tokens that are set. `asked`: when a token's requests came since
 * the last one that the API answered. `passing`: how many requests the API has not answered yet.
 */
async function startRough(target: string) {
  const plays = new Map<string, Play>();
  const asked = new Map<string, number[]>();
  let passing = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', target);
    const token = url.searchParams.get('token') ?? '';
    asked.set(token, [...(asked.get(token) ?? []), performance.now()]);
    const play = plays.get(token);
    if (play) return play(response);
    passing++;
    fetch(url)
      .then(
        async (answer) => {
          const body = Buffer.from(await answer.arrayBuffer());
          // Too late for the program, so this was an attempt that failed.
          if (response.destroyed) return;
          asked.delete(token);
          response.writeHead(answer.status).end(body);
        },
        () => response.destroy(),
      )
      .finally(() => passing--);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plays,
    asked,
    passing: () => passing,
  };
}

/** Sends a byte, and another each time that period is over, endlessly. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/rss+xml' });
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
}

const PLAYS: Readonly<Record<string, Play>> = {
  failing: (response) => response.writeHead(503).end(),
  broken: (response) => response.destroy(),
  silent: () => undefined,
  dripping: drip,
};

test(
  '5xx, reset, silence and a drip: requested again after 1, 2 and 4 s, then given up; nothing is lost',
  TIMEOUT,
  async () => {
    const accounts = Object.keys(PLAYS);
    const all = await tenants(Object.fromEntries(accounts.map((account) => [account, '* * * * * *'])));
    const { house, tokens } = all;
    const rough = await startRough(house.front.url);
    await writeFile(
      join(house.dir, 'config', 'default.json'),
      JSON.stringify({ jobsApi: { attemptTimeoutMs: 500 }, limits: { pollConcurrency: 8 } }),
    );
    const program = all.run({ JOBS_API_URL: rough.url });
    await all.settled(program);
    for (const account of accounts) rough.plays.set(tokens[account] ?? '', PLAYS[account] as Play);
    // A request that came before would otherwise be answered with the new posting.
    await program.until('answers to earlier requests', () => rough.passing() === 0, 10_000);
    await house.board.addJob(faultJob(2));
    const failed = (account: string) =>
      program
        .json()
        .filter(({ msg, subscription }) => msg === 'poll failed' && subscription === `sub-${account}`);
    /** Of the first poll that met it; a second one may have started. */
    const attempts = (account: string) => (rough.asked.get(tokens[account] ?? '') ?? []).slice(0, 4);
    await program.until(
      'the end of all polls',
      () => accounts.every((account) => failed(account).length > 0),
      40_000,
    );
    for (const account of accounts) {
      expect(failed(account)[0], account).toMatchObject({ fault: 'unavailable', failures: 1 });
      const [first = 0, , , last = Number.NaN] = attempts(account);
      // 1 + 2 + 4 s, each up to a fifth shorter.
      expect(last - first, account).toBeGreaterThan(5_500);
      expect(all.got(account), account).toEqual([]);
    }
    // No other account waited for them.
    expect(all.got()).toEqual(['Position 2']);
    rough.plays.clear();
    for (const account of accounts)
      await program.until(`what ${account} missed`, () => all.got(account).length === 1, 40_000);
    program.kill();
    expect(await program.ended).toBe(0);
  },
);

test('an attempt has 15 seconds and an answer 8 MiB unless the settings say otherwise', async () => {
  const { jobsApi } = JSON.parse(await readFile('config/default.json', 'utf8'));
  expect(jobsApi).toMatchObject({ attemptTimeoutMs: 15_000, maxBytes: 8 * 1024 * 1024 });
});
