// The time of a start, the memory of an idle service, and the disk space of an install.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { isUnread } from '../../scripts/unread.mjs';
import { createHouse, median, memoryOf, ROOT } from './service.mjs';

const ROUNDS = 11;
const IDLE_MS = 10_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const ended = (args) =>
  once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');

/** Milliseconds to ready, and bytes of memory once idle. */
async function started(house, wait) {
  const port = await freePort();
  let service;
  const readyMs = await timed(async () => {
    service = house.start(['run'], { HTTP_PORT: String(port) });
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
      await sleep(5);
    }
  });
  await sleep(wait);
  const bytes = memoryOf(service.pid);
  service.kill('SIGTERM');
  await once(service, 'exit');
  return { readyMs, bytes };
}

function sizeOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return isUnread(basename(path)) ? 0 : stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** Bytes of the packages that an install without development dependencies leaves, as in the image. */
function installed() {
  const listed = spawnSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: ROOT })
    .stdout.toString()
    .trim()
    .split('\n')
    .filter((path) => path !== ROOT.replace(/\/$/u, ''));
  // A nested one is part of the outer one.
  const roots = listed.filter((path) => !listed.some((other) => path.startsWith(`${other}/`)));
  return roots.reduce((sum, path) => sum + sizeOf(path), 0);
}

export async function rows() {
  const main = join(ROOT, 'dist/main.js');
  const [version, bare] = [[], []];
  for (let round = -2; round < ROUNDS; round++) {
    const times = [await timed(() => ended([main, '--version'])), await timed(() => ended(['-e', '0']))];
    if (round < 0) continue;
    version.push(times[0]);
    bare.push(times[1]);
  }
  const house = await createHouse();
  try {
    const starts = [];
    for (let round = 0; round < 5; round++) starts.push(await started(house, round === 4 ? IDLE_MS : 500));
    const ms = (list) => `${median(list).toFixed(0)} ms`;
    const ratio = (median(version) / median(bare)).toFixed(2);
    return [
      { what: '--version', ours: ms(version), yardstick: ms(bare), ratio, spread: '', goal: '150 ms' },
      {
        what: 'run, until ready',
        ours: ms(starts.map(({ readyMs }) => readyMs)),
        yardstick: '',
        ratio: '',
        spread: '',
        goal: '1000 ms',
      },
      {
        what: 'memory of an idle service',
        ours: `${(starts.at(-1).bytes / 1e6).toFixed(0)} MB`,
        yardstick: '',
        ratio: '',
        spread: '',
        goal: '100 MB',
      },
      {
        what: 'installed packages',
        ours: `${(installed() / 1e6).toFixed(0)} MB`,
        yardstick: '',
        ratio: '',
        spread: '',
        goal: '80 MB',
      },
    ];
  } finally {
    await house.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.table(await rows());
