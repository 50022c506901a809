// Whatever postings hold, what is posted is within Discord's limits, keeps every link byte for byte and loses nobody.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import type { EditionPosting } from '../../src/domain/edition.js';
import { trimmed } from '../../src/domain/ledger.js';
import { parsePosting } from '../../src/domain/posting.js';
import { escaped, linkWords, plain, withLinks } from '../../src/render/discord/escape.js';
import { forumTags, threadName } from '../../src/render/discord/forum.js';
import { renderMessage } from '../../src/render/discord/message.js';
import { packCards, packDigest } from '../../src/render/discord/pack.js';
import { embedsSize } from '../../src/render/discord/payload.js';
import { textsFor } from '../../src/render/texts.js';
import { validateMessage } from '../helpers/discord/validate-message.js';
import { sampleDelivery, samplePosting } from '../helpers/discord-delivery.js';

const NASTY = [
  '@everyone',
  '<@123456789012345678>',
  '<@&1>',
  '[x](javascript:alert(1))',
  '[a](<https://evil.example>)',
  '**',
  '__',
  '||',
  '```',
  '`',
  '\\',
  ']',
  '[',
  '](',
  '# ',
  '-# ',
  '> ',
  '1. ',
  'https://evil.example/x',
  '<t:0:R>',
  '😀',
  '👩‍👩‍👧',
  'مرحبا',
  '\u202e',
  '\u200b',
  '\ud800',
  '\udc00',
  '\u0000',
  '\r\nBcc: x',
  '<script>',
  ']]>',
  '&amp;amp;',
  ' ',
  '\u3164',
  'x'.repeat(300),
  'W '.repeat(900),
];

const words = fc.oneof(
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...NASTY),
        fc.string({ maxLength: 12 }),
        fc.string({ unit: 'binary', maxLength: 8 }),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
  fc
    .constantFrom(...NASTY)
    .chain((piece) =>
      fc.integer({ min: 1, max: 5000 }).map((n) => piece.repeat(Math.ceil(n / piece.length)).slice(0, 5000)),
    ),
  fc.constant(''),
);

const links = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc
    .tuple(
      fc.webUrl(),
      fc.array(
        fc.constantFrom(
          '(',
          ')',
          '[',
          ']',
          '<',
          '|',
          '_',
          '*',
          '&',
          '?a=',
          '#',
          '%29',
          'é',
          "'",
          '{',
          '}',
          ',',
          '.',
        ),
        { maxLength: 6 },
      ),
    )
    .map(([url, tail]) => url + tail.join('')),
  fc.integer({ min: 1, max: 2030 }).map((n) => `https://board.example/${'a'.repeat(n)}`.slice(0, 2048)),
  fc.integer({ min: 1, max: 2030 }).map((n) => `https://board.example/(${'a'.repeat(n)}`.slice(0, 2048)),
  fc.constantFrom(
    'http://localhost:3000/r/1',
    'http://[::1]/r/1',
    'HTTPS://Board.Example/R',
    'https://b\u00fccher.example/x',
    'javascript:alert(1)',
    'https://u:p@x.example',
    'x'.repeat(3000),
  ),
);

const postings = (max: number) =>
  fc
    .array(
      fc.record(
        {
          title: words,
          company: words,
          location: words,
          description: words,
          salary: words,
          remote: fc.boolean(),
          apply_url: links,
          url: fc.webUrl(),
          postedAt: fc.constantFrom('2026-01-05', '1960-02-03', '2999-12-31', 'never'),
          tags: fc.array(fc.oneof(words, fc.constantFrom('rust', 'solidity', 'ai')), { maxLength: 12 }),
          estimated_min_salary: fc.integer({ min: 0, max: 900_000 }),
        },
        { requiredKeys: [] },
      ),
      { maxLength: max },
    )
    .chain((raws) =>
      fc
        .record({
          matched: fc.array(fc.array(words, { maxLength: 4 }), {
            minLength: raws.length,
            maxLength: raws.length,
          }),
          seen: fc.array(fc.boolean(), { minLength: raws.length, maxLength: raws.length }),
        })
        .map(({ matched, seen }) =>
          raws.flatMap((raw, index): EditionPosting[] => {
            const read = parsePosting({ ...raw, id: String(index) });
            if (!read) return [];
            return [
              {
                ...trimmed(read.posting),
                matched: matched[index] ?? [],
                ...(seen[index] ? { seenBefore: '2026-01-05' } : {}),
              },
            ];
          }),
        ),
    );

const settings = fc.record({
  every: fc.constantFrom('immediate', 'hourly', 'daily', 'weekly'),
  locale: fc.constantFrom('en', 'de', 'es-419', 'xx'),
  about: words,
  source: fc.oneof(fc.constant('Example Board'), words),
  more: fc.integer({ min: 0, max: 9999 }),
  moreUrl: fc.oneof(fc.webUrl(), fc.constant(`https://crier.example/${'e'.repeat(3000)}`)),
  mention: fc.boolean(),
} as const);

test('any edition is packed without loss and each message is one Discord takes', () => {
  fc.assert(
    fc.property(postings(40), settings, (all, { every, locale, about, source, more, moreUrl, mention }) => {
      const parts = every === 'immediate' ? packCards(all, source) : packDigest(all, source);
      expect(parts.flat()).toEqual(all);
      for (const [part, members] of parts.entries()) {
        const base = sampleDelivery('123456789012345678');
        const delivery = sampleDelivery('123456789012345678', {
          every,
          locale,
          about,
          source,
          part,
          parts: parts.length,
          postings: members,
          more: part === parts.length - 1 ? more : 0,
          moreUrl,
          destination: { ...base.destination, options: mention ? { mention: '987654321098765432' } : {} },
        });
        const payload = renderMessage(delivery);
        expect(() => validateMessage(JSON.parse(JSON.stringify(payload)), 0, false)).not.toThrow();
        expect(payload.embeds.length).toBeGreaterThan(0);
        expect(JSON.stringify(payload)).not.toMatch(/\\ud[89a-f]/iu);
        const output = {
          format: 'json',
          body: JSON.stringify(payload),
          note: textsFor(locale).card.note,
        } as const;
        expect(attributionFaults(output, members)).toEqual([]);
        expect(payload.allowed_mentions).toEqual({
          parse: [],
          roles: mention && part === 0 ? ['987654321098765432'] : [],
        });
        const name = threadName(delivery);
        expect(name.trim().length).toBeGreaterThan(0);
        expect(name.length).toBeLessThanOrEqual(100);
      }
    }),
    { numRuns: 120, interruptAfterTimeLimit: 60_000 },
  );
}, 360_000);

test('ordinary postings fill a message: eight cards, twenty-five lines', () => {
  const all = Array.from({ length: 50 }, (_, n) =>
    samplePosting(n, { description: 'Words of a usual length. '.repeat(12) }),
  );
  expect(packCards(all, 'Example Board')[0]?.length).toBeGreaterThanOrEqual(8);
  expect(packDigest(all, 'Example Board').map((part) => part.length)).toEqual([25, 25]);
});

test('postings with the same link are kept apart, because Discord shows only the first of them', () => {
  const twins = [1, 2].map((n) => samplePosting(n, { applyUrl: 'https://board.example/r/x' }));
  expect(packCards(twins, 'Example Board')).toHaveLength(2);
});

test('a crowded message gives up its snippets before anything else', () => {
  const many = Array.from({ length: 10 }, (_, n) =>
    samplePosting(n, {
      description: 'w'.repeat(400),
      matched: Array.from({ length: 20 }, (_, m) => `reason${m}`),
      title: 'T'.repeat(190),
    }),
  );
  const payload = renderMessage(sampleDelivery('123456789012345678', { postings: many }));
  expect(embedsSize(payload.embeds)).toBeLessThanOrEqual(6000);
  expect(payload.embeds.every((embed) => embed.description?.includes('matched reason0'))).toBe(true);
});

test('a crowded digest gives up headings, then places and pay, never a posting', () => {
  const tags = ['rust', 'ai', 'nft', 'dao', 'evm'];
  const many = Array.from({ length: 30 }, (_, n) =>
    samplePosting(n, {
      title: `${n} ${'T'.repeat(70)}`,
      location: 'L'.repeat(60),
      salary: 'S'.repeat(90),
      matched: [tags[n % 5] ?? ''],
    }),
  );
  const payload = renderMessage(sampleDelivery('123456789012345678', { every: 'daily', postings: many }));
  expect(() => validateMessage(JSON.parse(JSON.stringify(payload)), 0, false)).not.toThrow();
  const text = payload.embeds.map((embed) => embed.description).join('\n');
  for (const { applyUrl } of many) expect(text).toContain(`(<${applyUrl}>)`);
  expect(text).not.toContain('LLL');
});

describe('text', () => {
  test.each([
    ['**bold** _it_ ~~s~~ ||sp|| `c`', '\\*\\*bold\\*\\* \\_it\\_ \\~\\~s\\~\\~ \\|\\|sp\\|\\| \\`c\\`'],
    ['[x](https://evil.example)', '\\[x\\](evil.example)'],
    ['@everyone <@&1>', '\\@everyone \\<\\@&1\\>'],
    ['# head', '\\# head'],
    ['- list', '\\- list'],
    ['1. list', '1\\. list'],
    ['C++ / C# (f/m/d) 3-5', 'C++ / C# (f/m/d) 3-5'],
    ['a\r\nb', 'a b'],
    ['a\ud800b 😀', 'a\ufffdb 😀'],
  ])('%j is escaped as %j', (text, wanted) => {
    expect(escaped(text, 200)).toBe(wanted);
  });

  test('is cut visibly, escapes included', () => {
    expect(escaped('*'.repeat(500), 100)).toMatch(/^(?:\\\*)+…$/u);
    expect(escaped('*'.repeat(500), 100).length).toBeLessThanOrEqual(100);
    expect(plain('word '.repeat(100), 50)).toMatch(/…$/u);
  });

  test('of a masked link has no square brackets', () => {
    expect(linkWords('Dev [remote', 100)).toBe('Dev (remote');
  });

  test('of our own keeps its addresses whole', () => {
    expect(withLinks('Renew *it* at https://board.example/a_b?c=1 now', 200)).toBe(
      'Renew \\*it\\* at <https://board.example/a_b?c=1> now',
    );
  });
});

describe('forum tags', () => {
  const tags = ['Rust', 'Zero Knowledge', 'Design', 'Front-End', 'Remote', 'AI', 'Solidity'].map(
    (name, n) => ({ id: String(n), name }),
  );
  test('match by name however they are spelled, the most frequent first, five at most', () => {
    const some = [['rust'], ['rust', 'zero-knowledge'], ['front-end', 'ai', 'solidity', 'design']].map(
      (own, n) => samplePosting(n, { tags: own, matched: [] }),
    );
    expect(forumTags(tags, false, some)).toEqual(['4', '0', '1', '2', '3']);
  });
  test('more than five fit one posting: the one the filter asked for is among them', () => {
    const own = ['golang', 'devops', 'backend', 'design', 'defi', 'rust'];
    const tags = own.map((name, id) => ({ id: String(id), name }));
    const chosen = forumTags(tags, false, [samplePosting(1, { tags: own, matched: ['rust'] })]);
    expect(chosen).toEqual(['5', '0', '1', '2', '3']);
  });
  test('none fits and none is required: none', () => {
    expect(forumTags([{ id: '1', name: 'Cooking' }], false, [samplePosting()])).toEqual([]);
  });
});
