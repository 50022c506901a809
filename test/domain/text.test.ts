// Descriptions come from strangers: the shown part must be plain, harmless, marked where it is cut, and quick to
// read.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  capitalized,
  decodeOnce,
  ellipsis,
  hasControls,
  oneLine,
  plainText,
  sentences,
  snippet,
  unwrapCdata,
  withoutAddresses,
  withoutControls,
  withoutLinks,
} from '../../src/domain/text.js';
import { anyCharacter } from '../helpers/any-character.js';

const ESC = '\u001b';

describe('characters with an effect', () => {
  test.each([
    ['terminal escapes', `a${ESC}[31mb${ESC}]8;;x\u0007c`, 'a[31mb]8;;xc'],
    ['a reversal', 'gpj\u202eexe', 'gpjexe'],
    ['isolates', '\u2066a\u2069', 'a'],
    ['zero width', 'pa\u200byp\u2060al\ufeff', 'paypal'],
    ['soft hyphens', 'ja\u00adva', 'java'],
    ['NUL and DEL', 'a\u0000b\u007fc', 'abc'],
    ['lone surrogates', 'a\ud800b', 'ab'],
    ['header breaks', 'x\r\nBcc: a@b', 'x Bcc: a@b'],
    ['line separators', 'a\u2028b\u2029c\u0085d', 'a b cd'],
  ])('%s are removed', (_name, text, clean) => {
    expect(hasControls(text) || /\s/u.test(text)).toBe(true);
    expect(oneLine(text)).toBe(clean);
  });

  test('are kept as joiners in combined emoji and in Persian', () => {
    for (const text of ['👩‍💻 team', 'می‌خواهم', '🏳️‍🌈'])
      expect([oneLine(text), hasControls(text)]).toEqual([text, false]);
  });

  test('the quick path gives the same result as the full one', () => {
    const longWay = (text: string) => withoutControls(text).replace(/\s+/gu, ' ').trim();
    const wrong: string[] = [];
    for (let code = 0; code <= 0xffff; code++) {
      const sign = String.fromCharCode(code);
      for (const text of [sign, `a${sign}b`, `a ${sign}`])
        if (oneLine(text) !== longWay(text)) wrong.push(text);
    }
    expect(wrong).toEqual([]);
    const piece = fc.constantFrom(' ', 'a', 'é', '–', '€', '\u00a0', '\u00ad', '\u200b', '\n', '😀');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(oneLine(pieces.join(''))).toBe(longWay(pieces.join('')));
      }),
    );
  });

  test('are removed from any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(hasControls(oneLine(text))).toBe(false);
        expect(oneLine(oneLine(text))).toBe(oneLine(text));
        expect(withoutControls(text).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }),
    );
  });
});

describe('character references', () => {
  test.each([
    ['Partnerships &amp; Growth', 'Partnerships & Growth'],
    ['&lt;b&gt; &#8211; &eacute;', '<b> – é'],
    ['AT&T, R&D, Research&notes', 'AT&T, R&D, Research&notes'],
  ])('%s', (text, decoded) => {
    expect(decodeOnce(text)).toBe(decoded);
  });

  test('are decoded only once', () => {
    expect(decodeOnce('&amp;amp;')).toBe('&amp;');
  });
});

describe('plain text', () => {
  test.each([
    ['<p>One</p><p>Two<br>Three</p><ul><li>Four</li></ul>', 'One\nTwo\nThree\nFour'],
    ['<script>alert(1)</script>Hi<style>p{}</style>', 'Hi'],
    ['Hi<script>alert(1)', 'Hi'],
    ['a<!-- hidden -->b<!-- open', 'a b'],
    ['<!DOCTYPE html><?xml version="1.0"?><b>x</b>', 'x'],
    ['<![CDATA[<p>First</p><p>Second</p>]]>', 'First\nSecond'],
    ['1 < 2 and 3 > 2 &lt;T&gt;', '1 < 2 and 3 > 2 <T>'],
    [
      '<p>Join us.</p><p>When applying, mention the word KOALA to show you read the job post completely.</p>',
      'Join us.',
    ],
    ['Join. WHEN APPLYING, MENTION THE WORD KOALA', 'Join.'],
    ['İİİ Join. When applying, mention the word KOALA', 'İİİ Join.'],
    ['Please mention the word of mouth', 'Please mention the word of mouth'],
    ['   \n \n', ''],
  ])('%j', (html, text) => {
    expect(plainText(html)).toBe(text);
  });

  test.each(['<a', '<p ', '<script', '<!--', '<![CDATA[', '</', '&#', 'when applying, ', '\n ', '<script>'])(
    '%j repeated is read quickly',
    (part) => {
      // Minutes if a pattern ran past the next `<`; the timeout of the test is the assertion.
      plainText(part.repeat(200_000 / part.length));
    },
    10_000,
  );

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(typeof plainText(text)).toBe('string');
      }),
    );
  });

  test('has no CDATA that wraps it, and keeps CDATA elsewhere', () => {
    expect(unwrapCdata('  <![CDATA[ x ]]> ')).toBe(' x ');
    expect(unwrapCdata('<![CDATA[ x')).toBe(' x');
    expect(unwrapCdata('x <![CDATA[y]]>')).toBe('x <![CDATA[y]]>');
  });
});

describe('cutting', () => {
  test.each([
    ['short', 10, 'short'],
    ['Senior Solidity Developer', 20, 'Senior Solidity…'],
    ['mentioning zk or rust, from $80k', 24, 'mentioning zk or rust…'],
    ['Donaudampfschifffahrt', 10, 'Donaudamp…'],
    ['👩‍💻👩‍💻👩‍💻', 7, '👩‍💻…'],
  ])('%j at %i', (text, max, cut) => {
    expect(ellipsis(text, max)).toBe(cut);
  });

  test('is never longer than requested, never inside a character, and visible', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (text, max) => {
          const cut = ellipsis(text, max);
          expect(cut.length).toBeLessThanOrEqual(max);
          if (cut === text) return;
          expect(cut.endsWith('…')).toBe(true);
          expect(text.startsWith(cut.slice(0, -1))).toBe(true);
          expect(cut).not.toMatch(/\p{Cs}/u);
        },
      ),
    );
  });

  test('gives a snippet of one line, or nothing', () => {
    expect(snippet('<p>One</p>\n<p>Two</p>', 100)).toBe('One Two');
    expect(snippet('<h3>About us</h3><p>One</p>', 100)).toBe('One');
    expect(snippet('<h2>Only a heading</h2>', 100)).toBe('Only a heading');
    expect(snippet('<p> </p>')).toBeUndefined();
    expect(snippet(undefined)).toBeUndefined();
    expect(snippet(`<p>${'word '.repeat(200)}</p>`)?.length).toBeLessThanOrEqual(280);
  });

  test('gives the snippet of a description that begins with much markup, and no piece of a tag', () => {
    const words = `World ${'and more '.repeat(100)}`;
    const link = `<a href="https://acme.example/${'a'.repeat(400)}">`;
    expect(snippet(`Hello ${link}${words}</a>`, 60)).toBe(snippet(`Hello ${words}`, 60));
    expect(snippet(`${'<div class="wide">'.repeat(50)}${words}`, 60)).toBe(snippet(words, 60));
    expect(snippet(`${'word '.repeat(20)}${link}${words}`, 200)).toBe(
      snippet(`${'word '.repeat(20)}${words}`, 200),
    );
  });

  test('gives the snippet of a long description with a sign that begins no tag', () => {
    expect(snippet(`5 < 6 ${'word '.repeat(200)}`, 60)).toMatch(/^5 < 6 word word .*word…$/u);
  });

  test('gives the snippet of plain text without the bait line', () => {
    expect(snippet('We build. When applying, mention the word DUCK.')).toBe('We build.');
    expect(snippet('We  build\u200b&amp; ship.')).toBe('We build& ship.');
  });
});

test.each([
  ['We build light clients. We are 24 people.', 30, 'We build light clients.'],
  ['We build light clients. We are 24.', 34, 'We build light clients. We are 24.'],
  ['Join us! We build light clients, many of them.', 30, 'Join us! We build light clients, many of them.'],
  [
    'Work on tools, e.g. Rust and its many, many tools.',
    30,
    'Work on tools, e.g. Rust and its many, many tools.',
  ],
])('of %j, %i characters hold the sentences %j', (text, max, left) => {
  expect(sentences(text, max)).toBe(left);
});

test.each([
  ['Apply at https://evil.example/x?y=1 now', 'Apply at now'],
  ['xhttp://a.example', ''],
  ['ühttp://a.example _http://b 1http://c', 'ü _ 1'],
  ['ftp://a.example discord://b steam+x://c/d', ''],
  ['and/or, 1:2, C:// and ://', 'and/or, 1:2, C:// and ://'],
  ['(see www.example.org/job)', '(see )'],
  ['HTTPS://EXAMPLE.ORG', ''],
  ['https and http: no addresses', 'https and http: no addresses'],
])('addresses leave the words: %j', (text, left) => {
  expect(oneLine(withoutAddresses(text))).toBe(left);
});

describe('words that mail programs turn into links', () => {
  const broken = (text: string) => withoutLinks(text).replaceAll('\u200c', '|');

  test.each([
    ['t.me/rustjobs', 't.|me/rustjobs'],
    ['Apply: bit.ly/3xYz, now', 'Apply: bit.|ly/3xYz, now'],
    ['foo.bar.co.uk', 'foo.|bar.|co.|uk'],
    ['jobs@acme.example', 'jobs|@|acme.|example'],
    ['j.doe+x@a-b.io', 'j.|doe+x|@|a-b.|io'],
    ['Müller.de Ελλάδα.gr', 'Müller.|de Ελλάδα.|gr'],
    ['例え。jp', '例え。|jp'],
    ['web3.career', 'web3.|career'],
    ['1inch.io', '1inch.|io'],
    ['see 10.0.0.1/x', 'see 10.|0.|0.|1/x'],
    ['call +49 170 1234567', 'call +49| 170| 123|456|7'],
    ['(555) 123-4567', '(555|) 123|-456|7'],
  ])('%s', (text, shown) => {
    expect(broken(text)).toBe(shown);
  });

  test.each([
    'Node.js and Next.JS, v2.0 (3.5 years), this...',
    'ends. Next',
    '2026-11-20',
    '$80,000',
    'C++/C#, @ home, @handle, 24/7',
  ])('%s is unchanged', (text) => {
    expect(withoutLinks(text)).toBe(text);
  });

  test('look the same, are found again and do not grow when processed twice', () => {
    const text = 'Ping t.me/x or a@b.example, 555 123 4567';
    expect(withoutLinks(text).replaceAll('\u200c', '')).toBe(text);
    expect(oneLine(withoutLinks(text))).toBe(withoutLinks(text));
  });

  test.each(['a.', '1.', '1 ', '@a', '(1', '1-'])('%j repeated is read quickly', (part) => {
    expect(withoutLinks(part.repeat(200_000)).length).toBeGreaterThan(0);
  });
});

describe('exact edges', () => {
  test('a tab and a line feed are blanks and breaks, other control characters are gone', () => {
    expect(withoutControls('a\tb\rc\nd\u0007e')).toBe('a b c\nde');
  });

  test('an address in capitals and one with a port or a scheme of some kind are removed, other dots stay', () => {
    expect(withoutAddresses('see WWW.example.org, now')).toBe('see   now');
    expect(withoutAddresses('git+ssh://host:22/x and (https://a.example/b)')).toBe('  and ( )');
    expect(withoutAddresses('Node.js and v1.2, www is a word')).toBe('Node.js and v1.2, www is a word');
  });

  test('a number with a dot, four of them, and an address of a network', () => {
    const BREAK = '\u200c';
    expect(withoutLinks('version 3.5')).toBe('version 3.5');
    expect(withoutLinks('v3.x')).toBe(`v3.${BREAK}x`);
    expect(withoutLinks('a3.io1')).toBe(`a3.${BREAK}io1`);
    expect(withoutLinks('10.20.30.40').replaceAll(BREAK, '')).toBe('10.20.30.40');
    expect(withoutLinks('10.20.30.40')).toContain(`10.${BREAK}`);
    expect(withoutLinks('me@example')).toBe(`me${BREAK}@${BREAK}example`);
    expect(withoutLinks('me@ @you 50 @!')).toBe('me@ @you 50 @!');
  });

  test('scripts with attributes are removed with their content, whole or not', () => {
    expect(plainText('a<script src="x">let y\n= 1</script >b')).toBe('a b');
    expect(plainText('a<style media="all">p {}\n')).toBe('a');
    expect(plainText('x < y & y > z')).toBe('x < y & y > z');
  });

  test('the line for applicants is cut where it begins, and only that line', () => {
    expect(plainText('<p>Do it.  When Applying, MENTION the word X.</p><p>Pay</p>')).toBe('Do it.\nPay');
    expect(plainText('<p>mention the word in your mail</p>')).toBe('mention the word in your mail');
    expect(plainText('<p>When applying, mention the word X</p><p>Pay</p>')).toBe('Pay');
  });

  test('a text as long as allowed stays whole, and a longer one is cut at a word that is near', () => {
    expect(ellipsis('abcde', 5)).toBe('abcde');
    expect(ellipsis('abcdef', 5)).toBe('abcd…');
    expect(ellipsis('abcdefgh ij', 10)).toBe('abcdefgh…');
    expect(ellipsis('ab cdefghijk', 10)).toBe('ab cdefgh…');
    expect(ellipsis('abcdefg, - hi', 11)).toBe('abcdefg…');
    expect(ellipsis('  abcdefg', 8)).toBe('  abcde…');
    expect(ellipsis(`abcd${'e\u0301'}fgh`, 6)).toBe('abcd…');
    expect(ellipsis(`abc${'👩‍👩‍👧'}d`, 6)).toBe('abc…');
  });

  test('sentences are whole ones that take at least two fifths of the space', () => {
    expect(sentences('One two. Three', 14)).toBe('One two. Three');
    expect(sentences('One two. Three', 13)).toBe('One two.');
    expect(sentences('One. Two three four', 10)).toBe('One.');
    expect(sentences('One. Two three four', 11)).toBe('One. Two three four');
    expect(sentences('Is it? Yes! Then more of it', 14)).toBe('Is it? Yes!');
    expect(sentences('Some e.g. B and 3.5 Km and more', 20)).toBe('Some e.g. B and 3.5 Km and more');
    expect(sentences('Nine ten. Eleven', 9)).toBe('Nine ten.');
    expect(sentences('We build. They ship. You code. All win.', 22)).toBe('We build. They ship.');
  });

  test('only the beginning of a very long text is read', () => {
    expect(plainText(`${'a '.repeat(100_000)}end`)).toMatch(/a a$/u);
    expect(snippet(`${'<br>'.repeat(2_000)}text`, 280)).toBe('text');
    expect(snippet(`${'<br>'.repeat(3_000)}text`, 280)).toBeUndefined();
  });

  test('a name begins with a capital letter', () => {
    expect(capitalized('berlin office')).toBe('Berlin office');
    expect(capitalized('')).toBe('');
  });

  test('a preview leaves out headings unless there is nothing else', () => {
    expect(snippet('<h2>About us</h2><p>We build.</p>')).toBe('We build.');
    expect(snippet('<p>A</p><h2 class="x">About us</h2><p>B</p>')).toBe('A B');
    expect(snippet('We<h2>About us</h2>build.')).toBe('We build.');
    expect(snippet('<h2>About us</h2>')).toBe('About us');
    expect(snippet('<p> </p>')).toBeUndefined();
  });
});
