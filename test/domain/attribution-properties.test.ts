// The attribution guard with generated links and words.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import { usableLink } from '../../src/domain/posting.js';
import { anyCharacter } from '../helpers/any-character.js';
import { FORMATS, honest, linked } from './honest-output.js';

describe('properties', () => {
  const path = fc
    .array(
      fc.oneof(
        fc.constantFrom('?', '&', '=', '%20', '(', ')', '|', "'", '&amp;', '&lt', '#', '/', '.', '__', 'ü'),
        fc.stringMatching(/^[a-z0-9]{1,4}$/u),
      ),
      { maxLength: 12 },
    )
    .map((parts) => `https://board.example/r/${parts.join('')}`)
    // Punctuation at the end of an address is not part of it for a reader of running text.
    .filter((link) => usableLink(link) && !/[.,;:!?)'|*]$/u.test(link));
  const words = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('//'));

  test.each(FORMATS)('a correct %s output passes with any links and words', (format) => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 5 }), words, (links, text) => {
        expect(attributionFaults(honest(format, links, text), linked(links))).toEqual([]);
      }),
    );
  });

  test.each(FORMATS)('any addition to a link of a %s output is detected', (format) => {
    const change = fc.oneof(
      fc.stringMatching(/^[?&#][a-z]{1,8}=[a-z0-9]{0,5}$/u).map((tail) => (link: string) => link + tail),
      fc.nat(60).map((at) => (link: string) => {
        const index = Math.min(link.length, 23 + at);
        return `${link.slice(0, index)}~${link.slice(index)}`;
      }),
    );
    fc.assert(
      fc.property(path, change, (link, alter) => {
        expect(attributionFaults(honest(format, [alter(link)]), linked([link]))).not.toEqual([]);
      }),
    );
  });

  test('never throws and is quick for any input', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMATS),
        fc.string({ unit: anyCharacter }),
        fc.array(
          fc.record({ key: fc.string(), applyUrl: fc.string({ unit: anyCharacter }), url: fc.string() }),
        ),
        (format, body, postings) => {
          attributionFaults({ format, body, note: body }, postings);
        },
      ),
    );
  });
});
