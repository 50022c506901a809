// A card and a digest as people see them, and the state their buttons carry.
import { describe, expect, test } from 'vitest';
import { cardEmbed } from '../../src/render/discord/card.js';
import { markId, parseCardId, pickId, postingRef } from '../../src/render/discord/components.js';
import { renderMessage } from '../../src/render/discord/message.js';
import { sampleDelivery, samplePosting } from '../helpers/discord-delivery.js';

const options = { locale: 'en', source: 'Example Board', now: Date.parse('2026-01-07T09:00:00Z') };
const noon = Date.parse('2026-01-05T12:00:00Z') / 1000;

describe('a card', () => {
  test('says everything worth knowing, with the title as the apply link', () => {
    expect(cardEmbed(samplePosting(7, { seenBefore: '2025-12-01' }), options)).toEqual({
      author: { name: 'Acme Labs' },
      title: 'Senior Rust Engineer 7',
      url: 'https://board.example/r/7__me?ref=a_b&x=7',
      description: [
        '📍 Berlin, Germany · Remote   💰 $80k - 120k',
        'Build zero-knowledge provers with a small team.',
        `-# \`Rust\` \`ZK\` · matched Rust · posted <t:${noon}:R> · seen before, first on 1 Dec 2025`,
      ].join('\n'),
      color: expect.any(Number),
      footer: { text: 'via Example Board' },
    });
  });

  test('of an empty posting is still a card', () => {
    expect(cardEmbed({ key: 'id:1', matched: [] }, options)).toMatchObject({
      title: 'Untitled posting',
      description: '⚠️ No apply link was given.',
    });
  });

  test('of a posting with a bad link has no link and says so', () => {
    const { applyUrl: _link, ...rest } = samplePosting();
    const card = cardEmbed({ ...rest, badLink: true }, options);
    expect(card.url).toBeUndefined();
    expect(card.description).toContain('⚠️ Apply link withheld');
    expect(JSON.stringify(card)).not.toContain('https://');
  });

  test.each(['http://localhost:3000/r/1', 'http://[::1]:80/r', 'https://b.example/{id}'])(
    'of a link Discord refuses in an embed (%s) shows it by itself, unaltered',
    (applyUrl) => {
      const card = cardEmbed(samplePosting(1, { applyUrl }), options);
      expect(card.url).toBeUndefined();
      expect(card.description).toContain(`<${applyUrl}>`);
    },
  );

  test('tells the board’s guess from the employer’s word', () => {
    const { salary: _words, ...rest } = samplePosting();
    const card = cardEmbed(
      { ...rest, estimatedPay: { min: 90_000, max: 120_000, currency: 'USD', unit: 'year' } },
      options,
    );
    expect(card.description).toContain('estimated by Example Board');
  });

  test('never says a posting comes from the future', () => {
    const card = cardEmbed(samplePosting(1, { postedAt: '2026-01-07' }), options);
    expect(card.description).toContain(`<t:${options.now / 1000}:R>`);
  });

  test('speaks the language of the subscription', () => {
    expect(cardEmbed(samplePosting(), { ...options, locale: 'de' }).footer?.text).toBe('über Example Board');
  });
});

describe('a message of cards', () => {
  test('carries the note once, three buttons for one posting', () => {
    const message = renderMessage(sampleDelivery('123456789012345678'));
    expect(JSON.stringify(message).match(/Apply links carry/gu)).toHaveLength(1);
    expect(message.components[0]?.components.map((item) => 'label' in item && item.label)).toEqual([
      'Save',
      'Applied',
      'Not for me',
    ]);
    expect(message.content).toBeUndefined();
  });

  test('has a menu for several', () => {
    const postings = [samplePosting(1), samplePosting(2, { title: '' })];
    const [menu] =
      renderMessage(sampleDelivery('123456789012345678', { postings })).components[0]?.components ?? [];
    expect(menu).toMatchObject({
      type: 3,
      options: [
        {
          label: 'Senior Rust Engineer 1',
          description: 'Acme Labs · Berlin, Germany',
          value: postingRef('id:1'),
        },
        { label: 'Untitled posting', value: postingRef('id:2') },
      ],
    });
  });

  test('says how many more there are, and where', () => {
    const more = { more: 12, moreUrl: 'https://crier.example/editions/x' };
    expect(renderMessage(sampleDelivery('123456789012345678', more)).content).toBe(
      'and 12 more: <https://crier.example/editions/x>',
    );
  });
});

describe('a digest', () => {
  const digest = (fields: Parameters<typeof sampleDelivery>[1] = {}) =>
    renderMessage(
      sampleDelivery('123456789012345678', {
        every: 'weekly',
        from: Date.parse('2026-01-05T08:00:00Z'),
        slot: Date.parse('2026-01-12T08:00:00Z'),
        ...fields,
      }),
    );

  test('is one list, grouped by the tag that was asked for', () => {
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

  test.each([
    'https://b.example/a(b)c',
    'https://b.example/a)b',
    'https://b.example/[x]',
    'https://b.example/a|b_c*',
  ])('keeps %s whole: masked where that is safe, else by itself', (applyUrl) => {
    const text =
      digest({ postings: [samplePosting(1, { applyUrl, title: 'Dev [a]' })] }).embeds[0]?.description ?? '';
    // The rule by which Discord's clients read a masked link.
    const masked = /\[((?:\\.|[^[\]\\])*)\]\(<([^<>()\s]*)>\)/u.exec(text);
    const bare = /<(https?:[^<>\s]*)>/u.exec(text);
    expect(text.includes('](') ? masked?.[2] : bare?.[1]).toBe(applyUrl);
  });
});

describe('the state of a button', () => {
  const edition = 'abcdefghijklmnopqrst';
  test('comes back from its custom_id', () => {
    const ref = postingRef('id:1');
    expect(parseCardId(markId('dismiss', edition, ref))).toEqual({
      kind: 'mark',
      mark: 'dismissed',
      edition,
      ref,
    });
    expect(parseCardId(pickId(edition, 3))).toEqual({ kind: 'pick', edition, part: 3 });
    expect(['id:2', 'id:1'].map(postingRef)).toEqual([expect.not.stringMatching(ref), ref]);
    expect(markId('dismiss', edition, ref).length).toBeLessThanOrEqual(100);
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
  ])('%j is no card’s', (id) => {
    expect(parseCardId(id)).toBeUndefined();
  });
});
