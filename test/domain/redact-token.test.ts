// The search for a token in text, with each encoding by itself.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  readWithoutToken,
  redactorOf,
  type TokenRedactor,
  withoutToken,
} from '../../src/domain/redact-token.js';
import { secret } from '../../src/domain/secret.js';

const TOKEN = 'Echo+to/7f3a==';
const NOTE = '[token taken out]';
const redactor = redactorOf(secret(TOKEN)) as TokenRedactor;
const nested = (layers: number) =>
  Array.from({ length: layers }).reduce<string>((text) => encodeURIComponent(text), TOKEN);

describe('a token', () => {
  test.each([
    ['as it is', TOKEN],
    ['in the middle of a word', `x${TOKEN}y`],
    ['at the end', `a word ${TOKEN}`],
    ['in other letters', TOKEN.toUpperCase()],
    ['as an address writes it', 'Echo%2Bto%2F7f3a%3D%3D'],
    ['without its padding', 'Echo+to/7f3a'],
    ['with a blank for the plus', 'echo to/7f3a=='],
    ['with several blanks and a line', 'e c\n\nho+to  /7f3a=='],
    ['with invisible characters', 'E\u200bcho+to/7f3a=='],
    ['with a control character', 'E\u007fcho+to/7f3a=='],
    ['with signs escaped as in JSON', 'Echo\\u002Bto\\/7f3a\\u003d='],
    ['with an escaped line', 'Echo+\\nto/7f3a=='],
    ['with character references', 'Echo&#43;to&sol;7f3a=='],
    ['with markup inside', 'Echo+to<b>/</b>7f3a=='],
    ['with CDATA around a part', 'Echo+<![CDATA[to/]]>7f3a=='],
    ['after a part of itself', 'EchoEcho+to/7f3a=='],
    ['after its first letter, which is far away', `e ${'x'.repeat(50)} Echo+to/7f3a`],
    ['percent-encoded beside bytes that are no text', '%ff%45cho%2Bto%2F7f3a'],
    ['encoded eight times', nested(8)],
  ])('is found %s', (_how, text) => {
    expect(redactor.isIn(text)).toBe(true);
    expect(redactorOf(secret(TOKEN))?.without(text)).toContain(NOTE);
    expect(redactor.isIn(redactor.without(text))).toBe(false);
  });

  test.each([
    '',
    'Echo',
    'Echo+to/7f3',
    'Echo+to-7f3a==',
    'cho+to/7f3a==',
    'Echo.to/7f3a==',
    'E<b>x</b>cho+to/7f3a',
    '7f3a==',
    'Echoto7f3a==',
    'Eécho+to/7f3a, and a blank',
  ])('is not found in %j, which stays as it is', (text) => {
    expect(redactorOf(secret(TOKEN))?.isIn(text)).toBe(false);
    expect(redactor.without(text)).toBe(text);
    expect(redactor.cut(text)).toBe(text);
  });

  test('of fewer than eight characters is not searched for', () => {
    expect(redactorOf(secret('1234567'))).toBeUndefined();
    expect(redactorOf(secret('12345678'))?.isIn('x12345678x')).toBe(true);
    // Without its padding it would be a word.
    const padded = redactorOf(secret('remote=='));
    expect([padded?.isIn('remote'), padded?.isIn('remote==')]).toEqual([false, true]);
    expect(redactorOf(secret('remotely='))?.isIn('remotely')).toBe(true);
  });

  test('with signs in its middle or beyond ASCII is found whole only', () => {
    const inner = redactorOf(secret('abcd=efgh')) as TokenRedactor;
    expect([inner.isIn('ABCD%3Defgh'), inner.isIn('abcdefgh')]).toEqual([true, false]);
    const wide = redactorOf(secret('schlüssel-ü')) as TokenRedactor;
    expect([wide.isIn('SCHLU\u0308SSEL-U\u0308'), wide.isIn('schlussel-u')]).toEqual([true, false]);
    // Both small forms of a sigma are the same letter.
    const greek = redactorOf(secret('\u0391\u03a3-1234567')) as TokenRedactor;
    for (const small of ['\u03c3', '\u03c2']) expect(greek.isIn(`\u03b1${small}-1234567`)).toBe(true);
  });

  test('that addresses do not encode is cut out in any letters, and other forms of it are left', () => {
    const plain = redactorOf(secret('Plain-token_1.x')) as TokenRedactor;
    const encoded = 'plain&#45;token_1.x';
    expect(plain.cut(`a=Plain-token_1.x b=plain-TOKEN_1.x ${encoded}`)).toBe(
      `a=${NOTE} b=${NOTE} ${encoded}`,
    );
    expect(plain.isLeftIn(encoded)).toBe(true);
    expect(plain.isLeftIn('plain-token_1')).toBe(false);
    const tilde = redactorOf(secret('tilde~token')) as TokenRedactor;
    expect(tilde.cut('a tilde~token tilde%7Etoken')).toBe(`a ${NOTE} ${NOTE}`);
  });

  test.each([
    ['a text', { text: `see ${TOKEN}` }],
    ['a list in a field', { one: 1, none: null, list: ['a', [TOKEN]] }],
    ['a name', { extra: { [`by ${TOKEN}`]: true } }],
  ])('is found in a value: in %s', (_where, value) => {
    expect(redactor.isIn(value)).toBe(true);
  });

  test('of digits is found as a number, and no token is found in parts of two texts', () => {
    expect(redactorOf(secret('12345678'))?.isIn({ n: 12345678 })).toBe(true);
    const half = TOKEN.length / 2;
    expect(redactor.isIn({ one: TOKEN.slice(0, half), two: TOKEN.slice(half), none: undefined })).toBe(false);
    expect(redactor.isIn([TOKEN.slice(0, half), TOKEN.slice(half), null])).toBe(false);
  });

  test('is cut out in both forms that addresses have', () => {
    const signs = redactorOf(secret("it's (a~b)!")) as TokenRedactor;
    for (const form of ["it's%20(a~b)!", 'it%27s+%28a%7Eb%29%21'])
      expect(signs.cut(`before ${form} after`)).toBe(`before ${NOTE} after`);
  });
});

describe('a token of letters that have more than one capital form', () => {
  const plain = redactorOf(secret('sky-kiss')) as TokenRedactor;

  test.each(['\u017fky-kiss', 's\u212ay-kiss', 'SKY-KI\u017f\u017f', 'SKY-KISS'])(
    'is found as %s',
    (text) => {
      expect([plain.isIn(text), plain.cut(`a ${text}, b`)]).toEqual([true, `a ${NOTE}, b`]);
    },
  );

  test('is found wherever a pattern that ignores case finds it', () => {
    const forms: Record<string, string> = {
      s: 'sS\u017f',
      k: 'kK\u212a',
      y: 'yY',
      '-': '--_',
      i: 'iI\u0130',
    };
    const letters = [...'sky-kiss'].map((letter) => fc.constantFrom(...(forms[letter] as string)));
    fc.assert(
      fc.property(fc.string(), fc.tuple(...letters), fc.string(), (before, token, after) => {
        const text = before + token.join('') + after;
        expect(plain.isIn(text) || !/sky-kiss/iu.test(text)).toBe(true);
        expect(plain.cut(text)).toBe(text.replace(/sky-kiss/giu, NOTE));
      }),
    );
  });
});

describe('a token with the signs of markup in it', () => {
  const inner = redactorOf(secret('abc<def]ghi')) as TokenRedactor;

  test.each([
    'abc<def]ghi',
    'abc<b></b><def]ghi',
    'abc<def]]>]ghi',
    'abc<def<i>]ghi</i>',
    'abc&lt;b&gt;&lt;def]ghi',
  ])('is found in %j', (text) => {
    expect(inner.isIn(text)).toBe(true);
  });

  test.each(['abcdefghi', 'abc<def]gh', 'abc<b>def]ghi'])('is not found in %j', (text) => {
    expect(inner.isIn(text)).toBe(false);
  });
});

describe('a text without the token', () => {
  test('keeps the rest, and every occurrence is replaced', () => {
    expect(redactor.without(`a ${TOKEN} b ${TOKEN.toLowerCase()} c`)).toBe(`a ${NOTE} b ${NOTE} c`);
    expect(redactor.cut('a Echo%2Bto%2F7f3a%3D%3D b')).toBe(`a ${NOTE} b`);
    expect(redactor.without('a Echo&#43;to&sol;7f3a== b')).toBe(`a ${NOTE} b`);
  });

  test('is only a note if the token can not be cut out', () => {
    expect(redactor.without('a E c h o+to/7f3a b')).toBe(NOTE);
    expect(redactor.cut('a E c h o+to/7f3a b')).toBe('a E c h o+to/7f3a b');
    expect(redactor.without(`${TOKEN} and Echo+to<b>/</b>7f3a`)).toBe(NOTE);
  });
});

describe('a posting without the token', () => {
  const link = 'https://jobs.example/apply?a=1';
  const clean = {
    key: 'id:1',
    id: '1',
    title: 'Dev',
    remote: true,
    applyUrl: link,
    url: link,
    tags: ['rust', 'go'],
    extra: { team: 'x' },
  };

  test('is the same if it never had it', () => {
    expect(withoutToken(clean, redactor)).toEqual(clean);
    expect(withoutToken({ key: 'id:1' }, redactor)).toEqual({ key: 'id:1' });
    const read = { posting: clean, keys: ['id:1', `link:${link}`] };
    expect(readWithoutToken(read, redactor)).toEqual(read);
  });

  test('loses links, ids and further fields that contain it, and its texts lose the token', () => {
    const leaky = {
      ...clean,
      id: TOKEN,
      title: `Dev ${TOKEN}`,
      applyUrl: `${link}&t=${encodeURIComponent(TOKEN)}`,
      url: `${link}&t=${TOKEN}`,
      tags: ['rust', TOKEN, TOKEN],
      extra: { team: 'x', other: TOKEN, [TOKEN]: 'y' },
    };
    const { applyUrl: _link, url: _url, id: _id, ...rest } = clean;
    expect(withoutToken(leaky, redactor)).toEqual({
      ...rest,
      title: `Dev ${NOTE}`,
      badLink: true,
      tags: ['rust', NOTE],
      extra: { team: 'x' },
    });
    expect(withoutToken({ key: 'id:1', extra: { other: TOKEN } }, redactor)).toEqual({ key: 'id:1' });
  });

  test('is still told apart from others by keys that contained it', () => {
    const keys = [`link:${link}&t=${TOKEN}`, `link:${link}&u=${TOKEN}`, 'id:1'];
    const read = readWithoutToken({ posting: { ...clean, key: keys[0] as string }, keys }, redactor);
    expect(read.keys[0]).toMatch(/^link#[0-9a-f]{40}$/u);
    expect(new Set(read.keys).size).toBe(3);
    expect([read.keys[2], read.posting.key]).toEqual(['id:1', read.keys[0]]);
    expect(readWithoutToken({ posting: clean, keys }, redactor).keys).toEqual(read.keys);
  });
});
