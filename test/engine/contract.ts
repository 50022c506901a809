// What every engine must do, in one process or with a queue server. A separate test file runs it for each of them.
import { afterEach, describe, expect, test } from 'vitest';
import type { Engine, Job, Worker } from '../../src/ports/engine.js';
import { until } from '../helpers/until.js';

/** A kind of engine under test. Every `create` of one `open` works on the same queues if these outlive an engine. */
export interface EngineLab {
  create(): Promise<Engine>;
  /** Like a crash: running jobs never report back. */
  kill(engine: Engine): Promise<void>;
  /** Resolves when a queue server, if there is one, has that many groups. */
  offered?(groups: number): Promise<void>;
  close(): Promise<void>;
}

const QUEUE = 'work';
const job = (id: string, more: Partial<Job> = {}): Job => ({ queue: QUEUE, id, group: id, ...more });

/** Nothing is due, waiting or running. */
async function isDone(engine: Engine): Promise<boolean> {
  return (await engine.load(QUEUE)).due === 0;
}

/** A promise that is resolved by calling `open`. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

export function engineContract(name: string, openLab: () => Promise<EngineLab>): void {
  let lab: EngineLab | undefined;
  afterEach(async () => {
    await lab?.close();
    lab = undefined;
  });

  async function start(): Promise<Engine> {
    lab ??= await openLab();
    return lab.create();
  }

  /** A worker that records what ran and how many ran at the same time, in all and within a group. */
  function notebook(work: Worker = async () => undefined) {
    const ran: string[] = [];
    const attempts: number[] = [];
    const now = new Set<Job>();
    let together = 0;
    let clashes = 0;
    const worker: Worker = async (one, context) => {
      ran.push(one.id);
      attempts.push(context.attempt);
      if ([...now].some((other) => other.group === one.group)) clashes++;
      now.add(one);
      together = Math.max(together, now.size);
      try {
        return await work(one, context);
      } finally {
        now.delete(one);
      }
    };
    return { ran, attempts, worker, together: () => together, clashes: () => clashes };
  }

  describe(`${name}: running`, () => {
    test('runs a job put before the worker came and one put after', async () => {
      const engine = await start();
      const { ran, worker } = notebook();
      await engine.put(job('early'));
      expect(await engine.load(QUEUE)).toMatchObject({ due: 1 });
      engine.work(QUEUE, 1, worker);
      await engine.put(job('late'));
      await until(() => ran.length === 2);
      expect(ran).toEqual(['early', 'late']);
      await until(() => isDone(engine));
    });

    test('keeps queues apart', async () => {
      const engine = await start();
      const { ran, worker } = notebook();
      engine.work(QUEUE, 1, worker);
      await engine.put({ ...job('other'), queue: 'other' });
      await engine.put(job('mine'));
      await until(() => ran.length > 0);
      expect(ran).toEqual(['mine']);
      expect(await engine.load('other')).toMatchObject({ due: 1 });
    });

    test('runs a group in order and one at a time, however many jobs may run in parallel', async () => {
      const engine = await start();
      const { ran, worker, clashes } = notebook(async () => {
        await new Promise(setImmediate);
        return undefined;
      });
      engine.work(QUEUE, 5, worker);
      const ids = Array.from({ length: 15 }, (_, n) => `j${n}`);
      for (const id of ids) await engine.put(job(id, { group: 'one' }));
      await until(() => ran.length === 15);
      expect(ran).toEqual(ids);
      expect(clashes()).toBe(0);
    });

    test('runs groups in parallel, up to the limit', async () => {
      const engine = await start();
      const barrier = gate();
      let inside = 0;
      const { worker, together } = notebook(async () => {
        if (++inside === 3) barrier.open();
        await barrier.opened;
        return undefined;
      });
      engine.work(QUEUE, 3, worker);
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await engine.put(job(id));
      await until(() => isDone(engine));
      expect(together()).toBe(3);
    });

    test('lets other groups run while one has many jobs', async () => {
      const engine = await start();
      const { ran, worker } = notebook();
      for (let n = 0; n < 20; n++) await engine.put(job(`busy-${n}`, { group: 'busy' }));
      await engine.put(job('small-1', { group: 'small' }));
      await engine.put(job('small-2', { group: 'small' }));
      await lab?.offered?.(2);
      engine.work(QUEUE, 1, worker);
      await until(() => ran.length === 22);
      expect(ran.indexOf('small-1')).toBeLessThan(5);
      expect(ran.indexOf('small-2')).toBeLessThan(10);
    });
  });

  describe(`${name}: time`, () => {
    test('does not run a job before its time, and runs an earlier one first', async () => {
      const engine = await start();
      const at = Date.now() + 150;
      let ranAt = 0;
      const { ran, worker } = notebook(async () => {
        ranAt = Date.now();
        return undefined;
      });
      engine.work(QUEUE, 1, worker);
      await engine.put(job('later', { at: at + 3_600_000 }));
      await engine.put(job('sooner', { at }));
      await until(() => ran.length === 1);
      expect(ran).toEqual(['sooner']);
      expect(ranAt).toBeGreaterThanOrEqual(at);
      expect(await engine.dueAt(job('later'))).toBe(at + 3_600_000);
    });

    test('a job put again while it waits runs once, at the earlier of both times', async () => {
      const engine = await start();
      const { ran, worker } = notebook();
      await engine.put(job('a', { at: Date.now() + 3_600_000 }));
      await engine.put(job('a'));
      await engine.put(job('a', { at: Date.now() + 7_200_000 }));
      await engine.put(job('a'));
      expect(await engine.load(QUEUE)).toMatchObject({ due: 1 });
      engine.work(QUEUE, 2, worker);
      await engine.put(job('b'));
      await until(() => isDone(engine));
      expect(ran.toSorted()).toEqual(['a', 'b']);
    });

    test('a job put again while it runs is run once more', async () => {
      const engine = await start();
      const first = gate();
      const { ran, worker, clashes } = notebook(async () => {
        await first.opened;
        return undefined;
      });
      engine.work(QUEUE, 2, worker);
      await engine.put(job('a'));
      await until(() => ran.length === 1);
      for (let n = 0; n < 3; n++) await engine.put(job('a'));
      first.open();
      await until(() => isDone(engine));
      expect(ran).toEqual(['a', 'a']);
      expect(clashes()).toBe(0);
    });

    test('a job that defers itself and is put again meanwhile runs at the earlier time', async () => {
      const engine = await start();
      const first = gate();
      const { ran, worker } = notebook(async () => {
        await first.opened;
        return ran.length === 1 ? { again: 3_600_000, deferred: true } : undefined;
      });
      engine.work(QUEUE, 1, worker);
      await engine.put(job('a'));
      await until(() => ran.length === 1);
      await engine.put(job('a'));
      first.open();
      await until(() => ran.length === 2);
    });
  });

  describe(`${name}: attempts`, () => {
    test('are counted when a job asks for another, not when it defers, and start again when it is done', async () => {
      const engine = await start();
      const outcomes = [
        { again: 1, deferred: true },
        { again: 1, deferred: true },
        { again: 1 },
        { again: 1 },
        undefined,
      ];
      const { ran, attempts, worker } = notebook(async () => outcomes[ran.length - 1]);
      engine.work(QUEUE, 1, worker);
      await engine.put(job('a'));
      // Between two runs nothing is due for a moment.
      await until(async () => ran.length === 5 && (await isDone(engine)));
      expect(attempts).toEqual([1, 1, 1, 2, 3]);
      await engine.put(job('a'));
      await until(() => ran.length === 6);
      expect(attempts.at(-1)).toBe(1);
    });

    test('start again after a run that succeeded', async () => {
      const engine = await start();
      const outcomes = [{ again: 1 }, { again: 1, succeeded: true }, { again: 1 }, undefined];
      const { ran, attempts, worker } = notebook(async () => outcomes[ran.length - 1]);
      engine.work(QUEUE, 1, worker);
      await engine.put(job('a'));
      await until(() => ran.length === 4);
      expect(attempts).toEqual([1, 2, 1, 2]);
    });

    test('a job that throws runs again after a while, and others of its group run meanwhile', async () => {
      const engine = await start();
      const { ran, attempts, worker } = notebook(async ({ id }, { attempt }) => {
        if (id === 'bad' && attempt === 1) throw new Error('a bug');
        return undefined;
      });
      engine.work(QUEUE, 1, worker);
      await engine.put(job('bad', { group: 'one' }));
      await engine.put(job('good', { group: 'one' }));
      await until(() => ran.length === 3);
      expect(ran).toEqual(['bad', 'good', 'bad']);
      expect(attempts).toEqual([1, 1, 2]);
      await until(() => isDone(engine));
    });
  });

  describe(`${name}: a job that is run immediately`, () => {
    test('waits for its group, but not for the queue of the group, and returns a result', async () => {
      const engine = await start();
      const open = gate();
      const { ran, worker, clashes } = notebook(async (one) => {
        if (one.id === 'first') await open.opened;
        return undefined;
      });
      const inGroup = { group: 'g' };
      await engine.put(job('first', inGroup));
      for (let n = 0; n < 20; n++) await engine.put(job(`later-${n}`, inGroup));
      engine.work(QUEUE, 4, worker);
      await until(() => ran.length === 1);
      const mine = engine.run(job('mine', inGroup), async () => {
        const signal = AbortSignal.timeout(1000);
        await worker(job('mine', inGroup), { attempt: 1, signal, holding: signal, state: null });
        return { result: 'done', outcome: undefined };
      });
      open.open();
      expect(await mine).toBe('done');
      expect(ran.length).toBeLessThan(15);
      await until(() => isDone(engine));
      expect(ran).toHaveLength(22);
      expect(clashes()).toBe(0);
    });

    test('runs again at its time, and its group rests as long as it requests', async () => {
      const engine = await start();
      const began = Date.now();
      const outcome = { again: 0, succeeded: true, rest: 300 };
      expect(await engine.run(job('a'), async () => ({ result: 1, outcome }))).toBe(1);
      const times: number[] = [];
      engine.work(QUEUE, 1, async () => void times.push(Date.now() - began));
      await until(() => times.length === 1);
      expect(times[0]).toBeGreaterThanOrEqual(299);
    });

    test('throws its error to the caller, and frees the group', async () => {
      const engine = await start();
      const failing = engine.run(job('a'), () => Promise.reject(new Error('no')));
      await expect(failing).rejects.toThrow('no');
      expect(await engine.run(job('a'), async () => ({ result: 2, outcome: undefined }))).toBe(2);
    });

    test('is given up when its caller stops waiting', async () => {
      const engine = await start();
      const open = gate();
      const { ran, worker } = notebook(async () => void (await open.opened));
      engine.work(QUEUE, 1, worker);
      await engine.put(job('a'));
      await until(() => ran.length === 1);
      const gone = AbortSignal.timeout(50);
      const vain = engine.run(job('b', { group: 'a' }), async () => ({ result: 1, outcome: undefined }), {
        signal: gone,
      });
      const error = await vain.catch((thrown: unknown) => thrown);
      expect(gone.aborted).toBe(true);
      expect(error).toBe(gone.reason);
      open.open();
    });
  });

  describe(`${name}: stopping`, () => {
    test('drain waits for what runs and starts nothing new', async () => {
      const engine = await start();
      const first = gate();
      const { ran, worker } = notebook(async () => {
        await first.opened;
        return undefined;
      });
      engine.work(QUEUE, 1, worker);
      await engine.put(job('running'));
      await engine.put(job('waiting'));
      await until(() => ran.length === 1);
      const drained = engine.drain(10_000);
      await engine.put(job('late'));
      first.open();
      expect(await drained).toBe(true);
      expect(ran).toEqual(['running']);
    });

    test('drain reports when a job does not end, and aborts it', async () => {
      const engine = await start();
      const aborted = gate();
      const { ran, worker } = notebook(async (_job, { signal }) => {
        signal.addEventListener('abort', () => aborted.open());
        await aborted.opened;
        return undefined;
      });
      engine.work(QUEUE, 1, worker);
      await engine.put(job('endless'));
      await until(() => ran.length === 1);
      expect(await engine.drain(20)).toBe(false);
      await aborted.opened;
    });

    test('drain of an idle engine ends immediately', async () => {
      const engine = await start();
      engine.work(QUEUE, 1, notebook().worker);
      await engine.put(job('tomorrow', { at: Date.now() + 86_400_000 }));
      expect(await engine.drain(10_000)).toBe(true);
    });

    test('after a kill, unfinished jobs run again, and run to the end', { tags: 'long' }, async () => {
      const truth = new Set(['a', 'b', 'c']);
      const first = await start();
      const { ran, worker } = notebook(async ({ id }) => {
        if (id === 'b') await new Promise(() => {});
        truth.delete(id);
        return undefined;
      });
      first.work(QUEUE, 1, worker);
      for (const id of truth) await first.put(job(id));
      await until(() => ran.includes('b'));
      await lab?.kill(first);
      const second = await start();
      const after = notebook(async ({ id }) => {
        truth.delete(id);
        return undefined;
      });
      second.work(QUEUE, 1, after.worker);
      for (const id of truth) await second.put(job(id));
      await until(() => truth.size === 0);
      expect(after.ran).toContain('b');
    });
  });

  describe(`${name}: lag`, () => {
    test('is that of the job that is due for longest, in line or running, and not of one of tomorrow or one that is done', async () => {
      const engine = await start();
      const open = gate();
      const { ran, worker } = notebook(async () => void (await open.opened));
      expect(await engine.load(QUEUE)).toEqual({ due: 0 });
      const at = Date.now() - 60_000;
      await engine.put(job('b', { group: 'g', at: at + 1000 }));
      await engine.put(job('tomorrow', { at: Date.now() + 86_400_000 }));
      expect(await engine.load(QUEUE)).toEqual({ due: 1, since: at + 1000 });
      await engine.put(job('a', { group: 'g', at }));
      engine.work(QUEUE, 1, worker);
      await until(() => ran.length === 1);
      expect(await engine.load(QUEUE)).toEqual({ due: 2, since: at });
      open.open();
      await until(() => isDone(engine));
      expect(await engine.dueAt(job('tomorrow'))).toBeDefined();
    });
  });

  describe(`${name}: two workers`, () => {
    test('share a queue, and never run one group at the same time', async () => {
      const engine = await start();
      const both = gate();
      const seen = new Set<string>();
      const { ran, worker, clashes } = notebook(async () => {
        await both.opened;
        await new Promise(setImmediate);
        return undefined;
      });
      const named =
        (who: string): Worker =>
        (one, context) => {
          seen.add(who);
          if (seen.size === 2) both.open();
          return worker(one, context);
        };
      engine.work(QUEUE, 1, named('first'));
      engine.work(QUEUE, 1, named('second'));
      const jobs = Array.from({ length: 40 }, (_, n) => job(`j${n}`, { group: `g${n % 3}` }));
      for (const one of jobs) await engine.put(one);
      await until(() => isDone(engine));
      expect(clashes()).toBe(0);
      for (const group of ['g0', 'g1', 'g2']) {
        const ids = jobs.filter((one) => one.group === group).map((one) => one.id);
        expect(ran.filter((id) => ids.includes(id))).toEqual(ids);
      }
    });

    test('one that is stopped starts nothing more, and the other continues', async () => {
      const engine = await start();
      const one = notebook();
      const other = notebook();
      const stop = engine.work(QUEUE, 1, one.worker);
      await engine.put(job('a'));
      await until(() => one.ran.length === 1);
      stop();
      await engine.put(job('b'));
      engine.work(QUEUE, 1, other.worker);
      await until(() => other.ran.length === 1);
      expect([one.ran, other.ran]).toEqual([['a'], ['b']]);
    });
  });
}
