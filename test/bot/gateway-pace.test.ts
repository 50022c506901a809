// The library reconnects endlessly and without a pause; these two rules limit it.
import { expect, test } from 'vitest';
import { createConnection, nextIdentifyAt, pauseBefore } from '../../src/bot/runtime/client.js';
import { createDiscordRest } from '../../src/discord/rest.js';
import { secret } from '../../src/domain/secret.js';
import { silent } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';

test('the first attempts come immediately, and later ones slow down to one per minute', () => {
  const pauses = Array.from({ length: 12 }, (_, attempt) => pauseBefore(attempt, 0));
  expect(pauses.slice(0, 5)).toEqual([0, 0, 1000, 2000, 4000]);
  expect(pauses.at(-1)).toBe(60_000);
  expect(pauseBefore(1000, 0)).toBe(60_000);
  expect(pauseBefore(5, 1)).toBe(6000);
});

test('a day of sessions that fail immediately stays under the 1,000 identifies that Discord allows', () => {
  const day = 86_400_000;
  const past: number[] = [];
  for (let now = 0; now < day; ) {
    now = nextIdentifyAt(past, now);
    past.push(now);
  }
  expect(past.length).toBeLessThan(800);
  expect(past.length).toBeGreaterThan(500);
  expect((past[1] as number) - (past[0] as number)).toBe(5000);
});

test('an identify that is cancelled during its wait stops waiting and does not count', async () => {
  const rest = createDiscordRest({ token: secret('x'.repeat(30)), log: silent });
  later(() => rest.close());
  const identifies = [Date.now()];
  const { client } = createConnection({ rest: await rest.library(), log: silent, identifies });
  const throttler = await client.options.ws?.buildIdentifyThrottler?.({} as never);
  const [other, cancelled] = [new AbortController(), new AbortController()];
  let isOver = false;
  const waits = throttler?.waitForIdentify(0, other.signal).finally(() => {
    isOver = true;
  });
  const rejects = expect(throttler?.waitForIdentify(0, cancelled.signal)).rejects.toThrow();
  cancelled.abort();
  await rejects;
  expect(isOver).toBe(false);
  other.abort();
  await expect(waits).rejects.toThrow();
  expect(identifies).toHaveLength(1);
});
