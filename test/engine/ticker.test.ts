// The hand of the clock, on the real node-cron: a call a second, never two at once, nothing of it left after stopping.
import { createRequire } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { startTicker } from '../../src/engine/ticker.js';
import { until } from '../helpers/until.js';

const { install } = createRequire(import.meta.url)('../helpers/moved-date.cjs') as {
  install(offset: () => number): () => void;
};
const DAY = 86_400_000;

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
  vi.restoreAllMocks();
});

function logTo(errors: string[]) {
  return {
    debug() {},
    info() {},
    warn() {},
    error: (_fields: object, message: string) => void errors.push(message),
  };
}

test('a call that fails is logged by us and by nobody else, and the next one comes', async () => {
  const out = ['log', 'info', 'warn', 'error'].map((name) =>
    vi.spyOn(console, name as 'log').mockReturnValue(),
  );
  const errors: string[] = [];
  let calls = 0;
  stop = startTicker(async () => {
    calls++;
    if (calls === 1) throw new Error('once');
  }, logTo(errors));
  await until(() => calls >= 2);
  expect(errors).toEqual(['tick failed']);
  for (const spy of out) expect(spy).not.toHaveBeenCalled();
});

test('a slow call holds back the next, and stopping waits for it', async () => {
  let running = 0;
  let most = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let ended = false;
  stop = startTicker(async () => {
    running++;
    most = Math.max(most, running);
    await held;
    running--;
    ended = true;
  }, logTo([]));
  await until(() => running === 1);
  const stopped = stop();
  expect(ended).toBe(false);
  release();
  await stopped;
  expect([ended, running, most]).toEqual([true, 0, 1]);
});

test.each([
  ['back by three days', -3 * DAY],
  ['back by four seconds', -4_000],
  ['forward by a night', DAY / 3],
  ['forward from the first day of all clocks to now', 55 * 365 * DAY],
])('a clock set %s does not stop it, and nothing is printed about it', async (_how, jump) => {
  const out = ['log', 'info', 'warn', 'error'].map((name) =>
    vi.spyOn(console, name as 'log').mockReturnValue(),
  );
  let offset = jump > 20 * 365 * DAY ? -jump : 0;
  const putBack = install(() => offset);
  try {
    let calls = 0;
    stop = startTicker(async () => void calls++, logTo([]));
    await until(() => calls >= 1);
    offset += jump;
    const before = calls;
    await until(() => calls >= before + 3, { what: 'three more calls', timeoutMs: 6_000 });
  } finally {
    await stop?.();
    putBack();
  }
  for (const spy of out) expect(spy).not.toHaveBeenCalled();
});
