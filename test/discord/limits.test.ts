// Discord bans an address at 10,000 refused requests in ten minutes. Whoever sends stops long before.
import { describe, expect, test } from 'vitest';
import { createLimits, type Limits } from '../../src/sinks/discord/limits.js';

const ROUTE = 'POST /channels/1/messages';
const header = (values: Record<string, string>) => (name: string) => values[name];

function refuse(limits: Limits, times: number, status: number, scope = 'user'): void {
  for (let n = 0; n < times; n++)
    limits.learn(`${ROUTE} ${n % 7}`, header({ 'x-ratelimit-scope': scope }), status);
}
const admit = (limits: Limits, route = ROUTE) => limits.admit(route, undefined);

describe('refused requests', () => {
  test.each([401, 403, 429])(
    'answered %i stop everything at half of what Discord bans for',
    async (status) => {
      const limits = createLimits();
      refuse(limits, 4_999, status);
      await admit(limits);
      refuse(limits, 1, status);
      const stop = admit(limits, 'GET /channels/2');
      await expect(stop).rejects.toMatchObject({ kind: 'busy', status: 429 });
      const { retryAfterMs } = (await stop.catch((error: unknown) => error)) as { retryAfterMs: number };
      expect(retryAfterMs).toBeGreaterThan(590_000);
      expect(retryAfterMs).toBeLessThanOrEqual(600_000);
    },
  );

  test('that Discord does not count, or that are none, stop nothing', async () => {
    const limits = createLimits();
    refuse(limits, 6_000, 429, 'shared');
    refuse(limits, 6_000, 404);
    refuse(limits, 6_000, 500);
    await admit(limits);
  });
});

test('a process with a quarter of what Discord allows sends ten a second', async () => {
  const limits = createLimits(() => 0.25);
  const started = performance.now();
  for (let n = 0; n < 21; n++) await admit(limits, `POST /channels/${n}/messages`);
  expect(performance.now() - started).toBeGreaterThan(1_900);
});

test('a spent route tells for how long', () => {
  const limits = createLimits();
  expect(limits.resetMs(ROUTE)).toBe(0);
  limits.learn(ROUTE, header({ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset-after': '9' }), 200);
  expect(limits.resetMs(ROUTE)).toBe(0);
  limits.learn(ROUTE, header({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '9' }), 200);
  expect(limits.resetMs(ROUTE)).toBeGreaterThan(8_000);
});

test('a route whose headers say it is spent waits for its reset, the others do not', async () => {
  const limits = createLimits();
  const spent = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '9' };
  limits.learn(ROUTE, header(spent), 200);
  await expect(admit(limits)).rejects.toMatchObject({ kind: 'busy' });
  await admit(limits, 'POST /channels/2/messages');
});
