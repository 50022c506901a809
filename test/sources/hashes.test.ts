import { describe, expect, test } from 'vitest';
import { bodyHash, recordMark } from '../../src/sources/jobs-api/hashes.js';

describe('hashes of bodies and records', () => {
  // Stored with every subscription: other values would read each listing once more after an update.
  test('are XXH64 of the bytes', () => {
    expect(BigInt(`0x${toHex(bodyHash([Buffer.from('a'), Buffer.from('bc')]))}`)).toBe(0x44bc2cf5ad770999n);
    expect(recordMark(['abc'])).toBe(bodyHash([Buffer.from('abc')]));
    expect(recordMark(['Ärzte 🚀'])).toBe(bodyHash([Buffer.from('Ärzte 🚀')]));
  });

  test('do not depend on how a body was cut into pieces', () => {
    const body = Buffer.from('x'.repeat(100) + 'y'.repeat(70_000));
    const pieces = [body.subarray(0, 7), body.subarray(7, 65_536), body.subarray(65_536)];
    expect(bodyHash(pieces)).toBe(bodyHash([body]));
    expect(bodyHash([...pieces, Buffer.from('z')])).not.toBe(bodyHash([body]));
  });
});

function toHex(text: string): string {
  let value = 0n;
  for (const sign of text) value = value * 36n + BigInt(Number.parseInt(sign, 36));
  return value.toString(16);
}
