// The engine of one process: the contract of all engines, and what only a clock held by the test can show.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createInProcessEngine } from '../../src/engine/in-process.js';
import type { Engine } from '../../src/ports/engine.js';
import { testClock } from '../helpers/memory-table.js';
import { engineContract } from './contract.js';

const log = { debug() {}, info() {}, warn() {}, error() {} };

engineContract('in process', async () => {
  const engines: Engine[] = [];
  return {
    async create() {
      const engine = createInProcessEngine({ clock: { now: () => Date.now() }, log });
      engines.push(engine);
      return engine;
    },
    // Nothing of it outlives the process, so the end of one is that nobody listens to it any more.
    kill: async (engine) => void (await engine.drain(0)),
    close: async () => void (await Promise.all(engines.map((engine) => engine.drain(0)))),
  };
});

test('thirty jobs at once that listen for the end are not taken for a leak', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  const engine = createInProcessEngine({ clock: { now: () => Date.now() }, log });
  let running = 0;
  engine.work('work', 30, async (_job, { signal }) => {
    running++;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return undefined;
  });
  for (let id = 0; id < 30; id++)
    await engine.put({ queue: 'work', id: String(id), group: String(id), at: Date.now() });
  await vi.waitFor(() => expect(running).toBe(30));
  await engine.drain(0);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

describe('a clock that jumps', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('forward is noticed within half a minute, whatever a timer was set to', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const clock = testClock();
    const engine = createInProcessEngine({ clock, log });
    const ran: string[] = [];
    engine.work('work', 1, async ({ id }) => {
      ran.push(id);
      return undefined;
    });
    await engine.put({ queue: 'work', id: 'in six days', group: 'a', at: clock.now() + 6 * 86_400_000 });
    clock.advance(6 * 86_400_000);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(ran).toEqual(['in six days']);
    await engine.drain(0);
  });

  test('to a time further off than a timer can be set to is no reason to run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const clock = testClock();
    const engine = createInProcessEngine({ clock, log });
    let runs = 0;
    engine.work('work', 1, async () => {
      runs++;
      return undefined;
    });
    await engine.put({ queue: 'work', id: 'next year', group: 'a', at: clock.now() + 400 * 86_400_000 });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(runs).toBe(0);
    await engine.drain(0);
  });
});
