// Closes what a test opened when the test is over.
const undo: (() => Promise<unknown> | unknown)[] = [];

/** Runs when the current test is over, in reverse order. */
export function later(...work: readonly (() => Promise<unknown> | unknown)[]): void {
  undo.push(...work);
}

export async function undoAll(): Promise<void> {
  for (const work of undo.splice(0).reverse()) await work();
}
