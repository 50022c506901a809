// Hashes that tell whether a body or a record is the one seen before. xxHash (XXH64) reads a body five times faster than
// SHA-256. It protects against chance and not against an attacker, who could only hide postings of their own.
import xxhash from 'xxhash-wasm';

const { create64, h64, h64Raw } = await xxhash();

/** Identifies a version of a body: 64 bits of its bytes. */
export function bodyHash(body: readonly Uint8Array[]): string {
  const [only] = body;
  if (body.length === 1 && only) return h64Raw(only).toString(36);
  const hash = create64();
  for (const piece of body) hash.update(piece);
  return hash.digest().toString(36);
}

/** Identifies a record by its text, which is given in pieces: 64 bits. The same text in other pieces has another mark. */
export function recordMark(pieces: readonly string[]): string {
  let hash = 0n;
  // The hash of one piece is the seed of the next. Joining the pieces first would copy the whole text.
  for (const piece of pieces) hash = h64(piece, hash);
  return hash.toString(36);
}
