// Waits until a condition is true, without a fixed sleep.
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits are longer by this factor: a busy machine may need it, and a test that passes never waits longer. */
const PATIENCE = 3;

/**
 * Resolves with the first truthy value of `condition`, checked every 20 ms; fails after `timeoutMs` times
 * {@link PATIENCE}, naming `what`.
 * A condition that throws is checked again; its last error becomes the cause of the failure.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 10_000, what = 'the condition' }: { timeoutMs?: number; what?: string } = {},
): Promise<NonNullable<T>> {
  const patienceMs = timeoutMs * PATIENCE;
  const deadline = Date.now() + patienceMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value as NonNullable<T>;
    } catch (error) {
      cause = error;
    }
    if (Date.now() >= deadline) throw new Error(`waited ${patienceMs} ms in vain for ${what}`, { cause });
    await sleep(20);
  }
}
