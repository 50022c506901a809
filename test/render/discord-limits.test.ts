// For any postings, the messages are within Discord's limits, keep every link byte for byte and lose no posting.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attributionFaults } from '../../src/domain/attribution.js';
import type { EditionPosting } from '../../src/domain/edition.js';
import { trimmed } from '../../src/domain/ledger.js';
import { parsePosting } from '../../src/domain/posting.js';
import { cardsOf, onCard } from '../../src/domain/same-job.js';
import type { Delivery } from '../../src/ports/sink.js';
import { escaped, linkWords, plain, withLinks } from '../../src/render/discord/escape.js';
import { forumTags, threadName } from '../../src/render/discord/forum.js';
import { renderMessage } from '../../src/render/discord/message.js';
import { packImmediate, packList } from '../../src/render/discord/pack.js';
import { LANGUAGES, textsFor } from '../../src/render/texts.js';
import { anyCharacter } from '../helpers/any-character.js';
import { validateMessage } from '../helpers/discord/validate-message.js';
import { cardsIn, linksIn } from '../helpers/discord-cards.js';
import { sampleDelivery, samplePosting } from '../helpers/discord-delivery.js';
import { runs } from '../helpers/runs.js';

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
        fc.string({ unit: anyCharacter, maxLength: 8 }),
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
  fc.integer({ min: 480, max: 500 }).map((n) => `https://board.example/${'a'.repeat(n)}`),
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
          // The same job as others, in another place.
          job: fc.array(fc.constantFrom(undefined, undefined, 1, 2), {
            minLength: raws.length,
            maxLength: raws.length,
          }),
          matched: fc.array(fc.array(words, { maxLength: 4 }), {
            minLength: raws.length,
            maxLength: raws.length,
          }),
          seen: fc.array(fc.boolean(), { minLength: raws.length, maxLength: raws.length }),
        })
        .map(({ job, matched, seen }) =>
          raws.flatMap((raw, index): EditionPosting[] => {
            const shared = job[index] && {
              title: `${job[index]} ${'T_'.repeat(200)}`,
              company: '*'.repeat(200) + job[index],
              location: `${index} ${'](x)'.repeat(80)}`,
              salary: '$'.repeat(300),
            };
            const read = parsePosting({ ...raw, ...shared, id: String(index) });
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

/** Rules for every message with any content. */
function expectSound(delivery: Delivery): void {
  const { postings, locale, part, destination } = delivery;
  const payload = renderMessage(delivery);
  const body = JSON.stringify(payload);
  expect(() => validateMessage(JSON.parse(body), 0, false)).not.toThrow();
  // No half of a character: JSON escapes it, after an even number of backslashes.
  expect(body).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/iu);
  expect(attributionFaults({ format: 'json', body, note: textsFor(locale).card.note }, postings)).toEqual([]);
  expect(cardsIn(payload).length + (payload.embeds ?? []).length).toBeGreaterThan(0);
  const { mention } = destination.options ?? {};
  const roles = mention && part === 0 ? [mention] : [];
  expect(payload.allowed_mentions).toEqual({ parse: [], roles });
  const role = roles.length > 0;
  expect(body.includes(`"<@&${mention}>"`)).toBe(role);
  const name = threadName(delivery);
  expect(name.trim().length).toBeGreaterThan(0);
  expect(name.length).toBeLessThanOrEqual(100);
}

/** The delivery of each part, as the pipeline makes them. */
function deliveries(
  parts: readonly (readonly EditionPosting[])[],
  { mention, more, ...fields }: Partial<Delivery> & { readonly mention?: boolean },
): readonly Delivery[] {
  const base = sampleDelivery('123456789012345678');
  const options = mention ? { mention: '987654321098765432' } : {};
  return parts.map((postings, part) =>
    sampleDelivery('123456789012345678', {
      ...fields,
      part,
      parts: parts.length,
      postings,
      more: part === parts.length - 1 ? (more ?? 0) : 0,
      destination: { ...base.destination, options },
    }),
  );
}

test('any edition is split without loss into messages that Discord accepts', {
  tags: 'long',
  timeout: 360_000,
}, () => {
  fc.assert(
    fc.property(fc.oneof(postings(5), postings(40)), settings, (all, given) => {
      const parts =
        given.every === 'immediate' ? packImmediate(all, given.source) : packList(all, given.source);
      expect(parts.flat()).toEqual(cardsOf(all).flatMap(onCard));
      expect(parts.flat()).toHaveLength(all.length);
      for (const delivery of deliveries(parts, given)) {
        expectSound(delivery);
        if (given.every !== 'immediate') continue;
        // Postings that were split as cards are shown as cards.
        const cards = cardsIn(renderMessage(delivery));
        const count = cardsOf(delivery.postings).length;
        if (cardsOf(all).length <= 5) expect(cards).toHaveLength(count);
        if (count > 5) expect(cards).toEqual([]);
      }
    }),
    { numRuns: runs(160), interruptAfterTimeLimit: 60_000 },
  );
});

test.each(Object.keys(LANGUAGES))(
  'the largest message of cards in %s has room for what is added after splitting',
  { tags: 'long' },
  (locale) => {
    const learned = { twice: true, seenBefore: '2026-01-05', matched: ['m'.repeat(300)] } as const;
    const moreUrl = `https://crier.example/${'e'.repeat(378)}`;
    for (let length = 560; length < 2_048; length += 9) {
      const all = Array.from({ length: 5 }, (_, n) => {
        const applyUrl = `https://board.example/${n}${'x'.repeat(length - 23)}`;
        return { key: `id:${n}`, title: 'Dev', applyUrl, matched: [] };
      });
      const parts = packImmediate(all, 'Example Board').map((part) =>
        part.map((one) => ({ ...one, ...learned })),
      );
      for (const delivery of deliveries(parts, { locale, more: 9999, moreUrl, mention: true })) {
        const last = { ...delivery, part: 0, more: 9999 };
        expectSound(last);
        expect(cardsIn(renderMessage(last))).toHaveLength(delivery.postings.length);
      }
    }
  },
);

describe('a part of up to ten postings that version 0.1 made is one message', () => {
  const linked = (length: number) => (n: number) => {
    const applyUrl = `https://board.example/${n}-${'x'.repeat(Math.max(0, length - 24))}`;
    return samplePosting(n, { applyUrl, description: 'w '.repeat(length > 100 ? 0 : 200) });
  };
  test.each([
    ['ten, as a list', 10, 40, 0],
    ['eight with longer links, as a list', 8, 400, 0],
    ['five, as cards', 5, 40, 5],
    ['five with links that fit no button, as a list', 5, 900, 0],
    ['three with links that fit no button, as cards', 3, 900, 3],
    ['ten whose links are too long for a list, each in a title', 10, 1_900, 0],
    ['three whose links are too long for cards, as a list', 3, 1_500, 0],
  ])('%s', (_what, count, length, cards) => {
    const part = Array.from({ length: count }, (_, n) => linked(length)(n));
    const given = { mention: true, more: 12, moreUrl: 'https://crier.example/e/x' };
    for (const delivery of deliveries([part], given)) {
      expectSound(delivery);
      const message = renderMessage(delivery);
      expect(cardsIn(message)).toHaveLength(cards);
      expect(JSON.stringify(message)).toContain('and 12 more](<https://crier.example/e/x>)');
    }
  });
});

test('ordinary postings fill a message: five cards, twenty-five lines', () => {
  const all = Array.from({ length: 50 }, (_, n) =>
    samplePosting(n, { description: 'Words of a usual length. '.repeat(12) }),
  );
  const sizes = (parts: readonly (readonly unknown[])[]) => parts.map((part) => part.length);
  expect(sizes(packImmediate(all.slice(0, 5), 'Example Board'))).toEqual([5]);
  expect(sizes(packImmediate(all.slice(0, 6), 'Example Board'))).toEqual([6]);
  expect(sizes(packImmediate(all, 'Example Board'))).toEqual([25, 25]);
});

test('postings with the same link are two cards of one message', () => {
  const twins = [1, 2].map((n) => samplePosting(n, { applyUrl: 'https://board.example/r/x' }));
  const [part = [], ...others] = packImmediate(twins, 'Example Board');
  expect(others).toEqual([]);
  expect(linksIn(renderMessage(sampleDelivery('123456789012345678', { postings: part })))).toHaveLength(2);
});

test('a full message drops its snippets first', () => {
  const many = Array.from({ length: 5 }, (_, n) =>
    samplePosting(n, {
      description: 'snippet '.repeat(60),
      matched: Array.from({ length: 20 }, (_, m) => `reason${m}`),
      title: 'T'.repeat(190),
      company: 'C'.repeat(90),
      location: 'L'.repeat(110),
      salary: 'S'.repeat(90),
      tags: ['a', 'b'].map((tag) => tag.repeat(40)),
      twice: true,
    }),
  );
  const cards = cardsIn(renderMessage(sampleDelivery('123456789012345678', { postings: many })));
  expect(cards).toHaveLength(5);
  expect(cards.filter(({ text }) => text.includes('snippet snippet'))).toEqual([]);
  expect(cards.filter(({ text }) => !text.includes('names its pay'))).toEqual([]);
});

test('a full digest drops headings, then places and pay, and never a posting', () => {
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
  expect(linksIn(payload).toSorted()).toEqual(many.map(({ applyUrl }) => applyUrl).toSorted());
  expect(JSON.stringify(payload.embeds)).not.toContain('LLL');
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

  test('is cut with a visible mark, escapes included', () => {
    expect(escaped('*'.repeat(500), 100)).toMatch(/^(?:\\\*)+…$/u);
    expect(escaped('*'.repeat(500), 100).length).toBeLessThanOrEqual(100);
    expect(plain('word '.repeat(100), 50)).toMatch(/…$/u);
  });

  test('of a masked link has no square brackets', () => {
    expect(linkWords('Dev [remote', 100)).toBe('Dev (remote');
  });

  test('of our own keeps its addresses complete', () => {
    expect(withLinks('Renew *it* at https://board.example/a_b?c=1 now', 200)).toBe(
      'Renew \\*it\\* at <https://board.example/a_b?c=1> now',
    );
  });
});

describe('forum tags', () => {
  const tags = ['Rust', 'Zero Knowledge', 'Design', 'Front-End', 'Remote', 'AI', 'Solidity'].map(
    (name, n) => ({ id: String(n), name }),
  );
  test('match by name in any spelling, the most frequent first, five at most', () => {
    const some = [['rust'], ['rust', 'zero-knowledge'], ['front-end', 'ai', 'solidity', 'design']].map(
      (own, n) => samplePosting(n, { tags: own, matched: [] }),
    );
    expect(forumTags(tags, false, some)).toEqual(['4', '0', '1', '2', '3']);
  });
  test('contain the requested one if more than five match a posting', () => {
    const own = ['golang', 'devops', 'backend', 'design', 'defi', 'rust'];
    const tags = own.map((name, id) => ({ id: String(id), name }));
    const chosen = forumTags(tags, false, [samplePosting(1, { tags: own, matched: ['rust'] })]);
    expect(chosen).toEqual(['5', '0', '1', '2', '3']);
  });
  test('are left out if none matches and none is required', () => {
    expect(forumTags([{ id: '1', name: 'Cooking' }], false, [samplePosting()])).toEqual([]);
  });
});
