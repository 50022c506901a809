// Waiting for something to become true, instead of sleeping and hoping.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves with the first truthy value of `condition`, asked every 20 ms; fails after `timeoutMs` naming `what`.
 * A condition that throws is asked again; its last error becomes the cause of the failure.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 10_000, what = 'the condition' }: { timeoutMs?: number; what?: string } = {},
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value as NonNullable<T>;
    } catch (error) {
      cause = error;
    }
    if (Date.now() >= deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause });
    await sleep(20);
  }
}
