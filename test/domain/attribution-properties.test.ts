// The attribution guard over links and words nobody thought of.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import { usableLink } from '../../src/domain/posting.js';
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
    // Sentence marks at the end of an address are no part of it to any reader of running text.
    .filter((link) => usableLink(link) && !/[.,;:!?)'|*]$/u.test(link));
  const words = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('//'));

  test.each(FORMATS)('an honest %s output passes, whatever the links and words', (format) => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 5 }), words, (links, text) => {
        expect(attributionFaults(honest(format, links, text), linked(links))).toEqual([]);
      }),
    );
  });

  test.each(FORMATS)('whatever is put behind or into a link of a %s output is seen', (format) => {
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

  test('never throws and is quick, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FORMATS),
        fc.string({ unit: 'binary' }),
        fc.array(fc.record({ key: fc.string(), applyUrl: fc.string({ unit: 'binary' }), url: fc.string() })),
        (format, body, postings) => {
          attributionFaults({ format, body, note: body }, postings);
        },
      ),
    );
  });
});
