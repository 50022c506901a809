// Discord blocks an address after 10,000 refused requests in ten minutes. The client stops long before.
import { describe, expect, test } from 'vitest';
import { createLimits, type Limits } from '../../src/discord/limits.js';

function refuse(limits: Limits, times: number, status: number, scope = 'user'): void {
  for (let n = 0; n < times; n++) limits.learn(status, scope);
}

describe('refused requests', () => {
  test.each([401, 403, 429])(
    'answered %i stop everything at half of the number that Discord blocks for',
    async (status) => {
      const limits = createLimits();
      refuse(limits, 4_999, status);
      await limits.admit();
      refuse(limits, 1, status);
      const stop = limits.admit();
      await expect(stop).rejects.toMatchObject({ kind: 'busy', status: 429 });
      const { retryAfterMs } = (await stop.catch((error: unknown) => error)) as { retryAfterMs: number };
      expect(retryAfterMs).toBeGreaterThan(590_000);
      expect(retryAfterMs).toBeLessThanOrEqual(600_000);
    },
  );

  test('that Discord does not count, and accepted ones, stop nothing', async () => {
    const limits = createLimits();
    refuse(limits, 6_000, 429, 'shared');
    refuse(limits, 6_000, 404);
    refuse(limits, 6_000, 500);
    await limits.admit();
  });
});

test("a process with a quarter of Discord's limit sends ten requests a second", async () => {
  const limits = createLimits(() => 0.25);
  const started = performance.now();
  for (let n = 0; n < 21; n++) await limits.admit();
  expect(performance.now() - started).toBeGreaterThan(1_900);
});
