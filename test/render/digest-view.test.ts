// What a digest says and in which order: every posting once, the best first, no figure that rests on too little.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EditionPosting } from '../../src/domain/edition.js';
import { renderChart, weeklyCounts } from '../../src/render/chart.js';
import { groupPostings } from '../../src/render/digest-groups.js';
import { digestView, summaryLine } from '../../src/render/digest-view.js';
import { SAMPLE_LINKS, sampleDelivery } from '../../src/render/samples.js';

const NOW = Date.UTC(2026, 10, 23, 8);
const DAY = 86_400_000;
const WEEK = 7 * DAY;
const options = { now: NOW, links: SAMPLE_LINKS };

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
  test('counts, and names the median of what employers disclosed', () => {
    const list = [100, 120, 140, 160, 180].map((k, n) => paid(n, k * 1000, k * 1000));
    const remote = list.map((one, n) => ({ ...one, remote: n < 3 }));
    expect(summaryLine(remote, 37, 'en')).toBe('37 new, 3 remote, median disclosed pay $140k / year');
    expect(summaryLine(remote, 37, 'de')).toBe('37 neu, 3 remote, Median der Gehaltsangaben $140k / Jahr');
  });

  test('names no figure under five samples', () => {
    const four = [1, 2, 3, 4].map((n) => ({ ...paid(n, 100_000, 100_000), remote: true }));
    expect(summaryLine(four, 4, 'en')).toBe('4 new');
  });

  test('takes the middle of a range, and never mixes currencies or the board’s guesses in', () => {
    const list = [1, 2, 3, 4, 5].map((n) => paid(n, 100_000, 140_000));
    const more = [
      paid(6, 10, 10, 'EUR'),
      posting(7, { estimatedPay: { min: 1, max: 1, currency: 'USD', unit: 'year' } }),
    ];
    expect(summaryLine([...list, ...more], 7, 'en')).toBe('7 new, median disclosed pay $120k / year');
  });

  test('is for the period that was disclosed', () => {
    const list = [1, 2, 3, 4, 5].map((n) =>
      posting(n, { pay: { min: 5000, max: 5000, currency: 'EUR', unit: 'month' } }),
    );
    expect(summaryLine(list, 5, 'en')).toBe('5 new, median disclosed pay €5k / month');
  });
});

describe('groups', () => {
  test('by wanted tag, the largest first, those without one last', () => {
    const groups = groupPostings(
      [posting(1, { matched: [] }), posting(2), posting(3, { matched: ['solidity'] }), posting(4)],
      NOW,
    );
    expect(groups.map(({ tag }) => tag)).toEqual(['rust', 'solidity', undefined]);
  });

  test('the best first: fresh, with pay, with more of what is wanted', () => {
    const day = (days: number) => new Date(NOW - days * DAY).toISOString().slice(0, 10);
    const [group] = groupPostings(
      [
        posting(1, { postedAt: day(13) }),
        posting(2, { postedAt: day(1) }),
        posting(3, { postedAt: day(1), salary: '$100k' }),
        posting(4, { postedAt: day(1), salary: '$100k', matched: ['rust', 'solidity'] }),
      ],
      NOW,
    );
    expect(group?.postings.map(({ key }) => key)).toEqual(['id:4', 'id:3', 'id:2', 'id:1']);
  });

  test('three of a company over the whole digest, the others behind "more from"', () => {
    const acme = [1, 2, 3, 4, 5].map((n) =>
      posting(n, { company: n % 2 ? 'Acme' : 'ACME', matched: [n < 4 ? 'rust' : 'solidity'] }),
    );
    const groups = groupPostings([...acme, posting(6, { company: 'Other' })], NOW);
    expect(
      groups.flatMap(({ postings }) => postings).filter(({ company }) => /acme/iu.test(company ?? '')),
    ).toHaveLength(3);
    expect(groups.flatMap(({ rest }) => rest.flatMap(({ postings }) => postings))).toHaveLength(2);
  });

  test('postings without a company are not one company', () => {
    const [group] = groupPostings(
      [1, 2, 3, 4, 5, 6].map((n) => posting(n)),
      NOW,
    );
    expect(group?.postings).toHaveLength(6);
    expect(group?.rest).toEqual([]);
  });

  test('lose and repeat nothing, whatever comes', () => {
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
        const groups = groupPostings(given, NOW);
        const out = groups.flatMap(({ postings, rest }) => [
          ...postings,
          ...rest.flatMap((more) => more.postings),
        ]);
        expect(out.map(({ key }) => key).sort()).toEqual(given.map(({ key }) => key).sort());
      }),
    );
  });
});

describe('the view', () => {
  test('counts what is over the cap, and links to the whole edition', () => {
    const view = digestView({ ...sampleDelivery(), more: 38 }, options);
    expect(view.subject).toContain('48 new postings');
    expect(view.rest).toEqual({ text: 'and 38 more', url: SAMPLE_LINKS.browser });
    expect(digestView(sampleDelivery(), options).rest).toBeNull();
  });

  test('reckons its figures over the whole edition, what is over the cap included', () => {
    const list = [1, 2, 3, 4, 5, 6].map((n) => ({ ...paid(n, n * 20_000, n * 20_000), remote: n > 2 }));
    const delivery = { ...sampleDelivery(), postings: list.slice(0, 2), more: 4, all: list };
    expect(digestView(delivery, options).summary).toBe('6 new, 4 remote, median disclosed pay $70k / year');
  });

  test('says the same figures in each of its parts, and which part it is', () => {
    const list = [1, 2, 3, 4, 5, 6].map((n) => ({ ...paid(n, n * 20_000, n * 20_000), remote: n > 2 }));
    const views = [0, 1, 2].map((part) =>
      digestView(
        { ...sampleDelivery(), postings: list.slice(2 * part, 2 * part + 2), all: list, part, parts: 3 },
        options,
      ),
    );
    for (const [part, view] of views.entries()) {
      expect(view.summary).toBe('6 new, 4 remote, median disclosed pay $70k / year');
      expect(view.title).toBe('6 new postings');
      expect(view.subject).toMatch(new RegExp(`6 new postings.*${part + 1} of 3`, 'u'));
      expect(view.part).toBe(`part ${part + 1} of 3`);
    }
  });

  test('has a preheader of 40 to 110 characters, whatever the titles', () => {
    for (const title of ['x', 'A'.repeat(500), '', '日本語'.repeat(100)]) {
      const postings = [posting(1, { title }), posting(2, { title })];
      const { preheader } = digestView({ ...sampleDelivery(), postings }, options);
      expect(preheader.length, title).toBeGreaterThanOrEqual(40);
      expect(preheader.length, title).toBeLessThanOrEqual(110);
    }
  });

  test('keeps every apply link byte for byte', () => {
    const applyUrl = 'https://b.example/r/a%20b__p?x=1&y=ü&z=%C3%BC#t';
    const view = digestView({ ...sampleDelivery(), postings: [posting(1, { applyUrl })] }, options);
    expect(view.groups[0]?.cards[0]?.link).toBe(applyUrl);
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

  test('is left out under three weeks of history, and reaches back twelve', () => {
    expect(weeklyCounts(matched(20, [3, 2, 1]), NOW)).toEqual([]);
    expect(weeklyCounts(matched(21, [3]), NOW)).toHaveLength(3);
    expect(weeklyCounts(matched(89, [3]), NOW)).toHaveLength(12);
    expect(digestView(sampleDelivery(), options).chart).toBeNull();
  });

  test('draws a bar per week, an empty one too, and no letters', () => {
    const svg = renderChart([3, 0, 7].map((count, n) => ({ from: NOW + n * WEEK, count })));
    expect(svg.match(/rx="3"/gu)).toHaveLength(3);
    expect(svg).not.toMatch(/<text|NaN|Infinity/u);
    expect(renderChart([0, 0, 0].map((count) => ({ from: 0, count })))).not.toContain('NaN');
  });
});
