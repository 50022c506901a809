// Pay decides who hears of a posting (minSalary), so what people really write is listed here line by line.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Pay, parsePay, parseUnit, renderPay, yearly } from '../../src/domain/pay.js';

const range = (min: number, max: number, currency?: string, unit?: Pay['unit']): Pay => ({
  min,
  max,
  ...(currency ? { currency } : {}),
  ...(unit ? { unit } : {}),
});

describe('what employers write', () => {
  test.each<[string, Pay]>([
    ['$80k - 120k', range(80_000, 120_000, 'USD')],
    ['$80k – $120k / year', range(80_000, 120_000, 'USD', 'year')],
    ['80-120k EUR', range(80_000, 120_000, 'EUR')],
    ['between 80 and 120k', range(80_000, 120_000)],
    ['$80K to $120K a year', range(80_000, 120_000, 'USD', 'year')],
    ['$120k - $80k', range(80_000, 120_000, 'USD')],
    ['100000 - 150000 USD', range(100_000, 150_000, 'USD')],
    ['$80,000.00 - $120,000.00', range(80_000, 120_000, 'USD')],
    ['60 000 € – 70 000 €', range(60_000, 70_000, 'EUR')],
    ["CHF 120'000", range(120_000, 120_000, 'CHF')],
    ['EUR 60.000,00', range(60_000, 60_000, 'EUR')],
    ['€5.000/month', range(5_000, 5_000, 'EUR', 'month')],
    ['$50 - $70 / hour', range(50, 70, 'USD', 'hour')],
    ['$50/hr', range(50, 50, 'USD', 'hour')],
    ['$1.5M', range(1_500_000, 1_500_000, 'USD')],
    ['1,5k', range(1_500, 1_500)],
    ['0.125 BTC', range(0.125, 0.125, 'BTC')],
    ['8-10 SOL/month', range(8, 10, 'SOL', 'month')],
    ['150k USDC yearly', range(150_000, 150_000, 'USDC', 'year')],
    ['USD 60,000 p.a.', range(60_000, 60_000, 'USD', 'year')],
    ['$80k+', { min: 80_000, currency: 'USD' }],
    ['from 80k', { min: 80_000 }],
    ['ab 60.000 €', { min: 60_000, currency: 'EUR' }],
    ['up to $80k', { max: 80_000, currency: 'USD' }],
    ['$100k + equity', { min: 100_000, currency: 'USD' }],
  ])('%s', (text, pay) => {
    expect(parsePay(text)).toEqual(pay);
  });

  test.each<[string, Pay]>([
    ['20 years experience, $100k', range(100_000, 100_000, 'USD')],
    ['$100k, 20 days off', range(100_000, 100_000, 'USD')],
    ['401k match, $120,000 per year', range(120_000, 120_000, 'USD', 'year')],
    ['Equity 0.5% - 1%, $100K', range(100_000, 100_000, 'USD')],
    ['4-day week, $100k', range(100_000, 100_000, 'USD')],
    ['$100k per year, monthly bonus', range(100_000, 100_000, 'USD', 'year')],
    ['10x engineer: $100k', range(100_000, 100_000, 'USD')],
  ])('other numbers are not the pay: %s', (text, pay) => {
    expect(parsePay(text)).toEqual(pay);
  });

  test.each(['', '-', 'Competitive', 'web3', 'up to you', '0', '401k', '0.5% - 1%'])(
    '%j says nothing',
    (text) => {
      expect(parsePay(text)).toBeUndefined();
    },
  );

  test('an amount at the end of a page is no statement of pay', () => {
    expect(parsePay(`${'words '.repeat(100)} $100k`)).toBeUndefined();
  });

  test('never throws, and says nothing that is not an amount', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[$€ 0-9.,km–-]{0,40}$/u)), (text) => {
        const pay = parsePay(text);
        if (pay === undefined) return;
        for (const value of [pay.min, pay.max])
          if (value !== undefined) expect(Number.isFinite(value) && value > 0).toBe(true);
        if (pay.min !== undefined && pay.max !== undefined) expect(pay.min).toBeLessThanOrEqual(pay.max);
      }),
    );
  });

  test.each(['1', '1 ', '1,', '$', '1 000 ', "1'", 'k'])(
    '%j over and over is no work',
    (part) => {
      parsePay(part.repeat(100_000));
    },
    10_000,
  );
});

test.each([
  ['YEAR', 'year'],
  ['MONTH', 'month'],
  ['HOUR', 'hour'],
  ['per week', 'week'],
  ['/day', 'day'],
  ['annually', 'year'],
  ['pro Stunde', 'hour'],
  ['', undefined],
  ['holiday', undefined],
  ['a 4-day week', undefined],
])('the unit in %j is %s', (text, unit) => {
  expect(parseUnit(text)).toBe(unit);
});

test.each<[Pay | undefined, number | undefined]>([
  [range(80_000, 120_000, 'USD', 'year'), 120_000],
  [range(5_000, 6_000, 'EUR', 'month'), 72_000],
  [range(50, 60, 'USD', 'hour'), 124_800],
  [{ min: 80_000 }, 80_000],
  [range(5_000, 5_000), undefined],
  [range(8_000_000, 9_000_000, 'JPY', 'year'), undefined],
  [range(1, 2, 'ETH', 'month'), undefined],
  [{}, undefined],
  [undefined, undefined],
])('%j is %s a year', (pay, value) => {
  expect(yearly(pay)).toBe(value);
});

describe('in words', () => {
  test.each<[Pay, string]>([
    [range(80_000, 120_000, 'USD', 'year'), '$80k–$120k / year'],
    [range(80_500, 80_500, 'EUR'), '€80.5k'],
    [range(81_234, 90_000, 'GBP'), '£81,234–£90k'],
    [range(8, 10, 'SOL', 'month'), '8–10 SOL / month'],
    [range(1_500_000, 1_500_000, 'USD'), '$1.5M'],
    [{ min: 120_000, currency: 'CHF' }, '120k+ CHF'],
    [{ max: 120_000, currency: 'CHF', unit: 'year' }, 'up to 120k CHF / year'],
    [{ currency: 'USD', unit: 'year' }, ''],
  ])('%j', (pay, text) => {
    expect(renderPay(pay)).toBe(text);
  });

  test('reads back as it was meant', () => {
    const money = fc.integer({ min: 1, max: 999 }).map((value) => value * 1000);
    fc.assert(
      fc.property(
        money,
        money,
        fc.constantFrom('USD', 'EUR', 'CHF', 'ETH'),
        fc.constantFrom<Pay['unit'][]>('year', 'month', 'hour', undefined),
        (a, b, currency, unit) => {
          const pay = range(Math.min(a, b), Math.max(a, b), currency, unit);
          expect(parsePay(renderPay(pay))).toEqual(pay);
        },
      ),
    );
  });
});
