// Work that runs one after the other, and waits that a signal ends.
import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createKeyedMutex, createMutex, unlessAborted } from '../../src/domain/serial.js';

/** Work that ends when the test says so. */
function held(): { readonly run: () => Promise<string>; begun: boolean; end: (how?: Error) => void } {
  const one = {
    begun: false,
    end: (_how?: Error) => {},
    run: () => {
      one.begun = true;
      return new Promise<string>((resolve, reject) => {
        one.end = (how) => (how ? reject(how) : resolve('done'));
      });
    },
  };
  return one;
}

test('work for one key runs in order, and keys do not wait for each other', async () => {
  const serially = createKeyedMutex();
  const [first, second, other] = [held(), held(), held()];
  const results = [serially('a', first.run), serially('a', second.run), serially('b', other.run)];
  await turn();
  expect([first.begun, second.begun, other.begun]).toEqual([true, false, true]);
  first.end();
  other.end();
  await turn();
  expect(second.begun).toBe(true);
  second.end();
  expect(await Promise.all(results)).toEqual(['done', 'done', 'done']);
});

test('work that fails does so for its own caller', async () => {
  const serially = createKeyedMutex();
  const first = held();
  const failing = serially('a', first.run);
  const next = serially('a', async () => 'fine');
  await turn();
  first.end(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('fine');
});

test('work whose signal ends the wait is not begun, and what comes after it still waits', async () => {
  const serially = createKeyedMutex();
  const [first, second, third] = [held(), held(), held()];
  const control = new AbortController();
  const running = serially('a', first.run);
  const waiting = serially('a', second.run, control.signal);
  const last = serially('a', third.run);
  control.abort(new Error('too late'));
  await expect(waiting).rejects.toThrow('too late');
  await turn();
  expect([second.begun, third.begun]).toEqual([false, false]);
  first.end();
  await running;
  await turn();
  expect([second.begun, third.begun]).toEqual([false, true]);
  third.end();
  expect(await last).toBe('done');
});

test('work whose signal has ended before is not begun, even if nothing runs', async () => {
  const one = held();
  const ended = AbortSignal.abort(new Error('over'));
  await expect(createKeyedMutex()('a', one.run, ended)).rejects.toThrow('over');
  expect(one.begun).toBe(false);
});

test('a line is idle when its work is done, with what that work added', async () => {
  const line = createMutex();
  await line.idle();
  const done: string[] = [];
  void line(async () => {
    await turn();
    done.push('first');
    void line(async () => {
      await turn();
      done.push('added');
      throw new Error('a failure ends no wait');
    }).catch(() => undefined);
  });
  await line.idle();
  expect(done).toEqual(['first', 'added']);
});

test('a wait ends with its promise or its signal, and listens no longer', async () => {
  const control = new AbortController();
  const listeners = () => getEventListeners(control.signal, 'abort').length;
  const never = new Promise<never>(() => undefined);
  expect(await unlessAborted(Promise.resolve('yes'), undefined)).toBe('yes');
  const [fine, failing] = [held(), held()];
  const waits = [unlessAborted(fine.run(), control.signal), unlessAborted(failing.run(), control.signal)];
  expect(listeners()).toBe(2);
  fine.end();
  failing.end(new Error('no'));
  expect(await waits[0]).toBe('done');
  await expect(waits[1]).rejects.toThrow('no');
  await turn();
  expect(listeners()).toBe(0);
  const waiting = unlessAborted(never, control.signal);
  control.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  const after = held();
  const late = unlessAborted(after.run(), control.signal);
  await expect(late).rejects.toThrow('enough');
});

test('work that comes while the second runs waits for it, although the first has ended', async () => {
  const serially = createKeyedMutex();
  const [first, second, third] = [held(), held(), held()];
  const results = [serially('a', first.run), serially('a', second.run)];
  await turn();
  first.end();
  await turn();
  results.push(serially('a', third.run));
  await turn();
  expect([second.begun, third.begun]).toEqual([true, false]);
  second.end();
  await turn();
  expect(third.begun).toBe(true);
  third.end();
  await Promise.all(results);
});

test('work with a signal gives its result after it has waited', async () => {
  const serially = createKeyedMutex();
  const first = held();
  const running = serially('a', first.run);
  const next = serially('a', async () => 'second', new AbortController().signal);
  await turn();
  first.end();
  expect(await next).toBe('second');
  await running;
});

test('keys of work that is done take no memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const serially = createKeyedMutex();
  const size = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = size();
  for (let index = 0; index < 50_000; index++)
    await serially(`a key that is used once: ${index}`, async () => 1);
  expect(size() - before).toBeLessThan(2_000_000);
  // Used again, so that the lock itself is in memory until here.
  expect(await serially('a', async () => 'done')).toBe('done');
});
