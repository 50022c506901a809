// Turns the bytes of an answer into text: undoes Content-Encoding under a hard size limit, and finds the character
// set when header, XML declaration and content disagree.
import { isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { FeedError } from '../../domain/errors.js';

type Decode = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;

const inflated: Decode = promisify(inflate);
const inflatedRaw: Decode = promisify(inflateRaw);

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  // Sent with and without the zlib header (RFC 9110, 8.4.1.2, note). The first byte shows which.
  ['deflate', (bytes, options) => (((bytes[0] ?? 8) & 0x0f) === 8 ? inflated : inflatedRaw)(bytes, options)],
  ['br', promisify(brotliDecompress) as Decode],
]);

/** Request header with the codings that {@link decompressed} can undo. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/**
 * Undoes the Content-Encoding of a body. It stops after `maxBytes`, so that a small body can't use more memory.
 * Throws a malformed {@link FeedError} for a body over the limit and for a coding that is unknown or applied twice.
 * Errors of zlib pass through.
 */
export async function decompressed(
  body: readonly Buffer[],
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<readonly Buffer[]> {
  if (contentEncoding === undefined) return body;
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 1) throw new FeedError('malformed', 'The response is compressed more than once.');
  const [coding] = codings;
  if (coding === undefined) return body;
  const decode = DECODERS.get(coding);
  if (!decode) throw new FeedError('malformed', 'The response has an encoding that was not requested.');
  try {
    return [await decode(joined(body), { maxOutputLength: maxBytes })];
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(maxBytes) : error;
  }
}

export function tooLarge(maxBytes: number): FeedError {
  return new FeedError('malformed', `The response is larger than ${maxBytes} bytes.`);
}

/** The pieces of a body as one. */
export function joined(body: readonly Buffer[]): Buffer {
  const [only] = body;
  return body.length === 1 && only ? only : Buffer.concat(body);
}

/** `lossy`: some bytes were not characters and are U+FFFD now, so the text around them is not exact. */
export interface Text {
  readonly text: string;
  readonly lossy: boolean;
}

const LATIN1 = /^(?:iso-?8859-1|latin-?1|windows-1252|cp1252|us-ascii)$/u;

/**
 * Decodes a body. A byte order mark wins, then the pattern of NULs that only UTF-16 has (XML 1.0, appendix F), then
 * UTF-8 if the bytes are valid UTF-8: text of another character set practically never is, while a wrong charset in
 * a header is common. Only then the declared charset counts, header before XML declaration; an unknown one is
 * read as UTF-8 with losses.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): Text {
  const utf16 = utf16In(bytes);
  if (utf16) return decode(bytes, utf16);
  if (isAscii(bytes)) return { text: asciiIn(bytes), lossy: false };
  const utf8 = decode(bytes, 'utf-8');
  if (!utf8.lossy) return utf8;
  const declared = charsetOf(contentType) ?? declaredIn(bytes);
  return declared !== undefined && LATIN1.test(declared) ? windows1252(bytes) : utf8;
}

/** A text of which parts are taken. */
export type Sliceable = Pick<string, 'slice'>;

/** How to read a decoded answer in parts. */
export interface Parts {
  /**
   * Returns the text once more. A listing does not keep it: it would be copied in memory several times while the poll waits
   * for the store.
   */
  again(): Sliceable;
  /** Removes from the text, or from a part of it, what may not be read. */
  clean(text: string): string;
}

/** Returns the same text as {@link decodeText}, to take parts of it. Parts of ASCII are read without the rest. */
export function textAgain(bytes: Uint8Array, contentType: string | undefined): Sliceable {
  // UTF-16 may consist of ASCII and NULs, which are ASCII too.
  if (utf16In(bytes) || !isAscii(bytes)) return decodeText(bytes, contentType).text;
  return { slice: (from, to) => asciiIn(bytes.subarray(from, to)) };
}

function utf16In([b0, b1, b2, b3]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((b0 === 0xff && b1 === 0xfe) || (b0 !== 0 && b1 === 0 && b2 !== 0 && b3 === 0)) return 'utf-16le';
  if ((b0 === 0xfe && b1 === 0xff) || (b0 === 0 && b1 !== 0 && b2 === 0 && b3 !== 0)) return 'utf-16be';
  return undefined;
}

/** ASCII is a part of Latin-1, which takes less to read than UTF-8. */
function asciiIn({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Decodes what the web calls Latin-1. TextDecoder is not used: in some Node releases it misses the quotes and dashes. */
function windows1252(bytes: Uint8Array): Text {
  const text = Buffer.from(bytes).toString('latin1');
  return {
    text: text.replace(/[\x80-\x9f]/gu, (sign) => HIGH.charAt(sign.charCodeAt(0) - 0x80)),
    lossy: false,
  };
}

function decode(bytes: Uint8Array, encoding: string): Text {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), lossy: false };
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), lossy: true };
  }
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/iu.exec(contentType ?? '')?.[1]?.toLowerCase();
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  return /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)/iu.exec(head)?.[1]?.toLowerCase();
}
