// Figures that are counted when somebody asks. Counting walks rows, so what took long is counted less often.
import type { Clock } from '../ports/system.js';

/** Counting takes at most one part of so many of the time. */
const SHARE = 20;
/** Faster than that is not worth keeping, milliseconds. */
const FAST_MS = 100;

/**
 * Takes figures when asked; those who ask meanwhile get the same. They are kept for `leastMs`, or longer when it took long
 * to take them. When it fails, the last ones stand in; the first time the error reaches the caller.
 */
export function keptFigures<T>(clock: Clock, take: () => Promise<T>, leastMs = 0): () => Promise<T> {
  let running: Promise<T> | undefined;
  let kept: { readonly at: number; readonly ms: number; readonly figures: T } | undefined;

  async function again(): Promise<T> {
    const at = clock.now();
    try {
      const figures = await take();
      const took = clock.now() - at;
      kept = { at, ms: Math.max(leastMs, took > FAST_MS ? took * SHARE : 0), figures };
    } catch (error) {
      if (!kept) throw error;
      // Asked again the next time.
      kept = { ...kept, ms: 0 };
    } finally {
      running = undefined;
    }
    return kept.figures;
  }

  return async () => {
    const now = clock.now();
    if (kept && now >= kept.at && now - kept.at < kept.ms) return kept.figures;
    running ??= again();
    return running;
  };
}
