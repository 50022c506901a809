// Keeps results that cost more to make than to find again.

/** Most results of one kind. All are dropped then, which protects against input that is varied on purpose. */
const MOST = 500;
/** Results of longer keys are not kept, so that a few long texts can't fill the memory. UTF-16 units. */
const LONGEST = 500;

/** Keeps a result under a key that names everything it depends on. Returns the result. */
export function remember<T>(kept: Map<string, T>, key: string, result: T): T {
  if (key.length > LONGEST) return result;
  if (kept.size >= MOST) kept.clear();
  kept.set(key, result);
  return result;
}
