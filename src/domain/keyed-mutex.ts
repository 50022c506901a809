// A change to a record is a read, a change and a write. Two at the same time would undo each other, so they run one
// by one.

/**
 * Runs the functions given for a key one after the other. Keys do not wait for each other. A failure only affects its
 * caller.
 */
export type Lines = <T>(key: string, run: () => Promise<T>) => Promise<T>;

export function createKeyedMutex(): Lines {
  const tails = new Map<string, Promise<unknown>>();
  return (key, run) => {
    const turn = (tails.get(key) ?? Promise.resolve()).then(run);
    const tail = turn
      .catch(() => undefined)
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    tails.set(key, tail);
    return turn;
  };
}
