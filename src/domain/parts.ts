// Work on long lists, some items at a time.

/** Cuts a list into parts of at most `size`, in order, so that work on them is done some at a time. */
export function partsOf<T>(list: readonly T[], size = 200): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
