// Bytes off the wire to text: undoing Content-Encoding under a hard size limit, and finding the character set
// when header, XML declaration and content disagree.
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FeedError } from '../domain/errors.js';

const CODINGS = new Set(['gzip', 'x-gzip', 'deflate', 'br']);

/** Request header naming what {@link readBody} can undo. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/**
 * Reads a body to its end, decoded. The size is counted after decoding and while streaming, so that a small body that
 * unpacks into a huge one costs no more than `maxBytes`. Throws a malformed {@link FeedError} for a body over the limit
 * and for a coding that is unknown or applied twice; errors of the stream and of zlib pass through.
 */
export async function readBody(
  body: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const codings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 1) throw new FeedError('malformed', 'The answer is compressed more than once.');
  const coding = codings[0];
  if (coding !== undefined && !CODINGS.has(coding))
    throw new FeedError('malformed', 'The answer is compressed in a way that was not asked for.');
  return coding === undefined ? collect(body, maxBytes) : collect(await unpacked(body, coding), maxBytes);
}

async function unpacked(body: Readable, coding: string): Promise<Readable> {
  const decoder =
    coding === 'br' ? createBrotliDecompress() : coding === 'deflate' ? await inflater(body) : createGunzip();
  // The callback only keeps the error from being thrown twice: whoever reads the decoder gets it too.
  pipeline(body, decoder, () => {});
  return decoder;
}

/** "deflate" is sent with and without the zlib header (RFC 9110, 8.4.1.2, note); its first byte tells. */
async function inflater(body: Readable): Promise<ReturnType<typeof createInflate>> {
  if (body.readableLength === 0 && !body.readableEnded) {
    await new Promise<void>((resolve, reject) => {
      body.once('readable', resolve).once('end', resolve).once('error', reject);
    });
  }
  const first = body.read(1) as Buffer | null;
  if (first === null) return createInflate();
  body.unshift(first);
  return ((first[0] as number) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

async function collect(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) throw new FeedError('malformed', `The answer is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** `lossy`: some bytes were no character; they are U+FFFD now, so nothing near them is byte for byte any more. */
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
  const [b0, b1, b2, b3] = bytes;
  if ((b0 === 0xff && b1 === 0xfe) || (b0 !== 0 && b1 === 0 && b2 !== 0 && b3 === 0))
    return decode(bytes, 'utf-16le');
  if ((b0 === 0xfe && b1 === 0xff) || (b0 === 0 && b1 !== 0 && b2 === 0 && b3 !== 0))
    return decode(bytes, 'utf-16be');
  const utf8 = decode(bytes, 'utf-8');
  if (!utf8.lossy) return utf8;
  const declared = charsetOf(contentType) ?? declaredIn(bytes);
  return declared !== undefined && LATIN1.test(declared) ? windows1252(bytes) : utf8;
}

const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** What the web calls Latin-1. Not by TextDecoder, which in some Node releases leaves the quotes and dashes out. */
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
