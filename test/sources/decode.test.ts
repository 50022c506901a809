// Character sets: the bytes decide, whatever header and declaration name.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeText, decompressed, textAgain } from '../../src/sources/jobs-api/decode.js';
import { parseRss } from '../../src/sources/jobs-api/rss.js';

const XML = (encoding: string, title: string) =>
  `<?xml version="1.0" encoding="${encoding}"?><rss version="2.0"><channel><item><title>${title}</title></item></channel></rss>`;
const TITLE = 'Zürich – Café';
const LATIN = 'Zürich Café';

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const bom = (...bytes: number[]) => Buffer.from(bytes);

async function titleOf(bytes: Buffer, contentType?: string): Promise<string | undefined> {
  const [first] = await parseRss(decodeText(bytes, contentType));
  return first?.posting.title;
}

describe('a title survives', () => {
  test.each<[string, Buffer, string | undefined, string]>([
    ['UTF-8 without any word', Buffer.from(XML('', TITLE)), undefined, TITLE],
    [
      'UTF-8 with BOM',
      Buffer.concat([bom(0xef, 0xbb, 0xbf), Buffer.from(XML('utf-8', TITLE))]),
      'text/xml',
      TITLE,
    ],
    ['UTF-8, header says Latin-1', Buffer.from(XML('utf-8', TITLE)), 'text/xml; charset=ISO-8859-1', TITLE],
    ['UTF-8, header says UTF-16', Buffer.from(XML('utf-8', TITLE)), 'text/xml; charset=utf-16', TITLE],
    ['UTF-8, declaration says UTF-16', Buffer.from(XML('UTF-16', TITLE)), undefined, TITLE],
    ['UTF-8, both say nonsense', Buffer.from(XML('klingon', TITLE)), 'text/xml; charset="x-klingon"', TITLE],
    ['Latin-1 by header', Buffer.from(XML('', LATIN), 'latin1'), 'text/xml; charset="iso-8859-1"', LATIN],
    ['Latin-1 by declaration', Buffer.from(XML('ISO-8859-1', LATIN), 'latin1'), 'text/xml', LATIN],
    ['Windows-1252', Buffer.from(XML('windows-1252', 'A \x96 B'), 'latin1'), undefined, 'A – B'],
    [
      'UTF-16LE with BOM',
      Buffer.concat([bom(0xff, 0xfe), Buffer.from(XML('UTF-16', TITLE), 'utf16le')]),
      undefined,
      TITLE,
    ],
    [
      'UTF-16BE with BOM',
      Buffer.concat([bom(0xfe, 0xff), utf16be(XML('UTF-16', TITLE))]),
      'text/xml; charset=utf-8',
      TITLE,
    ],
    ['UTF-16LE without BOM', Buffer.from(XML('UTF-16', TITLE), 'utf16le'), undefined, TITLE],
    ['UTF-16BE without BOM', utf16be(XML('UTF-16', TITLE)), undefined, TITLE],
  ])('%s', async (_, bytes, contentType, title) => {
    expect(await titleOf(bytes, contentType)).toBe(title);
  });
});

test('reads bad UTF-8 with replacement characters, and reports them', () => {
  const bytes = Buffer.concat([Buffer.from('<a>x'), bom(0xc3, 0x28, 0xff), Buffer.from('y</a>')]);
  expect(decodeText(bytes, undefined)).toEqual({ text: '<a>x\ufffd(\ufffdy</a>', lossy: true });
  expect(decodeText(bytes, 'text/xml; charset=koi8-r').lossy).toBe(true);
});

test('reports no loss for a real replacement character', () => {
  expect(decodeText(Buffer.from('a\ufffdb'), undefined)).toEqual({ text: 'a\ufffdb', lossy: false });
});

test.each([[[]], [[0]], [[0xff]], [[0xff, 0xfe]], [[0xef, 0xbb]], [[0, 0, 0, 0]], [[0xfe, 0xff, 0]]])(
  'reads a few bytes: %j',
  (bytes) => {
    expect(typeof decodeText(Buffer.from(bytes), undefined).text).toBe('string');
  },
);

// UTF-16 without a byte order mark is known from its first four bytes. Any other NULs are characters of UTF-8.
test.each<[readonly number[], string]>([
  [[0x41, 0, 0x42, 0], 'AB'],
  [[0, 0x41, 0, 0x42], 'AB'],
  [[0, 0, 0x41, 0], '\0\0A\0'],
  [[0x41, 0x42, 0x43, 0], 'ABC\0'],
  [[0x41, 0, 0, 0], 'A\0\0\0'],
  [[0x41, 0, 0x42, 0x43], 'A\0BC'],
  [[0x41, 0x42, 0, 0x43], 'AB\0C'],
  [[0, 0, 0, 0x41], '\0\0\0A'],
  [[0, 0x41, 0x42, 0x43], '\0ABC'],
  [[0, 0x41, 0, 0], '\0A\0\0'],
])('%j is %j', (bytes, text) => {
  expect(decodeText(Buffer.from(bytes), undefined)).toEqual({ text, lossy: false });
});

test.each([
  [[0xff, 0x41], '\ufffdA'],
  [[0x41, 0xfe], 'A\ufffd'],
  [[0xfe, 0x41], '\ufffdA'],
  [[0x41, 0xff], 'A\ufffd'],
])('half a byte order mark is none: %j', (bytes, text) => {
  expect(decodeText(Buffer.from(bytes), undefined)).toEqual({ text, lossy: true });
});

test.each<[string, string | undefined, boolean]>([
  ['', 'text/xml;charset=latin1', true],
  ['', 'text/xml;  charset  =  "ISO-8859-1"', true],
  ['', 'text/xml', false],
  ['', undefined, false],
  ['<?xml version="1.0" encoding  =  "latin1"?>', undefined, true],
  ["\n<?xml version='1.0' encoding='LATIN1'?>", 'text/xml', true],
  ['x<?xml version="1.0" encoding="latin1"?>', undefined, false],
  [`<?xml version="1.0"${' '.repeat(200)}encoding="latin1"?>`, undefined, false],
  ['<?xml version="1.0" encoding="koi8-r"?>', 'text/xml; charset=latin1', true],
])('the byte E9 after %j with %s is a letter: %s', (head, contentType, isLetter) => {
  const { text, lossy } = decodeText(Buffer.from(`${head}\xe9`, 'latin1'), contentType);
  expect([text.slice(head.length), lossy]).toEqual(isLetter ? ['é', false] : ['\ufffd', true]);
});

describe('a body', () => {
  const text = 'x'.repeat(100);
  const packed = gzipSync(text);
  const read = async (coding: string | undefined, ...body: readonly Buffer[]) =>
    Buffer.concat(await decompressed(body, coding, 100)).toString();

  test.each([undefined, '', 'identity', ' Identity, '])(
    'with the coding %j is as it came',
    async (coding) => {
      expect(await read(coding, Buffer.from('a'), Buffer.from('b'))).toBe('ab');
    },
  );

  test.each(['gzip', ' X-GZIP ,', 'identity, gzip'])('with the coding %j is unpacked', async (coding) => {
    expect(await read(coding, packed.subarray(0, 5), packed.subarray(5))).toBe(text);
  });

  test.each([
    ['gzip, br', packed, 'The response is compressed more than once.'],
    ['zstd', packed, 'The response has an encoding that was not requested.'],
    ['gzip', gzipSync(`${text}x`), 'The response is larger than 100 bytes.'],
  ])('with the coding %j is refused', async (coding, body, message) => {
    await expect(read(coding, body)).rejects.toMatchObject({
      name: 'FeedError',
      fault: 'malformed',
      message,
    });
  });

  test('that is not what its coding says is a fault of zlib', async () => {
    await expect(read('gzip', Buffer.from('text'))).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
  });
});

describe('parts of a text that is read once more', () => {
  test.each<[string, Buffer]>([
    ['ASCII', Buffer.from(XML('utf-8', 'Plain'))],
    ['UTF-8', Buffer.from(XML('utf-8', TITLE))],
    ['Latin-1', Buffer.from(XML('iso-8859-1', LATIN), 'latin1')],
    ['UTF-16', Buffer.from(XML('utf-16', 'Plain'), 'utf16le')],
    ['UTF-16, high bytes first', utf16be(XML('utf-16', 'Plain'))],
  ])('are the same as the first time: %s', (_charset, bytes) => {
    const { text } = decodeText(bytes, undefined);
    const again = textAgain(bytes, undefined);
    expect(text).toContain('<title>');
    for (const [from, to] of [[0], [0, 10], [20, 60], [text.length - 8, text.length]])
      expect(again.slice(from, to)).toBe(text.slice(from, to));
  });
});
