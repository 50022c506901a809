// Malicious documents: each is refused, or read in ordinary time and memory, and none causes a request.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { decodeText } from '../../src/sources/jobs-api/decode.js';
import { parseRss } from '../../src/sources/jobs-api/rss.js';
import { GOOD, ITEM, rss } from './kit.js';

const read = (text: string) => parseRss({ text, lossy: false });
const MB = 1024 * 1024;
const fill = (part: string, bytes = 7 * MB) => part.repeat(Math.floor(bytes / part.length));
const malformed = expect.objectContaining({ name: 'FeedError', fault: 'malformed' });

const BOMB = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha">${Array.from(
  { length: 30 },
  (_, i) => `<!ENTITY ${String.fromCharCode(98 + (i % 24))}${i} "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">`,
).join('')}]>${GOOD.slice(39)}`;

describe('a document type declaration is refused', () => {
  test.each([
    ['plain', `<!DOCTYPE rss>${GOOD}`],
    ['in small letters', `<!doctype rss>${GOOD}`],
    ['after blanks, comments and instructions', `\n<!-- a --> <?b c?>\n<!DOCTYPE rss [\n]>${GOOD}`],
    ['with an entity bomb', BOMB],
    [
      'with a local file',
      `<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>${rss('<item><title>&x;</title></item>')}`,
    ],
    ['with a parameter entity', `<!DOCTYPE rss [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x"> %x;]>${GOOD}`],
    ['inside the feed', rss(`<!DOCTYPE x>${ITEM}`)],
    ['an entity outside of one', rss(`<!ENTITY x "y">${ITEM}`)],
  ])('%s', async (_, text) => {
    await expect(read(text)).rejects.toEqual(malformed);
  });

  test('but one in a comment, a CDATA section or an escaped text is plain text', async () => {
    const texts = [
      '<!-- <!DOCTYPE x> -->',
      '<description><![CDATA[<!DOCTYPE html>]]></description>',
      '<x>&lt;!DOCTYPE&gt;</x>',
    ];
    expect(await read(rss(`<item><title>a</title>${texts.join('')}</item>`))).toHaveLength(1);
  });
});

test('fetches no external entity, stylesheet or schema', async () => {
  let hits = 0;
  const server = createServer((_, response) => {
    hits++;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await read(`<!DOCTYPE rss SYSTEM "${url}">${GOOD}`).catch(() => {});
  const text = `<?xml-stylesheet href="${url}"?><rss version="2.0" xmlns:xi="http://www.w3.org/2001/XInclude" xsi:schemaLocation="${url}"><channel><xi:include href="${url}"/>${ITEM}</channel></rss>`;
  expect(await read(text)).toHaveLength(1);
  await new Promise((resolve) => server.close(resolve));
  expect(hits).toBe(0);
});

describe('too much of one thing is refused, or read as far as it is useful', () => {
  test.each([
    ['depth', rss(`<item>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</item>`)],
    ['depth that never ends', `<rss><channel>${fill('<a>')}`],
    ['elements', rss(`<item>${fill('<a/>')}</item>`)],
    ['fields of nested elements', rss(`<item><x>${fill('<a>b</a>')}</x></item>`)],
    ['one endless tag', `<rss ${fill('a="b" ')}>${GOOD}`],
    ['an endless attribute', `<rss a="${fill('x')}">${GOOD}`],
    ['a tag that is never closed', rss(`<item><title ${fill('x ')}`)],
    ['stray brackets', rss(`<item><title>${fill('< ')}</title></item>`)],
    ['stray ampersands', rss(`<item><title>${fill('& ')}</title></item>`)],
    ['a comment that never ends', `<rss><channel><!-- ${fill('-- ')}`],
    ['a CDATA section that never ends', rss(`<item><title><![CDATA[${fill(']] >')}`)],
  ])('%s: refused', async (_, text) => {
    await expect(read(text)).rejects.toEqual(malformed);
  });

  test.each([
    ['items', rss(fill(ITEM))],
    ['empty items around one', rss(ITEM, fill('<item/>', MB / 8))],
    ['comments', rss(fill('<!---->'), ITEM)],
    ['CDATA sections', rss(`<item><title>a${fill('<![CDATA[]]>')}</title></item>`)],
    ['instructions', `${fill('<?a?>')}${GOOD}`],
    ['references', rss(`<item><title>a</title><description>${fill('&lt;')}</description></item>`)],
    [
      'markup without end in a description',
      rss(`<item><title>a</title><description>${fill('&lt;p')}</description></item>`),
    ],
    [
      'the same under another name',
      rss(`<item><title>a</title><content:encoded>${fill('&lt;p')}</content:encoded></item>`),
    ],
    ['blanks', rss(`<item><title>a${fill(' ')}b</title></item>`)],
    ['tags', rss(`<item><title>a</title><tags>${fill('a,')}</tags></item>`)],
    ['categories', rss(`<item><title>a</title>${'<category>a</category>'.repeat(50_000)}</item>`)],
    [
      'digits',
      rss(`<item><title>a</title><salary>${fill('1')}</salary><pubDate>${fill('1 ')}</pubDate></item>`),
    ],
    [
      'different fields',
      rss(`<item><title>a</title>${Array.from({ length: 50_000 }, (_, i) => `<f${i}/>`).join('')}</item>`),
    ],
    ['text after the root', GOOD + fill('<a>')],
  ])('%s: read', { tags: 'long' }, async (_, text) => {
    const postings = await read(text);
    expect(postings.length).toBeGreaterThan(0);
    expect(postings.length).toBeLessThanOrEqual(2000);
  });

  test('reads the newest 2,000 of a million items', { tags: 'long' }, async () => {
    const items = Array.from({ length: 1_000_000 }, (_, i) => `<item><id>${i}</id></item>`).join('');
    const postings = await read(rss(items));
    expect(postings).toHaveLength(2000);
    expect(postings.at(-1)?.posting.id).toBe('1999');
  });
});

describe('bytes', () => {
  test('removes NUL, control characters and a BOM in the middle from a title, and withholds a link that contains them', async () => {
    const [first] = await read(
      rss('<item><title>R\0u\x01s\x1bt\ufeff</title><link>https://a.example/\0</link></item>'),
    );
    expect(first?.posting).toMatchObject({ title: 'Rust', badLink: true });
  });

  test('bad UTF-8 loses only the characters it is in', async () => {
    const bytes = Buffer.concat([
      Buffer.from('<rss><channel><item><title>Ru'),
      Buffer.from([0xff]),
      Buffer.from('st</title></item></channel></rss>'),
    ]);
    const [first] = await parseRss(decodeText(bytes, 'text/xml'));
    expect(first?.posting.title).toBe('Ru\ufffdst');
  });

  test('refuses binary data', async () => {
    const noise = Buffer.alloc(MB, Buffer.from([0, 1, 0x3c, 0xff, 0x3e, 0x26, 0x80, 0x2f]));
    await expect(parseRss(decodeText(noise, undefined))).rejects.toEqual(malformed);
  });
});
