// Changes to one record are read, made and written; two at once would undo each other, so they wait in line.

/** Runs what is given for a key one after the other; keys do not wait for each other. A failure is its caller's alone. */
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
