// What a chat of Telegram shows: cards with buttons, the list of a digest, and how an edition is split into messages.
import { describe, expect, test } from 'vitest';
import type { EditionPosting } from '../../src/domain/edition.js';
import type { Delivery, Sink } from '../../src/ports/sink.js';
import { packTelegram, renderTelegram } from '../../src/sinks/telegram/message.js';
import { contractDelivery, contractPosting } from './contract-data.js';

const CHAT = '-1001234567890';
const NOTE = 'Apply links carry attribution: use them exactly as they are.';

/** A posting with all that a card can show. */
const full = contractPosting(1, {
  tags: ['rust', 'go', 'zk', 'solidity', 'defi', 'nft', 'dao', 'web3'],
  applyBy: { day: '2026-02-01', words: 'by 1 February' },
  seenBefore: '2025-12-01',
  twice: true,
  also: [contractPosting(2, { location: 'Lisbon, Portugal' }), contractPosting(3, { location: 'Oslo' })],
});
const linkless: EditionPosting = { key: 'id:4', badLink: true, matched: [] };

const delivery = (fields: Partial<Delivery>) => contractDelivery({ name: 'telegram' } as Sink, CHAT, fields);
const weekly = (fields: Partial<Delivery>) =>
  delivery({ every: 'weekly', from: Date.parse('2025-12-29T09:00:00Z'), ...fields });
/** The lines of the postings of a digest. */
const linesOf = (fields: Partial<Delivery>) =>
  renderTelegram(weekly(fields)).text.split('\n\n')[1]?.split('\n');

describe('a card', () => {
  test('shows everything that is known, and has a button for each place', () => {
    expect(renderTelegram(delivery({ postings: [full] }))).toEqual({
      text: [
        '<b>Senior Rust Engineer 1</b>',
        'Acme Labs · Berlin, Germany · Remote',
        'also: Lisbon, Portugal; Oslo',
        '💰 $80k - 120k',
        'Build zero-knowledge provers with a small team.',
        '📅 “by 1 February”',
        '👥 Posted twice: another member’s subscription also posts it here, with a different link.',
        '<i>Rust, Go, Zk, Solidity, DeFi, NFT +2 · matches: Rust; names its pay · posted today · seen before, first on 1 Dec 2025</i>',
        '',
        `<i>via Example Board · ${NOTE}</i>`,
      ].join('\n'),
      buttons: [
        { text: 'Apply', url: full.applyUrl },
        { text: 'Lisbon, Portugal', url: full.also?.[0]?.applyUrl },
        { text: 'Oslo', url: full.also?.[1]?.applyUrl },
      ],
    });
  });

  test('without buttons has all its links in the text', () => {
    const { text, buttons } = renderTelegram(delivery({ postings: [full] }), true);
    expect(buttons).toEqual([]);
    const lines = text.split('\n');
    expect(lines[2]).toBe(
      'also: <a href="https://board.example/r/2__me?ref=a&amp;x=2">Lisbon, Portugal</a>; <a href="https://board.example/r/3__me?ref=a&amp;x=3">Oslo</a>',
    );
    expect(lines[8]).toBe('<a href="https://board.example/r/1__me?ref=a&amp;x=1">Apply</a>');
  });

  test('says why there is no link, and then needs no note about links', () => {
    expect(renderTelegram(delivery({ postings: [linkless] }))).toEqual({
      text: '<b>Untitled posting</b>\n⚠️ Apply link withheld: it is not a usable web address.\n\n<i>via Example Board</i>',
      buttons: [],
    });
  });

  test('of several is numbered, has no description, and its buttons name it', () => {
    const { text, buttons } = renderTelegram(
      delivery({ postings: [full, contractPosting(4), linkless], more: 3 }),
    );
    expect(text.split('\n\n').slice(1)).toEqual([
      '<b>2. Senior Rust Engineer 4</b>\nAcme Labs · Berlin, Germany · Remote\n💰 $80k - 120k\n<i>Rust, ZK · matches: Rust; names its pay · posted today</i>',
      '<b>3. Untitled posting</b>\n⚠️ Apply link withheld: it is not a usable web address.',
      'and 3 more',
      `<i>via Example Board · ${NOTE}</i>`,
    ]);
    expect(text).toMatch(/^<b>1\. Senior Rust Engineer 1<\/b>\n/u);
    expect(buttons.map((button) => button.text)).toEqual([
      '1. Senior Rust Engineer 1',
      '1. Lisbon, Portugal',
      '1. Oslo',
      '2. Senior Rust Engineer 4',
    ]);
  });

  test('cuts the words on a button, and never its address', () => {
    const long = contractPosting(1, {
      title: 'T'.repeat(80),
      applyUrl: `https://board.example/r/1?x=${'y'.repeat(200)}`,
      also: [contractPosting(2, { location: 'P'.repeat(80) })],
    });
    const { buttons } = renderTelegram(delivery({ postings: [long, contractPosting(4)] }));
    expect(buttons.map((button) => button.text)).toEqual([
      `1. ${'T'.repeat(45)}`,
      `1. ${'P'.repeat(45)}`,
      '2. Senior Rust Engineer 4',
    ]);
    expect(buttons[0]?.url).toBe(long.applyUrl);
  });

  test('leaves out what is not known', () => {
    const one = { key: 'id:5', title: 'Dev', applyUrl: 'https://board.example/r/5', matched: [] };
    expect(renderTelegram(delivery({ postings: [one] })).text).toBe(
      `<b>Dev</b>\n\n<i>via Example Board · ${NOTE}</i>`,
    );
    expect(renderTelegram(delivery({ postings: [{ ...one, company: 'Acme', tags: ['rust'] }] })).text).toBe(
      `<b>Dev</b>\nAcme\n<i>Rust</i>\n\n<i>via Example Board · ${NOTE}</i>`,
    );
  });
});

describe('a digest', () => {
  test('is a list under its filter, its period and its part', () => {
    const postings = [full, contractPosting(4), linkless];
    expect(renderTelegram(weekly({ postings, more: 3, part: 1, parts: 2 }))).toEqual({
      text: [
        '<b>Rust, remote</b>',
        '29 Dec 2025 – 4 Jan 2026 · 6 new postings · part 2 of 2',
        '',
        '• <a href="https://board.example/r/1__me?ref=a&amp;x=1">Senior Rust Engineer 1</a> · Acme Labs · Berlin, Germany · Remote · $80k - 120k · 📅 “by 1 February” · also: <a href="https://board.example/r/2__me?ref=a&amp;x=2">Lisbon, Portugal</a>; <a href="https://board.example/r/3__me?ref=a&amp;x=3">Oslo</a>',
        '• <a href="https://board.example/r/4__me?ref=a&amp;x=4">Senior Rust Engineer 4</a> · Acme Labs · Berlin, Germany · Remote · $80k - 120k',
        '• <b>Untitled posting</b> · ⚠️ Apply link withheld: it is not a usable web address.',
        '',
        'and 3 more',
        '',
        `<i>via Example Board · ${NOTE}</i>`,
      ].join('\n'),
      buttons: [],
    });
  });

  test('without a filter, of one part and with nothing more', () => {
    expect(renderTelegram(weekly({ postings: [linkless], about: '' })).text).toBe(
      [
        '<b>All postings</b>',
        '29 Dec 2025 – 4 Jan 2026 · 1 new posting',
        '',
        '• <b>Untitled posting</b> · ⚠️ Apply link withheld: it is not a usable web address.',
        '',
        '<i>via Example Board</i>',
      ].join('\n'),
    );
  });

  test('links to the page with the others, where there is one', () => {
    const { text } = renderTelegram(
      weekly({ postings: [linkless], more: 3, moreUrl: 'https://crier.example/e/1?a=1&b="2"' }),
    );
    expect(text.split('\n\n')[2]).toBe(
      '<a href="https://crier.example/e/1?a=1&amp;b=&quot;2&quot;">and 3 more</a>',
    );
  });

  test('cuts long words with an ellipsis, and no pair of surrogates in two', () => {
    const title = (text: string) =>
      linesOf({ postings: [{ key: 'id:6', title: text, matched: [], badLink: true }] });
    const bold = (text: string) => [expect.stringContaining(`• <b>${text}</b> · `)];
    expect(title('x'.repeat(110))).toEqual(bold('x'.repeat(110)));
    expect(title('x'.repeat(111))).toEqual(bold(`${'x'.repeat(109)}…`));
    expect(title(`${'x'.repeat(108)}🦀${'y'.repeat(9)}`)).toEqual(bold(`${'x'.repeat(108)}…`));
    expect(title(`${'x'.repeat(107)}🦀${'y'.repeat(9)}`)).toEqual(bold(`${'x'.repeat(107)}🦀…`));
    const about = renderTelegram(weekly({ postings: [linkless], about: 'a'.repeat(201) })).text;
    expect(about).toMatch(/^<b>a{199}…<\/b>\n/u);
  });

  test('makes no sign in a stranger’s words a command, a name or a tag, and leaves others alone', () => {
    const one: EditionPosting = {
      key: 'id:6',
      matched: [],
      badLink: true,
      title: 'C# /run @bob #1 5/day @ <&> "q"',
    };
    expect(linesOf({ postings: [one] })?.[0]).toContain(
      '• <b>C# /\u2060run @\u2060bob #\u20601 5/day @ &lt;&amp;&gt; &quot;q&quot;</b>',
    );
  });
});

describe('an edition is split', () => {
  const place = delivery({}).destination;
  const digestPlace = {
    ...place,
    cadence: { every: 'weekly', day: 'monday', at: '09:00', timezone: 'UTC' } as const,
  };
  const bare = (n: number): EditionPosting => ({ key: `id:${n}`, title: 'D', company: 'A', matched: [] });
  const many = (count: number, make = bare) => Array.from({ length: count }, (_, n) => make(n));
  const sizes = (...args: Parameters<typeof packTelegram>) =>
    packTelegram(...args).map(({ length }) => length);

  test('after 30 lines of a digest, and after 8 cards', () => {
    expect(sizes(many(61), digestPlace)).toEqual([30, 30, 1]);
    expect(sizes(many(17), place)).toEqual([8, 8, 1]);
  });

  test('where the text would be too long for a message', () => {
    // 100 signs of a company, 120 of a place, 100 of a pay and what joins them are cut to 240; the title to 110.
    const wide = (n: number) => ({
      ...bare(n),
      title: 't'.repeat(200),
      company: 'c'.repeat(100),
      location: 'l'.repeat(120),
      salary: 's'.repeat(100),
    });
    expect(sizes(many(20, wide), digestPlace)).toEqual([8, 8, 4]);
  });

  test('counts characters as Telegram does, without markup', () => {
    const marked = (n: number) => ({
      ...bare(n),
      applyUrl: `https://board.example/r/${n}?x=${'y'.repeat(1_000)}`,
    });
    expect(sizes(many(31, marked), digestPlace)).toEqual([30, 1]);
    const escaped = (n: number) => ({
      ...bare(n),
      title: '&'.repeat(60),
      applyUrl: 'https://board.example/r/1',
    });
    expect(sizes(many(31, escaped as typeof bare), digestPlace)).toEqual([30, 1]);
  });

  test('before a text has more links than Telegram reads', () => {
    const places = (n: number) => ({
      ...bare(n),
      applyUrl: `https://board.example/r/${n}`,
      also: many(31, (other) => ({
        ...bare(100 * n + other),
        location: 'X',
        applyUrl: 'https://board.example/r/9',
      })),
    });
    expect(packTelegram(many(3, places), digestPlace).map((part) => part.length)).toEqual([64, 32]);
  });
});
