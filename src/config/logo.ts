// The operator's logo, read at the start so that a file that can't be used is reported with the other faults.
import { readFileSync } from 'node:fs';
import type { Logo } from '../render/brand.js';

/** Each mail carries it. Bytes. */
const LARGEST = 32_768;
/** The first chunk of a PNG is IHDR, which begins with width and height (PNG specification, 11.2.1). */
const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

export const LOGO_WANTED = 'the path of a PNG file of at most 32 KB';

/** Returns the logo; undefined for a file that can't be read, is too large or is no PNG. */
export function readLogo(path: string): Logo | undefined {
  try {
    const png = readFileSync(path);
    if (png.length > LARGEST || png.length < 24 || !png.subarray(0, 16).equals(PNG_START)) return undefined;
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
    return width > 0 && height > 0 ? { png: png.toString('base64'), width, height } : undefined;
  } catch {
    return undefined;
  }
}
