// A bounded cache of buffers that can be made again. The one that was not used for longest is dropped first.

export interface Buffers {
  get(key: string): Buffer | undefined;
  /** Keeps a buffer, unless it would displace most of the others. Returns it in any case. */
  keep(key: string, buffer: Buffer): Buffer;
  /** Bytes that are kept now. */
  size(): number;
}

export function createBuffers(maxBytes: number): Buffers {
  const kept = new Map<string, Buffer>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  }

  return {
    get(key) {
      const buffer = kept.get(key);
      if (buffer === undefined) return undefined;
      kept.delete(key);
      kept.set(key, buffer);
      return buffer;
    },
    keep(key, buffer) {
      drop(key);
      if (buffer.length > maxBytes / 4) return buffer;
      kept.set(key, buffer);
      bytes += buffer.length;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
      return buffer;
    },
    size: () => bytes,
  };
}
