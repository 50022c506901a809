// Turns the bytes of an answer into text: undoes Content-Encoding under a hard size limit, and finds the character
// set when header, XML declaration and content disagree.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { FeedError } from '../../domain/errors.js';
const inflated = promisify(inflate);
const inflatedRaw = promisify(inflateRaw);
const DECODERS = new Map([
    ['gzip', promisify(gunzip)],
    ['x-gzip', promisify(gunzip)],
    // Sent with and without the zlib header (RFC 9110, 8.4.1.2, note). The first byte shows which.
    ['deflate', (bytes, options) => (((bytes[0] ?? 8) & 0x0f) === 8 ? inflated : inflatedRaw)(bytes, options)],
    ['br', promisify(brotliDecompress)],
]);
/** Request header with the codings that {@link decompressed} can undo. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';
/**
 * Undoes the Content-Encoding of a body. It stops after `maxBytes`, so that a small body can't use more memory.
 * Throws a malformed {@link FeedError} for a body over the limit and for a coding that is unknown or applied twice.
 * Errors of zlib pass through.
 */
export async function decompressed(body, contentEncoding, maxBytes) {
    if (contentEncoding === undefined)
        return body;
    const codings = contentEncoding
        .toLowerCase()
        .split(',')
        .map((coding) => coding.trim())
        .filter((coding) => coding !== '' && coding !== 'identity');
    if (codings.length > 1)
        throw new FeedError('malformed', 'The answer is compressed more than once.');
    const [coding] = codings;
    if (coding === undefined)
        return body;
    const decode = DECODERS.get(coding);
    if (!decode)
        throw new FeedError('malformed', 'The answer is compressed in a way that was not asked for.');
    try {
        return [await decode(joined(body), { maxOutputLength: maxBytes })];
    }
    catch (error) {
        throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(maxBytes) : error;
    }
}
export function tooLarge(maxBytes) {
    return new FeedError('malformed', `The answer is larger than ${maxBytes} bytes.`);
}
/** The pieces of a body as one. */
export function joined(body) {
    const [only] = body;
    return body.length === 1 && only ? only : Buffer.concat(body);
}
const LATIN1 = /^(?:iso-?8859-1|latin-?1|windows-1252|cp1252|us-ascii)$/u;
/**
 * Decodes a body. A byte order mark wins, then the pattern of NULs that only UTF-16 has (XML 1.0, appendix F), then
 * UTF-8 if the bytes are valid UTF-8: text of another character set practically never is, while a wrong charset in
 * a header is common. Only then the declared charset counts, header before XML declaration; an unknown one is
 * read as UTF-8 with losses.
 */
export function decodeText(bytes, contentType) {
    const [b0, b1, b2, b3] = bytes;
    if ((b0 === 0xff && b1 === 0xfe) || (b0 !== 0 && b1 === 0 && b2 !== 0 && b3 === 0))
        return decode(bytes, 'utf-16le');
    if ((b0 === 0xfe && b1 === 0xff) || (b0 === 0 && b1 !== 0 && b2 === 0 && b3 !== 0))
        return decode(bytes, 'utf-16be');
    const utf8 = decode(bytes, 'utf-8');
    if (!utf8.lossy)
        return utf8;
    const declared = charsetOf(contentType) ?? declaredIn(bytes);
    return declared !== undefined && LATIN1.test(declared) ? windows1252(bytes) : utf8;
}
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
/** Decodes what the web calls Latin-1. TextDecoder is not used: in some Node releases it misses the quotes and dashes. */
function windows1252(bytes) {
    const text = Buffer.from(bytes).toString('latin1');
    return {
        text: text.replace(/[\x80-\x9f]/gu, (sign) => HIGH.charAt(sign.charCodeAt(0) - 0x80)),
        lossy: false,
    };
}
function decode(bytes, encoding) {
    try {
        return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), lossy: false };
    }
    catch {
        return { text: new TextDecoder(encoding).decode(bytes), lossy: true };
    }
}
function charsetOf(contentType) {
    return /;\s*charset\s*=\s*"?([\w.:-]+)/iu.exec(contentType ?? '')?.[1]?.toLowerCase();
}
function declaredIn(bytes) {
    const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
    return /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)/iu.exec(head)?.[1]?.toLowerCase();
}
//# sourceMappingURL=decode.js.map