// Figures that are counted on request. Counting reads rows, so what takes long is counted less often.
import type { Clock } from '../ports/system.js';

/** Counting takes at most this fraction of the time: one part in so many. */
const SHARE = 20;
/** Faster figures are kept for `leastMs` only, milliseconds. */
const FAST_MS = 100;

/**
 * Returns a function that takes figures. Callers that ask at the same time get the same ones. They are kept for
 * `leastMs`, or longer when they took long. If taking them fails, the last ones are returned; the first time, the
 * error is thrown.
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
      // The next call tries again.
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
