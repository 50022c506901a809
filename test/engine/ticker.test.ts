// The clock of the service: one call per second, never two at the same time, and none after a stop.
import { createRequire } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { startTicker } from '../../src/engine/ticker.js';
import { until } from '../helpers/until.js';

const { install } = createRequire(import.meta.url)('../helpers/moved-date.cjs') as {
  install(offset: () => number): () => void;
};
const DAY = 86_400_000;
const hour = async () => undefined;

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

test('logs a failing call once, and makes the next one', async () => {
  const out = ['log', 'info', 'warn', 'error'].map((name) =>
    vi.spyOn(console, name as 'log').mockReturnValue(),
  );
  const errors: string[] = [];
  let calls = 0;
  stop = startTicker(
    {
      hour,
      async second() {
        calls++;
        if (calls === 1) throw new Error('once');
      },
    },
    logTo(errors),
  );
  await until(() => calls >= 2);
  expect(errors).toEqual(['tick failed']);
  for (const spy of out) expect(spy).not.toHaveBeenCalled();
});

test('delays the next call after a slow one, and waits for it in a stop', async () => {
  let running = 0;
  let most = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let ended = false;
  const second = async () => {
    running++;
    most = Math.max(most, running);
    await held;
    running--;
    ended = true;
  };
  stop = startTicker({ second, hour }, logTo([]));
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
])('continues without output after the clock was set %s', { tags: 'long' }, async (_how, jump) => {
  const out = ['log', 'info', 'warn', 'error'].map((name) =>
    vi.spyOn(console, name as 'log').mockReturnValue(),
  );
  let offset = jump > 20 * 365 * DAY ? -jump : 0;
  const putBack = install(() => offset);
  try {
    let calls = 0;
    stop = startTicker({ second: async () => void calls++, hour }, logTo([]));
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

test('calls every full hour, also after the clock was set', { tags: 'long' }, async () => {
  const start = Date.now();
  const HOUR = 3_600_000;
  // Two seconds before a full hour, each time.
  const beforeHour = () => HOUR - ((start % HOUR) + 2_000);
  let offset = beforeHour();
  const putBack = install(() => offset);
  try {
    let hours = 0;
    stop = startTicker({ second: async () => undefined, hour: async () => void hours++ }, logTo([]));
    await until(() => hours === 1, { what: 'the first full hour' });
    offset -= 40 * HOUR + 5_000;
    await until(() => hours === 2, { what: 'the full hour after the clock was set back' });
  } finally {
    await stop?.();
    putBack();
  }
});
