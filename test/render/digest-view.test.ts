// What a digest shows and in which order: every posting once, the best first, and no statistics with too few samples.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EditionPosting } from '../../src/domain/edition.js';
import { picksOf, ranked } from '../../src/domain/ranking.js';
import type { Delivery } from '../../src/ports/sink.js';
import { renderChart, usualCount, weeklyCounts } from '../../src/render/chart.js';
import { groupPostings, sectionsOf } from '../../src/render/digest-groups.js';
import { type DigestView, digestView, summaryLine } from '../../src/render/digest-view.js';
import { SAMPLE_LINKS, sampleDelivery, samplePostings, sampleWeeks } from '../../src/render/samples.js';
import { anyCharacter } from '../helpers/any-character.js';

const NOW = Date.UTC(2026, 10, 23, 8);
const DAY = 86_400_000;
const WEEK = 7 * DAY;
const options = { now: NOW, links: SAMPLE_LINKS };
const groupsOf = (list: readonly EditionPosting[]) => groupPostings(ranked(list, NOW));

function posting(n: number, fields: Partial<EditionPosting> = {}): EditionPosting {
  return {
    key: `id:${n}`,
    title: `Posting ${n}`,
    matched: ['rust'],
    applyUrl: `https://b.example/r/${n}`,
    ...fields,
  };
}

const paid = (n: number, min: number, max: number, currency = 'USD') =>
  posting(n, { pay: { min, max, currency, unit: 'year' } });

describe('the summary', () => {
  test('counts, and shows the median of the pay that employers disclosed', () => {
    const list = [100, 120, 140, 160, 180].map((k, n) => paid(n, k * 1000, k * 1000));
    const remote = list.map((one, n) => ({ ...one, remote: n < 3 }));
    expect(summaryLine(remote, 37, 'en')).toBe('37 new, 3 remote, median disclosed pay $140k');
    expect(summaryLine(remote, 37, 'de')).toBe('37 neu, 3 remote, Median der Gehaltsangaben $140k');
    // The number of postings is elsewhere.
    expect(summaryLine(remote, undefined, 'en')).toBe('3 of them remote, median disclosed pay $140k');
    expect(summaryLine(remote, undefined, 'de')).toBe('3 davon remote, Median der Gehaltsangaben $140k');
  });

  test('shows no statistics with fewer than five samples', () => {
    const four = [1, 2, 3, 4].map((n) => ({ ...paid(n, 100_000, 100_000), remote: true }));
    expect(summaryLine(four, 4, 'en')).toBe('4 new');
    expect(summaryLine(four, undefined, 'en')).toBeNull();
  });

  test("uses the middle of a range, and mixes neither currencies nor the board's estimates", () => {
    const list = [1, 2, 3, 4, 5].map((n) => paid(n, 100_000, 140_000));
    const more = [
      paid(6, 10, 10, 'EUR'),
      posting(7, { estimatedPay: { min: 1, max: 1, currency: 'USD', unit: 'year' } }),
    ];
    expect(summaryLine([...list, ...more], 7, 'en')).toBe('7 new, median disclosed pay $120k');
  });

  test('is for the period that was disclosed', () => {
    const list = [1, 2, 3, 4, 5].map((n) =>
      posting(n, { pay: { min: 5000, max: 5000, currency: 'EUR', unit: 'month' } }),
    );
    expect(summaryLine(list, 5, 'en')).toBe('5 new, median disclosed pay €5k/month');
  });
});

describe('groups', () => {
  test('are by wanted tag, the largest first, and those without one last', () => {
    const groups = groupsOf([
      posting(1, { matched: [] }),
      posting(2),
      posting(3, { matched: ['solidity'] }),
      posting(4),
    ]);
    expect(groups.map(({ tag }) => tag)).toEqual(['rust', 'solidity', undefined]);
  });

  test('have the best first: recent, with pay, with more of what is wanted', () => {
    const day = (days: number) => new Date(NOW - days * DAY).toISOString().slice(0, 10);
    const [group] = groupsOf([
      posting(1, { postedAt: day(13) }),
      posting(2, { postedAt: day(1) }),
      posting(3, { postedAt: day(1), salary: '$100k' }),
      posting(4, { postedAt: day(1), salary: '$100k', matched: ['rust', 'solidity'] }),
    ]);
    expect(group?.postings.map(({ key }) => key)).toEqual(['id:4', 'id:3', 'id:2', 'id:1']);
  });

  test('show three of a company in the whole digest, and the others behind "more from"', () => {
    const acme = [1, 2, 3, 4, 5].map((n) =>
      posting(n, { company: n % 2 ? 'Acme' : 'ACME', matched: [n < 4 ? 'rust' : 'solidity'] }),
    );
    const groups = groupsOf([...acme, posting(6, { company: 'Other' })]);
    expect(
      groups.flatMap(({ postings }) => postings).filter(({ company }) => /acme/iu.test(company ?? '')),
    ).toHaveLength(3);
    expect(groups.flatMap(({ rest }) => rest.flatMap(({ postings }) => postings))).toHaveLength(2);
  });

  test('do not treat postings without a company as one company', () => {
    const [group] = groupsOf([1, 2, 3, 4, 5, 6].map((n) => posting(n)));
    expect(group?.postings).toHaveLength(6);
    expect(group?.rest).toEqual([]);
  });

  test('lose and repeat nothing for any input', () => {
    const one = fc.record({
      company: fc.option(fc.constantFrom('Acme', 'acme', 'Basalt', ''), { nil: undefined }),
      matched: fc.subarray(['rust', 'solidity', 'protocol']),
      tags: fc.option(fc.subarray(['rust', 'defi', 'odd']), { nil: undefined }),
      postedAt: fc.option(fc.constantFrom('2026-11-20', '2026-01-01', '2030-01-01', 'never'), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (list) => {
        const given = list.map((fields, n) => posting(n, fields as Partial<EditionPosting>));
        const groups = groupsOf(given);
        const out = groups.flatMap(({ postings, rest }) => [
          ...postings,
          ...rest.flatMap((more) => more.postings),
        ]);
        expect(out.map(({ key }) => key).sort()).toEqual(given.map(({ key }) => key).sort());
      }),
    );
  });
});

describe('sections', () => {
  const rows = (list: readonly EditionPosting[]) =>
    sectionsOf(ranked(list, NOW), []).map(({ by, name, postings }) => [
      by,
      name,
      postings.map(({ key }) => key),
    ]);
  const day = (days: number) => new Date(NOW - days * DAY).toISOString().slice(0, 10);

  test('are by tag, the largest first; those of one posting together at the end', () => {
    const tags = ['solidity', 'rust', 'rust', 'rust', 'solidity', 'defi', ''];
    expect(rows(tags.map((tag, n) => posting(n, { matched: tag ? [tag] : [] })))).toEqual([
      ['tag', 'rust', ['id:1', 'id:2', 'id:3']],
      ['tag', 'solidity', ['id:0', 'id:4']],
      ['rest', '', ['id:5', 'id:6']],
    ]);
  });

  test('are by day when all have the same tag, the newest first', () => {
    const days = [1, 0, 0, 1, 0, 1, 5, 5];
    expect(rows(days.map((ago, n) => posting(n, { postedAt: day(ago) })))).toEqual([
      ['day', day(0), ['id:1', 'id:2', 'id:4']],
      ['day', day(1), ['id:0', 'id:3', 'id:5']],
      ['rest', '', ['id:6', 'id:7']],
    ]);
  });

  test.each([
    ['of fewer than five rows', ['rust', 'rust', 'defi', 'defi'].map((tag) => ({ matched: [tag] }))],
    ['of one day and tag', Array.from({ length: 9 }, () => ({ postedAt: day(1) }))],
  ])('%s are one list', (_what, fields) => {
    expect(rows(fields.map((one, n) => posting(n, one))).map(([by]) => by)).toEqual(['rest']);
  });

  test('have one for a company with more than three postings, picks included', () => {
    const acme = [1, 2, 3, 4, 5, 6].map((n) => posting(n, { company: n % 2 ? 'Acme' : 'ACME' }));
    const other = [7, 8, 9, 10, 11].map((n) => posting(n, { company: `Other ${n}` }));
    const list = [...acme, ...other];
    const best = ranked(list, NOW);
    const picks = picksOf(best);
    const sections = sectionsOf(best, picks);
    const last = sections.at(-1)!;
    expect([last.by, last.name.toLowerCase(), last.postings.length]).toEqual(['company', 'acme', 3]);
  });

  test('lose and repeat nothing besides the picks for any input', () => {
    const one = fc.record({
      company: fc.option(fc.constantFrom('Acme', 'acme', 'Basalt', ''), { nil: undefined }),
      matched: fc.subarray(['rust', 'solidity', 'protocol']),
      tags: fc.option(fc.subarray(['rust', 'defi', 'odd']), { nil: undefined }),
      postedAt: fc.option(fc.constantFrom('2026-11-20', '2026-11-21', '2030-01-01', 'never'), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (list) => {
        const given = list.map((fields, n) => posting(n, fields as Partial<EditionPosting>));
        const { picks, sections } = digestView({ ...sampleDelivery(), postings: given }, options);
        const out = [picks, ...sections].flatMap(({ cards }) => cards.map(({ link }) => link));
        expect(out.sort()).toEqual(given.map(({ applyUrl }) => applyUrl).sort());
        for (const { title, cards } of sections) {
          expect(title).not.toBe('');
          expect(cards.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe('the subject', () => {
  const subject = (fields: Partial<EditionPosting>, more: Partial<Delivery> = {}) =>
    digestView({ ...sampleDelivery(), postings: [posting(1, fields)], ...more }, options).subject;
  const pay = { min: 170_000, max: 210_000, currency: 'USD', unit: 'year' } as const;

  test('begins with the best posting and says how many more there are', () => {
    const staff = { title: 'Staff Rust Engineer', company: 'Cobalt', pay };
    expect(subject(staff, { more: 9 })).toBe('Staff Rust Engineer at Cobalt, $170k–210k + 9 more');
    expect(subject(staff, { more: 9, locale: 'de' })).toBe(
      'Staff Rust Engineer bei Cobalt, $170k–210k + 9 weitere',
    );
    expect(subject(staff)).toBe('Staff Rust Engineer at Cobalt, $170k–210k');
    expect(subject({ title: 'Staff Rust Engineer', pay }, { more: 1 })).toBe(
      'Staff Rust Engineer, $170k–210k + 1 more',
    );
    expect(subject({ title: 'Cook', company: 'Cobalt', salary: 'Competitive' })).toBe('Cook at Cobalt');
    expect(subject({ title: '' })).toBe('Untitled posting');
    // The board's estimate is not what the employer pays.
    expect(subject({ title: 'Cook', estimatedPay: pay })).toBe('Cook');
  });

  test('differs for two editions of the same subscription', () => {
    expect(subject({ title: 'One' })).not.toBe(subject({ title: 'Two' }));
  });

  test('is one line of at most 90 characters, cut at a word, and keeps the number', () => {
    const long = {
      title: 'Principal Engineer for Distributed Systems and Everything Else',
      company: 'Cobalt',
      pay,
    };
    expect(subject(long, { more: 49 })).toBe(
      'Principal Engineer for Distributed Systems and Everything… at Cobalt, $170k–210k + 49 more',
    );
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 120 }),
        fc.string({ unit: anyCharacter, maxLength: 60 }),
        fc.constantFrom(pay, undefined),
        fc.nat({ max: 500 }),
        (title, company, paid, more) => {
          const line = subject(
            { title, company, ...(paid ? { pay: paid } : {}) },
            { more, part: 1, parts: 12 },
          );
          expect(line.length).toBeLessThanOrEqual(90);
          expect(line).not.toMatch(/[\p{Cc}\p{Cs}]/u);
          if (more > 0) expect(line).toContain(`+ ${more} more`);
        },
      ),
    );
  });
});

describe('repetition', () => {
  /** What a reader sees of a view, in order. */
  const said = ({ headline, summary, picks, sections, chart, via, why, part }: DigestView) =>
    [
      ...[via, part, headline, summary, picks.title],
      ...picks.cards.flatMap(({ title, meta, pay, snippet, details, remark }) => [
        ...[title, meta, pay, snippet, details, remark],
      ]),
      ...sections.flatMap(({ title, cards }) => [title, ...cards.flatMap((card) => [card.title, card.line])]),
      ...[chart?.text, why],
    ].filter((text) => typeof text === 'string');
  const times = (view: DigestView, pattern: RegExp) => said(view).filter((text) => pattern.test(text)).length;

  test.each([
    ['with a chart', sampleWeeks()],
    ['without one', []],
  ])('%s the number of postings is in one place', (_what, weeks) => {
    const view = digestView(sampleDelivery(), { ...options, weeks });
    expect(times(view, /\b10\b/u)).toBe(1);
    expect(view.chart?.text ?? view.summary).toMatch(/^10 /u);
  });

  test('names the rule only at the end, and not in the preheader', () => {
    const view = digestView(sampleDelivery(), options);
    expect(times(view, /Solidity or Rust/u)).toBe(1);
    expect(said(view).at(-1)).toContain('Solidity or Rust');
    expect(view.preheader).not.toContain('Solidity or Rust');
  });

  test('does not repeat a heading below it', () => {
    const fields = (n: number) => ({
      company: 'Acme',
      tags: ['rust', 'defi'],
      postedAt: new Date(NOW - (n % 3) * DAY).toISOString().slice(0, 10),
    });
    const list = Array.from({ length: 12 }, (_, n) => posting(n, fields(n)));
    const { sections, groups } = digestView({ ...sampleDelivery(), postings: list }, options);
    const company = sections.find(({ title }) => title === 'More from Acme');
    expect(company?.cards[0]?.line).toMatch(/^(?:today|yesterday|2 days ago)$/u);
    const several = [...list, ...[20, 21].map((n) => posting(n, { ...fields(n), matched: ['solidity'] }))];
    const days = digestView(
      {
        ...sampleDelivery(),
        postings: Array.from({ length: 16 }, (_, n) => posting(n, { ...fields(n), company: `Firm ${n}` })),
      },
      options,
    ).sections;
    expect(days.map(({ title }) => title.replace(',', ''))).toEqual([
      'Monday 23 November',
      'Sunday 22 November',
      'Saturday 21 November',
    ]);
    expect(days[0]?.cards[0]?.line).toMatch(/^Firm \d+$/u);
    expect(groups[0]?.title).toBeNull();
    const [rust] = digestView({ ...sampleDelivery(), postings: several }, options).groups;
    expect([rust?.title, rust?.cards.at(-1)?.tags]).toEqual(['Rust', 'DeFi']);
  });

  test('names the reason of a card, and not again among its tags', () => {
    const one = posting(1, {
      matched: ['rust'],
      tags: ['rust', 'zero-knowledge'],
      fit: { score: 80, reasons: [{ term: 'level', values: ['senior', 'staff'] }, { saved: 3 }] },
    });
    const cardOf = (of: EditionPosting, locale = 'en') =>
      digestView({ ...sampleDelivery(), locale, postings: [of] }, options).picks.cards[0];
    const { fit: _none, ...plain } = one;
    expect(cardOf({ ...plain, salary: '100k' })).toMatchObject({
      tags: 'ZK',
      remark: 'Matches: Rust; names its pay',
    });
    expect(cardOf(one)).toMatchObject({
      tags: 'Rust · ZK',
      remark: 'Matches: senior or staff; like 3 of your saved postings',
    });
    expect([cardOf(one, 'de')?.remark, cardOf(one, 'es')?.remark]).toEqual([
      'Passt: Senior oder Staff; ähnlich wie 3 deiner gemerkten Stellen',
      'Coincide: de nivel sénior o staff; parecida a 3 de tus ofertas guardadas',
    ]);
    const [bare] = digestView({ ...sampleDelivery(), postings: [posting(1, { matched: [] })] }, options).picks
      .cards;
    expect(bare?.remark).toBeNull();
  });
});

describe('the view', () => {
  const shown = ({ picks, sections }: DigestView) =>
    [picks, ...sections].map(({ title, cards }) => [title, cards.map((card) => card.title)]);

  test('has picks first, then rows by tag', () => {
    expect(shown(digestView(sampleDelivery(), options))).toEqual([
      ['Best matches', ['Senior Solidity Engineer', 'Smart Contract Auditor', 'Protocol Engineer (Rust)']],
      ['Rust', ['Zero-Knowledge Researcher', 'Rust Developer, Light Clients', 'Rust Developer, Networking']],
      ['Solidity', ['DeFi Backend Engineer', 'Junior Solidity Developer']],
      ['Also', ['Community Manager', 'Untitled posting']],
    ]);
  });

  test('has the same picks when its page is opened weeks later', () => {
    const delivery = { ...sampleDelivery(), postings: samplePostings().toReversed() };
    const week = digestView(delivery, options);
    const later = digestView(delivery, { ...options, now: NOW + 4 * WEEK });
    expect(shown(later)).toEqual(shown(week));
  });

  test('of up to three postings has only picks, without a heading', () => {
    const view = digestView({ ...sampleDelivery(), postings: samplePostings().slice(0, 3) }, options);
    expect([view.picks.title, view.picks.cards.length, view.sections]).toEqual([null, 3, []]);
  });

  test('shows a description only for picks, and pay in short with the original words', () => {
    const { picks, sections } = digestView(sampleDelivery(), options);
    expect(picks.cards[0]).toMatchObject({
      pay: '$140k–180k + tokens',
      payWords: '$140,000 - $180,000 plus tokens',
      snippet: expect.stringMatching(/^Write and test the contracts/u),
    });
    expect(picks.cards[0]?.plain).toContain('$140k–180k + tokens ($140,000 - $180,000 plus tokens)');
    const rows = sections.flatMap(({ cards }) => cards);
    expect(rows.map(({ snippet }) => snippet).filter(Boolean)).toEqual([]);
    expect(rows.find(({ title }) => title === 'DeFi Backend Engineer')).toMatchObject({
      line: 'Tidewater · Bengaluru, India · ₹30L–45L · 6 days ago',
    });
  });

  test('shows the first words of a posting in its row when only its title is known', () => {
    const description = 'Run the validators of a small network.';
    const bare = { key: 'id:bare', title: 'Node Operator', matched: [], description };
    const postings = [...samplePostings().slice(0, 8), { ...bare, applyUrl: 'https://jobs.example.org/r/b' }];
    const { sections } = digestView({ ...sampleDelivery(), postings }, options);
    const told = sections.flatMap(({ cards }) => cards).filter(({ snippet }) => snippet !== null);
    expect(told).toMatchObject([{ title: 'Node Operator', snippet: description, line: null }]);
    expect(told[0]?.plainRow).toBe(`Node Operator\n${description}\nhttps://jobs.example.org/r/b`);
  });

  test('counts what is over the cap, and links to the whole edition', () => {
    const view = digestView({ ...sampleDelivery(), more: 38 }, options);
    expect(view.title).toBe('48 new postings');
    expect(view.subject).toContain('+ 47 more');
    expect(view.rest).toEqual({ text: 'and 38 more', url: SAMPLE_LINKS.browser });
    expect(digestView(sampleDelivery(), options).rest).toBeNull();
  });

  test('computes its statistics from the whole edition, including what is over the cap', () => {
    const list = [1, 2, 3, 4, 5, 6].map((n) => ({ ...paid(n, n * 20_000, n * 20_000), remote: n > 2 }));
    const delivery = { ...sampleDelivery(), postings: list.slice(0, 2), more: 4, all: list };
    expect(digestView(delivery, options).summary).toBe('6 new, 4 remote, median disclosed pay $70k');
  });

  test('has the same statistics in each part, and says which part it is', () => {
    const list = [1, 2, 3, 4, 5, 6].map((n) => ({ ...paid(n, n * 20_000, n * 20_000), remote: n > 2 }));
    const views = [0, 1, 2].map((part) =>
      digestView(
        { ...sampleDelivery(), postings: list.slice(2 * part, 2 * part + 2), all: list, part, parts: 3 },
        options,
      ),
    );
    for (const [part, view] of views.entries()) {
      expect(view.summary).toBe('6 new, 4 remote, median disclosed pay $70k');
      expect(view.title).toBe('6 new postings');
      expect(view.subject).toMatch(new RegExp(`\\+ 5 more \\(part ${part + 1} of 3\\)$`, 'u'));
      expect(view.part).toBe(`part ${part + 1} of 3`);
    }
  });

  test('has a preheader with the next two titles and the count of the week', () => {
    const preheader = (more: object, weeks = sampleWeeks()) =>
      digestView({ ...sampleDelivery(), ...more }, { ...options, weeks }).preheader;
    expect(preheader({})).toBe(
      'Smart Contract Auditor · Protocol Engineer (Rust) · 10 this week, usually 14',
    );
    expect(preheader({ postings: samplePostings().slice(0, 1) })).toMatch(
      /^Berlin, Germany · Remote · Write and test the contracts/u,
    );
  });

  test('has a preheader of 40 to 110 characters for any title', () => {
    for (const title of ['x', 'A'.repeat(500), '', '日本語'.repeat(100)]) {
      for (const postings of [[posting(1, { title })], [1, 2, 3].map((n) => posting(n, { title }))]) {
        const { preheader } = digestView({ ...sampleDelivery(), postings }, options);
        expect(preheader.length, title).toBeGreaterThanOrEqual(40);
        expect(preheader.length, title).toBeLessThanOrEqual(110);
      }
    }
  });

  test('keeps every apply link byte for byte', () => {
    const applyUrl = 'https://b.example/r/a%20b__p?x=1&y=ü&z=%C3%BC#t';
    const list = Array.from({ length: 7 }, (_, n) => posting(n, { applyUrl: `${applyUrl}${n}` }));
    const view = digestView({ ...sampleDelivery(), postings: list }, options);
    const links = [view.picks, ...view.sections].flatMap(({ cards }) => cards.map(({ link }) => link));
    expect(links.sort()).toEqual(list.map((one) => one.applyUrl));
  });
});

describe('the chart', () => {
  const matched = (since: number, ages: readonly number[]) => ({
    since: NOW - since * DAY,
    counts: ages.map((days) => [NOW - days * DAY, 1] as const),
  });

  test('counts whole weeks, oldest first', () => {
    expect(weeklyCounts(matched(30, [29, 27, 20, 19, 6, 1, 0.5, 0]), NOW)).toEqual([
      { from: NOW - 4 * WEEK, count: 1 },
      { from: NOW - 3 * WEEK, count: 2 },
      { from: NOW - 2 * WEEK, count: 0 },
      { from: NOW - 1 * WEEK, count: 3 },
    ]);
  });

  test('is left out with less than three weeks of history, and covers twelve at most', () => {
    expect(weeklyCounts(matched(20, [3, 2, 1]), NOW)).toEqual([]);
    expect(weeklyCounts(matched(21, [3]), NOW)).toHaveLength(3);
    expect(weeklyCounts(matched(89, [3]), NOW)).toHaveLength(12);
    expect(digestView(sampleDelivery(), options).chart).toBeNull();
  });

  const ACCENT = '#3f4fd6';
  const weeks = (...counts: number[]) => counts.map((count, n) => ({ from: NOW + n * WEEK, count }));
  const chart = (...counts: number[]) =>
    digestView(sampleDelivery(), { ...options, weeks: weeks(...counts) }).chart;

  test('compares the week with the usual one, in a sentence', () => {
    expect(chart(30, 28, 10, 26)?.text).toBe('26 this week, usually 28');
    expect(chart(30, 27, 26)?.text).toBe('26 this week, usually 29');
    expect(usualCount(weeks(1, 100, 2, 5))).toBe(2);
  });

  test('is left out when it shows nothing: under three weeks, or all the same', () => {
    expect(chart(4, 4, 4, 4)).toBeNull();
    expect(chart(4, 5)).toBeNull();
    expect(chart(4, 4, 5)).not.toBeNull();
  });

  test('labels the last week and the highest one, once when they are the same', () => {
    const figures = (...counts: number[]) => renderChart(weeks(...counts), ACCENT).match(/<g /gu)?.length;
    expect(figures(3, 9, 7)).toBe(2);
    expect(figures(3, 7, 9)).toBe(1);
  });

  test('draws a bar per week, also an empty one, and no text', () => {
    const svg = renderChart(weeks(3, 0, 7), ACCENT);
    expect(svg.match(/rx="3"/gu)).toHaveLength(3);
    expect(svg).not.toMatch(/<text|NaN|Infinity|undefined/u);
    expect(renderChart(weeks(1234567890, 5, 1234567890), ACCENT)).not.toMatch(/translate\(-|undefined|NaN/u);
    expect(
      renderChart(
        [0, 0, 0].map((count) => ({ from: 0, count })),
        ACCENT,
      ),
    ).not.toContain('NaN');
  });
});
