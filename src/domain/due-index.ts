// Ten thousand subscriptions cost one timer, not ten thousand: a heap of what is due when. Changing a time leaves
// the old entry in the heap, where it is skipped when it surfaces; that keeps every step at O(log n).

/** Ids by due time in milliseconds since the epoch. */
export interface DueIndex {
  /** Sets or moves an id; Infinity removes it. */
  set(id: string, at: number): void;
  get(id: string): number | undefined;
  delete(id: string): void;
  /** Takes out at most `max` ids due at `now`, earliest first. */
  take(now: number, max?: number): string[];
  /** The earliest due time; Infinity when empty. */
  next(): number;
  readonly size: number;
}

interface Entry {
  readonly id: string;
  readonly at: number;
  /** Ties go to the one that was set first. */
  readonly order: number;
}

function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

export function createDueIndex(): DueIndex {
  const current = new Map<string, Entry>();
  let heap: Entry[] = [];
  let order = 0;

  function swap(a: number, b: number): void {
    [heap[a], heap[b]] = [heap[b] as Entry, heap[a] as Entry];
  }

  function push(entry: Entry): void {
    heap.push(entry);
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!before(heap[child] as Entry, heap[parent] as Entry)) return;
      swap(parent, child);
      child = parent;
    }
  }

  function pop(): void {
    const last = heap.pop() as Entry;
    if (heap.length === 0) return;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const left = parent * 2 + 1;
      const right = left + 1;
      let least = parent;
      if (left < heap.length && before(heap[left] as Entry, heap[least] as Entry)) least = left;
      if (right < heap.length && before(heap[right] as Entry, heap[least] as Entry)) least = right;
      if (least === parent) return;
      swap(parent, least);
      parent = least;
    }
  }

  /** The valid top of the heap; entries that were moved or deleted since are thrown away on the way. */
  function top(): Entry | undefined {
    for (let entry = heap[0]; entry; entry = heap[0]) {
      if (current.get(entry.id) === entry) return entry;
      pop();
    }
    return undefined;
  }

  return {
    set(id, at) {
      if (current.get(id)?.at === at) return;
      if (!Number.isFinite(at)) {
        current.delete(id);
        return;
      }
      const entry = { id, at, order: order++ };
      current.set(id, entry);
      push(entry);
      // Many moves of the same ids must not fill the memory with stale entries.
      if (heap.length > 64 && heap.length > current.size * 4)
        heap = [...current.values()].sort((a, b) => (before(a, b) ? -1 : 1));
    },
    get: (id) => current.get(id)?.at,
    delete: (id) => {
      current.delete(id);
    },
    take(now, max = Number.POSITIVE_INFINITY) {
      const due: string[] = [];
      for (let entry = top(); entry && entry.at <= now && due.length < max; entry = top()) {
        due.push(entry.id);
        current.delete(entry.id);
        pop();
      }
      return due;
    },
    next: () => top()?.at ?? Number.POSITIVE_INFINITY,
    get size() {
      return current.size;
    },
  };
}
