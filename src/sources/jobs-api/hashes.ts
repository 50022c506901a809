// Hashes that tell whether a body or a record is the one seen before. xxHash (XXH64) reads a body five times faster than
// SHA-256. It protects against chance and not against an attacker, who could only hide postings of their own.
import xxhash from 'xxhash-wasm';

const { create64, h64 } = await xxhash();

/** Identifies a version of a body: 64 bits of its bytes. */
export function bodyHash(body: readonly Uint8Array[]): string {
  const hash = create64();
  for (const piece of body) hash.update(piece);
  return hash.digest().toString(36);
}

/** Identifies a record by its text: 64 bits. */
export function recordMark(text: string): string {
  return h64(text).toString(36);
}
