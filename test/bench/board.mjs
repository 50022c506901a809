// How many requests a second the board answers, compared with a bare node:http server that returns the same bytes.
// Both are separate processes, and the same client asks them in turns: 32 connections that stay open, each of which
// sends the next request as soon as it has its answer. Prints a table and judges nothing: machines are noisy, so
// compare the ratios. Build first: `npm run build && node test/bench/board.mjs`.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuOf, median, ROOT } from './service.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CONNECTIONS = 32;
const GOAL = 0.7;
const OF_NODE = new Set(['date', 'connection', 'keep-alive']);

/** About 2 KB each, as from the API. */
const jobs = Array.from({ length: 2000 }, (_, id) => ({
  id: String(id),
  title: `Position ${id}`,
  company: `Firm ${id % 300}`,
  location: 'Berlin, Germany',
  remote: id % 2 === 0,
  tags: ['rust', 'solidity', 'defi'],
  postedAt: new Date(Date.UTC(2026, 10, 20) - id * 3_600_000).toISOString().slice(0, 10),
  url: `https://jobs.example/jobs/${id}`,
  apply_url: `https://jobs.example/r/${id}__{partner}?utm_source=board&ref=${id}`,
  description: `<p>${'We build open protocols and look for somebody who likes to do that with us. '.repeat(20)}</p>`,
}));
const tokens = Array.from({ length: CONNECTIONS }, (_, n) => ({
  token: `bench-token-${n}`,
  permissions: ['jobs:read'],
  partner: `partner${n}`,
}));

const CASES = [
  { what: 'board: RSS, 20 postings', path: () => '/api/v1.xml?token=bench-token-0' },
  { what: 'board: the same, 32 tokens', path: (n) => `/api/v1.xml?token=bench-token-${n}` },
  { what: 'board: JSON, 100 postings', path: () => '/api/v1?token=bench-token-0&tag=rust&limit=100' },
  { what: 'board: 304, known by its ETag', path: () => '/api/v1.xml?token=bench-token-0', known: true },
];

/** One connection; `ask` resolves with the number of answers until the time is over. */
async function openConnection(url, path, headers) {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, 'connect');
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
  let size;
  let left = 0;
  let answers = 0;
  let over = () => true;
  let end = () => undefined;
  const next = () => {
    if (over()) return end(answers);
    left = size ?? 0;
    return socket.write(request);
  };
  socket.on('data', (chunk) => {
    // All answers have the size of the first one.
    if (size === undefined) {
      const head = chunk.indexOf('\r\n\r\n') + 4;
      const length = /\r\ncontent-length: (\d+)/iu.exec(chunk.toString('latin1', 0, head))?.[1] ?? '0';
      size = head + Number(length);
      left = size;
    }
    left -= chunk.length;
    if (left < 0) throw new Error(`answers of different sizes from ${url}`);
    if (left > 0) return;
    answers++;
    next();
  });
  return {
    ask(ms) {
      answers = 0;
      const until = performance.now() + ms;
      over = () => performance.now() >= until;
      return new Promise((resolve) => {
        end = resolve;
        next();
      });
    },
    close: () => socket.destroy(),
  };
}

async function openClient(url, pid, path, headers) {
  const connections = [];
  for (let n = 0; n < CONNECTIONS; n++) connections.push(await openConnection(url, path(n), headers));
  return {
    /** Requests a second, and the server's CPU microseconds per request. */
    async measure(ms) {
      const cpu = cpuOf(pid);
      const began = performance.now();
      const counts = await Promise.all(connections.map((one) => one.ask(ms)));
      const answers = counts.reduce((sum, count) => sum + count, 0);
      return {
        perSecond: (answers / (performance.now() - began)) * 1000,
        cpuUs: ((cpuOf(pid) - cpu) * 1000) / answers,
      };
    },
    close() {
      for (const one of connections) one.close();
    },
  };
}

/** Rows of the table. `rounds` of `ms` milliseconds each for either server, after two to warm up. */
export async function rows({ rounds = 9, ms = 500 } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-bench-board-'));
  const files = { jobs: join(dir, 'jobs.json'), tokens: join(dir, 'tokens.json') };
  await writeFile(files.jobs, JSON.stringify(jobs));
  await writeFile(files.tokens, JSON.stringify(tokens));
  const args = ['board', '--jobs', files.jobs, '--tokens', files.tokens, '--json'];
  const board = spawn(process.execPath, [join(ROOT, 'dist/main.js'), ...args], {
    cwd: dir,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const bare = fork(join(HERE, 'bare-server.mjs'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const [[line], [{ url: bareUrl }]] = await Promise.all([
      once(board.stdout, 'data'),
      once(bare, 'message'),
    ]);
    const { url } = JSON.parse(line);
    const table = [];
    for (const { what, path, known } of CASES) {
      const plain = { 'Accept-Encoding': 'identity' };
      const { headers: tagged } = await fetch(url + path(0), { headers: plain });
      const conditions = known ? { 'If-None-Match': tagged.get('etag') } : {};
      const answer = await fetch(url + path(0), { headers: { ...plain, ...conditions } });
      const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OF_NODE.has(name)));
      bare.send({ status: answer.status, headers, body });
      await once(bare, 'message');
      const ours = await openClient(url, board.pid, path, conditions);
      const least = await openClient(bareUrl, bare.pid, path, conditions);
      const figures = [];
      for (let round = -2; round < rounds; round++) {
        const [mine, other] = [await ours.measure(ms), await least.measure(ms)];
        if (round >= 0) figures.push({ mine, other, ratio: mine.perSecond / other.perSecond });
      }
      ours.close();
      least.close();
      const ratios = figures.map(({ ratio }) => ratio);
      const said = (who) =>
        `${median(figures.map((one) => one[who].perSecond)).toFixed(0)}/s (${median(figures.map((one) => one[who].cpuUs)).toFixed(0)} µs CPU)`;
      table.push({
        what,
        ours: said('mine'),
        yardstick: said('other'),
        ratio: `${median(ratios).toFixed(2)}×`,
        spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
        goal: `≥ ${GOAL}×`,
      });
    }
    return table;
  } finally {
    board.kill('SIGKILL');
    bare.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await rows());
