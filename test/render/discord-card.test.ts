// Cards and lists as people see them, and the data in their buttons.
import { describe, expect, test } from 'vitest';
import { postingRef } from '../../src/domain/edition.js';
import { cardLayout, cardText } from '../../src/render/discord/card.js';
import { cardId, parseCardId, pickId } from '../../src/render/discord/components.js';
import { renderMessage } from '../../src/render/discord/message.js';
import { COMPONENTS_V2 } from '../../src/render/discord/payload.js';
import { cardsIn, linksIn } from '../helpers/discord-cards.js';
import { sampleDelivery, samplePosting } from '../helpers/discord-delivery.js';

const options = { locale: 'en', source: 'Example Board', now: Date.parse('2026-01-07T09:00:00Z') };
const noon = Date.parse('2026-01-05T12:00:00Z') / 1000;
const CHANNEL = '123456789012345678';

describe('a card', () => {
  test('shows everything important, with the apply link beside it', () => {
    expect(cardLayout([samplePosting(7, { seenBefore: '2025-12-01' })], options)).toEqual([
      {
        type: 17,
        accent_color: 0x2f9e6e,
        components: [
          {
            type: 9,
            components: [
              {
                type: 10,
                content: [
                  '### Senior Rust Engineer 7',
                  '**Acme Labs** · Berlin, Germany · Remote · $80k - 120k',
                  'Build zero-knowledge provers with a small team.',
                  `-# \`Rust\` \`ZK\` · matches: Rust; names its pay · posted <t:${noon}:R> · seen before, first on 1 Dec 2025`,
                ].join('\n'),
              },
            ],
            accessory: {
              type: 2,
              style: 5,
              label: 'Apply',
              url: 'https://board.example/r/7__me?ref=a_b&x=7',
            },
          },
        ],
      },
      {
        type: 10,
        content: '-# via Example Board · Apply links carry attribution: use them exactly as they are.',
      },
    ]);
  });

  test('is valid for an empty posting', () => {
    expect(cardsIn({ components: cardLayout([{ key: 'id:1', matched: [] }], options) })).toEqual([
      { text: '### Untitled posting\n⚠️ No apply link was given.' },
    ]);
  });

  test('has no link for a posting with a bad link, and says so', () => {
    const { applyUrl: _link, ...rest } = samplePosting();
    const components = cardLayout([{ ...rest, badLink: true }], options);
    expect(cardsIn({ components })).toEqual([{ text: expect.stringContaining('⚠️ Apply link withheld') }]);
    expect(JSON.stringify(components)).not.toContain('https://');
    expect(JSON.stringify(components)).not.toContain('Apply links carry');
  });

  test.each([
    ['of an address without a dot', 'http://localhost:3000/r/1'],
    ['of an address in numbers', 'http://[::1]:80/r'],
    ['with braces', 'https://b.example/{id}'],
    ['of 513 characters', `https://board.example/${'x'.repeat(491)}`],
  ])('shows a link %s, which Discord refuses on a button, unaltered in the text', (_what, applyUrl) => {
    const [card] = cardsIn({ components: cardLayout([samplePosting(1, { applyUrl })], options) });
    expect(card).toEqual({ text: expect.stringContaining(`\nApply: <${applyUrl}>\n`) });
  });

  test('has a link of 512 characters on the button', () => {
    const applyUrl = `https://board.example/${'x'.repeat(490)}`;
    expect(linksIn({ components: cardLayout([samplePosting(1, { applyUrl })], options) })).toEqual([
      applyUrl,
    ]);
  });

  test("distinguishes the board's estimate from the employer's pay", () => {
    const { salary: _words, ...rest } = samplePosting();
    const estimatedPay = { min: 90_000, max: 120_000, currency: 'USD', unit: 'year' } as const;
    expect(cardText({ ...rest, estimatedPay }, options)).toContain('estimated by Example Board');
  });

  test('says that another member also announces the posting', () => {
    expect(cardText(samplePosting(1, { twice: true }), options)).toContain(
      '\n-# 👥 Posted twice: another member',
    );
  });

  test('never says that a posting comes from the future', () => {
    const text = cardText(samplePosting(1, { postedAt: '2026-01-07' }), options);
    expect(text).toContain(`<t:${options.now / 1000}:R>`);
  });

  test('is in the language of the subscription', () => {
    const words = JSON.stringify(cardLayout([samplePosting()], { ...options, locale: 'de' }));
    expect(words).toContain('über Example Board');
    expect(words).toContain('"Bewerben"');
  });

  test('treats no character in the name of the board as markup', () => {
    const words = JSON.stringify(cardLayout([samplePosting()], { ...options, source: '**Board** <@&1>' }));
    expect(words).toContain('via \\\\*\\\\*Board\\\\*\\\\* \\\\<\\\\@&1\\\\>');
  });
});

describe('a message of cards', () => {
  test('has the note once, and two buttons under each card', () => {
    const postings = [samplePosting(1), samplePosting(2)];
    const message = renderMessage(sampleDelivery(CHANNEL, { postings, edition: 'abc' }));
    expect(message.flags).toBe(COMPONENTS_V2);
    expect([message.content, message.embeds]).toEqual([undefined, undefined]);
    expect(JSON.stringify(message).match(/Apply links carry/gu)).toHaveLength(1);
    const boxes = message.components.filter((part) => part.type === 17);
    expect(boxes.map(({ components }) => components[1])).toEqual(
      [1, 2].map((n) => ({
        type: 1,
        components: [
          {
            type: 2,
            style: 2,
            label: 'Save',
            emoji: { name: '🔖' },
            custom_id: `m:save:abc:${postingRef(`id:${n}`)}`,
          },
          { type: 2, style: 2, label: '···', custom_id: `m:more:abc:${postingRef(`id:${n}`)}` },
        ],
      })),
    );
  });

  test('begins with the mention of the role', () => {
    const base = sampleDelivery(CHANNEL);
    const destination = { ...base.destination, options: { mention: '987654321098765432' } };
    const { components, allowed_mentions } = renderMessage({ ...base, destination });
    expect(components[0]).toEqual({ type: 10, content: '<@&987654321098765432>' });
    expect(allowed_mentions).toEqual({ parse: [], roles: ['987654321098765432'] });
  });

  test('says how many more there are, and where', () => {
    const more = { more: 12, moreUrl: 'https://crier.example/editions/x' };
    expect(renderMessage(sampleDelivery(CHANNEL, more)).components.at(-1)).toEqual({
      type: 10,
      content: expect.stringMatching(/^\[and 12 more\]\(<https:\/\/crier\.example\/editions\/x>\)\n-# via /u),
    });
  });
});

describe('a burst of an immediate delivery', () => {
  const postings = [1, 2, 3, 4, 5, 6].map((n) => samplePosting(n, n === 2 ? { title: '' } : {}));

  test('is one list with a menu that shows the details of a posting', () => {
    const message = renderMessage(sampleDelivery(CHANNEL, { postings }));
    expect(message.flags).toBeUndefined();
    expect(message.embeds?.[0]).toMatchObject({ title: 'Rust, remote' });
    expect(linksIn(message)).toEqual(postings.map(({ applyUrl }) => applyUrl));
    const [row] = message.components;
    const [menu] = row?.type === 1 ? row.components : [];
    expect(menu).toMatchObject({ type: 3, placeholder: 'Show details of a posting' });
    expect(menu?.type === 3 && menu.options.slice(0, 2)).toEqual([
      {
        label: 'Senior Rust Engineer 1',
        description: 'Acme Labs · Berlin, Germany',
        value: postingRef('id:1'),
      },
      { label: 'Untitled posting', description: 'Acme Labs · Berlin, Germany', value: postingRef('id:2') },
    ]);
  });
});

describe('a digest', () => {
  const digest = (fields: Parameters<typeof sampleDelivery>[1] = {}) =>
    renderMessage(
      sampleDelivery(CHANNEL, {
        every: 'weekly',
        from: Date.parse('2026-01-05T08:00:00Z'),
        slot: Date.parse('2026-01-12T08:00:00Z'),
        ...fields,
      }),
    );

  test('is one list, grouped by requested tag', () => {
    const postings = [
      samplePosting(1, { matched: ['rust'] }),
      samplePosting(2, { matched: ['solidity'], title: 'Auditor' }),
      samplePosting(3, { matched: ['rust'] }),
      samplePosting(4, { matched: [], tags: ['cooking'], title: 'Cook' }),
    ];
    expect(digest({ postings, more: 3 }).embeds).toEqual([
      {
        title: 'Rust, remote',
        description: [
          '-# 5–11 Jan · 7 new postings',
          '**Rust**',
          '- [Senior Rust Engineer 1](<https://board.example/r/1__me?ref=a_b&x=1>) · Acme Labs · Berlin, Germany · Remote · $80k - 120k',
          '- [Senior Rust Engineer 3](<https://board.example/r/3__me?ref=a_b&x=3>) · Acme Labs · Berlin, Germany · Remote · $80k - 120k',
          '**Solidity**',
          '- [Auditor](<https://board.example/r/2__me?ref=a_b&x=2>) · Acme Labs · Berlin, Germany · Remote · $80k - 120k',
          '**Other**',
          '- [Cook](<https://board.example/r/4__me?ref=a_b&x=4>) · Acme Labs · Berlin, Germany · Remote · $80k - 120k',
          'and 3 more',
        ].join('\n'),
        color: expect.any(Number),
        footer: { text: 'via Example Board · Apply links carry attribution: use them exactly as they are.' },
      },
    ]);
  });

  test('has the first words of a posting that has neither company, place nor pay', () => {
    const description = '<p>We *write* Rust.</p>';
    const [whole, bare] = [samplePosting(1, { description }), { title: 'Dev', description }];
    const postings = [whole, { key: 'id:2', matched: [], applyUrl: 'https://b.example/2', ...bare }];
    const text = digest({ postings }).embeds?.[0]?.description ?? '';
    expect(text.split('We \\*write\\* Rust.')).toHaveLength(2);
    expect(text).toContain('- [Dev](<https://b.example/2>) · We \\*write\\* Rust.');
  });

  test.each([
    'https://b.example/a(b)c',
    'https://b.example/a)b',
    'https://b.example/[x]',
    'https://b.example/a|b_c*',
  ])('keeps %s complete: masked where that is safe, otherwise plain', (applyUrl) => {
    const text =
      digest({ postings: [samplePosting(1, { applyUrl, title: 'Dev [a]' })] }).embeds?.[0]?.description ?? '';
    // The rule by which Discord's clients read a masked link.
    const masked = /\[((?:\\.|[^[\]\\])*)\]\(<([^<>()\s]*)>\)/u.exec(text);
    const bare = /<(https?:[^<>\s]*)>/u.exec(text);
    expect(text.includes('](') ? masked?.[2] : bare?.[1]).toBe(applyUrl);
  });
});

describe('the data in a button', () => {
  const edition = 'abcdefghijklmnopqrst';
  test('can be read from its custom_id', () => {
    const ref = postingRef('id:1');
    const card = { edition, ref };
    expect(parseCardId(cardId('dismiss', edition, ref))).toEqual({
      kind: 'mark',
      mark: 'dismissed',
      ...card,
    });
    expect(parseCardId(cardId('more', edition, ref))).toEqual({ kind: 'more', ...card });
    expect(parseCardId(cardId('why', edition, ref, CHANNEL))).toEqual({
      kind: 'why',
      ...card,
      message: CHANNEL,
    });
    expect(parseCardId(pickId(edition, 3))).toEqual({ kind: 'pick', edition, part: 3 });
    expect(['id:2', 'id:1'].map(postingRef)).toEqual([expect.not.stringMatching(ref), ref]);
    expect(cardId('applied', edition, ref, '1'.repeat(20)).length).toBeLessThanOrEqual(100);
  });

  test.each([
    '',
    'm',
    'm:save',
    'm:save:x',
    'm:eat:x:y',
    'm:pick:x:y',
    'm:save:x:y:z',
    'm:constructor:x:y',
    'other:save:x:y',
  ])('%j is not from a card', (id) => {
    expect(parseCardId(id)).toBeUndefined();
  });
});
