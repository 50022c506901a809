// RSS as specified, as seen from the real API, and with the mistakes of publishers.
import { describe, expect, test } from 'vitest';
import type { FeedError } from '../../src/domain/errors.js';
import type { Posting, ReadPosting } from '../../src/domain/posting.js';
import { parseRss } from '../../src/sources/jobs-api/rss.js';
import { repaired, scanXml } from '../../src/sources/jobs-api/xml-scan.js';
import { GOOD, ITEM, rss } from './kit.js';

const read = (text: string, lossy = false): Promise<readonly ReadPosting[]> => parseRss({ text, lossy });
const one = async (item: string): Promise<Posting> => {
  const postings = await read(rss(`<item>${item}</item>`));
  expect(postings).toHaveLength(1);
  return (postings[0] as ReadPosting).posting;
};
const fault = async (text: string): Promise<FeedError> => {
  const error: unknown = await read(text).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'FeedError', fault: 'malformed' });
  return error as FeedError;
};

describe('fields', () => {
  test('reads all names of the specification, as plain elements', async () => {
    const posting = await one(
      '<id>7</id><title>Dev</title><company>Acme</company><location>Berlin</location><remote>true</remote>' +
        '<description>&lt;p&gt;Hi&lt;/p&gt;</description><tags>rust, solidity</tags><salary>$80k - $120k</salary>' +
        '<apply_url>https://a.example/r/1?x=1&amp;y=2</apply_url><url>https://a.example/1</url><postedAt>2026-03-01</postedAt>',
    );
    expect(posting).toEqual({
      key: 'id:7',
      id: '7',
      title: 'Dev',
      company: 'Acme',
      location: 'Berlin',
      remote: true,
      description: '<p>Hi</p>',
      tags: ['rust', 'solidity'],
      salary: '$80k - $120k',
      pay: { min: 80_000, max: 120_000, currency: 'USD' },
      applyUrl: 'https://a.example/r/1?x=1&y=2',
      url: 'https://a.example/1',
      postedAt: '2026-03-01',
    });
  });

  test('reads all names seen from the API, in a namespace of any prefix', async () => {
    const item =
      '<item><title>Dev</title><w3:company>Acme</w3:company><w3:is_remote>1</w3:is_remote><w3:city>Bern</w3:city>' +
      '<w3:country>switzerland</w3:country><w3:date_epoch>1772323200</w3:date_epoch>' +
      '<w3:salary_min_value>100</w3:salary_min_value><w3:salary_unit>HOUR</w3:salary_unit><w3:tag>dao</w3:tag><w3:tag>nft</w3:tag></item>';
    const [first] = await read(rss(item).replace('<rss ', '<rss xmlns:w3="urn:x" '));
    expect(first?.posting).toMatchObject({
      company: 'Acme',
      remote: true,
      location: 'Bern, switzerland',
      country: 'switzerland',
      postedAt: '2026-03-01',
      pay: { min: 100, unit: 'hour' },
      tags: ['dao', 'nft'],
    });
  });

  test('prefers a plain element to a namespaced one of the same name', async () => {
    const posting = await one(
      '<job:title>B</job:title><title>A</title><media:title>C</media:title><atom:link>https://atom.example/</atom:link>' +
        '<link>https://a.example/</link><dc:date>2026-01-02</dc:date>',
    );
    expect(posting).toMatchObject({
      title: 'A',
      applyUrl: 'https://a.example/',
      postedAt: '2026-01-02',
      extra: { 'media:title': 'C', 'atom:link': 'https://atom.example/' },
    });
  });

  test('prefers apply_url to link', async () => {
    const posting = await one(
      '<link>https://a.example/</link><job:apply_url>https://b.example/</job:apply_url>',
    );
    expect(posting.applyUrl).toBe('https://b.example/');
  });

  test('keeps unknown elements', async () => {
    const posting = await one(
      '<title>A</title><seniority>Senior</seniority><__proto__>p</__proto__><constructor>c</constructor><_>u</_><x:toString>t</x:toString>',
    );
    expect(Object.entries(posting.extra ?? {})).toEqual([
      ['seniority', 'Senior'],
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['_', 'u'],
      ['toString', 't'],
    ]);
  });

  test.each([
    ['an empty one', '<company/><company>Acme</company>'],
    ['a blank one', '<company> \n</company><company>Acme</company>'],
    ['one with only empty elements', '<company><b/><i> </i></company><company>Acme</company>'],
    ['an empty one of another namespace', '<company/><job:company>Acme</job:company>'],
    ['a blank one of another namespace', '<company> </company><job:company>Acme</job:company>'],
    ['two', '<job:company>Other</job:company><company>Acme</company><company>Another</company>'],
  ])('takes the first element with text: %s', async (_, item) => {
    expect((await one(`<title>A</title>${item}`)).company).toBe('Acme');
  });

  test('joins the text of the elements inside, at any depth', async () => {
    const posting = await one('<title>A</title><company><b>Acme</b><i/><p><u>Labs</u></p></company>');
    expect(posting.company).toBe('Acme Labs');
  });

  test('does not assemble links and identifiers from the elements inside', async () => {
    const posting = await one(
      '<title>A</title><guid>1<b>2</b></guid><link>https://a.example/<b>1</b></link><url><a>https://b.example/</a></url>',
    );
    expect(posting).toEqual({ key: expect.stringMatching(/^hash:/u), title: 'A' });
  });

  test('leaves missing fields out', async () => {
    expect(await one('<title>Only this</title>')).toEqual({ key: expect.any(String), title: 'Only this' });
    expect(await one('<title/><company> </company><link>https://a.example/</link>')).toEqual({
      key: expect.stringMatching(/^link#[0-9a-f]{40}$/u),
      applyUrl: 'https://a.example/',
    });
  });

  test('reads the text of a guid with attributes, and categories as tags', async () => {
    const [first] = await read(
      rss(
        '<item><guid isPermaLink="false">g-1</guid><title>A</title><category domain="x">Rust</category><category><![CDATA[Layer-2]]></category></item>',
      ),
    );
    expect(first?.keys[0]).toBe('guid:g-1');
    expect(first?.posting.tags).toEqual(['rust', 'layer-2']);
  });
});

describe('text', () => {
  test.each([
    ['Partnerships &amp;amp; Growth', 'Partnerships & Growth'],
    ['Partnerships &amp; Growth', 'Partnerships & Growth'],
    ['A &amp;amp;amp; B', 'A &amp; B'],
    ['C&amp;#43;&amp;#43; dev', 'C++ dev'],
    ['<![CDATA[R&amp;D <Lead>]]>', 'R&D <Lead>'],
    ['Stray & sign, a < b, &nbsp;and &#x110000; too', 'Stray & sign, a < b, and \ufffd too'],
    ['Line\n  feed', 'Line feed'],
    ['Bell &#7;, half &#xD800; and none &#xFFFF;', 'Bell , half \ufffd and none \uffff'],
  ])('a title of %j reads %j', async (xml, title) => {
    expect((await one(`<title>${xml}</title>`)).title).toBe(title);
  });

  test('removes an escaped CDATA section around a description', async () => {
    const posting = await one(
      '<title>A</title><description>&lt;![CDATA[&lt;p&gt;One &amp;amp; two&lt;/p&gt;]]&gt;</description>',
    );
    expect(posting.description).toBe('<p>One &amp; two</p>');
  });

  test('removes markup that was not escaped and keeps the words', async () => {
    const posting = await one(
      '<title>A <b>B</b></title><description><p>One</p><p>Two <i>three</i></p></description>',
    );
    expect(posting.title).toBe('A B');
    for (const word of ['One', 'Two', 'three']) expect(posting.description).toContain(word);
  });

  test('uses content:encoded if there is no description', async () => {
    const posting = await one('<title>A</title><content:encoded><![CDATA[<p>x</p>]]></content:encoded>');
    expect(posting.description).toBe('<p>x</p>');
  });
});

describe('links are passed on byte for byte or not at all', () => {
  test.each([
    'https://jobs.example/r/=kTM__me?utm_source=a&utm_medium=b&ref=%C3%A9%2F',
    'https://jobs.example/r/x__y?q=a+b&amp=1&copy=2&lt=3#frag;x',
    'HTTPS://JOBS.example:443/./a/../b//?',
    'https://jobs.example/ü/日本?x=é',
    "https://jobs.example/it's(here)[1]|2^{a}~*!$",
  ])('%s', async (link) => {
    const escaped = link.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    expect((await one(`<link>${escaped}</link>`)).applyUrl).toBe(link);
    expect((await one(`<link><![CDATA[${link}]]></link>`)).applyUrl).toBe(link);
    // Not well-formed, but common.
    expect((await one(`<link>${link}</link>`)).applyUrl).toBe(link);
  });

  test('a link that is encoded twice is decoded once, because decoding it again would change it', async () => {
    const posting = await one('<link>https://a.example/?a=1&amp;amp;b=2</link>');
    expect(posting.applyUrl).toBe('https://a.example/?a=1&amp;b=2');
  });

  test.each([
    'javascript:alert(1)',
    'https://user:pass@a.example/',
    `https://a.example/${'x'.repeat(3000)}`,
    'not an address',
    'https://a.example/ b',
    'https://a.example/\ud800',
    '//a.example/x',
  ])('a bad one is flagged and never replaced: %s', async (link) => {
    const posting = await one(`<title>A</title><link>${link}</link><url>https://a.example/1</url>`);
    expect(posting).toMatchObject({ badLink: true, url: 'https://a.example/1' });
    expect(posting).not.toHaveProperty('applyUrl');
  });

  test('withholds a link with an element inside', async () => {
    expect(await one('<title>A</title><link>https://a.example/<b>x</b>y</link>')).not.toHaveProperty(
      'applyUrl',
    );
  });

  test('withholds a link that lost bytes in decoding', async () => {
    const text = rss('<item><title>A</title><link>https://a.example/\ufffd</link></item>', ITEM);
    const [broken, whole] = await read(text, true);
    expect(broken?.posting).toMatchObject({ badLink: true });
    expect(broken?.posting).not.toHaveProperty('applyUrl');
    expect(whole?.posting.applyUrl).toBe('https://jobs.example/r/abc__me?a=1&b=2');
  });
});

describe('documents', () => {
  test.each([
    ['no items', rss()],
    ['an empty channel', '<rss version="2.0"><channel/></rss>'],
    ['items without anything in them', rss('<item/>', '<item></item>')],
  ])('%s: an empty listing', async (_, text) => {
    expect(await read(text)).toEqual([]);
  });

  test('ignores white space, comments and instructions before the root, and anything after it', async () => {
    const before = '\n \n<!-- <rss> --><?xml-stylesheet href="x"?>\n';
    expect(await read(GOOD.replace(/^<\?xml.*\?>\n/u, before))).toHaveLength(1);
    expect(await read(`${GOOD}\n<!-- cached --><html><body>injected`)).toHaveLength(1);
  });

  test.each([
    ['RSS without a version', '<rss><channel>#</channel></rss>'],
    ['RSS 0.91', '<rss version="0.91"><channel>#</channel></rss>'],
    ['RSS of the future', '<rss version="3.0"><channel>#</channel></rss>'],
    ['RSS 1.0', '<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><title>x</title></channel>#</rdf:RDF>'],
  ])('%s is read as well', async (_, text) => {
    expect(await read(text.replace('#', ITEM))).toHaveLength(1);
  });

  test('one bad item does not affect the others', async () => {
    const items = [ITEM, '<item>only text</item>', '<item><seniority>x</seniority></item>', ITEM];
    expect(await read(rss(...items))).toHaveLength(2);
  });

  test.each([
    ['nothing', ''],
    ['blanks', ' \n '],
    ['text', 'Service temporarily unavailable'],
    ['JSON', '["a","b",[]]'],
    ['HTML', '<html><head><title>Log in</title></head><body></body></html>'],
    ['HTML with a doctype', '<!doctype html><html><body></body></html>'],
    ['another XML', '<error status="500"><message>x</message></error>'],
    ['Atom', '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>x</title></entry></feed>'],
    ['an RSS without a channel', '<rss version="2.0"></rss>'],
    ['items in an unknown place', `<rss version="2.0"><channel/><jobs>${ITEM}</jobs></rss>`],
    ['items of an unknown kind', rss('<item><foo>1</foo></item>', '<item><foo>2</foo></item>')],
    ['a cut', GOOD.slice(0, -20)],
    ['crossed elements', rss('<item><title>a</link></title></item>')],
    ['an attribute without quotes', rss('<item a=b><title>a</title></item>')],
  ])('%s is malformed, which is not the same as empty', async (_, text) => {
    const { message } = await fault(text);
    // No text is quoted in the error, because it may contain the request.
    expect(message).toMatch(/^(?:The (?:response|feed) [a-z ,:.-]+)$/iu);
  });
});

describe('before a feed is parsed', () => {
  const scan = (text: string, most = 10) => {
    const found = scanXml(text, most);
    return { ...found, xml: repaired(text, found) };
  };
  /** The parts of a text at these places. */
  const partsAt = (text: string, places: readonly number[] = []) =>
    places.flatMap((from, at) => (at % 2 === 0 ? [text.slice(from, places[at + 1])] : []));

  test('its items and their dates are found, also behind repairs', () => {
    const text =
      '<?xml version="1.0"?><rss a="1 & 2"><channel><title>A & B</title><pubDate>0</pubDate>' +
      '<item><title>R & D</title><pubDate>1 & 2</pubDate><x><date>3</date></x><dc:date/></item>\n' +
      '<item/><item><guid>2 < 3</guid><updated>4</updated></item></channel></rss> & more';
    const { xml, end, closing, items, fields, places, dates } = scan(text);
    expect(xml).toMatch(/^<\?xml version="1.0"\?><rss a="1 &amp; 2">.*<\/rss>$/su);
    expect([text.slice(end), closing]).toEqual([' & more', '']);
    expect(items).toBe(3);
    expect([...fields]).toEqual(['title', 'pubDate', 'x', 'dc:date', 'guid', 'updated']);
    expect(partsAt(text, places)).toEqual([
      '<item><title>R & D</title><pubDate>1 & 2</pubDate><x><date>3</date></x><dc:date/></item>',
      '<item/>',
      '<item><guid>2 < 3</guid><updated>4</updated></item>',
    ]);
    expect(partsAt(text, dates)).toEqual(['<pubDate>1 & 2</pubDate>', '<dc:date/>', '<updated>4</updated>']);
  });

  test('it has no places if its items are on different levels, and an item within another one is a field', () => {
    const split = scan('<rss><channel><item><a/></item></channel><item><b/></item></rss>');
    expect([split.items, split.places, [...split.fields]]).toEqual([2, undefined, ['a', 'b']]);
    const nested = scan('<rss><item><item>x</item></item></rss>');
    expect([nested.items, nested.places?.length, [...nested.fields]]).toEqual([1, 2, ['item']]);
  });

  test('an item ends where its element ends, and only items that are not inside of others are counted', () => {
    const text = '<rss><channel><item>1</item><x>2</x><item><item/><item/>3</item></channel></rss>';
    const { items, places } = scan(text, 2);
    expect(items).toBe(2);
    expect(partsAt(text, places)).toEqual(['<item>1</item>', '<item><item/><item/>3</item>']);
    expect(scan('<rss><item><x><item/></x></item></rss>').places).toBeUndefined();
  });

  test.each(['_a', ':a', 'Za', 'az', '\u0080a', 'é'])('%s is a name', (name) => {
    const text = `<rss><item><${name}>1</${name}></item></rss>`;
    const { xml, fields } = scan(text);
    expect([xml, ...fields]).toEqual([text, name]);
  });

  test('names that begin alike or come again are told apart, in the same and in another order', () => {
    const names = [
      'tag',
      'tag',
      'tags',
      'ta',
      'tag',
      'ta',
      'tagé',
      'tag',
      'tags\u00a0',
      'x-longer-than-a-slice',
    ];
    const items = [names, names, names.toReversed(), names.toSorted()].map(
      (order) => `<item>${order.map((name) => `<${name}>1</${name.trim()}>`).join('')}</item>`,
    );
    const { xml, fields, places } = scan(`<rss>${items.join('')}</rss>`);
    expect(partsAt(xml, places)).toEqual(items);
    expect([...fields]).toEqual(['tag', 'tags', 'ta', 'tagé', 'x-longer-than-a-slice']);
    const empty = ['<tag/>', '<tag\t/>', '<tags/>', '<ta b="c"/>', '<tag\n/>', '<tag/>'].join('');
    expect([...scan(`<rss><item>${empty}</item></rss>`).fields]).toEqual(['tag', 'tags', 'ta']);
  });

  test.each(['@', '[', '`', '{', '1', '-', '.'])('what starts with %s is no name', (sign) => {
    expect(scan(`<rss><${sign}a></rss>`).xml).toBe(`<rss>&lt;${sign}a></rss>`);
  });

  test('it is cut after the items that are wanted, or after its root', () => {
    const text = rss('<item>1</item><item>2</item><item>3</item>');
    const { xml, end, closing, items, places } = scan(text, 2);
    expect(xml).toMatch(/<item>1<\/item><item>2<\/item><\/channel><\/rss>$/u);
    expect([text.slice(end).startsWith('<item>3'), closing]).toEqual([true, '</channel></rss>']);
    expect([items, places?.length]).toEqual([2, 4]);
    expect(scan('<rss/><x>').xml).toBe('<rss/>');
    expect(scan('<rss></rss>&').xml).toBe('<rss></rss>');
  });

  test('what is no markup is left as it is', () => {
    const text =
      '<?><x & ?><!--><x & --><rss a=">" b=\'"/>\'><![CDATA[ & <item> ]]><a/>&amp;<!-- <item> & --></rss>';
    expect(scan(text)).toMatchObject({ xml: text, items: 0 });
    const ends = '<rss>]]><![CDATA[ & ]]></rss>';
    expect(scan(ends).xml).toBe(ends);
    expect(scan('<rss><!-- & -->&<![CDATA[ & ]]>&<!x>< <1></rss>').xml).toBe(
      '<rss><!-- & -->&amp;<![CDATA[ & ]]>&amp;&lt;!x>&lt; &lt;1></rss>',
    );
  });

  test.each([
    ...['&amp;', '&lt;', '&gt;', '&quot;', '&apos;', '&#9;', '&#10;', '&#13;', '&#32;', '&#xD7FF;'],
    ...['&#xE000;', '&#xFFFD;', '&#x10000;', '&#x10FFFF;', '&#1114111;'],
  ])('%s is a reference', (text) => {
    expect(scan(`<rss>${text}</rss>`).xml).toBe(`<rss>${text}</rss>`);
  });

  test.each([
    ...['&nbsp;', '&#0;', '&#8;', '&#11;', '&#12;', '&#31;', '&#xD800;', '&#xDFFF;', '&#xFFFE;', '&#xFFFF;'],
    ...['&#x110000;', '&#;', '&amp', '& amp;', '&x&amp;'],
  ])('%s is text', (text) => {
    expect(scan(`<rss>${text}</rss>`).xml).toBe(`<rss>&amp;${text.slice(1)}</rss>`);
  });

  test.each([
    ['text', 'The response is not XML.'],
    ['<1>', 'The response is not XML.'],
    ['<html>', 'The response is XML or HTML, but not a feed.'],
    ['<!doctype html>', 'The response has a document type declaration: an HTML page, or an unsafe feed.'],
    [
      '<rss><!ENTITY a "b">',
      'The response has a document type declaration: an HTML page, or an unsafe feed.',
    ],
    ['<rss>', 'The feed is incomplete.'],
    ['<rss><!-- ', 'The feed is incomplete.'],
    ['<rss a="></rss>', 'The feed is incomplete, or one of its tags is never closed.'],
    [`<rss a="${'x'.repeat(70_000)}"/>`, 'The feed is incomplete, or one of its tags is never closed.'],
    [`<rss>${'<a>'.repeat(64)}`, 'The feed is nested too deeply.'],
    [`<rss>${'<a/>'.repeat(200_000)}</rss>`, 'The feed has too many elements.'],
    [`<rss>${'&'.repeat(10_002)}</rss>`, 'The feed has too many unescaped characters.'],
  ])('%.30s is refused: %s', (text, message) => {
    expect(() => scan(text)).toThrow(expect.objectContaining({ fault: 'malformed', message }));
  });

  test('it may have that many elements, levels, repairs and fields', () => {
    expect(scan(`<rss>${'<a/>'.repeat(199_999)}</rss>`).items).toBe(0);
    expect(scan(`<rss>${'<a>'.repeat(63)}${'</a>'.repeat(63)}</rss>`).items).toBe(0);
    expect(scan(`<rss>${'&'.repeat(10_001)}</rss>`).items).toBe(0);
    const fields = Array.from({ length: 201 }, (_, n) => `<f${n}/>`);
    expect(scan(`<rss><item>${fields.join('')}</item><a/></rss>`).fields.size).toBe(200);
    expect([...scan('<rss><a/><item><b><c/></b></item></rss>').fields]).toEqual(['b']);
  });
});
